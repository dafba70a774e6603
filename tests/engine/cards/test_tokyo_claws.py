"""King of Tokyo's cards about attacking: who is hit, how hard, and who moves because of it."""

from __future__ import annotations

import pytest

from companion.engine.values import Ended, Seat
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

NOTHING = "112233"
"""Six dice that are worth nothing."""


class TestAcidAttack:
    @pytest.mark.clause("TK-16.11")
    def test_claws_hurt_one_more(self) -> None:
        table = resolve(scene((0, "acid_attack")), "A")
        assert table.since() == {1: {"health": -2}}
        assert table.asked == "flee@1"
        next_roll(table.choose("stay"))

    @pytest.mark.clause("TK-16.11")
    def test_without_a_claw_it_hurts_one_and_nobody_enters_or_leaves(self) -> None:
        table = resolve(scene((0, "acid_attack"), energy={0: 2}), NOTHING)
        assert table.since() == {1: {"health": -1}}
        assert table.asked == "buy@0"  # the attacked one was asked nothing
        assert (table.place(0), table.place(1)) == (OUT, CITY)
        next_roll(table)

    @pytest.mark.clause("TK-16.11")
    def test_from_tokyo_it_reaches_all_outside(self) -> None:
        table = resolve(scene((1, "acid_attack"), players=5, active=1, at=BOTH_IN), NOTHING)
        changes = table.since()
        assert changes.pop(2) == {"stars": 2}  # in the Bay, and its turn begins
        assert changes == {seat: {"health": -1} for seat in (0, 3, 4)}

    def test_with_nobody_in_tokyo_there_is_nobody_to_hurt(self) -> None:
        table = resolve(scene((0, "acid_attack"), at=NOBODY_IN), NOTHING)
        assert table.since() == {}
        next_roll(table)

    def test_not_in_turns_of_others(self) -> None:
        table = resolve(scene((1, "acid_attack"), energy={0: 2}), NOTHING)
        assert table.since() == {}
        assert resolve(scene((2, "acid_attack")), "A").since() == {1: {"health": -1}}

    @pytest.mark.clause("TK-9.6")
    @pytest.mark.clause("TK-16.11")
    def test_a_death_by_acid_alone_leaves_tokyo_empty(self) -> None:
        table = resolve(scene((0, "acid_attack"), health={1: 1}), NOTHING)
        assert table.since() == {1: {"health": -1, "alive": False}}
        assert table.place(0) == OUT
        next_roll(table, 2)


class TestAlphaMonster:
    @pytest.mark.parametrize("claws", [1, 3])
    def test_one_star_in_a_turn_with_a_claw(self, claws: int) -> None:
        table = resolve(scene((0, "alpha_monster")), "A" * claws)
        assert table.since() == {0: {"stars": 1}, 1: {"health": -claws}}
        next_roll(table.choose("stay"))

    @pytest.mark.clause("TK-7.4")
    def test_also_when_nobody_is_there_to_be_hurt(self) -> None:
        table = resolve(scene((0, "alpha_monster"), at=NOBODY_IN), "A")
        assert table.since() == {0: {"stars": 1 + 1, "place": CITY}}
        next_roll(table)

    def test_not_without_a_claw(self) -> None:
        table = resolve(scene((0, "alpha_monster"), energy={0: 2}), NOTHING)
        assert table.since() == {}
        next_roll(table)

    def test_not_for_claws_of_others(self) -> None:
        for seat in (1, 2):
            table = resolve(scene((seat, "alpha_monster")), "A")
            assert table.since() == {1: {"health": -1}}


class TestSpikedTail:
    def test_one_more_to_everybody_hit(self) -> None:
        table = resolve(scene((1, "spiked_tail"), active=1), "AA")
        assert table.since() == {0: {"health": -3}, 2: {"health": -3}}
        next_roll(table, 2)

    @pytest.mark.clause("TK-7.4")
    def test_nothing_without_a_claw(self) -> None:
        table = resolve(scene((0, "spiked_tail"), energy={0: 2}), NOTHING)
        assert table.since() == {}

    @pytest.mark.clause("TK-7.6")
    def test_nothing_for_damage_by_a_card(self) -> None:
        table = card_hurts(scene((0, "spiked_tail")), (1, 1), by=0)
        assert table.since() == {1: {"health": -1}}
        assert table.asked == "roll@0"

    def test_not_for_claws_of_others(self) -> None:
        assert resolve(scene((1, "spiked_tail")), "A").since() == {1: {"health": -1}}

    @pytest.mark.clause("TK-7.2")
    def test_with_nobody_to_hurt_it_just_enters(self) -> None:
        table = resolve(scene((0, "spiked_tail"), at=NOBODY_IN), "A")
        assert table.since() == {0: {"stars": 1, "place": CITY}}

    @pytest.mark.clause("TK-16.9")
    def test_a_copy_adds_one_more(self) -> None:
        table = scene((0, "spiked_tail"), (0, "mimic"), copies={"mimic": "spiked_tail"})
        assert resolve(table, "A").since() == {1: {"health": -3}}


class TestUrbavore:
    @pytest.mark.clause("TK-9.3")
    def test_three_stars_for_starting_in_tokyo(self) -> None:
        assert scene((1, "urbavore"), active=1).stars(1) == 3
        assert scene((1, "urbavore"), players=5, active=2, at=BOTH_IN).stars(2) == 2

    def test_in_the_bay_too_and_not_outside(self) -> None:
        assert scene((2, "urbavore"), players=5, active=2, at=BOTH_IN).stars(2) == 3
        assert scene((0, "urbavore")).stars(0) == 0

    def test_in_tokyo_claws_hurt_one_more(self) -> None:
        table = resolve(scene((1, "urbavore"), active=1), "A")
        assert table.since() == {0: {"health": -2}, 2: {"health": -2}}
        next_roll(table, 2)

    def test_outside_they_do_not(self) -> None:
        assert resolve(scene((0, "urbavore")), "A").since() == {1: {"health": -1}}

    def test_in_tokyo_damage_by_its_cards_is_larger_too(self) -> None:
        table = card_hurts(scene((1, "urbavore")), (0, 2), (2, 1), by=1)
        assert table.since() == {0: {"health": -3}, 2: {"health": -2}}
        assert table.asked == "roll@0"

    def test_what_others_deal_is_not(self) -> None:
        table = card_hurts(scene((1, "urbavore")), (0, 2), by=2)
        assert table.since() == {0: {"health": -2}}

    def test_what_it_does_to_itself_is_not(self) -> None:
        table = shopping("high_altitude_bombing", cards=((0, "urbavore"),), at=(CITY, OUT, OUT))
        table.buy("high_altitude_bombing").show(FOUND)
        assert table.since() == {
            0: {"energy": -4, "health": -3},
            1: {"health": -4},
            2: {"health": -4},
        }


class TestBurrowing:
    def test_in_tokyo_claws_hurt_one_more(self) -> None:
        table = resolve(scene((1, "burrowing"), active=1), "A")
        assert table.since() == {0: {"health": -2}, 2: {"health": -2}}

    @pytest.mark.clause("TK-7.4")
    def test_outside_or_without_a_claw_they_do_not(self) -> None:
        assert resolve(scene((0, "burrowing")), "A").since() == {1: {"health": -1}}
        table = resolve(scene((1, "burrowing"), active=1, energy={1: 2}), NOTHING)
        assert table.since() == {}

    def test_who_takes_tokyo_from_it_falls_into_the_tunnel(self) -> None:
        table = resolve(scene((1, "burrowing"), energy={0: 2}), "A").choose("flee_outside")
        assert table.since() == {
            0: {"health": -1, "stars": 1, "place": CITY},
            1: {"health": -1, "place": OUT},
        }
        assert table.asked == "buy@0"  # no attack: nobody yields for it
        assert table.game.in_play.conditions == ()
        next_roll(table)

    def test_staying_leaves_no_tunnel(self) -> None:
        table = resolve(scene((1, "burrowing"), energy={0: 2}), "A").choose("stay")
        assert table.since() == {1: {"health": -1}}
        next_roll(table)

    def test_the_dead_leave_none(self) -> None:
        table = resolve(scene((1, "burrowing"), health={1: 1}, energy={0: 2}), "A")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1, "alive": False},
        }

    @pytest.mark.clause("TK-9.6")
    def test_the_tunnel_may_kill_the_newcomer_and_tokyo_is_empty(self) -> None:
        table = resolve(scene((1, "burrowing"), health={0: 1}), "AAAAAA").choose("flee_outside")
        assert table.since() == {
            0: {"health": -1, "alive": False},
            1: {"health": -6, "place": OUT},
        }
        assert table.asked == "roll@1"
        resolve(table, "AAAAAA")
        assert table.since() == {1: {"stars": 1, "place": CITY}}  # nobody was there

    @pytest.mark.clause("TK-11.4")
    @pytest.mark.parametrize(
        ("digger", "city", "bay", "taken", "falls"),
        [
            (1, "flee_outside", "stay", CITY, True),
            (1, "stay", "flee_outside", BAY, False),
            (2, "stay", "flee_outside", BAY, True),
            (2, "flee_outside", "stay", CITY, False),
            (1, "flee_outside", "flee_outside", CITY, True),
            (2, "flee_outside", "flee_outside", CITY, False),  # nobody takes its space
        ],
    )
    def test_with_five_the_tunnel_lies_under_its_own_space(
        self, digger: int, city: str, bay: str, taken: str, falls: bool
    ) -> None:
        table = resolve(scene((digger, "burrowing"), players=5, at=BOTH_IN), "A")
        table.choose(city, 1).choose(bay, 2)
        assert table.place(0) == taken
        assert table.health(0) == 10 - falls
        assert [table.health(seat) for seat in (1, 2, 3, 4)] == [9, 9, 10, 10]
        next_roll(table)


class TestNovaBreath:
    def test_from_outside_all_others_are_hit_and_tokyo_may_yield(self) -> None:
        table = resolve(scene((0, "nova_breath"), players=4), "AA")
        assert table.since() == {seat: {"health": -2} for seat in (1, 2, 3)}
        assert table.asked == "flee@1"
        table.choose("flee_outside")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"place": OUT},
        }
        next_roll(table)

    @pytest.mark.clause("TK-7.3")
    def test_from_the_city_the_bay_is_hit_too_but_does_not_yield(self) -> None:
        table = scene((1, "nova_breath"), players=5, active=1, at=BOTH_IN)
        resolve(table, "A")
        assert table.asked == "roll@2"
        assert table.since() == {
            0: {"health": -1},
            2: {"health": -1, "stars": 2},
            3: {"health": -1},
            4: {"health": -1},
        }

    @pytest.mark.clause("TK-7.2")
    def test_from_outside_into_an_empty_tokyo(self) -> None:
        table = resolve(scene((0, "nova_breath"), at=NOBODY_IN), "A")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1},
            2: {"health": -1},
        }
        next_roll(table)

    def test_without_a_claw_or_in_turns_of_others_nothing(self) -> None:
        table = resolve(scene((0, "nova_breath"), energy={0: 2}), NOTHING)
        assert table.since() == {}
        assert resolve(scene((2, "nova_breath")), "A").since() == {1: {"health": -1}}

    def test_acid_follows_the_breath(self) -> None:
        """Without a claw acid hurts those whom claws would hit."""
        table = resolve(scene((0, "nova_breath"), (0, "acid_attack"), energy={0: 2}), NOTHING)
        assert table.since() == {1: {"health": -1}, 2: {"health": -1}}


class TestPoisonQuills:
    @pytest.mark.parametrize(("twos", "stars"), [("222", 2), ("2222", 3)])
    def test_three_or_more_two_deal_two_damage_to_who_could_be_hit(
        self, twos: str, stars: int
    ) -> None:
        table = resolve(scene((0, "poison_quills"), energy={0: 2}), twos)
        assert table.since() == {0: {"stars": stars}, 1: {"health": -2}}
        assert table.asked == "buy@0"  # no attack: nobody yields
        next_roll(table)

    def test_two_are_one_short(self) -> None:
        table = resolve(scene((0, "poison_quills"), energy={0: 2}), "22")
        assert table.since() == {}

    def test_three_of_another_number_do_nothing(self) -> None:
        table = resolve(scene((0, "poison_quills"), energy={0: 2}), "333")
        assert table.since() == {0: {"stars": 3}}

    def test_from_tokyo_all_outside(self) -> None:
        table = resolve(scene((1, "poison_quills"), active=1, energy={1: 2}), "222")
        assert table.since() == {1: {"stars": 2}, 0: {"health": -2}, 2: {"health": -2}}

    def test_not_in_turns_of_others(self) -> None:
        table = resolve(scene((2, "poison_quills"), energy={0: 2}), "222")
        assert table.since() == {0: {"stars": 2}}

    @pytest.mark.clause("TK-9.6")
    def test_a_death_in_tokyo_by_quills_leaves_it_empty(self) -> None:
        table = resolve(scene((0, "poison_quills"), health={1: 2}), "222")
        assert table.since() == {0: {"stars": 2}, 1: {"health": -2, "alive": False}}
        assert table.place(0) == OUT
        next_roll(table, 2)

    @pytest.mark.clause("TK-7.2")
    def test_and_claws_after_it_find_it_empty(self) -> None:
        table = resolve(scene((0, "poison_quills"), health={1: 2}), "222A")
        assert table.since() == {
            0: {"stars": 2 + 1, "place": CITY},
            1: {"health": -2, "alive": False},
        }


class TestEaterOfTheDead:
    def test_three_stars_when_another_dies(self) -> None:
        table = resolve(scene((2, "eater_of_the_dead"), health={1: 1}), "A")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1, "alive": False},
            2: {"stars": 3},
        }
        next_roll(table, 2)

    def test_for_each_of_those_who_die_at_once(self) -> None:
        table = scene((3, "eater_of_the_dead"), players=4, health={0: 1, 1: 1})
        dead = card_hurts(table, (0, 1), (1, 1), (2, 1))
        assert dead.stars(3) == 6

    def test_not_while_one_lives_on(self) -> None:
        table = resolve(scene((2, "eater_of_the_dead"), health={1: 2}), "A")
        assert table.since() == {1: {"health": -1}}

    def test_not_for_its_owner(self) -> None:
        mine = ((1, "eater_of_the_dead"), (1, "it_has_a_child"))
        table = resolve(scene(*mine, health={1: 1}), "A")
        assert table.since() == {0: {"stars": 1, "place": CITY}, 1: {"health": 9, "place": OUT}}

    @pytest.mark.clause("TK-16.2")
    def test_who_goes_on_thanks_to_a_child_did_die(self) -> None:
        table = scene((2, "eater_of_the_dead"), (1, "it_has_a_child"), health={1: 1})
        assert resolve(table, "A").since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": 9, "place": OUT},
            2: {"stars": 3},
        }

    @pytest.mark.clause("TK-14.4")
    def test_its_twenty_win_in_anothers_turn(self) -> None:
        table = scene((2, "eater_of_the_dead"), players=4, health={1: 1}, stars={2: 17})
        resolve(table, "A")
        assert table.game.ended == Ended("stars", (Seat(2),))


# -- sums ------------------------------------------------------------------------------------------


class TestSums:
    ALL = ("spiked_tail", "urbavore", "burrowing", "acid_attack")

    @pytest.mark.parametrize("cards", [ALL, ALL[::-1]])
    def test_in_tokyo_each_adds_one(self, cards: tuple[str, ...]) -> None:
        table = scene(*((1, name) for name in cards), active=1)
        resolve(table, "A")
        assert table.since() == {0: {"health": -5}, 2: {"health": -5}}

    def test_outside_two_of_them_do(self) -> None:
        table = scene(*((0, name) for name in self.ALL))
        assert resolve(table, "A").since() == {1: {"health": -3}}

    def test_without_a_claw_acid_and_the_appetite_in_tokyo(self) -> None:
        table = scene(*((1, name) for name in self.ALL), active=1, energy={1: 2})
        assert resolve(table, NOTHING).since() == {0: {"health": -2}, 2: {"health": -2}}

    def test_a_packet_of_many_cards_is_one_attack(self) -> None:
        """Fire singes once, and each yields once."""
        cards = ("spiked_tail", "acid_attack", "fire_breathing")
        table = resolve(scene(*((0, name) for name in cards), players=4), "A")
        assert table.since() == {1: {"health": -4}, 3: {"health": -1}}
        next_roll(table.choose("stay"))
