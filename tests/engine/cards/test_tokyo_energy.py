"""King of Tokyo's cards about energy, stars and health: armour, healing, and what the end of a
turn brings."""

from __future__ import annotations

import pytest

from companion.engine.values import Ended, Seat, Token
from tests.engine.cards.tokyo_tables import (
    CITY,
    FOUND,
    NOBODY_IN,
    OUT,
    card_hurts,
    next_roll,
    resolve,
    scene,
    shopping,
)
from tests.engine.tables import Table

NOTHING = "112233"


# -- armour ----------------------------------------------------------------------------------------


class TestArmorPlating:
    @pytest.mark.clause("TK-16.19")
    @pytest.mark.clause("TK-10.4")
    def test_a_single_claw_does_nothing_and_there_is_nothing_to_yield_to(self) -> None:
        table = resolve(scene((1, "armor_plating"), energy={0: 2}), "A")
        assert table.since() == {}
        assert table.asked == "buy@0"
        next_roll(table)

    @pytest.mark.clause("TK-16.19")
    @pytest.mark.parametrize("claws", [2, 3])
    def test_more_hurts_in_full(self, claws: int) -> None:
        table = resolve(scene((1, "armor_plating")), "A" * claws)
        assert table.since() == {1: {"health": -claws}}
        next_roll(table.choose("stay"))

    def test_others_are_hurt_by_one(self) -> None:
        table = resolve(scene((0, "armor_plating"), active=1), "A")
        assert table.since() == {2: {"health": -1}}

    def test_a_card_is_a_source_like_claws(self) -> None:
        table = card_hurts(scene((1, "armor_plating")), (1, 1), (2, 1))
        assert table.since() == {2: {"health": -1}}
        assert card_hurts(table, (1, 2)).health(1) == 8

    @pytest.mark.clause("TK-16.19")
    def test_acid_and_a_claw_are_one_source_of_two(self) -> None:
        table = resolve(scene((0, "acid_attack"), (1, "armor_plating")), "A")
        assert table.since() == {1: {"health": -2}}
        alone = resolve(scene((0, "acid_attack"), (1, "armor_plating"), energy={0: 2}), NOTHING)
        assert alone.since() == {}

    @pytest.mark.clause("TK-16.19")
    def test_fire_is_a_source_of_its_own(self) -> None:
        table = resolve(scene((0, "fire_breathing"), (1, "armor_plating"), players=4), "AA")
        assert table.since() == {1: {"health": -2}, 3: {"health": -1}}

    @pytest.mark.clause("TK-16.19")
    @pytest.mark.parametrize(("count", "lost"), [(1, 0), (2, 2), (3, 3)])
    def test_one_poison_token_alone_does_nothing(self, count: int, lost: int) -> None:
        table = scene((0, "armor_plating"), tokens={0: {Token.POISON: count}}, at=NOBODY_IN)
        assert resolve(table, NOTHING).since() == ({0: {"health": -lost}} if lost else {})
        assert table.asked == "roll@1"

    @pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
    def test_with_camouflage_and_wings_nobody_pays_for_what_is_ignored(
        self, order: tuple[int, int, int]
    ) -> None:
        names = ("armor_plating", "camouflage", "wings")
        table = scene(*((1, names[i]) for i in order), energy={1: 2, 0: 2})
        resolve(table, "A")
        assert table.asked == "buy@0"  # one claw: no dice, no price
        assert table.since() == {}

    def test_a_heart_may_leave_a_single_point_which_is_ignored(self) -> None:
        for cards in (("armor_plating", "camouflage"), ("camouflage", "armor_plating")):
            table = scene(*((1, name) for name in (*cards, "wings")), energy={1: 2, 0: 2})
            resolve(table, "AA").first("camouflage").roll("H1")
            assert table.asked == "buy@0"
            assert table.since() == {}

    def test_two_left_after_the_hearts_may_be_flown_over(self) -> None:
        mine = ("armor_plating", "camouflage", "wings")
        table = resolve(scene(*((1, name) for name in mine), energy={1: 2}), "AAA")
        table.first("camouflage").roll("H11")
        assert table.asked == "take_wing@1"
        table.choose("pass")
        assert table.since() == {1: {"health": -2}}
        next_roll(table.choose("stay"))


class TestWereOnlyMakingItStronger:
    @pytest.mark.parametrize(("claws", "energy"), [(1, 0), (2, 1), (4, 1)])
    def test_one_energy_for_two_or_more_at_once(self, claws: int, energy: int) -> None:
        table = resolve(scene((1, "were_only_making_it_stronger")), "A" * claws)
        gain = {"energy": energy} if energy else {}
        assert table.since() == {1: {"health": -claws} | gain}
        next_roll(table.choose("stay"))

    def test_not_for_what_others_lose(self) -> None:
        table = resolve(scene((2, "were_only_making_it_stronger")), "AA")
        assert table.since() == {1: {"health": -2}}

    def test_what_was_prevented_is_not_lost(self) -> None:
        mine = ((1, "camouflage"), (1, "were_only_making_it_stronger"))
        table = resolve(scene(*mine), "AA").roll("H1")
        assert table.since() == {1: {"health": -1}}

    def test_twice_one_is_not_two_at_once(self) -> None:
        table = resolve(scene((0, "fire_breathing"), (1, "were_only_making_it_stronger")), "A")
        assert table.since() == {1: {"health": -2}, 2: {"health": -1}}

    def test_by_a_card_and_with_a_friend_of_children(self) -> None:
        mine = ((2, "were_only_making_it_stronger"), (2, "friend_of_children"))
        table = card_hurts(scene(*mine), (2, 3))
        assert table.since() == {2: {"health": -3, "energy": 2}}
        assert table.asked == "roll@0"

    def test_the_dead_gain_nothing(self) -> None:
        table = resolve(scene((1, "were_only_making_it_stronger"), health={1: 2}), "AA")
        assert table.since()[1] == {"health": -2, "alive": False}


# -- energy ----------------------------------------------------------------------------------------


class TestFriendOfChildren:
    def test_each_gain_is_one_larger(self) -> None:
        table = resolve(scene((0, "friend_of_children")), "EE")
        assert table.since() == {0: {"energy": 3}}
        next_roll(table)

    def test_without_a_gain_there_is_none(self) -> None:
        table = resolve(scene((0, "friend_of_children"), energy={0: 2}), NOTHING)
        assert table.since() == {}

    def test_others_gain_what_they_roll(self) -> None:
        assert resolve(scene((1, "friend_of_children")), "EE").since() == {0: {"energy": 2}}

    @pytest.mark.clause("TK-16.21")
    def test_with_solar_powered_two(self) -> None:
        table = scene((0, "friend_of_children"), (0, "solar_powered"), at=NOBODY_IN)
        assert resolve(table, NOTHING).since() == {0: {"energy": 2}}

    def test_with_energize_ten(self) -> None:
        table = shopping("energize", cards=((0, "friend_of_children"),))
        assert table.buy("energize").show(FOUND).since() == {0: {"energy": -8 + 10}}

    @pytest.mark.clause("TK-16.21")
    def test_not_for_what_metamorph_or_the_batteries_give_back(self) -> None:
        mine = ((0, "friend_of_children"), (0, "monster_batteries"), (0, "metamorph"))
        table = scene(*mine, counters={"monster_batteries": 6}, at=NOBODY_IN)
        assert table.energy(0) == 2
        resolve(table, NOTHING).choose("end").choose(f"sell_{table.card('metamorph').id}")
        assert table.since() == {0: {"energy": 3}}
        assert table.asked == "roll@1"

    def test_what_another_pays_is_a_gain(self) -> None:
        cards = ((0, "parasitic_tentacles"), (1, "friend_of_children"), (1, "jets"))
        table = shopping(cards=cards).power("buy_from_others", 0)
        table.choose(f"take_{table.card('jets').id}")
        assert table.since() == {0: {"energy": -5}, 1: {"energy": 6}}


class TestSolarPowered:
    def test_one_energy_at_the_end_of_a_turn_without_any(self) -> None:
        table = resolve(scene((0, "solar_powered"), at=NOBODY_IN), NOTHING)
        assert table.since() == {0: {"energy": 1}}
        assert table.asked == "roll@1"

    def test_not_with_one_left_nor_in_turns_of_others(self) -> None:
        rich = resolve(scene((0, "solar_powered"), energy={0: 1}, at=NOBODY_IN), NOTHING)
        assert rich.since() == {}
        assert resolve(scene((1, "solar_powered"), at=NOBODY_IN), NOTHING).since() == {}

    @pytest.mark.clause("TK-16.6")
    def test_in_the_very_turn_it_is_bought(self) -> None:
        table = shopping("solar_powered", energy={0: 2}, at=NOBODY_IN).buy("solar_powered")
        table.show(FOUND)
        assert table.since() == {0: {"energy": -2 + 1}}
        assert table.asked == "roll@1"


class TestMonsterBatteries:
    @pytest.mark.parametrize("stored", [0, 1, 4])
    def test_the_bank_doubles_what_is_put_on_it(self, stored: int) -> None:
        table = shopping("monster_batteries", energy={0: 6}, at=NOBODY_IN)
        table.buy("monster_batteries")
        assert table.asked == "batteries@0"
        assert table.open == ["use_0", "use_1", "use_2", "use_3", "use_4"]
        table.choose(f"use_{stored}").show(FOUND)
        assert table.card("monster_batteries").counters == 2 * stored
        assert table.since() == {0: {"energy": -2 - stored}}
        next_roll(table)

    @pytest.mark.parametrize(("there", "left"), [(6, 4), (4, 2)])
    def test_two_come_back_at_the_start_of_each_turn(self, there: int, left: int) -> None:
        table = scene((0, "monster_batteries"), counters={"monster_batteries": there})
        assert table.energy(0) == 2
        assert table.card("monster_batteries").counters == left

    @pytest.mark.parametrize("there", [0, 1, 2])
    def test_empty_it_is_discarded(self, there: int) -> None:
        table = scene((0, "monster_batteries"), counters={"monster_batteries": there})
        assert table.energy(0) == there
        assert table.cards(0) == []
        assert table.game.discards == ("monster_batteries",)
        next_roll(table.roll("HHHHHH").end_turn())

    def test_not_in_turns_of_others(self) -> None:
        table = scene((1, "monster_batteries"), counters={"monster_batteries": 4})
        assert table.energy(1) == 0
        assert table.card("monster_batteries").counters == 4


# -- the end of a turn -----------------------------------------------------------------------------


class TestEnergyHoarder:
    @pytest.mark.parametrize(("energy", "stars"), [(5, 0), (6, 1), (11, 1), (12, 2)])
    def test_a_star_for_each_full_six_which_are_kept(self, energy: int, stars: int) -> None:
        table = resolve(scene((0, "energy_hoarder"), energy={0: energy}, at=NOBODY_IN), NOTHING)
        next_roll(table)
        assert table.since() == ({0: {"stars": stars}} if stars else {})

    @pytest.mark.clause("TK-16.6")
    def test_what_was_spent_does_not_count(self) -> None:
        table = shopping("heal", cards=((0, "energy_hoarder"),), energy={0: 8}, at=NOBODY_IN)
        next_roll(table.buy("heal").show(FOUND))
        assert table.since() == {0: {"energy": -3}}

    def test_not_in_turns_of_others(self) -> None:
        table = scene((1, "energy_hoarder"), energy={1: 12, 0: 2}, at=NOBODY_IN)
        next_roll(resolve(table, NOTHING))
        assert table.since() == {}


class TestHerbivore:
    def test_a_star_for_a_turn_without_damage(self) -> None:
        table = resolve(scene((0, "herbivore"), at=NOBODY_IN), NOTHING)
        assert table.since() == {0: {"stars": 1}}
        assert table.asked == "roll@1"

    def test_none_for_a_turn_with(self) -> None:
        table = resolve(scene((0, "herbivore")), "A").choose("stay")
        assert table.stars(0) == 0

    @pytest.mark.clause("TK-7.5")
    def test_claws_that_were_wholly_prevented_hurt_nobody(self) -> None:
        table = resolve(scene((0, "herbivore"), (1, "camouflage")), "A").roll("H")
        assert table.since() == {0: {"stars": 1}, 1: {"stars": 2}}
        bounced = resolve(scene((0, "herbivore"), (1, "armor_plating")), "A")
        assert bounced.stars(0) == 1

    @pytest.mark.clause("TK-7.2")
    def test_claws_into_an_empty_tokyo_neither(self) -> None:
        table = resolve(scene((0, "herbivore"), at=NOBODY_IN), "A")
        assert table.since() == {0: {"stars": 1 + 1, "place": CITY}}

    def test_damage_by_its_cards_counts(self) -> None:
        table = shopping("fire_blast", cards=((0, "herbivore"),)).buy("fire_blast").show(FOUND)
        assert next_roll(table).stars(0) == 0

    def test_damage_it_takes_or_others_deal_does_not(self) -> None:
        table = shopping("tanks", cards=((0, "herbivore"),)).buy("tanks").show(FOUND)
        hurt = card_hurts(table, (1, 2), by=2)
        assert next_roll(hurt).stars(0) == 4 + 1

    def test_not_at_the_end_of_others_turns(self) -> None:
        table = resolve(scene((2, "herbivore"), at=NOBODY_IN), NOTHING)
        assert table.since() == {}


class TestRootingForTheUnderdog:
    @pytest.mark.clause("TK-16.23")
    @pytest.mark.parametrize(
        ("stars", "gain"), [((0, 1, 2), 1), ((0, 0, 3), 0), ((0, 0, 0), 0), ((2, 1, 3), 0)]
    )
    def test_a_star_to_who_alone_has_the_fewest(
        self, stars: tuple[int, int, int], gain: int
    ) -> None:
        underdog = scene(
            (0, "rooting_for_the_underdog"), stars=dict(enumerate(stars)), at=NOBODY_IN
        )
        resolve(underdog, NOTHING)
        assert underdog.since() == ({0: {"stars": gain}} if gain else {})
        assert underdog.asked == "roll@1"

    @pytest.mark.clause("TK-16.23")
    def test_not_in_turns_of_others(self) -> None:
        table = scene((2, "rooting_for_the_underdog"), stars={0: 3, 1: 3}, at=NOBODY_IN)
        assert resolve(table, NOTHING).since() == {}

    def test_the_dead_do_not_count(self) -> None:
        table = scene((0, "rooting_for_the_underdog"), stars={0: 1, 2: 4}, health={1: 1})
        dead = card_hurts(table, (1, 1))
        dead.since()
        assert resolve(dead, NOTHING).since() == {0: {"stars": 1}}

    def test_what_was_won_in_the_turn_counts(self) -> None:
        table = scene((0, "rooting_for_the_underdog"), stars={1: 1, 2: 1}, at=NOBODY_IN)
        assert resolve(table, "111").since() == {0: {"stars": 1}}


# -- healing ---------------------------------------------------------------------------------------


class TestRegeneration:
    @pytest.mark.parametrize(("hearts", "gain"), [("H", 2), ("HHH", 4)])
    def test_one_more_each_time_it_heals(self, hearts: str, gain: int) -> None:
        table = scene((0, "regeneration"), health={0: 3}, at=NOBODY_IN, energy={0: 2})
        table.order("H123").roll((hearts + "112233")[:6])
        assert table.since() == {0: {"health": gain}}

    def test_not_beyond_the_maximum_nor_without_a_heart(self) -> None:
        table = scene((0, "regeneration"), health={0: 9}, at=NOBODY_IN)
        assert resolve(table, "").since() == {0: {"health": 1}}
        bare = scene((0, "regeneration"), health={0: 3}, at=NOBODY_IN)
        assert resolve(bare, NOTHING).since() == {}

    @pytest.mark.clause("TK-8.2")
    def test_in_tokyo_hearts_do_nothing_and_cards_one_more(self) -> None:
        table = scene((1, "regeneration"), active=1, health={1: 3}, energy={1: 3})
        assert table.roll("HHHHHH").since() == {}
        buying = shopping("heal", cards=((0, "regeneration"),), health={0: 3}, at=(CITY, OUT, OUT))
        assert buying.buy("heal").show(FOUND).since() == {0: {"energy": -3, "health": 3}}

    @pytest.mark.clause("TK-16.15")
    def test_not_when_another_heals_it(self) -> None:
        cards = ((0, "healing_ray"), (2, "regeneration"))
        table = scene(*cards, health={2: 5}, energy={2: 9}, at=NOBODY_IN)
        table.order("H12").roll("H11223")
        table.choose("seat_2")
        assert table.health(2) == 6

    def test_others_heal_as_ever(self) -> None:
        table = scene((2, "regeneration"), health={0: 3}, at=NOBODY_IN)
        assert table.roll("HHHHHH").since() == {0: {"health": 6}}


class TestHealingRayWithRegeneration:
    """What one Monster gets from one roll is one healing (D8)."""

    def shared(self, hearts: int, *seats: int, **more: object) -> Table:
        """Seat 0 with both cards gives these seats a heart each, and keeps the others."""
        cards = ((0, "healing_ray"), (0, "regeneration"))
        table = scene(*cards, **({"health": {1: 5, 2: 5}, "energy": {1: 9, 2: 9}} | more))
        table.order("H123").roll("H" * hearts + "112233"[hearts:])
        for seat in seats:
            table.choose(f"seat_{seat}")
        if table.asked == "heal_others@0":
            table.choose("rest")
        return table

    @pytest.mark.clause("D8", "TK-16.15")
    def test_one_heart_heals_two_for_four_energy(self) -> None:
        assert self.shared(1, 1).since() == {
            0: {"energy": 4},
            1: {"health": 2, "energy": -4},
        }

    @pytest.mark.clause("D8")
    def test_two_hearts_for_one_are_one_healing(self) -> None:
        assert self.shared(2, 1, 1).since() == {
            0: {"energy": 6},
            1: {"health": 3, "energy": -6},
        }

    @pytest.mark.clause("D8")
    def test_each_monster_is_a_healing_and_so_is_the_owners_share(self) -> None:
        table = self.shared(4, 1, 2, 1, health={0: 3, 1: 5, 2: 5}, at=NOBODY_IN)
        assert table.since() == {
            0: {"energy": 6 + 4, "health": 2},
            1: {"health": 3, "energy": -6},
            2: {"health": 2, "energy": -4},
        }

    @pytest.mark.clause("D8")
    def test_above_the_maximum_nothing_is_given_or_paid(self) -> None:
        assert self.shared(1, 1, health={1: 9}).since() == {
            0: {"energy": 2},
            1: {"health": 1, "energy": -2},
        }

    @pytest.mark.clause("D8", "TK-16.14")
    def test_who_has_too_little_pays_what_it_has(self) -> None:
        assert self.shared(1, 1, energy={1: 3}).since() == {
            0: {"energy": 3},
            1: {"health": 2, "energy": -3},
        }

    @pytest.mark.clause("D8")
    def test_the_copy_of_regeneration_adds_one_more(self) -> None:
        cards = ((0, "healing_ray"), (0, "regeneration"), (0, "mimic"))
        table = scene(*cards, copies={"mimic": "regeneration"}, health={1: 5}, energy={1: 9})
        table.order("H123").roll("H11223").choose("seat_1")
        assert table.since() == {0: {"energy": 6}, 1: {"health": 3, "energy": -6}}

    @pytest.mark.clause("D8")
    def test_one_healing_is_paid_in_one(self) -> None:
        """So a friend of children gains one more, not one for each heart."""
        cards = ((0, "healing_ray"), (0, "friend_of_children"))
        table = scene(*cards, health={1: 5}, energy={1: 9})
        table.order("H123").roll("HH1122").choose("seat_1").choose("seat_1")
        assert table.since() == {0: {"energy": 5}, 1: {"health": 2, "energy": -4}}

    @pytest.mark.clause("D8")
    def test_a_second_ray_shares_nothing_out_again(self) -> None:
        cards = ((0, "healing_ray"), (0, "mimic"), (0, "regeneration"))
        table = scene(*cards, copies={"mimic": "healing_ray"}, health={1: 5}, energy={0: 1, 1: 9})
        table.order("H123").roll("HH1122").choose("seat_1").choose("rest")
        assert table.since() == {0: {"energy": 4}, 1: {"health": 2, "energy": -4}}
        assert table.asked == "buy@0"

    @pytest.mark.clause("D8", "TK-16.15")
    def test_nobody_gives_a_heart_to_who_will_be_whole(self) -> None:
        cards = ((0, "healing_ray"),)
        table = scene(*cards, health={1: 9, 2: 8}, energy={1: 9, 2: 9})
        table.order("H123").roll("HHH112").choose("seat_1")
        assert table.open == ["seat_2", "rest"]


class TestHealingRay:
    @pytest.mark.clause("TK-16.14")
    def test_hearts_heal_others_who_pay_two_energy_a_point(self) -> None:
        table = scene((0, "healing_ray"), health={1: 5, 2: 8}, energy={1: 9, 2: 3})
        table.order("H12").roll("HHH112")
        assert table.asked == "heal_others@0"
        assert table.open == ["seat_1", "seat_2", "rest"]
        table.choose("seat_1").choose("seat_2").choose("seat_2")
        assert table.since() == {
            0: {"energy": 2 + 2 + 1},
            1: {"health": 1, "energy": -2},
            2: {"health": 2, "energy": -3},  # it pays what it has left
        }
        next_roll(table)

    def test_the_rest_heals_its_owner(self) -> None:
        table = scene((0, "healing_ray"), health={0: 4, 1: 5}, energy={1: 9})
        table.order("H12").roll("HHH112").choose("seat_1").choose("rest")
        assert table.since() == {0: {"energy": 2, "health": 2}, 1: {"health": 1, "energy": -2}}
        next_roll(table)

    def test_who_is_unhurt_is_not_asked_about(self) -> None:
        table = scene((0, "healing_ray"), health={1: 9}, energy={0: 2, 1: 9}, at=NOBODY_IN)
        table.order("H12").roll("HH1122").choose("seat_1")
        assert table.asked == "buy@0"  # nobody else to heal: the second heart is its owner's
        fit = scene((0, "healing_ray"), energy={0: 2, 1: 9})
        assert fit.order("H12").roll("HH1122").asked == "buy@0"

    def test_not_in_turns_of_others(self) -> None:
        table = scene((2, "healing_ray"), health={1: 5}, energy={0: 2, 1: 9})
        assert table.order("H12").roll("HHH112").asked == "buy@0"

    def test_only_hearts_heal(self) -> None:
        table = scene((0, "healing_ray"), health={1: 5}, energy={0: 1, 1: 9})
        assert resolve(table, "E11223").asked == "buy@0"
        assert table.since() == {0: {"energy": 1}}

    def test_the_rest_may_take_tokens_off(self) -> None:
        table = scene(
            (0, "healing_ray"),
            health={0: 4, 1: 5},
            energy={1: 9, 0: 2},
            tokens={0: {Token.POISON: 2}},
        )
        table.order("H12").roll("HHH112").choose("seat_1").choose("rest")
        assert table.asked == "use_on_tokens@0"
        table.choose("use_1")
        assert table.tokens(0) == {"poison": 1}
        assert table.since() == {0: {"energy": 2, "health": 1}, 1: {"health": 1, "energy": -2}}

    def test_no_payment_is_asked_of_the_penniless(self) -> None:
        table = scene((0, "healing_ray"), health={1: 5})
        table.order("H12").roll("H11223").choose("seat_1")
        assert table.since()[1] == {"health": 1} | {"stars": 2}


class TestRapidHealing:
    @pytest.mark.clause("TK-12.6")
    def test_two_energy_a_point_at_any_time_in_anybodys_turn(self) -> None:
        table = scene((2, "rapid_healing"), energy={2: 5}, health={2: 3})
        assert table.offered(2) == ["heal_for_energy"]
        table.power("heal_for_energy", 2).power("heal_for_energy", 2)
        assert table.since() == {2: {"energy": -4, "health": 2}}
        assert table.offered(2) == []  # 1 energy is too little
        assert table.asked == "roll@0"

    @pytest.mark.parametrize(("energy", "health"), [(1, 3), (9, 10)])
    def test_not_when_poor_or_unhurt(self, energy: int, health: int) -> None:
        table = scene((0, "rapid_healing"), energy={0: energy}, health={0: health})
        assert table.offered(0) == []

    @pytest.mark.clause("TK-8.2")
    def test_in_tokyo_too_and_with_regeneration_two(self) -> None:
        cards = ((1, "rapid_healing"), (1, "regeneration"))
        table = scene(*cards, energy={1: 2}, health={1: 3})
        assert table.power("heal_for_energy", 1).since() == {1: {"energy": -2, "health": 2}}

    @pytest.mark.parametrize(("paid", "left"), [("use_1", 0), ("use_2", 1), ("pass", 0)])
    def test_at_the_last_moment_one_is_asked_how_often(self, paid: str, left: int) -> None:
        table = resolve(scene((1, "rapid_healing"), energy={1: 5}, health={1: 2}), "AAA")
        assert table.asked == "last_moment@1"
        assert table.open == ["use_1", "use_2", "pass"]
        table.choose(paid)
        assert table.health(1) == left
        assert table.game.monsters[1].alive == bool(left)
        if left:
            assert table.since() == {1: {"energy": -4, "health": -1}}
            table.choose("stay")
        next_roll(table, 1 if left else 2)

    def test_not_asked_while_it_would_live(self) -> None:
        table = resolve(scene((1, "rapid_healing"), energy={1: 9}, health={1: 4}), "AAA")
        assert table.asked == "flee@1"

    def test_nor_at_full_health_nor_without_the_price(self) -> None:
        poor = resolve(scene((1, "rapid_healing"), energy={1: 1}, health={1: 2}), "AA")
        assert poor.asked == "roll@2"
        full = card_hurts(scene((1, "rapid_healing"), energy={1: 9}), (1, 10))
        assert full.game.monsters[1].alive is False

    def test_only_up_to_full_health(self) -> None:
        table = card_hurts(scene((1, "rapid_healing"), energy={1: 20}, health={1: 8}), (1, 9))
        assert table.open == ["use_1", "use_2", "pass"]
        assert table.choose("use_2").health(1) == 1
        assert table.asked == "roll@0"

    @pytest.mark.clause("TK-14.2")
    def test_against_poison_at_the_end_of_the_turn(self) -> None:
        table = scene(
            (0, "rapid_healing"),
            energy={0: 2},
            health={0: 1},
            stars={0: 20},
            tokens={0: {Token.POISON: 1}},
        )
        resolve(table, NOTHING).choose("end")
        assert table.asked == "last_moment@0"
        table.choose("use_1")
        assert table.game.ended == Ended("stars", (Seat(0),))

    @pytest.mark.clause("TK-13.2")
    def test_in_a_packet_the_others_wait_for_the_answer(self) -> None:
        table = scene((2, "rapid_healing"), energy={2: 2}, health={2: 1})
        hurt = card_hurts(table, (1, 1), (2, 1))
        assert hurt.asked == "last_moment@2"
        assert hurt.since() == {}
        assert hurt.choose("use_1").since() == {1: {"health": -1}, 2: {"energy": -2}}
        assert hurt.asked == "roll@0"
