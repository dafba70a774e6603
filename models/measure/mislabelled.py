"""Boxes enrolled with some wrong labels: are these named, and is the box read as well as without?

Each box is enrolled twice from the same views of each face, as `companion calibrate` does it: once
with their right labels, once with some of them exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from companion.engine import Face
from companion.vision.box import Profile, rules_of
from companion.vision.networks.classify import Networks
from companion.vision.read.enrolling import (
    LabelledDie,
    LabelledPrint,
    LabelledStill,
    collect_prints,
    compare_prints,
    select_prints,
)
from companion.vision.read.reader import Expected, Reader
from models.measure.counting import Results, Still, count, evenings_of, roll_lines, share

VIEWS: Final = 10
WRONG: Final = 0.1
"""The share of labels that are wrong."""


@dataclass
class Mislabelled:
    """What became of the wrong labels, and of the rolls read with and without them."""

    right: Results = field(default_factory=Results)
    wrong: Results = field(default_factory=Results)
    boxes: int = 0
    labels: int = 0
    exchanged: int = 0
    named: int = 0
    """Wrong labels whose prints were set aside."""
    accused: int = 0
    """Right labels whose prints were set aside."""


def read_mislabelled(
    stills: Iterable[Still], networks: Networks, views: int = VIEWS, seed: int = 1
) -> Mislabelled:
    """Enrol each box from so many views of each face with right and with wrong labels, and read its
    other rolls, with a known number of dice."""
    rng = np.random.default_rng(seed)
    found = Mislabelled()
    plain = Reader(networks)
    for evening in evenings_of(stills, lambda still: still.tags):
        prints, first = _shown(evening, plain, views)
        labels = exchanged([one.face for one in prints], rng)
        mixed = [replace(one, face=face) for one, face in zip(prints, labels, strict=True)]
        odd = {id(one) for face in compare_prints(mixed).values() for one in face.odd}
        found.boxes += 1
        found.labels += len(prints)
        for before, after in zip(prints, mixed, strict=True):
            found.exchanged += before.face != after.face
            found.named += before.face != after.face and id(after) in odd
            found.accused += before.face == after.face and id(after) in odd
        for results, box in ((found.right, prints), (found.wrong, mixed)):
            reader = Reader(networks, Profile(dice={evening[0].game: _enrolled(box)}))
            for still in evening[first:]:
                expected = Expected(rules_of(still.game), still.thrown)
                count(results, still, reader.read(still.image, expected))
    return found


def exchanged(faces: Sequence[Face], rng: np.random.Generator) -> list[Face]:
    """Exchange a share WRONG of the labels for another face of the same box."""
    labels, names = list(faces), sorted(set(faces))
    for place in rng.permutation(len(faces))[: round(WRONG * len(faces))]:
        others = [face for face in names if face != faces[place]] or names
        labels[place] = others[int(rng.integers(len(others)))]
    return labels


def _shown(evening: Sequence[Still], reader: Reader, views: int) -> tuple[list[LabelledPrint], int]:
    """The first `views` prints of each face, and how many stills they are from."""
    prints: dict[Face, list[LabelledPrint]] = {}
    rules = rules_of(evening[0].game)
    for number, still in enumerate(evening):
        if all(len(prints.get(face, ())) >= views for face in rules.faces):
            return [one for mine in prints.values() for one in mine], number
        dice = tuple(
            LabelledDie(Face(die.face), _box(die.box))
            for die in still.dice
            if die.countable and die.face in rules.faces
        )
        labelled = LabelledStill(still.name, dice)
        for one in collect_prints(still.image, labelled, reader, Expected(rules, still.thrown)):
            if len(prints.setdefault(one.face, [])) < views:
                prints[one.face].append(one)
    return [one for mine in prints.values() for one in mine], len(evening)


def _box(box: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    x, y, width, height = (round(value) for value in box)
    return x, y, width, height


def _enrolled(prints: Sequence[LabelledPrint]) -> dict[Face, tuple[bytes, ...]]:
    """The prints that are stored of the faces that can be enrolled."""
    found = compare_prints(prints)
    return {face: select_prints(one) for face, one in found.items() if one.is_enrolled()}


def mislabelled_lines(found: Mislabelled) -> Iterator[str]:
    """Yields the results as lines."""
    yield f"{found.boxes} boxes, {found.labels} labels; the number of dice is known"
    yield f"wrong labels named: {share(found.named, found.exchanged)}"
    yield f"right labels taken for wrong: {share(found.accused, found.labels - found.exchanged)}"
    for name, results in (("all labels right", found.right), ("some wrong", found.wrong)):
        yield f"{name}:"
        yield from roll_lines(results)
