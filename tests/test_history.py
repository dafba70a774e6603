"""`companion replay`, run as a command."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from companion.engine import (
    Ahead,
    Corrected,
    Correction,
    Game,
    Number,
    Position,
    Seat,
)
from companion.records import log_lines
from companion.table import (
    AheadSaid,
    GameStarted,
    Redone,
    SeatSetup,
    Table,
    TableSet,
    Undone,
)
from companion.table.database import FILE_NAME, saved_games, saved_rows
from tests.engine.tables import TOKYO
from tests.table.test_backup import refused, run
from tests.table.test_table import play, rewrite, say, started


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """Eight turns, one undone and redone, with a correction and an answer set ahead."""
    table = started(tmp_path, TOKYO, 3)
    say(table, AheadSaid(0, Ahead(stay_above=0)))
    play(table, 4)
    rev = table.snapshot().rev
    say(table, Corrected((Correction(Seat(1), Number.ENERGY, 7),)))
    say(table, Undone(rev - 1))
    say(table, Redone(rev + 2))
    play(table, 7)
    return table


def lines(folder: Path) -> bytes:
    """Return the log of a folder, exported."""
    rows = saved_rows(folder / FILE_NAME, "g1")
    return b"".join(line + b"\n" for line in log_lines(rows))


def position(table: Table) -> Game:
    game = table.snapshot().state.game
    assert game is not None
    return game


# -- replay -------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_file", [False, True])
def test_replay_prints_the_final_position_and_its_digest(
    tmp_path: Path, table: Table, as_file: bool
) -> None:
    log = tmp_path / "g1.jsonl"
    log.write_bytes(lines(tmp_path))
    result = run("replay", log if as_file else tmp_path, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    output = json.loads(result.stdout)
    assert msgspec.convert(output["position"], Game) == position(table)
    assert output["digest"] == Position.of(position(table)).digest()
    assert (output["rows"], output["diverged"]) == (table.snapshot().rev, None)
    plain = run("replay", log if as_file else tmp_path)
    assert plain.stdout.splitlines()[-1] == output["digest"]
    assert len(plain.stdout.splitlines()) == 5


def test_the_newest_table_is_meant_unless_another_is_named(tmp_path: Path, table: Table) -> None:
    seats = (SeatSetup("A", "M0"), SeatSetup("B", "M1"))
    say(table, TableSet(TOKYO, "first", seats), GameStarted(1))
    assert saved_games(tmp_path / FILE_NAME) == ("g1", "g2")
    newest = json.loads(run("replay", tmp_path, "--json").stdout)
    assert (newest["rows"], newest["events"]) == (2, 0)
    first = json.loads(run("replay", tmp_path, "--table", "g1", "--json").stdout)
    assert first["rows"] > 20
    refused("replay", tmp_path, "--table", "g7", names="g7")


def test_the_first_row_that_leads_elsewhere_is_named(tmp_path: Path, table: Table) -> None:
    table.close()
    rewrite(tmp_path, 9, digest="0" * 32)
    rewrite(tmp_path, 12, digest="1" * 32)
    result = run("replay", tmp_path, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)["diverged"]
    assert (found["row"], found["key"], found["claimed"]) == (9, "diverged", "0" * 32)
    assert "Row 9, turn " in result.stderr


def test_an_event_the_rules_refuse_is_named_too(tmp_path: Path, table: Table) -> None:
    table.close()
    rewrite(tmp_path, 9, event='{"type":"DiceRolled","faces":[],"final":true}')
    result = run("replay", tmp_path)
    assert result.exit_code == 1
    assert "Row 9" in result.stderr


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"", "No game begins"),
        (b'{"type":"PutOff"}\n', "No game begins"),
        (b"\n\nneither\n", "line 3"),
        (b'{"type":"NoSuchThing"}\n', "NoSuchThing"),
        (b'{"event":{"type":"PutOff"},"wrong":1}\n', "wrong"),
        (b"\xff\xfe\n", "line 1"),
        (b"[" * 5000, "line 1"),
        (b"SQLite format 3\0 and nothing more", "cannot be read"),
    ],
)
def test_what_is_no_log_is_one_line_and_exit_2(tmp_path: Path, content: bytes, names: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(content)
    refused("replay", log, names=names)
