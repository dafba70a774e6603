"""Throws of King of Tokyo that are not the turn's own, and the cards about rerolls (H32)."""

from __future__ import annotations

import pytest

from companion.engine.questions import Roll
from tests.engine.cards.tokyo_tables import NOBODY_IN, next_roll, resolve, scene
from tests.engine.tables import Table, dice

HIDING = ((1, "camouflage"), (1, "background_dweller"))


def roll_of(table: Table) -> Roll:
    asked = table.question
    assert isinstance(asked, Roll), table.asked
    return asked


class TestCamouflageDice:
    @pytest.mark.clause("H32", "TK-16.16")
    def test_threes_may_be_thrown_again_before_they_count(self) -> None:
        table = resolve(scene(*HIDING), "AA").roll("33", final=False)
        assert table.asked == "cancel@1"
        asked = roll_of(table)
        assert (asked.showing, asked.free, asked.more) == (dice("33"), (0, 1), True)
        assert table.since() == {}
        table.roll("H1", [0, 1])
        assert table.since() == {1: {"health": -1}}
        next_roll(table.choose("stay"))

    @pytest.mark.clause("H32")
    @pytest.mark.parametrize("final", [True, False])
    def test_without_a_three_the_throw_stands(self, final: bool) -> None:
        table = resolve(scene(*HIDING), "AA").roll("1H", final=final)
        assert table.since() == {1: {"health": -1}}

    @pytest.mark.clause("H32")
    @pytest.mark.parametrize(
        "cards",
        [
            pytest.param(((1, "camouflage"),), id="no card about rerolls"),
            pytest.param(((1, "camouflage"), (0, "background_dweller")), id="of the attacker"),
            pytest.param(((1, "camouflage"), (1, "giant_brain")), id="giant_brain"),
            pytest.param(((1, "camouflage"), (1, "telepath")), id="telepath"),
            pytest.param(((1, "camouflage"), (1, "smoke_cloud")), id="smoke_cloud"),
            pytest.param(((1, "camouflage"), (1, "stretchy")), id="stretchy"),
            pytest.param(((1, "camouflage"), (1, "plot_twist")), id="plot_twist"),
            pytest.param(((1, "camouflage"), (1, "herd_culler")), id="herd_culler"),
            pytest.param(((1, "camouflage"), (2, "psychic_probe")), id="psychic_probe"),
        ],
    )
    def test_other_cards_touch_the_roll_of_a_turn_only(
        self, cards: tuple[tuple[int, str], ...]
    ) -> None:
        table = scene(*cards, energy={1: 2}, counters={"smoke_cloud": 3}).order("AH").roll("AAHHHH")
        if table.asked.startswith("last_word"):
            table.choose("go")
        table.since()
        assert (table.offered(1), table.offered(2)) == ([], [])
        table.roll("33", final=False)
        assert table.since()[1] == {"health": -2}

    @pytest.mark.clause("H32", "H14")
    def test_more_points_than_dice_are_thrown_in_two_throws(self) -> None:
        cards = (*HIDING, (0, "spiked_tail"), (0, "extra_head"), (0, "mimic"))
        table = scene(*cards, copies={"mimic": "extra_head"})
        table.roll("AAAAAAAA").roll("3HHHHHHH", final=False).roll("HHHHHHHH", [0])
        table.roll("3", final=False).roll("1", [0])
        assert table.since() == {1: {"health": -1}}


class TestTheProbedDie:
    @pytest.mark.clause("H32", "TK-16.20")
    def test_whose_die_it_is_may_throw_its_three_again(self) -> None:
        cards = ((0, "background_dweller"), (2, "psychic_probe"))
        table = resolve(scene(*cards, at=NOBODY_IN), "11")
        table.power("make_it_reroll", 2).choose("die_2").roll("3", final=False)
        assert table.asked == "rethrow@0"
        assert roll_of(table).free == (0,)
        table.roll("1", [0])
        assert table.since() == {0: {"stars": 1}}
        assert table.cards(2) == ["psychic_probe"]
