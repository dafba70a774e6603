"""Elimination and the end of the game (NY-16, NY-17, TK-13, TK-14)."""

from __future__ import annotations

import pytest

from companion.engine.events import Chosen, Corrected, Correction, DiceRolled, OrderChosen
from companion.engine.values import TABLE, Ended, Number, Seat, Token, UnitKind
from tests.engine.tables import NEW_YORK, TOKYO, Scene, dice

INFANTRY = UnitKind.INFANTRY


@pytest.mark.clause("NY-17.2", "NY-1.1", "TK-14.1")
@pytest.mark.parametrize(("game", "faces"), [(NEW_YORK, "CCCHHH"), (TOKYO, "111HHH")])
@pytest.mark.clause("NY-17.1", "TK-1.1")
def test_twenty_stars_at_the_end_of_the_turn_win(game: str, faces: str) -> None:
    table = Scene(game, stars={0: 19}, energy={0: 2}).begin()
    table.order(faces[0] + "H").roll(faces)
    assert table.stars(0) == 20
    assert table.game.ended is None  # the turn is not over
    assert table.end_turn().asked == "over"
    assert table.game.ended == Ended("stars", (Seat(0),))
    assert table.since() == {0: {"stars": 1}}


@pytest.mark.clause("NY-17.5", "TK-14.4")
def test_anybody_with_twenty_wins_at_the_end_of_anybodys_turn() -> None:
    table = Scene(stars={2: 19}).begin().roll("HHHHHH")
    table.correct(2, Number.STARS, 20).choose("stay")
    assert table.game.ended == Ended("stars", (Seat(2),))


@pytest.mark.clause("NY-17.6", "NY-12.7")
def test_dropping_below_twenty_in_time_is_no_win() -> None:
    table = Scene(goals={"statue_of_liberty": 2}, stars={2: 20}).begin().roll("OOOOOO")
    assert table.since() == {0: {"stars": 3}, 2: {"stars": -3}}
    assert table.end_turn().asked == "roll@1"


@pytest.mark.clause("NY-17.2", "TK-14.2")
def test_who_has_twenty_and_dies_in_the_turn_does_not_win() -> None:
    table = Scene(health={0: 1}, stars={0: 19}, units={"brooklyn": (INFANTRY,)}).begin()
    table.order("CO").roll("CCCCCO")
    assert table.since() == {
        0: {"stars": 1, "health": -1, "alive": False},
        1: {"stars": 1, "energy": 1},
    }
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-17.7", "TK-14.5")
def test_of_two_at_twenty_the_first_to_get_there_wins() -> None:
    table = Scene(stars={0: 18, 2: 18}).begin()
    table.correct(2, Number.STARS, 20)
    table.roll("CCCCCC").end_turn()
    assert table.stars(0) == table.stars(2) == 20
    assert table.game.ended == Ended("stars", (Seat(2),))


@pytest.mark.clause("NY-17.7")
def test_who_fell_back_and_came_again_was_not_first() -> None:
    table = Scene(stars={0: 18, 2: 20}).begin()
    table.correct(2, Number.STARS, 19)
    table.order("CO").roll("CCCCCH")
    table.correct(2, Number.STARS, 20).end_turn()
    assert table.game.ended == Ended("stars", (Seat(0),))


@pytest.mark.clause("NY-17.7", "TK-14.5")
def test_at_the_same_moment_the_win_is_shared() -> None:
    table = Scene(stars={0: 18, 2: 18}).begin()
    both = (Correction(Seat(2), Number.STARS, 20), Correction(Seat(0), Number.STARS, 20))
    table.apply(Corrected(both)).roll("HHHHHH").end_turn()
    assert table.game.ended == Ended("stars", (Seat(0), Seat(2)))


@pytest.mark.clause("NY-17.7")
def test_a_correction_is_a_moment_of_its_own() -> None:
    table = Scene(TOKYO, stars={0: 19, 2: 19}).begin()
    table.correct(2, Number.STARS, 20).correct(0, Number.STARS, 20)
    table.roll("HHHHHH")
    assert table.game.ended == Ended("stars", (Seat(2),))


@pytest.mark.clause("NY-17.3", "TK-14.1", "NY-19.4")
@pytest.mark.parametrize("game", [NEW_YORK, TOKYO])
def test_the_last_monster_alive_wins_with_any_stars(game: str) -> None:
    table = Scene(game, players=2, health={1: 1}, stars={1: 19}, energy={0: 9}).begin()
    table.order("AH").roll("AHHHHH")
    assert table.asked == "over"  # nothing more to buy or to move
    assert table.game.ended == Ended("survival", (Seat(0),))
    changes = table.since()
    assert changes[1] == {"health": -1, "alive": False}


@pytest.mark.clause("NY-17.4", "TK-14.3", "NY-16.3", "TK-13.2")
def test_when_all_die_at_once_nobody_wins() -> None:
    table = Scene(
        health=dict.fromkeys(range(3), 1),
        stars={2: 19},
        units={"brooklyn": (INFANTRY,), "queens": (INFANTRY,), "manhattan": (INFANTRY,)},
    ).begin()
    table.roll("OOOOOO")
    assert table.game.ended == Ended("all_dead", ())
    assert table.since() == {s: {"health": -1, "alive": False} for s in range(3)}


@pytest.mark.clause("NY-4.2", "TK-3.3")
def test_a_death_in_ones_own_turn_ends_it() -> None:
    """Groups that were left are void: no energy, no claws; no move, no purchase."""
    table = Scene(health={0: 1}, energy={0: 9}, units={"brooklyn": (INFANTRY,)}).begin()
    table.order("OEA").roll("OEEEAA")
    assert table.since() == {
        0: {"health": -1, "alive": False, "energy": -9},
        1: {"stars": 1, "energy": 1},
    }
    assert table.asked == "roll@1"


@pytest.mark.clause("NY-16.2", "TK-13.3")
def test_the_dead_leave_nothing_behind() -> None:
    table = Scene(
        players=4,
        health={2: 1},
        energy={2: 7},
        cards={2: ("carapace", "diva")},
        goals={"superstar": 2, "statue_of_liberty": 2},
        tokens={2: {Token.WEB: 2, Token.CURSE: 1}, 3: {Token.WEB: 1}},
        units={"queens": (INFANTRY,)},
        at=("queens", "lower_2_4", "queens", "bronx"),
    ).begin()
    table.order("OH").roll("OOHHHH")
    assert table.since() == {2: {"health": -1, "alive": False, "energy": -7}}
    assert table.cards(2) == []
    assert table.tokens(2) == {}
    assert table.tokens(3) == {"web": 1}
    assert table.card("superstar").owner == table.card("statue_of_liberty").owner == TABLE
    assert sorted(table.game.discards) == ["carapace", "diva"]
    assert table.place(2) is None
    assert table.asked == "move@0"


@pytest.mark.clause("NY-17.8", "NY-2.7", "TK-2.4")
def test_the_dice_go_round_clockwise() -> None:
    for game in (NEW_YORK, TOKYO):
        table = Scene(game, players=4, active=2).begin()
        for seat in (3, 0, 1, 2):
            assert table.roll("HHHHHH").end_turn().asked == f"roll@{seat}"


@pytest.mark.clause("NY-17.8")
def test_the_dead_are_passed_over() -> None:
    table = Scene(players=4, health={1: 1}).begin().order("AH").roll("AHHHHH").end_turn()
    assert table.asked == "roll@2"
    table.roll("HHHHHH").end_turn().roll("HHHHHH").end_turn()
    assert table.asked == "roll@0"


def test_after_the_end_nothing_is_said() -> None:
    table = Scene(TOKYO, players=2, health={1: 1}).begin().order("AH").roll("AHHHHH")
    assert table.asked == "over"
    for event in (
        Chosen(Seat(0), "end"),
        DiceRolled(dice("HHHHHH"), final=True),
        OrderChosen(Seat(0), dice("AH")),
        Corrected((Correction(Seat(0), Number.HEALTH, 0),)),
    ):
        assert table.refuses(event) == "game_over"
