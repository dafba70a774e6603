"""What the networks are trained on: a patch of every rendered die, composed tops, false finds of a
detector (cubes, side faces, discs, gaps), and the batches that are drawn of them.

The classifier's embedding is learned on all names (a softmax of cosines with a margin: CosFace,
Wang and others 2018), so that any symbol has a place of its own, and whatever is no face is far
from every face. Only the faces are named at the table; a box may name any symbol.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.vision.networks.classify import rectified
from companion.vision.networks.contract import load_contract
from companion.vision.networks.corners import OUTSIDE_BGR, crop_maps, crops, moved
from companion.vision.networks.locate import Locator, normalised, sides
from companion.vision.pictures import Pyramid, cv2
from models.arrays import Floats, Image
from models.art.glyphs import FACES, Bank, restyled
from models.art.symbols.bank import Symbols
from models.dataset import PATCH, Picture, mapped, patch_of, patches, pictures, side_of
from models.places import CACHE
from models.scene.render import Label
from models.scene.tops import compose
from models.terms import TERMS

REJECTED: Final = len(FACES)
"""The class of what is no readable face."""
IGNORED: Final = -1
"""The class of patches that are not trained on: neither a face nor surely none, or standard pips,
which are kept for tests of symbols of an unknown kind."""
UNNAMED: Final = -1
"""The number of what has no name: a hidden top, a side face, no die, a sign of no known class."""
PIPS: Final = -2
"""The number of standard pips, from which the classifier learns nothing."""
SYMBOL: Final = "symbol:"
"""What the labels of rendered symbols begin with."""
RESTYLED: Final = 0.5
"""The share of composed drawings that are restyled."""
WHOLE: Final = 128
RENDERED: Final = {"face": 36, "symbol": 18, "foreign": 6, "reject": 12}
"""Rendered crops in a batch of WHOLE."""
COMPOSED: Final = {"face": 20, "symbol": 36}
"""Composed crops in a batch of WHOLE."""
READABLE: Final = (0.76, 16.0)
"""The visible share of a top and the grey levels of its print from which on it is trained as its
face. An unhidden die has 0.8 and more."""
HOPELESS: Final = (0.7, 12.0)
"""Below either, a top is trained as no readable face. Evaluation counts such a hidden die as unfit
to be read, so that any face named for it is an error."""
CORNERED: Final = 0.55
"""The share of a top that must be seen to learn its corners."""
CROP: Final = 256
SMALL: Final = (640, 360)
LARGE: Final = 130.0
"""The side of a die in the detector's input, px, from which the smaller look is meant to find it,
and this one need not."""
LARGE_SIDES: Final = (40.0, 110.0)
"""The sides to which most views with larger dice are reduced, as in the smaller look."""
SCENES: Final = 3000
"""The scenes whose false finds are collected."""
KEPT: Final = 8000
"""The false finds of which patches are kept."""

Batch = tuple[NDArray[Any], ...]
Draw = Callable[[np.random.Generator], Batch]
"""Draws a batch: the network's input first, then what it is to answer."""

ROW: Final = np.dtype(
    [
        ("quad", np.float32, (4, 2)), ("base", np.float32, (4, 2)), ("number", np.int64),
        ("flat", np.bool_), ("seen", np.float32), ("contrast", np.float32), ("top", np.bool_),
    ]
)  # fmt: skip
"""What is known of a patch: corners in its px, the number of its name, the rest as in a Label;
`top` is false for what only looks like a die's top."""


@dataclass(frozen=True, slots=True)
class Stock:
    """The patches (PATCH, PATCH, 3) uint8 of dice, then of false finds, and a ROW for each."""

    dice: Image
    false_finds: Image
    rows: NDArray[Any]

    def image(self, index: int) -> Image:
        """The patch of that number."""
        count = len(self.dice)
        return np.asarray(self.dice[index] if index < count else self.false_finds[index - count])


def names_of(symbols: Symbols) -> tuple[str, ...]:
    """The names that are learned: the faces, then the symbols of the train split."""
    return (*FACES, *(SYMBOL + symbol.name for symbol in symbols.of("train")))


def number_of(face: str, drawing: str, numbers: Mapping[str, int]) -> int:
    """The number of a die labelled so among these numbers of names; PIPS or UNNAMED without one."""
    if face == "foreign" and not drawing:
        return PIPS
    return numbers.get(face, UNNAMED)


def load_stock(counts: Mapping[str, int], symbols: Symbols, false_finds: Path | None) -> Stock:
    """Load the patches of these numbers of training renders of each kind, which are in the cache,
    and the false finds that `mine` has stored.
    """
    images = CACHE / f"patches-{sum(counts.values())}.dat"
    listed = images.with_suffix(".npy")
    if not listed.exists():
        partial = images.with_suffix(f".{os.getpid()}.part")
        numbers = {name: number for number, name in enumerate(names_of(symbols))}
        rows = []
        with partial.open("wb") as file:
            for image, one in (patch for kind in counts for patch in patches(kind, "train")):
                file.write(image.tobytes())
                known = (number_of(one.face, one.drawing, numbers), one.flat, one.seen)
                rows.append((one.quad, one.base, *known, one.contrast, True))
        partial.rename(images)
        with partial.open("wb") as file:
            np.save(file, np.array(rows, ROW))
        partial.rename(listed)
    rows = np.load(listed)
    # Read from the disk, so that what draws batches beside the training shares its memory.
    dice = np.memmap(images, np.uint8, "r", shape=(len(rows), PATCH, PATCH, 3))
    if false_finds is None:
        return Stock(dice, np.zeros((0, PATCH, PATCH, 3), np.uint8), rows)
    with np.load(false_finds) as found:
        aside = np.zeros(len(found["quads"]), ROW)
        aside["quad"] = aside["base"] = found["quads"]
        aside["number"], aside["flat"], aside["seen"], aside["contrast"] = UNNAMED, True, 1, 255
        return Stock(dice, found["images"], np.concatenate([rows, aside]))


def targets_of(rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(N,) the class that the classifier learns of each patch: REJECTED if too much of a top is
    hidden or blinded, IGNORED between that and a readable one; and (N,) the number of its name,
    UNNAMED if there is none, or not enough of it to be seen.
    """
    number, seen, contrast = rows["number"], rows["seen"], rows["contrast"]
    readable = (seen >= READABLE[0]) & (contrast >= READABLE[1])
    hopeless = (seen < HOPELESS[0]) | (contrast < HOPELESS[1]) | ~_is_face(number)
    classes = np.where(hopeless, REJECTED, np.where(readable, number, IGNORED))
    named = readable & (number >= 0)
    return np.where(number == PIPS, IGNORED, classes), np.where(named, number, UNNAMED)


def _is_face(number: NDArray[Any]) -> NDArray[np.bool_]:
    return (number >= 0) & (number < REJECTED)


Named = tuple[tuple[Image, ...], ...]
"""To compose tops with: each name's drawings, and of each drawing its variants (n, SIZE, SIZE)."""


def drawings_of(bank: Bank, symbols: Symbols) -> Named:
    """What the train split may show, in the order of `names_of`."""
    faces = [tuple(glyph.variants for glyph in bank.of("train", face)) for face in FACES]
    others = [tuple(mask[None] for mask in symbol.masks) for symbol in symbols.of("train")]
    return (*faces, *others)


def composed(named: Named, numbers: Floats, rng: np.random.Generator, edge: int) -> Image:
    """Compose a top (edge, edge, 3) of each of the names with these numbers (n,): each drawing of
    a name alike often, many of them restyled.
    """
    tops = np.empty((len(numbers), edge, edge, 3), np.uint8)
    for place, number in enumerate(numbers):
        mask, mate = (
            np.asarray(variants[int(rng.integers(len(variants)))], np.uint8)
            for variants in (named[number][int(rng.integers(len(named[number])))] for _ in range(2))
        )
        mask = restyled(mask, mate, rng) if rng.random() < RESTYLED else mask
        tops[place] = compose(mask, rng, TERMS.classifier.region, edge)
    return tops


def classifier_draw(stock: Stock, named: Named, batch: int) -> Draw:
    """Draw crops (n, 3, edge, edge), their classes (n,) and the numbers of their names (n,): every
    face alike often, every symbol alike often, composed tops first. Some rendered ones are cut
    beside the die, as rejects.
    """
    terms, edge = TERMS.classifier, TERMS.classifier.input.width
    classes, numbers = targets_of(stock.rows)
    rejected, is_symbol = classes == REJECTED, numbers >= REJECTED
    number = stock.rows["number"]
    foreign = stock.rows["top"] & ~_is_face(number) & (number != PIPS)
    pools = {
        "face": [np.flatnonzero(classes == face) for face in range(REJECTED)],
        "symbol": [np.flatnonzero(is_symbol)],
        "foreign": [np.flatnonzero(rejected & foreign & ~is_symbol)],
        "reject": [np.flatnonzero(rejected & ~foreign)],
    }
    every = np.flatnonzero(classes != IGNORED)
    filled = {kind: [one for one in some if len(one)] or [every] for kind, some in pools.items()}

    def draw(rng: np.random.Generator) -> Batch:
        faces = rng.integers(REJECTED, size=batch * COMPOSED["face"] // WHOLE)
        symbols = rng.integers(REJECTED, len(named), batch * COMPOSED["symbol"] // WHOLE)
        drawn = np.concatenate([faces, symbols])
        tops = normalised(composed(named, drawn, rng, edge), terms.input)
        kinds = [k for k, count in RENDERED.items() for _ in range(batch * count // WHOLE)]
        some = [filled[kind][int(rng.integers(len(filled[kind])))] for kind in kinds]
        chosen = np.array([pool[int(rng.integers(len(pool)))] for pool in some])
        count = len(chosen)
        quads = _jittered(stock.rows["quad"][chosen], rng)
        beside = rng.random(count) < 0.05
        ways = rng.uniform(0, 2 * np.pi, count)
        away = np.stack([np.cos(ways), np.sin(ways)], 1) * rng.uniform(34, 60, (count, 1))
        quads[beside] += away[beside, None].astype(np.float32)
        cut = np.empty((count, edge, edge, 3), np.uint8)
        for place, index in enumerate(chosen):
            quad = np.roll(quads[place], int(rng.integers(4)), axis=0)
            cut[place] = rectified(Pyramid(stock.image(index)), quad[None], terms.region, edge)[0]
        known = np.where(beside, REJECTED, classes[chosen])
        names = np.where(beside, UNNAMED, numbers[chosen])
        return (
            np.concatenate([tops, normalised(augmented(cut, rng, 0.6), terms.input)]),
            np.concatenate([np.minimum(drawn, REJECTED), known]),
            np.concatenate([drawn, names]),
        )

    return draw


def augmented(batch: Image, rng: np.random.Generator, strength: float = 1.0) -> Image:
    """Augment crops (N, h, w, 3) as other cameras and dice would change them; `strength`, up to 1,
    scales size and frequency of the changes.
    """
    count = len(batch)
    pixels = batch.astype(np.float32)
    gain = np.exp(rng.normal(0, 0.25 * strength, (count, 1, 1, 3))).astype(np.float32)
    shift = rng.normal(0, 14 * strength, (count, 1, 1, 1)).astype(np.float32)
    pixels = pixels * gain + shift
    flip = rng.random(count) < 0.08 * strength
    pixels[flip] = 255 - pixels[flip]
    grey = rng.random(count) < 0.1 * strength
    pixels[grey] = pixels[grey].mean(axis=3, keepdims=True)
    shuffled = np.flatnonzero(rng.random(count) < 0.12 * strength)
    for index in shuffled:
        pixels[index] = pixels[index][..., rng.permutation(3)]
    noise = rng.standard_normal((1 << 16) + pixels[0].size, dtype=np.float32)
    for index in np.flatnonzero(rng.random(count) < 0.6 * strength):
        start = int(rng.integers(1 << 16))
        grain = noise[start : start + pixels[index].size].reshape(pixels[index].shape)
        pixels[index] += grain * rng.uniform(1, 10)
    for index in np.flatnonzero(rng.random(count) < 0.25 * strength):
        pixels[index] = cv2.GaussianBlur(pixels[index], (0, 0), rng.uniform(0.5, 1.6))
    for index in np.flatnonzero(rng.random(count) < 0.25 * strength):
        high, wide = pixels[index].shape[:2]
        y, x = int(rng.integers(high)), int(rng.integers(wide))
        size = int(rng.integers(4, high // 4))
        pixels[index][y : y + size, x : x + size] = rng.uniform(0, 255)
    return np.clip(pixels, 0, 255).astype(np.uint8)


def _jittered(quads: Floats, rng: np.random.Generator) -> Floats:
    """Disturb quads in size, place and corners."""
    count = len(quads)
    side = 48.0
    centre = quads.mean(axis=1, keepdims=True)
    scale = np.exp(rng.normal(0, 0.05, (count, 1, 1)))
    shift = rng.normal(0, 0.03 * side, (count, 1, 2))
    noise = rng.normal(0, 0.03 * side, quads.shape)
    loose = rng.random((count, 1, 1)) < 0.15
    return np.asarray(
        centre + (quads - centre) * scale + (shift + noise) * np.where(loose, 2.0, 1.0), np.float32
    )


def _as_detected(quads: Floats, rng: np.random.Generator) -> Floats:
    """Disturb true quads as the detector or (most of them) a first pass would."""
    count = len(quads)
    fine = rng.random(count) < 0.6
    turn = np.clip(rng.normal(0, np.where(fine, 3.0, 14.0)), -42, 42)
    scale = np.exp(rng.normal(0, np.where(fine, 0.04, 0.2)))
    shift = rng.normal(0, 1, (count, 1, 2)) * np.where(fine, 1.5, 5.5)[:, None, None]
    cos, sin = np.cos(np.radians(turn)) * scale, np.sin(np.radians(turn)) * scale
    grid = np.stack([np.stack([cos, -sin], 1), np.stack([sin, cos], 1)], 1)
    centre = quads.mean(axis=1, keepdims=True)
    return np.asarray(np.einsum("nij,nkj->nki", grid, quads - centre) + centre + shift, np.float32)


def corners_draw(stock: Stock, batch: int) -> Draw:
    """Draw crops (n, 3, 64, 64) round rough quads, with offsets (n, 16) in half sides and whether
    they show a top, and a flat one (n, 2): a good quarter of leaning dice, a seventh of false
    finds; some are cut beside tops (side faces, gaps), as none.
    """
    shown = stock.rows["seen"] >= CORNERED
    is_flat, is_top = stock.rows["flat"], stock.rows["top"]
    leaning, level, false = (
        np.flatnonzero(kind) for kind in (~is_flat & shown, is_flat & is_top & shown, ~is_top)
    )

    def draw(rng: np.random.Generator) -> Batch:
        tipped, none = int(batch * 0.28), int(batch * 0.15) if len(false) else 0
        pools = [rng.choice(leaning, tipped), rng.choice(level, batch - tipped - none)]
        chosen = np.concatenate([*pools, rng.choice(false, none) if none else false])
        terms = TERMS.corners
        size = terms.input.width
        rows = stock.rows[chosen]
        quads, bases = rows["quad"], rows["base"]
        rough = _as_detected(quads, rng)
        wrong = rng.random(len(chosen)) < 0.15
        aside = _side_faces(quads, bases, rng)
        rough[wrong] = aside[wrong]
        maps = crop_maps(rough, terms.region, size)
        cut = np.empty((len(chosen), size, size, 3), np.uint8)
        for place, index in enumerate(chosen):
            cut[place] = crops(Pyramid(stock.image(index)), maps[place : place + 1], size)[0]
        half = size / terms.region / 2
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
        top = (moved(quads, maps) - size / 2) / half
        under = (moved(bases, maps) - size / 2) / half
        turns = np.stack([np.abs(np.roll(top, t, 1) - square).sum(axis=(1, 2)) for t in range(4)])
        for place, turn in enumerate(turns.argmin(axis=0)):
            top[place] = np.roll(top[place], turn, 0)
            under[place] = np.roll(under[place], turn, 0)
        offsets = np.concatenate([top - square, under - square], axis=1).reshape(len(chosen), 16)
        tops = rows["top"] & ~wrong
        judged = np.stack([tops, rows["flat"] & tops], 1).astype(np.float32)
        spoilt = normalised(augmented(cut, rng, 0.7), terms.input)
        return spoilt, offsets.astype(np.float32), judged

    return draw


def _side_faces(quads: Floats, bases: Floats, rng: np.random.Generator) -> Floats:
    """Quads of a random side face of each die, or beside it if that is hardly visible."""
    found = np.empty_like(quads)
    for place in range(len(quads)):
        side = int(rng.integers(4))
        other = (side + 1) % 4
        face = np.stack(
            [quads[place, side], quads[place, other], bases[place, other], bases[place, side]]
        )
        away = face.mean(axis=0) - quads[place].mean(axis=0)
        if np.linalg.norm(away) < 20 or rng.random() < 0.3:
            way = rng.uniform(0, 2 * np.pi)
            away = np.array([np.cos(way), np.sin(way)]) * rng.uniform(30, 62)
            face = quads[place] + away.astype(np.float32)
        found[place] = face * rng.uniform(0.95, 1.05)
    return _as_detected(found, rng)


class DetectorSample(NamedTuple):
    """A picture at SMALL size with its dice, corners scaled to it, for the detector."""

    image: Image
    quads: Floats
    wanted: NDArray[np.bool_]
    """(n,) whether a die must be found; otherwise it does not matter."""
    false_finds: Floats
    """(m, 2) where something was taken for a die."""


def detector_draw(count: int, false_finds: Path | None, batch: int) -> Draw:
    """Draw views (n, 3, CROP, CROP) of so many training scenes with their `detector_targets`, some
    round the false finds that `mine` has stored.
    """
    numbers, middles = np.zeros(0), np.zeros((0, 2))
    if false_finds is not None:
        with np.load(false_finds) as found:
            numbers, middles = found["scenes"], found["middles"] * SMALL
    samples = []
    for number, picture in enumerate(pictures("scenes", "train", count)):
        image = picture.image()
        small = np.asarray(cv2.resize(image, SMALL, interpolation=cv2.INTER_AREA), np.uint8)
        quads = quads_of(picture.labels) * np.float32(SMALL[0] / image.shape[1])
        wanted = [
            label.inside >= 0.2 if label.inside < 0.97 else label.seen >= 0.45
            for label in picture.labels
        ]
        here = middles[numbers == number]
        samples.append(DetectorSample(small, quads, np.array(wanted, np.bool_), here))

    def draw(rng: np.random.Generator) -> Batch:
        views, heats, goals = [], [], []
        for index in rng.integers(0, len(samples), batch):
            image, quads = _view(samples[int(index)], rng)
            is_small = np.array([side_of(quad) <= LARGE for quad in quads], np.bool_)
            heat, goal = detector_targets(quads, samples[int(index)].wanted & is_small)
            views.append(image)
            heats.append(heat)
            goals.append(goal)
        spoilt = augmented(np.stack(views), rng, 0.5)
        return normalised(spoilt, TERMS.detector.input), np.stack(heats), np.stack(goals)

    return draw


def quads_of(labels: Sequence[Label]) -> Floats:
    """(n, 4, 2) the corners of the labelled tops, px."""
    return np.array([label.quad for label in labels], np.float32).reshape(-1, 4, 2)


def _view(source: DetectorSample, rng: np.random.Generator) -> tuple[Image, Floats]:
    """Cut a randomly turned, scaled and mirrored view of a picture, with its quads."""
    scale = 0.75 * float(np.exp(rng.uniform(np.log(0.68), np.log(1.45))))
    turn = np.radians(rng.normal(0, 10) if rng.random() < 0.3 else 0)
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    grid = scale * np.array(
        [[np.cos(turn) * mirror, -np.sin(turn)], [np.sin(turn) * mirror, np.cos(turn)]]
    )
    focus = rng.uniform(0, 1, 2) * SMALL
    if len(source.false_finds) and rng.random() < 0.3:
        focus = source.false_finds[int(rng.integers(len(source.false_finds)))]
    elif len(source.quads) and rng.random() < 0.75:
        focus = source.quads[int(rng.integers(len(source.quads)))].mean(axis=0)
    largest = max(map(side_of, source.quads), default=0.0)
    if largest * scale > LARGE and rng.random() < 0.8:
        grid *= rng.uniform(*LARGE_SIDES) / (largest * scale)
    at = CROP / 2 + rng.uniform(-95, 95, 2)
    to_crop = np.concatenate([grid, (at - grid @ focus)[:, None]], axis=1).astype(np.float32)
    image = cv2.warpAffine(
        source.image, to_crop, (CROP, CROP), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT, borderValue=OUTSIDE_BGR,
    )  # fmt: skip
    quads = source.quads @ to_crop[:, :2].T + to_crop[:, 2]
    return np.asarray(image, np.uint8), np.asarray(quads, np.float32)


def detector_targets(quads: Floats, wanted: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Make heat and weight maps (2, c, c), and regression targets with weights (7, c, c)."""
    cells = CROP // TERMS.detector.stride
    heat = np.zeros((2, cells, cells), np.float32)
    heat[1] = 1
    goal = np.zeros((7, cells, cells), np.float32)
    for quad, want in zip(quads / TERMS.detector.stride, wanted, strict=True):
        centre = quad.mean(axis=0)
        if (centre >= -1).all() and (centre <= cells + 1).all():
            _mark((heat, goal), quad, wanted=bool(want))
    return heat, goal


def _mark(maps: tuple[Floats, Floats], quad: Floats, *, wanted: bool) -> None:
    """Enter one die, its quad in cells, into the heat and goal maps."""
    centre = quad.mean(axis=0)
    spread = np.maximum(quad.std(axis=0), 0.3)
    sigma = max(0.7, 0.16 * 2 * float(spread.mean()))
    reach = int(4 * sigma) + 2
    column, row = (int(v) for v in np.floor(centre))
    left, upper = max(0, column - reach), max(0, row - reach)
    window = np.s_[upper : max(0, row + reach + 1), left : max(0, column + reach + 1)]
    (heat, weight), goal = (part[window] for part in maps[0]), maps[1][:, window[0], window[1]]
    x = left + 0.5 + np.arange(heat.shape[1], dtype=np.float32) - centre[0]
    y = upper + 0.5 + np.arange(heat.shape[0], dtype=np.float32) - centre[1]
    bump = np.exp(-(x[None] ** 2 + y[:, None] ** 2) / (2 * sigma**2))
    if not wanted:
        weight[bump > 0.05] = 0
        return
    if 0 <= row - upper < bump.shape[0] and 0 <= column - left < bump.shape[1]:
        bump[row - upper, column - left] = 1.0
    np.maximum(heat, bump, out=heat)
    near = bump > np.maximum(goal[6], 0.3)
    corner = (quad - centre) / spread
    yaw = -np.exp(4j * np.arctan2(corner[:, 1], corner[:, 0])).mean()
    goal[0][near] = -np.broadcast_to(x[None], near.shape)[near]
    goal[1][near] = -np.broadcast_to(y[:, None], near.shape)[near]
    for plane, value in enumerate((*np.log(spread), yaw.real, yaw.imag), start=2):
        goal[plane][near] = value
    goal[6][near] = bump[near]


def false_finds(locator: Locator, picture: Picture) -> Iterator[tuple[Image, Floats, Floats]]:
    """Yields patches, quads and middles of candidates that are no die's top."""
    image = picture.image()
    tops = quads_of(picture.labels)
    middles, reach = tops.mean(axis=1), sides(tops)
    for quad in locator.locate(image)[0]:
        middle = quad.mean(axis=0)
        if (np.linalg.norm(middles - middle, axis=1) < 0.55 * reach).any():
            continue
        patch, grid = patch_of(image, quad)
        yield patch, mapped(quad, grid), middle / np.array(image.shape[1::-1])


def mine(folder: Path, target: Path, seed: int = 1) -> None:
    """Store the false finds of the folder's exported detector in the first SCENES train scenes,
    with patches and quads of a random KEPT of them.
    """
    locator = Locator(folder, load_contract(folder).detector)
    rows = [
        (patch, quad, number, middle)
        for number, picture in enumerate(pictures("scenes", "train", SCENES))
        for patch, quad, middle in false_finds(locator, picture)
    ]
    kept = np.sort(np.random.default_rng(seed).permutation(len(rows))[:KEPT])
    partial = target.with_suffix(f".{os.getpid()}.part.npz")
    np.savez(
        partial,
        images=np.array([rows[n][0] for n in kept], np.uint8).reshape(-1, PATCH, PATCH, 3),
        quads=np.array([rows[n][1] for n in kept], np.float32).reshape(-1, 4, 2),
        scenes=np.array([number for _, _, number, _ in rows], np.int64),
        middles=np.array([middle for *_, middle in rows], np.float32).reshape(-1, 2),
    )
    partial.rename(target)
