"""King of Tokyo's cards about dice: how many, how often, what they become and score; and throws
that are not the turn's own (H32)."""

from __future__ import annotations

import pytest

from companion.engine.events import DiceRolled
from tests.engine.cards.scenes import next_roll, resolve
from tests.engine.cards.tokyo_tables import CITY, FOUND, NOBODY_IN, scene, shopping
from tests.engine.tables import dice


class TestExtraHead:
    def test_one_die_more(self) -> None:
        table = scene((0, "extra_head"))
        assert table.open_roll.dice == 7
        assert table.refuses(DiceRolled(dice("HHHHHH"))) == "dice_count"
        next_roll(table.roll("HHHHHHH"))


class TestGiantBrain:
    def test_three_rerolls(self) -> None:
        table = scene((0, "giant_brain"))
        for _ in range(3):
            table.roll("HHHHHH", [] if not table.game.turn.faces else [0], final=False)
            assert table.asked == "roll@0"
        assert table.game.turn.rolls_left == 1
        table.roll("HHHHHH", [0], final=False)
        assert table.asked == "roll@1"


class TestBackgroundDweller:
    @pytest.mark.clause("TK-16.16")
    def test_throwing_three_again_uses_up_no_roll(self) -> None:
        table = scene((0, "background_dweller")).roll("333HHH", final=False)
        assert table.game.turn.rolls_left == 2
        table.roll("313HHH", [0, 1], final=False).roll("213HHH", [0], final=False)
        assert table.game.turn.rolls_left == 2

    def test_thrown_with_other_dice_it_is_a_roll(self) -> None:
        table = scene((0, "background_dweller")).roll("333HHH", final=False)
        table.roll("213HHH", [0, 1, 5], final=False)
        assert table.game.turn.rolls_left == 1


class TestTelepath:
    def test_each_energy_buys_one_more_reroll_after_the_last(self) -> None:
        table = scene((0, "telepath"), energy={0: 3})
        assert table.open_roll.counted  # the table tells every throw
        table.roll("HHHHHH", final=False).roll("HHHHHH", [0], final=False)
        table.roll("HHHHHH", [0], final=False)
        assert not table.open_roll.free
        table.power("roll_by_thought", 0)
        assert table.open_roll.free == (0, 1, 2, 3, 4, 5)
        table.roll("1HHHHH", [0], final=False).power("roll_by_thought", 0)
        table.roll("11HHHH", [1], final=False)
        assert table.since() == {0: {"energy": -2}}
        next_roll(table.order("1H").roll("11HHHH"))

    def test_not_before_the_first_roll_nor_in_turns_of_others(self) -> None:
        assert scene((0, "telepath"), energy={0: 3}).offered(0) == []
        table = scene((2, "telepath"), energy={2: 3}).roll("HHHHHH", final=False)
        assert table.offered(2) == []
        assert not table.open_roll.counted

    def test_the_last_energy_ends_the_waiting(self) -> None:
        table = scene((0, "telepath"), energy={0: 1})
        table.roll("HHHHHH", final=False).power("roll_by_thought", 0)
        assert table.game.turn.rolls_left == 3
        for _ in range(3):
            table.roll("HHHHHH", [0], final=False)
        assert table.asked == "roll@1"


class TestSmokeCloud:
    def test_it_starts_with_three_tokens(self) -> None:
        table = shopping("smoke_cloud").buy("smoke_cloud").show(FOUND)
        assert table.card("smoke_cloud").counters == 3
        assert table.since() == {0: {"energy": -4}}
        assert table.offered(0) == []  # the dice are resolved
        next_roll(table)

    def test_the_last_token_takes_the_card_along(self) -> None:
        table = scene((0, "smoke_cloud"), counters={"smoke_cloud": 1})
        table.roll("HHHHHH", final=False).power("blow_smoke", 0)
        assert table.cards(0) == []
        assert table.game.discards == ("smoke_cloud",)
        assert table.game.turn.rolls_left == 3
        assert table.offered(0) == []
        next_roll(table.roll("HHHHHH"))

    def test_without_a_token_there_is_nothing_to_spend(self) -> None:
        assert scene((0, "smoke_cloud")).roll("HHHHHH", final=False).offered(0) == []

    def test_not_while_another_has_a_die_thrown_again(self) -> None:
        cards = ((0, "smoke_cloud"), (0, "telepath"), (2, "psychic_probe"))
        table = scene(*cards, counters={"smoke_cloud": 3}, energy={0: 2}).roll("HHHHHH")
        table.power("make_it_reroll", 2).choose("die_0")
        assert table.open_roll.key == "rethrow"
        assert table.offered(0) == []
        next_roll(table.order("1H").roll("1"))


class TestGourmet:
    @pytest.mark.parametrize(("ones", "stars"), [("111", 1 + 2), ("1111", 2 + 2)])
    def test_two_stars_more_for_three_one(self, ones: str, stars: int) -> None:
        table = resolve(scene((0, "gourmet"), energy={0: 2}), ones)
        assert table.since() == {0: {"stars": stars}}
        next_roll(table)


class TestCompleteDestruction:
    def test_all_six_faces_nine_stars_and_what_they_do_besides(self) -> None:
        table = resolve(scene((0, "complete_destruction"), energy={0: 1}), "123EAH")
        assert table.since() == {0: {"stars": 9, "energy": 1}, 1: {"health": -1}}
        next_roll(table.choose("stay"))


class TestOmnivore:
    def test_once_and_the_dice_score_besides(self) -> None:
        table = resolve(scene((0, "omnivore"), energy={0: 2}), "112233")
        assert table.since() == {0: {"stars": 2}}
        table = resolve(scene((0, "omnivore"), energy={0: 2}), "111123")
        assert table.since() == {0: {"stars": 2 + 2}}

    @pytest.mark.parametrize("faces", ["12", "1133", "2233"])
    def test_one_number_short(self, faces: str) -> None:
        table = resolve(scene((0, "omnivore"), energy={0: 2}), faces)
        assert table.since() == {}


class TestFreezeTime:
    @pytest.mark.clause("TK-16.25", "H37")
    def test_each_further_turn_has_one_die_fewer_than_the_one_that_won_it(self) -> None:
        table = scene((0, "freeze_time"))
        for left in (5, 4, 3, 2):
            resolve(table, "111").choose("use")
            assert (table.asked, table.open_roll.dice) == ("roll@0", left)
        next_roll(table.roll("HH"))
        assert table.open_roll.dice == 6

    @pytest.mark.clause("H37")
    def test_one_fewer_than_the_box_has_if_more_dice_are_due(self) -> None:
        heads = ((0, "extra_head"), (0, "extra_head"), (0, "mimic"))
        table = scene((0, "freeze_time"), *heads, copies={"mimic": "extra_head"})
        assert table.open_roll.dice == 8
        assert resolve(table, "111").choose("use").open_roll.dice == 7

    @pytest.mark.clause("H37")
    def test_two_turns_won_by_one_result_have_one_die_fewer_each(self) -> None:
        cards = ((0, "freeze_time"), (0, "mimic"))
        table = resolve(scene(*cards, copies={"mimic": "freeze_time"}), "111")
        table.choose("use").choose("use")
        for _ in range(2):
            assert (table.asked, table.open_roll.dice) == ("roll@0", 5)
            table.roll("HHHHH").end_turn()
        assert table.asked == "roll@1"

    @pytest.mark.parametrize("faces", ["11", "222"])
    def test_two_are_one_short_and_other_numbers_do_not_count(self, faces: str) -> None:
        table = resolve(scene((0, "freeze_time"), energy={0: 2}), faces)
        assert table.asked == "buy@0"
        next_roll(table)


class TestHerdCuller:
    def test_one_die_becomes_a_one_before_the_dice_resolve(self) -> None:
        table = resolve(scene((0, "herd_culler")), "11A")
        assert table.asked == "last_word@0"
        table.power("cull_the_herd", 0).choose("die_2")
        assert table.since() == {0: {"stars": 1}, 1: {"stars": 2}}
        assert table.asked == "roll@1"

    def test_not_in_turns_of_others_nor_before_the_last_roll(self) -> None:
        assert resolve(scene((2, "herd_culler"), energy={0: 2}), "11").asked == "buy@0"
        assert scene((0, "herd_culler")).roll("11HHHH", final=False).offered(0) == []

    def test_not_when_the_one_are_resolved(self) -> None:
        table = scene((0, "herd_culler")).order("1AH").roll("11AAHH").choose("go")
        assert table.asked == "flee@1"
        assert table.offered(0) == []


class TestPlotTwist:
    def test_one_die_becomes_any_face_and_the_card_is_gone(self) -> None:
        table = resolve(scene((0, "plot_twist"), at=NOBODY_IN), "33")
        table.power("twist", 0).choose("die_2")
        assert table.open == ["energy", "attack", "one", "two", "three"]
        table.choose("three")
        assert table.cards(0) == []
        assert table.game.discards == ("plot_twist",)
        assert table.since() == {0: {"stars": 3}}
        assert table.asked == "roll@1"


class TestStretchy:
    @pytest.mark.clause("TK-12.6")
    def test_two_energy_turn_a_die_as_often_as_they_can_be_paid(self) -> None:
        table = resolve(scene((0, "stretchy"), energy={0: 5}, at=NOBODY_IN), "3")
        for die in ("die_1", "die_2"):
            assert table.asked == "last_word@0"
            table.power("stretch", 0).choose(die).choose("three")
        assert table.since() == {0: {"energy": -4, "stars": 3}}
        assert table.asked == "roll@1"


class TestDiceTogether:
    def test_all_three_are_asked_for_once_before_the_dice_resolve(self) -> None:
        mine = ((0, "stretchy"), (0, "plot_twist"), (0, "herd_culler"))
        table = resolve(scene(*mine, energy={0: 2}, at=NOBODY_IN), "3EE")
        assert table.asked == "last_word@0"
        assert table.offered(0) == ["stretch", "twist", "cull_the_herd"]
        table.power("cull_the_herd", 0).choose("die_3")
        table.power("twist", 0).choose("die_4").choose("one")
        assert table.asked == "last_word@0"
        table.power("stretch", 0).choose("die_5").choose("one")
        assert table.since() == {0: {"stars": 1}}  # 2 energy spent, 2 rolled
        next_roll(table)

    def test_a_twisted_die_may_complete_the_set_of_six(self) -> None:
        cards = ((0, "complete_destruction"), (0, "plot_twist"))
        table = resolve(scene(*cards, at=NOBODY_IN), "123EE")
        table.power("twist", 0).choose("die_4").order("123EHA").choose("attack")
        assert table.since() == {0: {"stars": 9 + 1, "energy": 1, "place": CITY}}


HIDING = ((1, "camouflage"), (1, "background_dweller"))


class TestCamouflageDice:
    @pytest.mark.clause("H32", "TK-16.16")
    def test_threes_may_be_thrown_again_before_they_count(self) -> None:
        table = resolve(scene(*HIDING), "AA").roll("33", final=False)
        assert table.asked == "cancel@1"
        asked = table.open_roll
        assert (asked.showing, asked.free, asked.more) == (dice("33"), (0, 1), True)
        assert table.since() == {}
        table.roll("H1", [0, 1])
        assert table.since() == {1: {"health": -1}}
        next_roll(table.choose("stay"))


class TestTheProbedDie:
    @pytest.mark.clause("H32", "TK-16.20")
    def test_whose_die_it_is_may_throw_its_three_again(self) -> None:
        cards = ((0, "background_dweller"), (2, "psychic_probe"))
        table = resolve(scene(*cards, at=NOBODY_IN), "11")
        table.power("make_it_reroll", 2).choose("die_2").roll("3", final=False)
        assert table.asked == "rethrow@0"
        assert table.open_roll.free == (0,)
        table.roll("1", [0])
        assert table.since() == {0: {"stars": 1}}
        assert table.cards(2) == ["psychic_probe"]

    @pytest.mark.clause("H38", "TK-16.16")
    def test_it_is_not_the_probers_to_throw_again(self) -> None:
        cards = ((2, "background_dweller"), (2, "psychic_probe"))
        table = resolve(scene(*cards, at=NOBODY_IN), "11")
        table.power("make_it_reroll", 2).choose("die_2")
        assert table.open_roll.loose == ()
        assert table.roll("3", final=False).asked == "roll@1"
