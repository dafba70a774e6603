"""Symmetries: moving all seats changes nothing, and a copy is as good as its original."""

from __future__ import annotations

import pytest

from companion.engine import RULESETS
from tests.pairs.play import exchanged, rotated

POSITIONS, SEED = 500, 1


@pytest.mark.clause("NY-G1")
@pytest.mark.parametrize("game", RULESETS)
def test_all_seats_moved_by_one_give_the_same_moved_by_one(game: str) -> None:
    played = rotated(game, POSITIONS, SEED)
    assert (played.compared, played.faults) == (POSITIONS, [])


@pytest.mark.clause("H34")
def test_it_does_not_matter_who_holds_the_card_and_who_its_copy() -> None:
    played = exchanged(POSITIONS, SEED)
    assert (played.compared, played.faults) == (POSITIONS, [])
    assert played.passed_over < POSITIONS // 10
