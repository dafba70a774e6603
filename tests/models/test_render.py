"""Rendered scenes: the same picture for the same seed, and labels where the dice are."""

from dataclasses import replace

import numpy as np
import pytest

from models.scene.box import Assets
from models.scene.camera import CameraPose, camera, compressed, expose
from models.scene.die import AXES, rotation_with_top, tipped_over
from models.scene.mixes import FAULTS, ROLL, SMALL, STRANGE, Mix
from models.scene.render import add_glare, arrange, draw, throw_again
from tests.models.scenes import own_assets


@pytest.fixture(scope="module")
def source() -> Assets:
    return own_assets()


def test_one_seed_draws_one_picture(source: Assets) -> None:
    pictures = []
    for _ in range(2):
        rng = np.random.default_rng(4)
        done = draw(arrange(source, rng, (240, 160), (40, 60)), rng)
        pictures.append(compressed(expose(done.picture, rng, 0.8), rng))
    assert pictures[0] == pictures[1]


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
            assert clockwise.sum() > 0
            assert 0.0 <= label.inside <= 1.001
            faces.add(label.face)
    assert len(faces) > 3


@pytest.mark.parametrize("face", range(6))
def test_any_face_can_be_brought_on_top(face: int) -> None:
    rotation = rotation_with_top(face)
    assert np.allclose(rotation @ AXES[face, 0], [0, 0, 1])
    assert np.isclose(np.linalg.det(rotation), 1)


def test_a_leaning_die_stays_on_the_table(source: Assets) -> None:
    rng = np.random.default_rng(2)
    die = arrange(source, rng, (240, 160), (40, 60)).dice[0]
    tipped = tipped_over(replace(die, rotation=np.eye(3, dtype=np.float32)), 0.3, 25)
    assert np.isclose(tipped.corners()[..., 2].min(), 0, atol=1e-3)


def test_a_pixel_of_the_ground_comes_back_to_itself() -> None:
    view = camera(CameraPose(35, 5, 60, 50), 16, (640, 360))
    pixels = np.array([[10, 20], [320, 180], [600, 300]], np.float32)
    assert np.allclose(view.project(view.on_ground(pixels)), pixels, atol=0.05)


def test_the_webcam_spoils_all_three_colours_alike() -> None:
    grey = np.full((80, 80, 3), 0.2, np.float32)
    shots = [expose(grey, np.random.default_rng(seed), 0.5) for seed in range(8)]
    spread = np.mean([shot.reshape(-1, 3).std(axis=0) for shot in shots], axis=0)
    assert spread.max() < 1.5 * spread.min() + 1
    assert np.mean([shot.reshape(-1, 3).mean(axis=0) for shot in shots], axis=0).min() > 60


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


def test_dice_to_learn_from_come_from_many_boxes(source: Assets) -> None:
    """The networks are to read each die by itself."""
    dice = arrange(source, np.random.default_rng(2), (960, 540), (40, 60)).dice
    prints = {die.names for die in dice if die.kind == "glyph"}
    assert len(prints) > 1


def test_where_dice_are_to_be_cut_off_some_are(source: Assets) -> None:
    shares = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        done = draw(arrange(source, rng, (480, 270), (30, 60), FAULTS["cut"]), rng)
        shares += [label.inside for label in done.labels]
    assert min(shares) < 0.9


def test_a_taken_picture_tells_what_of_each_print_is_left(source: Assets) -> None:
    done = draw(arrange(source, np.random.default_rng(5), (480, 270), (60, 80), ROLL),
                np.random.default_rng(6))  # fmt: skip
    shot, clear = done.photograph(np.random.default_rng(7), 0.5)
    assert (shot == expose(done.picture, np.random.default_rng(7), 0.5)).all()
    assert [label.face for label in clear] == [label.face for label in done.labels]
    assert np.median([label.contrast for label in clear]) > 40
    dark, dimmed = done.photograph(np.random.default_rng(7), 0.5, (0.05, 0.05))
    assert dark.max() <= 4 + 0.05 * 255
    shares = [less.contrast / label.contrast for less, label in zip(dimmed, clear, strict=True)]
    assert 0.02 < np.median(shares) < 0.08


def test_a_reflection_over_a_top_takes_its_print_and_no_other(source: Assets) -> None:
    scene = arrange(source, np.random.default_rng(5), (480, 270), (60, 80), ROLL)
    before, after = (draw(scene, np.random.default_rng(6)) for _ in range(2))
    add_glare(after, after.labels[0])
    clear, blinded = (done.photograph(np.random.default_rng(7), 0.5)[1] for done in (before, after))
    assert blinded[0].contrast < 0.1 * clear[0].contrast
    far = [n for n, label in enumerate(clear)
           if np.linalg.norm(label.quad.mean(0) - clear[0].quad.mean(0)) > 150]  # fmt: skip
    assert far
    assert all(blinded[n].contrast > 0.4 * clear[n].contrast for n in far)


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
