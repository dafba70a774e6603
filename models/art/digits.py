"""Wide styles of the numerals one, two and three: varying skeletons, nibs and cuts."""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from models.arrays import Mask
from models.art.shapes import (
    CANVAS,
    Drawing,
    Pen,
    Points,
    Polyline,
    faceted,
    grown,
    sheared,
    shrunk,
    slit,
    softened,
    zigzag,
)

Strokes = list[Points]
Cut = Callable[[Strokes, Pen, np.random.Generator], None]

_SKELETONS: Final[dict[str, tuple[tuple[Polyline, ...], ...]]] = {
    "one": (
        ([(0.36, 0.28), (0.54, 0.12), (0.54, 0.88)],),
        ([(0.36, 0.28), (0.54, 0.12), (0.54, 0.88)], [(0.34, 0.88), (0.74, 0.88)]),
        ([(0.28, 0.42), (0.6, 0.12), (0.6, 0.88)],),
        ([(0.38, 0.14), (0.54, 0.14), (0.54, 0.88)], [(0.36, 0.88), (0.72, 0.88)]),
        ([(0.34, 0.34), (0.46, 0.28), (0.54, 0.12), (0.54, 0.88)],),
    ),
    "two": (
        ([(0.28, 0.3), (0.34, 0.17), (0.5, 0.11), (0.66, 0.17), (0.71, 0.32), (0.64, 0.48),
          (0.28, 0.87), (0.74, 0.87)],),
        ([(0.28, 0.24), (0.42, 0.12), (0.62, 0.14), (0.7, 0.3), (0.58, 0.52), (0.36, 0.7),
          (0.28, 0.87), (0.74, 0.87)],),
        ([(0.28, 0.13), (0.72, 0.13), (0.72, 0.48), (0.28, 0.5), (0.28, 0.87), (0.74, 0.87)],),
        ([(0.28, 0.28), (0.4, 0.13), (0.62, 0.13), (0.72, 0.28), (0.28, 0.87), (0.74, 0.87)],),
        ([(0.28, 0.28), (0.4, 0.13), (0.6, 0.12), (0.7, 0.28), (0.62, 0.5), (0.42, 0.84),
          (0.28, 0.84), (0.28, 0.72), (0.42, 0.72), (0.6, 0.87), (0.76, 0.8)],),
    ),
    "three": (
        ([(0.28, 0.22), (0.4, 0.12), (0.6, 0.12), (0.7, 0.24), (0.66, 0.4), (0.46, 0.48)],
         [(0.46, 0.48), (0.68, 0.54), (0.74, 0.7), (0.64, 0.86), (0.44, 0.89), (0.26, 0.78)]),
        ([(0.28, 0.13), (0.72, 0.13), (0.46, 0.44), (0.66, 0.48), (0.74, 0.66), (0.66, 0.84),
          (0.46, 0.89), (0.26, 0.8)],),
        ([(0.28, 0.13), (0.72, 0.13), (0.72, 0.87), (0.28, 0.87)], [(0.4, 0.5), (0.72, 0.5)]),
        ([(0.28, 0.14), (0.68, 0.14), (0.72, 0.3), (0.5, 0.48), (0.74, 0.64), (0.7, 0.84),
          (0.28, 0.87)],),
        ([(0.3, 0.2), (0.48, 0.11), (0.68, 0.22), (0.62, 0.42), (0.42, 0.47)],
         [(0.42, 0.47), (0.7, 0.56), (0.7, 0.8), (0.48, 0.9), (0.26, 0.82)]),
    ),
}  # fmt: skip


def _rounded(line: Points) -> Points:
    """Cut the inner corners of the open line twice; its ends stay."""
    for _ in range(2):
        near, far = line[:-1] * 0.75 + line[1:] * 0.25, line[:-1] * 0.25 + line[1:] * 0.75
        middle = np.stack([near, far], 1).reshape(-1, 2)[1:-1]
        line = np.concatenate([line[:1], middle, line[-1:]])
    return line


def _strokes(face: str, rng: np.random.Generator) -> Strokes:
    """Make the numeral's strokes: one of its skeletons, narrow or wide, a little off,
    round or not.
    """
    skeletons = _SKELETONS[face]
    chosen = skeletons[int(rng.integers(len(skeletons)))]
    narrow, round_ = rng.uniform(0.7, 1.15), rng.random() < 0.55
    found = []
    for stroke in chosen:
        line = np.asarray(stroke) + rng.normal(0, 0.01, (len(stroke), 2))
        line[:, 0] = 0.5 + (line[:, 0] - 0.5) * narrow
        found.append(_rounded(line) if round_ and face != "one" else line)
    return found


def _nib(strokes: Strokes, width: tuple[float, float], square: bool) -> Mask:
    """Draw the strokes with an upright nib of that width and height."""
    pen = Pen()
    for line in strokes:
        pen.line(line, 0.012)
    shape = cv2.MORPH_RECT if square else cv2.MORPH_ELLIPSE
    size = (max(3, round(width[0] * CANVAS)), max(3, round(width[1] * CANVAS)))
    return cv2.dilate(pen.ink, cv2.getStructuringElement(shape, size))


def _heavy(strokes: Strokes, rng: np.random.Generator) -> Mask:
    wide = rng.uniform(0.11, 0.2)
    return _nib(strokes, (wide, wide * rng.uniform(0.7, 1.1)), bool(rng.random() < 0.5))


def _hewn(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Cut the outlines to few straight pieces, as by hand."""
    pen.ink = faceted(_heavy(strokes, rng), rng.uniform(0.014, 0.03))


def _cracked(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Crack the numeral across in one to three places."""
    pen.ink = _heavy(strokes, rng)
    for _ in range(int(rng.integers(1, 4))):
        y, rise = rng.uniform(0.2, 0.8), rng.uniform(-0.25, 0.25)
        start, end = rng.choice([0.0, 0.45]), rng.choice([0.55, 1.0])
        line = zigzag(rng, ((start, y - rise / 2), (end, y + rise / 2)), 3, 0.03)
        slit(pen, line, (rng.uniform(0.025, 0.045), rng.uniform(0.025, 0.045)))


def _stencilled(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Add one or two straight bridges, as in a stencil."""
    pen.ink = _heavy(strokes, rng)
    upright, width = rng.random() < 0.3, rng.uniform(0.03, 0.05)
    for at in rng.uniform(0.25, 0.75, int(rng.integers(1, 3))):
        lean = rng.uniform(-0.15, 0.15)
        ends = np.array([(0.0, at - lean), (1.0, at + lean)])
        if upright:
            ends = np.array([(0.5 - lean * 0.3, 0.0), (0.5 + lean * 0.3, 1.0)])
        pen.line(ends, width, 0)


def _hollow(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Keep only an outline, or the numeral within its outline."""
    wide = rng.uniform(0.17, 0.24)
    body = _nib(strokes, (wide, wide * rng.uniform(0.75, 1.0)), bool(rng.random() < 0.5))
    pen.ink = cv2.subtract(body, shrunk(body, rng.uniform(0.03, 0.045)))
    if rng.random() < 0.3:
        pen.ink = cv2.max(pen.ink, _nib(strokes, (0.045, 0.045), False))


def _leaning(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Slant the numeral, and make it narrow or heavy."""
    wide = rng.uniform(0.09, 0.18)
    body = _nib(strokes, (wide, wide * rng.uniform(0.5, 1.1)), bool(rng.random() < 0.6))
    pen.ink = sheared(body, rng.uniform(0.12, 0.35) * rng.choice([-1, 1, 1]))


def _serifed(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Draw thick downstrokes, thin cross strokes, and a slab or a ball at every open end."""
    high = rng.uniform(0.06, 0.1)
    pen.ink = _nib(strokes, (rng.uniform(0.12, 0.2), high), bool(rng.random() < 0.5))
    ball, size = rng.random() < 0.4, rng.uniform(0.07, 0.1)
    for end in (strokes[0][0], strokes[-1][-1]):
        x, y = float(end[0]), float(end[1])
        if ball:
            pen.oval((x, y), (size, size))
        else:
            pen.box(x - size * 0.6, y - size * 1.3, x + size * 0.6, y + size * 0.9)


def _brushed(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Draw with a round brush whose pressure varies."""
    first, last = rng.uniform(0.07, 0.2, 2)
    swell = rng.uniform(0.0, 0.05)
    for line in strokes:
        steps = np.linspace(0, len(line) - 1, 40)
        spots = np.stack([np.interp(steps, np.arange(len(line)), line[:, i]) for i in (0, 1)], 1)
        press = np.linspace(first, last, 40) + np.sin(np.linspace(0, np.pi, 40)) * swell
        for spot, width in zip(spots, press, strict=True):
            pen.oval((float(spot[0]), float(spot[1])), (width / 2, width / 2))
    pen.ink = softened(pen.ink, 0.01)


def _chipped(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Chip corners and edges all round."""
    pen.ink = _heavy(strokes, rng)
    rim = cv2.subtract(pen.ink, shrunk(pen.ink, 0.01))
    rows, columns = np.nonzero(rim > 127)
    for place in rng.integers(0, len(rows), int(rng.integers(3, 8))):
        x, y = columns[place] / CANVAS, rows[place] / CANVAS
        corners = np.array([x, y]) + rng.uniform(-1, 1, (4, 2)) * rng.uniform(0.03, 0.06)
        pen.fill(cv2.convexHull(corners.astype(np.float32)).reshape(-1, 2), 0)


def _shadowed(strokes: Strokes, pen: Pen, rng: np.random.Generator) -> None:
    """Add a cast shadow, set off by a thin gap."""
    body = _heavy(strokes, rng)
    shift = np.array([rng.uniform(0.05, 0.08) * rng.choice([-1, 1]), rng.uniform(0.04, 0.07)])
    grid = np.array([[1.0, 0.0, shift[0] * CANVAS], [0.0, 1.0, shift[1] * CANVAS]])
    cast = cv2.warpAffine(body, grid, (CANVAS, CANVAS))
    pen.ink = cv2.max(body, cv2.subtract(cast, grown(body, rng.uniform(0.02, 0.03))))


_CUTS: Final[dict[str, Cut]] = {
    "any-hewn": _hewn,
    "any-cracked": _cracked,
    "any-stencilled": _stencilled,
    "any-hollow": _hollow,
    "any-leaning": _leaning,
    "any-serifed": _serifed,
    "any-brushed": _brushed,
    "any-chipped": _chipped,
    "any-shadowed": _shadowed,
}


def _cut(face: str, cut: Cut) -> Drawing:
    def draw(pen: Pen, rng: np.random.Generator) -> None:
        cut(_strokes(face, rng), pen, rng)

    return draw


def wide_numerals(face: str) -> dict[str, Drawing]:
    """Make the numeral's wide styles, by name."""
    return {name: _cut(face, cut) for name, cut in _CUTS.items()}
