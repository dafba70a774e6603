"""The two card tables: their counts, and that each card can be shown, bought and played on with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from companion.engine import RULESETS, Position
from companion.engine.effects.cards import BuyCard
from companion.engine.effects.numbers import SpendEnergy
from companion.engine.position import full_deck
from companion.engine.questions import Choice, Reveal, Roll
from companion.engine.registry import RULESETS as RULES
from companion.engine.values import CardKind, Seat
from tests.engine.tables import NEW_YORK, SHOPS, TOKYO, Scene, Table

CARD_TESTS = "".join(
    path.read_text("utf-8") for path in (Path(__file__).parent / "cards").glob("test_*.py")
)
WARES = [(game, name) for game in RULESETS for name in sorted(set(full_deck(RULESETS[game])))]


@pytest.mark.clause("NY-1.2", "NY-2.1")
def test_king_of_new_york_has_64_cards_and_two_goals() -> None:
    cards = RULESETS[NEW_YORK].cards
    kinds = Counter(card.kind for card in cards.values())
    assert kinds[CardKind.GOAL] == 2
    assert kinds[CardKind.KEEP] + kinds[CardKind.DISCARD] == 64
    assert all(card.copies == 1 for card in cards.values())


@pytest.mark.clause("TK-1.2", "TK-1.3")
def test_king_of_tokyo_has_66_cards_of_64_names() -> None:
    cards = RULESETS[TOKYO].cards
    assert len(cards) == 64
    assert sum(card.copies for card in cards.values()) == 66
    assert {name for name, card in cards.items() if card.copies == 2} == {
        "extra_head",
        "evacuation_orders",
    }
    kinds = Counter(dict.fromkeys(CardKind, 0))
    for card in cards.values():
        kinds[card.kind] += card.copies
    assert kinds == {CardKind.KEEP: 48, CardKind.DISCARD: 18, CardKind.GOAL: 0}


@pytest.mark.parametrize("game", RULESETS)
def test_every_card_is_named_by_tests_of_its_own(game: str) -> None:
    assert [name for name in RULESETS[game].cards if f'"{name}"' not in CARD_TESTS] == []


def shown(game: str, name: str) -> Table:
    """The card is for sale; seat 0 can pay it and is asked what it buys."""
    others = [other for other in SHOPS[game] if other != name][:2]
    table = Scene(game, energy={0: 30}, health={0: 6}, shop=(name, *others)).begin()
    table.roll("HHHHHH")
    while table.asked != "buy@0":
        asked = table.question
        assert isinstance(asked, Choice), table.asked
        table.choose("stay" if asked.key == "move" else table.open[-1])
    return table


def any_answer(table: Table) -> None:
    """Whatever is asked: nothing more is bought, the quickest other answer is given."""
    match table.question:
        case Reveal(names=names, slot=slot):
            name = next(n for n in names if n not in ("subway", "frenzy"))
            table.show(name) if slot is not None else table.tile(name)
        case Roll(dice=dice, owed=owed):
            faces = "E" * dice if table.game.turn.faces else "H" * dice
            table.roll(faces, range(dice) if table.game.turn.faces else (), final=owed <= 1)
        case Choice():
            calm = [key for key in ("end", "stay", "pass", "go", "use_0") if key in table.open]
            table.choose(calm[0] if calm else table.open[0])
        case _:
            raise AssertionError(table.asked)


@pytest.mark.parametrize(("game", "name"), WARES, ids=lambda value: str(value))
@pytest.mark.clause("NY-15.1", "NY-15.3", "TK-12.1", "TK-12.2")
def test_each_card_can_be_bought_at_its_price_and_the_game_goes_on(game: str, name: str) -> None:
    table = shown(game, name)
    price = Position.of(table.game).price(Seat(0), name)
    card = table.card(name)
    key = f"buy_{card.id}"
    if table.options[key] == "forbidden":  # some are for sale only after a deed
        assert key not in table.open
        return
    row = RULES[game].cards[name]
    assert price == row.cost - (table.place(0) in row.district)
    table.since()
    table.choose(key)
    paid = [e.amount for e in table.happened(SpendEnergy) if isinstance(e, SpendEnergy)]
    assert (paid[:1] or [0]) == [price]
    assert len(table.happened(BuyCard)) == 1
    started = table.game.turn.number
    for _ in range(60):
        if table.question is None or table.game.turn.number > started + 1:
            break
        any_answer(table)
    else:
        raise AssertionError(f"still {table.asked}")
    on_the_table = {*table.cards(0), *table.game.discards, *(table.shop())}
    assert name in on_the_table or any(name in table.cards(seat) for seat in (1, 2))
