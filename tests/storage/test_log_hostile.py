"""Files that mean harm: what their statements would do, and what their bytes promise."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.table.log import FILE_NAME, CannotOpenError, EventLog, saved_tables
from tests.storage.test_backups import repacked
from tests.storage.test_log_versions import Before
from tests.table.test_log import a_row, written

EATS = (
    "CREATE TRIGGER eats AFTER INSERT ON row BEGIN"
    " DELETE FROM row WHERE tbl = NEW.tbl AND seq = NEW.seq - 1; END"
)
RENAMED = "ALTER TABLE row RENAME TO kept; "
COLUMNS = "at, who, command_id, event, rules_version, digest, position, tbl, seq, hash"
TYPES = (
    "at TEXT, who TEXT, command_id TEXT, event TEXT, rules_version TEXT, digest TEXT,"
    " position TEXT, tbl TEXT, seq INTEGER, hash BLOB"
)
REPLACED = f"; INSERT INTO row SELECT {COLUMNS} FROM kept; DROP TABLE kept"
HARM = {
    "a trigger": EATS,
    "a trigger of another table": "CREATE TRIGGER t AFTER INSERT ON tip BEGIN DELETE FROM row; END",
    "an index that is unique": "CREATE UNIQUE INDEX i ON row (command_id)",
    "an index": "CREATE INDEX i ON row (who)",
    "a view": "CREATE VIEW v AS SELECT * FROM row",
    "a constraint that replaces": (
        f"{RENAMED}CREATE TABLE row ({TYPES}, tag TEXT DEFAULT 'x', PRIMARY KEY (tbl, seq),"
        f" UNIQUE (tag, seq) ON CONFLICT REPLACE) STRICT, WITHOUT ROWID;"
        f" INSERT INTO row ({COLUMNS}) SELECT {COLUMNS} FROM kept; DROP TABLE kept"
    ),
    "a constraint that refuses": (
        f"{RENAMED}CREATE TABLE row ({TYPES}, PRIMARY KEY (tbl, seq), CHECK (seq < 7))"
        f" STRICT, WITHOUT ROWID{REPLACED}"
    ),
    "another key": (
        f"{RENAMED}CREATE TABLE row ({TYPES}, PRIMARY KEY (tbl, command_id)) STRICT,"
        f" WITHOUT ROWID{REPLACED}"
    ),
}


def harmed(folder: Path, statements: str) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as db:
        db.executescript(statements)


@pytest.mark.parametrize("harm", HARM)
def test_a_log_whose_file_acts_by_itself_gives_its_rows_to_a_new_one(
    tmp_path: Path, harm: str
) -> None:
    rows = written(tmp_path, 5)
    harmed(tmp_path, HARM[harm])
    log = EventLog(tmp_path)
    assert (log.rows("g1"), [one.key for one in log.notices]) == (rows, ["log_notice.mended"])
    more = tuple(a_row(n) for n in range(20, 25))
    assert all(log.append("g1", [row]) for row in more)
    assert log.rows("g1") == (*rows, *more)
    log.close()
    assert (tmp_path / f"{FILE_NAME}.damaged-1").is_file()
    again = EventLog(tmp_path)
    assert (again.rows("g1"), again.losses) == ((*rows, *more), ())
    again.close()


@pytest.mark.parametrize("harm", HARM)
def test_a_log_whose_file_acts_by_itself_is_neither_backed_up_nor_brought_back(
    tmp_path: Path, harm: str
) -> None:
    data, archive = tmp_path / "data", tmp_path / "one.zip"
    written(data, 5)
    words = ["backup", str(archive), "--data", str(data)]
    assert CliRunner().invoke(main, words).exit_code == 0
    harmed(data, HARM[harm])
    assert CliRunner().invoke(main, words).exit_code == 1
    repacked(archive, FILE_NAME, lambda _: (data / FILE_NAME).read_bytes())
    words = ["restore", str(archive), "--data", str(tmp_path / "new")]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert not (tmp_path / "new").exists()


def test_a_trigger_in_a_file_of_the_release_before_is_harm_as_well(tmp_path: Path) -> None:
    before = Before(tmp_path)
    for n in range(4):
        before.append("g1", a_row(n))
    before.close()
    harmed(tmp_path, EATS)
    log = EventLog(tmp_path)
    assert log.append("g1", [a_row(4)])
    assert log.rows("g1") == tuple(a_row(n) for n in range(5))
    log.close()


@pytest.mark.parametrize("table", ["row", "tip", "notice"])
def test_a_view_that_never_ends_is_never_read(tmp_path: Path, table: str) -> None:
    rows = written(tmp_path, 5)
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    values = {
        "row": "'' AS at, '' AS who, '' AS command_id, '' AS event, '' AS rules_version,"
        " '' AS digest, '' AS position, 'g1' AS tbl, x AS seq, x'00' AS hash",
        "tip": "'g1' AS tbl, x AS seq, x'00' AS hash, x AS counter, x'00' AS seal",
        "notice": "x AS id, '' AS at, '' AS key, '{}' AS args, 0 AS seen",
    }[table]
    harmed(
        tmp_path,
        f"ALTER TABLE {table} RENAME TO kept; CREATE VIEW {table} AS {endless}"
        f" SELECT {values} FROM c",
    )
    if table == "row":
        with pytest.raises(CannotOpenError):
            saved_tables(tmp_path / FILE_NAME)
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    assert log.append("g1", [a_row(9)])
    log.close()
