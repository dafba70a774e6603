"""Every number, after every event, is the sum of its reasons."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from companion.engine import RULESETS, Outcome, Position, Setup, new_game
from companion.engine.abilities import Quantity
from companion.engine.base_position import BasePosition
from companion.engine.effects.numbers import GainStars
from companion.engine.events import AnyEvent, Chosen, Corrected, Correction, DiceRolled
from companion.engine.game import Game
from companion.engine.queries.explain import (
    CORRECTION,
    LIMIT,
    LOOKED_UP,
    MODIFIED,
    RULE,
    START,
    Happening,
    Reason,
    concerns,
    explain,
    explain_quantity,
    happenings,
)
from companion.engine.queries.explain import reasons as reasons_of
from companion.engine.queries.soundness import misexplained, unexplained
from companion.engine.values import Number, Seat, Token
from companion.service.views.words import clauses
from companion.virtual import deal_keep_cards, random_event
from tests.engine.tables import NEW_YORK, TOKYO, Scene, Table, dice

SHARE = [
    pytest.param(game, players, cards, id=f"{game}-{players}-{cards}")
    for game in RULESETS
    for players, cards in [(2, 0), (5, 4)]
]
"""A share of the games that `companion simulate --check-explain` plays."""


def played(setup: Setup, cards: int, seed: int) -> tuple[Game, list[Happening]]:
    """A game of random events, with a correction now and then."""
    chance = Random(seed)
    start = deal_keep_cards(new_game(setup).game, cards, chance)
    happened: list[Happening] = []
    outcome = Outcome(Position.of(start))
    while outcome.question is not None:
        event: AnyEvent = random_event(outcome.position, chance, 0.3)
        if chance.random() < 0.03:
            living = [m.seat for m in outcome.game.monsters if m.alive]
            what = chance.choice(list(Number))
            event = Corrected((Correction(chance.choice(living), what, chance.randint(1, 9)),))
        before, outcome = outcome.position, outcome.position.apply(event)
        happened.append(Happening(len(happened) + 1, before, outcome))
    return start, happened


@pytest.mark.parametrize(("game", "players", "cards"), SHARE)
def test_reasons_add_up_at_every_step(game: str, players: int, cards: int) -> None:
    start, happened = played(Setup(game, players), cards, 5)
    assert misexplained(Position.of(start), happened) == ()


@pytest.mark.parametrize(("game", "players", "cards"), SHARE)
def test_every_reason_names_a_clause_and_its_amounts_are_a_chain(
    game: str, players: int, cards: int
) -> None:
    start, happened = played(Setup(game, players), cards, 6)
    reasons = [
        reason
        for monster in start.monsters
        for number in Number
        for reason in explain(Position.of(start), happened, monster.seat, number)
    ]
    assert len(reasons) > 30
    for reason in reasons:
        assert reason.effect == CORRECTION or reason.clause in clauses(), reason
        amounts = [(t.before, t.after) for t in reason.treated]
        assert all(one[1] == other[0] for one, other in pairwise(amounts))


@pytest.mark.parametrize("game", RULESETS)
def test_what_does_not_concern_a_seat_changes_none_of_its_numbers(game: str) -> None:
    start, happened = played(Setup(game, 4), 4, 7)
    seat = Seat(2)
    few = [one for one in happened if concerns(one.before.game, one.outcome.game, seat)]
    others = [one for one in happened if not concerns(one.before.game, one.outcome.game, seat)]
    assert few
    assert others
    for number in Number:
        assert [r for one in others for r in reasons_of(one, seat, number)] == []
        assert explain(Position.of(start), few, seat, number) == explain(
            Position.of(start), happened, seat, number
        )


def test_a_verb_that_does_not_do_what_it_says_is_found() -> None:
    table = begun(Scene(TOKYO))
    (one,) = happenings(Position.of(table.game), [DiceRolled(dice("111EEE"), final=True)])
    assert unexplained(one) == ()
    (later,) = happenings(one.outcome.position, [Chosen(Seat(0), "one")])
    misstated = tuple(
        replace(e, amount=e.amount + 1) if isinstance(e, GainStars) else e
        for e in later.outcome.performed
    )
    outcome = Outcome(later.outcome.position, misstated, later.outcome.before)
    assert unexplained(Happening(1, later.before, outcome)) == (
        "seat 0: GainStars says stars +2, shown +1",
    )
    assert misexplained(one.outcome.position, [Happening(1, later.before, outcome)]) != ()


def begun(scene: Scene) -> Table:
    """The table at the first roll, from which on it is explained."""
    table = scene.begin()
    table.start = table.game
    return table


def reasons(table: Table, seat: int, number: Number) -> tuple[Reason, ...]:
    start = Position.of(table.start)
    return explain(start, happenings(start, table.log), Seat(seat), number)


def reasons_in_short(table: Table, seat: int, number: Number) -> list[tuple[int, str, str, str]]:
    """Delta, verb, card and clause of each reason since the table's start."""
    return [
        (r.delta, r.effect, r.by.card or r.by.ability, r.clause)
        for r in reasons(table, seat, number)
    ]


@pytest.mark.clause("NY-13.2", "NY-13.4")
def test_a_star_says_where_it_came_from() -> None:
    table = begun(Scene(NEW_YORK, players=2, at=("queens", "bronx")))
    table.roll("HHHHHH").end_turn().roll("HHHHHH").end_turn()
    assert reasons_in_short(table, 0, Number.STARS) == [
        (1, "GainStars", "entered", "NY-13.2"),
        (1, "GainStars", "income", "NY-13.4"),
    ]
    assert reasons_in_short(table, 0, Number.ENERGY) == [(1, "GainEnergy", "income", "NY-13.4")]
    first, second = reasons(table, 0, Number.STARS)
    assert (first.about, second.about) == ("lower_2_4", "lower_2_4")
    assert second.turn == first.turn + 2


@pytest.mark.clause("TK-5.1")
def test_a_group_names_its_face_and_a_correction_itself() -> None:
    table = begun(Scene(TOKYO))
    table.roll("222HHH").choose("two").correct(0, Number.STARS, 5)
    found = reasons(table, 0, Number.STARS)
    assert [(r.delta, r.effect, r.face, r.clause) for r in found] == [
        (2, "GainStars", dice("2")[0], "TK-5.1"),
        (3, CORRECTION, None, ""),
    ]


@pytest.mark.clause("NY-8.5")
def test_the_damage_says_what_made_it_larger() -> None:
    cards = {0: ("tesla_antennae", "shadow_double")}
    table = begun(Scene(NEW_YORK, cards=cards, health={0: 5}))
    table.order("AH").roll("AAHHHH")
    (_, hit) = reasons(table, 1, Number.HEALTH)
    assert (hit.delta, hit.other, hit.clause) == (-6, 0, "NY-8.1")
    assert [(t.by.card, t.before, t.after) for t in hit.treated] == [
        ("tesla_antennae", 2, 3),
        ("shadow_double", 3, 6),
    ]


@pytest.mark.clause("TK-7.5")
def test_what_was_cancelled_in_an_event_of_its_own_is_told_with_the_rest() -> None:
    table = begun(Scene(TOKYO, cards={1: ("camouflage",)}))
    table.order("AE").roll("AAAEEE").roll("H1A")
    (_, hit) = reasons(table, 1, Number.HEALTH)
    assert hit.delta == -2
    assert [(t.by.card, t.before, t.after) for t in hit.treated] == [("camouflage", 3, 2)]


@pytest.mark.clause("TK-16.4")
def test_a_card_says_whose_it_is_and_what_led_there() -> None:
    table = begun(Scene(TOKYO, cards={0: ("fire_breathing",)}))
    table.order("AE").roll("AEEEEE").choose("stay")
    (start, burnt) = reasons(table, 2, Number.HEALTH)
    assert (start.effect, start.delta, start.clause) == (START, 10, "TK-2.1")
    assert (burnt.by.card, burnt.other, burnt.clause) == ("fire_breathing", 0, "TK-16.4")
    assert [cause.card for cause in burnt.led] == ["fire_breathing"]


def test_a_purchase_names_what_was_bought_and_a_power_its_card() -> None:
    table = begun(Scene(TOKYO, energy={0: 12}, health={0: 9}, cards={0: ("rapid_healing",)}))
    table.power("heal_for_energy", 0).roll("HHHHHH").buy("energize")
    energy = reasons(table, 0, Number.ENERGY)
    assert [(r.delta, r.by.card, r.about) for r in energy][1:] == [
        (-2, "rapid_healing", ""),
        (-8, "", "energize"),
        (9, "energize", ""),
    ]


@pytest.mark.clause("NY-13.2")
def test_what_the_rules_pay_names_what_set_it_off() -> None:
    """The Statue, taken before, is not what entering pays for."""
    at, tops = ("brooklyn", "queens", "bronx"), {"brooklyn": ("skyscraper_1", "hospital_3")}
    table = begun(Scene(NEW_YORK, at=at, tops=tops)).order("OD").roll("OOODHH").tile("hospital_2")
    stars = [(r.ability, r.about) for r in reasons(table, 0, Number.STARS)]
    assert stars == [
        ("statue_stars", "statue_of_liberty"),
        ("building_reward", "skyscraper_1"),
        ("entered", "lower_2_4"),
    ]


def looked_up(table: Table, quantity: Quantity, card: str = "") -> list[tuple[int, str, str]]:
    return [
        (r.delta, r.effect, r.by.card)
        for r in explain_quantity(Position.of(table.game), Seat(0), quantity, card)
    ]


def test_a_number_that_is_looked_up_says_what_modifies_it() -> None:
    cards = {0: ("extra_head", "even_bigger", "alien_metabolism", "giant_brain")}
    table = begun(Scene(TOKYO, cards=cards, tokens={0: {Token.SHRINK: 2}}))
    assert looked_up(table, Quantity.DICE) == [
        (6, RULE, ""),
        (1, MODIFIED, "extra_head"),
        (-2, MODIFIED, "shrink"),
    ]
    assert looked_up(table, Quantity.HEALTH_MAX) == [(10, RULE, ""), (2, MODIFIED, "even_bigger")]
    assert looked_up(table, Quantity.ROLLS) == [(3, RULE, ""), (1, MODIFIED, "giant_brain")]
    assert looked_up(table, Quantity.PRICE, "energize") == [
        (8, RULE, "energize"),
        (-1, MODIFIED, "alien_metabolism"),
    ]


@pytest.mark.clause("TK-4.3")
def test_a_limit_is_told() -> None:
    table = begun(Scene(TOKYO, tokens={0: {Token.SHRINK: 9}}))
    assert looked_up(table, Quantity.DICE)[-1] == (3, LIMIT, "")


@pytest.mark.parametrize(("game", "players", "cards"), SHARE)
def test_what_is_looked_up_is_the_number_the_rules_use(game: str, players: int, cards: int) -> None:
    _, happened = played(Setup(game, players), cards, 8)
    for one in happened[::10]:
        now = one.before
        for seat in now.alive():
            wares = [card.name for card in now.game.in_play.shop if card is not None]
            for quantity in LOOKED_UP:
                for card in wares if quantity is Quantity.PRICE else ("",):
                    reasons = explain_quantity(now, seat, quantity, card)
                    assert sum(r.delta for r in reasons) == number_of(now, seat, quantity, card)
                    assert reasons[-1].total == number_of(now, seat, quantity, card)


def number_of(position: BasePosition, seat: Seat, quantity: Quantity, card: str) -> int:
    if quantity is Quantity.PRICE:
        return position.price(seat, card)
    ask = {
        Quantity.HEALTH_MAX: position.health_max,
        Quantity.DICE: position.dice,
        Quantity.ROLLS: position.rolls,
    }
    return ask[quantity](seat)
