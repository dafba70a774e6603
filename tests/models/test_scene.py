"""Pictures of dice that are drawn for training, and their labels."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from models.arrays import Floats, Image
from models.measure.counting import BLIND
from models.scene.box import Assets
from models.scene.camera import CameraPose, camera, expose
from models.scene.die import AXES, TEXTURE, Die, put_flat, rotation_with_top
from models.scene.finishes import finish
from models.scene.mixes import EMPTY, FAULTS, ROLL, SMALL, STRANGE, Mix
from models.scene.render import arrange, draw, throw_again
from models.scene.tops import legible
from models.traced import PICTURE, placed_camera, rounded_cube
from tests.models.scenes import own_assets


@pytest.fixture(scope="module")
def source() -> Assets:
    return own_assets()


def test_labels_are_squares_seen_from_above_and_faces_of_one_game(source: Assets) -> None:
    faces = set()
    for seed in range(6):
        rng = np.random.default_rng(seed)
        done = draw(arrange(source, rng, (240, 160), (40, 60)), rng)
        assert done.picture.shape == (160, 240, 3)
        assert np.isfinite(done.picture).all()
        for label in done.labels:
            x, y = label.quad[:, 0], label.quad[:, 1]
            clockwise = np.roll(y, -1) * x - np.roll(x, -1) * y
            assert clockwise.sum() > 0 or label.seen == 0  # it leans away
            assert 0.0 <= label.inside <= 1.001
            faces.add(label.face)
    assert len(faces) > 3


@pytest.mark.parametrize("face", range(6))
def test_any_face_can_be_brought_on_top(face: int) -> None:
    rotation = rotation_with_top(face)
    assert np.allclose(rotation @ AXES[face, 0], [0, 0, 1])
    assert np.isclose(np.linalg.det(rotation), 1)


def test_a_pixel_of_the_ground_comes_back_to_itself() -> None:
    view = camera(CameraPose(35, 5, 60, 50), 16, (640, 360))
    pixels = np.array([[10, 20], [320, 180], [600, 300]], np.float32)
    assert np.allclose(view.project(view.on_ground(pixels)), pixels, atol=0.05)


def test_the_dice_of_an_ordinary_roll_lie_whole_in_the_picture(source: Assets) -> None:
    shares = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shares += [
            label.inside
            for label in draw(arrange(source, rng, (480, 270), (30, 60), ROLL), rng).labels
        ]
    assert len(shares) > 40
    assert min(shares) > 0.999


def test_the_dice_of_a_roll_come_from_one_box(source: Assets) -> None:
    """They have one print, worn and scratched differently; the extra dice of the box may have
    another finish.
    """
    bodies = set()
    for seed in range(8):
        dice = arrange(source, np.random.default_rng(seed), (960, 540), (40, 60), ROLL).dice
        assert len({(die.names, die.drawings) for die in dice if die.kind == "glyph"}) == 1
        finishes = {die.finish.body.tobytes() for die in dice if die.kind == "glyph"}
        bodies.add(len(finishes))
        assert len({die.atlas.tobytes() for die in dice}) == len(dice)
    assert bodies == {1, 2}


def test_an_evening_has_one_box_one_camera_and_one_table(source: Assets) -> None:
    rng = np.random.default_rng(5)
    first = arrange(source, rng, (960, 540), (40, 60), ROLL)
    rolls = [first, *(throw_again(first, rng, FAULTS[fault]) for fault in ("cocked", "foreign"))]
    own = [[die for die in scene.dice if die.kind == "glyph"] for scene in rolls]
    assert len({(die.names, die.drawings, die.side) for dice in own for die in dice}) == 1
    assert len({str([die.centre.tolist() for die in dice]) for dice in own}) == 3
    assert len({id(scene.camera) for scene in rolls} | {id(scene.ground) for scene in rolls}) == 2
    assert all(die.flat() for die in rolls[0].dice)
    assert not all(die.flat() for die in rolls[1].dice)
    assert any(die.kind != "glyph" for die in rolls[2].dice)
    with pytest.raises(ValueError, match="no box"):
        throw_again(replace(first, box=None), rng, ROLL)


def test_a_taken_picture_tells_what_of_each_print_is_left(source: Assets) -> None:
    done = draw(arrange(source, np.random.default_rng(5), (480, 270), (60, 80), ROLL),
                np.random.default_rng(6))  # fmt: skip
    shot, clear = done.photograph(np.random.default_rng(7), 0.5)
    assert (shot == expose(done.picture, np.random.default_rng(7), 0.5)).all()
    assert [label.face for label in clear] == [label.face for label in done.labels]
    assert np.median([label.contrast for label in clear]) > 40
    dark, dimmed = replace(done, light=0.05**2).photograph(np.random.default_rng(7), 0.5)
    assert dark.mean() < 0.4 * shot.mean()
    shares = [less.contrast / label.contrast for less, label in zip(dimmed, clear, strict=True)]
    assert np.median(shares) < 0.3


def _names(source: Assets, mix: Mix, seeds: int) -> list[tuple[str, str]]:
    """The face and the drawing of every label in this number of small scenes."""
    rngs = (np.random.default_rng(seed) for seed in range(seeds))
    scenes = (draw(arrange(source, rng, (200, 200), (50, 55), mix), rng) for rng in rngs)
    return [(label.face, label.drawing) for done in scenes for label in done.labels]


def test_strangers_are_other_games_dice_and_carry_signs_for_the_most_part(source: Assets) -> None:
    names = _names(source, STRANGE, 12)
    assert {face for face, _ in names} == {"foreign"}
    assert sum(bool(drawing) for _, drawing in names) > 0.7 * len(names)
    pips = _names(source, replace(STRANGE, signs=0.0), 6)
    assert {drawing for _, drawing in pips} == {""}
    assert "foreign" not in {face for face, _ in _names(source, replace(SMALL, foreign=0.0), 6)}


def test_in_scenes_without_dice_there_is_nothing_to_find(source: Assets) -> None:
    grounds = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scene = arrange(source, rng, (320, 180), (24, 60), EMPTY)
        assert draw(scene, rng).labels == ()
        grounds.add(scene.surface.rpartition(" ")[2])
    assert grounds >= {"board", "keyboard"}


QUAD = np.array([[60.0, 40], [122, 58], [104, 118], [42, 100]], np.float32)
GREEN, BLACK, YELLOW, CYAN = (60, 220, 120), (16, 16, 16), (40, 240, 240), (240, 240, 40)


def ink() -> Floats:
    """Draw a bolt, which has no rotation or mirror symmetry."""
    drawn = np.zeros((80, 80), np.uint8)
    bolt = np.array([[44, 12], [20, 46], [38, 46], [30, 70], [60, 34], [42, 34], [54, 12]])
    cv2.fillPoly(drawn, [bolt], 255, cv2.LINE_AA)
    return np.asarray(drawn / 255, np.float32)


def shown(body: tuple[int, int, int], paint: tuple[int, int, int]) -> Image:
    """Draw a picture (160, 160, 3) of the print on the face at QUAD."""
    print_ = ink()[..., None]
    face = np.asarray(body) * (1 - print_) + np.asarray(paint) * print_
    square = np.array([[0, 0], [79, 0], [79, 79], [0, 79]], np.float32)
    grid = cv2.getPerspectiveTransform(square, QUAD)
    return np.asarray(cv2.warpPerspective(face.astype(np.uint8), grid, (160, 160)), np.uint8)


def left_of(paint: tuple[int, int, int], light: Image | None = None) -> float:
    """The contrast of a print of that colour on black, with light (160, 160, 3) added."""
    picture = shown(BLACK, paint)
    if light is not None:
        picture = np.asarray(cv2.add(picture, light), np.uint8)
    return legible(picture, QUAD, ink())


def lamp(corners: Floats) -> Image:
    """Make light that saturates everything within the corners."""
    light = np.zeros((160, 160, 3), np.uint8)
    cv2.fillConvexPoly(light, np.round(corners).astype(np.int32), (255, 255, 255))
    return light


def test_the_whole_contrast_of_a_clear_print_is_left() -> None:
    assert 0.9 * (220 - 16) < left_of(GREEN) < 1.02 * (220 - 16)


@pytest.mark.parametrize("share", [0.7, 1.2])
def test_of_what_light_drowns_nothing_is_left(share: float) -> None:
    middle = QUAD.mean(axis=0)
    assert left_of(GREEN, lamp(middle + share * (QUAD - middle))) < BLIND


def test_a_patch_of_light_adds_no_print_to_what_is_there() -> None:
    light = np.zeros((160, 160, 3), np.uint8)
    cv2.fillConvexPoly(
        light, np.round(QUAD.mean(0) + 0.4 * (QUAD - QUAD.mean(0))).astype(int), (90,) * 3
    )
    assert left_of((8, 26, 12)) < BLIND
    assert left_of((8, 26, 12), light) < BLIND
    assert left_of((8, 90, 12), light) < 1.05 * left_of((8, 90, 12))


def test_another_print_is_not_this_one() -> None:
    turned = shown(BLACK, GREEN)
    other = legible(turned, np.roll(QUAD, 1, axis=0), ink())
    assert other < 0.6 * legible(turned, QUAD, ink())


def test_where_half_is_covered_about_half_is_left() -> None:
    left = (QUAD[[0, 3]] + QUAD[[1, 2]]) / 2
    half = np.array([QUAD[0], left[0], left[1], QUAD[3]])
    assert 0.35 < left_of(GREEN, lamp(half)) / left_of(GREEN) < 0.65


def _die(at: tuple[float, float] = (0, 0), yaw: float = 0.0, face: int = 0) -> Die:
    names = ("energy", "attack", "heal", "one", "two", "three")
    look = replace(finish(np.random.default_rng(1)), radius=0.15)
    blank = np.zeros((6 * TEXTURE, TEXTURE), np.float32)
    die = Die(np.zeros(3, np.float32), rotation_with_top(face), 16.0, names, names, blank, blank,
              look, "glyph")  # fmt: skip
    return put_flat(die, np.array(at), yaw)


def test_a_rounded_cube_is_closed_and_as_large_as_asked() -> None:
    points, _, _, triangles = rounded_cube(16.0, 2.0)
    assert np.allclose(points.max(axis=0), 8.0, atol=1e-4)
    assert np.allclose(points.min(axis=0), -8.0, atol=1e-4)
    spots = [tuple(int(v) for v in np.round(point * 1000)) for point in points]
    edges = {
        (spots[int(one[k])], spots[int(one[(k + 1) % 3])]) for one in triangles for k in range(3)
    }
    assert len(edges) == 3 * len(triangles)
    assert edges == {(end, start) for start, end in edges}


@pytest.mark.parametrize("face", range(6))
def test_every_face_shows_its_own_drawing_the_right_way_round(face: int) -> None:
    die = _die(face=face)
    points, normals, uvs, _ = rounded_cube(die.side, 1.0)
    mine = np.flatnonzero(normals @ AXES[face, 0] > 0.9999)
    points = points @ die.rotation.T + die.centre
    inner = np.array([[0, face], [1, face], [1, face + 1], [0, face + 1]]) / [1, 6]
    for corner, uv in zip(die.corners()[face], inner, strict=True):
        nearest = mine[np.linalg.norm(points[mine] - corner, axis=1).argmin()]
        assert np.allclose(uvs[nearest], uv, atol=0.07)
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
