"""The dataset: rendered pictures on disk, and the patches round their dice that training reads.

`python -m models.dataset KIND SPLIT COUNT` renders what is missing and no more; the kinds are
scenes, minis, clutter, foreign, symbols, rolls, sizes, bodies, strangers, evenings of EVENING
rolls, and boxes of ENROLLED stills and EVENING rolls.
"""

import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from companion.vision.networks.corners import OUTSIDE_BGR
from models.arrays import Floats, Image
from models.art.symbols.bank import load_symbols
from models.places import CACHE
from models.scene.box import Assets, assets, box_of_symbols, with_every_face_up, with_strangers
from models.scene.camera import compressed
from models.scene.light import Scene
from models.scene.mixes import (
    BODIES,
    CLOSE,
    EMPTY,
    FAULTS,
    NAMED,
    ODD,
    ROLL,
    SMALL,
    STAND_IN,
    STRANGE,
    Mix,
    faults_of,
)
from models.scene.render import (
    LARGE_PX,
    Label,
    add_glare,
    arrange,
    draw,
    random_blur,
    throw_again,
)

SHARD: Final = 50
SCENE: Final = (960, 540)
PATCH: Final = 160
PATCH_SIDE: Final = 48.0
MIN_SEEN: Final = 0.15
"""The share of a top that a patch must show; nothing can be learned from less."""
EXPOSURES: Final = 2
"""Pictures of each small render, with different exposure and noise."""
FAULTY: Final = 0.26
"""The share of rolls with which something is wrong."""
HIGH: Final = (960, 720)
"""The size of pictures of large dice, px."""
SMALLEST_PX: Final = 24
LARGEST_PX: Final = 400
"""The table in the middle of the picture is that many px to the side of a die; the top of a large
die is up to a fifth wider, so it may be half as wide as the picture."""
SIZE_TRIES: Final = 20
"""How often a roll of large dice is drawn until all are whole in the picture."""
CLOSE_SHARE: Final = 0.1
"""The share of training scenes with large dice."""
EMPTY_SHARE: Final = 0.06
"""The share of training scenes without dice."""
DIE_PX: Final = (32, 120)
"""The width of a roll's dice in the middle of the picture, px."""
ENROLLED: Final = 10
"""The stills from which a box of symbols may be enrolled, with every face once in each."""
TRIES: Final = 30
"""How often dice are thrown again for a still in which six have room; then fewer are shown."""
STRANGERS_ONLY: Final = 0.3
"""The share of rolls with strangers in which there are no others."""
EVENING: Final = 50
"""The number of consecutive rolls of one box: about the turns of one game of Tokyo for four, or of
two of New York (`companion simulate`: 48 and 24)."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One stored picture: JPEG bytes and its dice."""

    jpeg: Image
    labels: tuple[Label, ...]
    tags: tuple[str, ...] = ()
    """What kind of picture it is; none for those to train on."""

    def image(self) -> Image:
        """(h, w, 3) uint8 BGR."""
        return np.asarray(cv2.imdecode(self.jpeg, cv2.IMREAD_COLOR), np.uint8)


@dataclass(frozen=True, slots=True)
class Patch:
    """A die brought to a common size: (PATCH, PATCH, 3) uint8 BGR, corners in patch px."""

    image: Image
    quad: Floats
    base: Floats
    face: str
    flat: bool
    seen: float
    contrast: float
    drawing: str


def side_of(quad: Floats) -> float:
    """The mean side of a quad, px."""
    return float(np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).mean())


def patch_of(image: Image, quad: Floats) -> tuple[Image, Floats]:
    """Cut a patch round a quad, with the (2, 3) map from picture to patch."""
    scale = PATCH_SIDE / max(4.0, side_of(quad))
    centre = quad.mean(axis=0)
    to_patch = np.array(
        [[scale, 0, PATCH / 2 - scale * centre[0]], [0, scale, PATCH / 2 - scale * centre[1]]],
        np.float32,
    )
    flags = cv2.INTER_AREA if scale < 0.7 else cv2.INTER_LINEAR
    if scale < 0.6:
        image = cv2.GaussianBlur(image, (0, 0), 0.35 / scale)
    patch = cv2.warpAffine(
        image, to_patch, (PATCH, PATCH), flags=flags, borderMode=cv2.BORDER_CONSTANT,
        borderValue=OUTSIDE_BGR,
    )  # fmt: skip
    return np.asarray(patch, np.uint8), to_patch


def mapped(points: Floats, grid: Floats) -> Floats:
    """Apply a (2, 3) map to points (..., 2)."""
    return np.asarray(points @ grid[:, :2].T + grid[:, 2], np.float32)


@dataclass(frozen=True, slots=True)
class NewPicture:
    """One rendered picture before it is stored."""

    jpeg: bytes
    labels: tuple[Label, ...]
    tags: tuple[str, ...] = ()


def _scene(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render a training scene; in some the dice are large, in some there are none."""
    pick = rng.random()
    if pick < CLOSE_SHARE:
        scene = arrange(source, rng, SCENE, (LARGE_PX, LARGEST_PX), CLOSE)
    elif pick < CLOSE_SHARE + EMPTY_SHARE:
        scene = arrange(source, rng, SCENE, (SMALLEST_PX, 140), EMPTY)
    else:
        scene = arrange(source, rng, SCENE, (SMALLEST_PX, 140))
    done = draw(scene, rng)
    shot, labels = done.photograph(rng, random_blur(rng))
    return [NewPicture(compressed(shot, rng), labels)]


def _roll(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render a roll; a quarter have a fault, which is the first tag."""
    fault = _fault(rng)
    scene = arrange(source, rng, SCENE, DIE_PX, FAULTS.get(fault, ROLL))
    return [_taken(scene, rng, fault)]


def _bodies(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render a roll with bodies, print, lamps, walls and boards as varied as in training."""
    fault = _fault(rng)
    scene = arrange(source, rng, SCENE, DIE_PX, faults_of(BODIES).get(fault, BODIES))
    return [_taken(scene, rng, fault)]


def _sizes(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render a roll whose dice are as small or as large as can be read: as many as have room, in a
    higher picture where they are large.
    """
    fault = _fault(rng)
    wide = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX))))
    size = SCENE if wide < 2 * LARGE_PX else HIGH
    mix = FAULTS.get(fault, ROLL)
    most = int(0.3 * size[0] * size[1] / wide**2)
    if most < min(mix.counts):
        mix = replace(mix, counts=(max(1, most),))
    if most < 2 and min(mix.margins) > 0:
        mix = replace(mix, margins=(0.48,), cut=True)
    for _ in range(SIZE_TRIES):
        scene = arrange(source, rng, size, (wide, wide * 1.01), mix)
        if _is_whole(scene, may_be_cut=fault in {"cut", "stacked"}):
            break
    made = _taken(scene, rng, fault)
    return [replace(made, tags=(*made.tags, f"die:{_size_class(wide)}"))]


def _is_whole(scene: Scene, *, may_be_cut: bool) -> bool:
    """Whether the scene has dice, all whole in the picture, or which `may_be_cut`."""
    printed = [die.corners() for die in scene.dice if die.kind != "blank"]
    if not printed or may_be_cut:
        return bool(printed)
    points = scene.camera.project(np.reshape(printed, (-1, 3)))
    return bool((points >= 0).all() and (points <= np.array(scene.camera.size)).all())


def _size_class(wide: float) -> str:
    """The range of widths, px, that the width of a die in the middle of the picture is in."""
    bounds = (0, 32, 48, 120, 240)
    place = max(n for n, bound in enumerate(bounds) if wide >= bound)
    return f"{bounds[place]}-{bounds[place + 1]}" if place < len(bounds) - 1 else "240-"


def _evening(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render the rolls of an evening: box, camera, ground and lamps stay the same. Otherwise as
    `_roll`; dice are worn differently each time, as if the box had more.
    """
    scene = arrange(source, rng, SCENE, DIE_PX, ROLL)
    made = []
    for _ in range(EVENING):
        fault = _fault(rng)
        made.append(_taken(throw_again(scene, rng, FAULTS.get(fault, ROLL)), rng, fault))
    return made


def _box(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render a box of symbols that stand in for a game's faces: stills to enrol it from, then the
    rolls of an evening.
    """
    scene = arrange(source, rng, SCENE, DIE_PX, STAND_IN)
    if scene.box is None:
        raise ValueError("the dice of this scene come from no box")
    box, kind = box_of_symbols(scene.box, rng)
    scene = replace(scene, box=box)
    made = []
    six = replace(STAND_IN, counts=(6,), cubes=0.0, hands=0.0)
    for number in range(ENROLLED):
        still = throw_again(scene, rng, six)
        for _ in range(TRIES):
            if len(still.dice) == 6:
                break
            still = throw_again(scene, rng, six)
        turned = with_every_face_up(list(still.dice), number, rng)
        made.append(_taken(replace(still, dice=tuple(turned)), rng, "enrol"))
    faults = faults_of(STAND_IN)
    for _ in range(EVENING):
        fault = _fault(rng)
        made.append(_taken(throw_again(scene, rng, faults.get(fault, STAND_IN)), rng, fault))
    return [replace(one, tags=(*one.tags, f"kind:{kind}")) for one in made]


def _strangers(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render a roll in which one to three dice, or all, belong to another game and carry symbols
    of one held kind.
    """
    scene = arrange(source, rng, SCENE, DIE_PX, replace(ROLL, cubes=0.0))
    if scene.box is None:
        raise ValueError("the dice of this scene come from no box")
    count = len(scene.dice) if rng.random() < STRANGERS_ONLY else int(rng.integers(1, 4))
    dice = with_strangers(list(scene.dice), scene.box.mould, count, rng)
    return [_taken(replace(scene, dice=tuple(dice)), rng, "foreign")]


def _fault(rng: np.random.Generator) -> str:
    """Draw a roll's fault; "" for none."""
    return str(rng.choice(list(FAULTS))) if rng.random() < FAULTY else ""


def _taken(scene: Scene, rng: np.random.Generator, fault: str) -> NewPicture:
    """Photograph the roll, with the fault that concerns its light."""
    done = draw(scene, rng)
    if fault == "glare":
        for label in done.labels[: int(rng.integers(1, 4))]:
            add_glare(done, label)
    soft = rng.uniform(0.4, 1.0) if rng.random() < 0.8 else rng.uniform(1.0, 1.6)
    shot, labels = done.photograph(rng, soft, (0.02, 0.1) if fault == "dark" else None)
    tilt = int(scene.tilt() // 10 * 10)
    tags = (fault or "fit", f"tilt:{tilt}-{tilt + 9}", f"surface:{scene.surface}")
    return NewPicture(compressed(shot, rng), labels, tags)


def _mini(source: Assets, rng: np.random.Generator, mix: Mix = SMALL) -> list[NewPicture]:
    """Render a small training scene, exposed EXPOSURES times."""
    wide = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(110))))
    edge = int(wide * 3.4)
    done = draw(arrange(source, rng, (edge, edge), (wide, wide * 1.01), mix), rng)
    # The exposure of a small picture would follow the reflection, that of a whole one does not.
    meter = done.picture.copy()
    if done.labels and rng.random() < mix.blinded:
        add_glare(done, done.labels[int(rng.integers(len(done.labels)))])
    shots = [done.photograph(rng, random_blur(rng) * 0.8, metered=meter) for _ in range(EXPOSURES)]
    return [NewPicture(compressed(shot, rng), labels) for shot, labels in shots]


def _cluttered(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    return _mini(source, rng, ODD)


def _foreign(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    return _mini(source, rng, STRANGE)


def _symbols(source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    return _mini(source, rng, NAMED)


_MAKERS: Final = {
    "scenes": _scene, "minis": _mini, "rolls": _roll, "clutter": _cluttered, "foreign": _foreign,
    "evenings": _evening, "sizes": _sizes, "bodies": _bodies,
    "symbols": _symbols, "boxes": _box, "strangers": _strangers,
}  # fmt: skip
_STREAMS: Final = {
    "scenes": 6, "minis": 5, "rolls": 5, "clutter": 8, "foreign": 9, "evenings": 8,
    "sizes": 20, "bodies": 21, "symbols": 30, "boxes": 31, "strangers": 32,
}  # fmt: skip
"""A part of each kind's seed; never changed, so that pictures stay the same."""


def folder(kind: str, split: str) -> Path:
    """The folder with the shards of a kind and split."""
    return CACHE / kind / split


def _packed(labels: tuple[Label, ...]) -> list[list[object]]:
    """Convert labels to JSON values."""
    return [
        [
            label.face, label.colour, np.round(label.quad, 2).tolist(),
            np.round(label.base, 2).tolist(), label.flat, round(label.seen, 3),
            round(label.inside, 3), label.drawing, round(label.contrast, 1),
        ]
        for label in labels
    ]  # fmt: skip


def new_pictures(kind: str, source: Assets, rng: np.random.Generator) -> list[NewPicture]:
    """Render the pictures of a kind that one random stream makes."""
    return _MAKERS[kind](source, rng)


def render_shard(kind: str, source: Assets, shard: int, seed: int = 1) -> None:
    """Render and store a shard's pictures, unless the shard exists."""
    path = shard_of(kind, source.split, shard)
    if path.exists():
        return
    pictures: list[NewPicture] = []
    for index in range(0, SHARD, EVENING if kind in ("evenings", "boxes") else 1):
        place = ["train", "val", "test"].index(source.split)
        rng = np.random.default_rng([seed, place, _STREAMS[kind], shard, index])
        pictures += new_pictures(kind, source, rng)
    store(path, pictures)


def store(path: Path, pictures: list[NewPicture]) -> None:
    """Store pictures as a shard, all or nothing."""
    arrays: dict[str, Any] = {
        f"p{i}": np.frombuffer(made.jpeg, np.uint8) for i, made in enumerate(pictures)
    }
    labels = json.dumps([_packed(made.labels) for made in pictures])
    tags = json.dumps([made.tags for made in pictures])
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part.npz")
    np.savez(partial, labels=np.array(labels), tags=np.array(tags), **arrays)
    partial.rename(path)


def pictures(kind: str, split: str, limit: int | None = None) -> Iterator[Picture]:
    """Yields the stored pictures of a kind and split, in order."""
    count = 0
    for path in sorted(folder(kind, split).glob("[0-9]*[0-9].npz")):
        with np.load(path) as stored:
            tags = json.loads(str(stored["tags"])) if "tags" in stored else None
            for index, packed in enumerate(json.loads(str(stored["labels"]))):
                if limit is not None and count >= limit:
                    return
                count += 1
                labels = tuple(
                    Label(
                        face, colour, np.array(quad, np.float32), np.array(base, np.float32),
                        *rest,
                    )
                    for face, colour, quad, base, *rest in packed
                )  # fmt: skip
                yield Picture(stored[f"p{index}"], labels, tuple(tags[index]) if tags else ())


def patches(kind: str, split: str) -> Iterator[Patch]:
    """Yields a patch for every die that shows some of its top."""
    for picture in pictures(kind, split):
        image = picture.image()
        for label in picture.labels:
            centre = label.quad.mean(axis=0)
            outside = (centre < -8).any() or (centre > np.array(image.shape[1::-1]) + 8).any()
            if label.seen < MIN_SEEN and not outside and label.inside > 0.95:
                continue
            if outside:
                continue
            cut, grid = patch_of(image, label.quad)
            yield Patch(
                cut, mapped(label.quad, grid), mapped(label.base, grid), label.face, label.flat,
                label.seen, label.contrast, label.drawing,
            )  # fmt: skip


def build(kind: str, split: str, count: int, workers: int | None = None) -> None:
    """Render and store at least `count` pictures of a kind, one worker a core."""
    shards = range((count + SHARD - 1) // SHARD)
    missing = [n for n in shards if not shard_of(kind, split, n).exists()]
    workers = min(workers or os.cpu_count() or 1, len(missing))
    if workers == 0:
        return
    parts = [missing[place::workers] for place in range(workers)]
    with ProcessPoolExecutor(workers) as pool:
        for _ in pool.map(_render_shards, *zip(*((kind, split, part) for part in parts),
                                               strict=True)):  # fmt: skip
            pass


def _render_shards(kind: str, split: str, shards: list[int]) -> None:
    cv2.setNumThreads(1)
    source = assets(split)
    if kind in ("symbols", "boxes", "strangers"):
        source = replace(source, symbols=load_symbols())
    for shard in shards:
        render_shard(kind, source, shard)


def shard_of(kind: str, split: str, number: int) -> Path:
    """The path of a shard."""
    return folder(kind, split) / f"{number:05d}.npz"


if __name__ == "__main__":
    build(sys.argv[1], sys.argv[2], int(sys.argv[3]))
