"""Symbols of dice: how they are sifted into classes and splits, stored, and printed on dice."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from models import dataset
from models.arrays import Mask
from models.art.glyphs import Bank, Glyph
from models.art.icons import _fonts
from models.art.shapes import SIZE, fitted
from models.art.symbols.bank import (
    Drawing,
    Symbols,
    classes_of,
    leaks,
    load_symbols,
    save_symbols,
)
from models.art.symbols.choice import any_six, six_of_a_kind
from models.art.symbols.letters import ADDED_FONTS
from models.art.symbols.packages import HELD, TRAINED, is_understood, is_wanted, words_of
from models.art.symbols.patterns import dots, marks, pips
from models.art.symbols.sift import is_legible, known_of, sifted
from models.dataset import ENROLLED, new_pictures
from models.scene.die import make_print
from tests.models.scenes import own_assets


def _shape(points: Sequence[tuple[float, float]]) -> Mask:
    ink = np.zeros((256, 256), np.uint8)
    cv2.fillPoly(ink, [np.round(np.array(points) * 256).astype(np.int32)], 255)
    return fitted(ink)


ELL = _shape([(0.1, 0.1), (0.35, 0.1), (0.35, 0.65), (0.9, 0.65), (0.9, 0.9), (0.1, 0.9)])
CUP = _shape([(0.1, 0.1), (0.3, 0.1), (0.3, 0.7), (0.7, 0.7), (0.7, 0.1), (0.9, 0.1),
              (0.9, 0.9), (0.1, 0.9)])  # fmt: skip
WEDGE = _shape([(0.1, 0.9), (0.5, 0.1), (0.9, 0.9)])
HAIR = _shape([(0.1, 0.48), (0.9, 0.48), (0.9, 0.5), (0.1, 0.5)])
FACES = Bank((Glyph("heal", "own:wedge", 1, "val", WEDGE[None]),))


def _drawing(name: str, mask: Mask, split: str = "train", kind: str = "icons:pack") -> Drawing:
    return Drawing(f"{kind}:{name}:{split}", kind, name, split, mask)


def _names(symbols: Symbols, split: str) -> list[str]:
    return [symbol.name for symbol in symbols.of(split)]


def test_two_names_for_one_shape_are_one_class() -> None:
    turned = np.rot90(ELL).copy()
    found = sifted([_drawing("ell", ELL), _drawing("hook", turned), _drawing("cup", CUP)],
                   known_of(FACES))  # fmt: skip
    assert _names(found, "train") == ["cup", "ell"]
    assert len(found.of("train")[1].masks) == 2


def test_what_a_face_could_be_is_left_out_and_so_are_hairlines() -> None:
    given = [_drawing("tent", np.rot90(WEDGE).copy()), _drawing("hair", HAIR)]
    assert sifted([*given, _drawing("cup", CUP)], known_of(FACES)).of("train")[0].name == "cup"
    assert not is_legible(HAIR)
    assert not is_legible(np.full((SIZE, SIZE), 255, np.uint8))


def test_a_held_drawing_that_looks_like_a_trained_one_is_left_out() -> None:
    given = [_drawing("hook", np.rot90(ELL).copy(), "val"), _drawing("cup", CUP, "val")]
    found = sifted([*given, _drawing("ell", ELL)], known_of(FACES))
    assert (_names(found, "train"), _names(found, "val")) == (["ell"], ["cup"])
    assert leaks(found) == []


def test_a_trained_foreign_sign_counts_as_trained() -> None:
    bank = Bank((*FACES.glyphs, Glyph("other", "pack:ell", 1, "train", ELL[None])))
    given = [_drawing("ell", ELL, "val"), _drawing("cup", CUP, "val")]
    assert _names(sifted(given, known_of(bank)), "val") == ["cup"]


def test_near_copies_in_different_splits_are_found() -> None:
    bank = classes_of([_drawing("ell", ELL), _drawing("hook", np.rot90(ELL).copy(), "test")])
    ((mine, theirs, overlap),) = leaks(bank)
    assert (mine, theirs) == ("icons:pack:hook:test", "icons:pack:ell:train")
    assert overlap > 0.95
    lone = classes_of([_drawing("hook", ELL, "test")])
    assert leaks(lone) == []
    assert len(leaks(lone, ELL[None])) == 1


def test_no_drawing_of_standard_pips_is_trained_on() -> None:
    every = [*pips(), *dots(), *marks()]
    found = sifted(every, known_of(FACES))
    assert "pips" in found.held_kinds("val")
    assert "pips" in found.held_kinds("test")
    assert _names(found, "val") == _names(found, "test") == [f"pips:{n}" for n in range(1, 7)]
    assert leaks(found) == []
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


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("anchor", True), ("gas-stone-phone", False), ("telephone", True), ("paw-print", False),
     ("bolt-fill", False), ("shattered-sword", False), ("number-4", False), ("cat-2", True),
     ("home-edit", False)],
)  # fmt: skip
def test_names_of_faces_are_left_out(name: str, wanted: bool) -> None:
    assert is_wanted(name) is wanted


def test_words_of_style_are_no_part_of_a_name() -> None:
    assert words_of("anchor-24-filled") == words_of("anchor-bold") == ["anchor"]


def test_icons_with_what_is_not_drawn_are_left_out() -> None:
    assert is_understood('<path d="M1 1h4v4z"/>')
    assert not is_understood('<rect width="4" height="4"/>')
    assert not is_understood('<path opacity=".5" d="M1 1h4v4z"/>')


def test_a_package_is_in_one_split() -> None:
    packages = [set(TRAINED), *map(set, HELD.values())]
    assert sum(map(len, packages)) == len(set.union(*packages))


def test_a_die_for_training_has_six_different_symbols_by_name() -> None:
    bank = classes_of([*dots(), *marks()])
    rng = np.random.default_rng(2)
    shown = make_print((FACES, "train"), 0, rng, "symbols", bank)
    assert len(set(shown.names)) == 6
    known = {f"symbol:{symbol.name}" for symbol in bank.of("train")}
    assert set(shown.names) <= known
    assert len({asset.partition("@")[0] for asset in shown.drawings}) == 6
    assert len(any_six(bank, "train", rng)) == 6
    with pytest.raises(ValueError, match="need the bank"):
        make_print((FACES, "train"), 0, rng, "symbols")


def test_the_symbols_of_one_game_are_of_one_hand_and_told_apart() -> None:
    bank = classes_of([*dots(), *pips()])
    chosen = six_of_a_kind(bank, "train", "dots", np.random.default_rng(3))
    assert chosen is not None
    assert len({drawing.hand() for drawing in chosen}) == 1
    assert len({drawing.name for drawing in chosen}) == 6
    assert six_of_a_kind(bank, "train", "letters:none", np.random.default_rng(3)) is None
    spots = six_of_a_kind(bank, "val", "pips", np.random.default_rng(3))
    assert spots is not None
    assert {drawing.name for drawing in spots} == {f"pips:{n}" for n in range(1, 7)}


def test_a_box_of_symbols_is_shown_whole_and_then_thrown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every face of a box stands for one of a game, and is up once in each still to enrol from."""
    monkeypatch.setattr(dataset, "EVENING", 2)
    source = own_assets("val", classes_of([*pips(), *_squares("val")]))
    made = new_pictures("boxes", source, np.random.default_rng(5))
    assert [one.tags[0] == "enrol" for one in made] == [True] * ENROLLED + [False] * 2
    (kind,) = {one.tags[-1] for one in made}
    assert kind in ("kind:pips", "kind:letters:square")
    for still in made[:ENROLLED]:
        assert all(label.flat for label in still.labels)
    assert sum(len({d.face for d in still.labels}) == 6 for still in made[:ENROLLED]) >= 8
    prints = {(label.face, label.drawing) for one in made[:ENROLLED] for label in one.labels}
    assert len(prints) == 6


def test_strangers_lie_among_a_games_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    source = own_assets("val", classes_of([*pips(), *_squares("val")]))
    for share in (0.0, 1.0):
        monkeypatch.setattr(dataset, "STRANGERS_ONLY", share)
        (made,) = new_pictures("strangers", source, np.random.default_rng(6))
        foreign = [label for label in made.labels if label.face == "foreign"]
        assert made.tags[0] == "foreign"
        assert all(label.drawing for label in foreign)
        assert (len(foreign) == len(made.labels)) == (share == 1.0)
        assert len(foreign) >= 1


def test_small_scenes_show_symbols_only() -> None:
    source = own_assets("train", classes_of([*dots(), *marks()]))
    first, second = new_pictures("symbols", source, np.random.default_rng(7))
    assert all(label.face.startswith("symbol:") for label in first.labels)
    assert [d.face for d in first.labels] == [d.face for d in second.labels]


def test_fonts_of_the_symbols_print_no_faces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bank of faces is the same with the packages that came with the symbols."""
    for family in ("anton", sorted(ADDED_FONTS)[0]):
        files = tmp_path / "node_modules" / "@fontsource" / family / "files"
        files.mkdir(parents=True)
        (files / f"{family}-latin-400-normal.woff").touch()
    monkeypatch.setattr("models.art.icons.PACKAGES", tmp_path)
    assert [path.stem for path in _fonts(later=False)] == ["anton-latin-400-normal"]


def _squares(split: str) -> list[Drawing]:
    """Six letters of a made-up script: patterns of squares."""
    found = []
    for number in range(6):
        rng = np.random.default_rng([8, number])
        cells = cv2.resize(
            (rng.random((4, 4)) < 0.5).astype(np.uint8) * 255,
            (SIZE, SIZE),
            interpolation=cv2.INTER_NEAREST,
        )
        asset, name = f"letter:square:{number}@plain", f"letter:square:{number}"
        found.append(Drawing(asset, "letters:square", name, split, cells))
    return found
