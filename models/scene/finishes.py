"""What dice and ground look like: colours, gloss, wear, plastic and engraving of dice; textures of
noise, printed boards and keyboards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image

PATTERNS: Final = ("swirl", "swirl", "pearl", "speckle")
"""The patterns of a body of more than one colour."""


@dataclass(frozen=True, slots=True)
class Plastic:
    """How a die's body and print differ from opaque plastic of one colour with flat print."""

    pattern: str = ""
    """One of PATTERNS; "" for a body of one colour."""
    second: Floats | None = None
    """The pattern's other colour, linear BGR."""
    relief: float = 0.0
    """The steepness of the print's edges: above 0 engraved, below 0 embossed."""
    bevel: float = 1.0
    """The width of those edges, px of a face's TEXTURE."""
    painted: bool = True
    """Whether the print has a colour of its own."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The colours and gloss of a die; colours are linear BGR in 0..1."""

    body: Floats
    ink: Floats
    colour: str
    gloss: float
    sharpness: float
    radius: float
    wear: float
    plastic: Plastic | None = None
    """None for opaque plastic of one colour with flat print."""


def linear(colour: list[float] | Floats) -> Floats:
    """Convert an sRGB-like colour 0..255 to linear 0..1."""
    return np.asarray((np.asarray(colour) / 255.0) ** 2.2, np.float32)


def finish(rng: np.random.Generator, odd: float = 0.18, worn: float = 0.4) -> Finish:
    """Make a random body and ink as owners' dice have them: black and green, a share of `odd`
    colours. `worn` is the most that a print may be worn; above 0.3 strokes may be missing.
    """
    pick = rng.random() / (1 - odd) * 0.82
    green = [rng.uniform(10, 90), rng.uniform(150, 255), rng.uniform(60, 235)]
    dark = np.clip(rng.uniform(8, 70) + rng.normal(0, 8, 3), 4, 255)
    if pick < 0.6:
        body, ink, colour = linear(dark), linear(green), "black"
    elif pick < 0.82:
        body, ink, colour = linear(green), linear(dark * 0.6), "green"
    else:
        body = linear(rng.uniform(10, 250, 3))
        ink = linear(rng.uniform(10, 250, 3))
        if abs(float(body.mean() - ink.mean())) < 0.15:
            ink = np.asarray(body * 0.1 if body.mean() > 0.3 else 1 - body, np.float32)
        colour = "other"
    return Finish(
        body, ink, colour, float(rng.choice([0.0, 0.25, 0.6, 1.0])) * rng.uniform(0.3, 1.0),
        float(np.exp(rng.uniform(np.log(8), np.log(300)))), rng.uniform(0.06, 0.24),
        rng.uniform(0, worn) if rng.random() < 0.4 else 0.0,
    )  # fmt: skip


FINISHES: Final = {
    "as before": 0.14, "box": 0.24, "metal": 0.12, "red": 0.12, "other": 0.13, "patterned": 0.14,
    "white": 0.11,
}  # fmt: skip
"""The shares of varied finishes."""


def varied_finish(rng: np.random.Generator, odd: float = 0.18, worn: float = 0.4) -> Finish:
    """Make a random finish, as `finish` or as one of the real box, of another colour, patterned
    or white, with flat, engraved or embossed print.
    """
    base = replace(finish(rng, odd, worn), radius=rng.uniform(0.04, 0.25))
    if rng.random() < 0.5:
        base = replace(base, radius=rng.uniform(0.14, 0.25))
    kind = str(rng.choice(list(FINISHES), p=list(FINISHES.values())))
    plastic = Plastic()
    if rng.random() < 0.5:
        steep = rng.uniform(0.8, 4.0) * (1 if rng.random() < 0.8 else -1)
        bevel, painted = rng.uniform(0.7, 3.0), kind == "metal" or rng.random() < 0.8
        plastic = Plastic(relief=steep, bevel=bevel, painted=painted)
    if kind != "as before":
        body, ink, colour = _colours(kind, rng)
        base = replace(base, body=body, ink=ink, colour=colour)
    if kind == "patterned" or (kind in {"other", "as before"} and rng.random() < 0.25):
        pattern = str(rng.choice(PATTERNS))
        plastic = replace(plastic, pattern=pattern, second=_second(base.body, pattern, rng))
    if not plastic.painted:
        base = replace(base, ink=np.asarray(base.body * rng.uniform(0.7, 1.0), np.float32))
    return replace(base, plastic=plastic)


def engraved(style: Finish, rng: np.random.Generator) -> Finish:
    """Cut the print of the finish in, in glossy plastic: its edges catch the light on the side
    towards a lamp, and lie in shadow on the other.
    """
    steep, bevel = rng.uniform(1.5, 5.0), rng.uniform(0.7, 4.0)
    plastic = replace(style.plastic or Plastic(), relief=steep, bevel=bevel)
    gloss, sharpness = rng.uniform(0.3, 1.0), rng.uniform(30, 300)
    return replace(style, plastic=plastic, gloss=gloss, sharpness=sharpness)


def _colours(kind: str, rng: np.random.Generator) -> tuple[Floats, Floats, str]:
    """Draw body and ink of a kind of FINISHES, and the name of the body's colour."""
    dark = linear(np.clip(rng.uniform(8, 48) + rng.normal(0, 4, 3), 4, 255))
    white = linear(np.clip(rng.uniform(205, 252) + rng.normal(0, 5, 3), 180, 255))
    green = linear([rng.uniform(30, 130), rng.uniform(185, 250), rng.uniform(80, 195)])
    if kind == "box":
        return dark, green, "black"
    if kind == "metal":
        return green, linear(np.clip(rng.uniform(25, 95) + rng.normal(0, 6, 3), 8, 120)), "green"
    if kind == "red":
        red = linear([rng.uniform(8, 60), rng.uniform(8, 60), rng.uniform(110, 240)])
        return (dark if rng.random() < 0.6 else white), red, "other"
    body = white if kind == "white" else _vivid(rng)
    return body, _apart_from(body, rng), "other"


def _vivid(rng: np.random.Generator) -> Floats:
    """Make any colour, the most of them saturated."""
    colour = rng.uniform(10, 250, 3)
    if rng.random() < 0.7:
        colour = np.where(np.arange(3) == rng.integers(3), colour, colour * rng.uniform(0.1, 0.8))
    return linear(colour)


def _apart_from(body: Floats, rng: np.random.Generator) -> Floats:
    """Make an ink that differs from the body in lightness: white, black or a colour."""
    light = float(body.mean()) < 0.22
    pick = rng.random()
    if pick < 0.45:
        return linear(np.full(3, rng.uniform(215, 252) if light else rng.uniform(6, 40)))
    colour = rng.uniform(130, 250, 3) if light else rng.uniform(5, 110, 3)
    if pick < 0.6 and light:
        colour = np.array([40.0, 170.0, 215.0]) * rng.uniform(0.8, 1.15)  # gold
    return linear(np.clip(colour, 4, 252))


def _second(body: Floats, pattern: str, rng: np.random.Generator) -> Floats:
    """Make the other colour of a pattern: a lighter or darker one of the same hue, or any."""
    if pattern == "pearl" or rng.random() < 0.4:
        return np.asarray(np.clip(body * rng.choice([0.3, 1.9]) + 0.02, 0, 0.95), np.float32)
    return _vivid(rng) if rng.random() < 0.7 else linear(np.full(3, rng.uniform(4, 250)))


def paint_plastic(
    ink: Floats, style: Finish, plastic: Plastic, rng: np.random.Generator
) -> tuple[Floats, Floats | None]:
    """Paint the atlas and the relief, as in `Die`, of a die with this share of ink, (6 * n, n)."""
    atlas = np.empty((*ink.shape, 3), np.float32)
    atlas[:] = style.body
    if plastic.second is not None:
        share = _pattern(plastic.pattern, ink.shape, rng)
        atlas += share[..., None] * (plastic.second - style.body)
    specks = 1 + (_part(-1, ink.shape, rng) - 0.5) * np.float32(rng.uniform(0, 0.2))
    atlas *= specks[..., None]
    atlas += ink[..., None] * (style.ink - atlas)
    return atlas, _slopes(ink, plastic, rng) if plastic.relief else None


@lru_cache(maxsize=1)
def _fields() -> Floats:
    """(n, 480, 80) smooth noise, and grain last, each with values spread over 0..1."""
    rng = np.random.default_rng(41)
    fields = [np.zeros((480, 80), np.float32) for _ in range(24)]
    for field in fields:
        cells = int(rng.integers(2, 6))
        for octave in (1, 2, 4):
            noise = rng.random((6 * cells * octave, cells * octave), np.float32)
            field += cv2.resize(noise, (80, 480), interpolation=cv2.INTER_CUBIC) / octave
    smooth = [(field - field.min()) / np.ptp(field) for field in fields]
    return np.stack([*smooth, rng.random((480, 80), np.float32)])


def _part(which: int, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """A field shifted and turned at random, in the shape of an atlas."""
    field = np.roll(_fields()[which], int(rng.integers(480)), axis=0)[:: int(rng.choice([-1, 1]))]
    return cv2.resize(field, shape[::-1], interpolation=cv2.INTER_LINEAR)


def cloud(rng: np.random.Generator, size: int) -> Floats:
    """(size, size) smooth noise, 0..1."""
    start = int(rng.integers(400))
    field = _fields()[int(rng.integers(24)), start : start + 80]
    return cv2.resize(field, (size, size), interpolation=cv2.INTER_LINEAR)


def _pattern(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """The share of the other colour, 0..1, in an atlas of the shape."""
    if name == "speckle":
        grain = cv2.GaussianBlur(_part(-1, shape, rng), (0, 0), rng.uniform(0.6, 1.6))
        edge = float(np.quantile(grain[::5, ::3], rng.uniform(0.7, 0.95)))
        return np.asarray(np.clip((grain - edge) * 30, 0, 1), np.float32)
    smooth = _part(int(rng.integers(24)), shape, rng)
    if name == "pearl":
        return smooth
    wave = np.sin(smooth * np.float32(rng.uniform(4, 13))) * rng.uniform(0.3, 1.6)
    return np.asarray(np.clip(0.5 + wave, 0, 1), np.float32)


def _slopes(ink: Floats, plastic: Plastic, rng: np.random.Generator) -> Floats:
    """The relief of engraved or embossed print, as in `Die`."""
    soft = cv2.GaussianBlur(ink, (0, 0), plastic.bevel)
    steep = plastic.relief * 0.5 * plastic.bevel
    right, down = (
        cv2.Sobel(soft, cv2.CV_32F, *way, ksize=1, scale=steep) for way in ((1, 0), (0, 1))
    )
    wide = cv2.GaussianBlur(ink, (0, 0), plastic.bevel + 1.5)
    edge = ink * (1 - wide) if plastic.relief > 0 else (1 - ink) * wide
    return cv2.merge([right, down, 1 - edge * np.float32(rng.uniform(0.2, 1.1))])


TILE: Final = 640
"""The width of a ground's texture, px."""
KINDS: Final[dict[str, tuple[str, ...]]] = {
    "train": ("plain", "felt", "wood", "board", "dark", "cloth", "speckle"),
    "val": ("plain", "marble", "wood", "checks"),
    "test": ("plain", "stripes", "felt", "mosaic", "leather", "carpet"),
}
"""The kinds of ground of each split."""
Span = tuple[float, float]


def _noise(rng: np.random.Generator, *cells: int) -> Floats:
    """(TILE, TILE) smooth noise, 0..1, of these numbers of cells across."""
    parts = [rng.random((n, n), dtype=np.float32) for n in cells]
    sizes = (cv2.resize(part, (TILE, TILE), interpolation=cv2.INTER_CUBIC) for part in parts)
    return np.asarray(sum(sizes) / len(cells), np.float32)


def _wave(rng: np.random.Generator, low: float, high: float) -> Floats:
    """(TILE,) a sine of a random length, px, -1..1."""
    return np.asarray(np.sin(np.arange(TILE, dtype=np.float32) / rng.uniform(low, high) * np.pi))


def _grain(rng: np.random.Generator) -> Floats:
    """(TILE, TILE) the grain of wood, about 0..1."""
    y, x = np.mgrid[0:TILE, 0:TILE].astype(np.float32) / TILE
    bent = y * rng.uniform(6, 50) + _noise(rng, 5) * rng.uniform(1, 5) + x * rng.uniform(0, 1)
    return np.asarray(0.5 + np.sin(bent * 2 * np.pi) * 0.5 + _noise(rng, 160) * 0.5)


def _weave(rng: np.random.Generator) -> Floats:
    wave = _wave(rng, 4, 12)
    return np.asarray(0.5 + 0.4 * wave[None] * wave[:, None] + (_noise(rng, 90) - 0.5) * 0.4)


def _veins(rng: np.random.Generator) -> Floats:
    return np.asarray(np.abs(np.sin(_noise(rng, 4, 4, 12) * rng.uniform(10, 25))))


def _checks(rng: np.random.Generator) -> Floats:
    wave = _wave(rng, 20, 90)
    return np.asarray(wave[None] * wave[:, None] > 0, np.float32)


def _cells(rng: np.random.Generator) -> Floats:
    tones = rng.random((int(rng.integers(8, 40)),) * 2, np.float32)
    return cv2.resize(tones, (TILE, TILE), interpolation=cv2.INTER_NEAREST)


TONES: Final[dict[str, tuple[Callable[[np.random.Generator], Floats], Span, Span, Span, Span]]] = {
    "plain": (lambda rng: _noise(rng, 4), (0, 180), (20, 230), (40, 235), (0.0, 0.3)),
    "felt": (lambda rng: _noise(rng, 320, 106), (0, 180), (20, 230), (30, 200), (0.1, 0.5)),
    "cloth": (_weave, (0, 180), (20, 230), (30, 220), (0.15, 0.6)),
    "wood": (_grain, (5, 20), (60, 180), (60, 220), (0.2, 0.7)),
    "dark": (lambda rng: _noise(rng, 200), (0, 180), (0, 90), (8, 45), (0.0, 0.6)),
    "marble": (_veins, (0, 180), (20, 230), (80, 240), (0.3, 0.6)),
    "leather": (lambda rng: _noise(rng, 90, 6), (0, 20), (40, 200), (25, 150), (0.3, 1.0)),
    "carpet": (lambda rng: _noise(rng, 213, 71), (0, 180), (20, 230), (30, 200), (0.2, 0.7)),
}
"""Grounds of one colour: its field, 0..1, and the ranges of hue (of 180), saturation and lightness
(of 255), and of how much the field varies the lightness."""
PAIRS: Final[dict[str, Callable[[np.random.Generator], Floats]]] = {
    "speckle": lambda rng: (_noise(rng, int(rng.integers(60, 300))) > rng.uniform(0.6, 0.85)) * 1.0,
    "checks": _checks,
    "stripes": lambda rng: np.tile(_wave(rng, 8, 60) > 0, (TILE, 1)) * 1.0,
    "mosaic": _cells,
}
"""Grounds between two colours: how much of the second, 0..1."""


def surface(kind: str, rng: np.random.Generator) -> Image:
    """Make a (TILE, TILE, 3) uint8 BGR texture of the kind."""
    if kind == "board":
        texture = _board(rng)
    elif kind in PAIRS:
        first, second = _colour(rng, 20, 240), _colour(rng, 20, 240)
        texture = first + PAIRS[kind](rng)[..., None] * (second - first)
    else:
        field, hue, saturation, light, depth = TONES[kind]
        shade = 1 + (field(rng) - 0.5) * rng.uniform(*depth)
        texture = _colour(rng, *light, hue, saturation) * shade[..., None]
    return np.clip(texture, 3, 250).astype(np.uint8)


def _colour(
    rng: np.random.Generator,
    low: float,
    high: float,
    hue: Span = (0, 180),
    saturation: Span = (20, 230),
) -> Floats:
    """Draw a BGR colour of these ranges, in 0..255; `low` and `high` are its lightness."""
    drawn = np.array([[[rng.uniform(*hue), rng.uniform(*saturation), rng.uniform(low, high)]]])
    return cv2.cvtColor(drawn.astype(np.uint8), cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)


def _board(rng: np.random.Generator) -> Floats:
    """Paint printed art: patches, outlines, roads, spots."""
    art = np.empty((TILE, TILE, 3), np.uint8)
    art[:] = _colour(rng, 40, 240)
    for _ in range(int(rng.integers(10, 60))):
        centre = rng.uniform(0, TILE, 2)
        size = rng.uniform(15, 160)
        corners = int(rng.integers(3, 9))
        angles = np.sort(rng.uniform(0, 2 * np.pi, corners))
        points = centre + np.stack([np.cos(angles), np.sin(angles)], 1) * size
        points = points * rng.uniform(0.8, 1.2, 2)
        colour = _colour(rng, 20, 250).tolist()
        kind = rng.random()
        if kind < 0.55:
            cv2.fillPoly(art, [points.astype(np.int32)], colour, cv2.LINE_AA)
        elif kind < 0.75:
            width = int(rng.integers(1, 14))
            cv2.polylines(art, [points.astype(np.int32)], True, colour, width, cv2.LINE_AA)
        else:
            spot = (int(centre[0]), int(centre[1]))
            cv2.circle(art, spot, int(size / 4), colour, int(rng.choice([-1, 4])), cv2.LINE_AA)
    return art.astype(np.float32)


def surfaces(split: str, count: int, seed: int) -> list[Image]:
    """Make `count` textures of the kinds the split may show."""
    rng = np.random.default_rng([seed, sum(map(ord, split))])
    kinds = KINDS[split]
    return [surface(kinds[i % len(kinds)], rng) for i in range(count)]


Board = tuple[Image, float, str]
"""A grid of rounded squares with letters and signs, no dice: its picture (TILE, TILE, 3) uint8 BGR,
the distance of its squares, px, and whether it is a board or a keyboard."""


def make_boards(split: str, legends: Sequence[Image], count: int, seed: int) -> list[Board]:
    """Make `count` boards and keyboards of a split, with letters and these drawings in their
    squares.
    """
    rng = np.random.default_rng([seed, sum(map(ord, split)), 7])
    return [_squares(rng, legends, is_keyboard=bool(i % 2)) for i in range(count)]


def _legend(
    image: Image, rng: np.random.Generator, place: tuple[Floats, float], ink: list[float],
    legends: Sequence[Image],
) -> None:  # fmt: skip
    """Print a letter, a number or a drawing round place[0], place[1] px tall."""
    centre, edge = place[0], max(3, int(place[1]))
    if legends and rng.random() < 0.4:
        drawing = legends[int(rng.integers(len(legends)))]
    else:
        drawing = np.zeros((64, 64), np.uint8)
        sign = str(rng.choice(list(_SIGNS))) if rng.random() < 0.85 else str(rng.integers(10, 64))
        font, bold = int(rng.choice([0, 2, 4])), int(rng.integers(3, 9))
        scale = 2.2 / len(sign)
        cv2.putText(drawing, sign, (8, 54), font, scale, 255, bold, cv2.LINE_AA)
    left, top = (int(v) for v in centre - edge / 2)
    if left < 0 or top < 0 or left + edge > TILE or top + edge > TILE:
        return
    share = cv2.resize(drawing, (edge, edge), interpolation=cv2.INTER_AREA)[..., None] / 255
    part = image[top : top + edge, left : left + edge]
    part[:] = (part + (np.array(ink) - part) * share).astype(np.uint8)


_SIGNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789?!&%$#+-*/<>;:abdefghkmnqrtuy"


def _squares(rng: np.random.Generator, legends: Sequence[Image], *, is_keyboard: bool) -> Board:
    """Draw rows of rounded squares, most with a sign: keys of one colour, with sides, some of them
    wide, or the squares of a board in a few colours.
    """
    cell = TILE / rng.uniform(*((6, 13) if is_keyboard else (4, 11)))
    colours = [_colour(rng, 20, 245) for _ in range(int(rng.integers(1, 5)))]
    image = surface("board" if rng.random() < 0.4 else "plain", rng)
    if is_keyboard:
        dark = rng.random() < 0.6
        colours = [_colour(rng, *((12, 60) if dark else (170, 245)), saturation=(0, 60))]
        image[:] = np.clip(colours[0] * rng.uniform(0.2, 1.4), 3, 250)
    seam = cell * rng.uniform(0.03, 0.2 if is_keyboard else 0.4)
    radius = max(1, int((cell - seam) * rng.uniform(0.02, 0.3)))
    inset = cell * float(rng.choice([0.0, 0.06, 0.12])) if is_keyboard else 0.0
    filled, line = rng.uniform(0.4, 1), int(rng.choice([0, 0, 2, 4]))
    large, aside = cell * rng.uniform(0.3, 0.7), float(rng.choice([0.35, 0.5]))
    for row in range(int(TILE / cell) + 1):
        x = -rng.uniform(0, 1) * cell * is_keyboard
        while x < TILE:
            wide = cell * float(rng.choice([1, 1, 1, 1, 1.25, 1.5, 2])) if is_keyboard else cell
            colour = colours[int(rng.integers(len(colours)))] * rng.uniform(0.94, 1.06)
            at, size = np.array([x, row * cell]) + seam / 2, np.array([wide, cell]) - seam
            for edge, shade in ((-line, 0.4), (0, 0.7), (inset, 1.0)):
                # A thick line rounds the corners.
                low = [int(v) for v in at + edge + radius]
                high = [int(v) for v in at + size - edge - radius]
                for thick in (-1, 2 * radius):
                    cv2.rectangle(image, low, high, (colour * shade).tolist(), thick)
            if is_keyboard or rng.random() < filled:
                ink = [rng.uniform(180, 250) if colour.mean() < 120 else rng.uniform(10, 70)] * 3
                if rng.random() < 0.2:
                    ink = _colour(rng, 10, 250).tolist()
                middle = at + size * (aside if is_keyboard else 0.5)
                _legend(image, rng, (middle, large), ink, legends)
            x += wide
    return image, cell, "keyboard" if is_keyboard else "board"
