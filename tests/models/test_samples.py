"""Training batches follow the reader's conventions for crops and corners."""

import cv2
import numpy as np

from companion.vision.networks.corners import corners_of, crop_maps, inverted, moved, yaws
from companion.vision.networks.locate import peaks, quads_of
from models.dataset import mapped, patch_of, side_of
from models.measure.counting import BLIND, SHOWN
from models.terms import TERMS
from models.training.named import PIPS, UNNAMED
from models.training.samples import (
    CROP,
    HOPELESS,
    IGNORED,
    READABLE,
    REJECTED,
    Stock,
    Targets,
    augmented,
    classifier_batch,
    detector_targets,
)

QUAD = np.array([[100.0, 90], [150, 104], [138, 150], [90, 138]], np.float32)


def test_the_detectors_targets_decode_to_the_quad_they_were_made_from() -> None:
    heat, goal = detector_targets(QUAD[None], np.array([1], np.int8))
    rows, columns = peaks(heat[0], 0.9, 4)
    assert len(rows) == 1
    cells = np.concatenate([[0.0], goal[:6, rows[0], columns[0]]])[None].astype(np.float32)
    centres = np.array([[columns[0] + 0.5, rows[0] + 0.5]], np.float32)
    found = quads_of(cells, centres, TERMS.detector.stride)[0]
    assert np.abs(found - QUAD).max() < 4
    assert np.abs(found.mean(axis=0) - QUAD.mean(axis=0)).max() < 0.1


def test_a_die_of_no_matter_is_neither_asked_for_nor_forbidden() -> None:
    heat, goal = detector_targets(QUAD[None], np.array([0], np.int8))
    centre = (QUAD.mean(axis=0) / TERMS.detector.stride).astype(int)
    assert heat[0].max() == 0
    assert heat[1, centre[1], centre[0]] == 0
    assert goal[6].max() == 0
    assert heat.shape[1] == CROP // TERMS.detector.stride


def test_the_refiners_numbers_are_offsets_in_half_sides_of_an_upright_square() -> None:
    terms = TERMS.corners
    maps = crop_maps(QUAD[None], terms.region, terms.input.width)
    upright = moved(QUAD[None], maps)
    half = terms.input.width / terms.region / 2
    offsets = ((upright - terms.input.width / 2) / half).reshape(1, 4, 2)
    offsets -= np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
    both = np.concatenate([offsets, offsets], axis=1).reshape(1, 16)
    back = moved(corners_of(both, terms.region, terms.input.width), inverted(maps))
    assert np.allclose(back[0, :4], QUAD, atol=0.01)
    assert abs(float(yaws(upright)[0])) < 0.02


def test_a_patch_holds_its_die_at_the_common_size() -> None:
    image = np.zeros((240, 320, 3), np.uint8)
    patch, grid = patch_of(image, QUAD)
    inside = mapped(QUAD, grid)
    assert np.allclose(inside.mean(axis=0), patch.shape[0] / 2, atol=0.01)
    assert np.isclose(side_of(inside), 48, atol=0.1)


def test_spoiling_keeps_shape_and_range() -> None:
    batch = np.full((9, 64, 64, 3), 120, np.uint8)
    done = augmented(batch, np.random.default_rng(0))
    assert done.shape == batch.shape
    assert done.dtype == np.uint8
    assert done.std() > 0


def test_hidden_and_blinded_tops_are_no_readable_face_and_doubtful_ones_not_learnt() -> None:
    seens = np.array([READABLE.seen, 0.3, 1.0, HOPELESS.seen, 1.0, 1.0, 0.73], np.float32)
    contrasts = np.array([READABLE.levels, 90, 3, 90, HOPELESS.levels, 90, 90], np.float32)
    quads = np.zeros((7, 4, 2), np.float32)
    images = np.zeros((7, 4, 4, 3), np.uint8)
    numbers, yes = np.array([3, 3, 3, 3, 3, UNNAMED, UNNAMED]), np.ones(7, bool)
    stock = Stock(images, images[:0], quads, quads, numbers, yes, seens, contrasts, yes)
    assert stock.target_classes().tolist() == [3, *[REJECTED] * 2, *[IGNORED] * 2, *[REJECTED] * 2]
    assert stock.target_numbers().tolist() == [3, *[UNNAMED] * 6]


def test_symbols_are_no_faces_but_have_names_and_standard_pips_are_not_learnt() -> None:
    quads, images = np.zeros((4, 4, 2), np.float32), np.zeros((4, 4, 4, 3), np.uint8)
    yes, full = np.ones(4, bool), np.ones(4, np.float32)
    seens = np.array([1, 1, 0.3, 1], np.float32)
    numbers = np.array([8, REJECTED + 2, REJECTED, PIPS])
    stock = Stock(images, images[:0], quads, quads, numbers, yes, seens, 90 * full, yes)
    assert stock.target_classes().tolist() == [8, REJECTED, REJECTED, IGNORED]
    assert stock.target_numbers().tolist() == [8, REJECTED + 2, UNNAMED, UNNAMED]


def test_no_face_is_learnt_of_what_is_unfit_to_be_read() -> None:
    assert HOPELESS.seen >= SHOWN  # any face named for a die that shows less counts as an error
    assert READABLE.levels >= BLIND
    assert HOPELESS.seen < READABLE.seen
    assert HOPELESS.levels < READABLE.levels


def test_strange_are_tops_of_other_games_and_neither_faces_nor_look_alikes() -> None:
    quads, images = np.zeros((3, 4, 2), np.float32), np.zeros((3, 4, 4, 3), np.uint8)
    numbers = np.array([UNNAMED, 3, UNNAMED])
    yes, full = np.ones(3, bool), np.ones(3, np.float32)
    tops = np.array([True, True, False])
    stock = Stock(images[:2], images[2:], quads, quads, numbers, yes, full, 90 * full, tops)
    assert stock.foreign_tops().tolist() == [True, False, False]


def test_what_is_cut_beside_a_die_is_no_face() -> None:
    quads = (QUAD - QUAD.mean(axis=0) + 80)[None].astype(np.float32)
    images = np.random.default_rng(1).integers(0, 255, (1, 160, 160, 3), np.uint8)
    yes, full = np.ones(1, bool), np.full(1, 90, np.float32)
    stock = Stock(images, images[:0], quads, quads, np.array([3]), yes, full, full, yes)
    chosen = np.zeros(200, np.int64)
    targets = Targets(stock.target_classes(), stock.target_numbers())
    batch = classifier_batch(stock, np.random.default_rng(2), chosen, targets)
    assert batch.crops.shape == (200, 3, 48, 48)
    assert set(batch.classes) == {3, REJECTED}
    assert 0 < (batch.classes == REJECTED).sum() < 30
    assert (batch.numbers == np.where(batch.classes == REJECTED, UNNAMED, 3)).all()


def test_a_smaller_crop_shows_the_same() -> None:
    """As much of it is top, and as much beside it, whatever its size."""
    quads = (QUAD - QUAD.mean(axis=0) + 80)[None].astype(np.float32)
    image = np.full((1, 160, 160, 3), 40, np.uint8)
    cv2.fillConvexPoly(image[0], np.round(quads[0]).astype(np.int32), (220, 220, 220))
    yes, full = np.ones(1, bool), np.full(1, 90, np.float32)
    stock = Stock(image, image[:0], quads, quads, np.array([3]), yes, full, full, yes)
    chosen = np.zeros(200, np.int64)
    targets = Targets(stock.target_classes(), stock.target_numbers())
    bright = []
    for edge in (48, 64):
        made = classifier_batch(stock, np.random.default_rng(2), chosen, targets, edge)
        assert made.crops.shape == (200, 3, edge, edge)
        bright.append(float(np.median((made.crops.mean(axis=1) > 0).mean(axis=(1, 2)))))
    assert 0.3 < bright[1] < 0.95
    assert abs(bright[0] - bright[1]) < 0.02
