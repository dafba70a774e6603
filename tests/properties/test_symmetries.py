"""Symmetries: moving all seats changes nothing, and a copy is as good as its original."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from companion.engine import RULESETS
from tests.pairs import exchange
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


# -- the comparison itself ------------------------------------------------------------------------


def test_a_copy_that_is_worse_than_its_original_is_found() -> None:
    """Were the copy none, its owner would miss it."""
    pairs = (("spiked_tail", "spiked_tail"), ("camouflage", "camouflage"))
    found = []
    for twins, _ in zip(exchange.positions(SEED, pairs), range(60), strict=False):
        in_play = twins.there.in_play
        cards = tuple(replace(card, copies=None) for card in in_play.cards)
        lame = replace(twins.there, in_play=replace(in_play, cards=cards))
        found.append(exchange.difference(dataclasses.replace(twins, there=lame)))
    assert any(found)
