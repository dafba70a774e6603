"""The table of the project's own drawings by face and style, and the split of each style."""

from typing import Final

import cv2
import numpy as np

from models.arrays import Mask
from models.art import emblems
from models.art.carvings import BOLTS, CLAWS, HEARTS, SKULLS, STARS, TOWERS, numerals
from models.art.digits import wide_numerals
from models.art.emblems import MARKS
from models.art.ruins import RUINS
from models.art.shapes import CANVAS, Drawing, Pen, bite, fitted
from models.art.skulls import (
    BONES,
    block_broken,
    block_leaning,
    claw_hand,
    claw_pad,
    claw_paw,
    claw_scratches,
    claw_talons,
    house_cracked,
    rook_cracked,
    rook_crumbling,
    skull_angry,
    skull_bones,
    skull_cracked,
    skull_front,
    skull_jawless,
    skyline_hit,
    tower_split,
)

_STROKES: Final[dict[str, tuple[list[tuple[float, float]], ...]]] = {
    "one": (
        [(0.36, 0.28), (0.52, 0.14), (0.52, 0.86)],
        [(0.34, 0.86), (0.70, 0.86)],
    ),
    "two": (
        [
            (0.28, 0.32), (0.34, 0.18), (0.5, 0.12), (0.67, 0.2), (0.7, 0.36),
            (0.6, 0.52), (0.28, 0.86), (0.74, 0.86),
        ],
    ),
    "three": (
        [
            (0.28, 0.2), (0.5, 0.12), (0.68, 0.22), (0.68, 0.38), (0.48, 0.47),
            (0.7, 0.58), (0.7, 0.76), (0.5, 0.88), (0.26, 0.8),
        ],
    ),
}  # fmt: skip
_BLOCKS: Final[dict[str, tuple[tuple[float, float, float, float], ...]]] = {
    "one": ((0.42, 0.1, 0.62, 0.9), (0.28, 0.74, 0.76, 0.9), (0.3, 0.1, 0.5, 0.28)),
    "two": (
        (0.24, 0.1, 0.76, 0.27),
        (0.56, 0.1, 0.76, 0.57),
        (0.24, 0.41, 0.76, 0.57),
        (0.24, 0.41, 0.44, 0.9),
        (0.24, 0.73, 0.76, 0.9),
    ),
    "three": (
        (0.24, 0.1, 0.76, 0.27),
        (0.56, 0.1, 0.76, 0.9),
        (0.36, 0.42, 0.76, 0.58),
        (0.24, 0.73, 0.76, 0.9),
    ),
}


def _stroked(face: str) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        width = rng.uniform(0.12, 0.22)
        narrow = rng.uniform(0.75, 1.05)
        for stroke in _STROKES[face]:
            points = np.asarray(stroke) + rng.normal(0, 0.012, (len(stroke), 2))
            points[:, 0] = 0.5 + (points[:, 0] - 0.5) * narrow
            pen.line(points, width)

    return draw


def _blocked(face: str) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        for box in _BLOCKS[face]:
            left, top, right, bottom = np.asarray(box) + rng.normal(0, 0.012, 4)
            clip = rng.uniform(0.0, 0.06)
            pen.fill(
                [
                    (left + clip, top), (right - clip, top), (right, top + clip),
                    (right, bottom - clip), (right - clip, bottom), (left + clip, bottom),
                    (left, bottom - clip), (left, top + clip),
                ]
            )  # fmt: skip
        if face == "two" and rng.random() < 0.5:
            pen.fill([(0.24, 0.73), (0.24, 0.6), (0.6, 0.34), (0.76, 0.4), (0.44, 0.76)])
        for _ in range(int(rng.integers(0, 3))):
            bite(pen, rng)

    return draw


def _slab(face: str) -> Drawing:
    stroked = _stroked(face)

    def draw(pen: Pen, rng: np.random.Generator) -> None:
        stroked(pen, rng)
        if face == "one":
            pen.box(0.26, 0.78, 0.76, rng.uniform(0.88, 0.94))
            pen.box(0.34, 0.1, 0.58, rng.uniform(0.2, 0.26))
        elif face == "two":
            pen.box(0.66, 0.68, 0.8, 0.92)
            pen.oval((0.32, 0.33), (0.1, 0.09))
        else:
            pen.oval((0.3, 0.28), (0.09, 0.09))
            pen.oval((0.3, 0.74), (0.09, 0.09))
        bite(pen, rng)

    return draw


def _heart_curve(pen: Pen, rng: np.random.Generator) -> None:
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    x = 16 * np.sin(turn) ** 3
    y = -(13 * np.cos(turn) - 5 * np.cos(2 * turn) - 2 * np.cos(3 * turn) - np.cos(4 * turn))
    lop = rng.uniform(-0.12, 0.12)
    points = np.stack([x * (1 + lop * np.sign(x)), y * rng.uniform(0.85, 1.1) - 2], 1) / 38 + 0.5
    pen.fill(points)
    if rng.random() < 0.6:
        notch = [
            (0.46, 0.1),
            (0.5, 0.34),
            (0.43, rng.uniform(0.4, 0.52)),
            (0.53, 0.36),
            (0.56, 0.1),
        ]
        pen.fill(notch, 0)


def _heart_cut(pen: Pen, rng: np.random.Generator) -> None:
    outline = np.array(
        [
            (0.5, 0.3), (0.42, 0.16), (0.25, 0.12), (0.1, 0.24), (0.09, 0.44), (0.2, 0.62),
            (0.5, 0.92), (0.8, 0.62), (0.91, 0.44), (0.89, 0.22), (0.74, 0.11), (0.58, 0.17),
        ]
    )  # fmt: skip
    pen.fill(outline + rng.normal(0, 0.022, outline.shape))


def _heart_discs(pen: Pen, rng: np.random.Generator) -> None:
    radius = rng.uniform(0.2, 0.25)
    middle = rng.uniform(0.32, 0.4)
    pen.oval((0.5 - radius * 0.9, middle), (radius, radius))
    pen.oval((0.5 + radius * 0.9, middle), (radius, radius * rng.uniform(0.9, 1.1)))
    wide = radius * 1.75
    pen.fill(
        [(0.5 - wide, middle + 0.1), (0.5, rng.uniform(0.85, 0.95)), (0.5 + wide, middle + 0.1)]
    )
    pen.fill([(0.5 - wide, middle + 0.1), (0.5, middle - 0.05), (0.5 + wide, middle + 0.1)])


def _heart_hollow(pen: Pen, rng: np.random.Generator) -> None:
    _heart_cut(pen, rng)
    inner = cv2.erode(pen.ink, np.ones((3, 3), np.uint8), iterations=int(rng.integers(10, 20)))
    pen.ink = cv2.subtract(pen.ink, inner)


def _bolt_step(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array(
        [(0.62, 0.06), (0.26, 0.52), (0.46, 0.54), (0.34, 0.94), (0.76, 0.42), (0.54, 0.4)]
    )
    points += rng.normal(0, 0.025, points.shape)
    points[:, 0] = 0.5 + (points[:, 0] - 0.5) * rng.uniform(0.8, 1.5)
    pen.fill(points)


def _bolt_spur(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array(
        [
            (0.78, 0.08), (0.5, 0.1), (0.24, 0.46), (0.17, 0.5), (0.3, 0.54), (0.44, 0.5),
            (0.22, 0.92), (0.8, 0.42), (0.6, 0.44),
        ]
    )  # fmt: skip
    pen.fill(points + rng.normal(0, 0.02, points.shape))


def _bolt_zigzag(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array([(0.66, 0.1), (0.38, 0.36), (0.62, 0.48), (0.34, 0.9)])
    points += rng.normal(0, 0.03, points.shape)
    for start, end, width in zip(points[:-1], points[1:], (0.2, 0.16, 0.1), strict=True):
        pen.line(np.stack([start, end]), width * rng.uniform(0.7, 1.2))


def _bolt_long(pen: Pen, rng: np.random.Generator) -> None:
    points = np.array(
        [
            (0.7, 0.04), (0.4, 0.3), (0.52, 0.34), (0.3, 0.56), (0.42, 0.6), (0.22, 0.96),
            (0.64, 0.58), (0.52, 0.53), (0.76, 0.3), (0.62, 0.26),
        ]
    )  # fmt: skip
    pen.fill(points + rng.normal(0, 0.02, points.shape))


def _star(inner: tuple[float, float], cracked: bool) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        ratio = rng.uniform(*inner)
        angles = np.radians(np.arange(10) * 36 - 90 + rng.uniform(-8, 8))
        radii = np.where(np.arange(10) % 2 == 0, 0.46, 0.46 * ratio) * rng.normal(1, 0.03, 10)
        pen.fill(np.stack([np.cos(angles) * radii, np.sin(angles) * radii], 1) + 0.5)
        if cracked:
            notch = [(0.72, 0.95), (0.6, 0.7), (0.66, 0.62), (0.57, 0.56), (0.7, 0.66), (0.84, 0.9)]
            pen.fill(np.asarray(notch) + rng.normal(0, 0.015, (6, 2)), 0)

    return draw


def _star_fat(pen: Pen, rng: np.random.Generator) -> None:
    _star((0.45, 0.6), False)(pen, rng)
    pen.ink = cv2.GaussianBlur(pen.ink, (0, 0), rng.uniform(5, 10))
    pen.ink = np.where(pen.ink > 110, 255, 0).astype(np.uint8)


def _star_hollow(pen: Pen, rng: np.random.Generator) -> None:
    _star((0.4, 0.5), False)(pen, rng)
    inner = cv2.erode(pen.ink, np.ones((3, 3), np.uint8), iterations=int(rng.integers(10, 16)))
    pen.ink = cv2.subtract(pen.ink, inner)


_WIDE: Final[dict[str, dict[str, Drawing]]] = {
    "energy": emblems.BOLTS,
    "attack": MARKS,
    "destruction": RUINS,
    "heal": emblems.HEARTS,
    "celebrity": emblems.STARS,
    "ouch": BONES,
    **{face: wide_numerals(face) for face in ("one", "two", "three")},
}

WIDE: Final = frozenset(f"{face}/{style}" for face, styles in _WIDE.items() for style in styles)
"""The styles that draw another symbol each time; all of them are trained on."""

DRAWINGS: Final[dict[str, dict[str, Drawing]]] = {
    "energy": {
        "step": _bolt_step,
        "spur": _bolt_spur,
        "zigzag": _bolt_zigzag,
        "long": _bolt_long,
        **BOLTS,
        **_WIDE["energy"],
    },
    "attack": {
        "pad": claw_pad,
        "paw": claw_paw,
        "hand": claw_hand,
        "scratches": claw_scratches,
        "talons": claw_talons,
        **CLAWS,
        **_WIDE["attack"],
    },
    "destruction": {
        "split": tower_split,
        "rook": rook_crumbling,
        "cracked": rook_cracked,
        "block": block_broken,
        "leaning": block_leaning,
        "skyline": skyline_hit,
        "house": house_cracked,
        **TOWERS,
        **_WIDE["destruction"],
    },
    "heal": {
        "curve": _heart_curve,
        "cut": _heart_cut,
        "discs": _heart_discs,
        "hollow": _heart_hollow,
        **HEARTS,
        **_WIDE["heal"],
    },
    "celebrity": {
        "sharp": _star((0.34, 0.42), False),
        "cracked": _star((0.38, 0.5), True),
        "fat": _star_fat,
        "hollow": _star_hollow,
        **STARS,
        **_WIDE["celebrity"],
    },
    "ouch": {
        "front": skull_front,
        "cracked": skull_cracked,
        "jawless": skull_jawless,
        "angry": skull_angry,
        "bones": skull_bones,
        **SKULLS,
        **_WIDE["ouch"],
    },
    **{
        face: {
            "stroked": _stroked(face),
            "blocked": _blocked(face),
            "slab": _slab(face),
            **numerals(face),
            **_WIDE[face],
        }
        for face in ("one", "two", "three")
    },
}

HELD: Final[dict[str, frozenset[str]]] = {
    "val": frozenset(
        {
            "energy/double", "attack/thorns", "destruction/toppled", "heal/arcs",
            "celebrity/broad", "ouch/block", "one/diamond", "two/diamond", "three/diamond",
        }
    ),
    "test": frozenset(
        {
            "energy/twin", "energy/hooked", "attack/sabres", "attack/shards",
            "destruction/stepped", "destruction/hewn", "heal/field", "heal/slanted",
            "celebrity/uneven", "celebrity/slit", "ouch/lopsided", "ouch/wide",
            "one/broad", "two/broad", "three/broad",
        }
    ),
}  # fmt: skip
"""The styles that are never trained on, by the split that shows them."""


def split_of_style(face: str, style: str) -> str:
    """The split that may show the style."""
    return next((split for split, held in HELD.items() if f"{face}/{style}" in held), "train")


def drawn(face: str, style: str, rng: np.random.Generator) -> Mask:
    """Draw the face in the style, with jitter: (SIZE, SIZE) uint8, ink 255."""
    pen = Pen()
    DRAWINGS[face][style](pen, rng)
    grid = cv2.getRotationMatrix2D((CANVAS / 2, CANVAS / 2), rng.normal(0, 4), 0.96)
    grid[0, 1] += rng.normal(0, 0.04)
    return fitted(cv2.warpAffine(pen.ink, grid, (CANVAS, CANVAS)))
