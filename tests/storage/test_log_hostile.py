"""Malicious log files: SQL objects that act by themselves, and bytes with impossible claims."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.storage.damaged.carving import MOST_FOLLOWED, Pages, rows_in
from companion.storage.database.reading import open_read_only, read_rows
from companion.storage.database.writing import insert_rows
from companion.storage.rows import chain
from companion.storage.schema import (
    UNREADABLE,
    connect,
    put_overall_seal,
    put_tip,
    read_sealed_state,
)
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


def test_a_schema_that_is_no_text_leaves_nothing_open(tmp_path: Path) -> None:
    written(tmp_path, 5)
    path = tmp_path / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"CREATE TABLE notice", b"CREATE TAB\xff\xfe notice"))
    assert path.read_bytes() != whole
    gc.disable()  # it would close what is left open
    try:
        assert list(read_rows(path, "g1")) == []
        with pytest.raises(UNREADABLE):
            open_read_only(path)
        with pytest.raises(UNREADABLE):
            connect(path)
        assert not [each for each in opened() if each.startswith(str(tmp_path))]
    finally:
        gc.enable()


def test_little_of_the_file_is_kept_in_memory(tmp_path: Path) -> None:
    written(tmp_path, 5)
    path = tmp_path / FILE_NAME
    for opening in (connect, open_read_only):
        with closing(opening(path)) as db:
            assert db.execute("PRAGMA cache_size").fetchone() == (-256,), "KiB"


def opened() -> list[str]:
    """Return the files that this process has open."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # another thread has just closed it
            found.append(str(each.readlink()))
    return found


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


# -- what bytes promise -----------------------------------------------------------------------

PAGE = 4096
AT = b"2026-01-01T00:00:00+00:00"


def varint(number: int) -> bytes:
    """Encode an integer as SQLite does."""
    found = [number & 0x7F]
    while number := number >> 7:
        found.append(number & 0x7F | 0x80)
    return bytes(reversed(found))


def record(length: int) -> bytes:
    """Make the beginning of a row whose event has so many bytes."""
    kinds = (13 + 2 * 2, 1, 13 + 2 * len(AT), 13, 13, 13 + 2 * length, 13, 13, 0, 12 + 64)
    body = b"".join(map(varint, kinds))
    return bytes([1 + len(body)]) + body + b"g1" + b"\x01" + AT


def chained(length: int, count: int) -> bytes:
    """Make pages full of such rows, each chained to a page that is chained to itself."""
    row = record(length)
    row += (2).to_bytes(4, "big") * ((PAGE - len(row) * count) // (4 * count))
    return (b"\xee" * 4 + row * count).ljust(PAGE, b"\xee")[:PAGE]


@pytest.mark.parametrize("length", [1 << 50, 5 * PAGE, 60 * PAGE])
def test_pages_chained_in_a_circle_lead_nowhere(tmp_path: Path, length: int) -> None:
    circle = (2).to_bytes(4, "big").ljust(PAGE, b"\xee")
    (tmp_path / FILE_NAME).write_bytes(chained(length, 1) + circle + chained(length, 20) * 60)
    log = EventLog(tmp_path)
    assert [one.key for one in log.notices] == ["log_notice.nothing_saved"]
    assert log.append("g1", [a_row(0)])
    log.close()


def followed(length: int, rows: int) -> int:
    """Return how many pages are read for so many rows that share one long chain."""
    asked = [0]

    class Counted(dict[int, bytes]):
        def get(self, *given: object) -> bytes:
            asked[0] += 1
            return super().get(*given)  # type: ignore[call-overload,no-any-return]

    circle = (2).to_bytes(4, "big").ljust(PAGE, b"\xee")
    content = chained(length, 1) * rows
    pages = Counted({n + 1: circle for n in range(rows)})
    assert not list(rows_in(content, PAGE, Pages(pages, rows)))
    return asked[0]


def test_rows_that_share_a_chain_cost_no_more_than_the_file_has_pages() -> None:
    assert followed(900 * PAGE, 1000) <= MOST_FOLLOWED * 1000
    assert followed(2000 * PAGE, 1000) == 0, "no row is longer than its file"


@pytest.mark.parametrize("what", ["end", "rows"])
def test_rows_without_end_are_not_named_one_by_one(tmp_path: Path, what: str) -> None:
    rows = written(tmp_path, 5)
    far = 1 << 40
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as db:
        tip = read_sealed_state(db).tips["g1"]
        if what == "end":
            tips = {"g1": replace(tip, seq=far)}
            put_tip(db, "g1", tips["g1"])
            put_overall_seal(db, tips)
        else:
            first = chain(b"", "g1", far, a_row(90))
            second = chain(first, "g1", far + 1, a_row(91))
            insert_rows(db, [("g1", far, a_row(90), first), ("g1", far + 1, a_row(91), second)])
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    assert [one.key for one in log.notices] == ["log_notice.end_unknown"]
    assert log.append("g1", [a_row(9)])
    log.close()


def test_a_counter_at_its_end_keeps_nothing_from_being_saved(tmp_path: Path) -> None:
    rows = written(tmp_path, 5)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as db:
        tips = {"g1": replace(read_sealed_state(db).tips["g1"], counter=(1 << 63) - 1)}
        put_tip(db, "g1", tips["g1"])
        put_overall_seal(db, tips)
    log = EventLog(tmp_path)
    assert log.append("g1", [a_row(9)])
    assert log.rows("g1") == (*rows, a_row(9))
    log.close()


def test_a_truncated_file_still_names_every_row_that_is_gone(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    rows = tuple(a_row(n % 60) for n in range(3000))
    log.append("g1", rows)
    log.close()
    content = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).write_bytes(content[: 40 * PAGE].ljust(len(content), b"\0"))
    log = EventLog(tmp_path)
    (loss,) = log.losses
    assert loss.kept + len(loss.lost) == len(rows)
    assert len(loss.lost) > 1000
    log.close()


def test_reading_a_file_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(CannotOpenError):
        saved_tables(tmp_path / FILE_NAME)
    assert list(tmp_path.iterdir()) == []
