"""Rolls, rerolls and the result (NY-5, TK-4); throws entered one by one, each with its price."""

from __future__ import annotations

import pytest

from companion.engine import Position
from companion.engine.events import DiceRolled, OrderChosen
from companion.engine.values import Change, Face, Number, Seat, Token
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table, dice

BOTH = pytest.mark.parametrize("game", [NEW_YORK, TOKYO])


@BOTH
@pytest.mark.clause("NY-5.1", "TK-4.1")
def test_the_first_roll_is_six_dice(game: str) -> None:
    asked = Scene(game).begin().open_roll
    assert (asked.seat, asked.dice, asked.main, asked.counted) == (0, 6, True, False)
    assert asked.showing == ()


@BOTH
@pytest.mark.clause("NY-5.2", "NY-5.3", "TK-4.1", "TK-4.2", "NY-19.5", "TK-15.1")
def test_two_rerolls_of_any_dice_even_of_ones_kept_before(game: str) -> None:
    table = Scene(game).begin().roll("EEEAAA", final=False)
    asked = table.open_roll
    assert asked.free == (0, 1, 2, 3, 4, 5)
    assert table.game.turn.rolls_left == 2
    table.roll("EEEHHH", (3, 4, 5), final=False)
    assert table.game.turn.rolls_left == 1
    table.roll("AAAHHH", (0, 1, 2), final=False)  # kept after the first roll, thrown again now
    assert table.game.turn.final
    assert table.asked == "group@0"


@BOTH
@pytest.mark.clause("NY-5.2", "NY-5.5")
def test_stopping_early_is_allowed(game: str) -> None:
    table = Scene(game).begin().roll("EEEEEE", final=False)
    table.roll("EEEEEE", final=True)
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
    assert table.refuses(OrderChosen(ME, dice("E" + letter))) == "foreign_face"


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


ME = Seat(0)


def cursed(curses: int = 1, energy: int = 3, **more: object) -> Table:
    """Seat 0 carries Curse tokens and is to roll."""
    tokens = {0: {Token.CURSE: curses}}
    return Scene(tokens=tokens, energy={0: energy}, **more).begin()  # type: ignore[arg-type]


@pytest.mark.clause("H28")
def test_the_question_tells_what_each_die_costs() -> None:
    table = cursed(2)
    assert (table.open_roll.counted, table.open_roll.prices, table.open_roll.left) == (True, (), 3)
    table.roll("OOHEEA", final=False)
    assert (table.open_roll.prices, table.open_roll.left) == ((2, 2, 0, 0, 0, 0), 2)
    assert table.open_roll.more


@pytest.mark.clause("H28")
def test_a_throw_is_paid_for_once_however_many_of_its_dice_are_cursed() -> None:
    table = cursed(2).roll("OOHEEA", final=False)
    paid = (Change(ME, Number.ENERGY, 3, 1),)
    for rethrown in ((0,), (0, 1), (1, 2)):
        previewed = Position.of(table.game).preview((), (), rethrown)
        assert (previewed.changes, previewed.lacking) == (paid, 0)
    assert Position.of(table.game).preview((), (), (2, 3)).changes == ()
    assert Position.of(table.game).preview((), (), (0, 9, -4)).changes == paid
    table.roll("HEHEEA", [0, 1], final=False)
    assert table.energy(0) == 1


def test_what_the_dice_bring_comes_on_top_of_what_throwing_them_cost() -> None:
    table = cursed().roll("OHHAAE", final=False)
    for faces, rethrown in (("EHHAAE", (0,)), ("EHHAAE", ()), ("AAEEHH", ())):
        before = Position.of(table.game).digest()
        previewed = Position.of(table.game).preview(dice(faces), (), rethrown)
        assert previewed.changes == (Change(ME, Number.ENERGY, 3, 2),)
        (energy,) = [row for row in previewed.rows if row.face is Face.ENERGY]
        assert energy.changes == (Change(ME, Number.ENERGY, 2, 4),)
        assert Position.of(table.game).digest() == before
    table.order("EHA").roll("EHHAAE", [0])
    assert table.energy(0) == 4


def test_energy_that_is_missing_for_a_throw_is_told() -> None:
    table = cursed(4).roll("OHHAAE", final=False)
    assert Position.of(table.game).preview((), (), (0,)).lacking == 1
    assert Position.of(table.game).preview((), (), (1,)).lacking == 0


def test_the_last_throw_of_a_turn_is_known_as_such() -> None:
    table = cursed().roll("HHHAAE", final=False).roll("HHHAAH", [5], final=False)
    assert (table.open_roll.left, table.open_roll.more) == (1, False)
    table.roll("HHHAAA", [5], final=False)
    assert table.game.turn.final


def test_where_a_power_may_add_a_roll_none_is_the_last() -> None:
    table = Scene(TOKYO, cards={0: ("telepath",)}, energy={0: 1}).begin()
    for rethrown in ((), (0,), (0,)):
        assert table.open_roll.more
        table.roll("HHHHHH", rethrown, final=False)
    assert (table.open_roll.free, table.open_roll.left) == ((), 0)
    assert table.roll("HHHHHH").asked == "roll@1"


def test_dice_that_may_be_thrown_for_nothing_may_follow_the_last_roll() -> None:
    table = Scene(TOKYO, cards={0: ("background_dweller",)}).begin()
    table.roll("HHHHHH", final=False).roll("HHHHH3", [5], final=False)
    assert (table.open_roll.left, table.open_roll.more) == (1, True)


def test_a_roll_that_a_card_asks_for_comes_to_what_it_does_to_its_seat() -> None:
    table = Scene(
        TOKYO, cards={1: ("camouflage",)}, at=("outside", "tokyo_city", "outside")
    ).begin()
    table.order("AH").roll("AAHHHH")
    assert (table.asked, table.open_roll.main) == ("cancel@1", False)
    before = Position.of(table.game).digest()
    for faces, health in (("EE", 8), ("EH", 9)):
        previewed = Position.of(table.game).preview_throw(dice(faces))
        assert (previewed.rows, previewed.changes) == (
            (),
            (Change(Seat(1), Number.HEALTH, 10, health),),
        )
    assert Position.of(table.game).preview_throw(dice("HH")).changes == ()
    assert Position.of(table.game).preview_throw(dice("E")).changes == ()
    assert Position.of(table.game).digest() == before


def test_a_die_thrown_again_for_a_card_is_named_by_what_it_shows() -> None:
    table = Scene(TOKYO, cards={1: ("psychic_probe",)}).begin().order("H1").roll("1HHHHH")
    table.power("make_it_reroll", 1).choose("die_0")
    assert ("face", "one") in table.open_roll.about
    assert Position.of(table.game).preview_throw(dice("3")).changes == ()
