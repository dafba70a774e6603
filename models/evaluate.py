"""Counts what the whole reader gets right, on the own test split or on a folder of labelled stills.

`python -m models.evaluate test|val|FOLDER [LIMIT]`; a folder holds `labels.jsonl`. The own pictures
are those that `python -m models.dataset rolls SPLIT COUNT` has rendered.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from companion.engine.rulesets import RULESETS
from companion.vision.classify import looks_of, rectified
from companion.vision.opencv import cv2
from companion.vision.reader import Expected, Reader, rules_of
from companion.vision.readings import DiceReading, DieReading
from models.arrays import Image
from models.dataset import Picture, pictures, side_of
from models.glyphs import FACES
from models.render import Label

OUTCOMES: Final = ("right", "doubtful", "wrong", "missed")
SMALLEST_PX: Final = 28.0
BLIND: Final = 24.0
"""Grey levels between a face's dark and bright parts under which nobody could read it."""


@dataclass(frozen=True, slots=True)
class TrueDie:
    """One labelled die: the middle of its top (px) or None, its box, and whether it counts."""

    face: str
    middle: tuple[float, float] | None
    box: tuple[float, float, float, float]
    countable: bool


@dataclass(frozen=True, slots=True)
class Still:
    """One labelled picture."""

    name: str
    image: Image
    game: str
    tags: tuple[str, ...]
    sureable: bool
    dice: tuple[TrueDie, ...]


@dataclass
class Tally:
    """What happened, all told and by tag."""

    dice: Counter[str] = field(default_factory=Counter)
    tags: dict[str, Counter[str]] = field(default_factory=dict)
    faces: dict[str, Counter[str]] = field(default_factory=dict)
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    extra: int = 0
    top_class: int = 0
    stills: Counter[str] = field(default_factory=Counter)
    silent: list[str] = field(default_factory=list)


def labelled(folder: Path) -> Iterator[Still]:
    """The stills of a folder with `labels.jsonl`."""
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        dice = tuple(
            TrueDie(
                die["face"],
                tuple(die["top"]) if "top" in die else None,
                tuple(die["box"]),
                die["flat"] and die["visible"] >= 0.9 and not die.get("blinded", False),
            )
            for die in row["dice"]
        )
        image = np.asarray(cv2.imread(str(folder / row["image"])), np.uint8)
        tags = tuple(_tag(tag) for tag in row["tags"])
        yield Still(row["image"], image, row["game"], tags, row["sureable"], dice)


def _tag(tag: str) -> str:
    """Tilts in bands of ten degrees."""
    if not tag.startswith("tilt:"):
        return tag
    low = int(tag[5:]) // 10 * 10
    return f"tilt:{low}-{low + 9}"


def _game(labels: tuple[Label, ...]) -> str:
    faces = {label.face for label in labels}
    for name, rules in RULESETS.items():
        if faces & set(FACES) <= {str(face) for face in rules.faces}:
            return name
    return next(iter(RULESETS))


def rendered(split: str, limit: int | None, kind: str = "rolls") -> Iterator[Still]:
    """The split's own renders as stills."""
    for index, picture in enumerate(pictures(kind, split, limit)):
        yield _still(picture, f"{split}-{index}")


def _still(picture: Picture, name: str) -> Still:
    game = _game(picture.labels)
    dice = []
    rules = RULESETS[game]
    sureable = rules.dice_min <= len(picture.labels) <= rules.dice_max
    image = picture.image()
    quads = np.array([label.quad for label in picture.labels], np.float32).reshape(-1, 4, 2)
    contrast = looks_of(rectified(image, quads, 1.0, 64)).contrast
    for label, levels in zip(picture.labels, contrast, strict=True):
        whole = label.flat and label.face in FACES and label.seen >= 0.85 and levels >= BLIND
        countable = whole and label.inside >= 0.9 and side_of(label.quad) >= SMALLEST_PX
        sureable &= countable and label.inside >= 0.98 and label.seen >= 0.85
        middle = label.quad.mean(axis=0)
        dice.append(
            TrueDie(label.face, (float(middle[0]), float(middle[1])), label.box(), countable)
        )
    tags = ["leaning"] if any(not d.flat for d in picture.labels) else []
    tags += ["cut"] if any(d.inside < 0.98 for d in picture.labels) else []
    tags += ["foreign"] if any(d.face not in FACES for d in picture.labels) else []
    return Still(name, image, game, tuple(tags), sureable, tuple(dice))


def _close(die: TrueDie, read: DieReading) -> float:
    """How far apart, in widths of the true box; over 0.5 is another die."""
    x, y, width, height = die.box
    middle = np.array([x + width / 2, y + height / 2])
    return float(np.linalg.norm(middle - np.array(read.centre)) / max(1.0, (width + height) / 2))


def matched(
    dice: tuple[TrueDie, ...], read: tuple[DieReading, ...]
) -> list[tuple[TrueDie | None, DieReading | None]]:
    """True dice with what was read of them; None on either side where there is no partner."""
    pairs = sorted(
        (_close(die, seen), i, j) for i, die in enumerate(dice) for j, seen in enumerate(read)
    )
    taken: dict[int, int] = {}
    used: set[int] = set()
    for distance, i, j in pairs:
        if distance < 0.45 and i not in taken and j not in used:
            taken[i] = j
            used.add(j)
    found: list[tuple[TrueDie | None, DieReading | None]] = [
        (die, read[taken[i]] if i in taken else None) for i, die in enumerate(dice)
    ]
    return found + [(None, seen) for j, seen in enumerate(read) if j not in used]


def _outcome(die: TrueDie, read: DieReading | None) -> str:
    if read is None:
        return "missed"
    if read.face is None:
        return "doubtful"
    return "right" if read.face == die.face else "wrong"


def _first(read: DieReading) -> str | None:
    """The likeliest face, said or not."""
    if read.face is not None:
        return read.face
    return read.alternatives[0].face if read.alternatives else None


def count(tally: Tally, still: Still, reading: DiceReading) -> None:
    """The still's reading is added to the tally."""
    wrong = False
    for die, read in matched(still.dice, reading.dice):
        if die is None:
            tally.extra += 1
            wrong = True
            continue
        outcome = _outcome(die, read)
        wrong |= outcome != "right"
        if not die.countable:
            continue
        tally.dice[outcome] += 1
        first = _first(read) if read is not None else None
        tally.top_class += first == die.face
        if first != die.face:
            tally.confused[die.face, first or "missed"] += 1
        tally.faces.setdefault(die.face, Counter())[outcome] += 1
        for tag in still.tags:
            tally.tags.setdefault(tag, Counter())[outcome] += 1
    kind = "sureable" if still.sureable else "other"
    tally.stills[kind] += 1
    if reading.sure:
        tally.stills[f"{kind} called sure"] += 1
        if wrong or not still.sureable:
            tally.silent.append(f"{still.name} {','.join(still.tags)}")
    if still.sureable:
        tally.stills["sureable all right"] += not wrong


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson interval of a share."""
    if total == 0:
        return 0.0, 1.0
    z = 1.96
    share = hits / total
    middle = share + z * z / (2 * total)
    spread = z * np.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return float((middle - spread) / scale), float((middle + spread) / scale)


def share(hits: int, total: int) -> str:
    """`hits/total = 97.2 % [95.1, 98.5]`."""
    low, high = wilson(hits, total)
    return f"{hits}/{total} = {hits / max(1, total):.1%} [{low:.1%}, {high:.1%}]"


def report(tally: Tally) -> Iterator[str]:
    """The tally in lines."""
    total = sum(tally.dice.values())
    yield "countable dice: " + "  ".join(f"{o} {tally.dice[o]}" for o in OUTCOMES)
    yield f"rightly named: {share(tally.dice['right'], total)}"
    yield f"top class right: {share(tally.top_class, total)}"
    yield f"extra readings: {tally.extra}"
    for title, table in (("face", tally.faces), ("tag", tally.tags)):
        for name in sorted(table):
            row = table[name]
            counts = "  ".join(f"{o} {row[o]}" for o in OUTCOMES)
            yield f"  {title} {name}: {counts}  ({share(row['right'], sum(row.values()))})"
    for (true, said), times in tally.confused.most_common(12):
        yield f"  {true} taken for {said}: {times}"
    stills = tally.stills
    able = stills["sureable"]
    yield f"sure-able stills called sure: {share(stills['sureable called sure'], able)}"
    yield f"sure-able stills all right: {share(stills['sureable all right'], able)}"
    yield f"other stills called sure: {share(stills['other called sure'], stills['other'])}"
    everything = able + stills["other"]
    yield f"silent errors: {share(len(tally.silent), everything)} {tally.silent[:12]}"


def evaluate(stills: Iterable[Still], reader: Reader) -> Tally:
    """Every still read and counted."""
    tally = Tally()
    for still in stills:
        count(tally, still, reader.read(still.image, Expected(rules_of(still.game))))
    return tally


def main(words: list[str]) -> None:
    """Reads what the words name and prints the tally."""
    what = words[0] if words else "test"
    limit = int(words[1]) if len(words) > 1 else None
    stills = rendered(what, limit) if what in ("val", "test") else labelled(Path(what))
    for line in report(evaluate(stills, Reader.shipped())):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
