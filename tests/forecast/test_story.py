"""The win chances of a game by turn, and the command that prints them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.engine import RULESETS, Position, Seat
from companion.forecast.messages import TurnChances, swing, turning_point
from companion.forecast.network import by_turn
from companion.records import turn_positions
from companion.table import Undone, replay_all
from companion.table.database import FILE_NAME, saved_rows
from tests.forecast.networks import GAMES, network
from tests.properties.games import steps_of
from tests.table.test_table import play, say, started


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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some turns of a game, the last act undone."""
    table = started(tmp_path, GAMES[-1], 3)
    play(table, 4)
    say(table, Undone(table.snapshot().rev))
    return tmp_path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["forecast", *[str(word) for word in words]])


def test_the_command_prints_a_line_a_turn(folder: Path) -> None:
    result = run("g1", "--data", folder)
    entries = replay_all(saved_rows(folder / FILE_NAME, "g1"))
    turns = by_turn(network(GAMES[-1]), turn_positions(entries))
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == len(turns) > 1
    for line, one in zip(lines, turns, strict=True):
        number, name, *chances = line.split()
        assert (int(number), name) == (one.turn, f"P{one.seat}")
        assert chances[0::3] == ["P0", "P1", "P2"]
        assert [int(c) for c in chances[1::3]] == [round(100 * c) for c in one.chances]
    point = turning_point(turns)
    assert point is not None
    assert f"turn {point.turn}, of P{point.seat}" in result.stderr


def test_the_command_prints_objects_with_each_row_and_seat(folder: Path) -> None:
    result = run("g1", "--data", folder, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["turn"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0].keys() == {"turn", "row", "seat", "chances", "ended"}
    entries = replay_all(saved_rows(folder / FILE_NAME, "g1"))
    for row in rows:
        game = entries[row["row"] - 1].after.game
        assert game is not None
        assert (game.turn.number, game.turn.active) == (row["turn"], row["seat"])
    active = set(entries[-1].after.active)
    assert {row["row"] for row in rows} <= active


def test_a_table_that_is_not_there_ends_the_command(folder: Path) -> None:
    result = run("g7", "--data", folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "g7" in result.stderr


def test_a_log_is_judged_as_the_positions_are(folder: Path) -> None:
    entries = replay_all(saved_rows(folder / FILE_NAME, "g1"))
    for one in by_turn(network(GAMES[-1]), turn_positions(entries)):
        game = entries[one.row - 1].after.game
        assert game is not None
        assert RULESETS[game.rules].name == GAMES[-1]
        (chances,) = network(GAMES[-1]).chances([Position.of(game)])
        assert chances == pytest.approx(one.chances, abs=1e-4)
