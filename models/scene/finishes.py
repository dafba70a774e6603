"""The finishes of dice: colours, gloss, wear, plastic and engraving."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from models.arrays import Floats

PATTERNS: Final = ("swirl", "swirl", "marble", "pearl", "speckle")
"""The patterns of a body of more than one colour."""


@dataclass(frozen=True, slots=True)
class Plastic:
    """How a die's body and print differ from opaque plastic of one colour with flat print."""

    clarity: float = 0.0
    """The share of light that passes through the body, 0 (opaque) to 1."""
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
    metal: float = 0.0
    """The gloss of the print beyond that of the body, 0..1."""


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
        body, ink, colour, rng.choice([0.0, 0.25, 0.6, 1.0]) * rng.uniform(0.3, 1.0),
        float(np.exp(rng.uniform(np.log(8), np.log(300)))), rng.uniform(0.06, 0.24),
        rng.uniform(0, worn) if rng.random() < 0.4 else 0.0,
    )  # fmt: skip


def varied_finish(rng: np.random.Generator, odd: float = 0.18, worn: float = 0.4) -> Finish:
    """Make a random finish, as `finish` or as one of the real box, of another colour, translucent,
    patterned or white, with flat, engraved or embossed print.
    """
    base = replace(finish(rng, odd, worn), radius=rng.uniform(0.04, 0.25))
    if rng.random() < 0.5:
        base = replace(base, radius=rng.uniform(0.14, 0.25))
    kind = rng.choice(["as before", "box", "metal", "other", "clear", "patterned", "white"],
                      p=[0.14, 0.24, 0.14, 0.06, 0.17, 0.14, 0.11])  # fmt: skip
    plastic = _relief(rng)
    if kind == "box":
        base = replace(base, body=_black(rng), ink=_spring_green(rng), colour="black")
    elif kind == "metal":
        plastic = replace(plastic, metal=rng.uniform(0.3, 1.0), painted=True)
        ink = linear(np.clip(rng.uniform(25, 95) + rng.normal(0, 6, 3), 8, 120))
        base = replace(base, body=_spring_green(rng), ink=ink, colour="green")
    elif kind == "white":
        body = linear(np.clip(rng.uniform(205, 252) + rng.normal(0, 5, 3), 180, 255))
        base = replace(base, body=body, ink=_apart_from(body, rng), colour="other")
    elif kind != "as before":
        body = _vivid(rng)
        base = replace(base, body=body, ink=_apart_from(body, rng), colour="other")
    if kind == "clear":
        plastic = replace(plastic, clarity=rng.uniform(0.3, 1.0))
        gloss = max(base.gloss, rng.uniform(0.2, 0.8))
        base = replace(base, gloss=gloss, sharpness=max(base.sharpness, 40.0))
    if kind == "patterned" or (kind in {"clear", "as before"} and rng.random() < 0.25):
        pattern = str(rng.choice(PATTERNS))
        plastic = replace(plastic, pattern=pattern, second=_second(base.body, pattern, rng))
    if not plastic.painted:
        base = replace(base, ink=np.asarray(base.body * rng.uniform(0.7, 1.0), np.float32))
    return replace(base, plastic=plastic)


def _relief(rng: np.random.Generator) -> Plastic:
    """Make flat print (half of the time), engraved or embossed print."""
    if rng.random() < 0.5:
        return Plastic()
    steep = rng.uniform(0.8, 4.0) * (1 if rng.random() < 0.8 else -1)
    return Plastic(relief=steep, bevel=rng.uniform(0.7, 3.0), painted=rng.random() < 0.8)


def _black(rng: np.random.Generator) -> Floats:
    return linear(np.clip(rng.uniform(8, 48) + rng.normal(0, 4, 3), 4, 255))


def _spring_green(rng: np.random.Generator) -> Floats:
    """Make the bright green of the real box's dice."""
    return linear([rng.uniform(30, 130), rng.uniform(185, 250), rng.uniform(80, 195)])


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


@dataclass(frozen=True, slots=True)
class Surface:
    """The surface of a die of such plastic, in six faces of n texels, one below the other."""

    layers: Floats
    """(6 * n, n, 4) linear BGR of the body without print, and the share of ink."""
    relief: Floats | None
    """(6 * n, n, 3) the slope of the print to the right and down, and the share of light that
    reaches its edges; None if it is flat.
    """


def paint_surface(ink: Floats, style: Finish, rng: np.random.Generator) -> Surface:
    """Paint the surface of a die with this share of ink, (6 * n, n). ValueError if the finish
    has no `plastic`.
    """
    plastic = style.plastic
    if plastic is None:
        raise ValueError("the finish is of opaque plastic of one colour")
    planes = [np.full(ink.shape, level, np.float32) for level in style.body]
    if plastic.second is not None:
        share = _pattern(plastic.pattern, ink.shape, rng)
        for plane, change in zip(planes, plastic.second - style.body, strict=True):
            plane += share * change
    if plastic.clarity > 0:
        deep = _far_prints(ink) * np.float32(plastic.clarity * rng.uniform(0.1, 0.5))
        for plane, level in zip(planes, style.ink, strict=True):
            plane += deep * (level - plane)
    specks = _specks(ink.shape, rng)
    for plane in planes:
        plane *= specks
    layers = cv2.merge([*planes, ink])
    return Surface(layers, _slopes(ink, plastic, rng) if plastic.relief else None)


@lru_cache(maxsize=1)
def _fields() -> tuple[Floats, Floats]:
    """(n, 480, 80) smooth noise, and (480, 80) grain, each with values spread over 0..1."""
    rng = np.random.default_rng(41)
    smooth = []
    for _ in range(24):
        cells = int(rng.integers(2, 6))
        field = np.zeros((480, 80), np.float32)
        for octave in range(3):
            shape = (6 * cells * 2**octave, cells * 2**octave)
            noise = cv2.resize(
                rng.random(shape, np.float32), (80, 480), interpolation=cv2.INTER_CUBIC
            )
            field += noise / 2**octave
        smooth.append((field - field.min()) / np.ptp(field))
    return np.stack(smooth), rng.random((480, 80), np.float32)


def _part(field: Floats, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """A field shifted and turned at random, in the shape of an atlas."""
    field = np.roll(field, int(rng.integers(480)), axis=0)[:: int(rng.choice([-1, 1]))]
    if field.shape != shape:
        field = cv2.resize(field, shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(field, np.float32)


def _specks(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """The grain of plastic, factors about 1."""
    return 1 + (_part(_fields()[1], shape, rng) - 0.5) * np.float32(rng.uniform(0, 0.2))


def _pattern(name: str, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """The share of the other colour, 0..1, in an atlas of the shape."""
    fields = _fields()[0]
    first = _part(fields[int(rng.integers(len(fields)))], shape, rng)
    if name == "speckle":
        grain = cv2.GaussianBlur(_part(_fields()[1], shape, rng), (0, 0), rng.uniform(0.6, 1.6))
        edge = float(np.quantile(grain[::5, ::3], rng.uniform(0.7, 0.95)))
        return np.asarray(np.clip((grain - edge) * 30, 0, 1), np.float32)
    if name == "marble":
        vein = np.abs(np.sin(first * np.float32(rng.uniform(4, 11))))
        return np.asarray((1 - vein) ** rng.uniform(1, 4), np.float32)
    if name == "pearl":
        return first
    wave = np.sin(first * np.float32(rng.uniform(4, 13))) * rng.uniform(0.3, 1.6)
    return np.asarray(np.clip(0.5 + wave, 0, 1), np.float32)


def _far_prints(ink: Floats) -> Floats:
    """The print of the opposite faces as it shows through a clear body: mirrored, smaller and
    soft.
    """
    size = ink.shape[1]
    faces = ink.reshape(6, size, size)[[1, 0, 3, 2, 5, 4]][..., ::-1]
    inner = int(size * 0.36) * 2
    before = (size - inner) // 2
    far = np.zeros_like(faces)
    for face, shown in zip(faces, far, strict=True):
        shown[before : before + inner, before : before + inner] = cv2.resize(
            face, (inner, inner), interpolation=cv2.INTER_AREA
        )
    return cv2.GaussianBlur(far.reshape(ink.shape), (0, 0), size * 0.03)


def _slopes(ink: Floats, plastic: Plastic, rng: np.random.Generator) -> Floats:
    """The relief of engraved or embossed print, as in Surface."""
    bevel = plastic.bevel * ink.shape[1] / 80
    soft = cv2.GaussianBlur(ink, (0, 0), bevel)
    steep = plastic.relief * 0.5 * bevel
    right, down = (
        cv2.Sobel(soft, cv2.CV_32F, *way, ksize=1, scale=steep) for way in ((1, 0), (0, 1))
    )
    wide = cv2.GaussianBlur(ink, (0, 0), bevel + 1.5 * ink.shape[1] / 80)
    edge = ink * (1 - wide) if plastic.relief > 0 else (1 - ink) * wide
    return cv2.merge([right, down, 1 - edge * np.float32(rng.uniform(0.2, 1.1))])
