"""Cards of King of New York about buildings and Units, and their meetings."""

from __future__ import annotations

import pytest

from companion.engine.values import UnitKind
from tests.engine.cards.scenes import holding, next_roll, resolve
from tests.engine.tables import Table

INFANTRY, JET, TANK = UnitKind.INFANTRY, UnitKind.JET, UnitKind.TANK

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


def test_a_tank_with_can_opener_is_obligatory_with_three() -> None:
    """Stacks that are gone leave nothing else to destroy."""
    table = site((0, "can_opener"), units={"brooklyn": (TANK,)}, tops={})
    resolve(table, "DDD").tile(None, None, None)
    assert table.since() == {0: {"stars": 3}}
    done(table)


# -- Hunter, Trophy Hunter ------------------------------------------------------------------------


class TestHunter:
    def fight(self, unit: UnitKind, *cards: tuple[int, str]) -> Table:
        table = site(*cards, units={"brooklyn": (unit,)}, health={0: 5})
        table.order("DCE")
        table.roll({INFANTRY: "DDCCEE", JET: "DDDCCE", TANK: "DDDDCC"}[unit])
        return table if table.asked != "destroy@0" else table.smash(unit)

    def test_one_health_more_for_an_infantry(self) -> None:
        table = self.fight(INFANTRY, (0, "hunter"))
        assert table.since() == {0: {"health": 2, "energy": 2}}
        done(table)

    @pytest.mark.parametrize(("unit", "reward"), [(JET, {"energy": 3}), (TANK, {"stars": 3})])
    def test_none_for_other_units(self, unit: UnitKind, reward: dict[str, int]) -> None:
        table = self.fight(unit, (0, "hunter"))
        assert table.since() == {0: reward}
        done(table)

    def test_in_manhattan_too(self) -> None:
        table = site(
            (0, "hunter"),
            at=("upper_2_4", "queens", "bronx"),
            units={"manhattan": (INFANTRY,)},
            tops={"manhattan": STRONG},
            health={0: 5},
        )
        resolve(table, "DD")
        assert table.since() == {0: {"health": 2}}
        done(table)


class TestTrophyHunter(TestHunter):
    @pytest.mark.parametrize(
        ("unit", "reward"),
        [
            (INFANTRY, {"stars": 1, "health": 1, "energy": 2}),
            (JET, {"stars": 1, "energy": 3}),
            (TANK, {"stars": 4}),
        ],
    )
    def test_a_star_more_for_every_unit(self, unit: UnitKind, reward: dict[str, int]) -> None:
        table = self.fight(unit, (0, "trophy_hunter"))
        assert table.since() == {0: reward}
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


# -- Leveler --------------------------------------------------------------------------------------


class TestLeveler:
    TOPS = ("skyscraper_1", "skyscraper_1", "hospital_3")

    def test_a_star_in_a_turn_with_a_building(self) -> None:
        table = resolve(site((0, "leveler"), tops={"brooklyn": self.TOPS}), "D")
        table.choose("stack_9")
        assert table.since() == {0: {"stars": 2}}
        done(table)

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


# -- Sharp Shooter --------------------------------------------------------------------------------


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

    def test_without_it_the_jet_is_out_of_reach(self) -> None:
        table = resolve(site((1, "sharp_shooter"), **self.FAR), "DDD")
        assert sorted(table.options) == ["stack_10", "stack_11", "stack_9"]

    def test_with_long_neck_two_are_enough(self) -> None:
        table = resolve(site((0, "sharp_shooter"), (0, "long_neck"), **self.FAR), "DD")
        table.choose(f"unit_{table.borough('queens').units[0].id}")
        assert table.since() == {0: {"stars": 1, "energy": 2}}
        done(table)

    @pytest.mark.clause("NY-G5", "NY-10.7")
    def test_a_jet_far_away_may_be_left_alone(self) -> None:
        cards = ((0, "sharp_shooter"), (0, "long_neck"))
        table = resolve(site(*cards, **self.FAR), "DD")
        jet = table.borough("queens").units[0].id
        assert table.open == [f"unit_{jet}", "stop"]
        table.choose("stop")
        assert table.since() == {}
        assert table.units("queens") == ["jet"]
        done(table)

    @pytest.mark.clause("NY-G5", "NY-10.7")
    @pytest.mark.parametrize("unit", [INFANTRY, JET])
    def test_while_something_here_can_fall_it_must_or_the_far_jet(self, unit: UnitKind) -> None:
        cards = ((0, "sharp_shooter"), (0, "long_neck"))
        units = {"queens": (JET,), "brooklyn": (unit,)}
        table = resolve(site(*cards, units=units), "DD")
        assert "stop" not in table.options
        assert len(table.open) == 2


# -- Seismic Ray ----------------------------------------------------------------------------------


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


# -- Hailing Cabs ---------------------------------------------------------------------------------


class TestHailingCabs:
    def test_two_more_destruction_for_units(self) -> None:
        table = resolve(site((0, "hailing_cabs"), units={"brooklyn": (TANK,)}), "DD")
        assert table.asked == "hail_cabs@0"
        table.choose("use")
        assert table.since() == {0: {"stars": 3}}
        done(table)

    @pytest.mark.clause("NY-10.7")
    def test_buildings_are_left_alone_and_need_not_fall(self) -> None:
        tops = {"brooklyn": ("skyscraper_1", "skyscraper_2", "hospital_2")}
        table = resolve(site((0, "hailing_cabs"), units={"brooklyn": (TANK,)}, tops=tops), "DD")
        table.choose("use")
        assert table.tops("brooklyn") == ["skyscraper_1", "skyscraper_2", "hospital_2"]
        assert table.since() == {0: {"stars": 3}}
        done(table)

    def test_one_short_of_the_unit_nothing_at_all_falls(self) -> None:
        tops = {"brooklyn": ("skyscraper_1", "skyscraper_2", "hospital_2")}
        table = resolve(site((0, "hailing_cabs"), units={"brooklyn": (TANK,)}, tops=tops), "D")
        table.choose("use")
        assert table.since() == {}
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

    def test_passing_leaves_all_as_it_was(self) -> None:
        table = resolve(site((0, "hailing_cabs"), units={"brooklyn": (TANK,)}), "DDD")
        table.choose("pass").smash("skyscraper_3")
        assert table.since() == {0: {"stars": 3}}
        assert table.units("brooklyn") == ["tank", "tank"]
        done(table)


# -- Fury, Stomp ----------------------------------------------------------------------------------


class TestFury:
    def test_three_units_bring_a_destruction_and_an_energy(self) -> None:
        table = resolve(site((0, "fury"), units={"brooklyn": (INFANTRY, JET, JET)}), "D")
        assert table.units("brooklyn") == ["jet", "jet"]  # the Infantry fell to two symbols
        assert table.since() == {0: {"energy": 1}}
        done(table)

    @pytest.mark.parametrize("units", [2, 0])
    def test_fewer_bring_nothing(self, units: int) -> None:
        table = resolve(site((0, "fury"), units={"brooklyn": (INFANTRY,) * units}), "D")
        assert table.since() == {}
        assert table.units("brooklyn") == ["infantry"] * units
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
