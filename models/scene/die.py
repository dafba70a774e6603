"""One rounded die: its printed faces, its pose, and its pixels by ray casting."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.arrays import Floats, Image
from models.art.glyphs import Bank, Glyph, bent, restyled
from models.art.shapes import SIZE
from models.art.symbols.bank import Drawing, Symbols
from models.art.symbols.choice import any_six, stranger
from models.scene.finishes import Finish

TEXTURE: Final = 80
RESTYLED: Final = 0.35
"""The share of training drawings that are restyled."""
WIDE_SHARE: Final = 0.2
"""The share of wide styles among chosen own drawings, if the split has any: most training styles
are wide, and less like real prints than the others."""
SCRATCHED: Final = 0.12
"""The share of faces that are scratched."""
# Face i of a die: outward axis, then the axes along which its texture runs right and down.
AXES: Final = np.array(
    [
        [[0, 0, 1], [1, 0, 0], [0, -1, 0]],
        [[0, 0, -1], [1, 0, 0], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, -1]],
        [[-1, 0, 0], [0, -1, 0], [0, 0, -1]],
        [[0, 1, 0], [-1, 0, 0], [0, 0, -1]],
        [[0, -1, 0], [1, 0, 0], [0, 0, -1]],
    ],
    np.float32,
)
GAME_NAMES: Final = ("new-york", "tokyo")
GAMES: Final = (
    ("energy", "attack", "destruction", "heal", "celebrity", "ouch"),
    ("one", "two", "three", "energy", "attack", "heal"),
)


@dataclass(frozen=True, slots=True)
class Die:
    """A die in the world: millimetres, z up; `names[i]` is printed on face i of AXES."""

    centre: Floats
    rotation: Floats
    side: float
    names: tuple[str, ...]
    drawings: tuple[str, ...]
    """The asset of each face's drawing, or nothing."""
    atlas: Floats
    """(6 * n, n, 3) linear BGR; n is TEXTURE."""
    ink: Floats
    """(6 * n, n) how much of the atlas is print, 0..1."""
    finish: Finish
    kind: str
    relief: Floats | None = None
    """(6 * n, n, 3) the slope of the print to the right and down, and the share of light that
    reaches its edges; None if it is flat."""
    wall: Floats | None = None
    """(3,) half the size, mm, of what is no die but a wall of a tray, `side` mm thick."""

    def half(self) -> Floats:
        """(3,) half its size, mm."""
        return np.full(3, self.side / 2, np.float32) if self.wall is None else self.wall

    def corners(self) -> Floats:
        """(6, 4, 3) world points: every face's corners, from its texture's upper left round."""
        ring = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
        local = self.half() * (
            AXES[:, None, 0]
            + ring[None, :, :1] * AXES[:, None, 1]
            + ring[None, :, 1:] * AXES[:, None, 2]
        )
        return np.asarray(local @ self.rotation.T + self.centre, np.float32)

    def printed_top(self) -> Floats:
        """(n, n) how much of the top face is print, 0..1, its corners in order."""
        top, size = self.top(), self.ink.shape[1]
        return self.ink[top * size : (top + 1) * size]

    def top(self) -> int:
        """The face whose outward axis points most upwards."""
        return int(np.argmax(AXES[:, 0] @ self.rotation.T[:, 2]))

    def flat(self) -> bool:
        """Whether it lies on the table itself and on one of its faces."""
        upright = float((AXES[:, 0] @ self.rotation.T[:, 2]).max()) > 0.995
        return upright and float(self.centre[2]) < self.side * 0.75


def placed(mask: Image, rng: np.random.Generator) -> Image:
    """Place the drawing on a face, with random size, turn, shift and boldness."""
    mask = bent(mask, rng)
    scale = rng.uniform(0.5, 0.84) * TEXTURE / SIZE
    turn = 90 * rng.integers(0, 4) + (
        rng.normal(0, 2) if rng.random() < 0.8 else rng.uniform(0, 90)
    )
    grid = cv2.getRotationMatrix2D((SIZE / 2, SIZE / 2), turn, scale)
    stretch = rng.normal(1, 0.06)
    grid[0] *= stretch
    grid[:, 2] += TEXTURE / 2 - grid[:, :2] @ np.full(2, SIZE / 2) - grid[:, 2]
    grid[:, 2] = grid[:, 2] + rng.normal(0, 0.02 * TEXTURE, 2)
    thick = rng.random()
    if thick < 0.2:
        mask = cv2.dilate(mask, np.ones((3, 3), np.uint8), iterations=int(rng.integers(1, 3)))
    elif thick < 0.35:
        mask = cv2.erode(mask, np.ones((3, 3), np.uint8), iterations=1)
    return np.asarray(cv2.warpAffine(mask, grid, (TEXTURE, TEXTURE), flags=cv2.INTER_AREA))


def scratched(mask: Image, rng: np.random.Generator) -> Image:
    """Scratch a share of printed faces, as use does."""
    if rng.random() >= SCRATCHED:
        return mask
    marked = mask.copy()
    points = rng.uniform(0, TEXTURE, (3, 2)).astype(np.int32)
    cv2.polylines(marked, [points], False, 0, int(rng.integers(1, 4)), cv2.LINE_AA)
    return marked


def _pips(count: int, rng: np.random.Generator) -> Image:
    """Draw 1 to 6 pips."""
    spots = {
        1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)],
        4: [(-1, -1), (1, 1), (-1, 1), (1, -1)],
        5: [(-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)],
        6: [(-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)],
    }[count]  # fmt: skip
    face = np.zeros((TEXTURE, TEXTURE), np.uint8)
    radius, apart = rng.uniform(0.065, 0.12) * TEXTURE, rng.uniform(0.22, 0.28)
    for x, y in spots:
        at = (int(TEXTURE * (0.5 + apart * x)), int(TEXTURE * (0.5 + apart * y)))
        cv2.circle(face, at, int(radius), 255, -1, cv2.LINE_AA)
    return face


def glyph_of(bank: Bank, split: str, face: str, rng: np.random.Generator) -> tuple[str, Image]:
    """Choose a drawing of the face that the split may show, and its asset; half of the time one of
    our own, else any.
    """
    choices, wide, plain = _drawings_of(bank, split, face)
    if (wide or plain) and rng.random() < 0.5:
        choices = wide if wide and rng.random() < WIDE_SHARE else plain or wide
    chosen = choices[int(rng.integers(len(choices)))]
    return chosen.asset, np.asarray(chosen.variants[int(rng.integers(len(chosen.variants)))])


@lru_cache(maxsize=128)
def _drawings_of(
    bank: Bank, split: str, face: str
) -> tuple[tuple[Glyph, ...], tuple[Glyph, ...], tuple[Glyph, ...]]:
    """All drawings of a face that the split may show, the own wide ones, and the other own ones."""
    choices = bank.of(split, face)
    own = [g for g in choices if g.is_own()]
    wide = tuple(g for g in own if g.is_wide())
    return choices, wide, tuple(g for g in own if not g.is_wide())


@dataclass(frozen=True, slots=True)
class DicePrint:
    """The print of a die: the name of each face, its drawing's asset and the share of ink,
    (TEXTURE, TEXTURE) uint8. All dice of one box have the same.
    """

    names: tuple[str, ...]
    drawings: tuple[str, ...]
    masks: tuple[Image, ...]


def make_print(
    source: tuple[Bank, str],
    game: int,
    rng: np.random.Generator,
    kind: str,
    symbols: Symbols | None = None,
) -> DicePrint:
    """Make a print of that kind. `source` is the drawings and the split that may be used, `game` an
    index of GAMES; kinds `symbols` (any six, each with its name) and `strangers` (six of one kind,
    named foreign) need `symbols`. ValueError without.
    """
    bank, split = source
    names: tuple[str, ...] = ("foreign",) * 6
    if kind == "blank":
        return DicePrint((kind,) * 6, ("",) * 6, (np.zeros((TEXTURE, TEXTURE), np.uint8),) * 6)
    if kind == "pips":
        return DicePrint(names, ("",) * 6, tuple(_pips(n, rng) for n in rng.permutation(6) + 1))
    if kind in ("symbols", "strangers"):
        if symbols is None:
            raise ValueError(f"dice with {kind} need the bank of symbols")
        if kind == "strangers":
            return print_of(stranger(symbols, split, rng), names, rng)
        pairs = any_six(symbols, split, rng)
        names = tuple(f"symbol:{one.name}" for one, _ in pairs)
        chosen, mates = (
            [(one.asset, one.mask) for one, _ in pairs],
            [mate.mask for _, mate in pairs],
        )
    else:
        faces: tuple[str, ...] = ("other",) * 6
        if kind == "glyph":
            order = list(GAMES[game])
            rng.shuffle(order)
            names = faces = tuple(order)
        chosen = [glyph_of(bank, split, face, rng) for face in faces]
        mates = [glyph_of(bank, split, face, rng)[1] for face in faces if split == "train"]
    masks = [mask for _, mask in chosen]
    if split == "train":
        masks = [
            restyled(mask, mate, rng) if rng.random() < RESTYLED else mask
            for mask, mate in zip(masks, mates, strict=True)
        ]
    assets = tuple(asset for asset, _ in chosen)
    return DicePrint(names, assets, tuple(placed(mask, rng) for mask in masks))


def print_of(
    drawings: Sequence[Drawing], names: tuple[str, ...], rng: np.random.Generator
) -> DicePrint:
    """Place six drawings of symbols on the faces of a die, under these names."""
    masks = tuple(placed(drawing.mask, rng) for drawing in drawings)
    return DicePrint(names, tuple(drawing.asset for drawing in drawings), masks)


def worn_ink(shown: DicePrint, style: Finish, rng: np.random.Generator) -> Floats:
    """Make one die's share of ink, (6 * TEXTURE, TEXTURE), worn and scratched in its own way."""
    ink = np.concatenate([scratched(mask, rng) for mask in shown.masks]).astype(np.float32) / 255
    if style.wear > 0:
        noise = cv2.resize(rng.random((60, 10), dtype=np.float32), ink.shape[::-1])
        ink = ink * np.clip((noise - style.wear + 0.15) * 5, 0.1, 1)
    return np.asarray(ink, np.float32)


def paint_atlas(shown: DicePrint, style: Finish, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Make one die's (6 * TEXTURE, TEXTURE, 3) linear atlas, and the share of ink in it."""
    ink = worn_ink(shown, style, rng)
    relief = cv2.GaussianBlur(ink, (0, 0), 1.2)
    edge = np.roll(relief, 1, axis=0) - np.roll(relief, -1, axis=0)
    atlas = style.body + (style.ink - style.body) * ink[..., None]
    speck = 1 + (rng.random(ink.shape, dtype=np.float32) - 0.5) * rng.uniform(0, 0.25)
    shaded = atlas * (speck * (1 + edge * rng.uniform(-0.8, 0.8)))[..., None]
    return np.maximum(shaded, 0.0005).astype(np.float32), ink


def dots(one: Floats, other: Floats) -> Floats:
    """(h, w) the inner products of (h, w, 3) with (h, w, 3) or (3,); numpy's own sums are slow."""
    return np.asarray(
        one[..., 0] * other[..., 0] + one[..., 1] * other[..., 1] + one[..., 2] * other[..., 2]
    )


def largest(values: Floats) -> Floats:
    """(h, w) the largest of the three numbers of each pixel, (h, w, 3)."""
    return np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2])


def through_box(origin: Floats, ways: Floats, half: Floats) -> tuple[Floats, Floats]:
    """(h, w) where rays from `origin` along `ways` (h, w, 3) enter a box round the middle of half
    sizes `half` and leave it, in lengths of the ways; near > far if they miss it.
    """
    inverse = 1.0 / np.where(np.abs(ways) < 1e-6, 1e-6, ways)
    one, two = (-half - origin) * inverse, (half - origin) * inverse
    return largest(np.minimum(one, two)), -largest(-np.maximum(one, two))


@dataclass(frozen=True, slots=True)
class Hit:
    """The rays that met a die, in a window (top, left) of the picture: shapes (h, w[, 3])."""

    top: int
    left: int
    mask: NDArray[np.bool_]
    depth: Floats
    normal: Floats
    point: Floats
    albedo: Floats


def cast(die: Die, eye: Floats, rays: Floats, window: tuple[int, int]) -> Hit:
    """Cast rays (h, w, 3), world directions from `eye`, at the rounded die."""
    half = die.half()
    radius = np.float32(die.side * die.finish.radius)
    origin = (eye - die.centre) @ die.rotation
    ways = rays @ die.rotation
    near, far = through_box(origin, ways, half)
    depth = near
    for _ in range(4):
        point = origin + ways * depth[..., None]
        over = np.maximum(np.abs(point) - (half - radius), 0)
        gap = np.sqrt(dots(over, over)) - radius
        depth = depth + np.maximum(gap, 0)
    point = origin + ways * depth[..., None]
    over = np.maximum(np.abs(point) - (half - radius), 0)
    length = np.sqrt(dots(over, over))
    mask = (near <= far) & (length - radius < 0.015 * die.side) & (depth < far + 0.02 * die.side)
    normal = np.sign(point) * over / np.maximum(length, 1e-6)[..., None]
    sides = (np.abs(point) - half).argmax(axis=2)
    flip = np.take_along_axis(point, sides[..., None], 2)[..., 0] < 0
    face = np.array([[2, 3], [4, 5], [0, 1]])[sides, flip.astype(np.int64)]
    right, down = (dots(point, AXES[face, n]) / np.float32(die.side / 2) for n in (1, 2))
    size = die.ink.shape[1]
    u = np.clip((right + 1) / 2, 0, 1) * (size - 1)
    v = np.clip((down + 1) / 2, 0, 1) * (size - 1) + face * size
    texels = u.astype(np.float32), v.astype(np.float32)
    world = point @ die.rotation.T + die.centre
    albedo = cv2.remap(die.atlas, *texels, cv2.INTER_LINEAR)
    if die.relief is not None:
        slope = cv2.remap(die.relief, *texels, cv2.INTER_LINEAR)
        normal = normal + slope[..., :1] * AXES[face, 1] + slope[..., 1:2] * AXES[face, 2]
        normal /= np.sqrt(dots(normal, normal))[..., None]
        albedo = albedo * slope[..., 2:]
    return Hit(*window, mask, depth, normal @ die.rotation.T, world, albedo)


def rotation_with_top(wanted: int) -> Floats:
    """The rotation that brings face `wanted` of AXES upwards."""
    up, right, down = AXES[wanted]
    return np.stack([right, -down, up]).astype(np.float32)


def make_yaw(degrees: float) -> Floats:
    """The rotation about the upright axis."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]], np.float32)


def put_flat(die: Die, at: Floats, yaw: float) -> Die:
    """Put the die flat at (x, y) with its yaw in degrees."""
    centre = np.array([at[0], at[1], die.side / 2], np.float32)
    return replace(die, centre=centre, rotation=make_yaw(yaw) @ die.rotation)


def tipped_over(die: Die, axis: float, degrees: float) -> Die:
    """Tip the die over on an edge or corner; its lowest point stays on the table."""
    way = np.array([np.cos(axis), np.sin(axis), 0.0]) * np.radians(degrees)
    lean = np.asarray(cv2.Rodrigues(way)[0], np.float32)
    tipped = replace(die, rotation=lean @ die.rotation)
    low = float(tipped.corners()[..., 2].min())
    return replace(tipped, centre=tipped.centre - np.array([0, 0, low], np.float32))
