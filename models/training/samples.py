"""Training batches of the three networks, cut and augmented from patches and pictures: what a top
may be named, the stored patches, what a batch of the classifier holds, and hard negatives, which
are a detector's false finds on cubes, side faces, discs and gaps.

The classifier's embedding is learned on all of them (a softmax of cosines with a margin: CosFace,
Wang and others 2018), so that any symbol has a place of its own, and whatever is no face is far
from every face. Only the faces are named at the table; a box may name any symbol.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.vision.networks.classify import rectified
from companion.vision.networks.contract import load_contract
from companion.vision.networks.corners import OUTSIDE_BGR, crop_maps, crops, moved
from companion.vision.networks.locate import Locator, normalised, sides
from companion.vision.pictures import Pyramid, cv2
from models.arrays import Floats, Image
from models.art.glyphs import FACES, Bank, restyled
from models.art.symbols.bank import Symbols, load_symbols
from models.dataset import PATCH, Patch, Picture, mapped, patch_of, patches, pictures, side_of
from models.places import CACHE
from models.scene.render import Label
from models.scene.tops import TopComposer
from models.terms import TERMS

CENTRES: Final = 4937
"""The names that the classifier's embedding is learned on: the faces, and the symbols of the train
split."""
UNNAMED: Final = -1
"""The number of what has no name: a hidden top, a side face, no die, a sign of no known class."""
PIPS: Final = -2
"""The number of standard pips, from which the classifier learns nothing."""
SYMBOL: Final = "symbol:"
"""What the labels of rendered symbols begin with."""
RESTYLED: Final = 0.5
"""The share of composed drawings that are restyled."""


@dataclass(frozen=True, slots=True)
class Named:
    """The drawings of each name, to compose tops with."""

    names: tuple[str, ...]
    """The faces, then `SYMBOL` and the name of each symbol."""
    masks: tuple[tuple[Image, ...], ...]
    """The variants (n, SIZE, SIZE) of each drawing of each name."""
    composer: TopComposer = field(default_factory=TopComposer)

    @staticmethod
    def of(bank: Bank, symbols: Symbols) -> Named:
        """Collect what the train split may show. ValueError if the network has not as many
        centres."""
        faces = [tuple(glyph.variants for glyph in bank.of("train", face)) for face in FACES]
        trained, names = symbols.of("train"), names_of(symbols)
        if len(names) != CENTRES:
            raise ValueError(f"the network has {CENTRES} centres for {len(names)} names")
        others = [tuple(mask[None] for mask in symbol.masks) for symbol in trained]
        return Named(names, (*faces, *others))

    def composed(self, numbers: Floats, rng: np.random.Generator, edge: int) -> Image:
        """Compose a top (edge, edge, 3) of each of the names with these numbers (n,)."""
        tops = np.empty((len(numbers), edge, edge, 3), np.uint8)
        for place, number in enumerate(numbers):
            mask = self._mask(int(number), rng)
            if rng.random() < RESTYLED:
                mask = restyled(mask, self._mask(int(number), rng), rng)
            tops[place] = self.composer.compose(mask, rng, TERMS.classifier.region, edge)
        return tops

    def _mask(self, number: int, rng: np.random.Generator) -> Image:
        """Draw one of the drawings of a name, each alike often, and one of its variants."""
        drawings = self.masks[number]
        variants = drawings[int(rng.integers(len(drawings)))]
        return np.asarray(variants[int(rng.integers(len(variants)))], np.uint8)


def names_of(symbols: Symbols) -> tuple[str, ...]:
    """The names that are learned: the faces, then the symbols of the train split."""
    return (*FACES, *(SYMBOL + symbol.name for symbol in symbols.of("train")))


def number_of(face: str, drawing: str, numbers: Mapping[str, int]) -> int:
    """The number of a die labelled so among these numbers of names; PIPS or UNNAMED without one."""
    if face == "foreign" and not drawing:
        return PIPS
    return numbers.get(face, UNNAMED)


PATCHES: Final = CACHE / "patches.dat"
STOCK: Final = CACHE / "stock.npz"
_NOTHING: Final = np.zeros((0, 0, 3), np.uint8)


def load_stock(counts: dict[str, int], detector: Path) -> Stock:
    """Load the train split's patches of these numbers of renders of each kind, then the hard
    negatives of the detector in that folder. The renders must be in the cache.
    """
    if not STOCK.exists() or not _is_of(counts):
        _store(counts)
    with np.load(STOCK) as stored:
        names = ("quads", "bases", "numbers", "flats", "seens", "contrasts")
        rows = {name: stored[name] for name in names}
    count = len(rows["numbers"])
    # Read from the disk, so that processes side by side share what memory there is for it.
    dice = np.memmap(PATCHES, np.uint8, "r", shape=(count, PATCH, PATCH, 3))
    found = hard_negatives(detector)
    more = len(found.quads)
    return Stock(
        dice,
        found.images,
        np.concatenate([rows["quads"], found.quads]),
        np.concatenate([rows["bases"], found.quads]),
        np.concatenate([rows["numbers"], np.full(more, UNNAMED)]),
        np.concatenate([rows["flats"], np.ones(more, np.bool_)]),
        np.concatenate([rows["seens"], np.ones(more, np.float32)]),
        np.concatenate([rows["contrasts"], np.full(more, 255, np.float32)]),
        np.arange(count + more) < count,
    )


def _is_of(counts: dict[str, int]) -> bool:
    """Whether the stored patches are of these numbers of renders."""
    with np.load(STOCK) as stored:
        if "numbers" not in stored:
            return False
        return dict(zip(stored["kinds"].tolist(), stored["counts"].tolist(), strict=True)) == counts


def _store(counts: dict[str, int]) -> None:
    """Write a patch of every die of the train split to PATCHES, and their labels to STOCK."""
    rows: list[Patch] = []
    partial = PATCHES.with_suffix(f".{os.getpid()}.part")
    with partial.open("wb") as file:
        for patch in (p for kind in counts for p in patches(kind, "train")):
            file.write(patch.image.tobytes())
            rows.append(replace(patch, image=_NOTHING))
    known = {name: number for number, name in enumerate(names_of(load_symbols()))}
    numbers = [number_of(row.face, row.drawing, known) for row in rows]
    partial.rename(PATCHES)
    stored = STOCK.with_suffix(f".{os.getpid()}.part.npz")
    np.savez(
        stored,
        kinds=np.array(list(counts)),
        counts=np.array(list(counts.values())),
        quads=np.array([row.quad for row in rows], np.float32),
        bases=np.array([row.base for row in rows], np.float32),
        numbers=np.array(numbers, np.int64),
        flats=np.array([row.flat for row in rows], np.bool_),
        seens=np.array([row.seen for row in rows], np.float32),
        contrasts=np.array([row.contrast for row in rows], np.float32),
    )
    stored.rename(STOCK)


WHOLE: Final = 128
RENDERED: Final = {"face": 36, "symbol": 18, "foreign": 6, "reject": 12}
"""Rendered crops in a batch of WHOLE."""
COMPOSED: Final = {"face": 20, "symbol": 36}
"""Composed crops in a batch of WHOLE."""


class Mixture:
    """Draws batches: every face alike often, every symbol alike often."""

    def __init__(self, stock: Stock, named: Named, batch: int) -> None:
        self._stock, self._named = stock, named
        self._targets = Targets(stock.target_classes(), stock.target_numbers())
        self._pools = _pools(stock, self._targets)
        self._composed = {kind: batch * count // WHOLE for kind, count in COMPOSED.items()}
        self._rendered = {kind: batch * count // WHOLE for kind, count in RENDERED.items()}

    def draw(self, rng: np.random.Generator) -> ClassifierBatch:
        """Draw a batch; composed tops come first."""
        terms = TERMS.classifier.input
        faces = rng.integers(REJECTED, size=self._composed["face"])
        symbols = rng.integers(REJECTED, len(self._named.names), size=self._composed["symbol"])
        numbers = np.concatenate([faces, symbols])
        drawn = normalised(self._named.composed(numbers, rng, terms.width), terms)
        chosen = [
            pool[int(rng.integers(len(pool)))]
            for kind, count in self._rendered.items()
            for pool in (
                self._pools[kind][int(rng.integers(len(self._pools[kind])))] for _ in range(count)
            )
        ]
        made = classifier_batch(self._stock, rng, np.array(chosen), self._targets)
        return ClassifierBatch(
            np.concatenate([drawn, made.crops]),
            np.concatenate([np.minimum(numbers, REJECTED), made.classes]),
            np.concatenate([numbers, made.numbers]),
        )


def _pools(stock: Stock, targets: Targets) -> dict[str, list[NDArray[np.int64]]]:
    """The places of the patches of each kind of RENDERED, in pools that are drawn from alike
    often; a kind without any has those of all."""
    rejected = targets.classes == REJECTED
    is_symbol = targets.numbers >= REJECTED
    foreign = stock.foreign_tops()
    found = {
        "face": [np.flatnonzero(targets.classes == face) for face in range(REJECTED)],
        "symbol": [np.flatnonzero(is_symbol)],
        "foreign": [np.flatnonzero(rejected & foreign & ~is_symbol)],
        "reject": [np.flatnonzero(rejected & ~foreign)],
    }
    every = np.flatnonzero(targets.classes != IGNORED)
    return {kind: [pool for pool in pools if len(pool)] or [every] for kind, pools in found.items()}


REJECTED: Final = len(FACES)
IGNORED: Final = -1
"""The class of patches that are not trained on: neither a face nor surely none, or standard pips,
which are kept for tests of symbols of an unknown kind."""
CROP: Final = 256
SMALL: Final = (640, 360)
LARGE: Final = 130.0
"""The side of a die in the detector's input, px, from which the smaller look is meant to find it,
and this one need not."""
LARGE_SIDES: Final = (40.0, 110.0)
"""The sides to which most views with larger dice are reduced, as in the smaller look."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """The visibility of a top: its visible share, and the grey levels of its print."""

    seen: float
    levels: float


READABLE: Final = Visibility(0.76, 16.0)
"""From this in both, a top is trained as its face. An unhidden die has 0.8 and more."""
HOPELESS: Final = Visibility(0.7, 12.0)
"""Below this in either, a top is trained as no readable face. Evaluation counts such a hidden die
as unfit to be read, so that any face named for it is an error."""


@dataclass(frozen=True, slots=True)
class ClassifierBatch:
    """Rectified crops (n, 3, edge, edge), their classes (n,), REJECTED for no face, and the numbers
    (n,) of their names, UNNAMED for none."""

    crops: Floats
    classes: NDArray[np.int64]
    numbers: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stock:
    """The training patches of refiner and classifier: N of dice, then of look-alikes, (PATCH,
    PATCH, 3) uint8 each. Corners (N, 4, 2) float32 in patch px; `numbers` (N,) of their names
    (`named`); `flats`, `seens` and `contrasts` (N,) from the labels; `tops` is false for
    look-alikes.
    """

    dice: Image
    hard_negatives: Image
    quads: Floats
    bases: Floats
    numbers: NDArray[np.int64]
    flats: NDArray[np.bool_]
    seens: Floats
    contrasts: Floats
    tops: NDArray[np.bool_]

    def target_classes(self) -> NDArray[np.int64]:
        """(N,) the classes to learn: REJECTED where too much of a top is hidden or blinded, IGNORED
        between that and a readable one.
        """
        is_face = (self.numbers >= 0) & (self.numbers < REJECTED)
        hopeless = (self.seens < HOPELESS.seen) | (self.contrasts < HOPELESS.levels)
        hopeless |= ~is_face
        classes = np.where(hopeless, REJECTED, np.where(self.readable(), self.numbers, IGNORED))
        return np.where(self.numbers == PIPS, IGNORED, classes)

    def target_numbers(self) -> NDArray[np.int64]:
        """(N,) the numbers of the names to learn, UNNAMED where there is no name, or not enough of
        it to be seen."""
        return np.where(self.readable() & (self.numbers >= 0), self.numbers, UNNAMED)

    def readable(self) -> NDArray[np.bool_]:
        """(N,) which patches show what is on them."""
        return (self.seens >= READABLE.seen) & (self.contrasts >= READABLE.levels)

    def foreign_tops(self) -> NDArray[np.bool_]:
        """(N,) which patches are tops of foreign dice, except pips."""
        is_face = (self.numbers >= 0) & (self.numbers < REJECTED)
        return np.asarray(self.tops & ~is_face & (self.numbers != PIPS), np.bool_)

    def image(self, index: int) -> Image:
        """The patch of that number."""
        count = len(self.dice)
        return np.asarray(self.dice[index] if index < count else self.hard_negatives[index - count])


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


@dataclass(frozen=True, slots=True)
class Targets:
    """What is learned of each patch of a stock: (N,) classes and numbers of names."""

    classes: NDArray[np.int64]
    numbers: NDArray[np.int64]


def classifier_batch(
    stock: Stock,
    rng: np.random.Generator,
    chosen: NDArray[np.int64],
    targets: Targets,
    edge: int = TERMS.classifier.input.width,
) -> ClassifierBatch:
    """Make a batch of the chosen patches as crops `edge` px wide; some are cut beside the die, as
    rejects.
    """
    terms = TERMS.classifier
    quads = _jittered(stock.quads[chosen], rng)
    classes, numbers = targets.classes[chosen], targets.numbers[chosen]
    beside = rng.random(len(chosen)) < 0.05
    ways = rng.uniform(0, 2 * np.pi, len(chosen))
    away = np.stack([np.cos(ways), np.sin(ways)], 1) * rng.uniform(34, 60, (len(chosen), 1))
    quads[beside] += away[beside, None].astype(np.float32)
    classes[beside], numbers[beside] = REJECTED, UNNAMED
    cut = np.empty((len(chosen), edge, edge, 3), np.uint8)
    for place, index in enumerate(chosen):
        quad = np.roll(quads[place], int(rng.integers(4)), axis=0)
        cut[place] = rectified(Pyramid(stock.image(index)), quad[None], terms.region, edge)[0]
    crops_ = normalised(augmented(cut, rng, 0.6), terms.input)
    return ClassifierBatch(crops_, classes, numbers)


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


@dataclass(frozen=True, slots=True)
class RefinerBatch:
    """Crops (n, 3, 64, 64), offsets (n, 16) in half sides, and the two judgements (n, 2)."""

    crops: Floats
    offsets: Floats
    judged: Floats


def refiner_batch(
    stock: Stock, rng: np.random.Generator, chosen: NDArray[np.int64]
) -> RefinerBatch:
    """Make a batch of crops round rough quads; some are beside tops (side faces, gaps) and count as
    none.
    """
    terms = TERMS.corners
    size = terms.input.width
    quads, bases = stock.quads[chosen], stock.bases[chosen]
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
    tops = stock.tops[chosen] & ~wrong
    judged = np.stack([tops, stock.flats[chosen] & tops], 1).astype(np.float32)
    return RefinerBatch(
        normalised(augmented(cut, rng, 0.7), terms.input), offsets.astype(np.float32), judged
    )


def _side_faces(quads: Floats, bases: Floats, rng: np.random.Generator) -> Floats:
    """Quads of a random side face of each die, or beside it where that is hardly visible."""
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


@dataclass(frozen=True, slots=True)
class DetectorSample:
    """A picture at SMALL size with its dice, corners scaled to it, for the detector."""

    image: Image
    quads: Floats
    wanted: NDArray[np.int8]
    """(n,) 1 to be found, 0 of no matter."""
    hard_negatives: Floats
    """(m, 2) where something was taken for a die."""


def _target_of(label: Label) -> int:
    """Whether the detector must find the die: 1, or 0 if it does not matter."""
    if label.inside < 0.97:
        return int(label.inside >= 0.2)
    return int(label.seen >= 0.45)


def detector_sample(picture: Picture, hard_negatives: Floats) -> DetectorSample:
    """Scale a picture down for the detector's training; `hard_negatives` in shares of it."""
    image = picture.image()
    scale = SMALL[0] / image.shape[1]
    small = cv2.resize(image, SMALL, interpolation=cv2.INTER_AREA)
    quads = [label.quad * scale for label in picture.labels]
    wanted = [_target_of(label) for label in picture.labels]
    return DetectorSample(
        np.asarray(small, np.uint8),
        np.array(quads, np.float32).reshape(-1, 4, 2),
        np.array(wanted, np.int8),
        hard_negatives.reshape(-1, 2) * np.array(SMALL),
    )


def _view(source: DetectorSample, rng: np.random.Generator) -> tuple[Image, Floats]:
    """Cut a randomly turned, scaled and mirrored view of a picture, with its quads."""
    scale = 0.75 * float(np.exp(rng.uniform(np.log(0.68), np.log(1.45))))
    turn = np.radians(rng.normal(0, 10) if rng.random() < 0.3 else 0)
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    grid = scale * np.array(
        [[np.cos(turn) * mirror, -np.sin(turn)], [np.sin(turn) * mirror, np.cos(turn)]]
    )
    focus = rng.uniform(0, 1, 2) * SMALL
    if len(source.hard_negatives) and rng.random() < 0.3:
        focus = source.hard_negatives[int(rng.integers(len(source.hard_negatives)))]
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


def detector_targets(quads: Floats, wanted: NDArray[np.int8]) -> tuple[Floats, Floats]:
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


@dataclass(frozen=True, slots=True)
class DetectorBatch:
    """Views (n, 3, CROP, CROP); heat (n, 2, c, c) target and weight; goal (n, 7, c, c)."""

    views: Floats
    heat: Floats
    goal: Floats


def detector_batch(
    stock: list[DetectorSample], rng: np.random.Generator, chosen: NDArray[np.int64]
) -> DetectorBatch:
    """Make views of chosen pictures with the detector's targets."""
    views, heats, goals = [], [], []
    for index in chosen:
        image, quads = _view(stock[int(index)], rng)
        small = np.array([side_of(quad) <= LARGE for quad in quads], np.int8)
        heat, goal = detector_targets(quads, stock[int(index)].wanted * small)
        views.append(image)
        heats.append(heat)
        goals.append(goal)
    spoilt = augmented(np.stack(views), rng, 0.5)
    return DetectorBatch(normalised(spoilt, TERMS.detector.input), np.stack(heats), np.stack(goals))


NEGATIVES: Final = "negatives.npz"
"""The file of a detector's false finds, in the folder of the detector."""
LOWEST: Final = TERMS.detector.threshold
SCENES: Final = 3000
KEPT: Final = 8000


@dataclass(frozen=True, slots=True)
class HardNegatives:
    """Some of the false finds: patches (n, PATCH, PATCH, 3) and their quads (n, 4, 2), patch px."""

    images: Image
    quads: Floats


@dataclass(frozen=True, slots=True)
class FalseFinds:
    """m false finds: the scene's number (m,), the middle (m, 2) in shares of the picture."""

    scenes: Floats
    middles: Floats

    def of(self, number: int) -> Floats:
        """(k, 2) the middles of one scene's false finds."""
        return self.middles[self.scenes == number]


def false_finds(locator: Locator, picture: Picture) -> Iterator[tuple[Image, Floats, Floats]]:
    """Yields patches, quads and middles of candidates that are no die's top."""
    image = picture.image()
    tops = np.array([label.quad for label in picture.labels], np.float32).reshape(-1, 4, 2)
    middles, reach = tops.mean(axis=1), sides(tops)
    for quad in locator.locate(image)[0]:
        middle = quad.mean(axis=0)
        if (np.linalg.norm(middles - middle, axis=1) < 0.55 * reach).any():
            continue
        patch, grid = patch_of(image, quad)
        yield patch, mapped(quad, grid), middle / np.array(image.shape[1::-1])


def mine(folder: Path, seed: int = 1) -> None:
    """Store the false finds of the folder's detector in the first SCENES train scenes in its
    NEGATIVES, with patches and quads of a random KEPT of them.
    """
    cv2.setNumThreads(1)
    terms = msgspec.structs.replace(load_contract(folder).detector, threshold=LOWEST)
    locator = Locator(folder, terms)
    rows = [
        (patch, quad, number, middle)
        for number, picture in enumerate(pictures("scenes", "train", SCENES))
        for patch, quad, middle in false_finds(locator, picture)
    ]
    kept = np.sort(np.random.default_rng(seed).permutation(len(rows))[:KEPT])
    images = np.array([rows[n][0] for n in kept], np.uint8).reshape(-1, PATCH, PATCH, 3)
    quads = np.array([rows[n][1] for n in kept], np.float32).reshape(-1, 4, 2)
    scenes = np.array([number for _, _, number, _ in rows], np.int64)
    middles = np.array([middle for *_, middle in rows], np.float32).reshape(-1, 2)
    path = folder / NEGATIVES
    partial = path.with_suffix(".part.npz")
    np.savez(partial, images=images, quads=quads, scenes=scenes, middles=middles)
    partial.rename(path)


def hard_negatives(folder: Path) -> HardNegatives:
    """Load the kept false finds of the folder's detector; none before `mine`."""
    if not (folder / NEGATIVES).exists():
        return HardNegatives(
            np.zeros((0, PATCH, PATCH, 3), np.uint8), np.zeros((0, 4, 2), np.float32)
        )
    with np.load(folder / NEGATIVES) as stored:
        return HardNegatives(stored["images"], stored["quads"])


def load_false_finds(folder: Path) -> FalseFinds:
    """Load the places of all false finds of the folder's detector; none before `mine`."""
    if not (folder / NEGATIVES).exists():
        return FalseFinds(np.zeros(0, np.float32), np.zeros((0, 2), np.float32))
    with np.load(folder / NEGATIVES) as stored:
        return FalseFinds(stored["scenes"], stored["middles"])
