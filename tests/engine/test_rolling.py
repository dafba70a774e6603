"""The first roll, rerolls and the result (NY-5, TK-4)."""

from __future__ import annotations

import pytest

from companion.engine.events import DiceRolled
from companion.engine.questions import Roll
from companion.engine.values import Token
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table, dice

BOTH = pytest.mark.parametrize("game", [NEW_YORK, TOKYO])


def roll_of(table: Table) -> Roll:
    asked = table.question
    assert isinstance(asked, Roll)
    return asked


@BOTH
@pytest.mark.clause("NY-5.1")
@pytest.mark.clause("TK-4.1")
def test_the_first_roll_is_six_dice(game: str) -> None:
    asked = roll_of(Scene(game).begin())
    assert (asked.seat, asked.dice, asked.main, asked.counted) == (0, 6, True, False)
    assert asked.showing == ()


@BOTH
@pytest.mark.clause("NY-5.2")
@pytest.mark.clause("NY-5.3")
@pytest.mark.clause("TK-4.1")
@pytest.mark.clause("TK-4.2")
def test_two_rerolls_of_any_dice_even_of_ones_kept_before(game: str) -> None:
    table = Scene(game).begin().roll("EEEAAA", final=False)
    asked = roll_of(table)
    assert asked.free == (0, 1, 2, 3, 4, 5)
    assert table.game.turn.rolls_left == 2
    table.roll("EEEHHH", (3, 4, 5), final=False)
    assert table.game.turn.rolls_left == 1
    table.roll("AAAHHH", (0, 1, 2), final=False)  # kept after the first roll, thrown again now
    assert table.game.turn.final
    assert table.asked == "group@0"


@BOTH
@pytest.mark.clause("NY-5.2")
def test_stopping_early_is_allowed(game: str) -> None:
    table = Scene(game).begin().roll("EEEEEE", final=False)
    table.roll("EEEEEE", final=True)
    assert table.since() == {0: {"energy": 6}}


@BOTH
@pytest.mark.clause("NY-5.5")
def test_one_apply_may_stand_for_the_whole_rolling(game: str) -> None:
    table = Scene(game).begin().roll("EEEEEE")
    assert table.game.turn.final
    assert table.since() == {0: {"energy": 6}}


@BOTH
def test_dice_moved_about_in_the_tray_are_no_reroll(game: str) -> None:
    table = Scene(game).begin().roll("EEHHHA", final=False)
    assert table.refuses(DiceRolled(dice("HHHEEA"))) == "nothing_rethrown"
    table.roll("HHHEEA")
    assert table.game.turn.final
    assert table.game.turn.rolls_left == 2


@BOTH
@pytest.mark.parametrize(
    ("event", "key"),
    [
        (DiceRolled(dice("EEEEE"), final=True), "dice_count"),
        (DiceRolled(dice("EEEEEEE"), final=True), "dice_count"),
        (DiceRolled((), final=True), "dice_count"),
        (DiceRolled(dice("EEEHHH")), "nothing_rethrown"),
        (DiceRolled(dice("EEEHHH"), (6,)), "die_not_free"),
        (DiceRolled(dice("EEEHHH"), (-1,)), "die_not_free"),
        (DiceRolled(dice("EEEAAA"), (3, 4)), "kept_die_changed"),
    ],
)
def test_a_throw_that_cannot_be_is_refused(game: str, event: DiceRolled, key: str) -> None:
    table = Scene(game).begin().roll("EEEHHH", final=False)
    assert table.refuses(event) == key
    assert table.asked == "roll@0"


@pytest.mark.parametrize(("game", "letter"), [(NEW_YORK, "1"), (TOKYO, "D"), (TOKYO, "O")])
def test_the_other_games_dice_are_refused(game: str, letter: str) -> None:
    table = Scene(game).begin()
    assert table.refuses(DiceRolled(dice("EEEEE" + letter), final=True)) == "foreign_face"


@pytest.mark.clause("NY-5.4")
@pytest.mark.parametrize(("webs", "rolls"), [(1, 2), (2, 1), (3, 1), (9, 1)])
def test_webs_take_rerolls_but_never_the_first_roll(webs: int, rolls: int) -> None:
    table = Scene(tokens={0: {Token.WEB: webs}, 1: {Token.WEB: 5}}).begin()
    assert table.game.turn.rolls_left == rolls
    for _ in range(rolls - 1):
        table.roll("HHHHHH", range(6) if table.game.turn.faces else (), final=False)
        assert table.asked == "roll@0"
    table.roll("HHHHHH", range(6) if table.game.turn.faces else (), final=False)
    assert table.asked == "move@0"


@pytest.mark.clause("NY-5.5")
def test_dice_cannot_be_thrown_once_they_are_final() -> None:
    table = Scene(NEW_YORK).begin().roll("EEEHHH")
    assert table.asked == "group@0"
    assert table.refuses(DiceRolled(dice("EEEEEE"), (3, 4, 5))) == "not_asked"
