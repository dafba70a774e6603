"""Cards of King of New York about moving and about the start of a turn, and their meetings."""

from __future__ import annotations

import pytest

from companion.engine.events import Chosen
from companion.engine.values import Seat, UnitKind
from tests.engine.cards.scenes import FOUND, holding, next_roll, resolve, shopping
from tests.engine.tables import Table

INFANTRY, JET, TANK = UnitKind.INFANTRY, UnitKind.JET, UnitKind.TANK

EMPTY = ("brooklyn", "queens", "bronx")
"""Nobody is in Manhattan."""


def looked(table: Table) -> Table:
    table.since()
    return table


# -- Regeneration, King of Queens -----------------------------------------------------------------


class TestRegeneration:
    @pytest.mark.parametrize(("health", "gain"), [(5, 1), (9, 1), (10, 0)])
    def test_one_health_as_its_owners_turn_starts(self, health: int, gain: int) -> None:
        table = holding((0, "regeneration"), health={0: health})
        assert table.since() == ({0: {"health": gain}} if gain else {})

    @pytest.mark.clause("NY-9.2")
    def test_in_manhattan_too(self) -> None:
        table = holding((2, "regeneration"), active=2, health={2: 5})
        assert table.since() == {2: {"health": 1, "stars": 1, "energy": 1}}

    def test_not_as_anothers_turn_starts(self) -> None:
        assert holding((1, "regeneration"), health={0: 5, 1: 5}).since() == {}


class TestKingOfQueens:
    def test_starting_in_queens(self) -> None:
        table = holding((1, "king_of_queens"), active=1, health={1: 5})
        assert table.since() == {1: {"energy": 1, "health": 1}}

    def test_starting_elsewhere(self) -> None:
        assert holding((0, "king_of_queens"), health={0: 5}).since() == {}

    def test_another_starting_in_queens(self) -> None:
        assert holding((0, "king_of_queens"), active=1, health={0: 5, 1: 5}).since() == {}


# -- Chinatown Regular ----------------------------------------------------------------------------


class TestChinatownRegular:
    @pytest.mark.clause("NY-13.2")
    def test_two_health_on_entering_manhattan(self) -> None:
        table = holding((0, "chinatown_regular"), at=EMPTY, health={0: 2})
        resolve(table, "")
        assert table.since() == {0: {"health": 8, "stars": 1, "place": "lower_2_4"}}
        next_roll(table)

    def test_not_on_advancing_there(self) -> None:
        table = holding((0, "chinatown_regular"), at=("lower_2_4", *EMPTY[1:]), health={0: 2})
        resolve(looked(table), "")
        assert table.since() == {0: {"place": "midtown_2_4"}}
        next_roll(table)

    def test_nor_on_moving_elsewhere(self) -> None:
        table = resolve(holding((0, "chinatown_regular"), health={0: 2}), "CCCEEE")
        assert table.health(0) == 2
        table.choose("move_bronx")
        assert table.health(0) == 2
        next_roll(table)


# -- Super Speed ----------------------------------------------------------------------------------


class TestSuperSpeed:
    def test_one_more_move_before_the_first_roll(self) -> None:
        table = holding((0, "super_speed"))
        assert table.offered(0) == ["move_before_rolling"]
        table.power("move_before_rolling", 0)
        assert table.asked == "move@0"
        table.choose("move_bronx")
        assert table.since() == {0: {"place": "bronx"}}
        assert table.asked == "roll@0"
        assert table.offered(0) == []
        resolve(table, "").choose("move_staten_island")
        assert table.since() == {0: {"place": "staten_island"}}
        next_roll(table)

    @pytest.mark.clause("NY-14.1")
    @pytest.mark.clause("NY-8.3")
    @pytest.mark.clause("NY-13.3")
    def test_an_empty_manhattan_must_be_entered_and_claws_hurt_nobody_then(self) -> None:
        table = holding((0, "super_speed"), at=EMPTY).power("move_before_rolling", 0)
        assert table.since() == {0: {"place": "lower_2_4", "stars": 1}}
        resolve(table, "AAA")
        assert table.since() == {}  # who entered this turn does not advance
        next_roll(table)

    @pytest.mark.clause("NY-13.3")
    def test_who_entered_advances_in_its_next_turn(self) -> None:
        table = holding((0, "super_speed"), at=("brooklyn", "queens"), players=2)
        resolve(table.power("move_before_rolling", 0), "")
        resolve(table.end_turn(), "").end_turn()
        resolve(looked(table), "")
        assert table.since() == {0: {"place": "midtown_2_4"}}

    def test_the_toll_of_the_marathon_is_paid(self) -> None:
        shop = ("new_york_marathon", "holland_tunnel", "yankee_stadium")
        table = holding((0, "super_speed"), shop=shop, energy={0: 2})
        table.power("move_before_rolling", 0).choose("move_bronx")
        assert table.since() == {0: {"place": "bronx", "energy": -2}}
        assert table.asked == "roll@0"


# -- Tourist --------------------------------------------------------------------------------------


class TestTourist:
    def visited(self, table: Table) -> list[str]:
        return [b.area for b in table.game.boroughs if b.marked]

    def test_bought_it_lays_a_souvenir_where_its_owner_stands(self) -> None:
        table = shopping("tourist", energy={0: 6}).buy("tourist").show(FOUND)
        assert table.since() == {0: {"stars": 1, "energy": -5}}
        assert self.visited(table) == ["brooklyn"]
        next_roll(table)

    def test_in_each_borough_once_five_in_all(self) -> None:
        table = shopping("tourist", energy={0: 6}, players=2, at=("brooklyn", "upper_2_4"))
        table.buy("tourist").show(FOUND)
        for place in ("bronx", "queens", "brooklyn", "staten_island"):
            resolve(table.end_turn(), "").end_turn()
            table.since()
            resolve(table, "").choose(f"move_{place}")
            new = place != "brooklyn"
            gains = {"stars": 1, "energy": 1} if new else {}
            assert table.since()[0] == {"place": place, **gains}
        assert len(self.visited(table)) == 4
        table.end_turn()
        resolve(table, "")
        table.end_turn()
        table.put(1, "bronx")
        table.since()
        resolve(table, "")
        assert table.since()[0] == {"place": "lower_2_4", "stars": 2, "energy": 1}
        assert len(self.visited(table)) == 5


# -- Stink Attack ---------------------------------------------------------------------------------


class TestStinkAttack:
    def moved(self, *units: UnitKind, **more: object) -> Table:
        table = holding((0, "stink_attack"), **{"units": {"bronx": units}, **more})
        return resolve(table, "").choose("move_bronx")

    def send(self, table: Table, to: str) -> Table:
        unit = table.borough("bronx").units[0].id
        return table.choose(f"send_{unit}_{to}")

    def test_up_to_four_units_each_to_another_borough(self) -> None:
        table = self.moved(INFANTRY, JET, JET, TANK, INFANTRY)
        for to in ("queens", "manhattan", "brooklyn", "staten_island"):
            assert table.asked == "send_unit@0"
            self.send(table, to)
        assert table.units("bronx") == ["infantry"]
        assert table.units("queens") == ["infantry"]
        assert table.units("staten_island") == ["tank"]
        assert table.since() == {0: {"place": "bronx"}}
        next_roll(table)

    def test_no_two_to_the_same_and_none_to_where_it_stands(self) -> None:
        table = self.send(self.moved(INFANTRY, JET), "queens")
        unit = table.borough("bronx").units[0].id
        assert table.refuses(Chosen(Seat(0), f"send_{unit}_queens")) == "no_such_option"
        assert table.refuses(Chosen(Seat(0), f"send_{unit}_bronx")) == "no_such_option"
        next_roll(table.choose("stop"))
        assert table.units("bronx") == ["jet"]

    def test_it_may_send_none(self) -> None:
        table = self.moved(INFANTRY).choose("stop")
        assert table.units("bronx") == ["infantry"]
        next_roll(table)

    def test_advancing_is_no_way_to_another_borough(self) -> None:
        at = ("lower_2_4", *EMPTY[1:])
        table = holding((0, "stink_attack"), at=at, units={"manhattan": (TANK,)})
        resolve(table, "")
        next_roll(table)
        assert table.units("manhattan") == ["tank"]

    def test_a_unit_sent_away_hurts_where_it_stands_now(self) -> None:
        table = holding((2, "stink_attack"), units={"bronx": (TANK,)}).order("AOE")
        table.roll("AOEEEE").choose("flee_bronx")
        self.send(table, "brooklyn")
        assert table.health(0) == 9
        next_roll(table)

    def test_with_tourist_both_happen(self) -> None:
        table = holding((0, "stink_attack"), (0, "tourist"), units={"bronx": (TANK,)})
        resolve(table, "").choose("move_bronx")
        self.send(table, "queens")
        assert table.since() == {0: {"place": "bronx", "stars": 1, "energy": 1}}
        next_roll(table)
