"""Buying, sweeping, prices and the deck (NY-15, TK-12)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table

INCOME = {NEW_YORK: {"stars": 1, "energy": 1}, TOKYO: {"stars": 2}}

BOTH = pytest.mark.parametrize("game", [NEW_YORK, TOKYO])


def shopping(game: str = NEW_YORK, energy: int = 9, **scene: object) -> Table:
    """Seat 0 is asked what it buys; it rolled hearts and stayed."""
    table = Scene(game, energy={0: energy}, **scene).begin()  # type: ignore[arg-type]
    table.roll("HHHHHH")
    if table.asked == "move@0":
        table.choose("stay")
    table.since()
    return table


@BOTH
@pytest.mark.clause("NY-15.1", "TK-12.1")
def test_nothing_is_asked_where_nothing_can_be_paid(game: str) -> None:
    assert shopping(game, energy=1).asked == "roll@1"
    assert shopping(game, energy=2).asked == "buy@0"  # a sweep


@BOTH
@pytest.mark.clause("NY-15.1", "TK-12.1")
def test_as_many_cards_as_energy_lasts_the_new_one_too(game: str) -> None:
    names = ("jinx_aura", "fury", "stomp") if game == NEW_YORK else ("jets", "wings", "gourmet")
    table = shopping(game, energy=30, shop=names)
    costs = (4, 4, 4) if game == NEW_YORK else (5, 6, 4)
    new = ("chinatown_regular", "long_neck") if game == NEW_YORK else ("heal", "camouflage")
    table.buy(names[0]).show(new[1])
    table.buy(new[1]).show(new[0])
    table.buy(names[1])
    assert table.since() == {0: {"energy": -costs[0] - 3 - costs[1]}}
    assert table.cards(0) == [names[0], new[1], names[1]]


@BOTH
@pytest.mark.clause("NY-15.2", "TK-12.1")
def test_sweeping_takes_all_three_and_may_be_repeated(game: str) -> None:
    table = shopping(game, energy=5)
    before = table.shop()
    for left in (3, 1):
        table.choose("sweep")
        assert table.energy(0) == left
        table.show(*table.game.deck[:3])
    assert set(before) <= set(table.game.discards)
    assert len(table.game.discards) == 6
    assert table.end_turn().asked == "roll@1"
    assert table.energy(0) == 1


@pytest.mark.clause("NY-15.3", "TK-12.2")
def test_keep_cards_stay_and_discard_cards_go() -> None:
    table = shopping(energy=30, shop=("new_york_marathon", "fury", "stomp"), health={0: 10})
    table.buy("new_york_marathon").show("diva")
    assert table.since() == {0: {"energy": -6 + 2, "stars": 2}}
    assert table.game.discards == ("new_york_marathon",)
    assert table.cards(0) == []
    table.buy("fury").show("hunter")
    assert table.cards(0) == ["fury"]


@pytest.mark.clause("NY-15.5")
@pytest.mark.parametrize(("place", "price"), [("brooklyn", 5), ("staten_island", 6), ("queens", 6)])
def test_a_borough_makes_its_cards_cheaper_for_who_stands_there(place: str, price: int) -> None:
    table = shopping(
        energy=6, at=(place, "lower_2_4", "bronx"), shop=("brooklyn_bridge", "fury", "stomp")
    )
    table.buy("brooklyn_bridge")
    assert table.since() == {0: {"energy": -price, "stars": 4}}


@pytest.mark.clause("NY-15.5")
def test_the_borough_counts_after_moving() -> None:
    table = Scene(
        energy={0: 5},
        at=("bronx", "lower_2_4", "queens"),
        shop=("brooklyn_bridge", "fury", "stomp"),
    ).begin()
    table.roll("HHHHHH").choose("move_brooklyn")
    assert table.options[f"buy_{table.card('brooklyn_bridge').id}"] == ""


@pytest.mark.clause("NY-15.5")
def test_entering_manhattan_loses_one_boroughs_price_and_wins_the_others() -> None:
    table = Scene(
        energy={0: 5},
        at=("brooklyn", "bronx", "queens"),
        shop=("brooklyn_bridge", "central_park", "flatiron_building"),
    ).begin()
    table.roll("HHHHHH")
    assert table.place(0) == "lower_2_4"
    assert table.options[f"buy_{table.card('brooklyn_bridge').id}"] == "short"
    table.buy("central_park")
    assert table.since() == {0: {"energy": -4, "stars": 1 + 2, "place": "lower_2_4"}}


@BOTH
@pytest.mark.clause("NY-15.8", "TK-12.5")
def test_when_the_deck_is_out_the_discards_are_the_deck(game: str) -> None:
    table = shopping(game, energy=9)
    discarded = table.game.deck
    table.game = replace(table.game, deck=(), discards=discarded)
    table.choose("sweep")
    assert set(table.game.discards) == {*discarded, *Scene(game).begin().shop()}
    table.show(discarded[0])
    assert table.game.discards == ()
    assert table.asked == "card@0"


@BOTH
@pytest.mark.clause("NY-15.8")
def test_when_no_card_is_left_the_shop_stays_short(game: str) -> None:
    table = shopping(game, energy=9).choose("sweep").show(None)
    assert table.shop() == [None, None, None]
    assert table.asked == "roll@1"  # nothing can be bought, nor swept
    assert table.since() == {0: {"energy": -2}} | ({1: INCOME[game]})


@BOTH
def test_with_one_card_left_fewer_lie_for_sale(game: str) -> None:
    table = shopping(game, energy=9)
    last = table.game.deck[0]
    table.choose("sweep").show(last, None)
    assert table.shop() == [last, None, None]
    table.choose("sweep").show(last)  # which was discarded, so it is the deck
    assert table.shop() == [last, None, None]
