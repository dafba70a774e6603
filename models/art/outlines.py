"""SVG path data and font outlines turned into filled masks."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import cv2
import numpy as np
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.ttLib import TTFont

from models.arrays import Image, Mask
from models.art.shapes import CANVAS, fitted

Ring = list[tuple[float, float]]

_TOKEN: Final = re.compile(r"[MmLlHhVvCcSsQqTtAaZz]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_ARITY: Final = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


class _Reader:
    """The path data as commands with their numbers; arc flags may be written without blanks."""

    def __init__(self, data: str) -> None:
        self.data = data
        self.at = 0

    def command(self) -> str | None:
        found = re.compile(r"[\s,]*([MmLlHhVvCcSsQqTtAaZz])").match(self.data, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group(1)

    def number(self, flag: bool) -> float | None:
        form = r"[\s,]*([01])" if flag else r"[\s,]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
        found = re.compile(form).match(self.data, self.at)
        if found is None:
            return None
        self.at = found.end()
        return float(found.group(1))

    def numbers(self, name: str) -> list[float] | None:
        values = []
        for place in range(_ARITY[name]):
            value = self.number(flag=name == "A" and place in (3, 4))
            if value is None:
                return None
            values.append(value)
        return values


def _bezier(points: list[complex]) -> list[complex]:
    steps = np.linspace(0, 1, 12)[1:]
    level = [np.full_like(steps, p, dtype=complex) for p in points]
    while len(level) > 1:
        level = [a + (b - a) * steps for a, b in pairwise(level)]
    return list(level[0])


def _arc(start: complex, values: list[float], end: complex) -> list[complex]:
    rx, ry, tilt = abs(values[0]), abs(values[1]), np.radians(values[2])
    if rx == 0 or ry == 0 or start == end:
        return [end]
    turn = np.exp(-1j * tilt)
    half = (start - end) / 2 * turn
    x, y = half.real, half.imag
    size = (x / rx) ** 2 + (y / ry) ** 2
    if size > 1:
        rx, ry = rx * size**0.5, ry * size**0.5
        size = 1.0
    sign = -1.0 if values[3] == values[4] else 1.0
    factor = sign * np.sqrt(max(0.0, 1 / size - 1))
    centre = factor * complex(rx * y / ry, -ry * x / rx)
    first = complex((x - centre.real) / rx, (y - centre.imag) / ry)
    last = complex((-x - centre.real) / rx, (-y - centre.imag) / ry)
    begin, sweep = np.angle(first), np.angle(last / first)
    if values[4] == 0 and sweep > 0:
        sweep -= 2 * np.pi
    if values[4] == 1 and sweep < 0:
        sweep += 2 * np.pi
    angles = begin + sweep * np.linspace(0, 1, 16)[1:]
    ring = (np.cos(angles) * rx + 1j * np.sin(angles) * ry + centre) / turn + (start + end) / 2
    return list(ring)


def rings(data: str) -> list[Ring]:
    """The path's closed or open outlines as points; curves become short straight pieces."""
    reader, found = _Reader(data), []
    at = start = 0j
    line: list[complex] = []
    control: complex | None = None
    while (letter := reader.command()) is not None:
        name, base = letter.upper(), letter
        if name == "Z":
            line.append(start)
            at, control = start, None
            continue
        while (values := reader.numbers(name)) is not None:
            origin = at if base.islower() else 0j
            if name == "M":
                if len(line) > 1:
                    found.append(line)
                at = start = origin + complex(values[0], values[1])
                line, control = [at], None
                name = "L"
                continue
            if not line or line[-1] != at:
                line = [*line, at]
            pieces, control = _piece(name, values, (at, origin, control))
            line += pieces
            at = pieces[-1]
    if len(line) > 1:
        found.append(line)
    return [[(p.real, p.imag) for p in ring] for ring in found]


def _piece(
    name: str, values: list[float], state: tuple[complex, complex, complex | None]
) -> tuple[list[complex], complex | None]:
    at, origin, control = state
    if name == "H":
        return [complex(values[0] + origin.real, at.imag)], None
    if name == "V":
        return [complex(at.real, values[0] + origin.imag)], None
    pairs = [origin + complex(*values[i : i + 2]) for i in range(0, len(values) - 1, 2)]
    mirrored = at if control is None else 2 * at - control
    match name:
        case "C":
            return _bezier([at, *pairs]), pairs[1]
        case "S":
            return _bezier([at, mirrored, *pairs]), pairs[0]
        case "Q":
            return _bezier([at, *pairs]), pairs[0]
        case "T":
            return _bezier([at, mirrored, pairs[0]]), mirrored
        case "A":
            return _arc(at, values, origin + complex(values[5], values[6])), None
        case _:
            return [pairs[0]], None


def _paint(ink: Mask, shapes: list[Ring], scale: float, stroke: float) -> None:
    pixels = [np.round(np.asarray(ring) * scale * 16).astype(np.int32) for ring in shapes]
    if stroke > 0:
        for ring in pixels:
            cv2.polylines(ink, [ring // 16], False, 255, max(1, round(stroke * scale)), cv2.LINE_AA)
    else:
        layer = np.zeros_like(ink)
        cv2.fillPoly(layer, pixels, 255, cv2.LINE_AA, 4)
        np.maximum(ink, layer, out=ink)


def icon_mask(body: str, side: float) -> Mask | None:
    """An icon's paths, circles and strokes as a (SIZE, SIZE) mask; None when it holds no path."""
    tree = ElementTree.fromstring(f'<g xmlns:xlink="x">{body}</g>')
    ink: Image = np.zeros((CANVAS, CANVAS), np.uint8)
    scale = CANVAS / side
    _walk(tree, ("", 0.0), (ink, scale))
    return fitted(ink) if ink.any() else None


def _walk(
    node: ElementTree.Element, inherited: tuple[str, float], canvas: tuple[Mask, float]
) -> None:
    fill = node.get("fill", inherited[0])
    stroke = float(node.get("stroke-width", 0) or 0)
    if node.get("stroke") in (None, "none"):
        stroke = inherited[1] if node.get("stroke") is None else 0.0
    elif stroke == 0.0:
        stroke = inherited[1] or 1.0
    shapes: list[Ring] = []
    if node.tag == "path":
        shapes = rings(node.get("d", ""))
    elif node.tag in ("circle", "ellipse"):
        turn = np.linspace(0, 2 * np.pi, 32)
        rx = float(node.get("r", node.get("rx", "0")))
        ry = float(node.get("r", node.get("ry", "0")))
        x, y = float(node.get("cx", "0")), float(node.get("cy", "0"))
        shapes = [[(x + rx * np.cos(a), y + ry * np.sin(a)) for a in turn]]
    if shapes:
        if fill != "none":
            _paint(canvas[0], shapes, canvas[1], 0.0)
        if stroke > 0:
            _paint(canvas[0], shapes, canvas[1], stroke)
    for child in node:
        _walk(child, (fill, stroke), canvas)


def font_mask(path: Path, character: str) -> Mask | None:
    """A character of the font as a (SIZE, SIZE) mask; None when the font lacks it."""
    font = TTFont(path)
    name = font.getBestCmap().get(ord(character))
    if name is None:
        return None
    glyphs = font.getGlyphSet()
    pen = SVGPathPen(glyphs)
    glyphs[name].draw(pen)
    outline = rings(pen.getCommands())
    em = float(font["head"].unitsPerEm)
    ink: Image = np.zeros((CANVAS, CANVAS), np.uint8)
    flipped = [[(x + em * 0.2, em * 1.1 - y) for x, y in ring] for ring in outline]
    _paint(ink, flipped, CANVAS / (em * 1.45), 0.0)
    return fitted(ink) if ink.any() else None
