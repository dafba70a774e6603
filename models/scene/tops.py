"""The top face of a die alone, composed flat in the crop that the classifier takes, and how legible
a printed face is in a picture.

A scene costs some 40 ms, a composed top two, so that every step of a training can see symbols, dice
and lights that it never saw before. There is no geometry beyond the face's own corners: what a crop
shows of a real die's sides, of shadows and of hands comes from rendered scenes.
"""

from typing import Final

import cv2
import numpy as np

from models.arrays import Floats, Image
from models.scene.camera import compressed, expose
from models.scene.die import TEXTURE, placed, scratched
from models.scene.finishes import Plastic, cloud, varied_finish

FACE_PX: Final = 40
RIM: Final = 7
"""Crop px at the face's edge that are left out: they are rounded and show little print."""
ASIDE: Final = 3
"""The crop px, either way, by which print may be seen beside its place: engraved print shows by the
shadow of its edge, and print in glare is left on one side."""


def legible(image: Image, quad: Floats, ink: Floats) -> float:
    """The grey levels of 255 between print and ground on a face, as its picture shows them.

    `quad` (4, 2) px are the corners of `ink` (n, n), the share of print, 0..1. The result is the
    regression slope of the picture on the print, at its place or close beside it, both without
    what changes slowly across the face: a patch of light does not count, nor an even brightening.
    The slope counts less, the more else is on the face (times the root of their correlation). The
    colour channel with the largest slope decides.
    """
    last = FACE_PX - 1
    square = np.array([[0, 0], [last, 0], [last, last], [0, last]], np.float32)
    grid = cv2.getPerspectiveTransform(quad.astype(np.float32), square)
    shown = cv2.warpPerspective(image, grid, (FACE_PX, FACE_PX)).astype(np.float32)
    print_ = cv2.resize(ink.astype(np.float32), (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
    size = FACE_PX - 2 * RIM
    around = print_[RIM - ASIDE : FACE_PX - RIM + ASIDE, RIM - ASIDE : FACE_PX - RIM + ASIDE]
    places = np.lib.stride_tricks.sliding_window_view(around, (size, size)).reshape(-1, size, size)
    wanted = _detail(np.ascontiguousarray(places.transpose(1, 2, 0)))
    totals = (wanted**2).sum(axis=(0, 1))
    found = _detail(shown[RIM:-RIM, RIM:-RIM])
    slopes = np.abs(np.tensordot(wanted, found, axes=((0, 1), (0, 1))))[totals >= 1]
    slopes /= totals[totals >= 1, None]
    spreads = np.sqrt((found**2).sum(axis=(0, 1)) / totals[totals >= 1, None])
    return float((slopes * np.sqrt(slopes / np.maximum(spreads, 1e-3))).max(initial=0.0))


def _detail(picture: Floats) -> Floats:
    """(n, n, k) the picture less what changes slowly across the face."""
    wide = len(picture) // 2 + 1
    return np.asarray(picture - cv2.blur(picture, (wide, wide), borderType=cv2.BORDER_REFLECT))


_UNIT: Final = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) / 2
_WIDE: Final = 64
"""The width in which tops are composed, px, before they become as coarse as a camera sees them."""
FAINT: Final = 0.18
CUT_DEEP: Final = 2.5
"""Print that differs less from the body, as a screen shows both, must be cut in as deeply, as
`relief` of a Plastic, to be seen."""
_GRID: Final = np.mgrid[0:_WIDE, 0:_WIDE][::-1].transpose(1, 2, 0).astype(np.float32) + 0.5


def compose(mask: Image, rng: np.random.Generator, region: float, edge: int) -> Image:
    """Compose a top with the drawing (SIZE, SIZE) printed on it: (edge, edge, 3) uint8 BGR, in a
    crop that is `region` sides wide, its corners about as well placed as the refiner does.
    """
    style = varied_finish(rng)
    plastic = style.plastic or Plastic()
    to_face = _to_face(rng, region)
    # Where the crop's px lie on the face, in sides from its middle.
    u, v = cv2.perspectiveTransform(_GRID, to_face.astype(np.float32)).transpose(2, 0, 1)
    face = scratched(placed(mask, rng), rng)
    whole = np.array([[TEXTURE, 0, TEXTURE / 2], [0, TEXTURE, TEXTURE / 2], [0, 0, 1]]) @ to_face
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    ink = cv2.warpPerspective(face, whole, (_WIDE, _WIDE), flags=flags).astype(np.float32) / 255
    if style.wear:
        ink *= np.clip((cloud(rng, _WIDE) - style.wear + 0.15) * 5, 0.1, 1)
    body, paint = style.body, style.ink
    if np.abs(body**0.45 - paint**0.45).max() < FAINT and plastic.relief < CUT_DEEP:
        paint = body * 0.05 if body.mean() > 0.2 else 1 - body
    # The distance to the edge of the rounded square, in sides; negative inside.
    over = np.maximum(np.abs([u, v]) - (0.5 - style.radius), 0)
    outer = np.sqrt((over**2).sum(axis=0)) - style.radius
    base = np.broadcast_to(body, (_WIDE, _WIDE, 3))
    if plastic.second is not None:
        swirl = np.clip(0.5 + (cloud(rng, _WIDE) - 0.5) * rng.uniform(0.5, 3), 0, 1)[..., None]
        base = base + swirl * (plastic.second - base)
    shown = base + (paint - base) * ink[..., None]
    way = rng.uniform(0, 2 * np.pi)
    x, y = float(np.cos(way)), float(np.sin(way))
    rim = np.clip(1 + outer / style.radius, 0, 1) ** 2
    slope = np.clip(u * x + v * y, -0.6, 0.6) * rng.uniform(-2, 2) - rng.uniform(0, 0.7)
    light = (1 + (u * x + v * y) * rng.uniform(0, 0.8)) * (1 + rim * slope)
    shine = np.zeros_like(light)
    if plastic.relief:
        soft = cv2.GaussianBlur(ink, (0, 0), plastic.bevel)
        step = cv2.Sobel(soft, cv2.CV_32F, 1, 0) * x + cv2.Sobel(soft, cv2.CV_32F, 0, 1) * y
        light = light * np.clip(1 + plastic.relief / 2 * step, 0.02, 6)
        # A lamp is mirrored in the edges that face it.
        caught = np.clip(step * np.sign(plastic.relief) - rng.uniform(0, 0.6), 0, 1)
        shine += caught * style.gloss * rng.uniform(0, 0.8)
    if style.gloss and rng.random() < 0.6:
        shine += _mirrored(u, v, rng) * style.gloss
    shown = shown * np.maximum(light, 0.02)[..., None] + shine[..., None]
    around = _around(u, v, body, rng)
    shot = around + (shown - around) * np.clip(0.5 - outer * _WIDE / region, 0, 1)[..., None]
    return _photographed(np.asarray(shot, np.float32), rng, region, edge)


def _around(u: Floats, v: Floats, body: Floats, rng: np.random.Generator) -> Floats:
    """(_WIDE, _WIDE, 3) what lies round the face: ground, and on one or two sides the die's own
    side or another die."""
    ground = np.empty((_WIDE, _WIDE, 3), np.float32)
    ground[:] = rng.uniform(0, 1, 3) ** 2.2
    if rng.random() < 0.5:
        ground *= (0.5 + cloud(rng, _WIDE))[..., None]
    for _ in range(int(rng.choice([0, 1, 1, 2]))):
        beside = [u, v, -u, -v][int(rng.integers(4))] > 0.46
        tone = body if rng.random() < 0.75 else rng.uniform(0, 1, 3) ** 2.2
        ground[beside] = tone * rng.uniform(0.02, 1.2)
    return ground


def _photographed(shot: Floats, rng: np.random.Generator, region: float, edge: int) -> Image:
    """Make the picture as coarse, bright, soft and noisy as a cheap camera takes it."""
    side = float(np.exp(rng.uniform(np.log(18), np.log(110))))
    coarse = min(_WIDE, max(16, round(side * region)))
    if coarse < _WIDE:
        shot = cv2.resize(shot, (coarse, coarse), interpolation=cv2.INTER_AREA)
    soft = rng.uniform(0.3, 0.8) if rng.random() < 0.75 else rng.uniform(0.8, 1.8)
    # The picture that a camera meters is more than this crop.
    meter = np.full(
        (7, 7, 3), np.quantile(shot[::6, ::6], 0.7) + rng.uniform(0.02, 0.4), np.float32
    )
    light = float(np.exp(rng.uniform(np.log(0.25), 0.7)))
    image = expose(shot + rng.uniform(0, 0.02), rng, soft * min(1.0, coarse / 45), meter, light)
    if rng.random() < 0.5:
        coded = np.frombuffer(compressed(image, rng), np.uint8)
        image = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    flags = cv2.INTER_AREA if coarse > edge else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (edge, edge), interpolation=flags), np.uint8)


def _mirrored(u: Floats, v: Floats, rng: np.random.Generator) -> Floats:
    """(_WIDE, _WIDE) the light of a lamp or window that the face mirrors."""
    way = rng.uniform(0, 2 * np.pi)
    cos, sin = float(np.cos(way)), float(np.sin(way))
    across = u * cos + v * sin - rng.uniform(-0.6, 0.6)
    along = v * cos - u * sin - rng.uniform(-0.6, 0.6)
    wide, high = rng.uniform(0.04, 0.45, 2)
    if rng.random() < 0.5:
        spot = np.exp(-((across / wide) ** 2) - (along / high) ** 2)
    else:
        soft = rng.uniform(15, 80)
        spot = np.clip((wide - np.abs(across)) * soft, 0, 1)
        spot *= np.clip((high - np.abs(along)) * soft, 0, 1)
    return np.asarray(spot * rng.uniform(0.02, 1.2), np.float32)


def _to_face(rng: np.random.Generator, region: float) -> Floats:
    """The homography from px of the composed crop to the face (-0.5..0.5), whose corners in the
    crop are displaced as a refiner's errors displace them."""
    loose = 2.0 if rng.random() < 0.15 else 1.0
    quad = _UNIT * np.exp(rng.normal(0, 0.05))
    quad = quad + (rng.normal(0, 0.03, 2) + rng.normal(0, 0.025, (4, 2))) * loose
    seen = ((quad / region + 0.5) * _WIDE).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(seen, _UNIT), np.float64)
