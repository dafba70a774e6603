"""The arithmetic of dice, against chances that are known."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest

from companion.forecast.throws import Throws, throws

SIX = throws(6, 6, 1)


def values(known: Throws, worth: dict[tuple[int, ...], float]) -> np.ndarray:
    return np.array([worth.get(counts, 0.0) for counts in known.levels[-1].index])


@pytest.mark.parametrize("dice", range(1, 9))
def test_all_throws_are_there_once(dice: int) -> None:
    known = throws(dice, 6, 1)
    for size, level in enumerate(known.levels):
        assert len(level.index) == comb(size + 5, 5)
        assert {sum(counts) for counts in level.index} == {size}
    assert set(known.sample) <= known.levels[-1].index.keys()
    assert len(set(known.sample)) == len(known.sample)


def test_one_throw_of_all_dice_is_the_mean_over_all_throws() -> None:
    known = throws(3, 6, 1)
    final = np.random.default_rng(2).random(len(known.levels[-1].index))
    every = [
        final[known.index(tuple(dice.count(face) for face in range(6)))]
        for dice in product(range(6), repeat=3)
    ]
    nothing_kept = known.worth_of_keeping(final, 1)[0]
    assert nothing_kept == pytest.approx([np.mean(every)])


def test_a_face_wanted_on_all_dice_is_kept_and_the_others_thrown() -> None:
    final = values(SIX, {(6, 0, 0, 0, 0, 0): 1.0})
    for rolls in (1, 2, 3):
        worth = SIX.worth_of_keeping(final, rolls)
        shown = 1 - (5 / 6) ** rolls
        for kept in range(6):
            found = worth[kept][SIX.index((kept, 0, 0, 0, 0, 0))]
            assert found == pytest.approx(shown ** (6 - kept)), (rolls, kept)
        other = worth[1][SIX.index((0, 1, 0, 0, 0, 0))]
        assert bool(other == 0) == (rolls == 1), "the other die can be thrown later"


def test_the_rolling_ends_where_no_throw_is_better() -> None:
    final = values(SIX, {(1, 1, 1, 1, 1, 1): 1.0})
    last, one_more = SIX.worth_of_keeping(final, 1), SIX.worth_of_keeping(final, 2)
    five = SIX.index((1, 1, 1, 1, 1, 0))
    assert last[5][five] == pytest.approx(1 / 6)
    assert one_more[5][five] == pytest.approx(11 / 36)


@pytest.mark.parametrize("dice", [5, 6, 8])
def test_values_that_add_up_by_face_are_estimated_closely(dice: int) -> None:
    known = throws(dice, 6, 3)
    of_face = np.random.default_rng(3).random((6, dice + 1)).cumsum(axis=1) / 60

    def worth(counts: tuple[int, ...]) -> float:
        return float(sum(of_face[face][min(count, 5)] for face, count in enumerate(counts)))

    true = np.array([worth(counts) for counts in known.levels[-1].index])
    found = known.estimate(np.array([worth(counts) for counts in known.sample]))
    assert np.abs(found - true).mean() < true.std() / 3
    assert np.corrcoef(found, true)[0, 1] > 0.9


def test_an_estimate_is_a_chance() -> None:
    found = SIX.estimate(np.array([float(n % 2) for n in range(len(SIX.sample))]))
    assert 0 <= found.min() <= found.max() <= 1
    assert SIX.estimate(np.full(len(SIX.sample), 0.3)) == pytest.approx(np.full(462, 0.3))
