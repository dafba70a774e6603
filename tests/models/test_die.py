"""What dice are printed with."""

import cv2
import numpy as np

from models.arrays import Image
from models.art.glyphs import FACES, SPLITS, Bank, Glyph
from models.art.shapes import SIZE
from models.scene.die import make_print


def _ring() -> Image:
    drawn = np.zeros((SIZE, SIZE), np.uint8)
    cv2.circle(drawn, (SIZE // 2, SIZE // 2), SIZE // 2 - 3, 255, 9, cv2.LINE_AA)
    return drawn


def test_only_what_is_trained_on_is_restyled() -> None:
    """The drawings of val and test are printed as they are."""
    prints = {}
    for split in SPLITS:
        bank = Bank(tuple(Glyph(face, f"own:{face}", 0, split, _ring()[None]) for face in FACES))
        rng = np.random.default_rng(4)
        prints[split] = np.array(make_print((bank, split), 0, rng, "glyph").masks)
    assert (prints["val"] == prints["test"]).all()
    assert (prints["val"] != prints["train"]).any()
