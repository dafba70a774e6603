"""Entering, advancing, fleeing and making room in Manhattan (NY-13, NY-14, NY-18)."""

from __future__ import annotations

import pytest

from companion.engine.events import Chosen
from companion.engine.values import Seat, UnitKind
from tests.engine.tables import Scene, Table

INFANTRY = UnitKind.INFANTRY


def fled(table: Table) -> list[str]:
    """Where the Monster that is asked may flee to."""
    return [key.removeprefix("flee_") for key in table.open if key != "stay"]


# -- two to four ----------------------------------------------------------------------------------


@pytest.mark.clause("NY-13.3", "NY-13.4", "NY-14.3")
@pytest.mark.parametrize(
    ("place", "stars", "energy", "onward"),
    [
        ("lower_2_4", 1, 1, "midtown_2_4"),
        ("midtown_2_4", 2, 1, "upper_2_4"),
        ("upper_2_4", 2, 2, None),
    ],
)
def test_income_by_zone_then_one_zone_up(
    place: str, stars: int, energy: int, onward: str | None
) -> None:
    table = Scene(at=(place, "bronx", "queens")).begin()
    assert table.since() == {0: {"stars": stars, "energy": energy}}
    table.roll("HHHHHH")
    assert table.since() == ({0: {"place": onward}} if onward else {})
    assert table.asked in ("buy@0", "roll@1")  # no borough is offered
    assert table.end_turn().asked == "roll@1"


@pytest.mark.clause("NY-13.1", "NY-14.2", "NY-14.4", "NY-1.5")
def test_with_manhattan_taken_one_may_move_to_any_borough_with_room() -> None:
    table = Scene(players=4, at=("brooklyn", "upper_2_4", "queens", "queens")).begin()
    table.roll("HHHHHH")
    assert table.asked == "move@0"
    assert table.options == {
        "stay": "",
        "move_staten_island": "",
        "move_bronx": "",
        "move_queens": "full",
    }
    assert table.refuses(Chosen(Seat(0), "move_queens")) == "barred_full"
    assert table.refuses(Chosen(Seat(0), "move_lower_2_4")) == "no_such_option"
    table.choose("move_bronx")
    assert table.since() == {0: {"place": "bronx"}, 1: {"stars": 2, "energy": 2}}
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-13.6", "NY-13.7", "NY-13.9", "NY-13.13", "NY-19.3")
def test_fleeing_is_decided_at_once_and_the_attacker_enters_in_phase_three() -> None:
    table = Scene(players=4, at=("brooklyn", "upper_2_4", "queens", "queens")).begin()
    table.order("AE").roll("AEEEEE")
    assert table.asked == "flee@1"
    assert table.options["flee_queens"] == "full"
    assert fled(table) == ["staten_island", "bronx", "brooklyn"]
    assert table.refuses(Chosen(Seat(0), "stay")) == "not_your_choice"
    table.choose("flee_brooklyn")  # the attacker's own borough
    assert table.since() == {
        0: {"energy": 5, "stars": 1, "place": "lower_2_4"},
        1: {"health": -1, "place": "brooklyn"},
    }
    assert table.asked == "buy@0"


@pytest.mark.clause("NY-13.9", "NY-12.2", "NY-6.3")
def test_who_fled_into_the_attackers_borough_is_there_when_ouch_comes() -> None:
    table = Scene(at=("brooklyn", "upper_2_4", "queens"), units={"brooklyn": (INFANTRY,)}).begin()
    table.order("AOH").roll("AOOHHH").choose("flee_brooklyn")
    assert table.since() == {
        0: {"stars": 1, "place": "lower_2_4"},  # hurt by the Unit, healed by a heart
        1: {"health": -2, "place": "brooklyn"},
    }


@pytest.mark.clause("NY-13.5", "NY-4.1")
def test_hearts_count_before_the_attacker_enters() -> None:
    table = Scene(health={0: 3}).begin()
    table.order("AH").roll("AHHHHH").choose("flee_bronx")
    assert table.since() == {
        0: {"health": 5, "stars": 1, "place": "lower_2_4"},
        1: {"health": -1, "place": "bronx"},
    }
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-13.8", "NY-16.1")
def test_who_eliminates_the_monster_in_manhattan_enters() -> None:
    table = Scene(health={1: 2}).begin().order("AH").roll("AAAHHH")
    assert table.since() == {
        0: {"stars": 1, "place": "lower_2_4"},
        1: {"health": -2, "alive": False},
    }
    assert table.asked == "roll@2"


@pytest.mark.clause("NY-13.10", "NY-13.12")
def test_emptied_after_phase_three_nobody_enters_until_the_next_move_phase() -> None:
    table = Scene(energy={0: 2}).begin().roll("HHHHHH").choose("stay")
    assert table.asked == "buy@0"
    table.put(1, "bronx").since()
    table.choose("end")
    assert table.since() == {}
    assert table.asked == "roll@1"
    table.roll("HHHHHH")
    assert table.since() == {1: {"stars": 1, "place": "lower_2_4"}}


# -- five and six ---------------------------------------------------------------------------------

FIVE = ("brooklyn", "midtown_2_4", "lower_5_6", "queens", "bronx")


@pytest.mark.clause("NY-18.2", "NY-18.3", "NY-18.4", "NY-14.5")
def test_with_one_in_manhattan_the_next_hurts_it_and_enters_the_other_track() -> None:
    at = ("brooklyn", "midtown_2_4", "queens", "queens", "bronx")
    table = Scene(players=5, at=at).begin().order("AH").roll("AHHHHH").choose("stay")
    assert table.since() == {
        0: {"stars": 1, "place": "lower_5_6"},
        1: {"health": -1, "stars": 2, "energy": 1},
    }
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-18.1", "NY-18.6", "NY-6.3")
def test_both_are_hit_and_the_2_4_monster_decides_first() -> None:
    table = Scene(players=5, at=FIVE).begin().order("AH").roll("AAHHHH")
    assert table.since() == {1: {"health": -2}, 2: {"health": -2}}
    assert table.asked == "flee@1"
    table.choose("stay")
    assert table.asked == "flee@2"
    table.choose("stay").end_turn()
    assert table.since() == {1: {"stars": 2, "energy": 1}}


@pytest.mark.clause("NY-18.6")
def test_the_2_4_monster_decides_first_even_when_it_sits_later() -> None:
    at = ("brooklyn", "lower_5_6", "midtown_2_4", "queens", "bronx")
    table = Scene(players=5, at=at).begin().order("AH").roll("AHHHHH")
    assert table.asked == "flee@2"
    table.choose("stay")
    assert table.asked == "flee@1"


@pytest.mark.clause("NY-18.6")
def test_both_may_flee_and_the_attacker_takes_the_2_4_track() -> None:
    table = Scene(players=5, at=FIVE).begin().order("AH").roll("AHHHHH")
    table.choose("flee_staten_island").choose("flee_staten_island")
    assert table.since() == {
        0: {"stars": 1, "place": "lower_2_4"},
        1: {"health": -1, "place": "staten_island"},
        2: {"health": -1, "place": "staten_island"},
    }
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-18.1", "NY-8.1")
def test_the_two_in_manhattan_do_not_hit_each_other() -> None:
    at = ("lower_2_4", "midtown_5_6", "queens", "queens", "bronx")
    table = Scene(players=5, at=at).begin()
    table.since()
    table.order("AH").roll("AAHHHH")
    assert table.since() == {
        0: {"place": "midtown_2_4"},
        1: {"stars": 2, "energy": 1},
        2: {"health": -2},
        3: {"health": -2},
        4: {"health": -2},
    }


@pytest.mark.clause("NY-18.7", "NY-18.10")
def test_when_the_2_4_monster_dies_the_other_slides_over() -> None:
    table = Scene(players=6, at=(*FIVE, "queens"), health={1: 1}).begin()
    table.order("AH").roll("AHHHHH")
    assert table.since() == {
        1: {"health": -1, "alive": False},
        2: {"health": -1, "place": "lower_2_4"},
    }
    assert table.asked == "flee@2"
    table.choose("stay")
    assert table.since()[0] == {"stars": 1, "place": "lower_5_6"}  # five are still alive


@pytest.mark.clause("NY-18.8", "NY-14.4")
def test_who_must_leave_may_not_make_a_third_in_a_borough() -> None:
    at = ("lower_2_4", "midtown_5_6", "queens", "queens", "bronx")
    table = Scene(players=5, at=at, health={4: 1}).begin().order("AH").roll("AHHHHH")
    assert table.options == {"staten_island": "", "bronx": "", "queens": "full", "brooklyn": ""}


@pytest.mark.clause("NY-18.9", "NY-18.11")
def test_five_to_four_by_the_death_on_2_4_the_other_slides_and_the_attacker_stays_out() -> None:
    table = Scene(players=5, at=FIVE, health={1: 1}).begin().order("AH").roll("AHHHHH")
    assert table.since() == {
        1: {"health": -1, "alive": False},
        2: {"health": -1, "place": "lower_2_4"},
    }
    assert table.asked == "flee@2"
    table.choose("stay")
    assert table.asked == "move@0"
    assert "move_lower_5_6" not in table.options
    table.choose("stay")
    assert table.since() == {2: {"stars": 1, "energy": 1}}
    assert table.asked == "roll@2"
