"""King of Tokyo's cards about attacking, and its tokens, on Monsters and on cards (TK-16.8 to
TK-16.10)."""

from __future__ import annotations

import pytest

from companion.engine.values import Ended, Seat, Token
from tests.engine.cards.scenes import card_hurts, next_roll, resolve
from tests.engine.cards.tokyo_tables import (
    BOTH_IN,
    CITY,
    FOUND,
    NOBODY_IN,
    NOTHING,
    OUT,
    scene,
    shopping,
)


class TestAcidAttack:
    @pytest.mark.clause("TK-16.11")
    def test_claws_hurt_one_more(self) -> None:
        table = resolve(scene((0, "acid_attack")), "A")
        assert table.since() == {1: {"health": -2}}
        assert table.asked == "flee@1"
        next_roll(table.choose("stay"))


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
    def test_who_takes_tokyo_from_it_falls_into_the_tunnel(self) -> None:
        table = resolve(scene((1, "burrowing"), energy={0: 2}), "A").choose("flee_outside")
        assert table.since() == {
            0: {"health": -1, "stars": 1, "place": CITY},
            1: {"health": -1, "place": OUT},
        }
        assert table.asked == "buy@0"  # no attack: nobody yields for it
        assert table.game.in_play.conditions == ()
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


class TestPoisonQuills:
    @pytest.mark.parametrize(("twos", "stars"), [("222", 2), ("2222", 3)])
    def test_three_or_more_two_deal_two_damage_to_who_could_be_hit(
        self, twos: str, stars: int
    ) -> None:
        table = resolve(scene((0, "poison_quills"), energy={0: 2}), twos)
        assert table.since() == {0: {"stars": stars}, 1: {"health": -2}}
        assert table.asked == "buy@0"  # no attack: nobody yields
        next_roll(table)

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


class TestSums:
    ALL = ("spiked_tail", "urbavore", "burrowing", "acid_attack")

    @pytest.mark.parametrize("cards", [ALL, ALL[::-1]])
    def test_in_tokyo_each_adds_one(self, cards: tuple[str, ...]) -> None:
        table = scene(*((1, name) for name in cards), active=1)
        resolve(table, "A")
        assert table.since() == {0: {"health": -5}, 2: {"health": -5}}


POISONED = {"poison": 1}
SHRUNK = {"shrink": 1}

GIVERS = pytest.mark.parametrize(
    ("card", "token"), [("poison_spit", POISONED), ("shrink_ray", SHRUNK)]
)
BOTH = pytest.mark.parametrize("token", [Token.POISON, Token.SHRINK])


@GIVERS
class TestGivingTokens:
    def test_each_monster_hurt_gets_one_whatever_the_amount(
        self, card: str, token: dict[str, int]
    ) -> None:
        table = resolve(scene((1, card), active=1), "AAA")
        assert [table.tokens(seat) for seat in (0, 1, 2)] == [token, {}, token]
        assert table.since() == {0: {"health": -3}, 2: {"health": -3}}
        assert table.asked == "roll@2"

    @pytest.mark.clause("TK-16.10")
    def test_tokens_stay_when_the_card_and_its_owner_are_gone(
        self, card: str, token: dict[str, int]
    ) -> None:
        table = resolve(scene((0, card)), "A").choose("stay")
        dead = card_hurts(table, (0, 10))
        assert dead.cards(0) == []
        assert dead.tokens(1) == token
        assert dead.asked == "roll@1"
        assert dead.open_roll.dice == (5 if token == SHRUNK else 6)  # and they still work
        dead.since()
        dead.roll("H" * dead.open_roll.dice).end_turn()
        assert dead.since() == ({1: {"health": -1}} if token == POISONED else {})


class TestPoison:
    @pytest.mark.parametrize("count", [1, 3])
    def test_one_damage_a_token_at_the_end_of_ones_own_turn(self, count: int) -> None:
        table = resolve(scene(tokens={0: {Token.POISON: count}}, at=NOBODY_IN), NOTHING)
        assert table.since() == {0: {"health": -count}}
        assert table.tokens(0) == {"poison": count}
        assert table.asked == "roll@1"

    @pytest.mark.clause("TK-14.2")
    def test_who_survives_it_does(self) -> None:
        table = scene(tokens={0: {Token.POISON: 1}}, health={0: 2}, stars={0: 20})
        assert resolve(table, NOTHING).game.ended == Ended("stars", (Seat(0),))


class TestShrink:
    @pytest.mark.parametrize(("count", "dice"), [(1, 5), (2, 4), (5, 1)])
    def test_one_die_fewer_a_token(self, count: int, dice: int) -> None:
        table = scene(tokens={0: {Token.SHRINK: count}})
        assert table.open_roll.dice == dice
        next_roll(table.order("123").roll(NOTHING[:dice]))


class TestCure:
    @BOTH
    @pytest.mark.parametrize("used", [0, 1, 2])
    def test_hearts_take_tokens_off_instead_of_healing(self, token: Token, used: int) -> None:
        table = scene(tokens={0: {token: 2}}, health={0: 4}, at=NOBODY_IN, energy={0: 2})
        table.order("H1").roll("HHH1" if token is Token.SHRINK else "HHH112")
        assert table.asked == "use_on_tokens@0"
        assert table.open == ["use_0", "use_1", "use_2"]
        table.choose(f"use_{used}")
        if table.asked == "group@0":
            table.choose("one")
        assert table.asked == "buy@0"
        assert table.tokens(0) == ({token.value: 2 - used} if used < 2 else {})
        assert table.since() == {0: {"health": 3 - used}}

    @pytest.mark.clause("TK-8.3", "TK-16.10")
    @BOTH
    def test_not_in_tokyo(self, token: Token) -> None:
        table = scene(tokens={1: {token: 2}}, active=1, energy={1: 2}, health={1: 5})
        table.roll("H" * table.open_roll.dice)
        assert table.asked == "buy@1"
        assert table.tokens(1) == {token.value: 2}
        assert table.since() == {}


class TestEvenBigger:
    @pytest.mark.clause("TK-12.4")
    @pytest.mark.parametrize("before", [10, 9, 3])
    def test_two_health_with_the_card(self, before: int) -> None:
        table = shopping("even_bigger", health={0: before}).buy("even_bigger").show(FOUND)
        assert table.since() == {0: {"energy": -4, "health": 2}}
        next_roll(table)

    @pytest.mark.clause("TK-12.4")
    def test_nobody_gets_bigger_than_twelve(self) -> None:
        mine = ((0, "even_bigger"), (0, "mimic"))
        table = scene(*mine, copies={"mimic": "even_bigger"}, health={0: 11}, at=NOBODY_IN)
        assert table.roll("HHHHHH").since() == {0: {"health": 1}}


class TestCountersAndCopies:
    @pytest.mark.clause("TK-16.8")
    @pytest.mark.parametrize("name", ["smoke_cloud", "monster_batteries"])
    def test_what_lies_on_a_card_moves_with_it_and_nothing_is_added(self, name: str) -> None:
        cards = ((0, "parasitic_tentacles"), (2, name))
        table = shopping(cards=cards, counters={name: 2})
        table.power("buy_from_others", 0).choose(f"take_{table.card(name).id}")
        assert table.asked == "buy@0"
        card = table.card(name)
        assert (card.owner, card.counters) == (0, 2)
        next_roll(table)

    @pytest.mark.clause("TK-16.9")
    def test_a_copy_of_smoke_cloud_has_three_tokens_of_its_own(self) -> None:
        cards = ((0, "mimic"), (2, "smoke_cloud"))
        table = scene(*cards, energy={0: 1}, counters={"smoke_cloud": 1})
        table.power("pay_to_copy_another", 0).choose(f"copy_{table.card('smoke_cloud').id}")
        assert table.card("mimic").counters == 3
        assert table.card("smoke_cloud").counters == 1
        table.roll("112233", final=False)
        table.power("blow_smoke", 0)
        assert table.card("mimic").counters == 2
        assert table.card("smoke_cloud").counters == 1

    @pytest.mark.clause("H39", "TK-16.9")
    def test_with_its_last_smoke_the_copy_goes_and_the_cloud_stays(self) -> None:
        cards, copies = ((0, "mimic"), (2, "smoke_cloud")), {"mimic": "smoke_cloud"}
        table = scene(*cards, copies=copies, counters={"mimic": 1, "smoke_cloud": 2})
        table.roll("112233", final=False).power("blow_smoke", 0)
        assert (table.cards(0), table.game.discards) == ([], ("mimic",))
        assert table.card("smoke_cloud").counters == 2
        assert table.game.turn.rolls_left == 3

    @pytest.mark.clause("H39", "TK-16.9")
    def test_empty_copied_batteries_go_and_the_batteries_stay(self) -> None:
        cards, copies = ((0, "mimic"), (2, "monster_batteries")), {"mimic": "monster_batteries"}
        table = scene(*cards, copies=copies, counters={"mimic": 2, "monster_batteries": 4})
        assert (table.energy(0), table.cards(0), table.game.discards) == (2, [], ("mimic",))
        assert table.card("monster_batteries").counters == 4

    @pytest.mark.clause("TK-16.9")
    def test_a_copy_of_the_batteries_is_charged_by_its_own_owner(self) -> None:
        table = scene((0, "mimic"), (2, "monster_batteries"), energy={0: 4}, at=NOBODY_IN)
        table.power("pay_to_copy_another", 0)
        table.choose(f"copy_{table.card('monster_batteries').id}")
        assert table.asked == "batteries@0"
        assert table.open == ["use_0", "use_1", "use_2", "use_3"]
        table.choose("use_2")
        assert table.card("mimic").counters == 4
        assert table.since() == {0: {"energy": -1 - 2}}
        assert table.asked == "roll@0"

    @pytest.mark.clause("TK-16.9")
    @pytest.mark.parametrize(
        ("before", "after", "dice", "rolls"),
        [
            ("jets", "extra_head", 7, 3),
            ("extra_head", "jets", 6, 3),
            ("jets", "giant_brain", 6, 4),
            ("giant_brain", "jets", 6, 3),
        ],
    )
    def test_moved_before_the_first_roll_it_counts_for_it(
        self, before: str, after: str, dice: int, rolls: int
    ) -> None:
        cards = ((0, "mimic"), (1, before), (2, after))
        table = scene(*cards, copies={"mimic": before}, energy={0: 1})
        table.power("pay_to_copy_another", 0).choose(f"copy_{table.card(after).id}")
        assert table.open_roll.dice == dice
        assert table.game.turn.rolls_left == rolls
        next_roll(table.roll("H" * dice))

    @pytest.mark.clause("TK-16.8")
    def test_a_card_taken_over_is_copied_still(self) -> None:
        cards = ((0, "parasitic_tentacles"), (1, "mimic"), (2, "spiked_tail"))
        table = shopping(cards=cards, copies={"mimic": "spiked_tail"})
        table.power("buy_from_others", 0).choose(f"take_{table.card('spiked_tail').id}")
        assert table.card("mimic").copies == table.card("spiked_tail").id
        next_roll(table)
        assert resolve(table, "A").health(2) == 8
