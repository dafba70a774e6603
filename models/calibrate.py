"""Chooses temperature and thresholds on the val split and writes them into `dice.json`.

`python -m models.calibrate` reads no picture but the own renders of the val split.
"""

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from companion.engine.values import Face
from companion.vision.classify import Networks, softmax
from companion.vision.contract import Contract, load_contract
from companion.vision.frames import Frame
from companion.vision.judge import Judge, SeenDie
from companion.vision.reader import Reader, reading_of, rules_of
from models.arrays import Floats
from models.evaluate import Still, Tally, count, rendered
from models.export import HERE, write_contract

SILENT: Final = 0.001
"""The share of rolls that may be called sure and be wrong."""
TEMPERATURES: Final = np.exp(np.linspace(np.log(0.35), np.log(2.0), 40))


@dataclass(frozen=True, slots=True)
class Seen:
    """A still without its pixels, and what was seen in it."""

    still: Still
    look: tuple[SeenDie, ...]
    size: tuple[int, int]


def seen(reader: Reader, stills: Iterator[Still]) -> list[Seen]:
    """Every still looked at once."""
    found = []
    for still in stills:
        height, width = still.image.shape[:2]
        bare = Still(
            still.name, np.zeros((1, 1, 3), np.uint8), still.game, still.tags, still.sureable,
            still.dice,
        )  # fmt: skip
        found.append(Seen(bare, reader.look(still.image), (width, height)))
    return found


def truths(rows: list[Seen], terms: Contract) -> tuple[Floats, Floats]:
    """Log-probabilities (n, 10) and classes (n,) of the countable dice that were found."""
    logs, classes = [], []
    names = terms.classifier.classes
    for row in rows:
        for true in row.still.dice:
            if not true.countable:
                continue
            best = _nearest(true.middle, row.look)
            if best is None:
                continue
            chances = [best.faces[Face(name)] for name in names[:-1]] + [best.reject]
            logs.append(np.log(np.maximum(chances, 1e-9)))
            classes.append(names.index(true.face))
    return np.array(logs), np.array(classes)


def _nearest(middle: tuple[float, float] | None, look: tuple[SeenDie, ...]) -> SeenDie | None:
    if middle is None or not look:
        return None
    away = [float(np.linalg.norm(die.quad.mean(axis=0) - np.array(middle))) for die in look]
    best = int(np.argmin(away))
    side = float(np.linalg.norm(look[best].quad[0] - look[best].quad[1]))
    return look[best] if away[best] < 0.4 * side else None


def temperature(logs: Floats, classes: Floats) -> float:
    """The temperature with the least log loss."""
    losses = []
    for value in TEMPERATURES:
        chances = softmax(logs / value)
        losses.append(-np.log(np.maximum(chances[np.arange(len(classes)), classes], 1e-9)).mean())
    return float(TEMPERATURES[int(np.argmin(losses))])


def calibration_error(logs: Floats, classes: Floats, bins: int = 15) -> float:
    """The expected calibration error over bins of equal mass."""
    chances = softmax(logs)
    sure = chances.max(axis=1)
    right = chances.argmax(axis=1) == classes
    order = np.array_split(np.argsort(sure), bins)
    return float(sum(abs(sure[b].mean() - right[b].mean()) * len(b) for b in order) / len(sure))


def tallied(rows: list[Seen], terms: Contract) -> Tally:
    """The rows judged by the terms and counted."""
    judge, tally = Judge(terms), Tally()
    blank = np.zeros((1, 1, 3), np.uint8)
    for row in rows:
        rules = rules_of(row.still.game)
        verdict = judge.weigh([row.look], rules, row.size)
        count(tally, row.still, reading_of(verdict, row.still.game, Frame(blank, 0.0, 0)))
    return tally


def sure_choices(terms: Contract) -> Iterator[Contract]:
    """How likely a face must be to be named without doubt."""
    for sure, margin in (
        (0.6, 0.3),
        (0.7, 0.45),
        (0.8, 0.6),
        (0.9, 0.8),
        (0.95, 0.9),
        (0.98, 0.96),
    ):
        classifier = msgspec.structs.replace(terms.classifier, sure=sure, margin=margin)
        yield msgspec.structs.replace(terms, classifier=classifier)


def flat_choices(terms: Contract) -> Iterator[Contract]:
    """How much a die may seem to lean."""
    for flat, lean in itertools.product((0.15, 0.3, 0.5, 0.7), (9.0, 12.0, 16.0)):
        corners = msgspec.structs.replace(terms.corners, flat=flat, lean_degrees=lean)
        yield msgspec.structs.replace(terms, corners=corners)


def best(rows: list[Seen], tried: Iterator[Contract]) -> Contract:
    """The choice with the most coverage among those with the fewest silent errors."""
    ranked = []
    for place, choice in enumerate(tried):
        tally = tallied(rows, choice)
        silent = max(0.0, len(tally.silent) / len(rows) - SILENT)
        ranked.append((silent, -tally.stills["sureable called sure"], place, choice))
        print(
            f"  try {place}: {len(tally.silent)} silent, {-ranked[-1][1]} called sure", flush=True
        )
    return min(ranked, key=lambda row: row[:3])[3]


def main(limit: int | None) -> None:
    """Temperature first, then the thresholds with it."""
    terms = load_contract(HERE)
    raw = msgspec.structs.replace(
        terms, classifier=msgspec.structs.replace(terms.classifier, temperature=1.0)
    )
    write_contract(raw, HERE)
    logs, classes = truths(seen(Reader(Networks.load(HERE)), rendered("val", limit)), raw)
    warmth = temperature(logs, classes)
    print(f"temperature {warmth:.2f}; ECE {calibration_error(logs, classes):.3f} before,", end=" ")
    print(f"{calibration_error(logs / warmth, classes):.3f} after, n = {len(classes)}")
    warm = msgspec.structs.replace(
        terms, classifier=msgspec.structs.replace(terms.classifier, temperature=warmth)
    )
    write_contract(warm, HERE)
    rows = seen(Reader(Networks.load(HERE)), rendered("val", limit))
    flat = best(rows, flat_choices(warm))
    chosen = best(rows, sure_choices(flat))
    write_contract(chosen, HERE)
    tally = tallied(rows, chosen)
    print(chosen.corners, chosen.classifier.sure, chosen.classifier.margin)
    print(dict(tally.stills), f"silent {len(tally.silent)} of {len(rows)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
