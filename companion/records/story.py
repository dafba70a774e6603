"""The story of one game but for its chances: each seat's best turn, who fell when, how close it
was, how the dice fell. A fold over the rows of its log that count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb
from typing import Final

import msgspec
from msgspec.structs import replace

from companion.engine import (
    BeginTurn,
    Damage,
    DiceRolled,
    Face,
    GainStars,
    Game,
    Position,
    Roll,
    Seat,
    rules_of,
)
from companion.records.tallies import GameTally
from companion.table import Entry

FEWEST_OF_GAME: Final = 30
"""The fewest dice about which it is said how they fell."""
SURE: Final = 0.95
"""Fair dice stay between `low` and `high` with every face in this share of games."""
CLOSE: Final = 3
"""So much health, or less, is a close call."""


class Deed(msgspec.Struct, frozen=True):
    """What a seat did in one turn of its own; `faces`: its last roll."""

    seat: Seat
    turn: int
    stars: int = 0
    dealt: int = 0
    faces: tuple[Face, ...] = ()


class Fall(msgspec.Struct, frozen=True):
    """A seat that was eliminated, in this turn, by this row."""

    seat: Seat
    turn: int
    row: int


class CloseCall(msgspec.Struct, frozen=True):
    """How little health a seat had that lived on."""

    seat: Seat
    turn: int
    health: int


class Luck(msgspec.Struct, frozen=True):
    """The dice that one seat, or the whole table (None), threw and had to enter whatever they
    showed. `low` and `high`: between these counts fair dice stay with every face, 95 times of 100;
    both 0 below FEWEST_OF_GAME. `odd`: the face furthest outside.
    """

    seat: Seat | None
    dice: int
    faces: dict[Face, int]
    low: int = 0
    high: int = 0
    odd: Face | None = None


class Story(msgspec.Struct, frozen=True):
    """All of it. `turns`: oldest first; `best`: by seat, of those that did something; `luck`: by
    seat, that of the table last.
    """

    turns: tuple[Deed, ...]
    best: tuple[Deed, ...]
    falls: tuple[Fall, ...]
    closest: CloseCall | None
    luck: tuple[Luck, ...]


def turn_positions(entries: Sequence[Entry]) -> Iterator[tuple[int, Position]]:
    """Yield the rows after which a turn begins or the game ends, with the positions there."""
    active = entries[-1].after.active if entries else ()
    last: tuple[int, bool] | None = None
    for entry in (entries[seq - 1] for seq in active):
        game = entry.after.game
        if game is None:
            continue
        now = (game.turn.number, game.ended is not None)
        position = entry.after.position
        if now != last and position is not None:
            yield entry.seq, position
        last = now


def story_of(tally: GameTally, entries: Sequence[Entry]) -> Story:
    """Return the story of the game that was tallied from these rows."""
    seats, game = len(tally.result.players), entries[-1].after.game
    assert game is not None  # it was tallied
    rows = [
        row
        for row in (entries[seq - 1] for seq in entries[-1].after.active)
        if row.before.game is not None
        and row.after.game is not None
        and len(row.before.game.monsters) == len(row.after.game.monsters) == seats
    ]
    turns = tuple(_deeds(rows))
    return Story(
        turns=turns,
        best=tuple(_best(turns, seats)),
        falls=tuple(_falls(rows)),
        closest=_closest(rows),
        luck=tuple(_lucks(tally, rules_of(game).faces)),
    )


def _deeds(rows: Sequence[Entry]) -> Iterator[Deed]:
    """Yield what the active seat did in each turn, oldest first."""
    now: Deed | None = None
    for row in rows:
        before, after = _games(row)
        if now is None:
            now = Deed(before.turn.active, before.turn.number)
        if isinstance(row.event, DiceRolled) and row.event.final and _is_main(row):
            now = replace(now, faces=row.event.faces)
        for effect in row.performed:
            match effect:
                case BeginTurn(seat=seat):
                    if now.turn:
                        yield now
                    now = Deed(seat, after.turn.number)
                case GainStars(seat=seat, amount=amount) if seat == now.seat:
                    now = replace(now, stars=now.stars + amount)
                case Damage(seat=seat, dealer=dealer, amount=amount) if seat != dealer == now.seat:
                    now = replace(now, dealt=now.dealt + amount)
    if now is not None and now.turn:
        yield now


def _is_main(row: Entry) -> bool:
    asked = row.before.question
    return isinstance(asked, Roll) and asked.main


def _best(turns: Sequence[Deed], seats: int) -> Iterator[Deed]:
    """Yield each seat's turn with the most stars and damage, the first of several."""
    for seat in range(seats):
        own = [one for one in turns if one.seat == seat and one.stars + one.dealt]
        if own:
            yield max(own, key=lambda one: one.stars + one.dealt)


def _falls(rows: Sequence[Entry]) -> Iterator[Fall]:
    for row in rows:
        before, after = _games(row)
        for seat, (one, then) in enumerate(zip(before.monsters, after.monsters, strict=True)):
            if one.alive and not then.alive:
                yield Fall(Seat(seat), then.died_turn or before.turn.number, row.seq)


def _closest(rows: Sequence[Entry]) -> CloseCall | None:
    """Return the least health of somebody who lived on, a winner's before another's."""
    if not rows:
        return None
    _, last = _games(rows[-1])
    winners = last.ended.winners if last.ended is not None else ()
    found: list[tuple[int, bool, int, CloseCall]] = []
    for row in rows:
        _, after = _games(row)
        for seat, monster in enumerate(after.monsters):
            died = last.monsters[seat].died_turn
            lived = seat in winners or died is None or died > after.turn.number
            if monster.alive and lived and after.turn.number and 0 < monster.health <= CLOSE:
                call = CloseCall(Seat(seat), after.turn.number, monster.health)
                found.append((monster.health, seat not in winners, -call.turn, call))
    return min(found, key=lambda one: one[:3])[3] if found else None


def _games(row: Entry) -> tuple[Game, Game]:
    before, after = row.before.game, row.after.game
    assert before is not None  # rows of the game alone
    assert after is not None
    return before, after


# -- dice -----------------------------------------------------------------------------------------


def _lucks(tally: GameTally, faces: Sequence[Face]) -> Iterator[Luck]:
    table: Counter[Face] = Counter()
    for one in tally.seats:
        table.update(one.thrown)
        yield luck_of(Seat(one.seat), {face: one.thrown.get(face, 0) for face in faces})
    yield luck_of(None, {face: table[face] for face in faces})


def luck_of(seat: Seat | None, faces: dict[Face, int]) -> Luck:
    """Return how these dice fell, beside what fair dice do."""
    dice = sum(faces.values())
    if dice < FEWEST_OF_GAME:
        return Luck(seat, dice, faces)
    low, high = fair_range(dice, len(faces))
    outside = {face: max(low - count, count - high) for face, count in faces.items()}
    odd = max(outside, key=outside.__getitem__)
    return Luck(seat, dice, faces, low, high, odd if outside[odd] > 0 else None)


def fair_range(dice: int, faces: int) -> tuple[int, int]:
    """Return the counts between which so many fair dice stay with every face in SURE of all cases
    at least (binomial tails, shared among the faces: Bonferroni).
    """
    tail = (1 - SURE) / (2 * faces)
    chances = [comb(dice, k) * (faces - 1) ** (dice - k) / faces**dice for k in range(dice + 1)]
    low, below = 0, chances[0]
    while below <= tail:
        low += 1
        below += chances[low]
    high, above = dice, chances[dice]
    while above <= tail:
        high -= 1
        above += chances[high]
    return low, high
