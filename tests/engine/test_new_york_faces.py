"""What each face does in King of New York (NY-6 to NY-12), with every bystander."""

from __future__ import annotations

import pytest

from companion.engine import RULESETS
from companion.engine.effects.numbers import LoseStars
from companion.engine.effects.tiles import TileRevealed
from companion.engine.events import Chosen
from companion.engine.values import TABLE, Seat, Token, UnitKind
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table

INFANTRY, JET, TANK = UnitKind.INFANTRY, UnitKind.JET, UnitKind.TANK


def holder(table: Table, goal: str) -> int:
    return table.card(goal).owner


# -- groups ---------------------------------------------------------------------------------------


@pytest.mark.clause("NY-6.1", "NY-6.2")
def test_the_active_monster_chooses_the_next_group_until_one_is_left() -> None:
    table = Scene(health={0: 5}).begin().roll("EEHHCC")
    assert table.asked == "group@0"
    assert table.open == ["energy", "heal", "celebrity"]
    assert table.refuses(Chosen(Seat(1), "heal")) == "not_your_choice"
    table.choose("heal")
    assert table.since() == {0: {"health": 2}}
    assert table.open == ["energy", "celebrity"]
    table.choose("celebrity")
    assert table.since() == {0: {"energy": 2}}  # the last one needs no choice
    assert table.asked == "move@0"


@pytest.mark.clause("NY-6.2")
def test_an_order_told_beforehand_is_followed_unasked() -> None:
    table = Scene(health={0: 1}, units={"brooklyn": (INFANTRY,)}).begin()
    table.order("HOE").roll("HOEEEE")
    assert table.since() == {0: {"energy": 4}}  # healed first, then hurt: alive
    assert table.asked == "move@0"


# -- energy, heal ---------------------------------------------------------------------------------


@pytest.mark.clause("NY-7.1")
def test_energy_is_one_for_each_and_is_kept() -> None:
    table = Scene(energy={0: 3}).begin().roll("EEEEEE").choose("stay").choose("end")
    assert table.energy(0) == 9
    assert table.since() == {0: {"energy": 6}, 1: {"stars": 1, "energy": 1}}


@pytest.mark.clause("NY-7.2")
def test_energy_never_runs_out() -> None:
    table = Scene(energy=dict.fromkeys(range(3), 40)).begin().roll("EEEEEE")
    assert table.energy(0) == 46
    table = Scene(energy={0: 99}).begin().roll("EEEEEE")
    assert table.energy(0) == 105


@pytest.mark.clause("NY-9.1")
@pytest.mark.parametrize(("before", "gain"), [(3, 6), (4, 6), (7, 3), (10, 0)])
def test_heal_stops_at_ten(before: int, gain: int) -> None:
    table = Scene(health={0: before}).begin().roll("HHHHHH")
    assert table.since() == ({0: {"health": gain}} if gain else {})


@pytest.mark.clause("NY-9.2", "NY-13.5")
def test_heal_dice_do_nothing_in_manhattan() -> None:
    table = Scene(at=("lower_2_4", "queens", "bronx"), health={0: 3}).begin()
    assert table.since() == {0: {"stars": 1, "energy": 1}}
    table.roll("HHHHHH")
    assert table.since() == {0: {"place": "midtown_2_4"}}
    assert table.asked == "roll@1"


# -- attack ---------------------------------------------------------------------------------------


@pytest.mark.clause("NY-8.2", "NY-6.1", "TK-7.7")
@pytest.mark.parametrize("game", [NEW_YORK, TOKYO])
def test_claws_cannot_be_held_back(game: str) -> None:
    table = Scene(game).begin().roll("AAEEHH")
    assert table.open == ["energy", "attack", "heal"]
    table.choose("energy").choose("heal")  # one group is left: it is not asked whether
    assert table.since() == {0: {"energy": 2}, 1: {"health": -2}}
    assert table.asked == "flee@1"


@pytest.mark.clause("NY-8.3")
def test_no_damage_when_manhattan_was_empty_at_the_start_of_the_turn() -> None:
    table = Scene(at=("brooklyn", "bronx", "queens")).begin()
    table.roll("AAAAAA")
    assert table.since() == {0: {"stars": 1, "place": "lower_2_4"}}
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-8.3")
def test_nor_when_somebody_came_there_later_in_the_turn() -> None:
    table = Scene(at=("brooklyn", "bronx", "queens")).begin()
    table.put(1, "lower_2_4")
    table.since()
    table.roll("AAAAAA")
    assert table.since() == {}
    assert table.asked == "move@0"


@pytest.mark.clause("NY-19.1", "NY-8.4")
def test_an_attack_is_claws_that_cost_health() -> None:
    """One that is, is answered by a card about attacks, and may be fled from; the others not."""
    attacker = {"cards": {0: ("trash_thrower",)}, "stars": {1: 5}}
    table = Scene(**attacker).begin().order("AH").roll("AHHHHH")  # type: ignore[arg-type]
    assert table.since() == {1: {"health": -1, "stars": -1}}
    assert table.asked == "flee@1"
    table = Scene(**attacker, tokens={0: {Token.WEB: 1}}).begin()  # type: ignore[arg-type]
    table.order("AH").roll("AHHHHH").choose("use_1")  # the only claw tears a web
    assert table.since() == {}
    assert table.asked == "move@0"
    alien = attacker | {"cards": {0: ("trash_thrower",), 1: ("of_another_world",)}}
    table = Scene(**alien, energy={1: 1}).begin()  # type: ignore[arg-type]
    table.order("AH").roll("AHHHHH").choose("use_1")  # all of it is paid with energy
    assert table.since() == {1: {"energy": -1}}
    assert table.asked == "move@0"
    units = {"brooklyn": (INFANTRY,), "manhattan": (INFANTRY,)}
    table = Scene(**attacker, units=units).begin().order("OH").roll("OOOHHH")  # type: ignore[arg-type]
    assert table.since() == {0: {"stars": 3}, 1: {"health": -1}}
    assert table.asked == "move@0"


# -- destruction ----------------------------------------------------------------------------------


@pytest.mark.clause("NY-10.1", "NY-2.4")
def test_unknown_tops_of_the_borough_are_named_before_the_first_pick() -> None:
    table = Scene(tops={"queens": ("skyscraper_1",) * 3}).begin()
    table.roll("DDDDDD")
    assert table.asked == "tile@0"
    table.tile("skyscraper_1", "skyscraper_3", "hospital_3")
    assert table.asked == "destroy@0"
    assert table.open == ["stack_9", "stack_10", "stack_11"]  # Brooklyn's, not those of Queens
    assert len(table.happened(TileRevealed)) == 3


@pytest.mark.clause("NY-3.4", "NY-3.5", "NY-3.2", "NY-3.3", "NY-9.3")
@pytest.mark.parametrize(
    ("tile", "reward", "unit"),
    [
        ("skyscraper_1", {"stars": 1}, INFANTRY),
        ("skyscraper_2", {"stars": 2}, JET),
        ("skyscraper_3", {"stars": 3}, TANK),
        ("power_plant_2", {"energy": 2}, JET),
        ("power_plant_3", {"energy": 3}, TANK),
        ("hospital_2", {"health": 2}, JET),
        ("hospital_3", {"health": 3}, TANK),
    ],
)
def test_buildings_pay_and_turn_into_their_unit(
    tile: str, reward: dict[str, int], unit: UnitKind
) -> None:
    need = RULESETS[NEW_YORK].tiles[tile].durability
    others = ("skyscraper_3", "skyscraper_3")
    table = Scene(
        at=("lower_2_4", "bronx", "queens"), health={0: 4}, tops={"manhattan": (tile, *others)}
    ).begin()
    table.since()
    table.order("DH").roll("D" * need + "H" * (6 - need))
    if table.asked == "destroy@0":
        table.choose("stack_12")
    assert table.since() == {0: reward | {"place": "midtown_2_4"}}
    assert table.units("manhattan") == [unit.value]
    assert table.tops("manhattan") == [None, *others]  # named when somebody needs it
    assert table.borough("manhattan").stacks[0].left == 2
    table.end_turn()
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-3.5", "NY-10.6", "NY-3.1")
@pytest.mark.parametrize(
    ("unit", "need", "reward"),
    [(INFANTRY, 2, {"health": 1}), (JET, 3, {"energy": 2}), (TANK, 4, {"stars": 3})],
)
def test_units_cost_one_more_than_their_building_and_leave_for_good(
    unit: UnitKind, need: int, reward: dict[str, int]
) -> None:
    def scene() -> Table:
        table = Scene(
            at=("lower_2_4", "bronx", "queens"),
            health={0: 4},
            tops={"manhattan": ("hospital_3", "hospital_3", "hospital_3")},
            units={"manhattan": (unit,)},
        ).begin()
        table.since()
        return table

    short = scene().order("DH").roll("D" * (need - 1) + "H" * (7 - need))
    if need == 4:  # three are enough for a hospital
        assert short.options[f"unit_{short.borough('manhattan').units[0].id}"] == "short"
    else:
        assert short.since() == {0: {"place": "midtown_2_4"}}
    enough = scene().order("DH").roll("D" * need + "H" * (6 - need))
    if need > 2:
        enough.smash(unit)
    assert enough.units("manhattan") == []
    assert enough.since() == {0: reward | {"place": "midtown_2_4"}}
    assert enough.end_turn().asked == "roll@1"


@pytest.mark.clause("NY-10.9")
def test_health_of_a_hospital_beyond_the_maximum_is_lost() -> None:
    table = Scene(
        at=("lower_2_4", "bronx", "queens"),
        health={0: 9},
        tops={"manhattan": ("hospital_3",) * 3},
    ).begin()
    table.since()
    table.order("DH").roll("DDDHHH").choose("stack_12")
    assert table.since() == {0: {"health": 1, "place": "midtown_2_4"}}


@pytest.mark.clause("NY-3.7")
def test_all_three_zones_of_manhattan_are_one_borough() -> None:
    table = Scene(
        at=("upper_2_4", "bronx", "queens"),
        tops={"manhattan": ("skyscraper_1", "skyscraper_2", "skyscraper_3")},
        units={"manhattan": (INFANTRY,)},
    ).begin()
    table.roll("DDDDDD")
    assert len(table.open) == 4


# -- celebrity ------------------------------------------------------------------------------------


@pytest.mark.clause("NY-11.1", "NY-11.2")
@pytest.mark.parametrize(("faces", "stars"), [(1, 0), (2, 0), (3, 1), (4, 2), (5, 3), (6, 4)])
def test_three_stars_take_superstar(faces: int, stars: int) -> None:
    table = Scene(health={}).begin().order("CH").roll("C" * faces + "H" * (6 - faces))
    assert table.since() == ({0: {"stars": stars}} if stars else {})
    assert holder(table, "superstar") == (0 if stars else TABLE)
    assert table.asked == "move@0"


@pytest.mark.clause("NY-11.4", "NY-11.5")
def test_superstar_changes_hands_and_the_loser_keeps_its_stars() -> None:
    table = Scene(goals={"superstar": 2}, stars={2: 5}).begin().order("CH").roll("CCCCHH")
    assert table.since() == {0: {"stars": 2}}
    assert holder(table, "superstar") == 0


# -- Ouch! ----------------------------------------------------------------------------------------


def struck(ouches: int, **scene: object) -> Table:
    """Two Units in Brooklyn (seats 0 and 3), one in Queens (seat 2), three in Manhattan (seat 1);
    seat 4 is in Staten Island, without Units."""
    table = Scene(
        players=5,
        at=("brooklyn", "lower_2_4", "queens", "brooklyn", "staten_island"),
        units={"brooklyn": (INFANTRY, JET), "queens": (TANK,), "manhattan": (JET, JET, INFANTRY)},
        **scene,  # type: ignore[arg-type]
    ).begin()
    table.order("OH").roll("O" * ouches + "H" * (6 - ouches))
    return table


ENTERS = {"place": "lower_5_6", "stars": 1}


@pytest.mark.clause("NY-12.1", "NY-12.4", "NY-19.2")
def test_one_ouch_hits_the_roller_once_for_each_unit() -> None:
    table = struck(1, health={0: 3})
    assert table.since() == {
        0: {"health": -2 + 5, **ENTERS},  # five play, so there is room in Manhattan
        1: {"stars": 1, "energy": 1},
    }
    assert table.asked == "roll@1"


def test_two_ouches_alone_in_the_borough_hit_the_roller_alone() -> None:
    table = Scene(units={"brooklyn": (INFANTRY,), "queens": (TANK,)}).begin()
    table.order("HO").roll("OOHHHH")
    assert table.since() == {0: {"health": -1}}
    assert table.asked == "move@0"


@pytest.mark.clause("NY-1.4")
def test_manhattan_counts_once_whatever_the_zone() -> None:
    table = Scene(
        players=5,
        at=("lower_2_4", "upper_5_6", "queens", "queens", "bronx"),
        units={"manhattan": (INFANTRY,), "queens": (INFANTRY,)},
    ).begin()
    table.since()
    table.order("OH").roll("OOHHHH")
    assert table.since() == {
        0: {"health": -1, "place": "midtown_2_4"},
        1: {"health": -1, "stars": 2, "energy": 2},  # and its own turn begins
    }


@pytest.mark.clause("NY-12.3", "NY-12.6", "NY-12.7", "NY-12.10", "NY-12.11")
def test_three_ouches_hit_everybody_in_their_own_borough_and_win_the_statue() -> None:
    table = struck(3, health={0: 5})
    assert table.since() == {
        0: {"health": -2 + 3, "stars": 3 + 1, "place": "lower_5_6"},
        1: {"health": -3, "stars": 1, "energy": 1},  # may not flee; then its own turn's income
        2: {"health": -1},
        3: {"health": -2},
    }
    assert holder(table, "statue_of_liberty") == 0
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-12.4")
def test_six_ouches_hurt_no_more_than_three() -> None:
    table = Scene(units={"brooklyn": (INFANTRY,)}).begin().roll("OOOOOO")
    assert table.since() == {0: {"health": -1, "stars": 3}}


@pytest.mark.clause("NY-12.7")
@pytest.mark.parametrize(("had", "lost"), [(8, 3), (3, 3), (2, 2)])
@pytest.mark.clause("NY-12.9", "NY-16.4")
def test_who_loses_the_statue_loses_three_stars_never_below_none(had: int, lost: int) -> None:
    table = Scene(goals={"statue_of_liberty": 2}, stars={2: had}).begin().roll("OOOOOO")
    assert [loss.amount for loss in table.happened(LoseStars)] == [lost]
    assert table.since() == {0: {"stars": 3}, 2: {"stars": -lost}}
    assert holder(table, "statue_of_liberty") == 0


@pytest.mark.clause("NY-12.8")
def test_the_holder_of_the_statue_gains_nothing_from_three_more() -> None:
    table = Scene(goals={"statue_of_liberty": 0}, units={"queens": (TANK,)}).begin().roll("OOOOOO")
    assert table.since() == {2: {"health": -1}}
    assert holder(table, "statue_of_liberty") == 0


@pytest.mark.clause("NY-12.11")
def test_a_roller_who_dies_takes_nothing() -> None:
    table = Scene(
        health={0: 1}, goals={"statue_of_liberty": 2}, stars={2: 5}, units={"brooklyn": (TANK,)}
    ).begin()
    table.roll("OOOOOO")
    assert table.since() == {
        0: {"health": -1, "alive": False},
        1: {"stars": 1, "energy": 1},
    }
    assert holder(table, "statue_of_liberty") == 2
