"""The project's own drawings: every face, in many shapes, and no near copy across splits."""

import numpy as np
import pytest

from companion.engine import Face
from models.art.drawings import DRAWINGS, HELD, WIDE, drawn, split_of_style
from models.art.glyphs import (
    FACES,
    YIELDING,
    Bank,
    Glyph,
    families_of,
    leaks,
    overlap,
    own_glyphs,
    split_of,
    without_copies,
)
from models.art.shapes import SIZE


def test_the_nine_faces_are_those_of_the_rules() -> None:
    assert sorted(FACES) == sorted(face.value for face in Face)
    assert set(DRAWINGS) == set(FACES)


@pytest.mark.parametrize("face", FACES)
def test_every_style_of_a_face_leaves_ink_and_ground(face: str) -> None:
    for style in DRAWINGS[face]:
        mask = drawn(face, style, np.random.default_rng(5))
        assert mask.shape == (SIZE, SIZE)
        assert 0.04 < (mask > 127).mean() < 0.85, style


def test_one_seed_draws_one_shape() -> None:
    first, second = (drawn("destruction", "rook", np.random.default_rng(8)) for _ in range(2))
    assert np.array_equal(first, second)


def test_a_shape_covers_itself_and_not_its_negative() -> None:
    mask = drawn("heal", "curve", np.random.default_rng(1))
    assert overlap(mask, mask) == 1.0
    assert overlap(mask, 255 - mask) < 0.1


def test_near_copies_form_one_family_and_stay_in_one_split() -> None:
    heart = drawn("heal", "curve", np.random.default_rng(1))
    other = drawn("heal", "hollow", np.random.default_rng(1))
    families = families_of([heart, other, heart])
    assert families[0] == families[2] != families[1]
    assert set(split_of(list(range(20)), "heal").values()) == {"train", "val", "test"}


def test_a_near_copy_in_another_split_is_reported() -> None:
    heart = drawn("heal", "curve", np.random.default_rng(1))[None]
    bank = Bank((Glyph("heal", "a", 0, "train", heart), Glyph("heal", "b", 1, "test", heart)))
    assert [(b, a) for a, b, _ in leaks(bank)] == [("a", "b")]


def test_the_own_drawings_do_not_leak() -> None:
    drawn_here = [g for face in ("energy", "celebrity") for g in own_glyphs(face, 1, most=60)]
    glyphs = tuple(without_copies(drawn_here))
    assert {g.split for g in glyphs} == {"train", "val", "test"}
    assert leaks(Bank(glyphs)) == []


def test_a_near_copy_of_what_is_trained_on_is_left_out_of_the_other_splits() -> None:
    heart, other = (
        drawn("heal", style, np.random.default_rng(1))[None] for style in ("curve", "hollow")
    )
    both = np.concatenate([heart, other])
    kept = without_copies(
        [Glyph("heal", "b", 1, "test", both), Glyph("heal", "a", 0, "train", heart)]
    )
    assert [(g.asset, len(g.variants)) for g in kept] == [("a", 1), ("b", 1)]


@pytest.mark.parametrize("face", FACES)
def test_every_split_holds_own_styles_of_every_face(face: str) -> None:
    splits = [split_of_style(face, style) for style in DRAWINGS[face]]
    assert set(splits) == {"train", "val", "test"}
    assert splits.count("train") >= 4
    assert {s for held in HELD.values() for s in held if s.startswith(f"{face}/")} <= {
        f"{face}/{style}" for style in DRAWINGS[face]
    }


@pytest.mark.parametrize("name", sorted(WIDE))
def test_a_wide_style_is_trained_on_and_draws_another_symbol_each_time(name: str) -> None:
    face, style = name.split("/")
    rng = np.random.default_rng(11)
    masks = [drawn(face, style, rng) for _ in range(6)]
    shares = [(mask > 127).mean() for mask in masks]
    assert split_of_style(face, style) == "train"
    assert 0.03 < min(shares) <= max(shares) < 0.9
    assert max(overlap(a, b) for i, a in enumerate(masks) for b in masks[:i]) < 0.97
    assert np.mean([overlap(a, b) for i, a in enumerate(masks) for b in masks[:i]]) < 0.9


def test_what_came_last_yields_to_the_other_splits() -> None:
    heart, other = (
        drawn("heal", style, np.random.default_rng(1))[None] for style in ("curve", "hollow")
    )
    late = Glyph("heal", "late", YIELDING, "train", np.concatenate([heart, other]))
    kept = without_copies([late, Glyph("heal", "held", 1, "test", heart)])
    assert [(g.asset, len(g.variants)) for g in kept] == [("held", 1), ("late", 1)]
    assert leaks(Bank(tuple(kept))) == []
