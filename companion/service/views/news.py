"""What came of events, in sentences: hits, gains, moves, cards, tiles, the end; and why."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Generic, TypeVar

from companion import engine
from companion.service.wire import Args, Cause, NewsLine, Words
from companion.table import Entry

K = TypeVar("K")
T = TypeVar("T")
BY_ABILITY = {
    "income": "why.income",
    "entered": "why.entered",
    "building_reward": "why.destroyed",
    "unit_reward": "why.destroyed",
    "statue_stars": "why.card",
    "leaves": "why.left",
    "trim": "why.left",
    "roll": "why.rerolled",
    "may_flee": "why.toll",
    "move": "why.toll",
    "where_to": "why.toll",
}
"""Sentences of abilities of the game itself."""
MINUS = "−"
NAMING = frozenset({"why.income", "why.entered", "why.destroyed", "why.card", "why.left"})
"""Sentences that name what they are about."""
MOVES = {
    engine.How.PLACED: "happened.starts",
    engine.How.ENTER: "happened.enters",
    engine.How.MOVE: "happened.moves",
    engine.How.ADVANCE: "happened.advances",
    engine.How.SLIDE: "happened.slides",
    engine.How.BY_HAND: "happened.moves",
}
"""Sentences of moves that name only where to."""
Sentence = tuple[str, Words, tuple[Cause, ...]]
"""Sign, sentence and clauses."""
SUMMED: dict[type[engine.Effect], tuple[str, str, engine.Number]] = {
    engine.Damage: ("attack", "happened.hurt", engine.Number.HEALTH),
    engine.LoseHealth: ("attack", "happened.hurt", engine.Number.HEALTH),
    engine.TrimHealth: ("heal", "happened.hurt", engine.Number.HEALTH),
    engine.Heal: ("heal", "happened.heals", engine.Number.HEALTH),
    engine.GainStars: ("victory_star", "happened.gains.stars", engine.Number.STARS),
    engine.LoseStars: ("victory_star", "happened.loses.stars", engine.Number.STARS),
    engine.GainEnergy: ("energy", "happened.gains.energy", engine.Number.ENERGY),
    engine.TakeBackEnergy: ("energy", "happened.gains.energy", engine.Number.ENERGY),
    engine.LoseEnergy: ("energy", "happened.loses.energy", engine.Number.ENERGY),
    engine.SpendEnergy: ("energy", "happened.pays", engine.Number.ENERGY),
}
"""Effects on a number, which are added up: their sign, their sentence, their number."""
NUMBERS = frozenset({engine.Face.ONE, engine.Face.TWO, engine.Face.THREE})
"""Faces that count by how many of them there are."""
GAINS: dict[type[engine.Effect], str] = {
    engine.GainStars: "gain.stars",
    engine.GainEnergy: "gain.energy",
    engine.Heal: "gain.health",
}
"""Gains that are said with what brought them, if one effect did."""
PLAIN = {
    (engine.Heal, "because.heal"),
    (engine.GainEnergy, "because.energy"),
    (engine.SpendEnergy, "why.rule"),
}
"""Effects with a cause that need not be said: hearts heal, energy is energy."""
Key = tuple[str, engine.Seat, engine.Seat, int]
"""Of a sum: the sentence, whose number, whose deed, in which turn."""


class IdentityCache(Generic[K, T]):
    """The newest results of a function of values; `of` may be called from any thread.

    The identity of the values is the key: comparing rows or positions would compare whole games.
    """

    def __init__(self, most: int = 128) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, ...], tuple[tuple[K, ...], T]] = {}
        """Each result with its values, whose identities stay theirs while they are held here."""

    def of(self, values: tuple[K, ...], make: Callable[[], T]) -> T:
        """Return the result for these values, made if it is not kept."""
        key = tuple(map(id, values))
        kept = self._kept.get(key)
        if kept is not None:
            return kept[1]
        made = make()
        with self._lock:
            self._kept[key] = values, made
            while len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return made


_HAPPENINGS = IdentityCache[Entry, engine.Happening | None]()


def happening(entry: Entry) -> engine.Happening | None:
    """Return what the rules did for an event of the game: for one of the newest as they did it, for
    others applied once more. None for other rows, and if the current rules disagree with the log.
    """
    return _HAPPENINGS.of((entry,), lambda: _outcome_of(entry))


def _outcome_of(entry: Entry) -> engine.Happening | None:
    before = entry.before.position
    if before is None or not isinstance(entry.event, engine.Event):
        return None
    outcome = entry.outcome
    if outcome is not None:
        return engine.Happening(entry.seq, before, outcome)
    with suppress(engine.IllegalEvent, *engine.BROKEN):
        return engine.Happening(entry.seq, before, before.apply(entry.event))
    return None


def happenings_before(entry: Entry, entries: Sequence[Entry]) -> Iterator[engine.Happening]:
    """Yield what the rules did in the rows that count before this one, newest first."""
    for seq in reversed(entry.before.active):
        before = entries[seq - 1]
        if not isinstance(before.event, engine.Event):
            continue
        one = happening(before)
        if one is None:
            return
        yield one


@dataclass(frozen=True, slots=True)
class Share:
    """A cause and its share of a number; the shares of one number add up to it."""

    words: Words
    amount: int


def shares(step: Step, amount: int) -> Iterator[Share]:
    """Yield what an amount is made of: what brought it, then each ability that changed it."""
    treated = step.origin.treated
    yield Share(cause_words(step), treated[0].before if treated else amount)
    for one in treated:
        words = carrier_words(step.event.before.rules, one.by.card) or Words(key="why.rule")
        yield Share(words, one.after - one.before)
    if treated and isinstance(step.effect, engine.Gain):  # a dial holds no more than its maximum
        yield Share(Words(key="because.most"), amount - treated[-1].after)


def summed(parts: Iterable[Share]) -> list[Share]:
    """Return the shares, those of one cause added up, without what came to nothing."""
    found: dict[tuple[object, ...], Share] = {}
    for part in parts:
        key = (part.words.key, *part.words.args.items())
        before = found[key].amount if key in found else 0
        found[key] = Share(part.words, before + part.amount)
    return [one for one in found.values() if one.amount]


def clauses(parts: Iterable[Share], *, signed: bool = False) -> tuple[Cause, ...]:
    """Return the shares as clauses; a single cause needs no number. `signed`: with a plus."""
    found = summed(parts)
    if len(found) == 1:
        return (Cause(words=found[0].words),)
    return tuple(Cause(words=one.words, change=_change(one.amount, signed)) for one in found)


def _change(amount: int, signed: bool) -> str:
    plus = "+" if signed else ""
    return f"{MINUS}{-amount}" if amount < 0 else f"{plus}{amount}"


def carrier_words(rules: engine.Ruleset, card: str) -> Words | None:
    """Return the card, token or condition of this name that carries an ability; None without."""
    if card in rules.cards:
        return Words(key="why.card", args={"card": card})
    if card in rules.tokens:
        return Words(key="because.token", args={"token": card})
    return Words(key="why.condition") if card else None


def cause_words(step: Step) -> Words:
    """Return what brought an effect about: dice, card, token, place, or the rules."""
    effect, origin = step.effect, step.origin
    by = origin.by
    carrier = carrier_words(step.event.before.rules, by.card)
    if carrier is not None:
        return carrier
    if isinstance(effect, engine.Damage) and effect.by_units:
        return Words(key="because.ouch")
    if origin.face in NUMBERS:
        return Words(key="because.alike", args={"count": step.dice, "face": origin.face.value})
    if origin.face is not None:
        return Words(key=f"because.{origin.face}")
    names = ("card", "tile", "place") if origin.about else ()
    args: Args = dict.fromkeys(names, origin.about)
    key = BY_ABILITY.get(by.ability, "why.rule")
    if by.ability == "shopping":
        key = "why.bought" if args else "why.swept"
    if key == "why.rule" or (key in NAMING and not args):
        return Words(key="why.rule")
    return Words(key=key, args=args)


@dataclass(frozen=True, slots=True)
class Step:
    """An effect that was performed: in which event, at which place, and where it comes from."""

    event: engine.Happening
    at: int
    effect: engine.Effect
    origin: engine.Origin

    @property
    def dice(self) -> int:
        """How many dice of its face it scores, with those that cards add."""
        done, face = self.event.outcome.performed[: self.at], self.origin.face
        groups = (e for e in reversed(done) if isinstance(e, engine.ResolveFace))
        faces = self.event.before.game.turn.faces
        return next((e.amount for e in groups if e.face is face), faces.count(face))

    def monsters(self, *, after: bool) -> tuple[engine.Monster, ...]:
        """Return the Monsters before or after this effect."""
        outcome = self.event.outcome
        at = self.at + after
        return outcome.before[at] if at < len(outcome.before) else outcome.game.monsters

    def number(self, seat: int, what: engine.Number, *, after: bool) -> int:
        """Return a number of a Monster before or after this effect."""
        return self.monsters(after=after)[seat].number(what)


def steps_of(
    known: Sequence[engine.Happening], earlier: Iterable[engine.Happening] = ()
) -> list[Step]:
    """Return the effects of these events in order; `earlier` as for `outcomes`."""
    steps: list[Step] = []
    for n, one in enumerate(known):
        treated = engine.treated_before(one.before.game, chain(reversed(known[:n]), earlier))
        origins = engine.origins(one, (*treated, *one.outcome.treated))
        performed = one.outcome.performed
        steps += [
            Step(one, at, effect, origin)
            for at, (effect, origin) in enumerate(zip(performed, origins, strict=True))
        ]
    return steps


def sentence_of(
    step: Step, steps: Sequence[Step], brought: tuple[Cause, ...], paid: int
) -> Sentence | None:
    """Return the sentence of an effect that is no number; None if nobody would say it. `steps`: all
    of its command; `brought`: what it brought its Monster, and the energy paid for it.
    """
    effect, position = step.effect, step.event.before
    why = _why(step)

    def said(sign: str, key: str, why: tuple[Cause, ...] = why, **args: str | int) -> Sentence:
        return sign, Words(key=key, args={"seat": effect.seat, **args}), why

    match effect:
        case engine.MoveTo():
            return "pin", _move_words(position.rules, effect), brought
        case engine.Eliminate():
            return said("skull", "happened.out", ())
        case engine.StartAgain():
            return said("paw", "happened.again")
        case engine.EndGame(winners=winners, reason=reason):
            return "crown", _winner_words(step.event.outcome.game, winners, reason), ()
        case engine.SmashBuilding(name=tile) | engine.DestroyUnit(kind=tile):
            return said("destruction", "happened.destroys", brought, tile=str(tile))
        case engine.TakeGoal(name=card, former=former):
            key = "happened.takes" if former == engine.TABLE else "happened.takes_from"
            return said("crown", key, brought, card=card, other=former)
        case engine.BuyCard(name=card):
            return said("cards", "happened.buys", brought, card=card, count=paid)
        case engine.SweepShop():
            return said("sweep", "happened.sweeps", (), count=paid)
        case engine.DropCard(card=id_, name=card):
            if any(isinstance(s.effect, engine.BuyCard) and s.effect.card == id_ for s in steps):
                return None
            return said("cards", "happened.discards", card=card)
        case engine.CopyCard(of=None):
            return None
        case engine.CopyCard(name=card):
            return said("cards", "happened.copies", card=card)
        case engine.TakeCard(card=id_, name=card):
            owned = next((c for c in position.game.in_play.cards if c.id == id_), None)
            former = owned.owner if owned is not None else engine.TABLE
            key = "happened.takes" if former == engine.TABLE else "happened.takes_from"
            return said("cards", key, card=card, other=former)
        case engine.TakeFromDiscards(name=card):
            return said("cards", "happened.salvages", card=card)
        case engine.DrawCard(name=card):
            return said("cards", "happened.draws", card=card)
        case engine.WinExtraTurn():
            return said("redo", "happened.extra_turn")
        case engine.HandOver(to=to, amount=count):
            return said("energy", "happened.gives", count=count, other=to)
        case engine.GiveTokens(token=token, amount=count):
            return said("hand", "happened.tokens", count=count, token=token.value)
        case engine.RemoveTokens(token=token, amount=count):
            return said("hand", "happened.tokens_off", count=count, token=token.value)
        case engine.AddCounters(name=card, amount=count):
            return said("cards", "happened.counters", (), count=count, card=card)
        case engine.SpendCounters(name=card, amount=count):
            return said("cards", "happened.counters_off", (), count=count, card=card)
        case engine.AddSymbols(face=face, amount=count):
            return said("dice", "happened.symbols", count=count, face=face.value)
        case engine.DieChanged(face=face, card=id_):
            by = position.card(engine.CardId(id_))
            card_words = by and Words(key="why.card", args={"card": by.name})
            causes = (Cause(words=card_words),) if card_words else ()
            return said("dice", "happened.die", causes, face=face.value)
        case engine.MoreRolls(amount=count):
            return said("dice", "happened.more_rolls", count=count)
        case engine.Convert(face=face, into=into, amount=count):
            return said("dice", "happened.converts", count=count, face=face.value, into=into.value)
        case engine.MoveUnit(kind=kind, area=area):
            return said(kind.value, "happened.sends", unit=kind.value, place=area)
    return None


def _why(step: Step) -> tuple[Cause, ...]:
    """Return the card or token behind an effect; nothing if it is the rules."""
    words = cause_words(step)
    return (Cause(words=words),) if words.key in {"why.card", "because.token"} else ()


def _move_words(rules: engine.Ruleset, effect: engine.MoveTo) -> Words:
    """Return the sentence of a move: who, where to, and from where if that matters."""
    args: Args = {"seat": effect.seat, "place": effect.place}
    if effect.how not in {engine.How.FLEE, engine.How.LEAVE} or effect.former is None:
        return Words(key=MOVES.get(effect.how, "happened.moves"), args=args)
    only = sum(not one.inside for one in rules.places.values()) == 1
    verb = "flees" if effect.how is engine.How.FLEE else "leaves"
    key = f"happened.{verb}" if only else f"happened.{verb}_to"
    return Words(key=key, args={**args, "from": effect.former})


def _winner_words(game: engine.Game, winners: tuple[engine.Seat, ...], reason: str) -> Words:
    """Return the sentence of who won and how; several winners share it."""
    if not winners:
        return Words(key="happened.nobody")
    if len(winners) > 1:
        shared: Args = {f"winner_{n}": seat for n, seat in enumerate(winners[:2], start=1)}
        return Words(key="happened.shared", args=shared)
    stars = game.monsters[winners[0]].stars
    return Words(key=f"happened.wins.{reason}", args={"seat": winners[0], "count": stars})


@dataclass(slots=True)
class _Sum:
    """One number of one Monster, changed by one doer in one way: the effects added up."""

    steps: list[Step] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    amount: int = 0

    def change(self, seat: int, what: engine.Number) -> engine.Change:
        """Return the number before the first and after the last of the effects."""
        first, last = self.steps[0], self.steps[-1]
        before = first.number(seat, what, after=False)
        return engine.Change(engine.Seat(seat), what, before, last.number(seat, what, after=True))


def outcomes(
    happened: Sequence[engine.Happening], earlier: Iterable[engine.Happening] = ()
) -> tuple[NewsLine, ...]:
    """Return what came of the events of one command, oldest first; `earlier`: the events before
    them, newest first, in which an amount may have been changed already.
    """
    known = list(happened)
    return tuple(_Story(known, steps_of(known, earlier)).sentences())


class _Story:
    """The sentences of one command."""

    def __init__(self, events: Sequence[engine.Happening], steps: Sequence[Step]) -> None:
        self.events, self.steps = events, steps
        self.parts: dict[int, list[int]] = {}
        """Steps that are said with another one, by that one's index."""
        for n in range(len(steps)):
            owner = self._said_with(n)
            if owner is not None:
                self.parts.setdefault(owner, []).append(n)
        self.absorbed = {n for parts in self.parts.values() for n in parts}
        self.sums: dict[Key, _Sum] = {}
        for n, step in enumerate(steps):
            if n in self.absorbed or (key := _key(step)) is None:
                continue
            total = self.sums.setdefault(key, _Sum())
            amount = int(step.effect.amount)  # type: ignore[attr-defined]
            total.steps.append(step)
            total.amount += amount
            total.shares += shares(step, amount)

    def sentences(self) -> Iterator[NewsLine]:
        """Yield the sentences in the order of what they are about."""
        spoken: set[Key] = set()
        for event in self.events:
            for n, step in enumerate(self.steps):
                if step.event is not event or n in self.absorbed:
                    continue
                key = _key(step)
                if key is None:
                    yield from self._of_step(n, step)
                elif key not in spoken:
                    yield from self._of_sum(key, step, spoken)
            yield from _spared(event)

    def _said_with(self, n: int) -> int | None:
        """Return the index of the step in whose sentence this one is said."""
        step = self.steps[n]
        effect, seat = step.effect, step.effect.seat
        if type(effect) is engine.SpendEnergy:
            for later in range(n + 1, len(self.steps)):
                other = self.steps[later]
                if other.event is not step.event:
                    return None
                if (
                    isinstance(other.effect, engine.BuyCard | engine.SweepShop)
                    and other.effect.seat == seat
                ):
                    return later
            return None
        if type(effect) not in GAINS:
            return None
        start = n - step.at
        after = step.origin.set_off_by
        if after is not None:
            parent = self.steps[start + after].effect
            brings = isinstance(
                parent, engine.SmashBuilding | engine.DestroyUnit | engine.TakeGoal
            ) or (isinstance(parent, engine.MoveTo) and parent.how is engine.How.ENTER)
            if brings and parent.seat == seat and not step.origin.by.card:
                return start + after
        for earlier in range(n - 1, -1, -1):
            bought = self.steps[earlier].effect
            if isinstance(bought, engine.BuyCard) and (bought.seat, bought.name) == (
                seat,
                step.origin.by.card,
            ):
                return earlier
        return None

    # -- sums ---------------------------------------------------------------------------------

    def _of_sum(self, key: Key, step: Step, spoken: set[Key]) -> Iterator[NewsLine]:
        """Yield the sentence of a number; seats that one Monster hit alike share it."""
        sentence, seat, by, turn = key
        total, kind = self.sums[key], type(step.effect)
        sign, _, what = SUMMED[kind]
        spoken.add(key)
        hit = sentence == "happened.hurt" and by != engine.TABLE
        why = () if self._is_plain(total) else clauses(total.shares, signed=not hit)
        if not hit:
            args: Args = {"seat": seat, "count": total.amount}
            if sentence == "happened.healed_by":
                args["by"] = by
            lost = (seat,) if sentence == "happened.hurt" else ()
            yield _happened(
                step, sign, Words(key=sentence, args=args), why, (total.change(seat, what),), lost
            )
            return
        alike = {
            other: one
            for other, one in self.sums.items()
            if (other[0], other[2], other[3]) == (sentence, by, turn)
            and one.amount == total.amount
            and summed(one.shares) == summed(total.shares)
        }
        spoken.update(alike)
        seats = tuple(other[1] for other in alike)
        changes = tuple(one.change(other[1], what) for other, one in alike.items())
        yield _happened(step, sign, _hit_words(by, seats, total.amount), why, changes, seats)

    def _is_plain(self, total: _Sum) -> bool:
        """Whether all that the effects come from need not be said."""
        causes = ((step, cause_words(step)) for step in total.steps)
        return all(
            (type(step.effect), by.key) in PLAIN and not step.origin.treated for step, by in causes
        )

    # -- single effects -----------------------------------------------------------------------

    def _of_step(self, n: int, step: Step) -> Iterator[NewsLine]:
        """Yield the sentence of an effect that is no number; none if nobody would say it."""
        found = sentence_of(step, self.steps, *self._brought(n))
        if found is not None:
            sign, words, why = found
            lost = (step.effect.seat,) if isinstance(step.effect, engine.Eliminate) else ()
            yield _happened(step, sign, words, why, self._changes(n), lost)
        if isinstance(step.effect, engine.Eliminate):
            yield from self._closed(step)

    def _changes(self, n: int) -> tuple[engine.Change, ...]:
        """Return the numbers changed by what is said with this step."""
        found: list[engine.Change] = []
        for part in self.parts.get(n, ()):
            step = self.steps[part]
            _, _, what = SUMMED[type(step.effect)]
            one = _Sum([step]).change(step.effect.seat, what)
            at = next((i for i, old in enumerate(found) if old.what is what), None)
            if at is None:
                found.append(one)
            else:
                found[at] = engine.Change(one.seat, what, found[at].before, one.after)
        return tuple(found)

    def _brought(self, n: int) -> tuple[tuple[Cause, ...], int]:
        """Return what a step brought its Monster, and what was paid for it."""
        clauses, paid = [], 0
        for part in self.parts.get(n, ()):
            effect = self.steps[part].effect
            count = int(effect.amount)  # type: ignore[attr-defined]
            if type(effect) is engine.SpendEnergy:
                paid += count
            else:
                clauses.append(Cause(words=Words(key=GAINS[type(effect)], args={"count": count})))
        return tuple(clauses), paid

    def _closed(self, step: Step) -> Iterator[NewsLine]:
        """Yield the places that closed with this elimination, the last of its event."""
        later = self.steps[self.steps.index(step) + 1 :]
        if any(s.event is step.event and isinstance(s.effect, engine.Eliminate) for s in later):
            return
        before, after = step.event.before, engine.Position.of(step.event.outcome.game)
        for place in after.rules.places.values():
            if place.entry and before.is_usable(place) and not after.is_usable(place):
                args: Args = {"place": place.name, "count": len(after.alive())}
                yield _happened(step, "lock", Words(key="reminder.place_closed", args=args))


def _key(step: Step) -> Key | None:
    """Return the sum that the effect belongs to; None if it is no number."""
    effect = step.effect
    if type(effect) not in SUMMED:
        return None
    _, sentence, _ = SUMMED[type(effect)]
    by = effect.doer if isinstance(effect, engine.Damage | engine.Heal) else engine.TABLE
    by = engine.TABLE if by == effect.seat else by
    if isinstance(effect, engine.Heal) and by != engine.TABLE:
        sentence = "happened.healed_by"
    return sentence, effect.seat, by, step.origin.turn


def _happened(
    step: Step,
    sign: str,
    words: Words,
    why: tuple[Cause, ...] = (),
    changes: tuple[engine.Change, ...] = (),
    hurt: tuple[engine.Seat, ...] = (),
) -> NewsLine:
    return NewsLine(
        sign=sign,
        words=words,
        why=why,
        changes=tuple(one for one in changes if one.before != one.after),
        hurt=hurt,
        turn=step.origin.turn,
        active=step.origin.active,
    )


def _spared(event: engine.Happening) -> Iterator[NewsLine]:
    """Yield who was not hurt, and by which card."""
    turn = event.before.game.turn
    for one in engine.prevented(event):
        if one.by.card in event.before.rules.cards:
            card = Words(key="why.card", args={"card": one.by.card})
            words = Words(key="happened.spared", args={"seat": one.seat, "count": one.amount})
            why = (Cause(words=card),)
            yield NewsLine(sign="cards", words=words, why=why, turn=turn.number, active=turn.active)


def _hit_words(dealer: engine.Seat, seats: Sequence[engine.Seat], count: int) -> Words:
    if len(seats) == 1:
        return Words(key="happened.hit.1", args={"by": dealer, "seat": seats[0], "count": count})
    args: Args = {"by": dealer, "count": count}
    args |= {f"other_{n}": seat for n, seat in enumerate(seats, start=1)}
    return Words(key=f"happened.hit.{len(seats)}", args=args)


_NEWS_OF = IdentityCache[Entry, tuple[NewsLine, ...]]()


def sentences_for(rows: tuple[Entry, ...], entries: Sequence[Entry]) -> tuple[NewsLine, ...]:
    """Return what came of these rows of one command, oldest first; `entries`: all rows."""
    return _NEWS_OF.of(rows, lambda: _sentences(rows, entries))


def _sentences(rows: tuple[Entry, ...], entries: Sequence[Entry]) -> tuple[NewsLine, ...]:
    known = [one for row in rows if (one := happening(row)) is not None]
    return outcomes(known, happenings_before(rows[0], entries)) if known else ()
