"""What a batch of the classifier holds."""

from __future__ import annotations

import numpy as np
import pytest

from models.art.glyphs import FACES
from models.art.shapes import SIZE
from models.training.mixture import COMPOSED, RENDERED, WHOLE, Mixture
from models.training.named import PIPS, UNNAMED, Named
from models.training.samples import REJECTED, Stock

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


def test_one_seed_draws_one_batch(mixture: Mixture) -> None:
    first, same, other = (mixture.draw(np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert (first.crops == same.crops).all()
    assert (first.numbers == same.numbers).all()
    assert not (first.crops == other.crops).all()
