"""The order of purchase decides nothing: two cards of one owner do the same in either order."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from companion.engine.questions import Choice, Roll
from companion.engine.registry import RULESETS
from companion.engine.values import CardKind, Number, UnitKind
from tests.engine.cards.scenes import DEAR
from tests.engine.tables import NEW_YORK, Scene, Table

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
