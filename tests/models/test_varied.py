"""What only varied scenes have: bodies, relief, shadows, walls, boards, steep views and sizes."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from models.arrays import Floats
from models.dataset import new_pictures, side_of
from models.scene.box import Assets, Mould, make_die
from models.scene.camera import CameraPose, PinholeCamera, camera
from models.scene.clutter import Wall, make_sheet, paint_sheet, tray_walls
from models.scene.die import Die, put_flat
from models.scene.finishes import Finish, Plastic, paint_surface, varied_finish
from models.scene.light import Lamp, Scene, ground_light
from models.scene.mixes import BODIES, EMPTY, HARD, ROLL, SMALL
from models.scene.render import arrange, draw
from models.scene.surfaces import make_boards
from tests.models.scenes import own_assets

SIDE = 16.0
GREY = np.full(3, 0.3, np.float32)


@pytest.fixture(scope="module")
def source() -> Assets:
    return own_assets()


@pytest.fixture(scope="module")
def finishes() -> list[Finish]:
    return [varied_finish(np.random.default_rng(seed)) for seed in range(600)]


def _plain(plastic: Plastic | None = None) -> Finish:
    """A dull grey finish with black print."""
    return Finish(GREY, GREY * 0, "other", 0.0, 20.0, 0.1, 0.0, plastic)


def _scene(source: Assets, style: Finish, at: tuple[tuple[float, float], ...]) -> Scene:
    """Dice of the finish seen from above under one low lamp in the direction of x."""
    mould = Mould(source, SIDE, 0)
    dice = tuple(
        put_flat(make_die(mould, np.random.default_rng(2), style, "glyph"), np.array(spot), 0.0)
        for spot in at
    )
    lamps = (Lamp(np.array([400, 0, 200], np.float32), np.ones(3, np.float32), 1.0),)
    view = camera(CameraPose(0, 0, 40, 40), SIDE, (320, 200))
    return Scene(view, dice, source.grounds[0], 300.0, lamps, GREY, (), hands=0.0, shading=True)


def _light_at(scene: Scene, x: float, y: float) -> Floats:
    """(3,) the light on the table at a place, mm."""
    column, row = np.round(scene.camera.project(np.array([x, y, 0], np.float32))).astype(int)
    return np.asarray(ground_light(scene)[row, column])


def _kinds() -> dict[str, Callable[[Finish, Plastic], bool]]:
    return {
        "clear": lambda _, p: p.clarity > 0.5,
        "patterned": lambda _, p: bool(p.pattern),
        "engraved": lambda _, p: p.relief > 0,
        "embossed": lambda _, p: p.relief < 0,
        "not painted": lambda _, p: p.relief != 0 and not p.painted,
        "white": lambda f, _: float(f.body.min()) > 0.5,
        "metal on green": lambda f, p: p.metal > 0 and f.colour == "green",
        "green on black": lambda f, _: f.colour == "black" and f.ink.argmax() == 1,
        "sharp": lambda f, _: f.radius < 0.08,
        "round": lambda f, _: f.radius > 0.22,
    }


@pytest.mark.parametrize("kind", _kinds())
def test_finishes_of_every_kind_are_drawn(kind: str, finishes: list[Finish]) -> None:
    having = [f for f in finishes if f.plastic is not None and _kinds()[kind](f, f.plastic)]
    assert len(having) > 0.02 * len(finishes)


def test_corners_have_the_radii_of_real_dice(finishes: list[Finish]) -> None:
    radii = [f.radius for f in finishes]
    assert min(radii) >= 0.04
    assert max(radii) <= 0.25
    assert np.mean([f.colour in {"black", "green"} for f in finishes]) > 0.45


def test_a_surface_needs_varied_plastic() -> None:
    with pytest.raises(ValueError, match="one colour"):
        paint_surface(np.zeros((480, 80), np.float32), _plain(), np.random.default_rng(1))


@pytest.mark.parametrize("plastic", [Plastic(), Plastic(relief=2.0), Plastic(clarity=0.8)])
def test_the_bare_picture_is_that_of_dice_without_print(source: Assets, plastic: Plastic) -> None:
    scene = _scene(source, _plain(plastic), ((0.0, 0.0), (25.0, 5.0)))
    bare: list[Die] = []
    for die in scene.dice:
        assert die.surface is not None
        layers = die.surface.layers * np.array([1, 1, 1, 0], np.float32)
        bare.append(replace(die, surface=replace(die.surface, layers=layers, relief=None)))
    printed, without = (
        draw(replace(scene, dice=dice), np.random.default_rng(3))
        for dice in (scene.dice, tuple(bare))
    )
    assert np.abs(printed.picture - printed.bare).max() > 0.05
    assert np.allclose(printed.bare, without.picture, atol=2e-3)


def test_engraved_print_is_seen_by_its_edges(source: Assets) -> None:
    """One side of each stroke is lighter than the face, the other one darker."""
    unpainted = replace(_plain(Plastic(relief=3.0, bevel=1.5, painted=False)), ink=GREY)
    done = draw(_scene(source, unpainted, ((0.0, 0.0),)), np.random.default_rng(3))
    change = (done.picture - done.bare).mean(axis=2)
    assert change.max() > 0.05
    assert change.min() < -0.05


def test_a_die_in_the_shadow_of_another_is_darker(source: Assets) -> None:
    scene = _scene(source, _plain(Plastic()), ((0.0, 0.0), (20.0, 0.0)))
    first, second = scene.dice
    raised = replace(second, centre=second.centre + np.array([0, 0, SIDE], np.float32))
    scene = replace(scene, dice=(first, raised))
    x, y = np.round(scene.camera.project(np.array([6, 0, SIDE], np.float32))).astype(int)
    lights = [
        float(draw(shown, np.random.default_rng(3)).bare[y - 3 : y + 4, x - 3 : x].mean())
        for shown in (scene, replace(scene, shading=False))
    ]
    assert lights[0] < 0.8 * lights[1]


def test_a_low_lamp_throws_shadows_longer_than_dice(source: Assets) -> None:
    scene = _scene(source, _plain(), ((0.0, 0.0),))
    dark, open_ = _light_at(scene, -1.8 * SIDE, 0.0), _light_at(scene, 1.8 * SIDE, 0.0)
    assert dark.max() < 0.6 * open_.min()


def test_the_shadow_of_a_clear_die_is_light_and_has_its_colour(source: Assets) -> None:
    red = np.array([0.05, 0.05, 0.9], np.float32)
    shadows = [
        _light_at(
            _scene(source, replace(_plain(Plastic(clarity=share)), body=red), ((0.0, 0.0),)),
            -1.6 * SIDE, 0.0,
        )
        for share in (0.0, 1.0)
    ]  # fmt: skip
    assert shadows[1][2] > shadows[0][2] + 0.2
    assert shadows[1][2] > shadows[1][0] + 0.2


def test_a_wall_hides_what_is_behind_it_and_throws_a_shadow(source: Assets) -> None:
    scene = _scene(source, _plain(), ((0.0, 0.0),))
    view = camera(CameraPose(50, 0, 40, 40), SIDE, (320, 200))
    wall = Wall(
        np.array([0, -12, 12], np.float32), np.eye(3, dtype=np.float32),
        np.array([30, 2, 12], np.float32), GREY,
    )  # fmt: skip
    seen = [
        draw(replace(scene, camera=view, walls=walls), np.random.default_rng(3)).labels[0].seen
        for walls in ((), (wall,))
    ]
    assert seen[0] > 0.85
    assert seen[1] < 0.6 * seen[0]
    aside = replace(wall, centre=np.array([30, 0, 12], np.float32), half=wall.half[[1, 0, 2]])
    lights = [_light_at(replace(scene, walls=walls), 22.0, 12.0).max() for walls in ((), (aside,))]
    assert lights[1] < 0.7 * lights[0]


def test_no_wall_stands_in_a_die_and_some_are_close() -> None:
    view = camera(CameraPose(40, 0, 60, 60), SIDE, (640, 360))
    gaps = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        spots = rng.uniform(-60, 60, (4, 2))
        for wall in tray_walls(spots, SIDE, view, rng):
            local = np.abs((np.pad(spots, ((0, 0), (0, 1))) - wall.centre) @ wall.rotation)
            away = np.maximum(local[:, :2] - wall.half[:2], 0)
            gaps.append(float(np.hypot(away[:, 0], away[:, 1]).min()))
    assert len(gaps) > 150
    assert min(gaps) > 0.7 * SIDE
    assert np.mean(np.array(gaps) < 1.5 * SIDE) > 0.2


def test_boards_and_keyboards_are_grids_of_squares_with_signs() -> None:
    one, other = (make_boards("train", [], 4, seed) for seed in (1, 1))
    assert [board.kind for board in one] == ["board", "keyboard"] * 2
    assert all((a.image == b.image).all() for a, b in zip(one, other, strict=True))
    held = make_boards("val", [], 4, 1)
    assert all((a.image != b.image).any() for a, b in zip(one, held, strict=True))
    assert all(board.image.std() > 5 and board.cell < 170 for board in (*one, *held))


def test_a_sheet_is_beside_the_dice_or_flat_under_them() -> None:
    view = camera(CameraPose(20, 0, 60, 60), SIDE, (640, 360))
    print_ = np.full((100, 100, 3), 200, np.uint8)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        spots = rng.uniform(-30, 30, (3, 2))
        sheet = make_sheet(print_, 0.8, spots, SIDE, rng)
        corners = sheet.corners[:, :2].astype(np.float32)
        if sheet.tall > 0:
            away = [-cv2.pointPolygonTest(corners, tuple(spot), measureDist=True) for spot in spots]
            assert min(away) > 0.7 * SIDE
        picture = np.zeros((360, 640, 3), np.uint8)
        paint_sheet(picture, view, sheet)
        assert set(np.unique(picture)) >= {0}


def test_letters_of_a_sheet_are_not_mirrored() -> None:
    """From the upper left of its print round, corners run clockwise as the camera sees them."""
    view = camera(CameraPose(10, 0, 60, 60), SIDE, (640, 360))
    rng = np.random.default_rng(4)
    sheet = make_sheet(np.zeros((90, 90, 3), np.uint8), 0.5, np.zeros((1, 2)), SIDE, rng)
    x, y = view.project(sheet.corners).T
    assert (np.roll(y, -1) * x - np.roll(x, -1) * y).sum() > 0


def _steepest(view: PinholeCamera) -> float:
    """The least angle below the horizon of what is in the picture, degrees."""
    width, height = view.size
    rays = view.rays(0, 0, width, height)[:: height - 1, :: width - 1]
    return float(np.degrees(np.arcsin(-rays[..., 2] / np.linalg.norm(rays, axis=2))).min())


def test_steep_views_reach_sixty_degrees_and_never_the_horizon(source: Assets) -> None:
    mix = replace(HARD, counts=(1,), steep=1.0)
    scenes = [
        arrange(source, np.random.default_rng(seed), (960, 540), (24, 140), mix)
        for seed in range(60)
    ]
    assert max(scene.tilt() for scene in scenes) > 56
    assert np.mean([scene.tilt() > 45 for scene in scenes]) > 0.2
    assert min(_steepest(scene.camera) for scene in scenes) > 2


def test_white_dice_are_often_exposed_too_long(source: Assets) -> None:
    white = [
        scene.exposure
        for seed in range(300)
        if (
            scene := arrange(
                source, np.random.default_rng(seed), (60, 60), (24, 25), replace(SMALL, counts=(1,))
            )
        ).box
        and scene.box.common.body.min() > 0.5
    ]
    assert len(white) > 15
    assert 0.3 < np.mean(np.array(white) > 1.2) < 0.9


def test_in_scenes_without_dice_there_is_nothing_to_find(source: Assets) -> None:
    grounds = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scene = arrange(source, rng, (320, 180), (24, 60), EMPTY)
        assert draw(scene, rng).labels == ()
        grounds.add(scene.surface.rpartition(" ")[2])
    assert grounds >= {"board", "keyboard"}


def test_rolls_have_nothing_varied_and_bodies_have(source: Assets) -> None:
    def plastics(mix: object) -> list[Die]:
        chosen = ROLL if mix is ROLL else BODIES
        rngs = [np.random.default_rng(seed) for seed in range(5)]
        scenes = [arrange(source, rng, (960, 540), (40, 60), chosen) for rng in rngs]
        return [die for scene in scenes for die in scene.dice if die.kind == "glyph"]

    assert all(die.surface is None for die in plastics(ROLL))
    assert all(die.surface is not None for die in plastics(BODIES))


def test_dice_are_from_a_fortieth_to_half_as_wide_as_the_picture() -> None:
    """Sizes are drawn evenly on a logarithmic scale; large dice are alone."""
    source = own_assets("val")
    sides: list[float] = []
    for seed in range(24):
        made = new_pictures("sizes", source, np.random.default_rng(seed))[0]
        sizes = [side_of(label.quad) for label in made.labels]
        assert any(tag.startswith("die:") for tag in made.tags)
        assert sizes
        if made.tags[0] == "fit":
            assert min(label.inside for label in made.labels) > 0.999
        assert len(sizes) <= 3 or max(sizes) < 240
        sides += sizes
    assert min(sides) < 32
    assert max(sides) > 350
    assert max(sides) < 560


def test_the_dice_of_bodies_are_of_one_box() -> None:
    made = new_pictures("bodies", own_assets("test"), np.random.default_rng(1))[0]
    assert len(made.labels) >= 5
    assert made.tags[1].startswith("tilt:")
