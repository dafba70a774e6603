"""Tops composed flat: what they show, and what stays the same from one to the next."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from models.art.shapes import SIZE
from models.scene.tops import Coat, TopComposer, random_coat

REGION = 1.12
PLAIN = Coat(
    np.full(3, 30, np.float32), np.full(3, 220, np.float32), 0.1, depth=0.0, gloss=0.0, marbled=0.0
)
NOTHING = np.zeros((SIZE, SIZE), np.uint8)
DISC = cv2.circle(NOTHING.copy(), (SIZE // 2, SIZE // 2), SIZE // 3, 255, -1)


@pytest.fixture(scope="module")
def composer() -> TopComposer:
    return TopComposer()


@pytest.mark.parametrize("edge", [24, 48, 64])
def test_a_top_has_the_size_that_is_asked_for(composer: TopComposer, edge: int) -> None:
    top = composer.compose(DISC, np.random.default_rng(1), REGION, edge)
    assert top.shape == (edge, edge, 3)
    assert top.dtype == np.uint8


def test_one_seed_makes_one_top_and_another_another(composer: TopComposer) -> None:
    first, same, other = (
        composer.compose(DISC, np.random.default_rng(seed), REGION, 64) for seed in (5, 5, 6)
    )
    assert (first == same).all()
    assert (first != other).any()


def test_the_print_is_in_the_middle_and_has_the_colour_of_the_ink(composer: TopComposer) -> None:
    tops = [
        [composer.compose(mask, np.random.default_rng(n), REGION, 64, PLAIN) for mask in masks]
        for n, masks in enumerate([(DISC, NOTHING)] * 40)
    ]
    lighter = [
        float(disc[26:38, 26:38].mean()) - float(bare[26:38, 26:38].mean()) for disc, bare in tops
    ]
    assert np.median(lighter) > 100
    corners = [
        float(np.abs(disc[10:16, 10:16].astype(int) - bare[10:16, 10:16]).mean())
        for disc, bare in tops
    ]
    assert np.median(corners) < 10


def test_the_deeper_the_print_the_more_its_edges_show(composer: TopComposer) -> None:
    """With ink of the body's colour nothing but the edges shows."""
    unpainted = replace(PLAIN, body=np.full(3, 120, np.float32), ink=np.full(3, 120, np.float32))

    def detail(depth: float) -> float:
        coat = replace(unpainted, depth=depth)
        found = [
            cv2.Laplacian(
                composer.compose(DISC, np.random.default_rng(n), REGION, 64, coat), cv2.CV_32F
            )[12:-12, 12:-12].std()
            for n in range(30)
        ]
        return float(np.median(found))

    assert detail(1.0) > detail(0.0)


def test_coats_are_of_all_kinds_and_their_print_differs_from_the_body() -> None:
    coats = [random_coat(np.random.default_rng(n)) for n in range(300)]
    apart = [float(np.abs(coat.body - coat.ink).max()) for coat in coats]
    assert min(apart) > 15
    dark = sum(coat.body.mean() < coat.ink.mean() for coat in coats)
    assert 60 < dark < 240
    assert 0.04 <= min(coat.radius for coat in coats) < 0.08
    assert 0.22 < max(coat.radius for coat in coats) <= 0.25
