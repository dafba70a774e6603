"""Outlines of icons (SVG) and fonts as filled masks; fontTools reads both."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import cv2
import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.pens.transformPen import TransformPen
from fontTools.svgLib.path import parse_path
from fontTools.ttLib import TTFont

from models.arrays import Mask
from models.art.shapes import CANVAS, Point, Ring, fitted

PIECES: Final = 11
"""Straight pieces that a curve becomes."""


class Flattener(BasePen):
    """A fontTools pen that turns outlines into points: curves become short straight pieces."""

    def __init__(self, glyphs: object = None) -> None:
        super().__init__(glyphs)
        self.rings: list[Ring] = []

    def _moveTo(self, pt: Point) -> None:  # noqa: N802 - fontTools names it
        self.rings.append([pt])

    def _lineTo(self, pt: Point) -> None:  # noqa: N802
        self.rings[-1].append(pt)

    def _curveToOne(self, pt1: Point, pt2: Point, pt3: Point) -> None:  # noqa: N802
        self.rings[-1] += _bezier([self.rings[-1][-1], pt1, pt2, pt3])

    def _qCurveToOne(self, pt1: Point, pt2: Point) -> None:  # noqa: N802
        self.rings[-1] += _bezier([self.rings[-1][-1], pt1, pt2])

    def _closePath(self) -> None:  # noqa: N802
        ring = self.rings[-1]
        if ring[-1] != ring[0]:
            ring.append(ring[0])


def _bezier(points: list[Point]) -> list[Point]:
    """Compute points of a Bézier curve by de Casteljau's algorithm, without its first one."""
    steps = np.linspace(0, 1, PIECES + 1)[1:, None]
    level = [np.broadcast_to(np.asarray(point, float), (PIECES, 2)) for point in points]
    while len(level) > 1:
        level = [a + (b - a) * steps for a, b in pairwise(level)]
    return [(float(x), float(y)) for x, y in level[0]]


def rings(data: str) -> list[Ring]:
    """Convert SVG path data to outlines as points; closed ones end where they began."""
    pen = Flattener()
    parse_path(data, pen)
    return [ring for ring in pen.rings if len(ring) > 1]


def _paint(ink: Mask, shapes: list[Ring], scale: float, stroke: float) -> None:
    """Draw the outlines into `ink`: as lines if `stroke` is above 0, else filled."""
    pixels = [np.round(np.asarray(ring) * scale * 16).astype(np.int32) for ring in shapes]
    if stroke > 0:
        for ring in pixels:
            cv2.polylines(ink, [ring // 16], False, 255, max(1, round(stroke * scale)), cv2.LINE_AA)
    else:
        layer = np.zeros_like(ink)
        cv2.fillPoly(layer, pixels, 255, cv2.LINE_AA, 4)
        np.maximum(ink, layer, out=ink)


def icon_mask(body: str, side: float) -> Mask | None:
    """Render the inner SVG of an icon, `side` units wide, as a (SIZE, SIZE) mask; None if
    nothing is painted. Draws paths, circles and ellipses.
    """
    tree = ElementTree.fromstring(f'<g xmlns:xlink="x">{body}</g>')
    ink = np.zeros((CANVAS, CANVAS), np.uint8)
    _walk(tree, ("", 0.0), (ink, CANVAS / side))
    return fitted(ink) if ink.any() else None


def _walk(
    node: ElementTree.Element, inherited: tuple[str, float], canvas: tuple[Mask, float]
) -> None:
    """Paint an SVG node and its children, which inherit fill and stroke width."""
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


def font_masks(path: Path, texts: Sequence[str]) -> dict[str, Mask]:
    """Draw texts of one or more characters, side by side, as (SIZE, SIZE) masks; without those
    of which the font lacks a character or shows nothing. Outlines may overlap (as those of
    variable fonts do): ink is where they wind round at all.
    """
    font = TTFont(path)
    names, glyphs = font.getBestCmap(), font.getGlyphSet()
    em = float(font["head"].unitsPerEm)
    found = {}
    for text in texts:
        if any(ord(character) not in names for character in text):
            continue
        pen, x = Flattener(glyphs), 0.0
        for character in text:
            glyph = glyphs[names[ord(character)]]
            glyph.draw(TransformPen(pen, (1, 0, 0, -1, x, em)))
            x += float(glyph.width)
        ink = _wound(pen.rings)
        if ink.any():
            found[text] = fitted(ink)
    return found


def _wound(shapes: list[Ring]) -> Mask:
    """Fill outlines, scaled to fill a square of 2 CANVAS, wherever they wind round."""
    if not shapes:
        return np.zeros((1, 1), np.uint8)
    edge = 2 * CANVAS
    points = np.concatenate([np.asarray(ring) for ring in shapes])
    low, far = points.min(axis=0), max(1e-6, float(np.ptp(points, axis=0).max()))
    winding = np.zeros((edge, edge), np.int8)
    for ring in shapes:
        pixels = (np.asarray(ring) - low) * ((edge - 8) / far) + 4
        layer = np.zeros((edge, edge), np.int8)
        cv2.fillPoly(layer, [np.round(pixels * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        x, y = pixels.T
        turns = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
        winding += layer if turns > 0 else -layer
    return np.where(winding != 0, 255, 0).astype(np.uint8)
