"""What is named in training: faces first, then symbols, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from models.art.glyphs import FACES, Bank, Glyph
from models.art.shapes import SIZE
from models.art.symbols.bank import Drawing, Symbols, classes_of
from models.scene.tops import TopComposer
from models.training.named import PIPS, UNNAMED, Named, names_of, number_of

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


def test_other_signs_have_no_name_and_standard_pips_are_kept_apart() -> None:
    assert number_of("foreign", "game-icons:anchor", {"heal": 0}) == UNNAMED
    assert number_of("symbol:unheard", "a:unheard", {"heal": 0}) == UNNAMED
    assert number_of("foreign", "", {"heal": 0}) == PIPS


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
