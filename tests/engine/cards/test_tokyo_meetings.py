"""Combinations of King of Tokyo's cards: several that answer one effect, in one turn, or out of
turn.
"""

from __future__ import annotations

import pytest

from companion.engine.effects.numbers import Damage
from companion.engine.questions import Roll
from companion.engine.values import Ended, Seat, Token
from tests.engine.cards.tokyo_tables import (
    BAY,
    BOTH_IN,
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


def swept(*cards: tuple[int, str], **more: object) -> Table:
    """Seat 0 has swept the shop; the first of three new cards is asked for."""
    return shopping(cards=cards, **({"energy": {0: 2, 1: 9, 2: 9}} | more)).choose("sweep")


# -- bought in another's turn ----------------------------------------------------------------------


class TestBoughtOutOfTurn:
    @pytest.mark.clause("TK-3.3")
    def test_a_card_that_kills_the_active_monster_ends_its_turn(self) -> None:
        table = swept((2, "opportunist"), health={0: 2})
        table.show("fire_blast").buy("fire_blast")
        assert table.since() == {
            0: {"energy": -2, "health": -2, "alive": False},
            1: {"health": -2},
            2: {"energy": -3},
        }
        for name in (FOUND, "urbavore", "gourmet"):
            table.show(name).choose("pass")
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-16.7")
    def test_who_drops_in_throws_the_active_monster_out(self) -> None:
        table = swept((2, "opportunist"), at=(CITY, OUT, OUT))
        table.show("drop_from_high_altitude").buy("drop_from_high_altitude")
        assert table.since() == {
            0: {"energy": -2, "place": OUT},
            2: {"energy": -5, "stars": 3, "place": CITY},
        }

    @pytest.mark.clause("TK-16.6")
    def test_solar_power_waits_for_its_owners_own_turn(self) -> None:
        table = swept((2, "opportunist"), energy={0: 2, 2: 2})
        table.show("solar_powered").buy("solar_powered").show(FOUND, "urbavore", "gourmet")
        assert table.asked == "roll@1"
        assert table.energy(2) == 0

    @pytest.mark.clause("TK-14.4")
    def test_twenty_stars_by_it_win_at_the_end_of_that_turn(self) -> None:
        table = swept((2, "opportunist"), energy={0: 2, 2: 6}, stars={2: 17})
        table.show("apartment_building").buy("apartment_building")
        assert table.stars(2) == 20
        table.show(FOUND, "urbavore", "gourmet")
        assert table.game.ended == Ended("stars", (Seat(2),))


# -- several answers to one hurt -------------------------------------------------------------------


class TestOneHurt:
    def test_wings_are_asked_before_the_last_moment(self) -> None:
        cards = ((1, "rapid_healing"), (1, "wings"))
        table = resolve(scene(*cards, energy={1: 4}, health={1: 2}), "AA")
        assert table.asked == "take_wing@1"
        table.choose("pass")
        assert table.asked == "last_moment@1"
        table.choose("use_1")
        assert table.since() == {1: {"energy": -2, "health": -1}}
        next_roll(table.choose("stay"))

    def test_hearts_that_save_a_life_need_no_last_moment(self) -> None:
        cards = ((1, "rapid_healing"), (1, "camouflage"))
        table = resolve(scene(*cards, energy={1: 4}, health={1: 2}), "AA").roll("H1")
        assert table.asked == "flee@1"

    def test_with_regeneration_once_heals_two(self) -> None:
        cards = ((1, "rapid_healing"), (1, "regeneration"))
        table = resolve(scene(*cards, energy={1: 2}, health={1: 1}), "AA").choose("use_1")
        assert table.since() == {1: {"energy": -2}}  # 2 back, 2 lost
        next_roll(table.choose("stay"))

    def test_two_at_their_last_moment_are_asked_one_by_one_and_hurt_together(self) -> None:
        cards = ((2, "rapid_healing"), (0, "mimic"))
        table = scene(
            *cards, copies={"mimic": "rapid_healing"}, energy={0: 2, 2: 2}, health={0: 1, 2: 1}
        )
        hurt = card_hurts(table, (0, 1), (2, 1))
        assert hurt.asked == "last_moment@0"
        hurt.choose("use_1")
        assert hurt.asked == "last_moment@2"
        assert hurt.since() == {0: {"energy": -2}}  # paid, and not hurt yet
        hurt.choose("pass")
        assert hurt.since() == {
            2: {"energy": -2, "health": -1, "alive": False},
        }
        assert hurt.asked == "roll@0"

    def test_no_token_and_no_fire_for_what_armour_ignores(self) -> None:
        cards = ((0, "poison_spit"), (0, "fire_breathing"), (1, "armor_plating"))
        table = resolve(scene(*cards, energy={0: 2}), "A")
        assert table.since() == {}
        assert table.tokens(1) == {}
        next_roll(table)

    def test_the_fire_of_a_bought_card_poisons_as_well(self) -> None:
        cards = ((0, "poison_spit"),)
        table = shopping("fire_blast", cards=cards).buy("fire_blast").show(FOUND)
        assert [table.tokens(seat) for seat in (0, 1, 2)] == [{}, {"poison": 1}, {"poison": 1}]

    def test_jets_leave_before_claws_poison_and_the_tunnel_waits(self) -> None:
        cards = ((0, "poison_spit"), (1, "jets"), (1, "burrowing"))
        table = resolve(scene(*cards, energy={0: 2}), "AA").choose("flee_outside")
        assert table.since() == {
            0: {"stars": 1, "place": CITY, "health": -1},
            1: {"place": OUT},
        }
        assert table.tokens(1) == {}
        next_roll(table)

    def test_the_tunnel_is_its_owners_deed(self) -> None:
        """It poisons the newcomer, and armour ignores it."""
        table = resolve(scene((1, "burrowing"), (1, "poison_spit"), energy={0: 2}), "A")
        table.choose("flee_outside")
        assert table.tokens(0) == {"poison": 1}
        clad = resolve(scene((1, "burrowing"), (0, "armor_plating"), energy={0: 2}), "A")
        clad.choose("flee_outside")
        assert clad.since()[0] == {"stars": 1, "place": CITY}

    @pytest.mark.clause("TK-11.4")
    def test_two_tunnels_and_the_attacker_falls_into_the_one_it_takes(self) -> None:
        table = scene(
            (1, "burrowing"), (2, "mimic"), copies={"mimic": "burrowing"}, players=5, at=BOTH_IN
        )
        resolve(table, "A").choose("flee_outside").choose("flee_outside")
        assert table.since() == {
            0: {"stars": 1, "health": -1, "place": CITY},
            1: {"health": -1, "place": OUT},
            2: {"health": -1, "place": OUT},
        }


# -- deaths ----------------------------------------------------------------------------------------


class TestDeaths:
    @pytest.mark.clause("TK-13.2")
    def test_the_eater_that_dies_in_the_same_moment_is_dead(self) -> None:
        table = scene((2, "eater_of_the_dead"), players=4, health={1: 1, 2: 1}, stars={2: 17})
        dead = card_hurts(table, (1, 1), (2, 1))
        assert dead.game.ended is None
        assert [m.alive for m in dead.game.monsters] == [True, False, False, True]

    def test_two_eaters_both_eat(self) -> None:
        cards = ((0, "eater_of_the_dead"), (2, "mimic"))
        table = scene(*cards, copies={"mimic": "eater_of_the_dead"}, health={1: 1})
        resolve(table, "A")
        assert (table.stars(0), table.stars(2)) == (3 + 1, 3)

    def test_the_copy_is_none_when_the_original_dies_with_its_owner(self) -> None:
        cards = ((1, "eater_of_the_dead"), (2, "mimic"))
        table = scene(*cards, copies={"mimic": "eater_of_the_dead"}, health={1: 1})
        resolve(table, "A")
        assert table.stars(2) == 3  # it still saw this death
        assert table.card("mimic").copies is None

    @pytest.mark.clause("TK-11.7")
    def test_nova_kills_one_of_five_and_the_bay_is_closed(self) -> None:
        table = scene((0, "nova_breath"), players=5, at=BOTH_IN, health={4: 1})
        resolve(table, "A")
        assert table.place(2) == OUT
        assert table.asked == "flee@1"
        table.choose("stay")
        assert table.place(0) == OUT  # the Bay is no longer there to be taken
        assert table.since() == {
            1: {"health": -1, "stars": 2},
            2: {"health": -1, "place": OUT},
            3: {"health": -1},
            4: {"health": -1, "alive": False},
        }

    @pytest.mark.clause("TK-9.6")
    def test_the_acid_of_the_bay_kills_outside_and_drives_itself_out(self) -> None:
        table = scene((2, "acid_attack"), players=5, active=2, at=BOTH_IN, health={4: 1})
        resolve(table, NOTHING)
        assert table.place(2) == OUT
        assert table.place(1) == CITY
        assert table.place(0) != BAY
        assert table.asked == "roll@3"

    @pytest.mark.clause("TK-14.3")
    def test_poison_takes_the_last_two_one_after_the_other(self) -> None:
        table = scene(players=2, tokens={0: {Token.POISON: 1}}, health={0: 1}, at=NOBODY_IN)
        resolve(table, NOTHING)
        assert table.game.ended == Ended("survival", (Seat(1),))

    def test_a_poisoned_child_starts_with_its_tokens_and_keeps_its_energy(self) -> None:
        table = scene(
            (0, "it_has_a_child"),
            tokens={0: {Token.POISON: 2}},
            health={0: 1},
            energy={0: 1},
            stars={0: 20},
        )
        resolve(table, NOTHING)
        assert table.game.ended is None
        assert table.since()[0] == {"health": 9, "stars": -20}
        assert table.tokens(0) == {"poison": 2}


# -- turns -----------------------------------------------------------------------------------------


class TestFireAndDeath:
    """Neighbours are those of the moment of the blow (G9)."""

    @pytest.mark.clause("G9", "TK-16.4")
    def test_nobody_steps_in_for_a_neighbour_the_attack_killed(self) -> None:
        table = resolve(scene((0, "fire_breathing"), players=5, health={1: 1}), "A")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1, "alive": False},
            4: {"health": -1},
        }
        next_roll(table, 2)

    @pytest.mark.clause("G9")
    def test_nor_for_one_that_a_bought_card_killed(self) -> None:
        cards = ((0, "fire_breathing"),)
        table = shopping("fire_blast", cards=cards, players=4, health={1: 2}, energy={0: 3})
        table.buy("fire_blast").put_off()
        assert table.since() == {
            0: {"energy": -3},
            1: {"health": -2, "alive": False},
            2: {"health": -2},
            3: {"health": -3},
        }
        next_roll(table, 2)

    @pytest.mark.clause("G9")
    def test_one_dead_before_is_looked_past(self) -> None:
        table = scene((0, "fire_breathing"), players=5, at=(OUT, OUT, CITY, OUT, OUT))
        table = card_hurts(table, (1, 10))
        table.since()
        assert resolve(table, "A").since() == {2: {"health": -2}, 4: {"health": -1}}

    @pytest.mark.clause("TK-13.2", "TK-14.3")
    def test_who_dies_of_its_own_bombs_still_burns_its_neighbours(self) -> None:
        """All of it is one moment, so nobody outlives it."""
        health = {0: 3, 1: 4, 2: 4}
        table = shopping("high_altitude_bombing", cards=((0, "fire_breathing"),), health=health)
        table.buy("high_altitude_bombing")
        assert table.asked == "over"
        assert table.game.ended == Ended("all_dead", ())


class TestCopies:
    @pytest.mark.clause("H10", "TK-16.9")
    def test_a_heart_discards_the_copy_of_the_probe_and_not_the_probe(self) -> None:
        cards = ((1, "psychic_probe"), (2, "mimic"))
        table = scene(*cards, copies={"mimic": "psychic_probe"}).order("1AH").roll("111AAA")
        table.choose("go").power("make_it_reroll", 2).choose("die_0").roll("H")
        assert (table.cards(1), table.cards(2)) == (["psychic_probe"], [])
        assert table.game.discards == ("mimic",)

    @pytest.mark.clause("H10", "TK-16.9")
    def test_a_heart_of_the_probe_itself_gives_the_token_back(self) -> None:
        cards = ((1, "psychic_probe"), (2, "mimic"))
        table = scene(*cards, copies={"mimic": "psychic_probe"}).order("1AH").roll("111AAA")
        table.power("make_it_reroll", 1).choose("die_0").roll("H")
        assert (table.cards(1), table.cards(2)) == ([], ["mimic"])
        assert table.card("mimic").copies is None
        assert table.offered(2) == []

    @pytest.mark.clause("H8", "TK-16.3")
    def test_an_opportunist_twice_over_is_asked_once(self) -> None:
        cards = ((2, "opportunist"), (2, "mimic"))
        table = swept(*cards, copies={"mimic": "opportunist"}).show("gourmet")
        assert table.asked == "buy_at_once@2"
        assert table.choose("pass").asked == "card@0"
        assert table.show("jets").asked == "buy_at_once@2"  # another card is another question
        assert table.choose("pass").asked == "card@0"

    @pytest.mark.clause("H8")
    def test_a_card_seen_again_is_a_new_question(self) -> None:
        table = swept((2, "opportunist"), energy={0: 9, 2: 9}).show("gourmet").choose("pass")
        table.show("jets").choose("pass").show("wings").choose("pass").buy("gourmet")
        assert table.show("urbavore").asked == "buy_at_once@2"


class TestTurns:
    def test_dice_are_counted_anew_in_a_short_extra_turn(self) -> None:
        mine = ((0, "freeze_time"), (0, "extra_head"))
        table = scene(*mine, tokens={0: {Token.SHRINK: 2}}, at=NOBODY_IN)
        table.order("1H").roll("111HH")
        table.choose("use")
        if table.asked == "use_on_tokens@0":
            table.choose("use_1")
        asked = table.question
        assert isinstance(asked, Roll)
        assert asked.dice == 6 + 1 - 1 - 1

    def test_the_last_die_may_be_frozen_away(self) -> None:
        table = scene((0, "freeze_time"), tokens={0: {Token.SHRINK: 3}}, at=NOBODY_IN)
        table.roll("111").choose("use")
        hurt = table.question
        assert isinstance(hurt, Roll)
        assert hurt.dice == 2

    def test_each_extra_turn_pays_and_drains(self) -> None:
        """Tokyo's income, the batteries and poison work in every turn of their owner."""
        table = scene(
            (1, "freeze_time"),
            (1, "monster_batteries"),
            counters={"monster_batteries": 6},
            tokens={1: {Token.POISON: 1}},
            active=1,
        )
        resolve(table, "111").choose("use").choose("end")
        assert table.asked == "roll@1"
        assert table.since() == {1: {"stars": 1 + 2, "energy": 2, "health": -1}}

    def test_a_probed_die_may_be_stretched_afterwards(self) -> None:
        cards = ((0, "stretchy"), (2, "psychic_probe"))
        table = resolve(scene(*cards, energy={0: 2}, at=NOBODY_IN), "333")
        table.power("make_it_reroll", 2).choose("die_0").roll("1")
        assert table.asked == "last_word@0"
        table.power("stretch", 0).choose("die_0").choose("three")
        assert table.since() == {0: {"energy": -2, "stars": 3}}
        assert table.asked == "roll@1"

    def test_a_copy_of_plot_twist_is_discarded_in_its_place(self) -> None:
        cards = ((0, "mimic"), (2, "plot_twist"))
        table = resolve(scene(*cards, copies={"mimic": "plot_twist"}, at=NOBODY_IN), "33")
        table.power("twist", 0).choose("die_2").choose("three")
        assert table.stars(0) == 3
        assert table.game.discards == ("mimic",)
        assert table.cards(2) == ["plot_twist"]

    def test_a_healer_and_a_thief_pay_their_friend_of_children_one_more(self) -> None:
        cards = ((0, "healing_ray"), (0, "friend_of_children"))
        table = scene(*cards, health={1: 5}, energy={1: 2, 0: 2}, at=NOBODY_IN)
        table.order("H123").roll("H11223").choose("seat_1")
        assert table.since() == {0: {"energy": 3}, 1: {"energy": -2, "health": 1}}

    @pytest.mark.clause("TK-8.2")
    def test_from_tokyo_the_ray_still_heals_others(self) -> None:
        table = scene((1, "healing_ray"), active=1, health={0: 5, 1: 5}, energy={0: 9})
        table.order("H123").roll("HH1122").choose("seat_0").choose("rest")
        assert table.health(1) == 5
        assert table.health(0) == 6

    @pytest.mark.clause("TK-13.2")
    def test_one_packet_hurts_all_whom_nova_reaches_at_once(self) -> None:
        table = resolve(scene((0, "nova_breath"), (0, "spiked_tail"), players=6, at=BOTH_IN), "A")
        assert [(e.seat, e.amount) for e in table.happened(Damage)] == [
            (1, 2),
            (2, 2),
            (3, 2),
            (4, 2),
            (5, 2),
        ]
        table.choose("stay").choose("stay")
        assert table.asked == "roll@1"
