"""The report `models/REPORT.md`, written by `python -m models.evaluate test`, with a classical
baseline: edge detection and template matching, without networks.

It has two advantages over the networks: it never has to refuse, and its templates are all drawings
that the networks were trained on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.intervals import wilson
from companion.vision.networks.classify import rectified
from companion.vision.pictures import Pyramid
from companion.vision.read.geometry import overlap
from models.arrays import Floats, Image
from models.art.glyphs import FACES, Bank
from models.dataset import EVENING
from models.measure.counting import (
    OUTCOMES,
    PARTS,
    Evenings,
    Results,
    Rolls,
    Still,
    calibration_error,
    share,
)
from models.places import TARGET

TEMPLATE: Final = 24
REGIONS: Final = (0.72, 0.9)
"""The assumed widths of a drawing, in sides of the top."""
PER_DRAWING: Final = 2
SAME: Final = 0.4
"""The overlap above which a found square counts as the top."""


@dataclass
class Baseline:
    """The baseline's correct dice and rolls."""

    dice: int = 0
    named_given: int = 0
    """Named rightly at the true corners."""
    found: int = 0
    named: int = 0
    """Found by their edges and named rightly."""
    rolls: int = 0
    exact: int = 0


class Templates:
    """The train split's drawings as unit vectors, in four turns."""

    def __init__(self, bank: Bank) -> None:
        rows, faces = [], []
        for index, face in enumerate(FACES):
            for glyph in bank.of("train", face):
                for mask in glyph.variants[:PER_DRAWING]:
                    small = cv2.resize(mask, (TEMPLATE, TEMPLATE), interpolation=cv2.INTER_AREA)
                    rows += [np.rot90(small, turn) for turn in range(4)]
                    faces += [index] * 4
        self._vectors = _unit(np.array(rows, np.float32))
        self._faces = np.array(faces)

    def names(self, image: Image, quads: Floats) -> list[str]:
        """The best-matching face of each top at quads (N, 4, 2), for light ink and for dark ink."""
        if len(quads) == 0:
            return []
        picture = Pyramid(image)
        likeness = np.full((len(quads), len(FACES)), -1.0)
        for region in REGIONS:
            cut = rectified(picture, quads, region, TEMPLATE)
            found = np.abs(_unit(cut.max(axis=3).astype(np.float32)) @ self._vectors.T)
            for face in range(len(FACES)):
                best = found[:, self._faces == face].max(axis=1)
                likeness[:, face] = np.maximum(likeness[:, face], best)
        return [FACES[face] for face in likeness.argmax(axis=1)]


def _unit(pictures: Floats) -> Floats:
    flat = pictures.reshape(len(pictures), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 1e-6), np.float32)


def squares(image: Image) -> Floats:
    """(N, 4, 2) candidates for the square of a die by its edges, without duplicates."""
    grey = cv2.GaussianBlur(image.max(axis=2), (0, 0), 1.5)
    edges = cv2.dilate(cv2.Canny(grey, 30, 90), np.ones((3, 3), np.uint8))
    outlines, _ = cv2.findContours(255 - edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found: list[Floats] = []
    for outline in sorted(outlines, key=cv2.contourArea, reverse=True):
        box = cv2.minAreaRect(outline)
        short, long = sorted(box[1])
        if short < 18 or long > 170 or long > 1.6 * short:
            continue
        if cv2.contourArea(outline) < 0.55 * short * long:
            continue
        quad = np.asarray(cv2.boxPoints(box), np.float32)
        if all(overlap(quad, other) < 0.3 for other in found):
            found.append(quad)
    return np.array(found, np.float32).reshape(-1, 4, 2)


def compare(results: Baseline, templates: Templates, still: Still) -> None:
    """Add a readable still to the baseline's results."""
    if not still.is_fit:
        return
    quads = np.array([die.quad for die in still.dice], np.float32)
    faces = [die.face for die in still.dice]
    given = templates.names(still.image, quads)
    found = squares(still.image)
    names = templates.names(still.image, found)
    right = 0
    for quad, face in zip(quads, faces, strict=True):
        near = [i for i in range(len(found)) if overlap(found[i], quad) > SAME]
        results.found += bool(near)
        right += any(names[i] == face for i in near)
    results.dice += len(faces)
    results.named_given += sum(a == b for a, b in zip(given, faces, strict=True))
    results.named += right
    results.rolls += 1
    results.exact += right == len(faces) == len(found)


PATH: Final = TARGET / "REPORT.md"
WORST: Final = 12


@dataclass(frozen=True, slots=True)
class Run:
    """The results of an evaluation: with and without a known number of dice, of the baseline, of
    evenings; and the processor time of a still, ms.
    """

    given: Results
    without_count: Results
    baseline: Baseline
    evenings: Evenings
    milliseconds: float


def write_report(run: Run, networks: str) -> None:
    """Write the report beside the networks of a commit."""
    PATH.write_text("\n".join(_lines(run, networks)) + "\n", encoding="utf-8")


def of_test(results: Results) -> dict[str, float]:
    """The figures of the own test split for `dice.json`, with a known number of dice."""
    rolls = results.rolls
    return {
        "test_rolls": rolls.total,
        "test_refuse": rolls.refuse,
        "test_dice": rolls.dice,
        "test_top_class": _rounded(rolls.top, rolls.dice),
        "test_exact": _rounded(rolls.exact, rolls.fit),
        "test_coverage": _rounded(rolls.sure, rolls.fit),
        "test_silent_errors": rolls.silent,
        "test_calibration_error": round(calibration_error(results.chances), 4),
    }


def of_evenings(found: Evenings) -> dict[str, float]:
    """The figures of the test split's evenings for `dice.json`, with a known number of dice."""
    rolls = found.learning[0].rolls
    return {
        "evening_rolls": rolls.total,
        "evening_refuse": rolls.refuse,
        "evening_exact": _rounded(rolls.exact, rolls.fit),
        "evening_coverage": _rounded(rolls.sure, rolls.fit),
        "evening_silent_errors": rolls.silent,
    }


def of_stills(results: Results) -> dict[str, float]:
    """The figures of a folder of stills for `dice.json`, without a known number of dice."""
    dice = sum(results.dice.values())
    return {
        "stills": results.stills["sureable"] + results.stills["other"],
        "stills_dice": dice,
        "stills_top_class": _rounded(results.top_class, dice),
        "stills_named": _rounded(results.dice["right"], dice),
        "stills_sureable": results.stills["sureable"],
        "stills_called_sure": results.stills["sureable called sure"],
        "stills_silent_errors": len(results.silent),
    }


def _rounded(hits: int, total: int) -> float:
    return round(hits / max(1, total), 4)


def _lines(run: Run, networks: str) -> Iterator[str]:
    rolls = run.given.rolls
    yield "# What the reader gets right on its own test split"
    yield ""
    yield "Written by `python -m models.evaluate test`; not to be changed by hand. Every share is"
    yield "preceded by its counts and followed by its 95 % Wilson interval. Drawings, textures of"
    yield "the ground and sectors of light of these pictures were never trained on."
    yield ""
    yield f"Networks of commit {networks}; {rolls.total} rolls, of which"
    yield f"{rolls.refuse} must be refused: a die leans, stands on another or is another game's."
    yield f"{rolls.others} more are not fit: a die is cut off, hidden, blinded or too small."
    yield "Where the number of dice is not known, so must rolls of another number than is usual."
    yield f"Median processor time of a read, decoded: {run.milliseconds:.1f} ms on one thread."
    yield ""
    yield from _summary(run)
    yield ""
    yield "## Evenings: the table teaches the reader its box"
    yield ""
    yield f"{EVENING} rolls of one box follow one another. What the table says of a roll is known"
    yield "when the second one after it is read; the number of dice is known too."
    yield ""
    yield from evening_lines(run.evenings)
    yield ""
    yield "## The classical baseline on the same pictures"
    yield ""
    yield "Edges find squares, template matching with every training drawing names them."
    yield ""
    line = run.baseline
    yield f"- named at the true corners: {share(line.named_given, line.dice)}"
    yield f"- found by their edges: {share(line.found, line.dice)}"
    yield f"- found and rightly named: {share(line.named, line.dice)}"
    yield f"- rolls exact: {share(line.exact, line.rolls)}"
    yield ""
    yield from _faces(run.given)
    yield ""
    yield from _drawings(run.given)
    yield ""
    yield from _tags(run.given)
    yield ""
    yield from _doubts(run.given)


def _summary(run: Run) -> Iterator[str]:
    yield "| | number of dice known, as in play | not known |"
    yield "| --- | --- | --- |"
    both = (run.given, run.without_count)
    for name, cells in (
        ("dice of fit rolls, likeliest face right", [_top(t.rolls) for t in both]),
        ("fit rolls exact", [share(t.rolls.exact, t.rolls.fit) for t in both]),
        ("fit rolls called sure (coverage)", [share(t.rolls.sure, t.rolls.fit) for t in both]),
        ("must be refused, refused", [share(t.rolls.refused, t.rolls.refuse) for t in both]),
        (
            "neither fit nor to be refused, called sure",
            [share(t.rolls.others_sure, t.rolls.others) for t in both],
        ),
        ("**silent errors**, of all rolls", [_silent(t.rolls) for t in both]),
        ("calibration error (ECE, 15 bins)", [_ece(t) for t in both]),
        ("finds that are no die", [str(t.extra) for t in both]),
    ):
        yield f"| {name} | {cells[0]} | {cells[1]} |"


def evening_lines(found: Evenings) -> Iterator[str]:
    """Yields the results of a reader that learns prints, and of one that does not, as lines."""
    yield "| rolls of an evening | | fit rolls exact | called sure (coverage) | **silent errors** |"
    yield "| --- | --- | --- | --- | --- |"
    for (first, after), learning, plain in zip(
        PARTS, found.learning, found.not_learning, strict=True
    ):
        for name, rolls in (("taught", learning.rolls), ("nothing learnt", plain.rolls)):
            yield (
                f"| {first + 1} to {after} | {name} | {share(rolls.exact, rolls.fit)} "
                f"| {share(rolls.sure, rolls.fit)} | {_silent(rolls)} |"
            )
    everything = found.learning[0]
    rolls = everything.rolls
    yield ""
    yield f"Of the {rolls.total} rolls {rolls.refuse} must be refused. Taught, of"
    yield f"the dice of the others {_top(rolls)} are"
    yield f"rightly named; ECE {_ece(everything)}. Why fit rolls were not called sure:"
    yield ", ".join(f"{name} {times}" for name, times in everything.problems.most_common()) + "."
    yield ""
    yield "Silent errors: " + ("; ".join(everything.silent) or "none") + "."


def _top(rolls: Rolls) -> str:
    return share(rolls.top, rolls.dice)


def _silent(rolls: Rolls) -> str:
    total = rolls.total
    return f"{share(rolls.silent, total)}; at most {wilson(rolls.silent, total)[1]:.2%}"


def _ece(results: Results) -> str:
    return f"{calibration_error(results.chances):.4f}, n = {len(results.chances)}"


def _faces(results: Results) -> Iterator[str]:
    yield "## By face (all countable dice, the number of dice known)"
    yield ""
    yield "| face | " + " | ".join(OUTCOMES) + " | rightly named |"
    yield "| --- |" + " --- |" * (len(OUTCOMES) + 1)
    for face, row in sorted(results.faces.items()):
        cells = " | ".join(str(row[outcome]) for outcome in OUTCOMES)
        yield f"| {face} | {cells} | {share(row['right'], sum(row.values()))} |"
    yield ""
    yield "Most often taken for another: " + ", ".join(
        f"{true} for {named} {times} times"
        for (true, named), times in results.confused.most_common(8)
    )


def _drawings(results: Results) -> Iterator[str]:
    yield "## The drawings most often misread (likeliest face)"
    yield ""
    worst = sorted(results.drawings.items(), key=lambda row: row[1][True] / sum(row[1].values()))
    for name, row in worst[:WORST]:
        yield f"- {name}: {share(row[True], sum(row.values()))}"


def _tags(results: Results) -> Iterator[str]:
    yield "## By tag (the number of dice known)"
    yield ""
    yield "| tag | dice right | rolls exact | coverage | refused | silent |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for tag, rolls in sorted(results.rolls_by_tag.items()):
        fit = ("", "", "")
        if rolls.fit:
            fit = (_top(rolls), share(rolls.exact, rolls.fit), share(rolls.sure, rolls.fit))
        refused = share(rolls.refused, rolls.refuse) if rolls.refuse else ""
        silent = share(rolls.silent, rolls.total)
        yield f"| {tag} | {' | '.join(fit)} | {refused} | {silent} |"


def _doubts(results: Results) -> Iterator[str]:
    yield "## Why fit rolls were not called sure"
    yield ""
    for problem, times in results.problems.most_common():
        yield f"- {problem}: {times}"
    yield ""
    yield "## Silent errors, one by one"
    yield ""
    for name in results.silent or ["none"]:
        yield f"- {name}"
