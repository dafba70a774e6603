"""Chances of dice, exact, and which dice to keep."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb
from typing import Final

from companion.engine.base_position import BasePosition
from companion.engine.events import IllegalEvent
from companion.engine.ruleset import OddsColumn
from companion.engine.shared.turn import throwable
from companion.engine.values import Face, Value

# -- exact chances of the dice on the table, over the rolls that are left --------------------------


class FaceOdds(Value, frozen=True):
    """Chances of one face once the rolling ends.

    `at_least[k - 1]`: that at least k dice show it, when every throw aims at it: dice that show it
    stay, the others that are not kept are thrown as often as possible. `none`: that no die shows
    it, when every throw avoids it.
    """

    face: Face
    at_least: tuple[float, ...]
    none: float


class SetOdds(Value, frozen=True):
    """The chance that each of these faces is shown at least once, when every throw aims at that."""

    faces: tuple[Face, ...]
    chance: float


class Odds(Value, frozen=True):
    """What can still come of the dice: `free` (indices) may be thrown, `rolls` times."""

    free: tuple[int, ...]
    rolls: int
    faces: tuple[FaceOdds, ...]
    sets: tuple[SetOdds, ...]
    """Of the sets that the game's cards pay for (`Ruleset.sets`)."""


def odds(position: BasePosition, keep: tuple[int, ...] = (), rolls: int | None = None) -> Odds:
    """Return the chances of each face and set of the game for the dice of the turn, where those in
    `keep` (indices) are not thrown again.

    `rolls` is how many throws are still to come; without it, what the rules leave. Before the first
    throw there are no faces yet and all dice are free. For faces, dice that may not be thrown again
    and those that cost no roll are counted in; for sets, they are counted with their faces now.
    Prices of throws and throws that must be made are left out. Raises IllegalEvent where a kept die
    does not exist.
    """
    turn = position.game.turn
    if any(not 0 <= die < len(turn.faces) for die in keep):
        raise IllegalEvent("no_such_die", count=len(turn.faces))
    left = turn.rolls_left if rolls is None else rolls
    free = tuple(die for die in throwable(position, turn.active) if die not in keep)
    return Odds(
        free,
        left,
        tuple(_of_face(position, face, free, left) for face in position.rules.faces),
        tuple(
            SetOdds(wanted, _of_set(position, wanted, free, left)) for wanted in position.rules.sets
        ),
    )


# -- one face ---------------------------------------------------------------------------------


def _of_face(position: BasePosition, face: Face, free: tuple[int, ...], rolls: int) -> FaceOdds:
    """Return the chances of one face, of at least 1, 2, … dice with it and of none."""
    current, seat = position.game.turn.faces, position.game.turn.active
    faces = position.rules.faces
    stuck = sum(not position.may_rethrow(seat, f) for f in faces if f is not face)
    loose = frozenset(
        f for f in faces if not position.roll_cost(seat, f) and position.may_rethrow(seat, f)
    )
    fixed = sum(f is face for die, f in enumerate(current) if die not in free)
    shown = sum(current[die] is face for die in free) if current else 0
    settling = sum(current[die] in loose - {face} for die in free) if current else 0
    moving = len(free) - shown - settling
    hit, settled = _hits(len(faces), stuck, len(loose - {face}), rolls)
    chances = _sum(_several(moving, hit), _several(settling, settled))
    at_least = tuple(
        float(sum(chances[max(0, k - fixed - shown) :], Fraction(0)))
        for k in range(1, position.game.turn.dice + 1)
    )
    away = _away(position, face, face in loose, rolls) ** (shown if current else len(free))
    return FaceOdds(face, at_least, 0.0 if fixed else float(away))


def chances_of(position: BasePosition, face: Face, dice: int, rolls: int) -> tuple[Fraction, ...]:
    """Return the chances that exactly 0, 1, … of so many dice that are thrown now end with a face,
    if every throw aims at it; `rolls`: this throw and those after it.
    """
    seat, faces = position.game.turn.active, position.rules.faces
    others = [f for f in faces if f is not face]
    stuck = sum(not position.may_rethrow(seat, f) for f in others)
    loose = sum(position.may_rethrow(seat, f) and not position.roll_cost(seat, f) for f in others)
    return _several(dice, _hits(len(faces), stuck, loose, max(1, rolls))[0])


def _hits(faces: int, stuck: int, loose: int, rolls: int) -> tuple[Fraction, Fraction]:
    """Return the chance that a die thrown until it shows the face shows it in the end.

    Of the other faces `stuck` may not be thrown again, and `loose` are thrown until they are gone.
    """
    some = faces - loose
    hit = Fraction(0)
    for _ in range(rolls):
        hit = (1 + (some - 1 - stuck) * hit) / some
    return hit, (1 + (some - 1 - stuck) * hit) / some


def _several(dice: int, chance: Fraction) -> tuple[Fraction, ...]:
    """Return the chances of exactly 0, 1, … successes of so many dice."""
    return tuple(comb(dice, k) * chance**k * (1 - chance) ** (dice - k) for k in range(dice + 1))


def _sum(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> list[Fraction]:
    """Return the distribution of the sum of two."""
    chances = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            chances[i + j] += a * b
    return chances


def _away(position: BasePosition, face: Face, loose: bool, rolls: int) -> Fraction:
    """Return the chance that a die ends without a face, thrown as long as it shows it; a `loose`
    one is thrown without using up a roll.
    """
    once, turn = Fraction(1, len(position.rules.faces)), position.game.turn
    if not turn.faces and not rolls:
        return Fraction(0)
    if loose:
        return Fraction(1)
    sticks = not turn.faces and not position.may_rethrow(turn.active, face)
    return 1 - (once if sticks else once**rolls)


# -- several faces ----------------------------------------------------------------------------


def _of_set(
    position: BasePosition, wanted: tuple[Face, ...], free: tuple[int, ...], rolls: int
) -> float:
    """Return the chance of a set when one die of each wanted face is kept and all others are
    thrown.
    """
    current = position.game.turn.faces
    there = {face for die, face in enumerate(current) if die not in free} & set(wanted)
    kept = {current[die] for die in free if current} & set(wanted) - there
    missing = len(wanted) - len(there) - len(kept)
    return float(_completed(len(position.rules.faces), len(free) - len(kept), missing, rolls))


@lru_cache(maxsize=512)
def _completed(faces: int, dice: int, missing: int, rolls: int) -> Fraction:
    """Return the chance that all of so many missing faces come."""
    if not missing:
        return Fraction(1)
    if not rolls or dice < missing:
        return Fraction(0)
    return sum(
        (
            _new(faces, dice, missing, came)
            * _completed(faces, dice - came, missing - came, rolls - 1)
            for came in range(missing + 1)
        ),
        Fraction(0),
    )


def _new(faces: int, dice: int, missing: int, came: int) -> Fraction:
    """Return the chance that a throw shows exactly `came` different missing faces."""
    ways = sum(
        (-1) ** j * comb(came, j) * (faces - missing + came - j) ** dice for j in range(came + 1)
    )
    return Fraction(comb(missing, came) * ways, faces**dice)


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
    """Yield each way to keep some of the free dice and throw at least one; those of a face are
    alike."""
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
