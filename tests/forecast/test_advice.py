"""Advice for the open decision, on positions in which what is best is plain."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from companion.engine import (
    Choice,
    DiceRolled,
    Face,
    Position,
    PowerUsed,
    Reveal,
    Roll,
    Setup,
    new_game,
)
from companion.forecast.advice import MOST_ANSWERS, advise, advise_dice, values_of_throws
from companion.forecast.messages import Advice, Compared
from companion.virtual import random_event
from tests.forecast.networks import GAMES, network, positions

PLAYERS = range(2, 7)


def advice(position: Position) -> Advice:
    found = advise(network(position.game.rules), position)
    assert found is not None
    return found


def first_roll(game: str, players: int = 2, **numbers: int) -> Position:
    """The first roll of a game, before a die is thrown; `numbers` are those of the other seats."""
    chance, position = Random(1), new_game(Setup(game, players)).position
    while not isinstance(position.question, Roll):
        position = position.apply(random_event(position, chance, 0)).position
    active = position.game.turn.active
    monsters = tuple(
        monster if monster.seat == active else replace(monster, **numbers)
        for monster in position.game.monsters
    )
    return Position.of(replace(position.game, monsters=monsters))


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("game", GAMES)
def test_every_choice_gets_the_chance_of_each_answer_best_first(game: str, players: int) -> None:
    asked = [one for one in positions(game, players) if isinstance(one.question, Choice)]
    assert asked
    for position in asked:
        question, found = position.question, advice(position)
        assert isinstance(question, Choice)
        assert (found.seat, found.compares) == (question.seat, Compared.ANSWERS)
        chances = [answer.chance for answer in found.answers]
        assert chances == sorted(chances, reverse=True)
        assert all(0 <= chance <= 1 for chance in (found.now, *chances))
        powers = [one for one in position.offers() if one.seat == question.seat]
        assert len(chances) + found.left_out == len(question.open()) + len(powers)
        assert len(chances) <= MOST_ANSWERS
        for answer in found.answers:
            assert answer.event is not None
            assert answer.event in position.legal_events()
            after = position.apply(answer.event).position
            (after_it,) = network(game).chances([after])
            assert after_it[question.seat] == pytest.approx(answer.chance, abs=1e-4)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("game", GAMES)
def test_what_nobody_decides_gets_no_advice(game: str, players: int) -> None:
    for position in positions(game, players):
        question = position.question
        if isinstance(question, Reveal):
            assert advise(network(game), position) is None
        if isinstance(question, Roll) and not question.showing:
            assert advise(network(game), position) is None
    over = replace(positions(game, players)[0].game, agenda=())
    assert advise(network(game), Position.of(over)) is None


@pytest.mark.parametrize("game", GAMES)
def test_dice_are_advised_on_as_they_may_be_thrown(game: str) -> None:
    seen = 0
    for players in PLAYERS:
        for position in positions(game, players, every=2):
            question = position.question
            if not (isinstance(question, Roll) and question.main and question.showing):
                continue
            found = advice(position)
            seen += 1
            assert (found.seat, found.compares) == (question.seat, Compared.DICE)
            chances = [answer.chance for answer in found.answers]
            assert chances == sorted(chances, reverse=True)
            ways = [tuple(sorted(question.showing[i] for i in one.keep)) for one in found.answers]
            assert len(set(ways)) == len(ways)
            for answer in found.answers:
                assert 0 <= answer.chance <= 1
                locked = set(range(question.dice)) - set(question.free)
                assert locked <= set(answer.keep)
                if answer.event is not None:
                    assert answer.event == DiceRolled(question.showing, final=True)
                    position.apply(answer.event)
    assert seen


def test_stars_that_win_are_taken_and_the_rolling_ends() -> None:
    """Twelve stars short of the goal nothing wins; with three threes and two stars missing, all
    stays."""
    game = next(name for name in GAMES if Face.THREE in first_roll(name).rules.faces)
    start = first_roll(game)
    active = start.game.turn.active
    monsters = tuple(
        replace(one, stars=18) if one.seat == active else one for one in start.game.monsters
    )
    near = Position.of(replace(start.game, monsters=monsters))
    three = (Face.THREE,) * 3 + (Face.HEAL,) * 3
    found = advice(near.apply(DiceRolled(three)).position)
    best = found.answers[0]
    assert best.chance > 0.95
    assert {0, 1, 2} <= set(best.keep)
    assert found.answers[-1].chance < best.chance


@pytest.mark.parametrize("game", GAMES)
def test_a_last_blow_is_kept(game: str) -> None:
    """The other Monster has 1 health left in the city: one claw ends the game."""
    start = first_roll(game, health=1)
    active = start.game.turn.active
    inside = next(name for name, place in start.rules.places.items() if place.entry)
    monsters = tuple(
        one if one.seat == active else replace(one, place=inside) for one in start.game.monsters
    )
    turn = replace(start.game.turn, inside_at_start=1)
    position = Position.of(replace(start.game, monsters=monsters, turn=turn))
    thrown = (Face.ATTACK, Face.ENERGY, Face.ENERGY, Face.HEAL, Face.HEAL, Face.HEAL)
    found = advice(position.apply(DiceRolled(thrown)).position)
    assert found.answers[0].chance > 0.95
    worst = found.answers[-1]
    assert 0 not in worst.keep
    assert worst.chance < found.answers[0].chance


@pytest.mark.parametrize("game", GAMES)
def test_the_same_position_gets_the_same_advice(game: str) -> None:
    start = first_roll(game, 4)
    thrown = DiceRolled((Face.ENERGY, Face.ATTACK, Face.HEAL, Face.HEAL, Face.ENERGY, Face.ENERGY))
    position = start.apply(thrown).position
    assert advice(position) == advice(position)
    values = values_of_throws(network(game), position)
    assert values is not None
    assert advise_dice(network(game), position, values) == advice(position)
    assert advise_dice(network(game), start, values) is None


@pytest.mark.parametrize("game", GAMES)
def test_nothing_else_is_worth_a_throw(game: str) -> None:
    choice = next(one for one in positions(game, 3) if isinstance(one.question, Choice))
    assert values_of_throws(network(game), choice) is None


@pytest.mark.parametrize("game", GAMES)
def test_powers_of_the_seat_are_judged_beside_its_answers(game: str) -> None:
    every = (one for players in PLAYERS for one in positions(game, players, 1, cards=4))
    for position in every:
        question = position.question
        if isinstance(question, Choice) and any(
            power.seat == question.seat for power in position.offers()
        ):
            events = [answer.event for answer in advice(position).answers]
            assert any(isinstance(event, PowerUsed) for event in events)
            assert all(
                event.seat == question.seat for event in events if isinstance(event, PowerUsed)
            )
            return
    pytest.fail("no power was on offer")
