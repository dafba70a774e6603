"""King of Tokyo's cards about energy, stars and health: armour, healing, and what the end of a
turn brings."""

from __future__ import annotations

import pytest

from tests.engine.cards.scenes import card_hurts, next_roll, resolve
from tests.engine.cards.tokyo_tables import FOUND, NOBODY_IN, NOTHING, scene, shopping
from tests.engine.tables import Table


class TestArmorPlating:
    @pytest.mark.clause("TK-16.19", "TK-10.4")
    def test_a_single_claw_does_nothing_and_there_is_nothing_to_yield_to(self) -> None:
        table = resolve(scene((1, "armor_plating"), energy={0: 2}), "A")
        assert table.since() == {}
        assert table.asked == "buy@0"
        next_roll(table)


class TestWereOnlyMakingItStronger:
    @pytest.mark.parametrize(("claws", "energy"), [(1, 0), (2, 1), (4, 1)])
    def test_one_energy_for_two_or_more_at_once(self, claws: int, energy: int) -> None:
        table = resolve(scene((1, "were_only_making_it_stronger")), "A" * claws)
        gain = {"energy": energy} if energy else {}
        assert table.since() == {1: {"health": -claws} | gain}
        next_roll(table.choose("stay"))

    def test_twice_one_is_not_two_at_once(self) -> None:
        table = resolve(scene((0, "fire_breathing"), (1, "were_only_making_it_stronger")), "A")
        assert table.since() == {1: {"health": -2}, 2: {"health": -1}}


class TestFriendOfChildren:
    def test_each_gain_is_one_larger(self) -> None:
        table = resolve(scene((0, "friend_of_children")), "EE")
        assert table.since() == {0: {"energy": 3}}
        next_roll(table)

    @pytest.mark.clause("TK-16.21")
    def test_not_for_what_metamorph_or_the_batteries_give_back(self) -> None:
        mine = ((0, "friend_of_children"), (0, "monster_batteries"), (0, "metamorph"))
        table = scene(*mine, counters={"monster_batteries": 6}, at=NOBODY_IN)
        assert table.energy(0) == 2
        resolve(table, NOTHING).choose("end").choose(f"sell_{table.card('metamorph').id}")
        assert table.since() == {0: {"energy": 3}}
        assert table.asked == "roll@1"


class TestSolarPowered:
    def test_one_energy_at_the_end_of_a_turn_without_any(self) -> None:
        table = resolve(scene((0, "solar_powered"), at=NOBODY_IN), NOTHING)
        assert table.since() == {0: {"energy": 1}}
        assert table.asked == "roll@1"

    def test_not_with_one_left_nor_in_turns_of_others(self) -> None:
        rich = resolve(scene((0, "solar_powered"), energy={0: 1}, at=NOBODY_IN), NOTHING)
        assert rich.since() == {}
        assert resolve(scene((1, "solar_powered"), at=NOBODY_IN), NOTHING).since() == {}


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


class TestEnergyHoarder:
    @pytest.mark.parametrize(("energy", "stars"), [(5, 0), (6, 1), (11, 1), (12, 2)])
    def test_a_star_for_each_full_six_which_are_kept(self, energy: int, stars: int) -> None:
        table = resolve(scene((0, "energy_hoarder"), energy={0: energy}, at=NOBODY_IN), NOTHING)
        next_roll(table)
        assert table.since() == ({0: {"stars": stars}} if stars else {})


class TestHerbivore:
    def test_a_star_for_a_turn_without_damage(self) -> None:
        table = resolve(scene((0, "herbivore"), at=NOBODY_IN), NOTHING)
        assert table.since() == {0: {"stars": 1}}
        assert table.asked == "roll@1"


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

    def test_what_was_won_in_the_turn_counts(self) -> None:
        table = scene((0, "rooting_for_the_underdog"), stars={1: 1, 2: 1}, at=NOBODY_IN)
        assert resolve(table, "111").since() == {0: {"stars": 1}}

    def test_the_dead_do_not_count(self) -> None:
        table = scene((0, "rooting_for_the_underdog"), stars={0: 1, 2: 4}, health={1: 1})
        dead = card_hurts(table, (1, 1))
        dead.since()
        assert resolve(dead, NOTHING).since() == {0: {"stars": 1}}


class TestRegeneration:
    @pytest.mark.parametrize(("hearts", "gain"), [("H", 2), ("HHH", 4)])
    def test_one_more_each_time_it_heals(self, hearts: str, gain: int) -> None:
        table = scene((0, "regeneration"), health={0: 3}, at=NOBODY_IN, energy={0: 2})
        table.order("H123").roll((hearts + "112233")[:6])
        assert table.since() == {0: {"health": gain}}


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
