"""Notorious combinations of cards, at least one test for each; others are beside their cards'
tests.
"""

from __future__ import annotations

import pytest

from companion.engine.values import Token
from tests.engine.cards.scenes import DEAR
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table

OUT, CITY = "outside", "tokyo_city"


class TestSubwayAndFleeing:
    def riding(self, **more: object) -> Table:
        """Seat 0 has its Subway turn; seat 1 is in Manhattan."""
        setting = {"under": {0: "subway"}, "shop": DEAR} | more
        return Scene(NEW_YORK, **setting).begin()  # type: ignore[arg-type]

    def test_a_ride_while_the_victim_decides_changes_where_it_may_flee_to(self) -> None:
        at = ("brooklyn", "lower_2_4", "queens", "queens")
        table = self.riding(players=4, at=at).order("AH").roll("AHHHHH")
        assert table.asked == "flee@1"
        assert table.options["flee_queens"] == "full"
        assert table.options["flee_brooklyn"] == ""
        table.power("ride", 0).choose("bronx")
        assert table.asked == "flee@1"  # asked again: it is decided on the board as it is now
        table.choose("flee_bronx")
        assert table.since() == {
            0: {"stars": 1, "place": "lower_2_4"},
            1: {"health": -1, "place": "bronx"},
        }

    def test_two_in_the_borough_it_rides_to_leave_the_victim_no_room_there(self) -> None:
        at = ("brooklyn", "lower_2_4", "queens", "bronx")
        table = self.riding(players=4, at=at).order("AH").roll("AHHHHH")
        table.power("ride", 0).choose("bronx")
        assert table.options["flee_bronx"] == "full"
        table.choose("stay")
        assert table.since()[1] == {"health": -1}
        assert table.asked == "move@0"

    def test_out_of_manhattan_its_claws_hit_who_came_in_and_that_one_may_flee(self) -> None:
        """Manhattan was not empty as the turn began: the rider itself was there (NY-8.3)."""
        at = ("lower_2_4", "midtown_5_6", "queens", "queens", "bronx")
        table = self.riding(players=5, at=at)
        table.since()
        table.power("ride", 0).choose("brooklyn")
        assert table.place(1) == "midtown_2_4"  # the other slides over
        table.order("AH").roll("AHHHHH")
        assert table.asked == "flee@1"
        table.choose("flee_staten_island")
        assert table.place(0) == "lower_2_4"
        assert table.place(1) == "staten_island"
        assert table.health(1) == 9


class TestOneRollForThreeCards:
    CARDS = ("chameleon", "tourist", "natural_selection")

    def rolled(self, letters: str, order: str) -> Table:
        at = ("brooklyn", "lower_2_4", "queens")
        table = Scene(NEW_YORK, cards={0: self.CARDS}, at=at, shop=DEAR, stars={0: 4}).begin()
        return table.order(order).roll(letters)

    def test_the_celebrity_given_up_turns_a_die_and_kills_all_the_same(self) -> None:
        table = self.rolled("CHHHHHH", "EH")  # seven dice by Natural Selection
        assert table.asked == "last_word@0"
        table.power("give_up_fame", 0).choose("die_1").choose("energy")
        assert table.since() == {0: {"energy": 1}}  # no fame is left to give up
        assert table.asked == "move@0"
        table.choose("move_bronx")
        assert table.since() == {0: {"stars": 1, "energy": 1, "place": "bronx"}}
        assert table.asked == "buy@0"  # it may still buy
        table.end_turn()
        assert not table.game.monsters[0].alive
        assert table.game.monsters[0].stars == 5
        assert table.borough("bronx").marked
        assert sorted(table.game.discards) == sorted(self.CARDS)
        assert table.asked == "roll@1"

    def test_a_celebrity_turned_into_something_else_is_none(self) -> None:
        """Of two, one is given up to turn the other: only the one given up stays on the table."""
        table = self.rolled("CCHHHHH", "EH")
        table.power("give_up_fame", 0).choose("die_0").choose("energy")
        assert table.game.turn.spent == (1,)
        table.choose("stay").end_turn()
        assert not table.game.monsters[0].alive  # it shows CELEBRITY, used or not

    def test_without_a_celebrity_it_lives_and_travels(self) -> None:
        table = self.rolled("EEHHHHH", "EH").choose("move_bronx")
        assert table.since() == {0: {"energy": 2 + 1, "stars": 1, "place": "bronx"}}
        table.end_turn()
        assert table.game.monsters[0].alive
        assert table.cards(0) == list(self.CARDS)
        assert table.asked == "roll@1"

    def test_with_three_given_up_none_counts_for_superstar(self) -> None:
        table = self.rolled("CCCHHHH", "ECH")
        for die in ("die_3", "die_4"):
            table.power("give_up_fame", 0).choose(die).choose("energy")
        table.choose("go")
        assert table.since() == {0: {"energy": 2}}
        assert table.card("superstar").owner == -1


class TestDeathInAChainOfDamage:
    @pytest.mark.clause("G9")
    def test_the_fire_burns_those_who_were_neighbours_when_the_claws_struck(self) -> None:
        """Claws kill seat 1, for which nobody steps in; the fire kills the other neighbour, 4."""
        table = Scene(
            TOKYO,
            players=5,
            at=(OUT, CITY, OUT, OUT, OUT),
            cards={0: ("fire_breathing", "poison_spit"), 3: ("eater_of_the_dead",)},
            health={1: 1, 4: 1},
        ).begin()
        table.order("AH").roll("AHHHHH")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1, "alive": False},
            3: {"stars": 3 + 3},
            4: {"health": -1, "alive": False},
        }
        assert table.tokens(1) == table.tokens(4) == {}  # the dead get no token
        assert table.asked == "roll@2"

    def test_who_strikes_dies_of_the_answer_and_what_it_began_is_over(self) -> None:
        """The tunnel kills the attacker as it enters: no purchase, no end of its turn."""
        table = Scene(
            TOKYO,
            cards={0: ("energy_hoarder", "fire_breathing"), 1: ("burrowing",)},
            health={0: 1},
            energy={0: 12},
            shop=("heal", "energize", "frenzy"),
        ).begin()
        table.order("A123").roll("A11223").choose("flee_outside")
        assert table.since() == {
            0: {"health": -1, "energy": -12, "alive": False},
            1: {"health": -2, "place": OUT},  # the claw, and then its fire
            2: {"health": -1},
        }
        assert table.asked == "roll@1"

    def test_the_last_blow_of_a_chain_may_be_ones_own_end(self) -> None:
        """Superstar is taken, its holder is hurt and dies: what hurts back is gone with it."""
        table = Scene(
            NEW_YORK,
            cards={0: ("violent_star", "webspinner"), 2: ("phoenix_blood", "drain")},
            goals={"superstar": 2},
            health={2: 2},
            energy={2: 3},
            shop=DEAR,
        ).begin()
        table.order("CH").roll("CCCHHH")
        assert table.since() == {
            0: {"stars": 1},
            2: {"health": -2, "energy": -3, "alive": False},
        }
        assert table.tokens(2) == {}
        assert table.asked == "move@0"


# -- Mimic of each card that has tokens ------------------------------------------------------------


@pytest.mark.parametrize("card", ["poison_spit", "shrink_ray", "smoke_cloud", "monster_batteries"])
def test_a_mimic_has_tokens_of_its_own(card: str) -> None:
    """Those on Monsters and those on the card itself: the original's are left alone (TK-16.9)."""
    token = {"poison_spit": Token.POISON, "shrink_ray": Token.SHRINK}.get(card)
    table = Scene(
        TOKYO,
        at=(OUT, CITY, OUT),
        cards={0: (card,), 2: ("mimic",)},
        copies={"mimic": card},
        counters={card: 2, "mimic": 3} if token is None else {},
        active=2,
        energy={2: 3},
    ).begin()
    if token is not None:
        table.order("AH").roll("AHHHHH")
        assert table.tokens(1) == {token.value: 1}
        assert table.tokens(0) == {}
    elif card == "smoke_cloud":
        table.roll("EEEEEE", final=False).power("blow_smoke", 2)
        assert (table.card("mimic").counters, table.card(card).counters) == (2, 2)
        assert table.game.turn.rolls_left == 3
    else:
        assert table.energy(2) == 3 + 2  # two of its own three came back as its turn began
        assert (table.card("mimic").counters, table.card(card).counters) == (1, 2)
