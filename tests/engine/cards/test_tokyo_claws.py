"""King of Tokyo's cards about attacking: who is hit, how hard, and who moves because of it."""

from __future__ import annotations

import pytest

from tests.engine.cards.tokyo_tables import (
    BAY,
    BOTH_IN,
    CITY,
    NOBODY_IN,
    OUT,
    next_roll,
    resolve,
    scene,
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


class TestSpikedTail:
    def test_one_more_to_everybody_hit(self) -> None:
        table = resolve(scene((1, "spiked_tail"), active=1), "AA")
        assert table.since() == {0: {"health": -3}, 2: {"health": -3}}
        next_roll(table, 2)


class TestUrbavore:
    @pytest.mark.clause("TK-9.3")
    def test_three_stars_for_starting_in_tokyo(self) -> None:
        assert scene((1, "urbavore"), active=1).stars(1) == 3
        assert scene((1, "urbavore"), players=5, active=2, at=BOTH_IN).stars(2) == 2

    def test_in_the_bay_too_and_not_outside(self) -> None:
        assert scene((2, "urbavore"), players=5, active=2, at=BOTH_IN).stars(2) == 3
        assert scene((0, "urbavore")).stars(0) == 0

    def test_outside_they_do_not(self) -> None:
        assert resolve(scene((0, "urbavore")), "A").since() == {1: {"health": -1}}


class TestBurrowing:
    def test_in_tokyo_claws_hurt_one_more(self) -> None:
        table = resolve(scene((1, "burrowing"), active=1), "A")
        assert table.since() == {0: {"health": -2}, 2: {"health": -2}}

    def test_who_takes_tokyo_from_it_falls_into_the_tunnel(self) -> None:
        table = resolve(scene((1, "burrowing"), energy={0: 2}), "A").choose("flee_outside")
        assert table.since() == {
            0: {"health": -1, "stars": 1, "place": CITY},
            1: {"health": -1, "place": OUT},
        }
        assert table.asked == "buy@0"  # no attack: nobody yields for it
        assert table.game.in_play.conditions == ()
        next_roll(table)

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

    @pytest.mark.clause("TK-7.2")
    def test_from_outside_into_an_empty_tokyo(self) -> None:
        table = resolve(scene((0, "nova_breath"), at=NOBODY_IN), "A")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1},
            2: {"health": -1},
        }
        next_roll(table)

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

    def test_from_tokyo_all_outside(self) -> None:
        table = resolve(scene((1, "poison_quills"), active=1, energy={1: 2}), "222")
        assert table.since() == {1: {"stars": 2}, 0: {"health": -2}, 2: {"health": -2}}

    @pytest.mark.clause("TK-9.6")
    def test_a_death_in_tokyo_by_quills_leaves_it_empty(self) -> None:
        table = resolve(scene((0, "poison_quills"), health={1: 2}), "222")
        assert table.since() == {0: {"stars": 2}, 1: {"health": -2, "alive": False}}
        assert table.place(0) == OUT
        next_roll(table, 2)


class TestEaterOfTheDead:
    def test_three_stars_when_another_dies(self) -> None:
        table = resolve(scene((2, "eater_of_the_dead"), health={1: 1}), "A")
        assert table.since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": -1, "alive": False},
            2: {"stars": 3},
        }
        next_roll(table, 2)

    @pytest.mark.clause("TK-16.2")
    def test_who_goes_on_thanks_to_a_child_did_die(self) -> None:
        table = scene((2, "eater_of_the_dead"), (1, "it_has_a_child"), health={1: 1})
        assert resolve(table, "A").since() == {
            0: {"stars": 1, "place": CITY},
            1: {"health": 9, "place": OUT},
            2: {"stars": 3},
        }


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
