"""Rules that only King of Tokyo has: numbers, City and Bay, yielding (TK-5 to TK-11)."""

from __future__ import annotations

import pytest

from companion.engine.values import Number
from tests.engine.tables import TOKYO, Scene

OUT = "outside"
CITY, BAY = "tokyo_city", "tokyo_bay"


# -- numbers, energy, hearts ----------------------------------------------------------------------


@pytest.mark.clause("TK-5.1", "TK-5.2", "TK-5.3", "TK-5.4")
@pytest.mark.parametrize(
    ("faces", "stars"),
    [
        ("111HHH", 1),
        ("222HHH", 2),
        ("333HHH", 3),
        ("1111HH", 2),
        ("2222HH", 3),
        ("33333H", 5),
        ("333333", 6),
        ("111111", 4),
        ("222222", 5),
        ("111222", 3),
        ("222333", 5),
        ("11HHHH", 0),
        ("112233", 0),
        ("1HHHHH", 0),
    ],
)
def test_triples_score_their_number_and_one_for_each_further_die(faces: str, stars: int) -> None:
    table = Scene(TOKYO, at=(OUT, OUT, OUT)).begin().order("123H").roll(faces)
    assert table.since() == ({0: {"stars": stars}} if stars else {})
    assert table.asked == "roll@1"


@pytest.mark.clause("TK-6.1")
@pytest.mark.parametrize("energy", [1, 2, 3, 6])
def test_energy_is_one_for_each(energy: int) -> None:
    table = Scene(TOKYO, at=(OUT, OUT, OUT), energy={0: 2}).begin()
    table.order("EH").roll("E" * energy + "H" * (6 - energy))
    assert table.since() == {0: {"energy": energy}}
    assert table.energy(0) == 2 + energy  # and what it had is kept
    assert table.end_turn().asked == "roll@1"


@pytest.mark.clause("TK-8.1")
@pytest.mark.parametrize(("before", "gain"), [(2, 4), (8, 2), (10, 0)])
def test_hearts_heal_up_to_ten(before: int, gain: int) -> None:
    scene = Scene(TOKYO, at=(OUT, OUT, OUT), health={0: before})
    table = scene.begin().order("H12").roll("HHHH12")
    assert table.since() == ({0: {"health": gain}} if gain else {})


@pytest.mark.clause("TK-8.2", "TK-11.6")
@pytest.mark.parametrize("place", [CITY, BAY])
def test_hearts_do_not_heal_in_tokyo(place: str) -> None:
    table = Scene(TOKYO, players=5, at=(place, OUT, OUT, OUT, OUT), health={0: 2}).begin()
    assert table.since() == {0: {"stars": 2}}
    table.roll("HHHHHH")
    assert table.since() == {}
    assert table.asked == "roll@1"


# -- attack and Tokyo City ------------------------------------------------------------------------


@pytest.mark.clause("TK-9.1", "TK-9.4", "TK-10.1", "TK-3.2", "TK-3.1")
def test_who_yields_loses_the_health_and_the_attacker_takes_tokyo() -> None:
    table = Scene(TOKYO).begin().order("AE1").roll("AAEE12").choose("flee_outside").order("12")
    assert table.since() == {
        0: {"energy": 2, "stars": 1, "place": CITY},
        1: {"health": -2, "place": OUT},
    }
    assert table.asked == "buy@0"  # Tokyo is taken before the buying


# -- Tokyo Bay ------------------------------------------------------------------------------------


@pytest.mark.clause("TK-2.2", "TK-11.1")
def test_with_four_there_is_no_bay() -> None:
    table = Scene(TOKYO, players=4).begin().order("AH").roll("AHHHHH").choose("stay")
    assert table.since() == {1: {"health": -1, "stars": 2}}


@pytest.mark.clause("TK-11.4", "TK-11.8")
@pytest.mark.parametrize(
    ("city", "bay", "takes"),
    [
        ("stay", "stay", None),
        ("stay", "flee_outside", BAY),
        ("flee_outside", "stay", CITY),
        ("flee_outside", "flee_outside", CITY),
    ],
)
def test_both_taken_each_decides_and_nobody_slides(city: str, bay: str, takes: str | None) -> None:
    table = Scene(TOKYO, players=5, active=2, at=(BAY, CITY, OUT, OUT, OUT)).begin()
    table.order("AH").roll("AHHHHH")
    assert table.asked == "flee@1"  # the City first
    table.choose(city)
    assert table.asked == "flee@0"
    table.choose(bay)
    places = {
        0: BAY if bay == "stay" else OUT,
        1: CITY if city == "stay" else OUT,
        2: takes or OUT,
    }
    assert [table.place(seat) for seat in range(5)] == [*places.values(), OUT, OUT]
    assert [table.stars(seat) for seat in range(5)] == [0, 0, 1 if takes else 0, 0, 0]
    assert [table.health(seat) for seat in range(5)] == [9, 9, 10, 10, 10]
    assert table.asked == "roll@3"


@pytest.mark.clause("TK-11.7", "TK-9.5")
def test_five_to_four_the_bay_leaves_and_the_killer_takes_the_city() -> None:
    table = Scene(TOKYO, players=5, active=2, at=(BAY, CITY, OUT, OUT, OUT), health={1: 1})
    game = table.begin().order("AH").roll("AHHHHH")
    assert game.since() == {
        0: {"health": -1, "place": OUT},
        1: {"health": -1, "alive": False},
        2: {"stars": 1, "place": CITY},
    }
    assert game.asked == "roll@3"


@pytest.mark.clause("TK-11.7", "TK-17.3")
def test_five_to_four_the_bay_leaves_although_the_city_is_free() -> None:
    game = Scene(TOKYO, players=5, at=(BAY, OUT, OUT, OUT, OUT)).begin()
    game.correct(3, Number.HEALTH, 0)
    assert game.place(0) == OUT
    assert game.asked == "roll@0"
