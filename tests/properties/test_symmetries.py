"""Symmetries: moving all seats changes nothing, and a copy is as good as its original."""

from __future__ import annotations

import dataclasses
from itertools import chain
from random import Random

import pytest
from msgspec.structs import replace

from companion.engine import RULESETS, CardKind, Chosen, Face, PowerUsed, Seat
from companion.engine.authoring import ResolveFace
from tests.engine.tables import NEW_YORK, TOKYO, Scene
from tests.pairs import drawn, exchange, rotation
from tests.pairs.__main__ import main
from tests.pairs.meetings import does, listens, meetings
from tests.pairs.play import exchanged, rotated, untested

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


@pytest.mark.parametrize("game", RULESETS)
def test_as_many_moves_as_there_are_seats_are_none(game: str) -> None:
    for position, _ in zip(drawn.positions(game, SEED, untested(game)), range(20), strict=False):
        turned = position.game
        for _ in turned.monsters:
            assert rotation.rotated(turned) != turned
            turned = rotation.rotated(turned)
        assert turned == position.game


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Chosen(Seat(2), "seat_1"), Chosen(Seat(0), "seat_2")),
        (Chosen(Seat(1), "die_1"), Chosen(Seat(2), "die_1")),
        (PowerUsed(Seat(0), "card.2/ride"), PowerUsed(Seat(1), "card.2/ride")),
        (
            PowerUsed(Seat(2), "condition.subway.2/ride"),
            PowerUsed(Seat(0), "condition.subway.0/ride"),
        ),
    ],
)
def test_an_event_is_moved_where_it_speaks_of_seats(
    before: Chosen | PowerUsed, after: Chosen | PowerUsed
) -> None:
    assert rotation.moved(before, 3) == after


def test_a_difference_is_named() -> None:
    position = next(drawn.positions(TOKYO, SEED, untested(TOKYO)))
    turned = rotation.rotated(position.game)
    assert rotation.unlike(turned, turned) == ""
    later = replace(turned, clock=turned.clock + 1)
    assert rotation.unlike(turned, later) == f"clock: {turned.clock} is not {later.clock}"
    first = turned.monsters[0]
    richer = replace(turned, monsters=(replace(first, energy=99), *turned.monsters[1:]))
    assert rotation.unlike(turned, richer).startswith("monsters: Monster(seat=0")


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


def test_what_comes_after_one_of_the_two_has_left_is_not_compared() -> None:
    """Fire burns after the fallen are out (H34): a copy whose original they took along is none."""
    table = Scene(
        TOKYO,
        at=("tokyo_city", "outside", "outside", "outside"),
        players=4,
        health={3: 1},
        cards={0: ("fire_breathing",), 1: ("armor_plating",), 3: ("mimic",)},
        copies={"mimic": "armor_plating"},
    ).begin()
    one, two = table.card("armor_plating").id, table.card("mimic").id
    here = replace(table.game, agenda=(ResolveFace(Seat(0), 2, Face.ATTACK),))
    there = exchange.exchanged(here, one, two)
    for pair in ((here, there), (there, here)):
        twins = exchange.Twins(*pair, "armor_plating", (one, two), "fire")
        assert exchange.difference(twins) is None


@pytest.mark.parametrize("game", RULESETS)
def test_the_draw_has_every_card_every_pair_and_hands_of_every_size(game: str) -> None:
    pairs, rules = untested(game), RULESETS[game]
    seen, sizes, players = set(), set(), set()
    for number, pair in enumerate(pairs):
        table = drawn.scene(game, pair, Random(f"{SEED}/{game}/{number}"))
        there = {*chain.from_iterable(table.cards.values()), *(table.shop or ())}
        assert {*pair} <= there
        seen |= there
        sizes |= {len(hand) for hand in table.cards.values()}
        players.add(table.players)
    assert seen == {card.name for card in rules.cards.values() if card.kind is not CardKind.GOAL}
    assert (sizes, players) == ({2, 3, 4}, {2, 3, 4, 5, 6})


# -- who meets whom -------------------------------------------------------------------------------


def test_cards_meet_in_what_they_listen_to() -> None:
    tokyo = {one.pair: one for one in meetings(RULESETS[TOKYO])}
    assert tokyo["camouflage", "wings"].over == ("Damage",)
    assert "roll_cost" in tokyo["background_dweller", "camouflage"].over
    assert "Damage" in tokyo["fire_blast", "poison_spit"].over
    assert "dice" in tokyo["extra_head", "shrink_ray"].over
    assert "Eliminate" in tokyo["it_has_a_child", "it_has_a_child"].over
    assert ("corner_store", "extra_head") not in tokyo
    assert ("mimic", "mimic") not in tokyo
    new_york = {one.pair for one in meetings(RULESETS[NEW_YORK])}
    assert ("climb_the_empire_state_building", "towering_titan") in new_york
    assert all(one != other for one, other in new_york)


def test_a_card_does_what_its_tokens_and_helpers_do() -> None:
    rules = RULESETS[TOKYO]
    assert {"Damage", "ReachedZero", "Eliminate"} <= does(rules, rules.cards["fire_blast"])
    assert "EndPhase" in listens(rules, rules.cards["poison_spit"])
    assert listens(rules, rules.cards["energize"]) == frozenset()


def test_a_pair_has_a_test_where_one_names_both() -> None:
    shown = {one.pair: one.test for one in meetings(RULESETS[TOKYO])}
    assert shown["fire_breathing", "poison_spit"] != ""
    assert shown["it_has_a_child", "it_has_a_child"] != ""
    assert set(untested(TOKYO)) == {pair for pair, test in shown.items() if not test}


def test_the_command_counts_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--positions", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == list(RULESETS)
    assert main(["--table"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 1 + sum(len(meetings(rules)) for rules in RULESETS.values())
    assert main(["--positions", "3", "--seed", "7"]) == 0
    assert "exchange tokyo: 3 positions" in capsys.readouterr().out
