"""The demo dice: where they lie, how a throw moves them, and what chance gives.

Lengths are in sides of a die, angles in radians. The tray is the plane z = 0 with its middle at 0;
x runs to the right of the picture and y to its far side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SIDES = np.array(
    [
        [[0, 0, 1], [1, 0, 0], [0, -1, 0]],
        [[0, 0, -1], [1, 0, 0], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, -1]],
        [[-1, 0, 0], [0, -1, 0], [0, 0, -1]],
        [[0, 1, 0], [-1, 0, 0], [0, 0, -1]],
        [[0, -1, 0], [1, 0, 0], [0, 0, -1]],
    ],
    np.float64,
)
"""(6, 3, 3) each side of a die: outward, then the ways in which its print runs right and down."""
ORDINARY = 6
"""The dice of a roll that are black; any more are the green extra dice."""
REACH = (5.9, 2.7)
"""How far from the middle of the tray, across and down, the middle of a die comes to rest."""
APART = 1.6
"""The least distance of two dice at rest, middle to middle; flush on the diagonal is 1.42."""
TRIES = 400
FLIGHT_S = 1.1
"""The longest time from a throw until its last die rests."""
_SLOWEST, _LATEST_S = 0.8, 0.25
_HEIGHT = 3.0


@dataclass(frozen=True, slots=True)
class Die:
    """A die at rest: `face` is the number of the side on top, which is that of the game's face."""

    game: str
    face: int
    is_extra: bool
    x: float
    y: float
    turn: float


@dataclass(frozen=True, slots=True)
class Flight:
    """How one die is thrown: from `start` (x, y), `delay_s` after the throw, about an axis (3,)."""

    start: Floats
    axis: Floats
    turns: float
    delay_s: float
    duration_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A die at one moment: `rotation` (3, 3) from the die to the tray, `middle` (3,)."""

    die: Die
    rotation: Floats
    middle: Floats

    def corners(self) -> Floats:
        """(6, 4, 3) the corners of each side, from its print's upper left round."""
        ring = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
        out, right, down = SIDES[:, None, 0], SIDES[:, None, 1], SIDES[:, None, 2]
        own = out / 2 + ring[None, :, :1] * right + ring[None, :, 1:] * down
        return np.asarray(own @ self.rotation.T + self.middle)


class Dice:
    """The dice in the tray, and those in flight."""

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)
        self.lying: tuple[Die, ...] = ()
        """All dice, as they lie once none is in flight."""
        self._flights: dict[Die, Flight] = {}

    def clear(self) -> None:
        """Take all dice out of the tray."""
        self.lying, self._flights = (), {}

    def throw(self, game: str, count: int, kept: frozenset[int] = frozenset()) -> None:
        """Take up all but the kept dice, by their places in `lying`, and throw as many of the game
        as are missing of `count`; dice of another game are not kept."""
        stay = tuple(self.lying[n] for n in sorted(kept) if self.lying[n].game == game)[:count]
        gone = tuple(die for die in self.lying if die not in stay)
        ordinary = min(count, ORDINARY) - sum(not die.is_extra for die in stay)
        thrown: list[Die] = []
        for number in range(count - len(stay)):
            is_extra = number >= ordinary
            die = Die(game, int(self._rng.integers(6)), is_extra, 0.0, 0.0, 0.0)
            thrown.append(self._placed(die, (*stay, *thrown), gone))
        self.lying = (*stay, *thrown)
        self._flights = {die: self._flight(die) for die in thrown}

    def poses(self, age_s: float) -> list[Pose]:
        """All dice that are in the picture, `age_s` after the last throw."""
        found = []
        for die in self.lying:
            flight = self._flights.get(die)
            age = 1.0 if flight is None else (age_s - flight.delay_s) / flight.duration_s
            if flight is None or age >= 1:
                found.append(at_rest(die))
            elif age > 0:
                found.append(_in_flight(die, flight, age))
        return found

    def _placed(self, die: Die, lying: tuple[Die, ...], gone: tuple[Die, ...]) -> Die:
        """The die at a new place: where another one was, it could pass for that one."""
        for tried in range(TRIES):
            x, y = self._rng.uniform(-1, 1, 2) * REACH
            others = lying if tried > TRIES / 2 else (*lying, *gone)
            if all(np.hypot(x - other.x, y - other.y) >= APART for other in others):
                break
        return replace(die, x=float(x), y=float(y), turn=float(self._rng.uniform(0, 2 * np.pi)))

    def _flight(self, die: Die) -> Flight:
        rng = self._rng
        start = np.array([rng.uniform(-3, 3), -REACH[1] - rng.uniform(1.5, 3)])
        way = np.array([die.x, die.y]) - start
        # It rolls over the axis across its way, not quite truly.
        axis = np.array([-way[1], way[0], 0.0]) / np.hypot(*way) + rng.normal(0, 0.25, 3)
        delay_s = float(rng.uniform(0, _LATEST_S))
        duration_s = float(rng.uniform(_SLOWEST, 1.0)) * (FLIGHT_S - delay_s)
        return Flight(
            start, axis / np.linalg.norm(axis), float(rng.uniform(5, 9)), delay_s, duration_s
        )


def at_rest(die: Die) -> Pose:
    """The die where it lies."""
    out, right, down = SIDES[die.face]
    cos, sin = np.cos(die.turn), np.sin(die.turn)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    return Pose(die, turn @ np.stack([right, -down, out]), np.array([die.x, die.y, 0.5]))


def _in_flight(die: Die, flight: Flight, age: float) -> Pose:
    """The die on its way, `age` 0 to 1 of its flight: ever slower, and in ever lower leaps."""
    left = 1 - age
    rest = at_rest(die)
    rotation = _turned(flight.axis, flight.turns * left**1.6) @ rest.rotation
    flat = rest.middle[:2] + (flight.start - rest.middle[:2]) * left**2.2
    tipped = replace(rest, rotation=rotation, middle=np.array([*flat, 0.0]))
    height = abs(np.sin(age * np.pi * 2.5)) * _HEIGHT * left**1.5 - tipped.corners()[..., 2].min()
    return replace(tipped, middle=np.array([*flat, height]))


def _turned(axis: Floats, angle: float) -> Floats:
    """(3, 3) the rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)
