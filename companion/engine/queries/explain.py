"""Why a number is what it is: each change with its ability, card, clause and cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from companion.engine.abilities import Quantity, Query, Whenever
from companion.engine.base_position import BasePosition, mine
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.cards import BuyCard, CardLeft, SweepShop, TakeGoal
from companion.engine.effects.numbers import Damage, HandOver, Heal, SpendEnergy
from companion.engine.effects.sources import Source
from companion.engine.effects.tiles import DestroyUnit, SmashBuilding
from companion.engine.effects.turn import BeginTurn, MoveTo, ResolveFace
from companion.engine.events import AnyEvent, IllegalEvent
from companion.engine.game import Game
from companion.engine.loop import Outcome, Treated
from companion.engine.play import apply
from companion.engine.ruleset import Ruleset
from companion.engine.values import TABLE, CardKind, Face, Monster, Number, Seat, Value

# -- abilities as causes: who carries them, and the clause they carry out --------------------------


SCORE: Final = "score"
"""The ability of the rules by which a group of dice does what its face does."""


class Cause(Value, frozen=True):
    """An ability: its name, the card, token or condition that carries it ("" for the rules), and
    the clause it carries out ("" if it names none).
    """

    ability: str
    card: str
    clause: str


def scored_by(rules: Ruleset, effect: AnyEffect, face: Face | None) -> Cause:
    """Return the ability behind an effect; for a group of dice, its scoring."""
    if face is not None:
        return Cause(SCORE, "", rules.clause(face))
    return cause_of(rules, effect)


def cause_of(rules: Ruleset, effect: AnyEffect) -> Cause:
    """Return the ability that brought the effect; if the loop did, the effect's own clause."""
    found = cause_named(rules, effect.source) if effect.source else Cause("", "", "")
    if found.clause:
        return found
    verb = type(effect)
    clause = rules.own_clause(verb.clause) or rules.clause(verb.__name__)
    return Cause(found.ability, found.card, clause)


def cause_named(rules: Ruleset, source: str) -> Cause:
    """Return the ability that a history names."""
    carrier, name, _ = Source.read(source) or Source("", source, TABLE)
    carrier, clause = _clauses_by_ability(rules).get((carrier, name), (carrier, ""))
    return Cause(name, carrier, clause or _general_clause(rules, carrier, name))


def _general_clause(rules: Ruleset, carrier: str, name: str) -> str:
    """Return the clause of an ability that names none: the ruleset's for it, or the general one for
    its kind.
    """
    if not carrier:
        return rules.clause(name)
    card = rules.cards.get(carrier)
    return rules.clause(card.kind if card is not None else CardKind.KEEP)


@lru_cache(maxsize=8)
def _clauses_by_ability(rules: Ruleset) -> dict[tuple[str, str], tuple[str, str]]:
    """Return carrier and clause of each ability, as histories name it (card or "", name)."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for kind, carried in (*rules.conditions.items(), *rules.tokens.items()):
        found |= {("", a.name): (str(kind), rules.own_clause(a.clause)) for a in carried}
    found |= {("", a.name): ("", rules.own_clause(a.clause)) for a in rules.abilities}
    for card in rules.cards.values():
        found |= {
            (card.name, a.name): (card.name, rules.own_clause(a.clause)) for a in card.abilities
        }
    return found


START: Final = "start"
"""The cause of what a Monster began with."""
CORRECTION: Final = "corrected"
"""The cause of what the table set by hand."""
RULE: Final = "rule"
"""The cause of what the rules or the card print, before anything modifies it."""
MODIFIED: Final = "modified"
"""The cause of what an ability makes of a number that is looked up."""
LIMIT: Final = "limit"
"""The cause of what a number that is looked up cannot go beyond."""


class Treatment(Value, frozen=True):
    """What an ability made of an amount before it happened."""

    by: Cause
    before: int
    after: int


class Reason(Value, frozen=True):
    """One change of a number. `event` counts the events from 1; 0 is what was before them.

    `effect` is the verb (its class name), or `start`, `corrected`, `rule`, `modified`, `limit`;
    `by` the ability that brought it; `face` the group of dice it came from; `other` another Monster
    whose deed it is; `about` the card bought, the tile destroyed or the place stood in; `led` the
    abilities that led there, oldest first; `treated` what became of the amount before it happened;
    `total` the number after it.
    """

    event: int
    turn: int
    effect: str
    by: Cause
    delta: int
    total: int
    face: Face | None = None
    other: Seat | None = None
    about: str = ""
    led: tuple[Cause, ...] = ()
    treated: tuple[Treatment, ...] = ()

    @property
    def ability(self) -> str:
        """The ability that brought it, "" for the agenda loop itself."""
        return self.by.ability

    @property
    def card(self) -> str:
        """The card, token or condition that carries the ability, "" for the rules."""
        return self.by.card

    @property
    def clause(self) -> str:
        """The clause it follows, "" if none is named."""
        return self.by.clause


class Origin(Value, frozen=True):
    """Where an effect that was performed comes from; the fields of a `Reason` mean the same here.

    `active`: whose turn it is; `set_off_by`: which of the effects performed before it the ability
    answers, if an ability of the rules or of a card answers one.
    """

    turn: int
    active: Seat
    by: Cause
    face: Face | None = None
    other: Seat | None = None
    about: str = ""
    set_off_by: int | None = None
    led: tuple[Cause, ...] = ()
    treated: tuple[Treatment, ...] = ()


class Prevented(Value, frozen=True):
    """Damage of which an ability left nothing."""

    seat: Seat
    by: Cause
    amount: int


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of a game, counted from 1, with the position before it and its outcome."""

    event: int
    before: BasePosition
    outcome: Outcome[Any]


def concerns(before: Game, after: Game, seat: Seat) -> bool:
    """Whether the step between two positions may explain a change of a number of the seat.

    A Monster that nothing happened to is the same value, so most events of a game can be left out
    of `explain`.
    """
    return before.monsters[seat] is not after.monsters[seat] or _is_between(after)


def happenings(start: BasePosition, events: Iterable[AnyEvent]) -> Iterator[Happening]:
    """Apply each event, from `start` on. IllegalEvent if one is not allowed: `event` says which."""
    position = start
    for number, event in enumerate(events, 1):
        try:
            outcome = apply(position, event)
        except IllegalEvent as illegal:
            raise IllegalEvent(illegal.key, **illegal.params, event=number) from illegal
        yield Happening(number, position, outcome)
        position = outcome.position


def explain(
    start: BasePosition, happened: Iterable[Happening], seat: Seat, number: Number
) -> tuple[Reason, ...]:
    """Return every change of a seat's number, oldest first, its first value among them.

    `start` is the position the events begin at. The deltas add up to the number.
    """
    value: int = getattr(start.game.monsters[seat], number)
    found: list[Reason] = []
    if value:
        begun = Cause("", "", start.rules.clause(START))
        found.append(Reason(0, start.game.turn.number, START, begun, value, value))
    waiting: tuple[Treated, ...] = ()
    for one in happened:
        if not concerns(one.before.game, one.outcome.game, seat):
            waiting = ()
            continue
        treated = (*waiting, *one.outcome.treated)
        found += reasons(one, seat, number, treated)
        waiting = treated if _is_between(one.outcome.game) else ()
    return tuple(found)


def explain_quantity(
    position: BasePosition, seat: Seat, quantity: Quantity, card: str = ""
) -> tuple[Reason, ...]:
    """Return what makes a quantity (dice, rolls, the maximum, a card's price) what it is.

    The first is what is printed, then each ability that modifies it, then the limit it meets. The
    deltas add up to it. Raises KeyError for a quantity that is not one of `LOOKED_UP`.
    """
    turn, rules = position.game.turn.number, position.rules
    printed, least, most = _printed(rules, quantity, card)
    reasons = [Reason(0, turn, RULE, Cause("", card, rules.clause(quantity)), printed, printed)]
    value, asked = printed, Query(seat, card)
    for entry in position.index.modifiers.get(quantity, ()):
        if entry.ability.mine and entry.seat != seat:
            continue
        fresh = entry.ability.by(mine(position, entry), asked, value)
        if fresh != value:
            by = cause_named(rules, entry.cause)
            reasons.append(Reason(0, turn, MODIFIED, by, fresh - value, fresh))
        value = fresh
    held = max(least, value if most is None else min(most, value))
    if held != value:
        bound = "" if quantity is Quantity.PRICE else rules.clause(LIMIT)
        reasons.append(Reason(0, turn, LIMIT, Cause("", "", bound), held - value, held))
    return tuple(reasons)


LOOKED_UP: Final = (Quantity.HEALTH_MAX, Quantity.DICE, Quantity.ROLLS, Quantity.PRICE)
"""The numbers that `explain_quantity` knows."""


def _printed(rules: Ruleset, quantity: Quantity, card: str) -> tuple[int, int, int | None]:
    """Return the printed value, and the least and the most it can come to."""
    if quantity is Quantity.PRICE:
        return rules.cards[card].cost, 0, None
    return {
        Quantity.HEALTH_MAX: (rules.health, 0, None),
        Quantity.DICE: (rules.dice, 0, rules.dice_max),
        Quantity.ROLLS: (rules.rolls, 1, None),
    }[quantity]


# -- one event --------------------------------------------------------------------------------


def _is_between(game: Game) -> bool:
    """Whether an effect is half treated: abilities may still change its amount."""
    return any(getattr(step, "instead", False) or hasattr(step, "ready") for step in game.agenda)


def reasons(
    one: Happening, seat: Seat, number: Number, treated: tuple[Treated, ...] = ()
) -> Iterator[Reason]:
    """Yield the changes of one event: what the table set, then each effect that changed the number.

    `treated` are the amounts made larger or smaller in this event, and in those before it that
    stopped to ask; without it, this event's own.
    """
    outcome, rules, before = one.outcome, one.before.rules, one.before.game
    treated = treated or outcome.treated
    states = (before.monsters, *outcome.before, outcome.game.monsters)
    values = [getattr(monsters[seat], number) for monsters in states]
    turn = before.turn.number
    if values[1] != values[0]:  # nothing was performed yet: the event itself set it
        set_by = Cause("", "", "")
        yield Reason(one.event, turn, CORRECTION, set_by, values[1] - values[0], values[1])
    if len(set(values)) == 1:
        return
    for at, (effect, turn, _, face) in enumerate(_scoring(one), 1):
        if values[at + 1] == values[at]:
            continue
        yield Reason(
            one.event,
            turn,
            effect.tag(),
            scored_by(rules, effect, face),
            values[at + 1] - values[at],
            values[at + 1],
            face=face,
            other=_other_monster(effect, seat),
            about=_about(rules, outcome.performed, at - 1, states[at][seat]),
            led=tuple(cause_named(rules, cause) for cause in effect.causes),
            treated=_treatments(rules, effect, treated),
        )


def origins(one: Happening, treated: tuple[Treated, ...] = ()) -> Iterator[Origin]:
    """Yield where each effect performed in this event comes from; `treated` as for `reasons`."""
    outcome, rules = one.outcome, one.before.rules
    treated = treated or outcome.treated
    for at, (effect, turn, active, face) in enumerate(_scoring(one)):
        monster = None if effect.seat == TABLE else outcome.before[at][effect.seat]
        yield Origin(
            turn,
            active,
            scored_by(rules, effect, face),
            face=face,
            other=_other_monster(effect, effect.seat) if monster else None,
            about=_about(rules, outcome.performed, at, monster) if monster else "",
            set_off_by=_set_off_by(rules, outcome.performed, at),
            led=tuple(cause_named(rules, cause) for cause in effect.causes),
            treated=_treatments(rules, effect, treated),
        )


def _scoring(one: Happening) -> Iterator[tuple[AnyEffect, int, Seat, Face | None]]:
    """Yield each effect performed in this event with the number of its turn, whose turn it is, and
    the group of dice that it scores, if it does.
    """
    turn = one.before.game.turn
    number, active = turn.number, turn.active
    group: Face | None = turn.resolved[-1] if turn.resolved else None
    for effect in one.outcome.performed:
        if isinstance(effect, BeginTurn):
            number, active = number + 1, effect.seat
        elif isinstance(effect, ResolveFace):
            group = effect.face
        source = Source.read(effect.source)
        scored = source is not None and source.ability == SCORE
        yield effect, number, active, group if scored else None


def prevented(one: Happening) -> Iterator[Prevented]:
    """Yield the damage of this event of which an ability left nothing."""
    for each in one.outcome.treated:
        entry = one.before.index.by_ref.get(each.ref)
        if not each.after and entry is not None and getattr(entry.ability, "on", None) is Damage:
            yield Prevented(each.seat, cause_named(one.before.rules, each.cause), each.before)


def treated_before(now: Game, earlier: Iterable[Happening]) -> tuple[Treated, ...]:
    """Return the amounts that abilities changed in earlier events, whose effects are half treated
    in this position; `earlier`: the events before it, the newest first.
    """
    found: tuple[Treated, ...] = ()
    events = iter(earlier)
    while _is_between(now) and (one := next(events, None)) is not None:
        found = (*one.outcome.treated, *found)
        now = one.before.game
    return found


def _set_off_by(rules: Ruleset, performed: tuple[AnyEffect, ...], at: int) -> int | None:
    """Return the index of the effect that the ability behind `performed[at]` answers; None if it
    answers none of these.
    """
    source = Source.read(performed[at].source)
    if source is None:
        return None
    on = _answered(rules).get((source.carrier, source.ability))
    if on is None:
        return None
    return next((n for n in range(at - 1, -1, -1) if type(performed[n]) is on), None)


@lru_cache(maxsize=8)
def _answered(rules: Ruleset) -> dict[tuple[str, str], type[Effect]]:
    """Return the effect that each following ability of the rules and of cards answers, by the card
    ("" for the rules) and its name.
    """
    found = {("", name): on for name, on in _triggers(rules).items()}
    for card in rules.cards.values():
        found |= {(card.name, a.name): a.on for a in card.abilities if isinstance(a, Whenever)}
    return found


def _other_monster(effect: AnyEffect, seat: Seat) -> Seat | None:
    """Return another Monster whose deed it is; None for its own or the table's."""
    doer = effect.dealer if isinstance(effect, Damage) else effect.seat
    if isinstance(effect, Heal):
        doer = effect.by
    elif isinstance(effect, HandOver) and effect.seat == seat:
        doer = effect.to
    if doer in (seat, TABLE):
        source = Source.read(effect.source)
        doer = source.seat if source is not None else TABLE
    return None if doer in (seat, TABLE) else doer


def _about(rules: Ruleset, performed: tuple[AnyEffect, ...], at: int, monster: Monster) -> str:
    """Return what a payment was for; of a rule's effect, which card, tile or place set it off."""
    effect = performed[at]
    if type(effect) is SpendEnergy:
        for later in performed[at + 1 :]:
            if isinstance(later, BuyCard | SweepShop):
                return later.name if isinstance(later, BuyCard) else ""
    source = Source.read(effect.source)
    on = _triggers(rules).get(source.ability) if source and not source.carrier else None
    if on is None:  # a card's doing needs no other name
        return ""
    for earlier in reversed(performed[:at]):
        match earlier:
            case DestroyUnit(kind=kind) if on is DestroyUnit:
                return kind.value
            case SmashBuilding(name=name) | TakeGoal(name=name) | CardLeft(name=name) if (
                type(earlier) is on
            ):
                return name
            case MoveTo(place=place) if on is MoveTo:
                return place
    return monster.place or ""


@lru_cache(maxsize=8)
def _triggers(rules: Ruleset) -> dict[str, type[Effect]]:
    """Return the effect that each following ability of the rules themselves answers."""
    return {a.name: a.on for a in rules.abilities if isinstance(a, Whenever)}


def _treatments(
    rules: Ruleset, effect: AnyEffect, treated: tuple[Treated, ...]
) -> tuple[Treatment, ...]:
    """Return what each ability that this effect has seen made of its amount, the newest of each."""
    found = {t.ref: t for t in treated if t.seat == effect.seat and t.ref in effect.seen}
    return tuple(
        Treatment(cause_named(rules, found[ref].cause), found[ref].before, found[ref].after)
        for ref in effect.seen
        if ref in found
    )
