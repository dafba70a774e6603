"""Eight cards of King of Tokyo in depth: each works, does not work just outside its condition, and
meets other cards.
"""

from __future__ import annotations

import pytest

from tests.engine.cards.scenes import card_hurts, resolve
from tests.engine.cards.tokyo_tables import BAY, CITY, OUT, scene
from tests.engine.tables import Table


class TestCamouflage:
    @pytest.mark.clause("TK-7.5")
    def test_a_die_for_each_point_and_a_heart_cancels_one(self) -> None:
        table = resolve(scene((1, "camouflage")), "AAA")
        asked = table.open_roll
        assert (asked.key, asked.seat, asked.dice, asked.main) == ("cancel", 1, 3, False)
        table.roll("H1E")
        assert table.since() == {1: {"health": -2}}
        assert table.asked == "flee@1"
        assert table.choose("stay").asked == "roll@1"

    @pytest.mark.clause("TK-7.5", "TK-10.4")
    def test_wholly_cancelled_there_is_nothing_to_flee_from(self) -> None:
        table = resolve(scene((1, "camouflage")), "AA").roll("HH")
        assert table.since() == {1: {"stars": 2}}
        assert table.asked == "roll@1"

    @pytest.mark.clause("H14")
    @pytest.mark.parametrize("mine", [("camouflage", "mimic"), ("mimic", "camouflage")])
    def test_two_of_them_take_turns_with_so_many_points(self, mine: tuple[str, str]) -> None:
        copies = {"mimic": "camouflage"}
        table = scene(*((2, name) for name in mine), copies=copies)
        table = card_hurts(table, (2, 10)).roll("11111111").roll("1H")
        assert table.roll("11111111").roll("H").since() == {2: {"health": -8}}

    @pytest.mark.clause("TK-13.2")
    def test_in_a_packet_the_others_wait_for_its_dice(self) -> None:
        table = card_hurts(scene((1, "camouflage")), (0, 1), (1, 2), (2, 1))
        assert table.asked == "cancel@1"
        assert table.since() == {}  # nobody is hurt yet
        table.roll("HH")
        assert table.since() == {0: {"health": -1}, 2: {"health": -1}}


class TestWings:
    @pytest.mark.clause("TK-16.18")
    def test_two_energy_and_no_health_is_lost(self) -> None:
        table = resolve(scene((1, "wings"), energy={1: 3}), "AAA")
        assert table.asked == "take_wing@1"
        table.choose("use")
        assert table.since() == {1: {"energy": -2, "stars": 2}}
        assert table.asked == "roll@1"
        assert table.place(1) == CITY  # nothing to yield to: no damage was done


class TestJets:
    @pytest.mark.clause("TK-10.2")
    def test_yielding_costs_no_health_and_the_attacker_moves_in(self) -> None:
        table = resolve(scene((1, "jets")), "AAA")
        assert table.asked == "flee_unhurt@1"
        assert table.since() == {}
        table.choose("flee_outside")
        assert table.since() == {0: {"stars": 1, "place": CITY}, 1: {"place": OUT}}
        assert table.asked == "roll@1"

    def test_staying_hurts_and_is_not_asked_again(self) -> None:
        table = resolve(scene((1, "jets")), "AAA").choose("stay")
        assert table.since() == {1: {"health": -3, "stars": 2}}
        assert table.asked == "roll@1"


class TestFireBreathing:
    @pytest.mark.clause("TK-16.4", "TK-16.13")
    def test_both_neighbours_take_one_more_target_or_not(self) -> None:
        table = resolve(
            scene((0, "fire_breathing"), players=5, at=(OUT, OUT, CITY, OUT, OUT)), "AA"
        )
        assert table.since() == {1: {"health": -1}, 2: {"health": -2}, 4: {"health": -1}}
        assert table.asked == "flee@2"
        table.choose("stay")
        assert table.since() == {0: {"place": BAY, "stars": 1}}
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-16.4")
    def test_once_for_an_attack_on_many(self) -> None:
        table = scene((1, "fire_breathing"), players=4, active=1)
        table.since()
        resolve(table, "AA")
        assert table.since() == {0: {"health": -3}, 2: {"health": -3}, 3: {"health": -2}}
        assert table.asked == "roll@2"

    @pytest.mark.clause("TK-16.13")
    def test_damage_by_a_card_of_its_owner_counts(self) -> None:
        table = card_hurts(scene((0, "fire_breathing"), players=4), (2, 2), by=0)
        assert table.since() == {1: {"health": -1}, 2: {"health": -2}, 3: {"health": -1}}
        assert table.asked == "roll@0"

    def test_camouflage_answers_the_fire_as_well(self) -> None:
        """The extra point is a happening of its own: what treated the first may treat it too."""
        table = resolve(scene((0, "fire_breathing"), (1, "camouflage")), "AA")
        assert table.asked == "cancel@1"
        table.roll("H1")
        assert table.since() == {1: {"health": -1}}
        assert table.asked == "cancel@1"
        table.roll("H")
        assert table.since() == {2: {"health": -1}}
        assert table.asked == "flee@1"
        table.choose("stay")
        assert table.asked == "roll@1"


class TestItHasAChild:
    @pytest.mark.clause("TK-16.17", "TK-9.5")
    def test_it_goes_on_without_cards_and_stars_and_the_attacker_takes_tokyo(self) -> None:
        table = scene(
            (1, "it_has_a_child"), (1, "wings"), health={1: 2}, stars={1: 7}, energy={1: 1}
        )
        resolve(table, "AAA")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": 8, "stars": -7, "place": OUT},
        }
        assert table.energy(1) == 1
        assert table.cards(1) == []
        assert sorted(table.game.discards) == ["it_has_a_child", "wings"]
        assert table.asked == "roll@1"


class TestOpportunist:
    @staticmethod
    def swept(*cards: tuple[int, str], **more: object) -> Table:
        energy = {0: 9, 1: 9, 2: 9}
        table = scene(*cards, **{"energy": energy} | more)
        table.roll("HHHHHH")
        table.since()
        return table.choose("sweep")

    @pytest.mark.clause("TK-16.3")
    def test_a_card_may_be_bought_the_moment_it_is_revealed(self) -> None:
        table = self.swept((2, "opportunist")).show("wings")
        assert table.asked == "buy_at_once@2"
        table.buy("wings")
        assert table.since() == {0: {"energy": -2}, 2: {"energy": -6}}
        assert table.cards(2) == ["opportunist", "wings"]
        assert table.asked == "card@2"
        table.show("heal")  # what it bought is replaced at once, and it may buy that too
        assert table.asked == "buy_at_once@2"
        table.choose("pass").show("gourmet", "jets")
        assert table.shop() == ["heal", "gourmet", "jets"]
        assert table.asked == "buy@0"  # 3 energy: too little for the others
        assert table.end_turn().asked == "roll@1"

    @pytest.mark.clause("TK-16.3")
    @pytest.mark.parametrize(("original", "mimic"), [(1, 2), (2, 1)])
    def test_of_two_the_nearest_to_the_left_of_the_active_is_first(
        self, original: int, mimic: int
    ) -> None:
        table = self.swept(
            (original, "opportunist"), (mimic, "mimic"), copies={"mimic": "opportunist"}
        ).show("wings")
        assert table.asked == "buy_at_once@1"
        table.choose("pass")
        assert table.asked == "buy_at_once@2"
        table.buy("wings")
        assert table.since() == {0: {"energy": -2}, 2: {"energy": -6}}

    @pytest.mark.clause("TK-16.3")
    def test_the_active_one_comes_last(self) -> None:
        table = self.swept((0, "opportunist"), (2, "mimic"), copies={"mimic": "opportunist"})
        table.show("jets")
        assert table.asked == "buy_at_once@2"
        table.choose("pass")
        assert table.asked == "buy_at_once@0"

    def test_it_may_answer_what_its_own_purchase_reveals(self) -> None:
        table = self.swept((2, "opportunist"), energy={0: 9, 2: 20})
        table.show("jets").buy("jets").show("wings").buy("wings").show("heal").buy("heal")
        assert table.since() == {0: {"energy": -2}, 2: {"energy": -5 - 6 - 3}}
        assert table.cards(2) == ["opportunist", "jets", "wings"]
        assert table.asked == "card@2"


class TestPsychicProbe:
    @pytest.mark.clause("TK-16.20")
    def test_one_die_of_the_owners_choice_is_thrown_again(self) -> None:
        table = scene((2, "psychic_probe")).order("1AH").roll("111AHH")
        assert table.asked == "last_word@2"
        assert table.offered(2) == ["make_it_reroll"]
        table.power("make_it_reroll", 2)
        assert table.asked == "probe@2"
        assert len(table.open) == 6
        table.choose("die_2")
        asked = table.open_roll
        assert (asked.key, asked.dice, asked.main) == ("rethrow", 1, False)
        table.roll("A")
        assert table.since() == {1: {"health": -2}}  # two claws now, and no triple
        assert table.cards(2) == ["psychic_probe"]
        assert table.choose("stay").asked == "roll@1"

    def test_not_in_ones_own_turn(self) -> None:
        table = scene((0, "psychic_probe")).order("1AH").roll("111AHH")
        assert table.asked == "flee@1"


class TestMimic:
    @staticmethod
    def bought(*cards: tuple[int, str], **more: object) -> Table:
        """Seat 0 has just bought Mimic."""
        shop = ("mimic", "energize", "frenzy")
        table = scene(*cards, **{"energy": {0: 12}, "shop": shop} | more)
        table.roll("HHHHHH").buy("mimic")
        table.since()
        return table

    @pytest.mark.clause("TK-16.9")
    def test_it_counts_as_a_keep_card_in_play(self) -> None:
        table = self.bought((1, "camouflage"), (2, "wings"))
        assert table.asked == "copy@0"
        wings = table.card("wings").id
        assert table.open == [f"copy_{table.card('camouflage').id}", f"copy_{wings}"]
        table.choose(f"copy_{wings}").show("heal")
        hurt = card_hurts(table, (0, 2))
        assert hurt.asked == "take_wing@0"
        hurt.choose("use")
        assert hurt.since() == {0: {"energy": -2}}
        assert hurt.end_turn().asked == "roll@1"

    @pytest.mark.clause("TK-16.9")
    def test_at_the_start_of_a_turn_one_energy_moves_the_token(self) -> None:
        table = scene(
            (0, "mimic"), (2, "wings"), (1, "jets"), energy={0: 3}, copies={"mimic": "jets"}
        )
        assert table.offered(0) == ["pay_to_copy_another"]
        table.power("pay_to_copy_another", 0)
        assert table.asked == "copy@0"
        assert table.open == [f"copy_{table.card('wings').id}"]  # not the one it copies already
        table.choose(table.open[0])
        assert table.since() == {0: {"energy": -1}}
        assert table.card("mimic").copies == table.card("wings").id
        assert table.asked == "roll@0"
        assert table.offered(0) == []  # once a turn

    @pytest.mark.parametrize(
        ("energy", "active", "rolled"), [(0, 0, False), (3, 1, False), (3, 0, True)]
    )
    def test_not_without_energy_nor_in_anothers_turn_nor_after_the_first_roll(
        self, energy: int, active: int, rolled: bool
    ) -> None:
        table = scene((0, "mimic"), (2, "wings"), energy={0: energy}, active=active)
        if rolled:
            table.roll("123AHH", final=False)
        assert table.offered(0) == []

    @pytest.mark.clause("TK-16.9")
    def test_when_the_original_leaves_the_token_comes_back(self) -> None:
        table = scene(
            (0, "mimic"), (2, "wings"), energy={0: 9}, copies={"mimic": "wings"}, health={2: 1}
        )
        hurt = card_hurts(table, (2, 1))
        assert hurt.card("mimic").copies is None
        assert hurt.asked == "roll@0"
        again = card_hurts(hurt, (0, 1))
        assert again.asked == "roll@0"  # no wings any more
        assert again.health(0) == 9

    @pytest.mark.clause("TK-16.4")
    def test_fire_and_its_copy_in_one_seat_burn_twice_and_no_more(self) -> None:
        table = scene(
            (0, "fire_breathing"), (0, "mimic"), copies={"mimic": "fire_breathing"}, players=4
        )
        resolve(table, "A")
        assert table.since() == {1: {"health": -3}, 3: {"health": -2}}
        assert table.choose("stay").asked == "roll@1"


class TestMeetings:
    @pytest.mark.clause("TK-G1")
    @pytest.mark.parametrize("mine", [("camouflage", "wings"), ("wings", "camouflage")])
    def test_camouflage_then_wings(self, mine: tuple[str, str]) -> None:
        """Who is hurt says so, whichever is older: hearts cancel some, the rest is flown over."""
        table = resolve(scene(*((1, name) for name in mine), energy={1: 2}), "AAA")
        assert table.asked == "saved_by@1"
        table.first("camouflage").roll("H12")
        assert table.asked == "take_wing@1"
        table.choose("use")
        assert table.since() == {1: {"energy": -2, "stars": 2}}
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-G1")
    def test_wings_first_then_no_dice_for_camouflage(self) -> None:
        table = resolve(scene((1, "camouflage"), (1, "wings"), energy={1: 2}), "AAA")
        assert table.first("wings").asked == "take_wing@1"
        table.choose("use")
        assert table.since() == {1: {"energy": -2, "stars": 2}}
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-16.18")
    def test_on_the_wing_camouflage_rolls_no_more_this_turn(self) -> None:
        """Once in the air nothing hurts: no dice, no second price."""
        table = resolve(
            scene((1, "camouflage"), (1, "wings"), (0, "fire_breathing"), energy={0: 2, 1: 9}), "AA"
        )
        table.first("camouflage").roll("H1").choose("use")
        assert table.since() == {1: {"energy": -2}}
        assert table.asked == "buy@0"
        hurt = card_hurts(table, (1, 3))
        assert hurt.asked == "buy@0"
        assert hurt.since() == {}

    def test_with_every_other_group_resolved_no_die_can_be_turned(self) -> None:
        table = scene((0, "stretchy"), energy={0: 5}).order("123HAE").roll("123HAE")
        assert table.asked == "last_word@0"
        table.choose("go")
        assert table.asked == "flee@1"  # only ENERGY is left, and nothing to turn it to
        assert table.offered(0) == []
        assert table.choose("stay").end_turn().asked == "roll@1"
