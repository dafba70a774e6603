"""What dice are printed with."""

import cv2
import numpy as np
import pytest

from models.arrays import Image
from models.art.glyphs import FACES, SPLITS, Bank, Glyph
from models.art.shapes import SIZE
from models.scene import die
from models.scene.die import make_print


def _ring() -> Image:
    drawn = np.zeros((SIZE, SIZE), np.uint8)
    cv2.circle(drawn, (SIZE // 2, SIZE // 2), SIZE // 2 - 3, 255, 9, cv2.LINE_AA)
    return drawn


def _printed(split: str, restyled: float, monkeypatch: pytest.MonkeyPatch) -> Image:
    monkeypatch.setattr(die, "RESTYLED", restyled)
    bank = Bank(tuple(Glyph(face, f"own:{face}", 0, split, _ring()[None]) for face in FACES))
    return np.array(make_print((bank, split), 0, np.random.default_rng(4), "glyph").masks)


def test_only_what_is_trained_on_is_restyled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The drawings of val and test are printed as they are."""
    changed = {
        split: (_printed(split, 0.0, monkeypatch) != _printed(split, 1.0, monkeypatch)).any()
        for split in SPLITS
    }
    assert changed == {"train": True, "val": False, "test": False}
