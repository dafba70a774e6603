"""King of Tokyo's Discard cards: each takes effect once, on the right Monsters, and is
discarded.
"""

from __future__ import annotations

import pytest

from companion.engine.effects.numbers import Damage
from companion.engine.events import Chosen
from companion.engine.values import Ended, Seat
from tests.engine.cards.tokyo_tables import (
    BAY,
    BOTH_IN,
    CITY,
    FOUND,
    NOBODY_IN,
    OUT,
    next_roll,
    scene,
    shopping,
)
from tests.engine.tables import Table

# -- what only concerns the buyer ----------------------------------------------------------------

GAINS = [
    ("apartment_building", 5, {"stars": 3}),
    ("commuter_train", 4, {"stars": 2}),
    ("corner_store", 3, {"stars": 1}),
    ("energize", 8, {"energy": 9}),
    ("heal", 3, {"health": 2}),
    ("jet_fighters", 5, {"stars": 5, "health": -4}),
    ("national_guard", 3, {"stars": 2, "health": -2}),
    ("nuclear_power_plant", 6, {"stars": 2, "health": 3}),
    ("skyscraper", 6, {"stars": 4}),
    ("tanks", 4, {"stars": 4, "health": -3}),
]
PLAIN = pytest.mark.parametrize(("name", "price", "gain"), GAINS, ids=[name for name, *_ in GAINS])


def bought_by(seat: int, name: str, price: int, **more: object) -> Table:
    """That Monster, wounded, buys the card in its turn with not one energy too many."""
    shop = (name, "nova_breath", "frenzy")
    setting = {"active": seat, "energy": {seat: max(price, 2)}, "health": {seat: 5}, "shop": shop}
    table = scene(**(setting | more)).roll("112233").order("123")
    assert table.asked == f"buy@{seat}"
    table.since()
    return table.buy(name).show(FOUND)


class TestGains:
    @pytest.mark.clause("TK-12.2")
    @pytest.mark.clause("TK-12.3")
    @PLAIN
    def test_the_buyer_alone_gets_what_it_says_once(
        self, name: str, price: int, gain: dict[str, int]
    ) -> None:
        table = bought_by(0, name, price, at=NOBODY_IN)
        energy = gain.get("energy", 0) - price
        assert table.since() == {0: gain | {"energy": energy}}
        assert table.cards(0) == []
        assert table.game.discards == (name,)
        assert FOUND in table.shop()
        next_roll(table)

    @pytest.mark.clause("TK-8.2")
    @PLAIN
    def test_in_tokyo_as_well(self, name: str, price: int, gain: dict[str, int]) -> None:
        table = bought_by(1, name, price)
        energy = gain.get("energy", 0) - price
        assert table.since() == {1: gain | {"energy": energy}}
        assert table.place(1) == CITY
        next_roll(table, 2)

    @pytest.mark.clause("TK-12.1")
    @PLAIN
    def test_not_for_one_energy_less(self, name: str, price: int, gain: dict[str, int]) -> None:
        table = shopping(name, energy={0: price - 1})
        key = f"buy_{table.card(name).id}"
        assert table.options[key] == "short"
        assert table.refuses(Chosen(Seat(0), key)) == "barred_short"
        assert table.since() == {}


# -- damage to others ------------------------------------------------------------------------------


class TestFireBlast:
    @pytest.mark.clause("TK-7.6")
    def test_every_other_monster_takes_two(self) -> None:
        table = shopping("fire_blast", players=5, at=BOTH_IN).buy("fire_blast").show(FOUND)
        hurt = {seat: {"health": -2} for seat in (1, 2, 3, 4)}
        assert table.since() == {0: {"energy": -3}} | hurt
        next_roll(table)


class TestGasRefinery:
    @pytest.mark.clause("TK-7.6")
    @pytest.mark.clause("TK-10.3")
    def test_two_stars_three_damage_to_all_others_and_nobody_yields(self) -> None:
        table = shopping("gas_refinery").buy("gas_refinery").show(FOUND)
        assert table.since() == {
            0: {"energy": -6, "stars": 2},
            1: {"health": -3},
            2: {"health": -3},
        }
        assert table.asked == "buy@0"
        next_roll(table)

    @pytest.mark.clause("TK-13.2")
    @pytest.mark.clause("TK-14.1")
    def test_all_others_at_once_and_the_buyer_is_the_last_alive(self) -> None:
        table = shopping("gas_refinery", health={1: 3, 2: 1}).buy("gas_refinery")
        assert [e.seat for e in table.happened(Damage)] == [1, 2]
        table.show(FOUND)
        assert table.game.ended == Ended("survival", (Seat(0),))


class TestHighAltitudeBombing:
    def test_everybody_takes_three_the_buyer_too(self) -> None:
        table = shopping("high_altitude_bombing").buy("high_altitude_bombing").show(FOUND)
        assert table.since() == {
            0: {"energy": -4, "health": -3},
            1: {"health": -3},
            2: {"health": -3},
        }
        next_roll(table)


# -- stars and energy of others --------------------------------------------------------------------


class TestEvacuationOrders:
    def test_every_other_monster_loses_five_stars_down_to_none(self) -> None:
        stars = {0: 7, 1: 9, 2: 3}
        table = shopping("evacuation_orders", stars=stars).buy("evacuation_orders")
        table.show(FOUND)
        assert table.since() == {0: {"energy": -7}, 1: {"stars": -5}, 2: {"stars": -3}}
        next_roll(table)

    def test_twenty_become_fifteen_before_anybody_won(self) -> None:
        table = shopping("evacuation_orders", stars={2: 20}).buy("evacuation_orders").show(FOUND)
        assert table.stars(2) == 15
        next_roll(table)

    @pytest.mark.clause("TK-1.3")
    def test_there_are_two_of_them(self) -> None:
        shop = ("evacuation_orders", "evacuation_orders")
        table = shopping(*shop, energy={0: 16}, stars={1: 11})
        table.buy("evacuation_orders").show(FOUND).buy("evacuation_orders").show("heal")
        assert table.stars(1) == 1
        assert table.game.discards == shop


class TestVastStorm:
    @pytest.mark.parametrize(("energy", "lost"), [(0, 0), (1, 0), (2, 1), (3, 1), (7, 3), (8, 4)])
    def test_two_stars_and_half_of_the_others_energy_rounded_down(
        self, energy: int, lost: int
    ) -> None:
        table = shopping("vast_storm", energy={0: 9, 1: energy}).buy("vast_storm").show(FOUND)
        others = {1: {"energy": -lost}} if lost else {}
        assert table.since() == {0: {"energy": -6, "stars": 2}} | others
        next_roll(table)

    def test_the_buyer_keeps_its_own(self) -> None:
        table = shopping("vast_storm", energy={0: 12, 2: 4}).buy("vast_storm").show(FOUND)
        assert table.since() == {0: {"energy": -6, "stars": 2}, 2: {"energy": -2}}
        next_roll(table)


# -- Drop from High Altitude -----------------------------------------------------------------------


class TestDropFromHighAltitude:
    NAME = "drop_from_high_altitude"

    @pytest.mark.clause("TK-9.1")
    def test_it_takes_tokyo_and_who_was_there_goes_out_unhurt(self) -> None:
        table = shopping(self.NAME).buy(self.NAME).show(FOUND)
        assert table.since() == {
            0: {"energy": -5, "stars": 2 + 1, "place": CITY},
            1: {"place": OUT},
        }
        next_roll(table)

    @pytest.mark.clause("TK-9.2")
    def test_an_empty_tokyo_too(self) -> None:
        table = shopping(self.NAME, at=NOBODY_IN).buy(self.NAME).show(FOUND)
        assert table.since() == {0: {"energy": -5, "stars": 3, "place": CITY}}
        next_roll(table)

    @pytest.mark.clause("TK-16.7")
    @pytest.mark.parametrize("place", [CITY, BAY])
    def test_who_is_in_tokyo_already_gets_two_stars_alone(self, place: str) -> None:
        other = BAY if place == CITY else CITY
        table = shopping(self.NAME, players=5, at=(place, other, OUT, OUT, OUT))
        table.buy(self.NAME).show(FOUND)
        assert table.since() == {0: {"energy": -5, "stars": 2}}
        next_roll(table)

    @pytest.mark.clause("TK-16.7")
    def test_the_bay_stays_as_it_is(self) -> None:
        table = shopping(self.NAME, players=5, at=BOTH_IN).buy(self.NAME).show(FOUND)
        assert table.since() == {
            0: {"energy": -5, "stars": 3, "place": CITY},
            1: {"place": OUT},
        }
        assert table.place(2) == BAY
        next_roll(table)

    def test_being_thrown_out_is_no_yielding_so_no_tunnel_is_left(self) -> None:
        table = shopping(self.NAME, cards=((1, "burrowing"),)).buy(self.NAME).show(FOUND)
        assert table.health(0) == 10


# -- Frenzy ----------------------------------------------------------------------------------------


class TestFrenzy:
    @pytest.mark.clause("TK-16.22")
    def test_the_turn_is_finished_and_then_comes_another(self) -> None:
        table = shopping("frenzy", cards=((0, "solar_powered"),), energy={0: 7})
        table.buy("frenzy").show(FOUND)
        assert table.since() == {0: {"energy": -7 + 1}}  # the sun shines at the end of the first
        number = table.game.turn.number
        assert table.asked == "roll@0"
        assert number == 5
        table.roll("HHHHHH")
        next_roll(table)
