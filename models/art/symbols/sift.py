"""Which drawings become symbols: legible ones that no face could be, each in one class."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Mask
from models.art.glyphs import SPLITS, Bank
from models.art.symbols.bank import Drawing, Symbols, alike, classes_of, coarse, likeness

EMPTY: Final = 0.04
SOLID: Final = 0.85
THIN: Final = 1.25
"""The mean distance of ink from its edge, px, below which a drawing is in hairlines: that of
strokes 5 px wide.
"""
FACE_LIKE: Final = 0.7
"""The overlap (IoU, any turn) with a drawing of a face above which a symbol is left out."""
NAMESAKE: Final = 0.5
"""Drawings of one name from several packages overlap at least so much, or the later is left out."""
HANDS: Final = 6
"""The most drawings of one icon's name."""
VARIANTS: Final = 12
"""How many variants of each drawing of a face are compared."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the bank of faces says of symbols, as `coarse` masks: the faces; foreign signs that
    are trained on already; and those of val and test.
    """

    faces: Floats
    trained: Floats
    held: Floats


def known_of(bank: Bank) -> Known:
    """Collect from the bank of faces what symbols must differ from."""
    faces = [v for g in bank.glyphs if g.face != "other" for v in g.variants[:VARIANTS]]
    other = [g for g in bank.glyphs if g.face == "other"]
    return Known(
        coarse(faces),
        coarse(v for g in other if g.split == "train" for v in g.variants),
        coarse(v for g in other if g.split != "train" for v in g.variants),
    )


def is_legible(mask: Mask) -> bool:
    """Whether a drawing (SIZE, SIZE) is neither blank nor solid nor in hairlines."""
    ink = (mask > 127).astype(np.uint8)
    if not EMPTY < float(ink.mean()) < SOLID:
        return False
    depth = cv2.distanceTransform(ink, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return float(depth[ink > 0].mean()) >= THIN


def face_likeness(masks: Sequence[Mask], known: Known) -> Floats:
    """(n,) each drawing's largest overlap with a drawing of a face, in any turn."""
    ink = coarse(masks)
    parts = [likeness(ink[i : i + 500], known.faces).max(axis=1) for i in range(0, len(ink), 500)]
    return np.concatenate(parts)


def sifted(candidates: Sequence[Drawing], known: Known) -> Symbols:
    """Keep of the candidates, the first ones first, what is legible and no face, in classes.

    A class whose first drawing looks like one of an earlier class joins that; a later drawing that
    looks like another class is left out. So is one of val or test that looks like a trained one;
    only pips stay, and what looks like them is not trained on.
    """
    legible = [d for d in candidates if d.kind == "pips" or is_legible(d.mask)]
    faces = face_likeness([d.mask for d in legible], known)
    fair = [d for d, like in zip(legible, faces, strict=True) if like <= FACE_LIKE]
    ink = coarse(d.mask for d in fair)
    never = coarse(d.mask for d in fair if d.kind == "pips")
    foreign = {
        "train": _near(ink, np.concatenate([known.held, never])), "val": _near(ink, known.trained),
        "test": _near(ink, known.trained),
    }  # fmt: skip
    order = sorted(range(len(fair)), key=lambda i: SPLITS.index(fair[i].split))
    near: dict[int, list[int]] = {}
    for mine, theirs, _ in alike(ink, ink):
        near.setdefault(mine, []).append(theirs)
    kept: dict[int, Drawing] = {}
    joined: dict[tuple[str, str], str] = {}
    first: dict[tuple[str, str], int] = {}
    counts: dict[tuple[str, str], int] = {}
    for place in order:
        drawing = fair[place]
        split, given = drawing.split, drawing.name
        others = [kept[i] for i in near.get(place, ()) if i in kept]
        if foreign[split][place] or (split != "train" and any(d.split == "train" for d in others)):
            continue
        same = [d.name for d in others if d.split == split]
        name = joined.setdefault((split, given), same[0] if same else given)
        icon = drawing.kind.startswith("icons")
        most = HANDS if icon else 4 * HANDS
        if any(other != name for other in same) or counts.get((split, name), 0) >= most:
            continue
        begun = fair[first.setdefault((split, name), place)]
        if icon and given == name and _upright(begun.mask, drawing.mask) < NAMESAKE:
            continue
        counts[split, name] = counts.get((split, name), 0) + 1
        kept[place] = replace(drawing, name=name)
    return classes_of(kept.values())


def _near(ink: Floats, others: Floats) -> list[bool]:
    """Whether each looks the same as one of the others."""
    found = {mine for mine, _, _ in alike(ink, others)}
    return [place in found for place in range(len(ink))]


def _upright(one: Mask, other: Mask) -> float:
    """The overlap of two drawings as they are."""
    a, b = one > 127, other > 127
    return float((a & b).sum() / max(1, (a | b).sum()))
