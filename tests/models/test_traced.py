"""Path-traced scenes: bodies are whole, do not intersect, and are where labels say."""

from dataclasses import replace

import numpy as np
import pytest

from models.arrays import Floats
from models.art.glyphs import FACES, Bank, Glyph
from models.art.shapes import SIZE
from models.scene.box import Assets
from models.scene.camera import CameraPose, camera
from models.scene.die import AXES, TEXTURE, Die, put_flat, rotation_with_top, tipped_over
from models.scene.finishes import finish
from models.scene.render import label_of
from models.traced.dice import PRINT, against, propped
from models.traced.mesh import Mesh, gap, reach, rounded_box, settled
from models.traced.scene import PICTURE, arranged, placed_camera
from models.traced.table import Disc, FreeSpace, Slab, apart, prop, tray

UP = np.array([0, 0, 1.0])


@pytest.fixture(scope="module")
def source() -> Assets:
    square = np.zeros((1, SIZE, SIZE), np.uint8)
    square[:, 20:-20, 20:-20] = 255
    return Assets(Bank(tuple(Glyph(f, f"own:{f}", 0, "val", square) for f in FACES)), (), "val")


def _die(at: tuple[float, float] = (0, 0), yaw: float = 0.0, face: int = 0) -> Die:
    names = ("energy", "attack", "heal", "one", "two", "three")
    look = replace(finish(np.random.default_rng(1)), radius=0.15)
    blank = np.zeros((6 * TEXTURE, TEXTURE), np.float32)
    die = Die(np.zeros(3, np.float32), rotation_with_top(face), 16.0, names, names, blank, blank,
              look, "glyph")  # fmt: skip
    return put_flat(die, np.array(at), yaw)


def _triangles(mesh: Mesh) -> Floats:
    return np.asarray(mesh.points[mesh.faces.astype(int)])


@pytest.mark.parametrize("half", [(8.0, 8.0, 8.0), (20.0, 5.0, 9.0)])
def test_a_rounded_box_is_closed_and_as_large_as_asked(half: tuple[float, float, float]) -> None:
    mesh = rounded_box(np.array(half), 2.0)
    assert np.allclose(mesh.points.max(axis=0), half, atol=1e-4)
    assert np.allclose(mesh.points.min(axis=0), -np.array(half), atol=1e-4)
    spots = [tuple(int(v) for v in np.round(point * 1000)) for point in mesh.points]
    edges = {
        (spots[int(face[k])], spots[int(face[(k + 1) % 3])])
        for face in mesh.faces
        for k in range(3)
    }
    assert len(edges) == 3 * len(mesh.faces)
    assert edges == {(end, start) for start, end in edges}


def test_a_rounded_box_looks_outwards_everywhere() -> None:
    mesh = rounded_box(np.array([8.0, 8.0, 8.0]), 1.5)
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)
    a, b, c = np.moveaxis(_triangles(mesh), 1, 0)
    across = np.cross(b - a, c - a)
    shading = mesh.normals[mesh.faces.astype(int)].mean(axis=1)
    assert ((across * shading).sum(axis=1) > 0).all()
    assert ((across * (a + b + c)).sum(axis=1) > 0).all()


@pytest.mark.parametrize("face", range(6))
def test_every_face_shows_its_own_drawing_the_right_way_round(face: int) -> None:
    die = _die(face=face)
    mesh = rounded_box(np.full(3, die.side / 2), 1.0).moved(die.rotation, die.centre)
    share = mesh.normals @ (die.rotation @ AXES[face, 0])
    mine = np.flatnonzero(share > 0.9999)
    inner = np.array([[0, face], [1, face], [1, face + 1], [0, face + 1]]) / [1, 6]
    for corner, uv in zip(die.corners()[face], inner, strict=True):
        nearest = mine[np.linalg.norm(mesh.points[mine] - corner, axis=1).argmin()]
        assert np.allclose(mesh.uv[nearest], uv, atol=0.07)
    assert die.top() == face


def test_the_other_renderers_camera_sees_half_a_pixel_further_what_ours_sees() -> None:
    view = camera(CameraPose(37, 8, 61, 55), 16, PICTURE)
    matrix, field, (width, height) = placed_camera(view)
    points = np.array([[0, 0, 0], [31, -12, 16], [-40, 25, 3]], np.float32)
    seen = (points - matrix[:3, 3]) @ matrix[:3, :3]
    focal = width / 2 / np.tan(np.radians(field) / 2)
    left_up = seen[:, :2] / seen[:, 2:] * focal
    pixels = np.array([width, height]) / 2 - left_up
    assert np.allclose(pixels - 0.5, view.project(points), atol=0.01)
    assert np.isclose(np.linalg.det(matrix[:3, :3]), 1)


def test_the_label_is_the_sharp_cube_round_the_mesh() -> None:
    view = camera(CameraPose(30, 4, 60, 80), 16, PICTURE)
    die = tipped_over(_die((5, -3), 25), 0.7, 20)
    label = label_of(view, die, 0, np.zeros((540, 960), np.int16))
    assert label is not None
    mesh = rounded_box(np.full(3, die.side / 2), 0.01).moved(die.rotation, die.centre)
    pixels = view.project(mesh.points)
    for corner in (*label.quad, *label.base):
        assert np.linalg.norm(pixels - corner, axis=1).min() < 0.2
    assert not label.flat


def test_how_far_apart_two_dice_are() -> None:
    assert np.isclose(gap(_die(), _die((17, 0))), 1, atol=0.01)
    assert np.isclose(gap(_die(), _die((200, 0))), 200 - 16 * np.sqrt(3))
    assert gap(_die(), _die((15.5, 0))) < -0.4
    turned = _die((20, 0), 45)
    apart_by = 20 - 8 - reach(turned, np.array([-1.0, 0, 0]))
    assert np.isclose(gap(_die(), turned), apart_by, atol=0.02)


def test_a_leaning_die_touches_the_table() -> None:
    die = settled(tipped_over(_die(), 0.4, 30))
    mesh = rounded_box(np.full(3, 8.0), 16 * 0.15).moved(die.rotation, die.centre)
    assert np.isclose(mesh.points[:, 2].min(), 0, atol=0.05)


@pytest.mark.parametrize("face", range(6))
@pytest.mark.parametrize("seed", range(6))
def test_a_die_leans_against_another_and_is_not_within_it(seed: int, face: int) -> None:
    rng = np.random.default_rng([seed, face])
    wall, degrees = _die((4, 9), 33 + 20 * seed, face), 15.0 + 4 * seed
    die = against(_die(face=seed), wall, degrees, rng)
    assert 0 <= gap(die, wall) < 0.7
    assert die.top() == seed
    lean = np.degrees(np.arccos(die.rotation @ AXES[seed, 0] @ UP))
    assert np.isclose(lean, degrees, atol=0.1)
    assert not die.flat()


@pytest.mark.parametrize("seed", range(6))
def test_what_a_die_rests_on_reaches_its_lower_face_and_no_further(seed: int) -> None:
    rng = np.random.default_rng(seed)
    die, spot, height = propped(_die((4, 9), 33), 24.0, rng)
    out = die.rotation @ AXES[die.top(), 0]
    foot = die.centre - out * die.side / 2
    rim = np.array([*spot[:2], height])
    assert np.isclose((rim - foot) @ out, 0, atol=0.05)
    assert np.abs(rim - foot).max() < 0.71 * die.side
    slabs, tokens = prop(spot, height, die.side, rng)
    assert len(slabs) + len(tokens) == 1
    far = np.array([*(spot[:2] + 2 * spot[2:]), height])
    assert (far - foot) @ out < 0


def test_furniture_takes_up_room() -> None:
    token = Disc(np.zeros(2), 10.0, 2.0, np.ones(3), np.ones(3))
    slab = Slab(np.zeros(3), np.array([30.0, 5.0, 1.0]), 90.0, 0.1, np.ones((1, 1, 3)), 0.2)
    assert not apart([], [token], [_die((20, 0))])
    assert apart([slab], [token], [_die((22, 0))])
    assert not apart([slab], [], [_die((0, 35))])
    walls, room = tray([(np.zeros(2), 10.0), (np.array([50.0, 0]), 10.0)], np.random.default_rng(1))
    assert room.free(np.array([25.0, 12]), 1.0)
    assert not room.free(np.array([50.0, 0]), 1.0)
    assert not any(room.free(wall.centre[:2], 1.0) for wall in walls)
    assert FreeSpace([], np.zeros(2)).free(np.array([1e4, 0]), 5.0)


def test_scenes_have_their_dice_apart_and_something_wrong_with_a_quarter(source: Assets) -> None:
    faults = []
    for seed in range(12):
        setup = arranged(source, np.random.default_rng(seed))
        dice = [piece.die for piece in setup.pieces]
        rolled = [die for die in dice if die.kind == "glyph"]
        assert 6 <= len(rolled) <= 8
        for place, die in enumerate(dice):
            assert reach(die, UP) <= die.centre[2] + 0.01
            assert all(gap(die, other) > -0.05 for other in dice[:place])
        assert all(piece.print.shape == (6 * PRINT, PRINT) for piece in setup.pieces[:6])
        names = {name for die in rolled for name in die.names}
        assert len(names) == 6
        corners = [setup.camera.project(die.corners().reshape(-1, 3)) for die in rolled]
        cut = any((c < 0).any() or (c > np.array(PICTURE)).any() for c in corners)
        wrong = cut or not all(die.flat() for die in rolled)
        faults.append(wrong)
        assert wrong == (setup.tags[0] != "fit")
    assert 1 <= sum(faults) <= 8


def test_one_seed_lays_one_table(source: Assets) -> None:
    first, second = (arranged(source, np.random.default_rng(3)) for _ in range(2))
    assert first.tags == second.tags
    assert np.array_equal(first.ground, second.ground)
    for one, other in zip(first.pieces, second.pieces, strict=True):
        assert np.array_equal(one.die.centre, other.die.centre)
        assert np.array_equal(one.print, other.print)
