"""The worked question of the page on simulation: its command and its query."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import duckdb
import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.intervals import wilson
from companion.simulation import Plan, play_game

PAGE = Path(__file__).parents[2] / "docs" / "simulation.md"
QUESTION = PAGE.read_text("utf-8").partition("## A question")[2]


def test_the_query_counts_the_wins_of_a_card_that_one_seat_alone_was_dealt(tmp_path: Path) -> None:
    command = re.search(r"^companion (simulate .*--rows) games$", QUESTION, re.MULTILINE)
    query = re.search(r"```sql\n(.*?)```", QUESTION, re.DOTALL)
    assert command is not None
    assert query is not None
    folder = tmp_path / "games"
    assert CliRunner().invoke(main, [*shlex.split(command[1]), str(folder)]).exit_code == 0
    plan = msgspec.convert(msgspec.json.decode((folder / "plan.json").read_bytes())["plan"], Plan)
    wins: dict[str, list[bool]] = {}
    for game in (play_game(plan, number) for number in range(20)):
        dealt = [(card, seat.won) for seat in game.seats for card in seat.dealt]
        names = [card for card, _ in dealt]
        for card, won in dealt:
            if names.count(card) == 1:
                wins.setdefault(card, []).append(won)
    found = duckdb.sql(query[1].replace("games/games-", f"{folder}/games-")).fetchall()
    assert {card: count for card, count, *_ in found} == {c: len(won) for c, won in wins.items()}
    for card, count, share, low, high in found:
        assert share == pytest.approx(sum(wins[card]) / count)
        least, most = wilson(sum(wins[card]), count)
        assert low - 1e-9 <= least <= share <= most <= high + 1e-9
