"""The meaning of the rulebooks' terms (NY-19, TK-15) and the contents of the box (NY-1, NY-3),
shown by play.
"""

from __future__ import annotations

import pytest

from companion.engine import Setup, new_game
from companion.engine.questions import Choice, Reveal, Roll
from companion.engine.values import Seat, Token, UnitKind
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table

INFANTRY, JET, TANK = UnitKind.INFANTRY, UnitKind.JET, UnitKind.TANK
BOTH = pytest.mark.parametrize("game", [NEW_YORK, TOKYO])
PLAYERS = 4


# -- Monsters -------------------------------------------------------------------------------------

THROWS = ("AAEHHH", "EEEEAA", "HHEEAA", "AAAAEE", "EEEEEE", "AAHHHE", "AAAEEE")


def twenty_turns(game: str, first: int) -> list[object]:
    """Twenty turns as they go when this seat begins: each Monster's numbers, counted from it."""
    table = Table(new_game(Setup(game, PLAYERS, Seat(first))).game)
    numbers: list[object] = []
    while table.game.turn.number <= 20 and table.question is not None:
        answered(table)
        order = [table.game.monsters[(first + k) % PLAYERS] for k in range(PLAYERS)]
        numbers.append([(m.health, m.stars, m.energy, m.place, m.alive) for m in order])
    return numbers


def answered(table: Table) -> None:
    """The next answer of a table that always answers alike."""
    match table.question:
        case Roll():
            table.order("AEH").roll(THROWS[table.game.turn.number % len(THROWS)])
        case Reveal():
            table.put_off()
        case Choice():
            table.choose(table.open[0 if "end" not in table.open else -1])


@BOTH
@pytest.mark.clause("NY-1.3", "TK-1.5")
def test_all_monsters_play_alike_whoever_begins(game: str) -> None:
    """Each seat has another Monster: turned round the table, the same game goes the same way."""
    games = [twenty_turns(game, first) for first in range(PLAYERS)]
    assert len(games[0]) > 40
    assert all(game == games[0] for game in games)


# -- the board and its tiles ----------------------------------------------------------------------


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


@pytest.mark.clause("NY-3.1")
@pytest.mark.parametrize(
    ("tile", "spent", "building", "unit", "more", "reward"),
    [
        ("skyscraper_1", 1, {"stars": 1}, INFANTRY, 2, {"health": 1}),
        ("power_plant_2", 2, {"energy": 2}, JET, 3, {"energy": 2}),
        ("hospital_3", 3, {"health": 3}, TANK, 4, {"stars": 3}),
    ],
)
def test_a_tile_has_two_sides_each_with_a_durability_and_a_reward_of_its_own(
    tile: str,
    spent: int,
    building: dict[str, int],
    unit: UnitKind,
    more: int,
    reward: dict[str, int],
) -> None:
    table = Scene(
        players=2,
        at=("upper_2_4", "bronx"),
        health={0: 5},
        tops={"manhattan": (tile, "skyscraper_3", "skyscraper_3")},
    ).begin()
    table.since()
    table.order("DH").roll("D" * spent + "H" * (6 - spent))
    if table.asked == "destroy@0":
        table.smash(tile)
    assert table.since() == {0: building}
    assert table.units("manhattan") == [unit]
    table.end_turn().roll("HHHHHH").end_turn().since()
    table.order("DH").roll("D" * more + "H" * (6 - more))
    if table.asked == "tile@0":
        table.tile("skyscraper_3")
    if table.asked == "destroy@0":
        table.smash(unit)
    assert table.since() == {0: reward}
    assert table.units("manhattan") == []


@pytest.mark.clause("NY-7.2")
def test_energy_never_runs_out() -> None:
    table = Scene(energy=dict.fromkeys(range(3), 40)).begin().roll("EEEEEE")
    assert table.energy(0) == 46
    table = Scene(energy={0: 99}).begin().roll("EEEEEE")
    assert table.energy(0) == 105


# -- words ----------------------------------------------------------------------------------------


@pytest.mark.clause("NY-19.1")
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


@pytest.mark.clause("NY-19.2")
@pytest.mark.parametrize("units", [1, 2, 3])
@pytest.mark.parametrize("claws", [1, 2])
def test_damage_is_health_lost_point_for_point(units: int, claws: int) -> None:
    table = Scene(units={"brooklyn": (INFANTRY,) * units}).begin()
    table.order("OA").roll("O" + "A" * claws + "H" * (5 - claws))
    assert table.since()[0]["health"] == -units
    assert table.health(1) == 10 - claws
    assert table.asked == "flee@1"


@pytest.mark.clause("NY-19.3")
def test_to_flee_is_to_leave_manhattan_because_of_an_attack() -> None:
    table = Scene(at=("brooklyn", "midtown_2_4", "queens")).begin().order("AH").roll("AHHHHH")
    assert table.asked == "flee@1"
    assert [key for key in table.open if key != "stay"] == [
        "flee_staten_island",
        "flee_bronx",
        "flee_queens",
        "flee_brooklyn",
    ]
    table.choose("flee_queens")
    assert table.since()[1] == {"health": -1, "place": "queens"}
    table = Scene(at=("brooklyn", "midtown_2_4", "queens")).begin().roll("HHHHHH")
    assert table.asked == "move@0"  # nobody was attacked


@pytest.mark.clause("NY-19.4", "TK-15.1")
@BOTH
@pytest.mark.parametrize(("health", "alive"), [(4, True), (3, False), (2, False)])
def test_eliminated_is_who_is_down_to_0(game: str, health: int, alive: bool) -> None:
    table = Scene(game, health={1: health}).begin().order("AH").roll("AAAHHH")
    assert table.game.monsters[1].alive is alive
    assert table.health(1) == max(0, health - 3)
    assert (table.asked == "flee@1") is alive


@pytest.mark.clause("NY-19.5", "TK-15.1")
@BOTH
@pytest.mark.parametrize("again", [(0,), (1, 4), (0, 2, 3), (0, 1, 2, 3, 4, 5)])
def test_a_reroll_is_of_as_many_dice_as_one_wishes(game: str, again: tuple[int, ...]) -> None:
    table = Scene(game).begin().roll("EEEEEE", final=False)
    faces = "".join("H" if i in again else "E" for i in range(6))
    table.roll(faces, again, final=False)
    assert "".join(face.value[0].upper() for face in table.game.turn.faces) == faces
    assert table.game.turn.rolls_left == 1
