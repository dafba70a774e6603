"""The dataset: rendered pictures on disk, and the patches round their dice that training reads.

`python -m models.dataset KIND SPLIT COUNT` renders what is missing and no more, `python -m
models.dataset sheet KIND SPLIT OUT.png` draws a contact sheet of them; the kinds are those of
KINDS, of which evenings are EVENING rolls, and boxes ENROLLED stills and EVENING rolls.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from companion.vision.networks.corners import OUTSIDE_BGR
from models.arrays import Floats, Image
from models.art.glyphs import SPLITS
from models.art.symbols.bank import load_symbols
from models.places import CACHE
from models.scene.box import Assets, assets, box_of_symbols, with_strangers
from models.scene.camera import compressed
from models.scene.die import GAME_NAMES, make_yaw, rotation_with_top
from models.scene.light import Scene
from models.scene.mixes import (
    CLOSE,
    EMPTY,
    FAULTS,
    HARD,
    NAMED,
    ODD,
    ROLL,
    SMALL,
    STAND_IN,
    STRANGE,
    Mix,
    faults_of,
    steep_and_dim,
)
from models.scene.render import LARGE_PX, Label, add_glare, arrange, draw, random_blur, throw_again

SHARD: Final = 50
CORNERS: Final = ("quad", "base")
"""The arrays of a label."""
SCENE: Final = (960, 540)
PATCH: Final = 160
PATCH_SIDE: Final = 48.0
MIN_SEEN: Final = 0.15
"""The share of a top that a patch must show; nothing can be learned from less."""
EXPOSURES: Final = 2
"""Pictures of each small render, with different exposure and noise."""
FAULTY: Final = 0.26
"""The share of rolls with which something is wrong."""
SMALLEST_PX: Final = 24
SCENES: Final = (
    (0.10, CLOSE, (LARGE_PX, 400)),
    (0.06, EMPTY, (SMALLEST_PX, 140)),
    (0.25, steep_and_dim(HARD), (SMALLEST_PX, 70)),
    (0.59, HARD, (SMALLEST_PX, 140)),
)
"""The shares of training scenes of each mix, and how wide their dice are in the middle, px."""
STEEP_MINIS: Final = 0.25
"""The share of small renders that are steep and dim."""
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
    """One rendered picture: JPEG and its dice."""

    jpeg: bytes
    labels: tuple[Label, ...]
    tags: tuple[str, ...] = ()
    """What kind of picture it is; none for those to train on."""

    def image(self) -> Image:
        """(h, w, 3) uint8 BGR."""
        return np.asarray(
            cv2.imdecode(np.frombuffer(self.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8
        )


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


def _scene(source: Assets, rng: np.random.Generator) -> list[Picture]:
    """Render a training scene."""
    shares = [share for share, _, _ in SCENES]
    _, mix, wide = SCENES[int(rng.choice(len(SCENES), p=shares))]
    shot, labels = draw(arrange(source, rng, SCENE, wide, mix), rng).photograph(
        rng, random_blur(rng)
    )
    return [Picture(compressed(shot, rng), labels)]


def _mini(mix: Mix, source: Assets, rng: np.random.Generator) -> list[Picture]:
    """Render a small training scene, exposed EXPOSURES times."""
    largest = 110
    if rng.random() < STEEP_MINIS:
        mix, largest = steep_and_dim(mix), 60
    wide = float(np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(largest))))
    edge = int(wide * 3.4)
    done = draw(arrange(source, rng, (edge, edge), (wide, wide * 1.01), mix), rng)
    # The exposure of a small picture would follow the reflection, that of a whole one does not.
    meter = done.picture.copy()
    if done.labels and rng.random() < mix.blinded:
        add_glare(done, done.labels[int(rng.integers(len(done.labels)))])
    shots = [done.photograph(rng, random_blur(rng) * 0.8, metered=meter) for _ in range(EXPOSURES)]
    return [Picture(compressed(shot, rng), labels) for shot, labels in shots]


def _roll(source: Assets, rng: np.random.Generator) -> list[Picture]:
    """Render a roll; a quarter have a fault, which is the first tag."""
    fault = _fault(rng)
    return [_taken(arrange(source, rng, SCENE, DIE_PX, FAULTS.get(fault, ROLL)), rng, fault)]


def _evening(source: Assets, rng: np.random.Generator) -> list[Picture]:
    """Render the rolls of an evening."""
    return _rolls(arrange(source, rng, SCENE, DIE_PX, ROLL), rng, ROLL)


def _rolls(scene: Scene, rng: np.random.Generator, mix: Mix) -> list[Picture]:
    """Render rolls whose box, camera, ground and lamps stay the same. Otherwise as `_roll`; dice
    are worn differently each time, as if the box had more.
    """
    made = []
    for _ in range(EVENING):
        fault = _fault(rng)
        made.append(_taken(throw_again(scene, rng, faults_of(mix).get(fault, mix)), rng, fault))
    return made


def _box(source: Assets, rng: np.random.Generator) -> list[Picture]:
    """Render a box of symbols that stand in for a game's faces: stills to enrol it from, then the
    rolls of an evening.
    """
    scene = arrange(source, rng, SCENE, DIE_PX, STAND_IN)
    box, kind = box_of_symbols(scene.own_box(), rng)
    scene = replace(scene, box=box)
    stills = [enrolling(scene, rng, STAND_IN, number) for number in range(ENROLLED)]
    made = [_taken(still, rng, "enrol") for still in stills] + _rolls(scene, rng, STAND_IN)
    return [replace(one, tags=(*one.tags, f"kind:{kind}")) for one in made]


def enrolling(scene: Scene, rng: np.random.Generator, mix: Mix, number: int) -> Scene:
    """Show every face of the scene's box once, if six dice have room."""
    six = replace(mix, counts=(6,), cubes=0.0, hands=0.0)
    for _ in range(TRIES):
        still = throw_again(scene, rng, six)
        if len(still.dice) == 6:
            break
    ups = (rotation_with_top((number + n) % 6) for n in range(len(still.dice)))
    dice = zip(still.dice, ups, strict=True)
    turned = (replace(die, rotation=make_yaw(rng.uniform(0, 360)) @ up) for die, up in dice)
    return replace(still, dice=tuple(turned))


def _strangers(source: Assets, rng: np.random.Generator) -> list[Picture]:
    """Render a roll in which one to three dice, or all, belong to another game and carry symbols
    of one held kind.
    """
    scene = arrange(source, rng, SCENE, DIE_PX, replace(ROLL, cubes=0.0))
    count = len(scene.dice) if rng.random() < STRANGERS_ONLY else int(rng.integers(1, 4))
    dice = with_strangers(scene.dice, scene.own_box().mould, count, rng)
    made = _taken(replace(scene, dice=dice), rng, "foreign")
    return [replace(made, tags=(*made.tags, f"game:{GAME_NAMES[scene.own_box().mould.game]}"))]


def _fault(rng: np.random.Generator) -> str:
    """Draw a roll's fault; "" for none."""
    return str(rng.choice(list(FAULTS))) if rng.random() < FAULTY else ""


def _taken(scene: Scene, rng: np.random.Generator, fault: str) -> Picture:
    """Photograph the roll, with the fault that concerns its light."""
    done = draw(scene, rng)
    if fault == "glare":
        for label in done.labels[: int(rng.integers(1, 4))]:
            add_glare(done, label)
    soft = rng.uniform(0.4, 1.0) if rng.random() < 0.8 else rng.uniform(1.0, 1.6)
    if fault == "dark":
        done = replace(done, light=rng.uniform(0.02, 0.1) ** 4.4)
    shot, labels = done.photograph(rng, soft)
    tags = (fault or "fit", scene.tilt_tag(), f"surface:{scene.surface}")
    return Picture(compressed(shot, rng), labels, tags)


Maker = Callable[[Assets, np.random.Generator], list[Picture]]
KINDS: Final[dict[str, tuple[int, Maker]]] = {
    "scenes": (6, _scene),
    "minis": (5, partial(_mini, SMALL)),
    "clutter": (8, partial(_mini, ODD)),
    "foreign": (9, partial(_mini, STRANGE)),
    "symbols": (30, partial(_mini, NAMED)),
    "rolls": (5, _roll),
    "evenings": (8, _evening),
    "boxes": (31, _box),
    "strangers": (32, _strangers),
}
"""The kinds of pictures: a part of their seed, never changed, and what draws them."""
OF_ONE_BOX: Final = ("evenings", "boxes")


def render_shard(kind: str, source: Assets, shard: int, seed: int = 1) -> None:
    """Render and store a shard's pictures, unless the shard exists."""
    path = shard_of(kind, source.split, shard)
    if path.exists():
        return
    made: list[Picture] = []
    stream, maker = KINDS[kind]
    for index in range(0, SHARD, EVENING if kind in OF_ONE_BOX else 1):
        place = SPLITS.index(source.split)
        made += maker(source, np.random.default_rng([seed, place, stream, shard, index]))
    store(path, made)


def store(path: Path, made: list[Picture]) -> None:
    """Store pictures as a shard, all or nothing."""
    rows = [
        [{**asdict(one), "quad": one.quad.tolist(), "base": one.base.tolist()} for one in of.labels]
        for of in made
    ]
    arrays: dict[str, Any] = {
        f"p{n}": np.frombuffer(one.jpeg, np.uint8) for n, one in enumerate(made)
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partly = path.with_suffix(f".{os.getpid()}.part.npz")
    tags = [one.tags for one in made]
    np.savez(partly, labels=json.dumps(rows), tags=json.dumps(tags), **arrays)
    partly.rename(path)


def pictures(kind: str, split: str, limit: int | None = None) -> Iterator[Picture]:
    """Yields the stored pictures of a kind and split, in order."""
    return islice(chain.from_iterable(map(stored, shards_of(kind, split))), limit)


def shards_of(kind: str, split: str) -> list[Path]:
    """The paths of the shards that are there, in order."""
    return sorted((CACHE / kind / split).glob("[0-9]*[0-9].npz"))


def stored(path: Path) -> Iterator[Picture]:
    """Yields the pictures of a shard, in order."""
    with np.load(path) as shard:
        tags = json.loads(str(shard["tags"]))
        for index, rows in enumerate(json.loads(str(shard["labels"]))):
            labels = tuple(
                Label(**{**row, **{name: np.array(row[name], np.float32) for name in CORNERS}})
                for row in rows
            )
            yield Picture(shard[f"p{index}"].tobytes(), labels, tuple(tags[index]))


def patches(kind: str, split: str) -> Iterator[tuple[Image, Label]]:
    """Yields every die that shows some of its top, (PATCH, PATCH, 3) uint8 BGR at a common size,
    and its label, the corners in px of the patch.
    """
    for picture in pictures(kind, split):
        image = picture.image()
        for label in picture.labels:
            centre = label.quad.mean(axis=0)
            outside = (centre < -8).any() or (centre > np.array(image.shape[1::-1]) + 8).any()
            if outside or (label.seen < MIN_SEEN and label.inside > 0.95):
                continue
            cut, grid = patch_of(image, label.quad)
            quad, base = mapped(label.quad, grid), mapped(label.base, grid)
            yield cut, replace(label, quad=quad, base=base)


def build(kind: str, split: str, count: int, workers: int | None = None) -> None:
    """Render and store at least `count` pictures of a kind, one worker a core."""
    shards = range((count + SHARD - 1) // SHARD)
    missing = [n for n in shards if not shard_of(kind, split, n).exists()]
    workers = min(workers or os.cpu_count() or 1, len(missing))
    if workers == 0:
        return
    parts = [missing[place::workers] for place in range(workers)]
    with ProcessPoolExecutor(workers) as pool:
        list(pool.map(partial(_render_shards, kind, split), parts))


def _render_shards(kind: str, split: str, shards: list[int]) -> None:
    cv2.setNumThreads(1)
    source = assets(split)
    if kind in ("symbols", "boxes", "strangers"):
        source = replace(source, symbols=load_symbols())
    for shard in shards:
        render_shard(kind, source, shard)


def shard_of(kind: str, split: str, number: int) -> Path:
    """The path of a shard."""
    return CACHE / kind / split / f"{number:05d}.npz"


def sheet(kind: str, split: str, across: int = 6, down: int = 6) -> Image:
    """Make a contact sheet of stored pictures: dice that lie flat in yellow, others in red."""
    tiles = []
    for picture in pictures(kind, split, across * down):
        image = picture.image()
        for label in picture.labels:
            tint = (0, 255, 255) if label.flat else (0, 0, 255)
            cv2.polylines(image, [label.quad.astype(np.int32)], True, tint, 1, cv2.LINE_AA)
        height, width = image.shape[:2]
        size = 384, 384 * height // width
        tiles.append(cv2.resize(image, size, interpolation=cv2.INTER_AREA))
    rows = [tiles[n * across : (n + 1) * across] for n in range(len(tiles) // across)]
    return np.vstack([np.hstack(row) for row in rows])


if __name__ == "__main__":
    if sys.argv[1] == "sheet":
        cv2.imwrite(sys.argv[4], sheet(sys.argv[2], sys.argv[3]))
    else:
        build(sys.argv[1], sys.argv[2], int(sys.argv[3]))
