"""The win chances of a game by turn."""

from __future__ import annotations

import pytest

from companion.engine import Seat
from companion.forecast.messages import TurnChances, swing, turning_point
from companion.forecast.network import by_turn
from companion.records import turn_positions
from tests.forecast.networks import GAMES, network
from tests.properties.games import steps_of


def turn(number: int, *chances: float) -> TurnChances:
    return TurnChances(number, number, Seat(number % 2), chances)


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("game", GAMES)
def test_each_turn_is_there_once_and_the_end(game: str, players: int) -> None:
    outcomes = [step.outcome for step in steps_of(game, players, 3)]
    rows = [(row, outcome.position) for row, outcome in enumerate(outcomes, 1)]
    turns = by_turn(network(game), rows)
    last = outcomes[-1].game
    assert [one.turn for one in turns[:-1]] == list(range(1, last.turn.number + 1))
    assert [one.ended for one in turns] == [False] * (len(turns) - 1) + [True]
    assert last.ended is not None
    assert {seat for seat, chance in enumerate(turns[-1].chances) if chance} == set(
        last.ended.winners
    )
    for one in turns[:-1]:
        assert sum(one.chances) == pytest.approx(1, abs=1e-5)
        position = outcomes[one.row - 1].position
        assert position.game.turn.active == one.seat
        assert one.chances == pytest.approx(network(game).chances([position])[0], abs=1e-4)


def test_nothing_is_known_before_the_first_turn() -> None:
    assert by_turn(network(GAMES[0]), ()) == ()
    assert by_turn(network(GAMES[0]), turn_positions(())) == ()
    assert turning_point(()) is None
    assert turning_point((turn(1, 0.5, 0.5),)) is None


def test_the_turn_with_most_chances_moved_is_the_turning_point() -> None:
    turns = (turn(1, 0.5, 0.5), turn(2, 0.6, 0.4), turn(3, 0.2, 0.8), turn(4, 0, 1))
    assert swing(turns[0], turns[1]) == pytest.approx(0.1)
    assert turning_point(turns) == turns[1]
    assert turning_point((turns[0], turns[0], turns[0])) == turns[0]
