"""Path-traced rolls, a check on the rasteriser: its scenes, with mitsuba's light in them.

`python -m models.traced COUNT [--name NAME] [--game GAME] [--tilt LOW HIGH] [--lights SHARE ...]`
renders COUNT rolls at least, a box of VIEWS stills to enrol it from and ROLLS rolls a shard, only
what is missing of them, and photographs each in every light: the kinds of pictures NAME-SHARE. They
are never trained on. Lamps have a size, surfaces gloss, dice mirror one another, and lenses blur;
labels, camera and noise are those of `scene`.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from os import environ
from typing import Any, Final

import cv2
import numpy as np

from models.arrays import Floats
from models.art.glyphs import SPLITS
from models.dataset import Picture, enrolling, shard_of, store
from models.scene.box import Assets, assets
from models.scene.camera import PinholeCamera, compressed
from models.scene.die import AXES, GAME_NAMES, Die
from models.scene.finishes import linear
from models.scene.light import Lamp, Scene
from models.scene.mixes import TRACED, Mix, faults_of
from models.scene.render import arrange, draw, throw_again

PICTURE: Final = (960, 540)
DIE_PX: Final = (32.0, 120.0)
VIEWS: Final = 5
ROLLS: Final = 10
FAULTY: Final = 0.25
FAULTS: Final = ("cocked", "stacked", "cut", "foreign")
SAMPLES: Final = 25
"""Paths a pixel."""
BOUNCES: Final = 3
WIDE: Final = 4000.0
"""Half of the table's side, mm."""
AWAY: Final = 3.0
"""How much farther than in `scene` lamps hang, which have no size there: out of sight."""
STEPS: Final = 5
"""Rows of triangles from a flat face to the middle of its rounded edge."""


def rounded_cube(side: float, radius: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Make a cube round the origin, its edges rounded by `radius`, mm: points (n, 3), unit normals
    (n, 3), uv (n, 2), all float32, and triangles (m, 3) uint32, counter-clockwise from outside. The
    faces are those of `scene.die.AXES` and lie one under another in the texture: face i takes v
    from i / 6 to (i + 1) / 6, seen straight on.
    """
    half = side / 2
    bend = half - radius + radius * np.tan(np.radians(np.linspace(0, 45, STEPS + 1)))
    ticks = np.concatenate([-bend[::-1], bend])
    x, y = np.meshgrid(ticks, ticks)
    index = np.arange(x.size).reshape(x.shape)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    quads = np.stack([a, c, b, a, d, c], 2).reshape(-1, 3)
    parts = []
    for place, (out, right, down) in enumerate(AXES.astype(np.float64)):
        flat = out * half + x[..., None] * right + y[..., None] * down
        core = np.clip(flat, radius - half, half - radius)
        normal = (flat - core) / np.linalg.norm(flat - core, axis=2, keepdims=True)
        point = core + radius * normal
        uv = np.stack([point @ right, point @ down], 2) / side + 0.5
        uv[..., 1] = (uv[..., 1] + place) / 6
        parts.append((point, normal, uv, quads + place * x.size))
    points, normals, uvs = (
        np.concatenate([part[n].reshape(x.size, -1) for part in parts]).astype(np.float32)
        for n in range(3)
    )
    triangles = np.concatenate([part[3] for part in parts]).astype(np.uint32)
    return points, normals, uvs, triangles


def placed_camera(view: PinholeCamera) -> tuple[Floats, float, tuple[int, int]]:
    """The (4, 4) matrix, horizontal field of view (degrees) and film size of the same camera for a
    renderer whose camera looks along z with x to the left and y upwards.

    There pixel n reaches from n to n + 1; here its middle is n. A film that is one pixel larger has
    its middle half a pixel further, if this camera has it.
    """
    width, height = view.size[0] + 1, view.size[1] + 1
    matrix = np.eye(4)
    matrix[:3, :3] = (view.rotation * np.array([[-1], [-1], [1]])).T
    matrix[:3, 3] = view.eye
    return matrix, float(2 * np.degrees(np.arctan(width / 2 / view.focal))), (width, height)


@lru_cache(maxsize=1)
def _mitsuba() -> Any:
    """The library, which only the group `train` installs; `llvm_ad_rgb` takes half the time."""
    import mitsuba

    mitsuba.set_variant(environ.get("MI_DEFAULT_VARIANT", "scalar_rgb"))
    mitsuba.set_log_level(mitsuba.LogLevel.Error)
    return mitsuba


def _texture(picture: Floats) -> dict[str, Any]:
    """Make a bitmap of linear BGR (h, w, 3)."""
    rgb = np.ascontiguousarray(picture[..., ::-1], np.float32)
    bitmap = _mitsuba().Bitmap(rgb)
    return {"type": "bitmap", "bitmap": bitmap, "raw": True, "wrap_mode": "mirror"}


def _colour(colour: Floats) -> dict[str, Any]:
    return {"type": "rgb", "value": [float(v) for v in colour[::-1]]}


def _plastic(paint: dict[str, Any], rough: float) -> dict[str, Any]:
    return {
        "type": "roughplastic", "diffuse_reflectance": paint, "alpha": rough, "nonlinear": True,
    }  # fmt: skip


def _die(die: Die, name: str) -> Any:
    """Make mitsuba's mesh of a die, its print cut in if its finish says so."""
    mi, style = _mitsuba(), die.finish
    body = np.maximum(style.body, 0.004)
    surface = _plastic(_colour(body), float(np.sqrt(2 / (style.sharpness + 2))))
    if die.kind != "blank":
        surface["diffuse_reflectance"] = _texture(body + (style.ink - body) * die.ink[..., None])
        if style.plastic and style.plastic.relief:
            soft = cv2.GaussianBlur(die.ink, (0, 0), style.plastic.bevel)[..., None]
            depth = {"type": "bitmap", "bitmap": mi.Bitmap(soft.astype(np.float32)), "raw": True}
            scale = -0.04 * style.plastic.relief * style.plastic.bevel
            surface = {"type": "bumpmap", "depth": depth, "scale": scale, "nested": surface}
    points, normals, uv, triangles = rounded_cube(die.side, die.side * style.radius)
    props = mi.Properties()
    props["mesh_bsdf"] = mi.load_dict(surface)
    shape = mi.Mesh(
        name, len(points), len(triangles), props=props, has_vertex_normals=True,
        has_vertex_texcoords=True,
    )  # fmt: skip
    held = mi.traverse(shape)
    held["vertex_positions"] = (points @ die.rotation.T + die.centre).ravel()
    held["vertex_normals"] = (normals @ die.rotation.T).ravel()
    held["vertex_texcoords"] = uv.ravel()
    held["faces"] = triangles.ravel()
    held.update()
    return shape


def _wall(wall: Die) -> dict[str, Any]:
    """Make mitsuba's box of a tray's wall."""
    place = np.eye(4)
    place[:3, :3] = wall.rotation * wall.half()
    place[:3, 3] = wall.centre
    surface = _plastic(_colour(wall.finish.body), 0.3)
    return {"type": "cube", "to_world": _mitsuba().ScalarTransform4f(place), "bsdf": surface}


def _lamp(lamp: Lamp, rng: np.random.Generator) -> dict[str, Any]:
    """Make mitsuba's area lamp of a lamp, round or square."""
    to = _mitsuba().ScalarTransform4f
    at = lamp.at.astype(np.float64) * AWAY
    far = float(np.linalg.norm(at))
    half = far * np.exp(rng.uniform(np.log(0.04), np.log(0.4), 2))
    is_round = bool(rng.random() < 0.4)
    area = float(np.prod(half)) * (np.pi if is_round else 4.0)
    up = [0.0, 0.0, 1.0] if abs(at[2]) < 0.98 * far else [1.0, 0.0, 0.0]
    place = to().look_at(origin=at.tolist(), target=[0.0, 0.0, 0.0], up=up)
    return {
        "type": "disk" if is_round else "rectangle",
        "to_world": place @ to().scale([float(half[0]), float(half[1]), 1.0]),
        "emitter": {"type": "area", "radiance": _colour(lamp.light * np.pi * far**2 / area)},
    }


def _ground(scene: Scene, rng: np.random.Generator) -> dict[str, Any]:
    """Make mitsuba's rectangle of the ground, varnished in two scenes of five."""
    to = _mitsuba().ScalarTransform4f
    paint = _texture(linear(scene.ground.astype(np.float32)))
    tiles = 2 * WIDE / scene.ground_mm
    paint["to_uv"] = to().scale([tiles, tiles, 1.0])
    surface: dict[str, Any] = {"type": "diffuse", "reflectance": paint}
    if rng.random() < 0.4:
        surface = _plastic(paint, float(rng.uniform(0.12, 0.4)))
    place = to().rotate([0, 0, 1], float(rng.uniform(0, 360))).scale([WIDE, WIDE, 1.0])
    return {"type": "rectangle", "to_world": place, "bsdf": surface}


def _sensor(view: PinholeCamera, rng: np.random.Generator) -> dict[str, Any]:
    """Make mitsuba's camera, in a third of the scenes with a lens that blurs what is far."""
    matrix, field, (width, height) = placed_camera(view)
    sensor: dict[str, Any] = {
        "type": "perspective", "fov": field, "fov_axis": "x", "near_clip": 1.0,
        "far_clip": 20000.0, "to_world": _mitsuba().ScalarTransform4f(matrix),
        "film": {
            "type": "hdrfilm", "width": width, "height": height, "pixel_format": "rgb",
            "component_format": "float32", "rfilter": {"type": "box"},
        },
        "sampler": {"type": "multijitter"},
    }  # fmt: skip
    if rng.random() < 0.35:
        focus = float(view.eye[2] / -view.rotation[2, 2] * rng.uniform(0.9, 1.1))
        # A point a fifth farther than what is sharp becomes a disc so many pixels wide.
        radius = rng.uniform(1.0, 4.0) / (2 * view.focal) / (1 / focus - 1 / (1.2 * focus))
        sensor |= {"type": "thinlens", "aperture_radius": radius, "focus_distance": focus}
    return sensor


def trace(scene: Scene, rng: np.random.Generator) -> Floats:
    """(h, w, 3) linear, the scene path-traced."""
    mi = _mitsuba()
    world: dict[str, Any] = {
        "type": "scene", "ground": _ground(scene, rng),
        "sky": {"type": "constant", "radiance": _colour(scene.ambient)},
    }  # fmt: skip
    world |= {f"lamp{n}": _lamp(lamp, rng) for n, lamp in enumerate(scene.lamps)}
    world |= {f"wall{n}": _wall(wall) for n, wall in enumerate(scene.walls)}
    for n, die in enumerate(scene.dice):
        world[f"die{n}"] = _die(die, f"die{n}")
    path = {"type": "path", "max_depth": BOUNCES + 1, "rr_depth": 3}
    shot = mi.render(
        mi.load_dict(world), sensor=mi.load_dict(_sensor(scene.camera, rng)),
        integrator=mi.load_dict(path), spp=SAMPLES, seed=int(rng.integers(1 << 31)),
    )  # fmt: skip
    width, height = scene.camera.size
    return _without_sparks(np.array(shot, np.float32)[:height, :width, ::-1])


def _without_sparks(shot: Floats) -> Floats:
    """Remove single pixels that a path made bright by hitting a lamp by chance, or that have no
    number; a thin bright line has bright neighbours and stays.
    """
    picture = np.ascontiguousarray(np.nan_to_num(shot, posinf=0.0))
    others = np.ones((3, 3), np.uint8)
    others[1, 1] = 0
    alone = picture > 1.5 * cv2.dilate(picture, others) + 0.02 * float(np.median(picture))
    spoilt = (alone | ~np.isfinite(shot)).any(axis=2, keepdims=True)
    return np.where(spoilt, cv2.medianBlur(picture, 3), picture)


def taken(
    scene: Scene, rng: np.random.Generator, tag: str, lights: Sequence[float]
) -> list[Picture]:
    """Photograph the scene in each of these shares of the usual light."""
    done = draw(replace(scene, hands=0.0), rng)
    traced = trace(scene, rng)
    made = []
    for light in lights:
        done = replace(done, picture=traced, light=light)
        shot, labels = done.photograph(rng, float(rng.uniform(0.3, 0.9)))
        made.append(Picture(compressed(shot, rng), labels, (tag, scene.tilt_tag())))
    return made


def box_of_rolls(
    source: Assets, rng: np.random.Generator, mix: Mix, lights: Sequence[float]
) -> list[list[Picture]]:
    """Render a box in each light: VIEWS stills to enrol it from, then ROLLS rolls, a quarter with a
    fault. Camera and lamps stay.
    """
    scene = arrange(source, rng, PICTURE, DIE_PX, mix)
    stills = [(enrolling(scene, rng, mix, number), "enrol") for number in range(VIEWS)]
    for _ in range(ROLLS):
        fault = str(rng.choice(FAULTS)) if rng.random() < FAULTY else ""
        stills.append((throw_again(scene, rng, faults_of(mix).get(fault, mix)), fault or "fit"))
    made = [taken(still, rng, tag, lights) for still, tag in stills]
    return [list(one) for one in zip(*made, strict=True)]


def main() -> None:
    """Render and store what is missing of the rolls asked for."""
    asked = ArgumentParser(prog="python -m models.traced")
    asked.add_argument("count", type=int)
    asked.add_argument("--name", default="traced", help="of the kind of pictures")
    asked.add_argument("--split", default="test", choices=SPLITS)
    asked.add_argument("--game", choices=GAME_NAMES, default=GAME_NAMES[0])
    asked.add_argument("--tilt", type=float, nargs=2, default=(0.0, 50.0), metavar=("LOW", "HIGH"))
    asked.add_argument("--lights", type=float, nargs="+", default=[1.0], help="of the usual one")
    asked.add_argument("--seed", type=int, default=71)
    given = asked.parse_args()
    source = assets(given.split)
    game = GAME_NAMES.index(given.game)
    mix = replace(TRACED, tilts=tuple(given.tilt), game=game)
    for shard in range(-(-given.count // ROLLS)):
        paths = [shard_of(f"{given.name}-{light:g}", given.split, shard) for light in given.lights]
        if not all(path.exists() for path in paths):
            rng = np.random.default_rng([given.seed, SPLITS.index(given.split), game, shard])
            made = box_of_rolls(source, rng, mix, given.lights)
            for path, one in zip(paths, made, strict=True):
                store(path, one)


if __name__ == "__main__":
    main()
