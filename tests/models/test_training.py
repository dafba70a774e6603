"""What the networks are trained with: samples, mixtures, names and courses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.vision.networks.corners import corners_of, crop_maps, inverted, moved, yaws
from companion.vision.networks.locate import peaks, quads_of
from models.art.glyphs import FACES, Bank, Glyph
from models.art.shapes import SIZE
from models.art.symbols.bank import Drawing, Symbols, classes_of
from models.places import HERE
from models.scene.tops import TopComposer
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
    UNNAMED,
    WHOLE,
    Mixture,
    Named,
    Stock,
    Targets,
    classifier_batch,
    detector_targets,
    names_of,
    number_of,
)
from models.training.schedules import (
    COOLED,
    LOWEST_SHARE,
    NAMES,
    WARM_STEPS,
    Schedule,
    TrainConfig,
)
from models.training.whiten import main as whiten
from models.training.whiten import whitening

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


SYMBOLS = 20


@pytest.fixture(scope="module")
def mixture() -> Mixture:
    """Make a mixture of random pictures: faces, symbols, a sign without a name, pips, hidden
    tops.
    """
    rng = np.random.default_rng(1)
    numbers = np.array([*range(REJECTED), REJECTED, REJECTED + 1, UNNAMED, PIPS, 2, 3])
    count = len(numbers)
    images = rng.integers(0, 255, (count, 160, 160, 3), np.uint8)
    quads = np.tile(np.array([[56, 56], [104, 56], [104, 104], [56, 104]], np.float32), (count, 1))
    quads = quads.reshape(count, 4, 2)
    yes = np.ones(count, np.bool_)
    seens = np.where(np.arange(count) >= count - 2, 0.2, 1.0).astype(np.float32)
    stock = Stock(
        images, images[:0], quads, quads, numbers, yes, seens, np.full(count, 90.0), yes
    )  # fmt: skip
    names = (*FACES, *(f"symbol:{n}" for n in range(SYMBOLS)))
    masks = tuple((rng.integers(0, 2, (1, SIZE, SIZE), np.uint8) * 255,) for _ in names)
    return Mixture(stock, Named(names, masks), WHOLE)


def test_a_batch_has_faces_symbols_and_rejects_in_their_shares(mixture: Mixture) -> None:
    batch = mixture.draw(np.random.default_rng(2))
    classes, numbers = batch.classes, batch.numbers
    assert batch.crops.shape == (WHOLE, 3, 48, 48)
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


def test_a_bank_of_another_size_than_the_network_is_refused() -> None:
    bank = Bank(tuple(Glyph(face, "own:x", 0, "train", FULL[None]) for face in FACES))
    with pytest.raises(ValueError, match="centres for 11 names"):
        Named.of(bank, _symbols("tree", "boat"))


def test_a_composed_top_shows_a_drawing_of_its_name() -> None:
    """Of a solid drawing the middle is all print, of a blank one none."""
    named = Named(("solid", "blank"), ((FULL[None],), (BLANK[None],)), TopComposer())
    rng = np.random.default_rng(3)
    made = named.composed(np.array([0, 1] * 40), rng, 48)
    assert made.shape == (80, 48, 48, 3)
    assert made.dtype == np.uint8
    middle = made[:, 16:32, 16:32].astype(np.float64).mean(axis=(1, 2))
    rim = made[:, 6:9, 16:32].astype(np.float64).mean(axis=(1, 2))
    apart = np.abs(middle - rim).max(axis=1)
    assert np.median(apart[0::2]) > 2 * np.median(apart[1::2])


SCHEDULE = Schedule(steps=4000, batch=16, rate=2e-3)


def test_the_rate_rises_from_almost_nothing_stays_and_falls_to_a_hundredth() -> None:
    rates = [SCHEDULE.rate_at(step) for step in range(SCHEDULE.steps)]
    top = rates.index(max(rates))
    assert rates[0] == pytest.approx(SCHEDULE.rate / WARM_STEPS, rel=1e-3)
    assert top == WARM_STEPS - 1
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    cooling = round((1 - COOLED) * SCHEDULE.steps)
    assert set(rates[top : cooling + 1]) == {SCHEDULE.rate}
    assert rates[(cooling + SCHEDULE.steps) // 2] == pytest.approx(SCHEDULE.rate / 2)
    assert rates[-1] == pytest.approx(LOWEST_SHARE * SCHEDULE.rate)


def test_a_course_is_made_longer_or_shorter_only_while_nothing_depends_on_its_length() -> None:
    longer = replace(SCHEDULE, steps=2 * SCHEDULE.steps)
    plain = round((1 - COOLED) * SCHEDULE.steps)
    assert longer.continues(SCHEDULE, plain)
    assert not longer.continues(SCHEDULE, plain + 1)
    assert SCHEDULE.continues(longer, plain)
    assert not SCHEDULE.continues(longer, plain + 1)
    assert SCHEDULE.continues(SCHEDULE, SCHEDULE.steps)


def test_a_part_of_the_recipe_has_that_part_of_every_picture_and_step() -> None:
    whole, tenth = TrainConfig(), TrainConfig().scaled(0.1)
    assert {kind: 10 * n for kind, n in tenth.renders().items()} == whole.renders()
    for stage, part in zip(whole.stages(), tenth.stages(), strict=True):
        assert stage.keys() == part.keys()
        for name, schedule in stage.items():
            assert 10 * part[name].steps == schedule.steps
            assert replace(part[name], steps=schedule.steps) == schedule


def test_every_network_is_trained_in_each_stage_after_the_first() -> None:
    first, *others = TrainConfig().stages()
    assert list(first) == ["detector"]
    assert all(set(stage) == set(NAMES) for stage in others)


def test_whitened_embeddings_of_one_print_scatter_alike_in_every_direction() -> None:
    """Quiet directions count more then: prints that differ there are told apart."""
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
