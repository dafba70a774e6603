"""Chances of dice, exact, and which dice to keep."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb
from typing import Final

from companion.engine.base_position import BasePosition
from companion.engine.ruleset import OddsColumn
from companion.engine.shared.turn import throwable
from companion.engine.values import Face, Value

MOST_KEEPS: Final = 3


class Column(Value, frozen=True):
    """A column of the position: the chance of `count` dice of a face, or with 0 their mean."""

    face: Face
    count: int = 0


class Keep(Value, frozen=True):
    """Dice that stay (indices), and a value for each column."""

    dice: tuple[int, ...]
    values: tuple[float, ...]


class Keeps(Value, frozen=True):
    """The best ways to keep dice. `rolls`: how many throws are left; none: no keeps."""

    rolls: int
    columns: tuple[Column, ...]
    keeps: tuple[Keep, ...]


def chances_of(position: BasePosition, face: Face, dice: int, rolls: int) -> tuple[Fraction, ...]:
    """Return the chances that exactly 0, 1, … of so many dice that are thrown now end with a face,
    if every throw aims at it; `rolls`: this throw and those after it.
    """
    seat, faces = position.game.turn.active, position.rules.faces
    others = [f for f in faces if f is not face]
    stuck = sum(not position.may_rethrow(seat, f) for f in others)
    loose = sum(position.may_rethrow(seat, f) and not position.roll_cost(seat, f) for f in others)
    return _several(dice, _hit(len(faces), stuck, loose, max(1, rolls)))


def _hit(faces: int, stuck: int, loose: int, rolls: int) -> Fraction:
    """Return the chance that a die thrown until it shows the face shows it in the end.

    Of the other faces `stuck` may not be thrown again, and `loose` are thrown until they are gone.
    """
    some = faces - loose
    hit = Fraction(0)
    for _ in range(rolls):
        hit = (1 + (some - 1 - stuck) * hit) / some
    return hit


def _several(dice: int, chance: Fraction) -> tuple[Fraction, ...]:
    """Return the chances of exactly 0, 1, … successes of so many dice."""
    return tuple(comb(dice, k) * chance**k * (1 - chance) ** (dice - k) for k in range(dice + 1))


def keeps(position: BasePosition) -> Keeps:
    """Return for each column of the game the way to keep dice that is best for it, among equals
    the one that is best for the others.

    Kept dice stay to the end; the others are thrown now, and later throws aim at the column.
    Dice are fair. Cards count as far as they change how often which dice may be thrown.
    """
    turn, named = position.game.turn, position.rules.odds
    columns = tuple(_column(one, turn.faces) for one in named)
    free = throwable(position, turn.active) if turn.faces else ()
    if not free or not columns:
        return Keeps(turn.rolls_left, columns, ())
    ways = [
        Keep(dice, tuple(_value(position, column, dice, free) for column in columns))
        for dice in _ways(turn.faces, free)
    ]
    found: dict[Keep, None] = {}
    for number in range(len(columns)):
        first = (number, *(other for other in range(len(columns)) if other != number))
        best = max(ways, key=lambda one: [one.values[at] for at in first])
        found[best] = None
    return Keeps(turn.rolls_left, columns, tuple(found)[:MOST_KEEPS])


def _column(named: OddsColumn, faces: tuple[Face, ...]) -> Column:
    """Return the column for these dice: of several faces the one shown most, the last of equals."""
    shown = [(faces.count(face), at, face) for at, face in enumerate(named.faces)]
    return Column(max(shown)[2], named.count)


def _ways(faces: tuple[Face, ...], free: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield each way to keep free dice and throw at least one; those of a face are alike."""
    alike = [[die for die in free if faces[die] is face] for face in dict.fromkeys(faces)]
    for counts in product(*(range(len(dice) + 1) for dice in alike)):
        kept = sorted(die for dice, n in zip(alike, counts, strict=True) for die in dice[:n])
        if len(kept) < len(free):
            yield tuple(kept)


def _value(
    position: BasePosition, column: Column, kept: tuple[int, ...], free: tuple[int, ...]
) -> float:
    turn = position.game.turn
    thrown = len(free) - len(kept)
    stay = [die for die in range(len(turn.faces)) if die not in free or die in kept]
    there = sum(turn.faces[die] is column.face for die in stay)
    chances = chances_of(position, column.face, thrown, turn.rolls_left)
    if not column.count:
        return there + float(sum(n * chance for n, chance in enumerate(chances)))
    return float(sum(chances[max(0, column.count - there) :]))
