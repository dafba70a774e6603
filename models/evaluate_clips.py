"""Evaluate the reader on labelled clips of throws, one JSON line a clip.

`python -m models.evaluate_clips FOLDER` plays every NAME.mp4 with a NAME.json beside it through the
live reader. A throw is right when it was read exactly once, every whole flat die of it is named
rightly and no other die wrongly. A reading whose last look is outside a rest is stray.
`python -m models.evaluate_clips FOLDER OUT.jsonl` plays each clip under each of LIGHTS, and adds
what OUT.jsonl does not have yet. The number of dice is known, as in play.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.box import rules_of
from companion.vision.pictures import Frame, Image
from companion.vision.read.reader import Expected, Reader
from companion.vision.readings import DiceReading, DieReading, Drift, Rect
from companion.vision.sources.frames import video_frames
from companion.vision.watch.watcher import Watcher

WHOLE = 0.98
SOON_S = 5.0
"""The time from a rest on in which the tray must say why it is not read."""
SAME = 0.5
"""The largest distance between the middles of a die and its label, in widths of the label."""


class ClipDie(msgspec.Struct, frozen=True):
    """A die at rest, as it was rendered."""

    face: Face
    box: Rect
    flat: bool
    visible: float


class Throw(msgspec.Struct, frozen=True):
    """One throw of a clip: its dice rest from `settled_frame` until before `next_motion_frame`."""

    settled_frame: int
    next_motion_frame: int
    thrown: int
    dice: tuple[ClipDie, ...]


class Clip(msgspec.Struct, frozen=True):
    """The labels of a clip."""

    clip: str
    game: str
    fps: float
    throws: tuple[Throw, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a clip: the number of `readings` of each throw; dice are counted over all
    throws.
    """

    clip: str
    throws: int
    readings: tuple[int, ...]
    stray: int
    throws_right: tuple[bool, ...]
    sure_and_wrong: int
    dice: int
    right: int
    doubtful: int
    wrong: int
    missed: int
    extra: int


@dataclass(frozen=True, slots=True)
class Light:
    """A lamp that flickers `amplitude` up and down at `lamp_hz`, before a camera with `fps`."""

    amplitude: float
    lamp_hz: float
    fps: float


READOUT_S = 0.025
"""The time from the first row of a picture to the last, in a common rolling shutter."""
CLOCKS = 1.003
"""The ratio of lamp and camera clocks: no two are equal, so the bands always creep."""
LIGHTS = tuple(
    Light(amplitude, lamp_hz, fps)
    for fps in (20, 30, 15, 25)
    for lamp_hz in (100, 120)
    for amplitude in (0.02, 0.05, 0.10, 0.16)
)


def under(light: Light, frames: Iterable[Frame]) -> Iterator[tuple[int, Frame]]:
    """Yields the frames as a camera of the light's rate takes them, with the bands of its lamp; and
    for each the index of the original frame. Rows are exposed one after the other, so each has the
    lamp's brightness at its own moment."""
    taken = 0
    for index, frame in enumerate(frames):
        while taken / light.fps <= frame.captured_at:
            yield index, Frame(banded(frame.image, light, taken), taken / light.fps, taken)
            taken += 1


def banded(image: Image, light: Light, index: int) -> Image:
    """The picture with this index in the lamp's light."""
    moments = CLOCKS * index / light.fps + READOUT_S * np.arange(len(image)) / len(image)
    rows = 1 + light.amplitude * np.sin(2 * np.pi * light.lamp_hz * moments)
    return np.clip(image * rows[:, None, None], 0, 255).astype(np.uint8)


def clips(folder: Path) -> list[Clip]:
    """Load the labelled clips of a folder."""
    found = sorted(folder.glob("*.mp4"))
    labels = [path.with_suffix(".json") for path in found]
    return [msgspec.json.decode(p.read_bytes(), type=Clip) for p in labels if p.is_file()]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a clip, its frames counted as the clip does."""

    readings: list[DiceReading]
    said: list[int]
    """The frames in which the tray said that the picture does not come to rest."""


def play(folder: Path, clip: Clip, reader: Reader, light: Light | None = None) -> Played:
    """Play a clip of a folder as fast as possible."""
    watcher = Watcher(reader, Expected(rules_of(clip.game), len(clip.throws[0].dice)))
    frames = video_frames(str(folder / clip.clip))
    shown, found, said = [], [], []
    for index, frame in enumerate(frames) if light is None else under(light, frames):
        shown.append(index)
        result = watcher.see(frame)
        if result.reading is not None:
            last = shown[result.reading.frame]
            found.append(msgspec.structs.replace(result.reading, frame=last))
        if result.tray.drift in {Drift.FLICKER, Drift.RESTLESS}:
            said.append(index)
    return Played(found, said)


def score(clip: Clip, collected: list[DiceReading]) -> Score:
    """Compare the readings of a clip with its labels."""
    counts = dict.fromkeys(("right", "doubtful", "wrong", "missed", "extra"), 0)
    of_throws = [
        [r for r in collected if throw.settled_frame <= r.frame < throw.next_motion_frame]
        for throw in clip.throws
    ]
    sure_and_wrong = 0
    throws_right = [False] * len(clip.throws)
    for place, (throw, rest) in enumerate(zip(clip.throws, of_throws, strict=True)):
        for reading in rest[:1]:
            counted = _compare(throw, reading)
            for name in counts:
                counts[name] += counted[name]
            faulty = counted["wrong"] + counted["missed"] + counted["named"]
            is_right = not faulty and not counted["doubtful"] and len(rest) == 1
            throws_right[place] = is_right
            sure_and_wrong += reading.sure and not is_right
    return Score(
        clip=clip.clip,
        throws=len(clip.throws),
        readings=tuple(map(len, of_throws)),
        stray=len(collected) - sum(map(len, of_throws)),
        throws_right=tuple(throws_right),
        sure_and_wrong=sure_and_wrong,
        dice=sum(len(throw.dice) for throw in clip.throws),
        **counts,
    )


def _compare(throw: Throw, reading: DiceReading) -> dict[str, int]:
    """Count the outcomes of the labelled dice, and the finds where no die is (`extra`; `named` with
    a face).
    """
    counts = dict.fromkeys(("right", "doubtful", "wrong", "missed"), 0)
    left = list(reading.dice)
    for label in throw.dice:
        die = min(left, key=lambda d: _apart(label, d), default=None)
        if die is None or _apart(label, die) > SAME:
            counts["missed"] += label.flat and label.visible >= WHOLE
            continue
        left.remove(die)
        if die.face is None:
            counts["doubtful"] += 1
        else:
            counts["right" if die.face is label.face else "wrong"] += 1
    named = sum(die.face is not None for die in left)
    return counts | {"extra": len(left), "named": named}


def _apart(label: ClipDie, die: DieReading) -> float:
    """The distance between the boxes' middles, in widths of the label's."""
    x, y, width, height = label.box
    across, down = die.centre
    return float(((x + width / 2 - across) ** 2 + (y + height / 2 - down) ** 2) ** 0.5 / width)


def under_lamps(folder: Path, out: Path) -> None:
    """Play every clip of a folder under each of LIGHTS, and append what `out` does not have."""
    reader = Reader.shipped()
    rows = map(msgspec.json.decode, out.read_bytes().splitlines() if out.exists() else ())
    done = {(row["clip"], row["amplitude"], row["lamp_hz"], row["fps"]) for row in rows}
    plays = [
        (n + m, clip, light)
        for n, clip in enumerate(clips(folder))
        for m, light in enumerate(LIGHTS)
    ]
    # Stopped early, it has every light with some of the clips.
    for _, clip, light in sorted(plays, key=lambda one: one[0] % 8):
        if (clip.clip, *astuple(light)) in done:
            continue
        played = play(folder, clip, reader, light)
        found = score(clip, played.readings)
        answered = sum(
            right or any(0 <= at - throw.settled_frame <= SOON_S * clip.fps for at in played.said)
            for throw, right in zip(clip.throws, found.throws_right, strict=True)
        )
        row = asdict(light) | asdict(found) | {"answered": answered}
        with out.open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")


def main(folder: Path) -> None:
    """Score every clip of a folder."""
    reader = Reader.shipped()
    for clip in clips(folder):
        found = score(clip, play(folder, clip, reader).readings)
        print(msgspec.json.encode(asdict(found)).decode())


if __name__ == "__main__":
    if len(sys.argv) > 2:
        under_lamps(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
