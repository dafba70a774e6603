"""Labelled stills, and counts of what the reader made of them.

Which dice and rolls count: a *countable* die is flat, whole, large enough and not blinded; a *fit*
roll has nothing but such dice, as many as the reader was given or, if it was given no number, as
the game allows. A *silent error* is a sure reading whose faces or number differ from what lies
there; that a die leans is none. *Leaning* rolls that a fuse would apply are counted apart.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from companion.engine import RULESETS
from companion.intervals import wilson
from companion.vision.pictures import cv2
from companion.vision.readings import DiceReading, DieReading
from models.arrays import Image
from models.art.glyphs import FACES
from models.dataset import Picture, side_of
from models.scene.render import Label

ENROL: Final = "enrol"
"""The tag of stills to enrol a box from."""
SMALLEST_PX: Final = 28.0
BLIND: Final = 16.0
"""Grey levels between print and ground (`scene.legible`) below which a face counts as blinded. By
eye, with the contrast stretched, val dice of 15 to 20 can be made out, half of those of 7 can."""
SHOWN: Final = 0.7
"""The share of a top that must not be hidden; a well-rounded die's own corners take up to 0.2."""


@dataclass(frozen=True, slots=True)
class TrueDie:
    """One labelled die: its box, px, and whether it counts."""

    face: str
    box: tuple[float, float, float, float]
    countable: bool
    drawing: str = ""
    """The asset that is printed on it, if it is known."""
    flat: bool = True
    """Whether it lies flat, on the table itself."""

    def is_own(self) -> bool:
        """Whether it shows a face of these games."""
        return self.face in FACES


@dataclass(frozen=True, slots=True)
class Still:
    """One labelled picture."""

    name: str
    image: Image
    game: str
    tags: tuple[str, ...]
    is_fit: bool
    dice: tuple[TrueDie, ...]
    thrown: int | None = None
    """How many dice were thrown, if the reader is given it."""


@dataclass
class Rolls:
    """Counted rolls, and the dice of those that are fit."""

    total: int = 0
    fit: int = 0
    exact: int = 0
    """Fit, and every die's likeliest face right, and nothing else found."""
    sure: int = 0
    """Fit and called sure."""
    others_sure: int = 0
    """Not fit and called sure."""
    silent: int = 0
    leaning: int = 0
    """Sure, with a die that leans and was not noticed: a fuse would apply it."""
    dice: int = 0
    top: int = 0
    """Those whose likeliest face is right."""


@dataclass
class Results:
    """Counted results, in all and by tag; `dice` of all rolls, by outcome."""

    rolls: Rolls = field(default_factory=Rolls)
    by_tag: dict[str, Rolls] = field(default_factory=dict)
    dice: Counter[str] = field(default_factory=Counter)
    faces: dict[str, Counter[str]] = field(default_factory=dict)
    drawings: dict[str, Counter[bool]] = field(default_factory=dict)
    """By drawing: how often its likeliest face was right, and how often not."""
    extra: int = 0
    """Finds that are no die."""
    silent: list[str] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)
    """Why fit rolls were not called sure."""
    strangers: Counter[str] = field(default_factory=Counter)
    """Flat dice of other games: read as "a face" surely, "with a problem", as "no face"."""
    labelled: Counter[bool] = field(default_factory=Counter)
    """Of the dice that became prints in play: how many under their own face, and how many not."""
    chances: list[tuple[float, bool]] = field(default_factory=list)
    """Of each countable die of a fit roll that was found: the confidence, and whether right."""


def load_labelled(folder: Path) -> Iterator[Still]:
    """Load the stills of a folder with `labels.jsonl`."""
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        dice = tuple(
            TrueDie(
                die["face"],
                tuple(die["box"]),
                die["flat"] and die["visible"] >= 0.9 and not die.get("blinded", False),
                flat=die["flat"],
            )
            for die in row["dice"]
        )
        image = np.asarray(cv2.imread(str(folder / row["image"])), np.uint8)
        tags = tuple(_tag(tag) for tag in row["tags"])
        yield Still(row["image"], image, row["game"], tags, row["sureable"], dice, len(dice))


def _tag(tag: str) -> str:
    """Put tilts into bands of ten degrees."""
    if not tag.startswith("tilt:"):
        return tag
    low = int(tag[5:]) // 10 * 10
    return f"tilt:{low}-{low + 9}"


def game_of(labels: Iterable[Label], tags: Sequence[str] = ()) -> str:
    """The game that a tag names, or that has these faces."""
    for tag in tags:
        if tag.startswith("game:"):
            return tag[5:]
    faces = {label.face for label in labels}
    for name, rules in RULESETS.items():
        if faces & set(FACES) <= {str(face) for face in rules.faces}:
            return name
    return next(iter(RULESETS))


def still_of(picture: Picture, name: str) -> Still:
    """Make a labelled still of a render, with its difficulties as tags."""
    game = game_of(picture.labels, picture.tags)
    dice = []
    is_fit = True
    for label in picture.labels:
        whole = label.flat and label.face in FACES and label.seen >= SHOWN
        whole = whole and label.contrast >= BLIND
        countable = whole and label.inside >= 0.9 and side_of(label.quad) >= SMALLEST_PX
        is_fit &= bool(countable) and label.inside >= 0.98
        dice.append(TrueDie(label.face, label.box(), bool(countable), label.drawing, label.flat))
    enrols = (ENROL,) if ENROL in picture.tags else ()
    tags = (*_faults(picture.labels), *enrols, *picture.tags[1:])
    return Still(name, picture.image(), game, tags, is_fit, tuple(dice), len(dice))


def without_count(still: Still) -> Still:
    """The same still without the known number of dice."""
    rules = RULESETS[still.game]
    usual = rules.dice_min <= len(still.dice) <= rules.dice_max
    return replace(still, thrown=None, is_fit=still.is_fit and usual)


def _faults(labels: tuple[Label, ...]) -> list[str]:
    """What is wrong with a roll, by its labels and not by the intention when it was drawn."""
    found = {
        "small": any(side_of(label.quad) < SMALLEST_PX for label in labels),
        "not flat": any(not label.flat for label in labels),
        "cut": any(label.inside < 0.98 for label in labels),
        "hidden": any(label.seen < SHOWN and label.inside >= 0.98 for label in labels),
        "foreign": any(label.face not in FACES for label in labels),
        "blinded": any(
            label.contrast < BLIND and label.seen >= SHOWN and label.inside >= 0.98
            for label in labels
        ),
    }
    return [name for name, is_so in found.items() if is_so] or ["nothing wrong"]


SAME_DIE: Final = 0.45
"""The distance below which a find is the die."""


def distance(found: Sequence[float], true: Sequence[float]) -> float:
    """The distance of the middles of boxes x, y, width, height, in mean sides of the true one."""
    (x, y, width, height), (left, top, across, down) = found, true
    away = np.hypot(x + width / 2 - left - across / 2, y + height / 2 - top - down / 2)
    return float(away / max(1.0, (across + down) / 2))


def pair_dice(
    dice: tuple[TrueDie, ...], read: tuple[DieReading, ...]
) -> list[tuple[TrueDie | None, DieReading | None]]:
    """Pair true dice with readings; None on either side without a partner."""
    pairs = sorted(
        (distance(one.box, die.box), i, j)
        for j, one in enumerate(read)
        for i, die in enumerate(dice)
    )
    taken: dict[int, int] = {}
    used: set[int] = set()
    for away, i, j in pairs:
        if away < SAME_DIE and i not in taken and j not in used:
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
    """The likeliest face, named or not."""
    if read.face is not None:
        return read.face
    return read.alternatives[0].face if read.alternatives else None


def is_silent(still: Still, reading: DiceReading) -> bool:
    """Whether a reading is sure although its faces or their number are not those on the table."""
    lying = Counter(die.face for die in still.dice if die.is_own())
    return reading.sure and lying != Counter(die.face for die in reading.dice)


def count(results: Results, still: Still, reading: DiceReading) -> None:
    """Add a still's reading to the results."""
    pairs = pair_dice(still.dice, reading.dice)
    for die, read in pairs:
        if die is None:
            results.extra += 1
        elif die.countable:
            _count_die(results, still, die, read)
        elif die.flat and not die.is_own():
            named = read is not None and read.face is not None
            clear = read is not None and read.sure
            results.strangers[
                "no face" if not named else "a face" if clear else "with a problem"
            ] += 1
    if is_silent(still, reading):
        results.silent.append(f"{still.name} {','.join(still.tags)}")
    if still.is_fit and not reading.sure:
        for problem in set(reading.problems):
            results.problems[problem.value] += 1
    rows = [results.by_tag.setdefault(tag, Rolls()) for tag in still.tags]
    for rolls in (results.rolls, *rows):
        _count_roll(rolls, still, reading, pairs)


def _count_die(results: Results, still: Still, die: TrueDie, read: DieReading | None) -> None:
    outcome = _outcome(die, read)
    first = _first(read) if read is not None else None
    results.dice[outcome] += 1
    results.faces.setdefault(die.face, Counter())[outcome] += 1
    results.drawings.setdefault(f"{die.face} {die.drawing}", Counter())[first == die.face] += 1
    if read is not None and first is not None and still.is_fit:
        chance = read.confidence if read.face is not None else read.alternatives[0].probability
        results.chances.append((chance, first == die.face))


def _count_roll(
    rolls: Rolls,
    still: Still,
    reading: DiceReading,
    pairs: list[tuple[TrueDie | None, DieReading | None]],
) -> None:
    rolls.total += 1
    rolls.silent += is_silent(still, reading)
    leans = any(not die.flat for die in still.dice) and all(die.flat for die in reading.dice)
    rolls.leaning += reading.sure and leans
    if not still.is_fit:
        rolls.others_sure += reading.sure
        return
    rights = [read is not None and die is not None and _first(read) == die.face
              for die, read in pairs]  # fmt: skip
    rolls.fit += 1
    rolls.exact += all(rights)
    rolls.sure += reading.sure
    rolls.dice += len(still.dice)
    rolls.top += sum(rights)


def calibration_error(chances: list[tuple[float, bool]], bins: int = 15) -> float:
    """The expected calibration error of (confidence, right) over bins of equal mass."""
    table = np.array(sorted(chances), np.float64).reshape(-1, 2)
    if len(table) == 0:
        return 0.0
    parts = np.array_split(table, bins)
    off = sum(abs(part[:, 0].mean() - part[:, 1].mean()) * len(part) for part in parts if len(part))
    return float(off / len(table))


def share(hits: int, total: int) -> str:
    """Format a share: `hits/total = 97.20% [95.10%, 98.50%]`."""
    low, high = wilson(hits, total)
    return f"{hits}/{total} = {hits / max(1, total):.2%} [{low:.2%}, {high:.2%}]"


def lines_of(results: Results) -> Iterator[str]:
    """Yields the results as lines, in all and by tag."""
    for name, rolls in (("all", results.rolls), *sorted(results.by_tag.items())):
        parts = [
            f"per die {share(rolls.top, rolls.dice)}",
            f"exact {share(rolls.exact, rolls.fit)}",
            f"sure {share(rolls.sure, rolls.fit)}",
            f"others sure {rolls.others_sure} of {rolls.total - rolls.fit}",
            f"silent {share(rolls.silent, rolls.total)}",
            f"leaning {rolls.leaning}",
        ]
        yield f"  {name}: " + "; ".join(parts)
    yield f"  all countable dice {dict(results.dice)}; finds that are no die {results.extra}"
    yield f"  not sure for {dict(results.problems.most_common())}"
    if results.strangers:
        read = share(results.strangers["a face"], results.strangers.total())
        yield f"  other games' dice surely read as a face {read}"
    if results.labelled:
        rights = share(results.labelled[True], results.labelled.total())
        yield f"  dice learned under their own face {rights}"
    yield f"  silent errors {results.silent[:12]}"
