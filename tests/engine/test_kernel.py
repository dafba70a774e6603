"""Guarantees of the agenda loop in any position, and traps of the rules; `tests/breaks` breaks each
on purpose.
"""

from __future__ import annotations

from random import Random

import pytest

from companion.engine import Position, Setup, new_game
from companion.engine.effects.cards import TakeCard
from companion.engine.effects.numbers import Damage, GainEnergy, GainStars, Heal, LoseStars
from companion.engine.index import index_of
from companion.engine.questions import Choice, Question
from companion.engine.registry import RULESETS
from companion.engine.values import CardId, CardInPlay, Ended, InPlay, Number, Seat, Token, UnitKind
from companion.virtual import deal_keep_cards, random_event
from tests.engine.tables import NEW_YORK, TOKYO, Scene, after

OUT, CITY = "outside", "tokyo_city"


def test_what_is_cut_down_to_nothing_did_not_happen() -> None:
    """Nobody is told to heal a healthy Monster, or to take stars from who has none."""
    table = Scene(NEW_YORK).begin().roll("HHHHHH")
    assert table.happened(Heal) == []
    table = Scene(NEW_YORK, goals={"statue_of_liberty": 2}).begin().roll("OOOOOO")
    assert table.happened(LoseStars) == []
    table = Scene(NEW_YORK, stars={0: 20}, goals={"superstar": 0}).begin().order("CH")
    table.roll("CHHHHH")
    assert table.happened(GainStars) == []


def test_what_was_to_be_replaced_happens_when_its_replacer_is_gone() -> None:
    """Asked whether it sheds its Carapace it does so by its power: the blow comes all the same."""
    table = Scene(
        NEW_YORK, cards={1: ("carapace",)}, counters={"carapace": 3}, health={1: 2}
    ).begin()
    table.order("AH").roll("AAHHHH")
    assert table.asked == "shed_at_last@1"
    table.power("shed_the_shell", 1)
    assert table.cards(1) == []
    assert [(e.seat, e.amount) for e in table.happened(Damage)] == [(1, 2)]
    assert table.since() == {1: {"health": 3 - 2}}
    assert table.asked == "flee@1"


def test_and_when_its_replacer_has_nothing_more_to_say() -> None:
    """Asked whether it takes wing it turns out to have no energy for it."""
    table = Scene(TOKYO, cards={1: ("wings",)}, energy={1: 2}).begin()
    table.order("AH").roll("AAHHHH")
    assert table.asked == "take_wing@1"
    table.correct(1, Number.ENERGY, 1)
    assert table.since() == {1: {"health": -2, "energy": -1}}
    assert table.asked == "flee@1"


@pytest.mark.clause("NY-16.3", "NY-18.9")
def test_all_who_fall_at_once_are_gone_before_room_is_made() -> None:
    """Were seat 1 gone first, four would be left while both tracks are taken."""
    table = Scene(
        NEW_YORK,
        players=5,
        at=("brooklyn", "queens", "lower_2_4", "lower_5_6", "bronx"),
        health={1: 1, 2: 1},
        units={"queens": (UnitKind.INFANTRY,), "manhattan": (UnitKind.JET,)},
    ).begin()
    table.roll("OOOOOO")
    assert table.since() == {
        0: {"stars": 3},
        1: {"health": -1, "alive": False},
        2: {"health": -1, "alive": False},
        3: {"health": -1, "place": "lower_2_4"},
    }
    assert table.asked == "move@0"


def test_who_came_to_the_goal_by_an_earlier_happening_was_first() -> None:
    table = Scene(
        TOKYO,
        players=4,
        at=(OUT, CITY, OUT, OUT),
        cards={2: ("eater_of_the_dead",)},
        stars={0: 18, 2: 17},
        health={1: 1},
    ).begin()
    table.order("2AH").roll("222AHH")  # two stars for the dice, then three for the dead
    assert table.stars(0) == table.stars(2) == 20
    assert table.game.ended == Ended("stars", (Seat(0),))


def test_selling_again_and_again_ticks_poison_but_once() -> None:
    """Asking once more is not doing the phase once more."""
    table = Scene(
        TOKYO,
        at=(OUT, OUT, OUT),
        cards={0: ("metamorph", "gourmet", "jets")},
        tokens={0: {Token.POISON: 1}},
    ).begin()
    table.order("123").roll("112233")
    for name in ("gourmet", "jets"):
        assert table.asked == "sell@0"
        table.choose(f"sell_{table.card(name).id}")
    table.choose("pass")
    assert table.since() == {0: {"energy": 4 + 5, "health": -1}}
    assert table.asked == "roll@1"


@pytest.mark.clause("TK-16.1")
def test_a_card_taken_over_takes_along_what_it_gave() -> None:
    """12 of 12 becomes 10 of 10 for who loses it: cut by the loss, not trimmed before."""
    for before, left in ((12, 10), (11, 9), (5, 3)):
        table = Scene(TOKYO, cards={1: ("even_bigger",)}, health={1: before}).begin()
        card = table.card("even_bigger")
        taken = after(table.game, TakeCard(Seat(0), card.id, card.name))
        assert taken.health(1) == left
        assert taken.cards(0) == ["even_bigger"]
        assert taken.asked == "roll@0"


@pytest.mark.clause("TK-4.3")
def test_no_dice_no_roll_and_nothing_that_looks_at_dice_stumbles() -> None:
    table = Scene(
        TOKYO,
        at=(OUT, OUT, OUT),
        tokens={0: {Token.SHRINK: 6}},
        cards={0: ("complete_destruction",), 2: ("psychic_probe",)},
    ).begin()
    assert table.asked == "roll@1"
    assert table.since() == {}


@pytest.mark.clause("TK-3.3", "NY-4.2")
def test_no_purchase_after_the_death_that_a_purchase_brought() -> None:
    shop = ("tanks", "skyscraper", "heal")
    table = Scene(TOKYO, at=(OUT, OUT, OUT), health={0: 3}, energy={0: 20}, shop=shop).begin()
    table.order("123").roll("112233").buy("tanks")
    assert not table.game.monsters[0].alive
    table.show("gourmet")
    assert table.asked == "roll@1"


def test_cards_of_one_id_in_two_games_are_not_confused() -> None:
    rules = RULESETS[TOKYO]
    wings = InPlay(cards=(CardInPlay(CardId(1), "wings", Seat(0)),))
    jets = InPlay(cards=(CardInPlay(CardId(1), "jets", Seat(0)),))
    ours, theirs = index_of(rules, wings), index_of(rules, jets)
    assert {e.ability.name for e in ours.insteads[Damage] if e.card} == {"take_wing"}
    assert {e.ability.name for e in theirs.insteads[Damage] if e.card} == {"flee_unhurt"}
    assert index_of(rules, InPlay(cards=wings.cards)) is ours


def test_a_gain_of_nothing_is_no_gain() -> None:
    table = Scene(TOKYO, cards={0: ("friend_of_children",)}).begin()
    assert after(table.game, GainEnergy(Seat(0), 0)).since() == {}
    assert after(table.game, GainEnergy(Seat(0), 1)).since() == {0: {"energy": 2}}


@pytest.mark.parametrize("game", ["new-york", "tokyo"])
def test_the_abilities_in_force_are_those_of_the_position(game: str) -> None:
    chance = Random(7)
    start = deal_keep_cards(new_game(Setup(game, 4, Seat(0), "first")).game, 4, chance)
    position = Position.of(start)
    shops = set()
    for _ in range(400):
        if position.question is None:
            break
        position = position.apply(random_event(position, chance, 0.2)).position
        fresh = Position.of(position.game)
        for part in ("by_ref", "insteads", "whenevers", "modifiers", "offers"):
            assert getattr(position.index, part) == getattr(fresh.index, part)
        assert position.offers() == fresh.offers()
        assert _plain(position.question) == _plain(fresh.question)
        shops.add(position.game.in_play.shop)
    assert len(shops) > 3  # else nothing was bought or swept


def _plain(question: Question | None) -> tuple[object, ...]:
    """What a question asks; what its answers lead to are functions, equal to nothing else."""
    if question is None:
        return ()
    options = question.options if isinstance(question, Choice) else ()
    return type(question), question.key, question.seat, tuple(option.key for option in options)
