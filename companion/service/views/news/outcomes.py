"""What came of events, one sentence each, by cause: hits, gains, moves, cards, tiles, the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from companion import engine
from companion.engine import (
    TABLE,
    BuyCard,
    Change,
    Damage,
    DestroyUnit,
    Effect,
    Eliminate,
    GainEnergy,
    GainStars,
    Game,
    Happening,
    Heal,
    How,
    LoseEnergy,
    LoseHealth,
    LoseStars,
    MoveTo,
    Number,
    Origin,
    Position,
    Prevented,
    Seat,
    SmashBuilding,
    SpendEnergy,
    StartAgain,
    SweepShop,
    TakeBackEnergy,
    TakeGoal,
    TrimHealth,
)
from companion.service.views.news.causes import Share, cause_words, clauses, shares, summed
from companion.service.views.news.sentences import Brought, sentence_of
from companion.service.views.news.steps import Step, steps_of
from companion.service.wire import Args, Cause, Happened, Words

HIT_AT_ONCE = range(1, 6)
"""How many Monsters one sentence may name as hit."""
SUMMED: dict[type[Effect], tuple[str, str, Number]] = {
    Damage: ("attack", "happened.hurt", Number.HEALTH),
    LoseHealth: ("attack", "happened.hurt", Number.HEALTH),
    TrimHealth: ("heal", "happened.hurt", Number.HEALTH),
    Heal: ("heal", "happened.heals", Number.HEALTH),
    GainStars: ("victory_star", "happened.gains.stars", Number.STARS),
    LoseStars: ("victory_star", "happened.loses.stars", Number.STARS),
    GainEnergy: ("energy", "happened.gains.energy", Number.ENERGY),
    TakeBackEnergy: ("energy", "happened.gains.energy", Number.ENERGY),
    LoseEnergy: ("energy", "happened.loses.energy", Number.ENERGY),
    SpendEnergy: ("energy", "happened.pays", Number.ENERGY),
}
"""Effects on a number, which are added up: their sign, their sentence, their number."""
GAINS: dict[type[Effect], str] = {
    GainStars: "gain.stars",
    GainEnergy: "gain.energy",
    Heal: "gain.health",
}
"""Gains that are said with what brought them, where one effect did."""
PLAIN = {(Heal, "because.heal"), (GainEnergy, "because.energy"), (SpendEnergy, "why.rule")}
"""Effects with a cause that need not be said: hearts heal, energy is energy."""


@dataclass(slots=True)
class _Sum:
    """One number of one Monster, changed by one doer in one way: the effects added up."""

    steps: list[Step] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    amount: int = 0

    def change(self, seat: int, what: Number) -> Change:
        """Return the number before the first and after the last of the effects."""
        first, last = self.steps[0], self.steps[-1]
        before = first.number(seat, what, after=False)
        return Change(Seat(seat), what, before, last.number(seat, what, after=True))


Key = tuple[str, Seat, Seat, int]
"""Of a sum: the sentence, whose number, whose deed, in which turn."""


def outcomes(
    happened: Sequence[Happening], earlier: Iterable[Happening] = ()
) -> tuple[Happened, ...]:
    """Return what came of the events of one command, oldest first; `earlier`: the events before
    them, the newest first, where an amount may have been changed already.
    """
    known = list(happened)
    return tuple(_Story(known, steps_of(known, earlier)).sentences())


class _Story:
    """The sentences of one command."""

    def __init__(self, events: Sequence[Happening], steps: Sequence[Step]) -> None:
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
            if n not in self.absorbed and (key := _key(step)) is not None:
                self._add(key, step)

    def sentences(self) -> Iterator[Happened]:
        """Yield the sentences in the order of what they are about."""
        spoken: set[Key] = set()
        spared = {id(one): tuple(engine.prevented(one)) for one in self.events}
        for n, step in enumerate(self.steps):
            if n not in self.absorbed:
                key = _key(step)
                if key is None:
                    yield from self._of_step(n, step)
                elif key not in spoken:
                    yield from self._of_sum(key, step, spoken)
            last = n + 1 == len(self.steps) or self.steps[n + 1].event is not step.event
            if last:
                yield from _spared(step, spared.pop(id(step.event), ()))
        for one in self.events:
            if id(one) in spared:
                turn = one.before.game.turn
                at = Step(one, 0, StartAgain(turn.active), _nowhere(turn.number, turn.active))
                yield from _spared(at, spared[id(one)])

    def _said_with(self, n: int) -> int | None:
        """Return the index of the step in whose sentence this one is said."""
        step = self.steps[n]
        effect, seat = step.effect, step.effect.seat
        if type(effect) is SpendEnergy:
            for later in range(n + 1, len(self.steps)):
                other = self.steps[later]
                if other.event is not step.event:
                    return None
                if isinstance(other.effect, BuyCard | SweepShop) and other.effect.seat == seat:
                    return later
            return None
        if type(effect) not in GAINS:
            return None
        start = n - step.at
        after = step.origin.set_off_by
        if after is not None:
            parent = self.steps[start + after].effect
            brings = isinstance(parent, SmashBuilding | DestroyUnit | TakeGoal) or (
                isinstance(parent, MoveTo) and parent.how is How.ENTER
            )
            if brings and parent.seat == seat and not step.origin.by.card:
                return start + after
        for earlier in range(n - 1, -1, -1):
            bought = self.steps[earlier].effect
            if isinstance(bought, BuyCard) and (bought.seat, bought.name) == (
                seat,
                step.origin.by.card,
            ):
                return earlier
        return None

    def _add(self, key: Key, step: Step) -> None:
        """Add the step to its sum."""
        total = self.sums.setdefault(key, _Sum())
        amount = int(step.effect.amount)  # type: ignore[attr-defined]
        total.steps.append(step)
        total.amount += amount
        total.shares += shares(step.event.before.rules, step.effect, step.origin, amount)

    # -- sums ---------------------------------------------------------------------------------

    def _of_sum(self, key: Key, step: Step, spoken: set[Key]) -> Iterator[Happened]:
        """Yield the sentence of a number; seats that one Monster hit alike share it."""
        sentence, seat, by, turn = key
        total, kind = self.sums[key], type(step.effect)
        sign, _, what = SUMMED[kind]
        spoken.add(key)
        hit = sentence == "happened.hurt" and by != TABLE
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
        alike = [
            other
            for other, one in self.sums.items()
            if (other[0], other[2], other[3]) == (sentence, by, turn)
            and one.amount == total.amount
            and summed(one.shares) == summed(total.shares)
        ]
        spoken.update(alike)
        for some in _in_parts(alike, HIT_AT_ONCE[-1]):
            seats = tuple(other[1] for other in some)
            yield _happened(
                step,
                sign,
                _hit_words(by, seats, total.amount),
                why,
                tuple(self.sums[other].change(other[1], what) for other in some),
                seats,
            )

    def _is_plain(self, total: _Sum) -> bool:
        """Whether all that the effects come from need not be said."""
        return all(
            (type(s.effect), _label(s)) in PLAIN and not s.origin.treated for s in total.steps
        )

    # -- single effects -----------------------------------------------------------------------

    def _of_step(self, n: int, step: Step) -> Iterator[Happened]:
        """Yield the sentence of an effect that is no number; none where nobody would say it."""
        found = sentence_of(step, self.steps, self._brought(n))
        if found is not None:
            sign, words, why = found
            lost = (step.effect.seat,) if isinstance(step.effect, Eliminate) else ()
            yield _happened(step, sign, words, why, self._changes(n), lost)
        if isinstance(step.effect, Eliminate):
            yield from self._closed(step)

    def _changes(self, n: int) -> tuple[Change, ...]:
        """Return the numbers changed by what is said with this step."""
        found: list[Change] = []
        for part in self.parts.get(n, ()):
            step = self.steps[part]
            _, _, what = SUMMED[type(step.effect)]
            one = _Sum([step]).change(step.effect.seat, what)
            at = next((i for i, old in enumerate(found) if old.what is what), None)
            if at is None:
                found.append(one)
            else:
                found[at] = Change(one.seat, what, found[at].before, one.after)
        return tuple(found)

    def _brought(self, n: int) -> Brought:
        """Return what a step brought its Monster, and what was paid for it."""
        clauses, paid = [], 0
        for part in self.parts.get(n, ()):
            effect = self.steps[part].effect
            count = int(effect.amount)  # type: ignore[attr-defined]
            if type(effect) is SpendEnergy:
                paid += count
            else:
                clauses.append(Cause(words=Words(key=GAINS[type(effect)], args={"count": count})))
        return Brought(tuple(clauses), paid)

    def _closed(self, step: Step) -> Iterator[Happened]:
        """Yield the places that closed with this elimination, the last of its event."""
        later = self.steps[self.steps.index(step) + 1 :]
        if any(s.event is step.event and isinstance(s.effect, Eliminate) for s in later):
            return
        after = Position.of(step.event.outcome.game)
        for place in closed_places(step.event.before.game, after):
            args: Args = {"place": place, "count": len(after.alive())}
            yield _happened(step, "lock", Words(key="reminder.place_closed", args=args))


def closed_places(before: Game, after: Position) -> tuple[str, ...]:
    """Return the entries of the city that were in use before and are not any more."""
    then = Position.of(before)
    places = [place for place in after.rules.places.values() if place.entry]
    return tuple(p.name for p in places if then.is_usable(p) and not after.is_usable(p))


def _key(step: Step) -> Key | None:
    """Return the sum that the effect belongs to; None where it is no number."""
    effect = step.effect
    if type(effect) not in SUMMED:
        return None
    _, sentence, _ = SUMMED[type(effect)]
    by = effect.doer if isinstance(effect, Damage | Heal) else TABLE
    by = TABLE if by == effect.seat else by
    if isinstance(effect, Heal) and by != TABLE:
        sentence = "happened.healed_by"
    return sentence, effect.seat, by, step.origin.turn


def _label(step: Step) -> str:
    return cause_words(step.event.before.rules, step.effect, step.origin).key


def _happened(
    step: Step,
    sign: str,
    words: Words,
    why: tuple[Cause, ...] = (),
    changes: tuple[Change, ...] = (),
    hurt: tuple[Seat, ...] = (),
) -> Happened:
    return Happened(
        sign=sign,
        words=words,
        why=why,
        changes=tuple(one for one in changes if one.before != one.after),
        hurt=hurt,
        turn=step.origin.turn,
        active=step.origin.active,
    )


def _spared(step: Step, ones: Iterable[Prevented]) -> Iterator[Happened]:
    """Yield who was not hurt, and by which card."""
    rules = step.event.before.rules
    for one in ones:
        if one.by.card in rules.cards:
            card = Words(key="why.card", args={"card": one.by.card})
            words = Words(key="happened.spared", args={"seat": one.seat, "count": one.amount})
            yield _happened(step, "cards", words, (Cause(words=card),))


def _in_parts(keys: Sequence[Key], most: int) -> Iterator[Sequence[Key]]:
    for start in range(0, len(keys), most):
        yield keys[start : start + most]


def _hit_words(dealer: Seat, seats: Sequence[Seat], count: int) -> Words:
    if len(seats) == 1:
        return Words(key="happened.hit.1", args={"by": dealer, "seat": seats[0], "count": count})
    args: Args = {"by": dealer, "count": count}
    args |= {f"other_{n}": seat for n, seat in enumerate(seats, start=1)}
    return Words(key=f"happened.hit.{len(seats)}", args=args)


def _nowhere(turn: int, active: Seat) -> Origin:
    return Origin(turn, active, engine.Cause("", "", ""))
