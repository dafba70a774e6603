"""Drawings as other hands would have drawn them."""

import cv2
import numpy as np

from models.arrays import Image
from models.art.glyphs import FACES, SPLITS, Bank, Glyph
from models.art.shapes import SIZE
from models.scene.die import make_print, restyled


def _ring() -> Image:
    drawn = np.zeros((SIZE, SIZE), np.uint8)
    cv2.circle(drawn, (SIZE // 2, SIZE // 2), SIZE // 2 - 3, 255, 9, cv2.LINE_AA)
    return drawn


def test_a_drawing_is_restyled_within_its_square_and_stays_a_drawing() -> None:
    ring = _ring()
    edges, shares = [], []
    for seed in range(60):
        done = restyled(ring, np.random.default_rng(seed))
        assert done.shape == ring.shape
        assert done.dtype == np.uint8
        rim = np.concatenate([done[0], done[-1], done[:, 0], done[:, -1]])
        edges.append(float((rim > 127).mean()))
        shares.append(float((done > 127).mean()))
    assert np.mean(edges) < 0.04
    assert min(shares) > 0.02
    assert max(shares) > 1.3 * float((ring > 127).mean())


def test_one_seed_restyles_one_way_and_another_otherwise() -> None:
    first, again, other = (restyled(_ring(), np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_only_what_is_trained_on_is_restyled() -> None:
    """The drawings of val and test are printed as they are."""
    prints = {}
    for split in SPLITS:
        bank = Bank(tuple(Glyph(face, f"own:{face}", 0, split, _ring()[None]) for face in FACES))
        rng = np.random.default_rng(4)
        prints[split] = np.array(make_print((bank, split), 0, rng, "glyph").masks)
    assert (prints["val"] == prints["test"]).all()
    assert (prints["val"] != prints["train"]).any()
