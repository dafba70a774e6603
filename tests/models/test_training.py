"""What the networks are trained with: samples, mixtures and names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.networks.corners import corners_of, crop_maps, inverted, moved, yaws
from companion.vision.networks.locate import peaks, quads_of
from models.art.glyphs import FACES
from models.art.shapes import SIZE
from models.art.symbols.bank import Drawing, Symbols, classes_of
from models.places import HERE
from models.terms import TERMS
from models.training.samples import (
    COMPOSED,
    CROP,
    HOPELESS,
    IGNORED,
    PIPS,
    READABLE,
    REJECTED,
    RENDERED,
    ROW,
    UNNAMED,
    WHOLE,
    Draw,
    Stock,
    classifier_draw,
    composed,
    detector_targets,
    names_of,
    number_of,
    targets_of,
)
from models.training.whiten import main as whiten
from models.training.whiten import whitening

QUAD = np.array([[100.0, 90], [150, 104], [138, 150], [90, 138]], np.float32)


def test_the_detectors_targets_decode_to_the_quad_they_were_made_from() -> None:
    heat, goal = detector_targets(QUAD[None], np.array([True]))
    rows, columns = peaks(heat[0], 0.9, 4)
    assert len(rows) == 1
    cells = np.concatenate([[0.0], goal[:6, rows[0], columns[0]]])[None].astype(np.float32)
    centres = np.array([[columns[0] + 0.5, rows[0] + 0.5]], np.float32)
    found = quads_of(cells, centres, TERMS.detector.stride)[0]
    assert np.abs(found - QUAD).max() < 4
    assert np.abs(found.mean(axis=0) - QUAD.mean(axis=0)).max() < 0.1


def test_a_die_of_no_matter_is_neither_asked_for_nor_forbidden() -> None:
    heat, goal = detector_targets(QUAD[None], np.array([False]))
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


def _rows(numbers: list[int], seens: float | list[float] = 1.0) -> NDArray[Any]:
    """Patches of dice with these numbers of names, clear and flat."""
    rows = np.zeros(len(numbers), ROW)
    rows["number"], rows["seen"], rows["contrast"] = numbers, seens, 90
    rows["flat"] = rows["top"] = True
    rows["quad"] = QUAD - QUAD.mean(axis=0) + 80
    return rows


def test_hidden_and_blinded_tops_are_no_readable_face_and_doubtful_ones_not_learnt() -> None:
    seens = [READABLE[0], 0.3, 1.0, HOPELESS[0], 1.0, 1.0, 0.73]
    rows = _rows([3, 3, 3, 3, 3, UNNAMED, UNNAMED], seens)
    rows["contrast"] = [READABLE[1], 90, 3, 90, HOPELESS[1], 90, 90]
    classes, numbers = targets_of(rows)
    assert classes.tolist() == [3, *[REJECTED] * 2, *[IGNORED] * 2, *[REJECTED] * 2]
    assert numbers.tolist() == [3, *[UNNAMED] * 6]


def test_symbols_are_no_faces_but_have_names_and_standard_pips_are_not_learnt() -> None:
    classes, numbers = targets_of(_rows([8, REJECTED + 2, REJECTED, PIPS], [1, 1, 0.3, 1]))
    assert classes.tolist() == [8, REJECTED, REJECTED, IGNORED]
    assert numbers.tolist() == [8, REJECTED + 2, UNNAMED, UNNAMED]


SYMBOLS = 20


@pytest.fixture(scope="module")
def draw() -> Draw:
    """Draw from random pictures: faces, symbols, a sign without a name, pips, hidden tops."""
    rng = np.random.default_rng(1)
    numbers = [*range(REJECTED), REJECTED, REJECTED + 1, UNNAMED, PIPS, 2, 3]
    images = rng.integers(0, 255, (len(numbers), 160, 160, 3), np.uint8)
    rows = _rows(numbers)
    rows["seen"][-2:] = 0.2
    masks = tuple(
        (rng.integers(0, 2, (1, SIZE, SIZE), np.uint8) * 255,) for _ in range(REJECTED + SYMBOLS)
    )
    return classifier_draw(Stock(images, images[:0], rows), masks, WHOLE)


def test_a_batch_has_faces_symbols_and_rejects_in_their_shares(draw: Draw) -> None:
    crops, classes, numbers = draw(np.random.default_rng(2))
    assert crops.shape == (WHOLE, 3, 48, 48)
    faces = COMPOSED["face"] + RENDERED["face"]
    symbols = COMPOSED["symbol"] + RENDERED["symbol"]
    assert faces + symbols + RENDERED["foreign"] + RENDERED["reject"] == WHOLE
    beside = 10  # a few rendered crops are cut beside their dice, and show nothing
    assert faces - beside <= int((classes < REJECTED).sum()) <= faces
    assert symbols - beside <= int((numbers >= REJECTED).sum()) <= symbols
    named = numbers >= 0
    assert (classes[named] == np.minimum(numbers[named], REJECTED)).all()
    assert (classes[~named] == REJECTED).all()
    assert not (numbers == PIPS).any()


BLANK = np.zeros((SIZE, SIZE), np.uint8)
FULL = np.full((SIZE, SIZE), 255, np.uint8)


def _symbols(*names: str) -> Symbols:
    return classes_of(Drawing(f"a:{name}", "icons:a", name, "train", BLANK) for name in names)


def test_faces_are_numbered_first_in_the_readers_order_then_symbols() -> None:
    names = names_of(_symbols("tree", "boat"))
    assert names == (*FACES, "symbol:boat", "symbol:tree")
    numbers = {name: number for number, name in enumerate(names)}
    assert number_of(FACES[4], "own:round", numbers) == 4
    assert number_of("symbol:tree", "a:tree", numbers) == len(FACES) + 1


def test_a_composed_top_shows_a_drawing_of_its_name() -> None:
    """Of a solid drawing the middle is all print, of a blank one none."""
    named = ((FULL[None],), (BLANK[None],))
    rng = np.random.default_rng(3)
    made = composed(named, np.array([0, 1] * 40), rng, 48)
    assert made.shape == (80, 48, 48, 3)
    assert made.dtype == np.uint8
    middle = made[:, 16:32, 16:32].astype(np.float64).mean(axis=(1, 2))
    rim = made[:, 6:9, 16:32].astype(np.float64).mean(axis=(1, 2))
    apart = np.abs(middle - rim).max(axis=1)
    assert np.median(apart[0::2]) > 2 * np.median(apart[1::2])


def test_whitened_embeddings_of_one_print_scatter_alike_in_every_direction() -> None:
    """Quiet directions count more then: they tell such prints from one another."""
    rng = np.random.default_rng(1)
    names = np.repeat(np.arange(400), 6)
    places, noise = rng.normal(0, 1, (400, 8)), np.linspace(0.05, 0.6, 8)
    vectors = places[names] + rng.normal(0, 1, (len(names), 8)) * noise
    found = whitening(vectors, names)
    assert np.allclose(found, found.T)
    after = (vectors - places[names]) @ found.T
    spread = np.linalg.svd(after, compute_uv=False)
    before = np.linalg.svd(vectors - places[names], compute_uv=False)
    assert spread[0] / spread[-1] < 1.6 < 8 < before[0] / before[-1]


def test_what_ships_is_whitened_and_is_not_whitened_again() -> None:
    with pytest.raises(ValueError, match="whitened already"):
        whiten(HERE)
