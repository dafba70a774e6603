"""Ten thousand frames in which nobody rolls, before the live reader: what does it propose?

Three tables in four are lit by lamps that flicker.

`python -m tests.bench quiet`; FRAMES in the environment asks for more or fewer, SEED for others.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from companion.vision.box import rules_of
from companion.vision.pictures import AnyFrame
from companion.vision.read.reader import Expected, Reader
from companion.vision.watch.watcher import Watcher
from models.evaluate_clips import Light, banded
from tests.bench import Figure
from tests.vision.quiet import FPS, Seen, Table, drawings, film

FRAMES = int(os.environ.get("FRAMES", "10000"))
SEED = int(os.environ.get("SEED", "1"))
ROLLED = "lying"
READ_S = 3
"""The time in which a roll is read under a lamp that flickers by a sixth."""
LIGHTS = (None, Light(0.05, 100, FPS), Light(0.1, 120, FPS), Light(0.16, 100, FPS))


def figures() -> Iterator[Figure]:
    """Return frames and proposals of each kind, then of all, and the rate's 95 % bound."""
    frames: Counter[str] = Counter()
    proposals: Counter[str] = Counter()
    reader, source = Reader.shipped(), drawings(SEED)
    seed = SEED
    while sum(frames.values()) - frames[ROLLED] < FRAMES:
        table = Table(source, seed)
        light = LIGHTS[seed % len(LIGHTS)]
        seen, read = counted(film(table, lying=READ_S * FPS), watcher(table, reader), light)
        frames += seen
        proposals += read
        seed += 1
    yield Figure("quiet.tables", seed - SEED, "tables")
    yield Figure("quiet.rolls_told", proposals.pop(ROLLED, 0), "proposals")
    del frames[ROLLED]
    for kind in sorted(frames):
        yield Figure(f"quiet.{kind}.frames", frames[kind], "frames")
        yield Figure(f"quiet.{kind}.proposals", proposals[kind], "proposals")
    shown, proposed = frames.total(), proposals.total()
    yield Figure("quiet.frames", shown, "frames")
    yield Figure("quiet.proposals", proposed, "proposals")
    if proposed == 0:
        yield Figure("quiet.rate_at_most", round(3 / shown, 6), "proposals/frame")


def watcher(table: Table, reader: Reader) -> Watcher:
    """A watcher for each table; every other one has an expected number of dice."""
    expected = len(table.scene.dice) if table.seed % 2 else None
    return Watcher(reader, Expected(rules_of(table.game), expected))


def counted(
    film: Iterator[Seen], watcher: Watcher, light: Light | None
) -> tuple[Counter[str], Counter[str]]:
    """Count the frames of each kind, and the proposals in them; print those where nobody rolled."""
    kinds: list[str] = []
    proposals: Counter[str] = Counter()

    def sent() -> Iterator[AnyFrame]:
        """Yield the frames without exact repetitions, as `companion.vision.child.Feed` does."""
        before = None
        for seen in film:
            kinds.append(seen.kind)
            checksum = seen.frame.checksum()
            if checksum != before:
                yield seen.frame
            before = checksum

    for frame in sent():
        if light is not None:
            frame = replace(frame.decode(), image=banded(frame.decode().image, light, frame.index))
        reading = watcher.see(frame).reading
        if reading is not None:
            kind = kinds[frame.index]
            if not proposals and "cleared" not in kinds:
                kind = ROLLED  # the roll was not read as it lay, but when somebody had moved
            proposals[kind] += 1
            if kind != ROLLED:
                words = [f"{d.face}/{d.problem}/{d.confidence:.2f}" for d in reading.dice]
                print(f"frame {frame.index}, {kind}: {reading.moved} of {words}", file=sys.stderr)
    return Counter(kinds), proposals
