"""Render the scenes of `traced.scene` by path tracing with mitsuba.

`python -m models.traced COUNT [SPLIT]` renders what is missing and no more, of `val` where no split
is named; `python -m models.evaluate traced` reads it. Never trained on.
"""

import sys
from dataclasses import replace
from typing import Any, Final

import cv2
import mitsuba as mi
import numpy as np
from numpy.typing import NDArray

from models.arrays import Floats
from models.art.glyphs import SPLITS, load_bank
from models.dataset import NewPicture, shard_of, store
from models.scene.box import Assets
from models.scene.camera import compressed
from models.scene.finishes import linear
from models.scene.render import Rendered, label_of
from models.traced.dice import Piece
from models.traced.scene import TracedScene, arranged, placed_camera
from models.traced.table import Disc, Glow, Mesh, Slab, rounded_box

mi.set_variant("scalar_rgb")
mi.set_log_level(mi.LogLevel.Error)

SHARD: Final = 10
SEED: Final = 71
SAMPLES: Final = 25
"""Paths a pixel."""
BOUNCES: Final = 3
WIDE: Final = 4000.0
"""Half of the table's side, mm."""


def _texture(picture: Floats) -> dict[str, Any]:
    """Make a bitmap of linear BGR (h, w, 3), or its one colour."""
    rgb = np.ascontiguousarray(picture[..., ::-1], np.float32)
    if rgb.shape[:2] == (1, 1):
        return _colour(picture[0, 0])
    return {"type": "bitmap", "bitmap": mi.Bitmap(rgb), "raw": True, "wrap_mode": "mirror"}


def _colour(colour: Floats) -> dict[str, Any]:
    return {"type": "rgb", "value": [float(v) for v in colour[::-1]]}


def _plastic(paint: Floats, rough: float) -> dict[str, Any]:
    return {
        "type": "roughplastic", "diffuse_reflectance": _texture(paint), "alpha": rough,
        "nonlinear": True,
    }  # fmt: skip


def _shape(mesh: Mesh, name: str, surface: dict[str, Any]) -> Any:
    """Make mitsuba's mesh of a mesh."""
    props = mi.Properties()
    props["mesh_bsdf"] = mi.load_dict(surface)
    shape = mi.Mesh(
        name, len(mesh.points), len(mesh.faces), props=props, has_vertex_normals=True,
        has_vertex_texcoords=True,
    )  # fmt: skip
    held = mi.traverse(shape)
    held["vertex_positions"] = mesh.points.ravel()
    held["vertex_normals"] = mesh.normals.ravel()
    held["vertex_texcoords"] = mesh.uv.ravel()
    held["faces"] = mesh.faces.ravel()
    held.update()
    return shape


def _die(piece: Piece, name: str) -> Any:
    """Make mitsuba's shape of a die."""
    die = piece.die
    mesh = rounded_box(np.full(3, die.side / 2), die.side * die.finish.radius)
    surface = _plastic(die.atlas, piece.rough)
    if piece.dull:
        surface = {
            "type": "blendbsdf", "weight": _texture(np.repeat(piece.print[..., None], 3, axis=2)),
            "body": surface, "ink": _plastic(die.atlas, piece.dull),
        }  # fmt: skip
    return _shape(mesh.moved(die.rotation, die.centre), name, surface)


def _slab(slab: Slab, name: str) -> Any:
    """Make mitsuba's shape of a slab."""
    turn = np.radians(slab.yaw)
    grid = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    mesh = rounded_box(slab.half, slab.radius).moved(grid, slab.centre)
    return _shape(mesh, name, _plastic(slab.paint, slab.rough))


def _token(token: Disc) -> list[dict[str, Any]]:
    """Make a cylinder, its top, and a smaller disk a hair above it."""
    foot = [*(float(v) for v in token.at), 0.0]
    to = mi.ScalarTransform4f
    parts: list[dict[str, Any]] = [
        {
            "type": "cylinder", "p0": foot, "p1": [*foot[:2], token.height],
            "radius": token.radius, "bsdf": _plastic(token.colour.reshape(1, 1, 3), 0.3),
        }
    ]  # fmt: skip
    for radius, lift, colour in ((1.0, 0.0, token.colour), (0.7, 0.02, token.middle)):
        place = to().translate([*foot[:2], token.height + lift]).scale(token.radius * radius)
        surface = {"type": "twosided", "bsdf": _plastic(colour.reshape(1, 1, 3), 0.3)}
        parts.append({"type": "disk", "to_world": place, "bsdf": surface})
    return parts


def _lamp(lamp: Glow) -> dict[str, Any]:
    """Make mitsuba's area lamp of a lamp."""
    far = float(np.linalg.norm(lamp.at))
    area = float(np.prod(lamp.half)) * (np.pi if lamp.round else 4.0)
    at = [float(v) for v in lamp.at]
    up = [0.0, 0.0, 1.0] if abs(at[2]) < 0.98 * far else [1.0, 0.0, 0.0]
    to = mi.ScalarTransform4f
    place = to().look_at(origin=at, target=[0.0, 0.0, 0.0], up=up)
    return {
        "type": "disk" if lamp.round else "rectangle",
        "to_world": place @ to().scale([float(lamp.half[0]), float(lamp.half[1]), 1.0]),
        "emitter": {"type": "area", "radiance": _colour(lamp.light * np.pi * far**2 / area)},
    }


def _ground(setup: TracedScene) -> dict[str, Any]:
    """Make mitsuba's rectangle of the ground."""
    to = mi.ScalarTransform4f
    tiles = 2 * WIDE / setup.ground_mm
    paint = _texture(linear(setup.ground.astype(np.float32)))
    paint["to_uv"] = to().scale([tiles, tiles, 1.0])
    surface: dict[str, Any] = {"type": "diffuse", "reflectance": paint}
    if setup.varnish:
        surface = {
            "type": "roughplastic", "diffuse_reflectance": paint, "alpha": setup.varnish,
            "nonlinear": True,
        }  # fmt: skip
    place = to().rotate([0, 0, 1], setup.ground_turn).scale([WIDE, WIDE, 1.0])
    return {"type": "rectangle", "to_world": place, "bsdf": surface}


def _sensor(setup: TracedScene, lens: bool) -> dict[str, Any]:
    """Make mitsuba's camera; a pinhole without `lens`."""
    matrix, field, (width, height) = placed_camera(setup.camera)
    sensor: dict[str, Any] = {
        "type": "perspective", "fov": field, "fov_axis": "x", "near_clip": 1.0,
        "far_clip": 20000.0, "to_world": mi.ScalarTransform4f(matrix),
        "film": {
            "type": "hdrfilm", "width": width, "height": height, "pixel_format": "rgb",
            "component_format": "float32", "rfilter": {"type": "gaussian" if lens else "box"},
        },
        "sampler": {"type": "multijitter" if lens else "independent"},
    }  # fmt: skip
    if lens and setup.aperture:
        more = {"aperture_radius": setup.aperture, "focus_distance": setup.focus}
        sensor |= {"type": "thinlens", **more}
    return sensor


def _world(setup: TracedScene) -> dict[str, Any]:
    """Make mitsuba's scene description."""
    world: dict[str, Any] = {
        "type": "scene", "ground": _ground(setup),
        "sky": {"type": "constant", "radiance": _colour(setup.sky)},
    }  # fmt: skip
    world |= {f"die{n}": _die(piece, f"die{n}") for n, piece in enumerate(setup.pieces)}
    world |= {f"slab{n}": _slab(slab, f"slab{n}") for n, slab in enumerate(setup.slabs)}
    for n, token in enumerate(setup.tokens):
        world |= {f"token{n}x{k}": part for k, part in enumerate(_token(token))}
    return world | {f"lamp{n}": _lamp(lamp) for n, lamp in enumerate(setup.lamps)}


def trace(setup: TracedScene, seed: int, samples: int = SAMPLES) -> Rendered:
    """Render the scene's linear picture and the labels of its dice."""
    scene = mi.load_dict(_world(setup))
    width, height = setup.camera.size
    picture = _picture(scene, setup, seed, samples)
    # Fewer paths suffice: it is only compared with the print.
    bare = _picture(mi.load_dict(_world(_unprinted(setup))), setup, seed, max(1, samples // 4))
    owner = _owners(scene, setup)[:height, :width]
    labels, prints = [], []
    for index, piece in enumerate(setup.pieces):
        label = label_of(setup.camera, piece.die, index, owner)
        if label is not None:
            labels.append(label)
            prints.append(piece.die.printed_top())
    return Rendered(picture, tuple(labels), tuple(prints), bare)


def _unprinted(setup: TracedScene) -> TracedScene:
    """Remove the print from all dice of the scene."""
    pieces = []
    for piece in setup.pieces:
        plain = np.ones_like(piece.die.atlas) * np.maximum(piece.die.finish.body, 0.004)
        pieces.append(replace(piece, die=replace(piece.die, atlas=plain), dull=0.0))
    return replace(setup, pieces=tuple(pieces))


def _picture(scene: Any, setup: TracedScene, seed: int, samples: int) -> Floats:
    """(h, w, 3) linear, the scene as its camera shows it through its lens."""
    width, height = setup.camera.size
    path = {"type": "path", "max_depth": BOUNCES + 1, "rr_depth": 3}
    shot = mi.render(
        scene, sensor=mi.load_dict(_sensor(setup, True)), integrator=mi.load_dict(path),
        spp=samples, seed=seed,
    )  # fmt: skip
    picture = np.nan_to_num(np.array(shot, np.float32)[:height, :width, ::-1])
    return _without_sparks(np.ascontiguousarray(picture))


def _without_sparks(picture: Floats) -> Floats:
    """Remove single pixels that a path made bright by hitting a lamp by chance; a thin bright line
    has bright neighbours and stays.
    """
    others = np.ones((3, 3), np.uint8)
    others[1, 1] = 0
    alone = picture > 1.5 * cv2.dilate(picture, others) + 0.02 * float(np.median(picture))
    spark = np.asarray(alone.any(axis=2))
    return np.where(spark[..., None], cv2.medianBlur(picture, 3), picture)


def _owners(scene: Any, setup: TracedScene) -> NDArray[np.int16]:
    """(h + 1, w + 1) int16 the number of the piece in each pixel, -1 without one."""
    which = {"type": "aov", "aovs": "which:shape_index"}
    found = mi.render(
        scene, sensor=mi.load_dict(_sensor(setup, False)), integrator=mi.load_dict(which), spp=1
    )
    shapes = [str(shape.id()) for shape in scene.shapes()]
    pieces = [int(name[3:]) if name.startswith("die") else -1 for name in shapes]
    # Numbers begin at one; the sky has zero, which becomes the index of the last entry.
    number = np.array(found)[..., -1].round().astype(int) - 1
    return np.array([*pieces, -1], np.int16)[number]


def roll(source: Assets, number: int) -> NewPicture:
    """Render the traced roll of that number, as a cheap camera shows it."""
    rng = np.random.default_rng([SEED, SPLITS.index(source.split), number])
    setup = arranged(source, rng)
    done = trace(setup, int(rng.integers(1 << 31)))
    shot, labels = done.photograph(rng, float(rng.uniform(0.3, 0.9)))
    return NewPicture(compressed(shot, rng), labels, setup.tags)


def build(count: int, split: str) -> None:
    """Render and store at least `count` traced rolls."""
    source = Assets(load_bank(), (), split)
    for shard in range((count + SHARD - 1) // SHARD):
        path = shard_of("traced", split, shard)
        if not path.exists():
            store(path, [roll(source, shard * SHARD + place) for place in range(SHARD)])


if __name__ == "__main__":
    build(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "val")
