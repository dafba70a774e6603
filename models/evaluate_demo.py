"""Evaluate the reader on throws of demo dice, one JSON line a game.

`python -m models.evaluate_demo [THROWS [SEED]]` throws demo dice of each game so often, by default
200 times, in front of the live reader, on a clock of its own: the same seed gives the same throws.
Two thirds are thrown after some dice of the last reading were kept, as a phone does it. This
measures the demo, not the reader: it was trained on these drawings.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
import numpy as np

from companion.demo.camera import DemoCamera
from companion.demo.source import pictures
from companion.engine import RULESETS
from companion.vision.box import DiceRules, rules_of
from companion.vision.pictures import cv2
from companion.vision.read.reader import Expected, Reader
from companion.vision.readings import DiceReading, DieReading
from companion.vision.sources.kinds import Throw
from companion.vision.watch.watcher import Watcher

COUNTS: Final = (6, 6, 6, 6, 7, 8)
"""How many dice are thrown: each as often as it is here."""
KEPT: Final = 0.45
"""The share of dice that are kept."""
PATIENCE_S: Final = 6.0
"""How long a reading is waited for after a throw."""
SAME_PX: Final = 40.0
"""The distance up to which a read die is the one that was thrown there."""
STILL_PX: Final = 8.0
"""The distance up to which a kept die has not moved."""


@dataclass(slots=True)
class DemoScore:
    """The result of a game: its throws and dice, counted."""

    game: str
    throws: int = 0
    unread: int = 0
    """Throws without a reading."""
    sure: int = 0
    silent: int = 0
    """Sure readings with a wrong face, or with another number of dice."""
    dice: int = 0
    right: int = 0
    wrong: int = 0
    kept: int = 0
    stayed: int = 0
    """Kept dice that the next reading shows in the same place with the same face."""
    latest_s: float = 0.0
    """The longest time from a throw to its reading."""
    faces: Counter[str] = field(default_factory=Counter)
    """How often each face was thrown."""


class _Clock:
    """A clock that goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def evaluate(game: str, throws: int, seed: int, reader: Reader) -> DemoScore:
    """Throw demo dice of the game, and count how they are read."""
    rules, clock, rng = rules_of(game), _Clock(), np.random.default_rng(seed)
    camera = DemoCamera(pictures(), seed, clock, clock.sleep)
    watcher = Watcher(reader, Expected(rules), at_once=False)
    score = DemoScore(game, throws)
    before: DiceReading | None = None
    for number in range(throws):
        lying: tuple[DieReading, ...] = before.dice if before is not None and number % 3 else ()
        kept = tuple(die for die in lying if rng.random() < KEPT)
        count = int(rng.choice(COUNTS))
        watcher.expect(count)
        watcher.read_now()
        camera.throw(Throw(game, count, tuple(die.box for die in kept)))
        thrown_at = clock.now
        score.dice += len(camera.dice.lying)
        score.faces.update(rules.faces[die.face] for die in camera.dice.lying)
        before = _reading(camera, watcher, clock)
        score.unread += before is None
        if before is not None:
            score.latest_s = max(score.latest_s, round(clock.now - thrown_at, 2))
            _count(score, camera, before, rules)
            _count_kept(score, kept, before)
    return score


def _reading(camera: DemoCamera, watcher: Watcher, clock: _Clock) -> DiceReading | None:
    """Watch until the throw is read; None if it is not."""
    until = clock.now + PATIENCE_S
    while clock.now < until:
        frame = camera.take(1.0)
        seen = watcher.see(frame) if frame is not None else None
        if seen is not None and seen.reading is not None:
            return seen.reading
    return None


def _count(score: DemoScore, camera: DemoCamera, reading: DiceReading, rules: DiceRules) -> None:
    """Count the dice of a reading against those that lie in the tray."""
    left, right = list(reading.dice), 0
    for die, spot in zip(camera.dice.lying, camera.spots(), strict=True):
        face = rules.faces[die.face]
        found = _nearest(spot, left)
        if found is None or _apart(spot, found) > SAME_PX:
            continue
        left.remove(found)
        right += found.face is face
        score.wrong += found.face is not None and found.face is not face
    score.right += right
    score.sure += reading.sure
    is_right = right == len(camera.dice.lying) and not left
    score.silent += reading.sure and not is_right


def _count_kept(score: DemoScore, kept: Sequence[DieReading], reading: DiceReading) -> None:
    """Count the kept dice that are read as before."""
    for die in kept:
        found = _nearest(die.centre, reading.dice)
        score.kept += 1
        score.stayed += (
            found is not None and found.face is die.face and _apart(die.centre, found) < STILL_PX
        )


def _nearest(spot: tuple[float, float], dice: Sequence[DieReading]) -> DieReading | None:
    return min(dice, key=lambda die: _apart(spot, die), default=None)


def _apart(spot: tuple[float, float], die: DieReading) -> float:
    """How far the middle of a die is from a spot, px."""
    return float(np.hypot(die.centre[0] - spot[0], die.centre[1] - spot[1]))


def main(words: list[str]) -> None:
    """Evaluate each game, and print the results."""
    cv2.setNumThreads(1)
    throws = int(words[0]) if words else 200
    seed = int(words[1]) if len(words) > 1 else 1
    for game in RULESETS:
        score = evaluate(game, throws, seed, Reader.shipped())
        print(msgspec.json.encode(score).decode())


if __name__ == "__main__":
    main(sys.argv[1:])
