"""King of New York's cards about attacks and wounds; and the order of purchase, which decides
nothing."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from companion.engine.questions import Choice, Roll
from companion.engine.registry import RULESETS
from companion.engine.values import CardKind, Number, UnitKind
from tests.engine.cards.scenes import DEAR, FOUND, card_hurts, holding, next_roll, resolve, shopping
from tests.engine.tables import NEW_YORK, Scene, Table

INFANTRY, JET = UnitKind.INFANTRY, UnitKind.JET

INSIDE = ("upper_2_4", "queens", "bronx")
"""Seat 0 attacks from Manhattan: both others are hit."""


def hit(table: Table, count: int = 2) -> Table:
    """Seat 0 resolves so many claws and nothing else of note."""
    table.since()
    return resolve(table, "A" * count)


class TestAntimatterPellets:
    @pytest.mark.parametrize(("face", "wounds"), [("O", 4), ("A", 2), ("H", 2)])
    def test_the_victim_rolls_and_an_ouch_doubles_the_damage(self, face: str, wounds: int) -> None:
        table = hit(holding((0, "antimatter_pellets")))
        asked = table.open_roll
        assert (asked.key, asked.seat, asked.dice, asked.main) == ("pellets", 2, 1, False)
        assert table.since() == {}
        table.roll(face).choose("stay")
        assert table.since() == {2: {"health": -wounds}}
        next_roll(table)

    def test_each_victim_rolls_for_itself_and_all_are_hurt_at_once(self) -> None:
        table = hit(holding((0, "antimatter_pellets"), at=INSIDE))
        assert table.asked == "pellets@1"
        table.roll("O")
        assert table.asked == "pellets@2"
        assert table.since() == {}
        table.roll("E")
        assert table.since() == {1: {"health": -4}, 2: {"health": -2}}
        next_roll(table)


class TestTeslaAntennae:
    def test_each_victim_is_compared_by_itself(self) -> None:
        table = hit(holding((0, "tesla_antennae"), health={0: 5, 1: 5, 2: 6}, at=INSIDE))
        assert table.since() == {1: {"health": -2}, 2: {"health": -3}}
        next_roll(table)

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_with_shadow_double_six_in_either_order_of_purchase(
        self, order: tuple[int, int]
    ) -> None:
        cards = ("tesla_antennae", "shadow_double")
        table = hit(holding(*((0, cards[i]) for i in order), health={0: 4}))
        assert table.choose("stay").since()[2] == {"health": -6}
        next_roll(table)


class TestFireball:
    @pytest.mark.clause("NY-8.1")
    def test_the_other_in_the_same_borough_is_hit_too(self) -> None:
        at = ("brooklyn", "brooklyn", "lower_2_4")
        table = hit(holding((0, "fireball"), at=at)).choose("stay")
        assert table.since() == {1: {"health": -2}, 2: {"health": -2}}
        next_roll(table)

    def test_from_another_borough_it_is_not(self) -> None:
        table = hit(holding((0, "fireball"))).choose("stay")
        assert table.since() == {2: {"health": -2}}
        next_roll(table)

    @pytest.mark.clause("NY-18.1", "NY-8.6")
    def test_two_in_manhattan_and_nobody_may_flee_from_within(self) -> None:
        at = ("upper_2_4", "lower_5_6", "queens", "bronx", "brooklyn")
        table = hit(holding((0, "fireball"), at=at, players=5))
        assert table.asked == "buy@0"
        assert table.since() == {s: {"health": -2} for s in (1, 2, 3, 4)}
        next_roll(table)

    @pytest.mark.clause("NY-8.5")
    def test_nor_when_manhattan_was_emptied_before_the_claws(self) -> None:
        units = {"manhattan": (INFANTRY,)}
        at = ("brooklyn", "brooklyn", "lower_2_4")
        table = resolve(holding((0, "fireball"), at=at, units=units, health={2: 1}), "OOOAA")
        assert not table.game.monsters[2].alive
        assert table.health(1) == 10
        next_roll(table)


class TestTrashThrower:
    def test_each_attacked_loses_a_star_if_it_has_one(self) -> None:
        table = hit(holding((0, "trash_thrower"), stars={1: 3}, at=INSIDE), 3)
        assert table.since() == {1: {"health": -3, "stars": -1}, 2: {"health": -3}}
        next_roll(table)


class TestDrain:
    @pytest.mark.parametrize(("has", "gives"), [(5, 2), (2, 2), (1, 1), (0, 0)])
    def test_the_attacker_gives_two_or_what_it_has(self, has: int, gives: int) -> None:
        table = hit(holding((2, "drain"), energy={0: has}))
        given = {0: {"energy": -gives}} if gives else {}
        taken = {"energy": gives} if gives else {}
        assert table.choose("stay").since() == {**given, 2: {"health": -2, **taken}}
        next_roll(table)

    def test_damage_that_is_no_attack_drains_nothing(self) -> None:
        table = card_hurts(holding((1, "drain"), energy={0: 5}), (1, 1), by=0)
        assert table.since()[1] == {"health": -1}
        assert table.energy(0) == 5


class TestPhoenixBlood:
    def test_for_damage_of_every_kind(self) -> None:
        table = resolve(holding((0, "phoenix_blood"), units={"brooklyn": (JET, JET)}), "O")
        assert table.since()[0] == {"energy": 1}  # two wounds, and healed at once
        next_roll(table)
        table = shopping("subterranean_cable", cards={0: ("phoenix_blood",)})
        table.buy("subterranean_cable").show(FOUND)
        assert table.since() == {0: {"health": -4, "energy": 5}}
        next_roll(table)


class TestBulletProof:
    @pytest.mark.clause("NY-12.4")
    @pytest.mark.parametrize(("units", "wounds"), [(3, 2), (2, 1), (1, 0)])
    def test_an_ouch_hurts_one_less(self, units: int, wounds: int) -> None:
        table = holding((0, "bullet_proof"), units={"brooklyn": (JET,) * units})
        table.since()
        table.order("CEO").roll("CCEEEO")
        expected = {"energy": 3} | ({"health": -wounds} if wounds else {})
        assert table.since() == {0: expected}
        next_roll(table)

    def test_an_ouch_that_another_rolled_as_well(self) -> None:
        units = {"queens": (JET,) * 2, "manhattan": (JET,) * 2}
        table = resolve(holding((1, "bullet_proof"), units=units), "OOO")
        assert (table.health(1), table.health(2)) == (9, 8)
        assert table.stars(0) == 3
        next_roll(table)

    def test_claws_hurt_as_before(self) -> None:
        table = hit(holding((2, "bullet_proof"))).choose("stay")
        assert table.since() == {2: {"health": -2}}
        next_roll(table)


class TestToweringTitan:
    @pytest.mark.parametrize("claws", [0, 1, 3])
    def test_two_claws_more_in_every_turn_of_its_owner(self, claws: int) -> None:
        table = hit(holding((0, "towering_titan")), claws).choose("stay")
        assert table.since() == {2: {"health": -claws - 2}}
        next_roll(table)


TOPS = dict.fromkeys(("brooklyn", "queens", "bronx"), ("skyscraper_1", "hospital_2"))
UNITS = {"brooklyn": (UnitKind.INFANTRY, UnitKind.JET, UnitKind.INFANTRY)}

KEEP = sorted(c.name for c in RULESETS[NEW_YORK].cards.values() if c.kind is CardKind.KEEP)
PAIRS = random.Random(20).sample(list(combinations(KEEP, 2)), 50)


def play(cards: tuple[str, ...], owner: int, letters: str, order: str) -> Table:
    """One turn of seat 0; who is asked takes what comes first in the alphabet."""
    table = Scene(
        cards={owner: cards},
        at=("brooklyn", "brooklyn", "lower_2_4"),
        shop=DEAR,
        units=UNITS,
        tops=TOPS,
        health={0: 7, 1: 6, 2: 8},
        stars={0: 3, 1: 4, 2: 5},
        energy={0: 3, 1: 2, 2: 4},
    ).begin()
    table.order(order)
    faces = (letters * 2)[: table.game.turn.dice]
    while (asked := table.question) is not None and table.game.turn.active == 0:
        match asked:
            case Roll(main=True, owed=owed, showing=showing):
                table.roll(faces, [asked.free[0]] if showing else (), final=owed < 2)
            case Roll(dice=count):
                table.roll("O" * count)
            case Choice():
                quiet = {"buy": "end", "move": "stay"}
                table.choose(quiet.get(asked.key, min(table.open)))
            case _:
                table.tile(asked.names[0])
    return table


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_two_cards_do_the_same_in_either_order_of_purchase(pair: tuple[str, str]) -> None:
    chance = random.Random("-".join(pair))
    letters = "".join(chance.choices("EAHDCO", k=6))
    order = "".join(chance.sample("EAHDCO", 6))
    owner = chance.choice((0, 0, 2))
    one, other = (play(cards, owner, letters, order) for cards in (pair, pair[::-1]))
    for seat in range(3):
        for what in Number:
            before, after = (getattr(t.game.monsters[seat], what.value) for t in (one, other))
            assert before == after, f"{letters} {order}: {what} of {seat}"
        assert one.place(seat) == other.place(seat)
