"""The prints of rendered dice."""

import cv2
import numpy as np
import pytest

from models.arrays import Image
from models.art.drawings import WIDE
from models.art.glyphs import FACES, SPLITS, YIELDING, Bank, Glyph
from models.art.shapes import SIZE
from models.scene import die
from models.scene.die import WIDE_SHARE, glyph_of, make_print


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


def test_where_an_own_drawing_is_wanted_few_are_wide() -> None:
    """Icons that were added late do not make wide styles more frequent."""
    drawn = _ring()[None]
    style = next(key.split("/")[1] for key in sorted(WIDE) if key.startswith("heal/"))
    plain = Glyph("heal", "own:plain", 1000, "train", drawn)
    wide = Glyph("heal", f"own:{style}", YIELDING, "train", drawn)
    icon = Glyph("heal", "late:icon", YIELDING + 1, "train", drawn)
    rng = np.random.default_rng(6)
    bank = Bank((plain, wide, icon))
    assets = [glyph_of(bank, "train", "heal", rng)[0] for _ in range(4000)]
    own = np.array([asset == plain.asset for asset in assets]).mean()
    # Half are of all three alike, the other half own: 0.5 (1 / 3) and 0.5 (1 / 3 + WIDE_SHARE).
    assert own == pytest.approx(0.5 / 3 + 0.5 * (1 - WIDE_SHARE), abs=0.03)
    assert assets.count(wide.asset) / 4000 == pytest.approx(0.5 / 3 + 0.5 * WIDE_SHARE, abs=0.03)


def test_own_drawings_are_shown_where_none_is_wide() -> None:
    drawn = _ring()[None]
    bank = Bank((Glyph("heal", "own:plain", 1000, "val", drawn),))
    rng = np.random.default_rng(6)
    assert {glyph_of(bank, "val", "heal", rng)[0] for _ in range(50)} == {"own:plain"}
