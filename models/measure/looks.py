"""Looks at labelled pictures, kept in the cache, and readings of them without networks.

Networks look once, and once more closely, at every picture of a kind and split; only what they saw
is kept, a shard at a time, so an interrupted run resumes. All else that is fitted and measured here
is done on these looks.
"""

from __future__ import annotations

import os
import pickle
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from companion.engine import Face
from companion.vision.box import rules_of
from companion.vision.networks.classify import Networks, softmax
from companion.vision.networks.contract import Contract
from companion.vision.pictures import Frame, cv2
from companion.vision.read.decision import Decider, Verdict
from companion.vision.read.geometry import overlap
from companion.vision.read.reader import Reader, fuse_with_prints, reading_of, resolved
from companion.vision.read.seen import SeenDie, Views
from companion.vision.readings import DiceReading
from models.arrays import Floats
from models.dataset import SHARD, shards_of, stored
from models.measure.counting import Still, load_labelled, still_of
from models.places import CACHE, TARGET
from models.scene.render import Label
from models.terms import TERMS

SAME: Final = 0.5
"""The overlap above which a find is the labelled die."""
_CERTAIN: Final = 1.5
"""The log-odds over those of TERMS from which a find is a die by calibrated terms as well."""
_BLANK: Final = np.zeros((1, 1, 3), np.uint8)


@dataclass(frozen=True, slots=True)
class Looked:
    """A still without pixels: its labels, a look and a closer look at it, its width and height."""

    still: Still
    labels: tuple[Label, ...]
    look: tuple[SeenDie, ...]
    closer: tuple[SeenDie, ...]
    size: tuple[int, int]
    finer: tuple[SeenDie, ...] = ()
    """A finer look, if dice may be missing."""

    def read(self, decider: Decider, *, counted: bool = True) -> Verdict:
        """Decide it as `Reader.decide` does, with its number of dice known or not."""
        count = self.still.thrown if counted else None
        look, closer, finer = self.verdicts(decider, count)
        return look() if count is None else resolved(look(), closer, finer)

    def verdicts(self, decider: Decider, count: int | None) -> tuple[Callable[[], Verdict], ...]:
        """Decide by the look, by the closer one and by the finer one, each when called."""
        looks = [self.look, self.closer, self.finer]
        fused = fuse_with_prints(looks, decider.prints, decider.contract)
        rules = rules_of(self.still.game)
        return tuple(partial(decider.decide, [one], rules, self.size, count) for one in fused)

    def reading_of(self, verdict: Verdict) -> DiceReading:
        """The reading of a verdict on it."""
        return reading_of(verdict, self.still.game, Frame(_BLANK, 0.0, 0))

    def matched(self) -> list[tuple[Label, SeenDie]]:
        """The labels whose dice the look shows, with these."""
        found = []
        for label in self.labels:
            best = max(self.look, key=lambda die: overlap(die.quad, label.quad), default=None)
            if best is not None and overlap(best.quad, label.quad) > SAME:
                found.append((label, best))
        return found

    def calibrated(self, terms: Contract) -> Looked:
        """The same looks, made with temperature 1 and prior 0, under those of the terms."""
        look, closer, finer = (_warmed(one, terms) for one in (self.look, self.closer, self.finer))
        return replace(self, look=look, closer=closer, finer=finer)


def _warmed(look: tuple[SeenDie, ...], terms: Contract) -> tuple[SeenDie, ...]:
    if not look:
        return ()
    logs = np.log(np.maximum([[*die.faces.values(), die.reject] for die in look], 1e-9))
    fitted = terms.classifier
    chances = with_temperature(logs, fitted.temperature, fitted.prior).tolist()
    return tuple(
        replace(die, faces=dict(zip(die.faces, row[:-1], strict=True)), reject=row[-1])
        for die, row in zip(look, chances, strict=True)
    )


def with_temperature(logs: Floats, temperature: float, prior: float) -> Floats:
    """Probabilities (n, k) of log-probabilities at another temperature and prior of the last."""
    warm = np.asarray(logs, np.float32) / np.float32(temperature)
    warm[:, -1] += np.float32(prior)
    return softmax(warm)


def views_of_dice(dice: Sequence[SeenDie], face: Face) -> Views:
    """These dice as views of a face."""
    vectors = np.array([die.embedding for die in dice], np.float32)
    return Views(vectors, np.array([die.faces[face] for die in dice], np.float32))


def looked_at(kind: str, split: str, limit: int | None = None) -> list[Looked]:
    """The looks at the rendered pictures of a kind and split, in order; those missing are made."""
    shards = shards_of(kind, split)[: None if limit is None else -(-limit // SHARD)]
    place = _place() / f"{kind}-{split}"
    place.mkdir(parents=True, exist_ok=True)
    found = [place / f"{shard.stem}.pickle" for shard in shards]
    missing = [pair for pair in zip(shards, found, strict=True) if not pair[1].exists()]
    if missing:
        with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(_look_at_shard, *zip(*missing, strict=True)))
    return [row for path in found for row in pickle.loads(path.read_bytes())][:limit]


def looked_at_folder(path: Path) -> list[Looked]:
    """The looks at the labelled stills of a folder."""
    reader = _reader()
    return [_look_at(reader, still, ()) for still in load_labelled(path)]


def _place() -> Path:
    """The folder of the looks of the target's networks by TERMS."""
    files = [TERMS.detector.file, TERMS.corners.file, TERMS.classifier.file]
    networks = b"".join((TARGET / file).read_bytes() for file in files)
    found = zlib.crc32(networks + msgspec.json.encode(TERMS))
    return CACHE / "looks" / f"{found:08x}"


def _reader() -> Reader:
    cv2.setNumThreads(1)
    return Reader(Networks(TARGET, contract=TERMS))


def _look_at_shard(shard: Path, path: Path) -> None:
    reader = _reader()
    found = [
        _look_at(reader, still_of(picture, f"{shard.parent.name}-{shard.stem}-{n}"), picture.labels)
        for n, picture in enumerate(stored(shard))
    ]
    partial_path = path.with_suffix(f".{os.getpid()}.part")
    partial_path.write_bytes(pickle.dumps(found))
    partial_path.rename(path)


def _look_at(reader: Reader, still: Still, labels: tuple[Label, ...]) -> Looked:
    height, width = still.image.shape[:2]
    look = reader.look(still.image)
    closer = reader.look_closely(still.image, look)
    odds = Decider(TERMS).find_dice([look], (width, height), still.thrown)[1]
    is_short = int((odds >= TERMS.evidence.accept + _CERTAIN).sum()) < len(still.dice)
    finer = reader.look(still.image, finer=True) if is_short else ()
    return Looked(replace(still, image=_BLANK), labels, look, closer, (width, height), finer)
