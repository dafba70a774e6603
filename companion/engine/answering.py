"""What answers an effect: asking an ability, which of several comes first, and the histories of
their steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from msgspec.structs import replace

from companion.engine.abilities import Instead, Quantity, Stage, Whenever
from companion.engine.base_position import BasePosition, mine
from companion.engine.effects import AnyEffect
from companion.engine.effects.cards import CardLeft
from companion.engine.effects.numbers import Damage, ReachedZero
from companion.engine.game import AnyStep, Reaction, Step, Together
from companion.engine.index import GAME_AGE, AnyCarried, CarriedAbility
from companion.engine.questions import Again, Answer, Choice, Option, Roll
from companion.engine.ruleset import Ruleset
from companion.engine.values import TABLE, CardId, CardInPlay, CardKind, Face, InPlay, Seat

Answering = tuple[CarriedAbility[Whenever], AnyEffect]
"""An ability, and the effect that it answers."""


# -- asking ---------------------------------------------------------------------------------------


def ask(position: BasePosition, entry: AnyCarried, effect: AnyEffect) -> Answer:
    """Ask an ability for its answer to an effect in this position."""
    answer: Answer = entry.ability.steps(mine(position, entry), effect)
    return answer


def of_same_stage(
    position: BasePosition, entry: CarriedAbility[Instead], effect: AnyEffect
) -> tuple[CarriedAbility[Instead], ...]:
    """Return replacing abilities of the same stage that have not treated the effect yet."""
    stage = entry.ability.stage
    if stage < Stage.PREVENT:
        return ()
    return tuple(
        other
        for other in position.index.insteads.get(type(effect), ())
        if other.ability.stage is stage
        and (other.seat == effect.seat or not other.ability.mine)
        and other.ref not in effect.seen
        and other.cause not in effect.causes
    )


def answering_cards(
    position: BasePosition, entry: AnyCarried, found: Iterable[AnyCarried], effect: AnyEffect
) -> tuple[AnyCarried, ...]:
    """Return the cards of one owner, among those found, that answer the effect now; of a card and
    its copy the older one.
    """
    kinds: dict[str, AnyCarried] = {}
    for other in found:
        mine = other.card is not None and other.seat == entry.seat and other.cause not in kinds
        if mine and ask(position, other, effect) is not None:
            kinds[other.cause] = other
    return tuple(kinds.values())


def with_free_rerolls(position: BasePosition, roll: Roll, thrown: tuple[Face, ...]) -> Roll:
    """Return the question of a throw that is not the turn's own, with what its owner may throw
    again free of rolls: such rerolls hold for all its dice (H32). `thrown`: the dice of
    the throw before, if any.
    """
    is_thrown = len(thrown) == roll.dice
    if not (is_thrown or position.is_modified(Quantity.ROLL_COST)):
        return roll
    owner = roll.seat if roll.owner is None else roll.owner
    loose = tuple(face for face in position.rules.faces if position.is_loose(owner, face))
    if not is_thrown:
        return replace(roll, loose=loose, counted=bool(loose), more=bool(loose))
    free = tuple(die for die, face in enumerate(thrown) if face in loose)
    return replace(
        roll,
        seat=owner,
        loose=loose,
        counted=True,
        more=bool(free),
        showing=thrown,
        free=free,
        prices=(0,) * roll.dice,
    )


def which_first(
    position: BasePosition, rivals: tuple[AnyCarried, ...], effect: AnyEffect
) -> Choice:
    """Ask the owner of several answering cards which comes first (NY-G3, TK-G1)."""
    options = tuple(Option("card", card=e.card, first=e.ref) for e in rivals)
    seat, clause = rivals[0].seat, position.rules.clause("which_first")
    if not isinstance(effect, Damage):
        return Choice(seat, "which_first", options, "order", clause)
    return Choice(seat, "saved_by", options, "order", clause, (("amount", effect.amount),))


# -- who answers ----------------------------------------------------------------------------------


def answers_once(entry: AnyCarried, effect: AnyEffect) -> bool:
    """Whether a once-a-packet ability has anything to do with this effect: its own deed to
    another, or any of the game's.
    """
    return entry.seat == TABLE or (effect.doer == entry.seat and effect.seat != entry.seat)


def last_to_first(position: BasePosition, answering: list[Answering]) -> list[Answering]:
    """Sort answers: the active Monster's first, then clockwise, equal ones in the order of the
    effects. The first is at the end.
    """
    active, n = position.game.turn.active, len(position.game.monsters)

    def turn(row: Answering) -> tuple[int, int]:
        entry = row[0]
        if entry.ability.active_last and entry.seat == active:
            return n, entry.age
        return (entry.seat - active) % n if entry.age < GAME_AGE - 1 else n + 1, entry.age

    return sorted(answering, key=turn)[::-1]


def cards_left(rules: Ruleset, before: InPlay, after: InPlay) -> list[AnyEffect]:
    """Return a CardLeft for each Keep card, or copy of one, that stopped working for its owner."""
    still = _in_force(rules, after.cards)
    return [
        CardLeft(seat, card, name)
        for card, seat, name in _in_force(rules, before.cards)
        if (card, seat, name) not in still
    ]


def about_to_fall(agenda: Iterable[AnyStep]) -> set[Seat]:
    """Return the seats that an earlier effect is about to bring to 0 health."""
    packets = (step for step in agenda if isinstance(step, Together))
    parts = chain.from_iterable((*packet.waiting, *packet.ready) for packet in packets)
    return {part.seat for part in parts if isinstance(part, ReachedZero)}


@lru_cache(maxsize=64)
def _in_force(
    rules: Ruleset, cards: tuple[CardInPlay, ...]
) -> tuple[tuple[CardId, Seat, str], ...]:
    """Return card, owner and name of each Keep card before a Monster, and of what it copies."""
    names = {card.id: card.name for card in cards}
    rows: list[tuple[CardId, Seat, str]] = []
    for card in cards:
        if card.owner == TABLE or rules.cards[card.name].kind is not CardKind.KEEP:
            continue
        rows.append((card.id, card.owner, card.name))
        if card.copies is not None and card.copies in names:
            rows.append((card.id, card.owner, names[card.copies]))
    return tuple(rows)


# -- histories ------------------------------------------------------------------------------------


def steps_of(answer: Again | Step | tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the answer as a tuple of steps."""
    if isinstance(answer, tuple):
        return answer
    return answer.steps if isinstance(answer, Again) else (answer,)


def stamped(
    steps: tuple[Step, ...], reaction: Reaction, entry: AnyCarried, clears_causes: bool = False
) -> list[Step]:
    """Return the steps with their histories.

    Steps that replace an effect keep its history and are marked as seen by the ability. Steps that
    follow an effect are caused by the ability, unless it is the game's own. With `clears_causes` (a
    seat has decided) they have no earlier cause.
    """
    if not steps:
        return []
    causes = _causes(reaction, entry, clears_causes)
    kind = type(reaction.effect) if reaction.instead else None
    found: list[Step] = []
    for step in steps:
        if type(step) is Together:
            waiting = stamped(step.waiting, reaction, entry, clears_causes)
            found.append(replace(step, waiting=tuple(waiting)))
        elif type(step) is kind:
            seen = reaction.effect.seen
            found.append(replace(step, seen=(*seen, reaction.ref), causes=causes))
        else:
            found.append(replace(step, seen=(), causes=causes, source=entry.cause))
    return found


def _causes(reaction: Reaction, entry: AnyCarried, clears_causes: bool) -> tuple[str, ...]:
    causes = reaction.effect.causes
    if reaction.instead:
        return causes
    if clears_causes:
        return ()
    return causes if entry.seat == TABLE else (*causes, entry.cause)
