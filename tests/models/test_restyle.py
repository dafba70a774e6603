"""Restyling of drawings."""

import cv2
import numpy as np
import pytest

from models.arrays import Image
from models.art import restyle
from models.art.restyle import blended, lined, restyled
from models.art.shapes import SIZE

MIDDLE = (SIZE // 2, SIZE // 2)


def _ring() -> Image:
    drawn = np.zeros((SIZE, SIZE), np.uint8)
    cv2.circle(drawn, MIDDLE, SIZE // 2 - 3, 255, 9, cv2.LINE_AA)
    return drawn


def _disc(radius: int) -> Image:
    return np.asarray(cv2.circle(np.zeros((SIZE, SIZE), np.uint8), MIDDLE, radius, 255, -1))


def _share(drawing: Image) -> float:
    return float((drawing > 127).mean())


def test_a_drawing_is_restyled_within_its_square_and_stays_a_drawing() -> None:
    ring = _ring()
    edges, shares = [], []
    for seed in range(60):
        done = restyled(ring, _disc(30), np.random.default_rng(seed))
        assert done.shape == ring.shape
        assert done.dtype == np.uint8
        rim = np.concatenate([done[0], done[-1], done[:, 0], done[:, -1]])
        edges.append(float((rim > 127).mean()))
        shares.append(_share(done))
    assert np.mean(edges) < 0.04
    assert min(shares) > 0.02
    assert max(shares) > 1.3 * _share(ring)


def test_one_seed_restyles_one_way_and_another_otherwise() -> None:
    first, again, other = (
        restyled(_ring(), _disc(30), np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_what_lies_between_two_discs_is_a_disc_between() -> None:
    small, large = _disc(12), _disc(36)
    assert np.abs(_share(blended(small, large, 0.0)) - _share(small)) < 0.01
    assert np.abs(_share(blended(small, large, 0.5)) - _share(_disc(24))) < 0.02
    assert np.abs(_share(blended(small, large, 1.0)) - _share(large)) < 0.01


def test_lines_leave_the_outline_and_take_ink_away_within_it() -> None:
    disc = _disc(36)
    ways = [lined(disc, np.random.default_rng(seed)) for seed in range(30)]
    hollow = [way for way in ways if way[MIDDLE] < 128]
    assert 8 < len(hollow) < 28
    for way in ways:
        across = way[SIZE // 2] > 127
        changes = int(np.count_nonzero(np.diff(across.astype(np.int8))))
        assert changes in (4, 6)  # a ring, or a disc with a ring round it
        assert across.any()


def test_drawings_are_blended_and_lined_where_they_are_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    disc, square = _disc(30), np.zeros((SIZE, SIZE), np.uint8)
    square[10:86, 10:86] = 255
    shares = {}
    for blend, lines in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)):
        monkeypatch.setattr(restyle, "BLENDED", blend)
        monkeypatch.setattr(restyle, "LINED", lines)
        done = [restyled(disc, square, np.random.default_rng(seed)) for seed in range(30)]
        shares[blend, lines] = float(np.mean([_share(one) for one in done]))
    assert shares[1.0, 0.0] > 1.05 * shares[0.0, 0.0]
    assert shares[0.0, 1.0] < 0.8 * shares[0.0, 0.0]


def test_drawings_that_are_quite_unlike_are_not_blended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restyle, "LINED", 0.0)
    done = {}
    for share, mate in ((0.0, 36), (1.0, 36), (1.0, 12)):
        monkeypatch.setattr(restyle, "BLENDED", share)
        rngs = (np.random.default_rng(seed) for seed in range(20))
        done[share, mate] = float(
            np.mean([_share(restyled(_disc(28), _disc(mate), r)) for r in rngs])
        )
    assert done[1.0, 36] > 1.08 * done[0.0, 36]
    assert abs(done[1.0, 12] - done[0.0, 36]) < 0.05 * done[0.0, 36]


def test_a_line_round_a_drawing_lies_within_its_square() -> None:
    disc = _disc(round(0.43 * SIZE))  # as large as it is when lines are drawn
    for seed in range(40):
        done = lined(disc, np.random.default_rng(seed))
        assert max(done[0].max(), done[-1].max(), done[:, 0].max(), done[:, -1].max()) < 128


def test_nothing_is_blended_away_and_nothing_lined_until_it_runs_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(restyle, "BLENDED", 1.0)
    monkeypatch.setattr(restyle, "LINED", 1.0)
    monkeypatch.setattr(restyle, "LIKE", -1.0)
    fine = np.zeros((SIZE, SIZE), np.uint8)
    fine[20:76:12, 20:76] = fine[20:76, 20:76:12] = 255  # a net, between which and none is nothing
    for seed in range(20):
        done = restyled(fine, np.zeros_like(fine), np.random.default_rng(seed))
        assert 0.02 < float((done > 60).mean()) < 0.7
