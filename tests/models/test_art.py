"""What is printed on dice: drawings, outlines, symbols; which of them are trained on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.engine import Face
from models.arrays import Image, Mask
from models.art.drawings import drawn, mask_of, outlines, styles
from models.art.glyphs import (
    FACES,
    LATE,
    SPLITS,
    Bank,
    Glyph,
    leaks,
    overlap,
    own_glyphs,
    without_copies,
)
from models.art.outlines import icon_mask, rings
from models.art.shapes import SIZE, fitted
from models.art.symbols.bank import Drawing, Symbols, classes_of, load_symbols, save_symbols
from models.art.symbols.bank import leaks as leaks_of_symbols
from models.art.symbols.choice import any_six
from models.art.symbols.patterns import dots, marks, pips
from models.art.symbols.sift import is_legible, known_of, sifted
from models.scene import die
from models.scene.die import make_print

HEART, HOLLOW = (mask_of(outlines("heal", style)) for style in ("curve", "hollow"))


def test_the_nine_faces_are_those_of_the_rules() -> None:
    assert sorted(FACES) == sorted(face.value for face in Face)


@pytest.mark.parametrize("face", FACES)
def test_every_drawing_of_a_face_leaves_ink_and_ground_by_any_hand(face: str) -> None:
    for name, style in styles(face).items():
        for number in range(len(style.paths)):
            mask = drawn(face, name, number, np.random.default_rng(number))
            assert mask.shape == (SIZE, SIZE)
            assert 0.04 < (mask > 127).mean() < 0.85, f"{name} {number}"


def test_another_hand_draws_the_same_a_little_otherwise() -> None:
    shares = [overlap(HEART, drawn("heal", "curve", 0, np.random.default_rng(n))) for n in range(8)]
    assert 0.65 < min(shares) <= max(shares) < 1


def test_a_shape_covers_itself_and_not_its_negative() -> None:
    assert overlap(HEART, HEART) == 1.0
    assert overlap(HEART, 255 - HEART) < 0.1


def test_the_own_drawings_do_not_leak() -> None:
    drawn_here = [g for face in ("energy", "celebrity") for g in own_glyphs(face, 1, most=60)]
    glyphs = tuple(without_copies(drawn_here))
    assert {g.split for g in glyphs} == {"train", "val", "test"}
    assert leaks(Bank(glyphs)) == []


def test_a_near_copy_of_what_is_trained_on_is_left_out_of_the_other_splits() -> None:
    both = np.stack([HEART, HOLLOW])
    kept = without_copies(
        [Glyph("heal", "b", 0, "test", both), Glyph("heal", "a", 0, "train", HEART[None])]
    )
    assert [(g.asset, len(g.variants)) for g in kept] == [("a", 1), ("b", 1)]


def test_what_came_late_yields_to_every_other_split() -> None:
    late = Glyph("heal", "a", LATE, "train", HEART[None])
    kept = without_copies([late, Glyph("heal", "b", 0, "test", HEART[None])])
    assert [g.asset for g in kept] == ["b"]


@pytest.mark.parametrize("face", FACES)
def test_every_split_holds_own_styles_of_every_face(face: str) -> None:
    splits = [style.split for style in styles(face).values()]
    assert set(splits) == {"train", "val", "test"}
    assert splits.count("train") >= 4


DISC = '<circle cx="12" cy="12" r="9"/>'
RING = '<path d="M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18m0 4a5 5 0 0 1 0 10a5 5 0 0 1 0-10z"/>'


@pytest.mark.parametrize(
    ("data", "corners"),
    [
        ("M1 2H5V6z", [(1, 2), (5, 2), (5, 6), (1, 2)]),
        ("m1 2 4 0v4z", [(1, 2), (5, 2), (5, 6), (1, 2)]),
        ("M1,2L5,2", [(1, 2), (5, 2)]),
        ("M1-2.5.5-3", [(1, -2.5), (0.5, -3)]),
    ],
)
def test_straight_outlines_keep_their_corners(
    data: str, corners: list[tuple[float, float]]
) -> None:
    assert rings(data) == [corners]


@pytest.mark.parametrize("data", ["M3 12a9 9 0 0118 0", "M3 12A9,9,0,0,1,21,12"])
def test_an_arc_stays_on_its_circle(data: str) -> None:
    (ring,) = rings(data)
    away = np.hypot(*(np.asarray(ring) - (12, 12)).T)
    assert np.abs(away - 9).max() < 0.01
    assert min(y for _, y in ring) == pytest.approx(3, abs=0.1), "over the top, not below"


def test_a_hole_stays_open_and_a_stroke_has_its_width() -> None:
    disc, ring = icon_mask(DISC, 24), icon_mask(RING, 24)
    assert disc is not None
    assert ring is not None
    middle = disc.shape[0] // 2
    assert (disc[middle, middle], ring[middle, middle]) == (255, 0)
    line = icon_mask('<path fill="none" stroke="#000" stroke-width="2" d="M3 12H21"/>', 24)
    assert line is not None
    assert 0 < (line > 127).mean() < 0.2


def _shape(points: Sequence[tuple[float, float]]) -> Mask:
    ink = np.zeros((256, 256), np.uint8)
    cv2.fillPoly(ink, [np.round(np.array(points) * 256).astype(np.int32)], 255)
    return fitted(ink)


ELL = _shape([(0.1, 0.1), (0.35, 0.1), (0.35, 0.65), (0.9, 0.65), (0.9, 0.9), (0.1, 0.9)])
CUP = _shape([(0.1, 0.1), (0.3, 0.1), (0.3, 0.7), (0.7, 0.7), (0.7, 0.1), (0.9, 0.1),
              (0.9, 0.9), (0.1, 0.9)])  # fmt: skip
WEDGE = _shape([(0.1, 0.9), (0.5, 0.1), (0.9, 0.9)])
HAIR = _shape([(0.1, 0.48), (0.9, 0.48), (0.9, 0.5), (0.1, 0.5)])
OWN_FACES = Bank((Glyph("heal", "own:wedge", 1, "val", WEDGE[None]),))


def _drawing(name: str, mask: Mask, split: str = "train", kind: str = "icons:pack") -> Drawing:
    return Drawing(f"{kind}:{name}:{split}", kind, name, split, mask)


def _names(symbols: Symbols, split: str) -> list[str]:
    return [symbol.name for symbol in symbols.of(split)]


def test_what_a_face_could_be_is_left_out_and_so_are_hairlines() -> None:
    given = [_drawing("tent", np.rot90(WEDGE).copy()), _drawing("hair", HAIR)]
    assert sifted([*given, _drawing("cup", CUP)], known_of(OWN_FACES)).of("train")[0].name == "cup"
    assert not is_legible(HAIR)
    assert not is_legible(np.full((SIZE, SIZE), 255, np.uint8))


def test_a_held_drawing_that_looks_like_a_trained_one_is_left_out() -> None:
    given = [_drawing("hook", np.rot90(ELL).copy(), "val"), _drawing("cup", CUP, "val")]
    found = sifted([*given, _drawing("ell", ELL)], known_of(OWN_FACES))
    assert (_names(found, "train"), _names(found, "val")) == (["ell"], ["cup"])
    assert leaks_of_symbols(found) == []


def test_near_copies_in_different_splits_are_found() -> None:
    bank = classes_of([_drawing("ell", ELL), _drawing("hook", np.rot90(ELL).copy(), "test")])
    ((mine, theirs, overlap),) = leaks_of_symbols(bank)
    assert (mine, theirs) == ("icons:pack:hook:test", "icons:pack:ell:train")
    assert overlap > 0.95
    lone = classes_of([_drawing("hook", ELL, "test")])
    assert leaks_of_symbols(lone) == []
    assert len(leaks_of_symbols(lone, ELL[None])) == 1


def test_no_drawing_of_standard_pips_is_trained_on() -> None:
    every = [*pips(), *dots(), *marks()]
    found = sifted(every, known_of(OWN_FACES))
    assert "pips" in found.held_kinds("val")
    assert "pips" in found.held_kinds("test")
    assert _names(found, "val") == _names(found, "test") == [f"pips:{n}" for n in range(1, 7)]
    assert leaks_of_symbols(found) == []
    styles = [
        {d.hand() for s in found.of(split) for d in s.drawings()} for split in ("val", "test")
    ]
    assert not styles[0] & styles[1]


def test_a_stored_bank_is_the_same_when_loaded(tmp_path: Path) -> None:
    bank = classes_of([*pips(), _drawing("ell", ELL), _drawing("cup", CUP)])
    save_symbols(bank, tmp_path / "symbols.npz")
    loaded = load_symbols(tmp_path / "symbols.npz")
    for split in ("train", "val", "test"):
        for one, other in zip(bank.of(split), loaded.of(split), strict=True):
            assert (one.name, one.assets, one.kinds) == (other.name, other.assets, other.kinds)
            assert (one.masks == other.masks).all()
    with pytest.raises(FileNotFoundError, match=r"python -m models\.art\.symbols"):
        load_symbols(tmp_path / "none.npz")


def test_a_die_for_training_has_six_different_symbols_by_name() -> None:
    bank = classes_of([*dots(), *marks()])
    rng = np.random.default_rng(2)
    shown = make_print((OWN_FACES, "train"), 0, rng, "symbols", bank)
    assert len(set(shown.names)) == 6
    known = {f"symbol:{symbol.name}" for symbol in bank.of("train")}
    assert set(shown.names) <= known
    assert len({asset.partition("@")[0] for asset in shown.drawings}) == 6
    assert len(any_six(bank, "train", rng)) == 6
    with pytest.raises(ValueError, match="need the bank"):
        make_print((OWN_FACES, "train"), 0, rng, "symbols")


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
