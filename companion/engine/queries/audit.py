"""The audit: where the table's own score differs from the rules, and what mends it.

The rules compute what every roll in the log does. The table is right about its numbers, so a
correction shows by how much they differ from the rules. The events are replayed by the rules, and
for each number of each Monster

- a *stretch* goes from one turn in which the table set the number to the next, at most a round
  back (to the same seat's last turn); what was set within one turn counts as one setting, so a
  corrected typing mistake is no difference;
- a setting that undoes changes the rules made in its stretch, one or up to three of them exactly,
  or a part of one of this turn or the last, is a *difference* for each of them: the table did not
  carry them out;
- a setting that brings back what an earlier one took is putting right, and ends that difference;
- any other setting is *uncaused*: a card carried out by hand, a forgotten cube, a house rule. The
  table is right, and nothing is to be mended.

A Monster put into the city by hand has entered it, and what the rules give for that is due. One put
back to where the rules had just taken it from did not move: that too is a difference.

Rows that were undone are not in the events: what was undone was not played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import TypeVar

from msgspec.structs import replace

from companion.engine.base_position import BasePosition
from companion.engine.effects.turn import BeginTurn, MoveTo
from companion.engine.events import AnyEvent, Corrected, Correction, IllegalEvent, Moved
from companion.engine.loop import run
from companion.engine.play import apply
from companion.engine.queries.explain import (
    CORRECTION,
    Happening,
    Reason,
    cause_of,
    happenings,
    reasons,
)
from companion.engine.values import How, Number, Seat, Value

T = TypeVar("T")

MOST_AT_ONCE = 3
"""How many changes one setting may have undone."""
MOST_LOOKED_AT = 24
"""How many changes of a stretch are tried, the newest first."""


class DifferenceKind(StrEnum):
    """How a number set by hand differs from the rules."""

    FORGOTTEN = "forgotten"
    """The table did not carry out what the rules say."""
    PARTLY = "partly"
    """It carried out a part of it."""
    UNCAUSED = "uncaused"
    """No rule explains it, and none speaks against it."""


class Difference(Value, frozen=True):
    """One difference between the table and the rules.

    `turn`: when the rules changed it, or the table set it (uncaused); `event`: by which event the
    table set it, counted from 1; `what`: the number, or None for the place; `amount`: the table's
    number less the rules'; `place`: where the rules (uncaused: the table) put the Monster;
    `reason`: what the rules did, None when uncaused; `mend`: the event that gives the rules their
    due now, None if there is nothing (more) to mend.
    """

    kind: DifferenceKind
    turn: int
    event: int
    seat: Seat
    what: Number | None = None
    amount: int = 0
    place: str | None = None
    reason: Reason | None = None
    mend: Corrected | None = None


class Audit(Value, frozen=True):
    """The result of an audit. `turns`: how many there are; `mend`: all differences at once.

    A `mend` sets numbers, so it is good for the position the log ends in; after one, ask again.
    """

    turns: int
    differences: tuple[Difference, ...]
    uncaused: tuple[Difference, ...]
    mend: Corrected | None = None


def audit(start: BasePosition, events: Iterable[AnyEvent]) -> Audit:
    """Return where the table's own score differs from the rules, oldest first. `start` is the
    position at which the events begin.

    Raises IllegalEvent for an event that the rules do not allow; its `event` says which.
    """
    seats = tuple(monster.seat for monster in start.game.monsters)
    ledgers = [_Ledger(seat, what, len(seats)) for seat in seats for what in start.rules.numbers]
    places = [_Places(seat, len(seats)) for seat in seats]
    position = start
    for happened in happenings(start, events):
        position = happened.outcome.position
        due = [owed for place in places for owed in place.take(happened)]
        for ledger in ledgers:
            ledger.take(happened, due)
    withdrawn = [reason for place in places for reason in place.withdrawn]
    found = [each for place in places for each in place.open]
    for ledger in ledgers:
        ledger.settle()
        found += (each for each in ledger.open if each.reason not in withdrawn)
    found.sort(key=lambda each: (each.turn, each.event, each.seat))
    owing = [each for each in found if each.reason is not None]
    return Audit(
        turns=position.game.turn.number,
        differences=tuple(replace(each, mend=_mend(position, [each])) for each in owing),
        uncaused=tuple(each for each in found if each.reason is None),
        mend=_mend(position, owing)
        or _mend(position, [each for each in owing if _mend(position, [each])]),
    )


# -- numbers ----------------------------------------------------------------------------------

Due = tuple[Seat, Number, Reason]
"""What the rules owe a seat for something done by hand."""


@dataclass(slots=True)
class _Ledger:
    """One number of one Monster: what the rules changed since the table last set it."""

    seat: Seat
    what: Number
    round: int
    turn: int = 0
    changes: list[Reason] = field(default_factory=list)
    by_hand: int = 0
    """What the table set within this turn, added up."""
    event: int = 0
    open: list[Difference] = field(default_factory=list)

    def take(self, happened: Happening, due: Iterable[Due]) -> None:
        """Take in the changes of an event, and settle a turn that it ends."""
        before, after = happened.before.game.monsters, happened.outcome.game.monsters
        untouched = before[self.seat] is after[self.seat]
        for reason in () if untouched else reasons(happened, self.seat, self.what):
            self._reach(reason.turn)
            if reason.effect == CORRECTION:
                self.by_hand, self.event = self.by_hand + reason.delta, reason.event
            else:
                self.changes.append(reason)
        for seat, what, reason in due:
            if (seat, what) == (self.seat, self.what):
                self._reach(reason.turn)
                self.changes.append(reason)
                self.by_hand, self.event = self.by_hand - reason.delta, reason.event

    def _reach(self, turn: int) -> None:
        if turn != self.turn:
            self.settle()
            self.turn = turn
            self.changes = [each for each in self.changes if each.turn >= turn - self.round]

    def settle(self) -> None:
        """Explain what the table set this turn."""
        if self.by_hand:
            self._explain(self.by_hand)
            self.changes = [each for each in self.changes if each.turn == self.turn]
        self.by_hand = 0

    def _explain(self, amount: int) -> None:
        """Explain an amount set by hand: by open differences, by changes it takes back, else by
        what is left.
        """
        differences = [each for each in self.open if each.reason is not None]
        righted = _fewest_with_sum(differences, lambda each: each.amount, -amount)
        if not righted and sum(each.amount for each in differences) == -amount:
            righted = differences
        if righted:
            self.open = [each for each in self.open if each not in righted]
            return
        near = [each for each in self.changes if each.turn >= self.turn - 1]
        undone = _undone(near, amount) or _undone(self.changes, amount)
        for reason in undone:
            self.changes.remove(reason)
            self._note(DifferenceKind.FORGOTTEN, -reason.delta, reason)
        if not undone:
            self._explain_rest(amount, near)

    def _explain_rest(self, amount: int, near: list[Reason]) -> None:
        """Explain the rest: a setting taken back, a part of a change, or no cause."""
        uncaused = next((e for e in self.open if not e.reason and e.amount == -amount), None)
        if uncaused is not None:
            self.open.remove(uncaused)
            return
        for each in [e for e in reversed(self.open) if e.reason and e.amount * amount < 0]:
            step = min(abs(amount), abs(each.amount)) * (1 if amount > 0 else -1)
            amount -= step
            self.open.remove(each)
            if each.amount + step:
                rest = replace(each, kind=DifferenceKind.PARTLY, amount=each.amount + step)
                self.open.append(rest)
        if not amount:
            return
        larger = (e for e in reversed(near) if e.delta * amount < 0 and abs(e.delta) > abs(amount))
        partly = next(larger, None)
        if partly is not None:
            self.changes.remove(partly)
            self._note(DifferenceKind.PARTLY, amount, partly)
        else:
            self._note(DifferenceKind.UNCAUSED, amount, None)

    def _note(self, kind: DifferenceKind, amount: int, reason: Reason | None) -> None:
        turn = self.turn if reason is None else reason.turn
        self.open.append(
            Difference(kind, turn, self.event, self.seat, self.what, amount, reason=reason)
        )


def _undone(changes: Sequence[Reason], amount: int) -> list[Reason]:
    """Return the fewest changes, newest first, that the amount takes back exactly."""
    return _fewest_with_sum(changes, lambda each: each.delta, -amount)


def _fewest_with_sum(things: Sequence[T], worth: Callable[[T], int], total: int) -> list[T]:
    """Return the fewest things of the total's sign that add up to it, newest first, if any do."""
    ways = [each for each in reversed(things) if worth(each) * total > 0][:MOST_LOOKED_AT]
    for size in range(1, MOST_AT_ONCE + 1):
        for several in combinations(ways, size):
            if sum(worth(each) for each in several) == total:
                return list(several)
    return []


# -- places -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Places:
    """Where one Monster was put by the rules and by hand.

    `origin`: where the rules had it, while it stands where a hand put it; `due`: what that hand's
    move is owed.
    """

    seat: Seat
    round: int
    last: tuple[MoveTo, Reason] | None = None
    origin: str | None = None
    by_hand: bool = False
    due: list[Reason] = field(default_factory=list)
    open: list[Difference] = field(default_factory=list)
    withdrawn: list[Reason] = field(default_factory=list)

    def take(self, happened: Happening) -> list[Due]:
        """Apply the moves of an event; yield what the rules owe for a move by hand."""
        before, outcome = happened.before.game, happened.outcome
        first = (*outcome.before, outcome.game.monsters)[0]
        due: list[Due] = []
        if first[self.seat].place != before.monsters[self.seat].place:
            due = self._put(happened, before.monsters[self.seat].place, first[self.seat].place)
        turn = before.turn.number
        for effect in outcome.performed:
            turn += isinstance(effect, BeginTurn)
            if isinstance(effect, MoveTo) and effect.seat == self.seat:
                cause = cause_of(happened.before.rules, effect)
                name = type(effect).__name__
                self._moved(effect, Reason(happened.event, turn, name, cause, 0, 0))
        return due

    def _moved(self, move: MoveTo, reason: Reason) -> None:
        """Note a move of the rules, after which one by hand no longer counts."""
        self.last = move, reason
        if self.by_hand:
            self.open[-1] = replace(self.open[-1], mend=None)
        self.by_hand, self.due = False, []

    def _put(self, happened: Happening, former: str | None, place: str | None) -> list[Due]:
        """Note a move by hand."""
        if self.by_hand:  # moved on by hand: only from where the rules had it counts
            former = self.origin
            self.open.pop()
            self.withdrawn += self.due
        self.by_hand, self.origin, self.due = place != former, former, []
        if not self.by_hand or place is None:
            return []
        turn, event = happened.before.game.turn.number, happened.event
        if self.last is not None and self._took_back(former, place, turn):
            reason = self.last[1]
            back = Corrected(places=(Moved(self.seat, former),)) if former else None
            self.open.append(
                Difference(
                    DifferenceKind.FORGOTTEN,
                    reason.turn,
                    event,
                    self.seat,
                    place=former,
                    reason=reason,
                    mend=back,
                )
            )
            return []
        self.open.append(Difference(DifferenceKind.UNCAUSED, turn, event, self.seat, place=place))
        due = list(_entered(happened, self.seat, former, place))
        self.due = [reason for _, _, reason in due]
        return due

    def _took_back(self, former: str | None, place: str, turn: int) -> bool:
        """Whether a move by hand returns a Monster to where the rules had just taken it from."""
        assert self.last is not None
        move, reason = self.last
        return (move.former, move.place) == (place, former) and reason.turn >= turn - self.round


def _entered(happened: Happening, seat: Seat, former: str | None, place: str) -> Iterator[Due]:
    """Return what entering the city brings, if a move by hand was that (NY-13.2, TK-9.1)."""
    before, rules = happened.before, happened.before.rules
    if not rules.places[place].inside or (former and rules.places[former].inside):
        return
    bare = before.moved_on(replace(before.game, agenda=(MoveTo(seat, place, How.ENTER),)))
    entered = Happening(happened.event, before, run(bare))
    for monster in before.game.monsters:
        for what in rules.numbers:
            yield from ((monster.seat, what, r) for r in reasons(entered, monster.seat, what))


# -- mending ----------------------------------------------------------------------------------


def _mend(position: BasePosition, differences: Sequence[Difference]) -> Corrected | None:
    """Return the correction that gives the rules their due; None if it changes nothing or fails."""
    owed: Counter[tuple[Seat, Number]] = Counter()
    for each in differences:
        if each.what is not None:
            owed[each.seat, each.what] -= each.amount
    numbers = []
    for (seat, what), amount in owed.items():
        monster = position.game.monsters[seat]
        value = max(0, min(position.number_max(seat, what), monster.number(what) + amount))
        if value != monster.number(what):
            numbers.append(Correction(seat, what, value))
    places = [moved for each in differences if each.mend for moved in each.mend.places]
    mend = Corrected(tuple(numbers), tuple(places))
    if not (numbers or places):
        return None
    try:
        apply(position, mend)
    except IllegalEvent:
        return None
    return mend
