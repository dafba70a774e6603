"""King of New York's cards about moving, buildings, Units and Superstar."""

from __future__ import annotations

import pytest

from companion.engine.events import Chosen
from companion.engine.values import TABLE, Seat, UnitKind
from tests.engine.cards.scenes import FOUND, holding, looked, next_roll, resolve, shopping
from tests.engine.tables import Table

INFANTRY, JET, TANK = UnitKind.INFANTRY, UnitKind.JET, UnitKind.TANK

EMPTY = ("brooklyn", "queens", "bronx")
"""Nobody is in Manhattan."""


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

    @pytest.mark.clause("NY-14.1", "NY-8.3", "NY-13.3")
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

    def test_advancing_is_no_way_to_another_borough(self) -> None:
        at = ("lower_2_4", *EMPTY[1:])
        table = holding((0, "stink_attack"), at=at, units={"manhattan": (TANK,)})
        resolve(table, "")
        next_roll(table)
        assert table.units("manhattan") == ["tank"]

    def test_with_tourist_both_happen(self) -> None:
        table = holding((0, "stink_attack"), (0, "tourist"), units={"bronx": (TANK,)})
        resolve(table, "").choose("move_bronx")
        self.send(table, "queens")
        assert table.since() == {0: {"place": "bronx", "stars": 1, "energy": 1}}
        next_roll(table)


STRONG = ("skyscraper_3", "power_plant_3", "hospital_3")
"""Buildings that fall to nothing less than three DESTRUCTION."""


def site(*cards: tuple[int, str], **more: object) -> Table:
    """The opening with strong buildings in Brooklyn, where seat 0 stands, unless told otherwise."""
    table = holding(*cards, **{"tops": {"brooklyn": STRONG}, **more})
    table.since()
    return table


def done(table: Table) -> None:
    """Nothing more to destroy, nothing left over."""
    assert table.asked in ("move@0", "buy@0")
    next_roll(table)


# -- Can Opener, Long Neck ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "unit", "need", "reward"),
    [
        ("can_opener", TANK, 3, {"stars": 3}),
        ("long_neck", JET, 2, {"energy": 2}),
    ],
)
class TestEasierUnits:
    @pytest.mark.clause("NY-10.7")
    def test_one_symbol_fewer_is_enough_and_then_it_must_fall(
        self, card: str, unit: UnitKind, need: int, reward: dict[str, int]
    ) -> None:
        table = site((0, card), units={"brooklyn": (unit,)}, tops={"brooklyn": STRONG})
        resolve(table, "D" * need)
        if need == 3:  # a building is as near
            assert table.asked == "destroy@0"
            table.smash(unit)
        assert table.since() == {0: reward}
        assert table.units("brooklyn") == []
        done(table)

    def test_other_units_need_what_they_needed(
        self, card: str, unit: UnitKind, need: int, reward: dict[str, int]
    ) -> None:
        other = JET if unit is TANK else TANK
        table = resolve(site((0, card), units={"brooklyn": (other,)}), "DD")
        assert table.units("brooklyn") == [other]
        done(table)


class TestHunters:
    @pytest.mark.parametrize(
        ("hunter", "unit", "faces", "reward"),
        [
            ("hunter", INFANTRY, "DDCCEE", {"health": 2, "energy": 2}),
            ("hunter", JET, "DDDCCE", {"energy": 3}),
            ("hunter", TANK, "DDDDCC", {"stars": 3}),
            ("trophy_hunter", INFANTRY, "DDCCEE", {"stars": 1, "health": 1, "energy": 2}),
            ("trophy_hunter", JET, "DDDCCE", {"stars": 1, "energy": 3}),
            ("trophy_hunter", TANK, "DDDDCC", {"stars": 4}),
        ],
    )
    def test_a_health_more_for_infantry_or_a_star_for_any(
        self, hunter: str, unit: UnitKind, faces: str, reward: dict[str, int]
    ) -> None:
        table = site((0, hunter), units={"brooklyn": (unit,)}, health={0: 5}).order("DCE")
        table.roll(faces)
        assert (table if table.asked != "destroy@0" else table.smash(unit)).since() == {0: reward}
        done(table)

    def test_for_each_of_two(self) -> None:
        table = resolve(site((0, "trophy_hunter"), units={"brooklyn": (INFANTRY,) * 2}), "DDDD")
        assert table.asked == "destroy@0"
        table.smash("infantry")
        assert table.since() == {0: {"stars": 2}}
        done(table)

    def test_none_for_a_building(self) -> None:
        table = resolve(site((0, "trophy_hunter")), "DDD").smash("hospital_3")
        assert table.since() == {}
        done(table)


class TestLeveler:
    TOPS = ("skyscraper_1", "skyscraper_1", "hospital_3")

    def test_one_only_however_many(self) -> None:
        table = resolve(site((0, "leveler"), tops={"brooklyn": self.TOPS}), "DD")
        table.choose("stack_9").tile("power_plant_3")  # then only one is left to smash
        assert table.since() == {0: {"stars": 3}}
        done(table)

    def test_none_when_another_does_it(self) -> None:
        table = resolve(site((1, "leveler"), tops={"brooklyn": self.TOPS}), "D")
        table.choose("stack_9")
        assert table.since() == {0: {"stars": 1}}
        done(table)


class TestSharpShooter:
    FAR = {"units": {"queens": (JET,)}}  # noqa: RUF012

    def test_a_jet_elsewhere_falls_for_its_reward_and_a_star(self) -> None:
        table = resolve(site((0, "sharp_shooter"), **self.FAR), "DDD")
        table.choose(f"unit_{table.borough('queens').units[0].id}")
        assert table.since() == {0: {"stars": 1, "energy": 2}}
        assert table.units("queens") == []
        done(table)

    def test_a_jet_beside_it_too(self) -> None:
        table = resolve(site((0, "sharp_shooter"), units={"brooklyn": (JET,)}), "DDD").smash("jet")
        assert table.since() == {0: {"stars": 1, "energy": 2}}
        done(table)

    @pytest.mark.parametrize("unit", [INFANTRY, TANK])
    def test_other_units_elsewhere_are_out_of_reach(self, unit: UnitKind) -> None:
        table = resolve(site((0, "sharp_shooter"), units={"queens": (unit,)}), "DDDD")
        assert sorted(table.options) == ["stack_10", "stack_11", "stack_9"]

    def test_no_star_for_an_infantry(self) -> None:
        table = resolve(site((0, "sharp_shooter"), units={"brooklyn": (INFANTRY,)}), "DD")
        assert table.since() == {}
        done(table)

    def test_with_long_neck_two_are_enough(self) -> None:
        table = resolve(site((0, "sharp_shooter"), (0, "long_neck"), **self.FAR), "DD")
        table.choose(f"unit_{table.borough('queens').units[0].id}")
        assert table.since() == {0: {"stars": 1, "energy": 2}}
        done(table)

    @pytest.mark.clause("NY-G5", "NY-10.7")
    @pytest.mark.parametrize("unit", [INFANTRY, JET])
    def test_while_something_here_can_fall_it_must_or_the_far_jet(self, unit: UnitKind) -> None:
        cards = ((0, "sharp_shooter"), (0, "long_neck"))
        units = {"queens": (JET,), "brooklyn": (unit,)}
        table = resolve(site(*cards, units=units), "DD")
        assert "stop" not in table.options
        assert len(table.open) == 2


class TestSeismicRay:
    TOPS = {"brooklyn": STRONG, "queens": ("skyscraper_1", "skyscraper_2", "hospital_2")}  # noqa: RUF012

    def test_for_one_energy_all_destruction_works_in_another_borough(self) -> None:
        table = resolve(site((0, "seismic_ray"), tops=self.TOPS, energy={0: 1}), "DDD")
        assert table.asked == "shake@0"
        assert table.open == [
            "here", "area_staten_island", "area_bronx", "area_queens", "area_manhattan",
        ]  # fmt: skip
        table.choose("area_queens")
        assert table.open == ["stack_6", "stack_7", "stack_8"]
        table.choose("stack_6").tile("skyscraper_2").choose("stack_7")
        assert table.since() == {0: {"energy": -1, "stars": 3}}
        assert table.units("queens") == ["infantry", "jet"]
        done(table)

    def test_here_costs_nothing(self) -> None:
        table = resolve(site((0, "seismic_ray"), tops=self.TOPS, energy={0: 1}), "DDD")
        table.choose("here").smash("skyscraper_3")
        assert table.since() == {0: {"stars": 3}}
        done(table)

    def test_without_energy_it_is_not_asked(self) -> None:
        table = resolve(site((0, "seismic_ray"), tops=self.TOPS), "DDD")
        assert table.asked == "destroy@0"
        assert table.open == ["stack_9", "stack_10", "stack_11"]

    def test_the_unit_uncovered_there_is_as_new_as_at_home(self) -> None:
        table = resolve(site((0, "seismic_ray"), tops=self.TOPS, energy={0: 1}), "DDD")
        table.choose("area_queens").choose("stack_6").tile("skyscraper_3")
        unit = table.borough("queens").units[0]
        assert table.options[f"unit_{unit.id}"] == "new"

    def test_with_sharp_shooter_jets_everywhere_stay_in_reach(self) -> None:
        units = {"bronx": (JET,), "brooklyn": (JET,)}
        cards = ((0, "seismic_ray"), (0, "sharp_shooter"))
        table = resolve(site(*cards, tops=self.TOPS, units=units, energy={0: 1}), "DDD")
        table.choose("area_queens")
        far = [table.borough(area).units[0].id for area in ("bronx", "brooklyn")]
        assert all(table.options[f"unit_{unit}"] == "" for unit in far)
        table.choose(f"unit_{far[0]}")
        assert table.since() == {0: {"energy": 1, "stars": 1}}
        done(table)


class TestHailingCabs:
    def test_two_more_destruction_for_units(self) -> None:
        table = resolve(site((0, "hailing_cabs"), units={"brooklyn": (TANK,)}), "DD")
        assert table.asked == "hail_cabs@0"
        table.choose("use")
        assert table.since() == {0: {"stars": 3}}
        done(table)

    def test_a_choice_of_units_is_the_owners(self) -> None:
        units = {"brooklyn": (INFANTRY, JET)}
        table = resolve(site((0, "hailing_cabs"), units=units), "DD").choose("use")
        assert table.asked == "destroy@0"
        stacks = [why for key, why in table.options.items() if key.startswith("stack")]
        assert stacks == ["forbidden"] * 3
        table.smash("infantry")
        assert table.units("brooklyn") == ["jet"]
        done(table)


class TestFury:
    def test_three_units_bring_a_destruction_and_an_energy(self) -> None:
        table = resolve(site((0, "fury"), units={"brooklyn": (INFANTRY, JET, JET)}), "D")
        assert table.units("brooklyn") == ["jet", "jet"]  # the Infantry fell to two symbols
        assert table.since() == {0: {"energy": 1}}
        done(table)

    def test_units_elsewhere_do_not_count(self) -> None:
        table = resolve(site((0, "fury"), units={"queens": (INFANTRY,) * 3}), "D")
        assert table.since() == {}
        done(table)


class TestStomp:
    def test_a_destruction_more_in_every_turn_of_its_owner(self) -> None:
        table = resolve(site((0, "stomp"), units={"brooklyn": (INFANTRY,)}), "D")
        assert table.units("brooklyn") == []
        done(table)


def fame(table: Table, count: int) -> Table:
    """Seat 0 resolves so many CELEBRITY and nothing else of note."""
    table.since()
    return resolve(table, "C" * count)


def star(table: Table) -> int:
    """Who holds Superstar."""
    return table.card("superstar").owner


@pytest.mark.parametrize(("card", "what"), [("broadway_star", "stars"), ("ego_trip", "energy")])
class TestStardom:
    @staticmethod
    def plus(what: str, stars: int) -> dict[str, int]:
        return {"stars": stars + 1} if what == "stars" else {"stars": stars, "energy": 1}

    @pytest.mark.clause("NY-11.2")
    @pytest.mark.parametrize("count", [3, 4])
    def test_one_more_on_taking_superstar(self, card: str, what: str, count: int) -> None:
        table = fame(holding((0, card)), count)
        assert table.since() == {0: self.plus(what, count - 2)}
        assert star(table) == 0
        next_roll(table)

    def test_from_another_too(self, card: str, what: str) -> None:
        table = fame(holding((0, card), goals={"superstar": 1}), 3)
        assert table.since() == {0: self.plus(what, 1)}
        next_roll(table)

    def test_one_at_the_start_of_its_turns_while_it_shines(self, card: str, what: str) -> None:
        table = holding((0, card), goals={"superstar": 0})
        assert table.since() == {0: {what: 1}}
        next_roll(resolve(table, ""))

    def test_none_for_the_statue(self, card: str, what: str) -> None:
        table = resolve(holding((0, card)), "OOO")
        assert table.since() == {0: {"stars": 3}}
        next_roll(table)


class TestDiva:
    @pytest.mark.parametrize("holder", [TABLE, 2])
    def test_a_diva_that_does_not_shine_is_no_hindrance(self, holder: int) -> None:
        table = fame(holding((1, "diva"), goals={"superstar": holder}), 3)
        assert table.since() == {0: {"stars": 1}}
        next_roll(table)

    @pytest.mark.clause("NY-11.3")
    def test_a_shining_diva_scores_each_celebrity(self) -> None:
        table = fame(holding((0, "diva"), goals={"superstar": 0}), 2)
        assert table.since() == {0: {"stars": 2}}
        next_roll(table)


class TestViolentStar:
    def test_two_damage_to_whom_it_is_taken_from(self) -> None:
        table = fame(holding((0, "violent_star"), goals={"superstar": 2}), 3)
        assert table.since() == {0: {"stars": 1}, 2: {"health": -2}}
        next_roll(table)  # no attack: seat 2, in Manhattan, was not asked to flee

    def test_one_damage_seen_before_anything_heals(self) -> None:
        table = fame(holding((1, "violent_star"), goals={"superstar": 1}), 6)
        assert table.since() == {0: {"stars": 4, "health": -1}}
        next_roll(table)

    def test_nor_when_it_passes_between_others(self) -> None:
        table = fame(holding((2, "violent_star"), goals={"superstar": 1}), 6)
        assert table.since() == {0: {"stars": 4}}
        next_roll(table)

    def test_nor_for_the_statue(self) -> None:
        table = resolve(holding((0, "violent_star"), goals={"statue_of_liberty": 1}), "OOO")
        assert table.since() == {0: {"stars": 3}}

    def test_a_diva_is_hurt_only_if_it_loses_superstar(self) -> None:
        table = fame(holding((0, "violent_star"), (1, "diva"), goals={"superstar": 1}), 3)
        assert table.since() == {}
        next_roll(table)
        table = fame(holding((0, "violent_star"), (1, "diva"), goals={"superstar": 1}), 4)
        assert table.since() == {0: {"stars": 2}, 1: {"health": -2}}
        next_roll(table)
