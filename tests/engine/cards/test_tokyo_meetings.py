"""Combinations of King of Tokyo's cards: several that answer one effect, in one turn, or out of
turn.
"""

from __future__ import annotations

import pytest

from companion.engine.questions import Roll
from companion.engine.values import Token
from tests.engine.cards.tokyo_tables import (
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


class TestCopies:
    @pytest.mark.clause("H10", "TK-16.9")
    def test_a_heart_discards_the_copy_of_the_probe_and_not_the_probe(self) -> None:
        cards = ((1, "psychic_probe"), (2, "mimic"))
        table = scene(*cards, copies={"mimic": "psychic_probe"}).order("1AH").roll("111AAA")
        table.choose("go").power("make_it_reroll", 2).choose("die_0").roll("H")
        assert (table.cards(1), table.cards(2)) == (["psychic_probe"], [])
        assert table.game.discards == ("mimic",)

    @pytest.mark.clause("H8", "TK-16.3")
    def test_an_opportunist_twice_over_is_asked_once(self) -> None:
        cards = ((2, "opportunist"), (2, "mimic"))
        table = swept(*cards, copies={"mimic": "opportunist"}).show("gourmet")
        assert table.asked == "buy_at_once@2"
        assert table.choose("pass").asked == "card@0"
        assert table.show("jets").asked == "buy_at_once@2"  # another card is another question
        assert table.choose("pass").asked == "card@0"


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
