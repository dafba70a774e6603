"""Guarantees of the agenda loop in any position; `tests/breaks` breaks each on purpose."""

from __future__ import annotations

import pytest

from companion.engine.effects.numbers import Damage, GainStars, Heal, LoseStars
from companion.engine.values import Ended, Number, Seat, UnitKind
from tests.engine.tables import NEW_YORK, TOKYO, Scene

OUT, CITY = "outside", "tokyo_city"


def test_what_is_cut_down_to_nothing_did_not_happen() -> None:
    """Nobody is told to heal a healthy Monster, or to take stars from who has none."""
    table = Scene(NEW_YORK).begin().roll("HHHHHH")
    assert table.happened(Heal) == []
    table = Scene(NEW_YORK, goals={"statue_of_liberty": 2}).begin().roll("OOOOOO")
    assert table.happened(LoseStars) == []
    table = Scene(NEW_YORK, stars={0: 20}, goals={"superstar": 0}).begin().order("CH")
    table.roll("CHHHHH")
    assert table.happened(GainStars) == []


def test_what_was_to_be_replaced_happens_when_its_replacer_is_gone() -> None:
    """Asked whether it sheds its Carapace it does so by its power: the blow comes all the same."""
    table = Scene(
        NEW_YORK, cards={1: ("carapace",)}, counters={"carapace": 3}, health={1: 2}
    ).begin()
    table.order("AH").roll("AAHHHH")
    assert table.asked == "shed_at_last@1"
    table.power("shed_the_shell", 1)
    assert table.cards(1) == []
    assert [(e.seat, e.amount) for e in table.happened(Damage)] == [(1, 2)]
    assert table.since() == {1: {"health": 3 - 2}}
    assert table.asked == "flee@1"


def test_and_when_its_replacer_has_nothing_more_to_say() -> None:
    """Asked whether it takes wing it turns out to have no energy for it."""
    table = Scene(TOKYO, cards={1: ("wings",)}, energy={1: 2}).begin()
    table.order("AH").roll("AAHHHH")
    assert table.asked == "take_wing@1"
    table.correct(1, Number.ENERGY, 1)
    assert table.since() == {1: {"health": -2, "energy": -1}}
    assert table.asked == "flee@1"


@pytest.mark.clause("NY-16.3")
@pytest.mark.clause("NY-18.9")
def test_all_who_fall_at_once_are_gone_before_room_is_made() -> None:
    """Were seat 1 gone first, four would be left while both tracks are taken."""
    table = Scene(
        NEW_YORK,
        players=5,
        at=("brooklyn", "queens", "lower_2_4", "lower_5_6", "bronx"),
        health={1: 1, 2: 1},
        units={"queens": (UnitKind.INFANTRY,), "manhattan": (UnitKind.JET,)},
    ).begin()
    table.roll("OOOOOO")
    assert table.since() == {
        0: {"stars": 3},
        1: {"health": -1, "alive": False},
        2: {"health": -1, "alive": False},
        3: {"health": -1, "place": "lower_2_4"},
    }
    assert table.asked == "move@0"


def test_who_came_to_the_goal_by_an_earlier_happening_was_first() -> None:
    table = Scene(
        TOKYO,
        players=4,
        at=(OUT, CITY, OUT, OUT),
        cards={2: ("eater_of_the_dead",)},
        stars={0: 18, 2: 17},
        health={1: 1},
    ).begin()
    table.order("2AH").roll("222AHH")  # two stars for the dice, then three for the dead
    assert table.stars(0) == table.stars(2) == 20
    assert table.game.ended == Ended("stars", (Seat(0),))
