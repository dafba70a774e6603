"""Labelled stills and evenings of rolls: counts of the reader's correct readings of them, and how
many rolls are sure for an allowed number of silent errors.

Which dice and rolls count: a *countable* die is flat, whole, large enough and not blinded; a *fit*
roll has nothing but such dice, as many as the reader was given or, if it was given no number, as
the game's default allows. A roll with a die that must be thrown again, since it leans, stands on
another or is another game's, must be *refused*; any other may be sure or not. A *silent error* is a
sure reading that would put a wrong number on a phone (`is_silent`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.engine import RULESETS, Face
from companion.intervals import wilson
from companion.vision.box import Lesson, lesson_of, rules_of
from companion.vision.networks.classify import Networks
from companion.vision.pictures import Frame, cv2
from companion.vision.read.reader import Expected, Reader, reading_of
from companion.vision.readings import DiceReading, DieReading
from models.arrays import Floats, Image
from models.art.glyphs import FACES
from models.dataset import EVENING, Picture, pictures, side_of
from models.scene.render import Label

OUTCOMES: Final = ("right", "doubtful", "wrong", "missed")
Row = TypeVar("Row")
STRANGER_OUTCOMES: Final = ("a face", "a face with a problem", "no face")
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
    """One labelled die: the middle of its top (px) or None, its box, and whether it counts."""

    face: str
    middle: tuple[float, float] | None
    box: tuple[float, float, float, float]
    countable: bool
    quad: Floats | None = None
    """(4, 2) the corners of its top, px, if they are known."""
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

    def must_be_refused(self) -> bool:
        """Whether a die must be thrown again."""
        return any(not die.flat or not die.is_own() for die in self.dice)


@dataclass
class Rolls:
    """Whole rolls: those fit to be read, those that must be refused, and others."""

    fit: int = 0
    exact: int = 0
    """Fit, and every die's likeliest face right, and nothing else found."""
    sure: int = 0
    """Fit and called sure."""
    refuse: int = 0
    refused: int = 0
    others: int = 0
    """Neither fit nor to be refused."""
    others_sure: int = 0
    silent: int = 0
    dice: int = 0
    """Countable dice of the fit rolls."""
    top: int = 0
    """Those whose likeliest face is right."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.fit + self.refuse + self.others


@dataclass
class Results:
    """Counted results, in all and by tag."""

    dice: Counter[str] = field(default_factory=Counter)
    tags: dict[str, Counter[str]] = field(default_factory=dict)
    faces: dict[str, Counter[str]] = field(default_factory=dict)
    drawings: dict[str, Counter[bool]] = field(default_factory=dict)
    """By drawing: how often its likeliest face was right, and how often not."""
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    extra: int = 0
    top_class: int = 0
    stills: Counter[str] = field(default_factory=Counter)
    silent: list[str] = field(default_factory=list)
    rolls: Rolls = field(default_factory=Rolls)
    rolls_by_tag: dict[str, Rolls] = field(default_factory=dict)
    problems: Counter[str] = field(default_factory=Counter)
    """Why fit rolls were not called sure."""
    strangers: dict[str, Counter[str]] = field(default_factory=dict)
    """By kind of symbol, of flat dice of other games: read as a face without a problem, with one,
    or as no face."""
    chances: list[tuple[float, bool]] = field(default_factory=list)
    """Of each countable die of a fit roll that was found: the confidence, and whether right."""


def load_labelled(folder: Path) -> Iterator[Still]:
    """Load the stills of a folder with `labels.jsonl`."""
    for line in (folder / "labels.jsonl").read_text().splitlines():
        row = json.loads(line)
        dice = tuple(
            TrueDie(
                die["face"],
                tuple(die["top"]) if "top" in die else None,
                tuple(die["box"]),
                die["flat"] and die["visible"] >= 0.9 and not die.get("blinded", False),
                flat=die["flat"],
            )
            for die in row["dice"]
        )
        image = np.asarray(cv2.imread(str(folder / row["image"])), np.uint8)
        tags = tuple(_tag(tag) for tag in row["tags"])
        yield Still(row["image"], image, row["game"], tags, row["sureable"], dice)


def _tag(tag: str) -> str:
    """Put tilts into bands of ten degrees."""
    if not tag.startswith("tilt:"):
        return tag
    low = int(tag[5:]) // 10 * 10
    return f"tilt:{low}-{low + 9}"


def _game(labels: tuple[Label, ...]) -> str:
    """The game that has these faces."""
    faces = {label.face for label in labels}
    for name, rules in RULESETS.items():
        if faces & set(FACES) <= {str(face) for face in rules.faces}:
            return name
    return next(iter(RULESETS))


def load_rendered(split: str, limit: int | None, kind: str = "rolls") -> Iterator[Still]:
    """Load the split's own renders as stills."""
    for index, picture in enumerate(pictures(kind, split, limit)):
        yield still_of(picture, f"{split}-{index}")


def still_of(picture: Picture, name: str) -> Still:
    """Make a labelled still of a render, with its difficulties as tags."""
    game = _game(picture.labels)
    dice = []
    is_fit = True
    for label in picture.labels:
        whole = label.flat and label.face in FACES and label.seen >= SHOWN
        whole = whole and label.contrast >= BLIND
        countable = whole and label.inside >= 0.9 and side_of(label.quad) >= SMALLEST_PX
        is_fit &= bool(countable) and label.inside >= 0.98
        middle = label.quad.mean(axis=0)
        dice.append(
            TrueDie(
                label.face,
                (float(middle[0]), float(middle[1])),
                label.box(),
                bool(countable),
                label.quad,
                label.drawing,
                label.flat,
            )
        )
    enrols = (ENROL,) if ENROL in picture.tags else ()
    tags = (*_faults(picture.labels), *enrols, *picture.tags[1:])
    return Still(name, picture.image(), game, tags, is_fit, tuple(dice), len(dice))


def evenings_of(
    rows: Iterable[Row], tags_of: Callable[[Row], Collection[str]]
) -> Iterator[list[Row]]:
    """Yields the rows of each box: those to enrol it from, if any, then EVENING of its rolls."""
    evening: list[Row] = []
    rolls = 0
    for row in rows:
        evening.append(row)
        rolls += ENROL not in tags_of(row)
        if rolls == EVENING:
            yield evening
            evening, rolls = [], 0
    if evening:
        yield evening


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


def _close(die: TrueDie, read: DieReading) -> float:
    """The distance in widths of the true box; over 0.5 it is another die."""
    x, y, width, height = die.box
    middle = np.array([x + width / 2, y + height / 2])
    return float(np.linalg.norm(middle - np.array(read.centre)) / max(1.0, (width + height) / 2))


def pair_dice(
    dice: tuple[TrueDie, ...], read: tuple[DieReading, ...]
) -> list[tuple[TrueDie | None, DieReading | None]]:
    """Pair true dice with readings; None on either side without a partner."""
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


def _count_stranger(results: Results, die: TrueDie, read: DieReading | None) -> None:
    said = "no face" if read is None or read.face is None else "a face with a problem"
    if said != "no face" and read is not None and read.problem is None:
        said = "a face"
    results.strangers.setdefault(die.drawing.partition(":")[0] or "pips", Counter())[said] += 1


def _first(read: DieReading) -> str | None:
    """The likeliest face, named or not."""
    if read.face is not None:
        return read.face
    return read.alternatives[0].face if read.alternatives else None


def is_silent(still: Still, reading: DiceReading) -> bool:
    """Whether a reading is sure although its faces or their number differ from what truly lies
    there, or a die counts that must be thrown again: one that is not flat or another game's."""
    if not reading.sure:
        return False
    own = [die for die in still.dice if die.is_own()]
    if Counter(die.face for die in own) != Counter(die.face for die in reading.dice):
        return True
    pairs = pair_dice(still.dice, reading.dice)
    strange = any(die is not None and read is not None and not die.is_own() for die, read in pairs)
    return strange or any(not die.flat for die in own)


def count(results: Results, still: Still, reading: DiceReading) -> None:
    """Add a still's reading to the results."""
    pairs = pair_dice(still.dice, reading.dice)
    for die, read in pairs:
        if die is None:
            results.extra += 1
        elif die.countable:
            _count_die(results, still, die, read)
        elif die.flat and not die.is_own():
            _count_stranger(results, die, read)
    wrong = any(die is None or _outcome(die, read) != "right" for die, read in pairs)
    kind = "sureable" if still.is_fit else "other"
    results.stills[kind] += 1
    if reading.sure:
        results.stills[f"{kind} called sure"] += 1
        if is_silent(still, reading):
            results.silent.append(f"{still.name} {','.join(still.tags)}")
    if still.is_fit:
        results.stills["sureable all right"] += not wrong
        for problem in set(reading.problems):
            results.problems[problem.value] += 1
    rows = [results.rolls_by_tag.setdefault(tag, Rolls()) for tag in still.tags]
    for rolls in (results.rolls, *rows):
        _count_roll(rolls, still, reading, pairs)


def _count_die(results: Results, still: Still, die: TrueDie, read: DieReading | None) -> None:
    outcome = _outcome(die, read)
    results.dice[outcome] += 1
    first = _first(read) if read is not None else None
    results.top_class += first == die.face
    if first != die.face:
        results.confused[die.face, first or "missed"] += 1
    results.faces.setdefault(die.face, Counter())[outcome] += 1
    results.drawings.setdefault(f"{die.face} {die.drawing}", Counter())[first == die.face] += 1
    for tag in still.tags:
        results.tags.setdefault(tag, Counter())[outcome] += 1
    if read is not None and first is not None and still.is_fit:
        chance = read.confidence if read.face is not None else read.alternatives[0].probability
        results.chances.append((chance, first == die.face))


def _count_roll(
    rolls: Rolls,
    still: Still,
    reading: DiceReading,
    pairs: list[tuple[TrueDie | None, DieReading | None]],
) -> None:
    """Count a roll."""
    rolls.silent += is_silent(still, reading)
    if not still.is_fit:
        if still.must_be_refused():
            rolls.refuse += 1
            rolls.refused += not reading.sure
        else:
            rolls.others += 1
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
    """Format a share: `hits/total = 97.2 % [95.1, 98.5]`."""
    low, high = wilson(hits, total)
    return f"{hits}/{total} = {hits / max(1, total):.1%} [{low:.1%}, {high:.1%}]"


def report(results: Results) -> Iterator[str]:
    """Yields the results as lines."""
    total = sum(results.dice.values())
    yield "countable dice: " + "  ".join(f"{o} {results.dice[o]}" for o in OUTCOMES)
    yield f"rightly named: {share(results.dice['right'], total)}"
    yield f"top class right: {share(results.top_class, total)}"
    yield f"extra readings: {results.extra}"
    for title, table in (("face", results.faces), ("tag", results.tags)):
        for name in sorted(table):
            row = table[name]
            counts = "  ".join(f"{o} {row[o]}" for o in OUTCOMES)
            yield f"  {title} {name}: {counts}  ({share(row['right'], sum(row.values()))})"
    for (true, named), times in results.confused.most_common(12):
        yield f"  {true} taken for {named}: {times}"
    for name, row in sorted(results.strangers.items()):
        counts = "  ".join(f"{said} {row[said]}" for said in STRANGER_OUTCOMES)
        yield f"  another game's {name}: {counts}  ({share(row['a face'], sum(row.values()))})"
    if results.strangers:
        every = sum(results.strangers.values(), Counter[str]())
        yield f"another game's read as a face: {share(every['a face'], sum(every.values()))}"
    if results.problems:
        yield f"why fit stills were not sure: {dict(results.problems.most_common())}"
    yield f"ECE {calibration_error(results.chances):.4f}, n = {len(results.chances)}"
    yield from roll_lines(results)
    stills = results.stills
    able = stills["sureable"]
    yield f"sure-able stills called sure: {share(stills['sureable called sure'], able)}"
    yield f"sure-able stills all right: {share(stills['sureable all right'], able)}"
    yield f"other stills called sure: {share(stills['other called sure'], stills['other'])}"
    everything = able + stills["other"]
    yield f"silent errors: {share(len(results.silent), everything)} {results.silent[:12]}"


def roll_lines(results: Results) -> Iterator[str]:
    """Yields the results of whole rolls as lines, in all and by tag."""
    for name, rolls in (("all", results.rolls), *sorted(results.rolls_by_tag.items())):
        parts = []
        if rolls.fit:
            parts.append(f"per die {share(rolls.top, rolls.dice)}")
            parts.append(f"exact {share(rolls.exact, rolls.fit)}")
            parts.append(f"coverage {share(rolls.sure, rolls.fit)}")
        if rolls.refuse:
            parts.append(f"refused {share(rolls.refused, rolls.refuse)}")
        if rolls.others:
            parts.append(f"others sure {share(rolls.others_sure, rolls.others)}")
        parts.append(f"silent {share(rolls.silent, rolls.total)}")
        yield f"  rolls {name}: " + "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Curve:
    """Candidates for sure rolls, the surest first: (n,) the probability that all faces are right,
    and whether a silent error would result.
    """

    chances: Floats
    silent: NDArray[np.bool_]

    @staticmethod
    def of(rolls: Sequence[tuple[float, bool]]) -> Curve:
        """Make the curve of rolls from their chances and whether they would be silent errors."""
        ordered = sorted(rolls, key=lambda roll: -roll[0])
        return Curve(
            np.array([chance for chance, _ in ordered], np.float64),
            np.array([silent for _, silent in ordered], np.bool_),
        )

    def best(self, allowed: int) -> tuple[float, int]:
        """The least probability to be sure with at most `allowed` silent errors, and the number of
        rolls that then rightly are.
        """
        wrong = np.cumsum(self.silent)
        count = int(np.searchsorted(wrong, allowed, side="right"))
        # What is as likely as the first error too many cannot be distinguished from it.
        while 0 < count < len(wrong) and self.chances[count - 1] == self.chances[count]:
            count -= 1
        if count == 0:
            return 1.0, 0
        return float(self.chances[count - 1]), count - int(wrong[count - 1])

    def covered(self, sure: float) -> int:
        """The number of rolls correctly called sure from a chance on."""
        return int(((self.chances >= sure) & ~self.silent).sum())


PARTS: Final = ((0, EVENING), (0, 2), (2, 10), (10, EVENING))
"""All rolls of an evening; the first two, before any print is known; the next eight; the
others."""


def _tallies() -> tuple[Results, ...]:
    return tuple(Results() for _ in PARTS)


@dataclass
class Evenings:
    """The results of a reader that learns prints, in each of PARTS, and of one that does not."""

    learning: tuple[Results, ...] = field(default_factory=_tallies)
    not_learning: tuple[Results, ...] = field(default_factory=_tallies)


def read_evenings(stills: Iterable[Still], networks: Networks) -> Evenings:
    """Read every roll in order, EVENING rolls of each box.

    The table enters the faces of fit rolls without an error, and applies sure readings, right or
    wrong; the reader learns them when the second roll after them is read. Other rolls are thrown
    again.
    """
    found, not_learning = Evenings(), Reader(networks)
    reader, lesson = Reader(networks), None
    for number, still in enumerate(stills):
        place = number % EVENING
        if place == 0:
            reader, lesson = Reader(networks), None
        look = reader.look(still.image)
        expected = Expected(rules_of(still.game), still.thrown)
        frame = Frame(still.image, 0.0, 0)
        reading = reading_of(reader.decide([look], expected, still.image), still.game, frame)
        plain = reading_of(not_learning.decide([look], expected, still.image), still.game, frame)
        for part, (first, after) in enumerate(PARTS):
            if first <= place < after:
                count(found.learning[part], still, reading)
                count(found.not_learning[part], still, plain)
        if reading.sure or still.is_fit:
            if lesson is not None:
                reader.learn(lesson)
            lesson = _lesson(still, reader.with_pictures(reading, still.image, look))
    return found


def _lesson(still: Still, reading: DiceReading) -> Lesson | None:
    """The lesson that the table's applied faces teach."""
    if reading.sure:
        return lesson_of(reading, [die.face for die in reading.dice if die.face is not None])
    pairs = pair_dice(still.dice, reading.dice)
    true = {id(read): die.face for die, read in pairs if die is not None}
    faces = [true.get(id(read), "") for read in reading.dice]
    if not set(faces) <= set(FACES):
        return None  # something else was taken for a die: the table enters the roll by hand
    return lesson_of(reading, [Face(face) for face in faces])
