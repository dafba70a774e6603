"""Files of the previous release, of later versions, and of other programs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from companion.engine import RULESETS, Corrected
from companion.storage.schema import APPLICATION_ID, Migration, Schema
from companion.table import RefusedError, SeatSetup, Submission, Table, TableSet
from companion.table.log import COLUMNS, FILE_NAME, EventLog, StoredRow, chain
from tests.faults.logs import Disk, failing
from tests.table.test_log import a_row, written

# -- the release before: its statements, as they were ----------------------------------------

BEFORE = """
CREATE TABLE IF NOT EXISTS row (
    at TEXT NOT NULL, who TEXT NOT NULL, command_id TEXT NOT NULL, event TEXT NOT NULL,
    rules_version TEXT NOT NULL, digest TEXT NOT NULL, position TEXT,
    tbl TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,
    PRIMARY KEY (tbl, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS head (
    tbl TEXT PRIMARY KEY, born INTEGER NOT NULL, seq INTEGER NOT NULL
) STRICT;
"""


class Before:
    """The reading and writing of logs in the release before version 1.0 of the schema."""

    def __init__(self, folder: Path) -> None:
        self.db = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=FULL")
        self.db.executescript(BEFORE)
        self.heads = dict(self.db.execute("SELECT tbl, seq FROM head ORDER BY born"))
        assert self.db.execute("PRAGMA quick_check").fetchone() == ("ok",)

    def rows(self, table: str) -> Iterator[StoredRow]:
        """Return the rows whose chain holds; it missed those that `head` promised beyond."""
        hashed, count = b"", 0
        query = f"SELECT {COLUMNS}, seq, hash FROM row WHERE tbl = ? ORDER BY seq"
        for *fields, seq, claimed in self.db.execute(query, (table,)):
            row = StoredRow(**dict(zip(StoredRow.__struct_fields__, fields, strict=True)))
            hashed = chain(hashed, table, seq, row)
            assert (seq, claimed) == (count + 1, hashed)
            count = seq
            yield row
        assert count == self.heads.get(table, 0)

    def append(self, table: str, row: StoredRow) -> None:
        known = list(self.heads)
        seq = self.heads.get(table, 0) + 1
        before = self.db.execute(
            "SELECT hash FROM row WHERE tbl = ? AND seq = ?", (table, seq - 1)
        ).fetchone()
        hashed = chain(before[0] if before else b"", table, seq, row)
        values = (*msgspec.structs.astuple(row), table, seq, hashed)
        self.db.execute("INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        born = known.index(table) if table in known else len(known)
        self.db.execute(
            "INSERT INTO head VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq",
            (table, born, seq),
        )
        self.heads[table] = seq

    def close(self) -> None:
        self.db.close()


def versions(folder: Path, name: str = FILE_NAME) -> tuple[int, int]:
    with closing(sqlite3.connect(folder / name)) as db:
        return (
            db.execute("PRAGMA application_id").fetchone()[0],
            db.execute("PRAGMA user_version").fetchone()[0],
        )


def is_clean(log: EventLog) -> bool:
    """Return whether there is no notice and nothing was set aside."""
    return not log.notices and not log.losses and not list(log.path.parent.glob("*damaged*"))


def test_a_file_of_the_release_before_is_taken_over_in_place(tmp_path: Path) -> None:
    before = Before(tmp_path)
    for n in range(6):
        before.append("g1" if n < 4 else "g2", a_row(n))
    before.close()
    log = EventLog(tmp_path)
    assert is_clean(log)
    assert (log.tables, log.current) == (("g1", "g2"), "g2")
    assert log.rows("g1") == tuple(a_row(n) for n in range(4))
    assert log.append("g2", [a_row(6)])
    log.close()
    assert versions(tmp_path) == (APPLICATION_ID, 1000)


def test_the_release_before_reads_and_writes_what_this_one_wrote(tmp_path: Path) -> None:
    rows = written(tmp_path, 5)
    before = Before(tmp_path)
    assert tuple(before.rows("g1")) == rows
    before.append("g1", a_row(5))
    before.append("g2", a_row(6))
    before.close()
    log = EventLog(tmp_path)
    assert is_clean(log)
    assert log.rows("g1") == (*rows, a_row(5))
    assert log.current == "g2", "the release before played the newest table"
    assert log.append("g1", [a_row(7)])
    assert log.append("g3", [a_row(8)])
    log.close()
    before = Before(tmp_path)
    assert list(before.heads) == ["g1", "g2", "g3"]
    assert [len(tuple(before.rows(table))) for table in before.heads] == [7, 1, 1]
    before.close()
    again = EventLog(tmp_path)
    assert is_clean(again)
    assert again.current == "g3"
    again.close()


# -- the next minor version ------------------------------------------------------------------


def add(db: sqlite3.Connection) -> None:
    db.execute("ALTER TABLE row ADD COLUMN mood TEXT")
    db.execute("CREATE TABLE weather (day TEXT PRIMARY KEY) STRICT")


NEXT = Schema(minor=1, migrations=(Migration(1001, add),))


def test_the_next_minor_version_and_this_one_take_turns(tmp_path: Path) -> None:
    rows = list(written(tmp_path, 3))
    for turn, schema in enumerate((NEXT, Schema(), NEXT, Schema()), start=10):
        log = EventLog(tmp_path, schema)
        assert is_clean(log)
        assert log.rows("g1") == tuple(rows)
        rows.append(a_row(turn))
        assert log.append("g1", rows[-1:])
        log.close()
        assert versions(tmp_path) == (APPLICATION_ID, 1001), "it goes up, and never down"
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert db.execute("SELECT count(*), count(mood) FROM row").fetchone() == (7, 0)
    before = Before(tmp_path)
    with pytest.raises(sqlite3.OperationalError, match="11 columns"):
        before.append("g1", a_row(0))  # so a new column in `row` is not additive for it
    before.close()


# -- the next major version -------------------------------------------------------------------


def break_(db: sqlite3.Connection) -> None:
    db.execute("UPDATE head SET born = born + 100")


BREAKING = Schema(major=2, migrations=(Migration(2000, break_, breaking=True),))


def test_before_a_breaking_migration_the_file_is_copied(tmp_path: Path) -> None:
    rows = written(tmp_path, 4)
    log = EventLog(tmp_path, BREAKING)
    assert is_clean(log)
    assert log.rows("g1") == rows
    assert log.append("g1", [a_row(5)])
    log.close()
    kept = f"{FILE_NAME}.version-1000-1"
    assert versions(tmp_path) == (APPLICATION_ID, 2000)
    assert versions(tmp_path, kept) == (APPLICATION_ID, 1000)
    (tmp_path / "old").mkdir()
    (tmp_path / kept).rename(tmp_path / "old" / FILE_NAME)
    old = EventLog(tmp_path / "old")
    assert old.rows("g1") == rows
    old.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    rows = written(tmp_path, 4)

    def failing(db: sqlite3.Connection) -> None:
        db.execute("UPDATE head SET born = 7")
        raise sqlite3.OperationalError("disk I/O error")

    def half(db: sqlite3.Connection) -> None:
        add(db)
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR
        raise error

    log = EventLog(tmp_path, Schema(minor=1, migrations=(Migration(1001, half),)))
    assert not log.saved
    assert log.rows("g1") == rows
    log.close()
    assert versions(tmp_path) == (APPLICATION_ID, 1000)
    again = EventLog(tmp_path)
    assert is_clean(again)
    assert again.rows("g1") == rows
    again.close()


def test_a_file_of_the_next_major_version_is_looked_at_and_never_written(tmp_path: Path) -> None:
    log = EventLog(tmp_path, BREAKING)
    table = Table(log)
    seats = (SeatSetup("A", "M0"), SeatSetup("B", "M1"))
    name = min(RULESETS)
    setup = TableSet(name, RULESETS[name].editions[0], seats)
    table.submit(Submission("set-up-1", 0, (setup,)))
    table.close()
    content = (tmp_path / FILE_NAME).read_bytes()
    for start in range(2):
        log = EventLog(tmp_path)
        table = Table(log)
        (notice,) = log.notices
        assert (notice.key, log.losses) == ("log_notice.newer_file", ())
        assert "g1" in log.read_only
        assert table.snapshot_of("g1").state.setup == setup
        now = table.snapshot()
        assert (now.table, now.rev) == (("g1", 1), ("g2", 1))[start]
        if now.table == "g1":
            with pytest.raises(RefusedError, match="read_only_table"):
                table.submit(Submission("corrected-1", now.rev, (Corrected(),)))
            table.submit(Submission("set-up-2", now.rev, (setup,)))
            assert table.snapshot().table == "g2"
        assert [one.id for one in table.games()] == ["g1", "g2"]
        with pytest.raises(RefusedError, match="read_only_table"):
            table.resume("g1")
        with pytest.raises(ValueError, match="read"):
            log.append("g1", [a_row(0)])
        assert table.snapshot().table == log.current == "g2"
        assert log.saved
        table.close()
    assert (tmp_path / FILE_NAME).read_bytes() == content
    log = EventLog(tmp_path)
    log.mark_seen(log.notices[0].id)
    log.close()
    again = EventLog(tmp_path)
    assert (again.notices, again.losses) == ((), ())
    again.close()
    newer = EventLog(tmp_path, BREAKING)
    assert is_clean(newer)
    newer.close()


def newer_file(folder: Path, *tables: str) -> bytes:
    """Make a file of the next major version with these tables; return its bytes."""
    log = EventLog(folder, BREAKING)
    for table in tables:
        log.append(table, [a_row(len(table)), a_row(90)])
    log.close()
    return (folder / FILE_NAME).read_bytes()


def beside(folder: Path, *tables: str) -> None:
    """Return what this version wrote beside it in the meantime."""
    log = EventLog(folder / "apart")
    for n, table in enumerate(tables):
        log.append(table, [a_row(n)])
    log.close()
    (folder / "apart" / FILE_NAME).rename(folder / "table-v1.db")


def test_two_games_of_one_name_are_both_kept_and_only_the_own_is_written(tmp_path: Path) -> None:
    content = newer_file(tmp_path, "g1", "g2")
    beside(tmp_path, "g2")
    for count in (1, 2):
        log = EventLog(tmp_path)
        assert log.read_only == {"g1", "g2.2"}
        assert set(log.tables) == {"g1", "g2.2", "g2"}
        assert log.rows("g2.2") == (a_row(2), a_row(90))
        assert log.rows("g2") == (a_row(0), a_row(50))[:count]
        assert log.next_name() == "g3"
        assert log.current == "g2"
        if count == 1:
            assert log.append("g2", [a_row(50)])
        assert log.losses == ()
        log.close()
    with closing(sqlite3.connect(tmp_path / "table-v1.db")) as db:
        tips = db.execute("SELECT tbl FROM tip WHERE tbl LIKE 'g%'").fetchall()
    assert tips == [("g2",)]
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_the_newer_version_gives_no_name_that_was_given_beside_it(tmp_path: Path) -> None:
    newer_file(tmp_path, "g1")
    log = EventLog(tmp_path)
    log.append(log.next_name(), [a_row(0)])
    log.close()
    newer = EventLog(tmp_path, BREAKING)
    assert (newer.tables, newer.next_name()) == (("g1",), "g3")
    newer.close()


@pytest.mark.parametrize("whose", ["newer", "foreign"])
def test_what_already_has_the_name_beside_is_left_alone_too(tmp_path: Path, whose: str) -> None:
    newer_file(tmp_path, "g1")
    other = tmp_path / "table-v1.db"
    if whose == "newer":
        (tmp_path / "apart").mkdir()
        newer_file(tmp_path / "apart", "g1", "g4")
        (tmp_path / "apart" / FILE_NAME).rename(other)
    else:
        with closing(sqlite3.connect(other)) as db, db:
            db.execute("CREATE TABLE recipes (name TEXT)")
    contents = {path: path.read_bytes() for path in (tmp_path / FILE_NAME, other)}
    for rows in ((), (a_row(0),)):
        log = EventLog(tmp_path)
        table = "g5" if whose == "newer" else "g2"
        assert (log.path.name, log.rows(table)) == ("table-v1-2.db", rows)
        assert log.next_name() == (table if not rows else f"g{int(table[1]) + 1}")
        assert len(log.notices) == 2
        assert log.read_only == ({"g1", "g1.2", "g4"} if whose == "newer" else {"g1"})
        if not rows:
            assert log.append(table, [a_row(0)])
        log.close()
    assert {path: path.read_bytes() for path in contents} == contents


@pytest.mark.parametrize("there", [(), ("g2",)])
def test_a_newer_file_is_only_looked_at_while_the_disk_refuses_too(
    tmp_path: Path, there: tuple[str, ...]
) -> None:
    content = newer_file(tmp_path, "g1", "g2")
    if there:
        beside(tmp_path, *there)
    refusing = True

    def claim() -> None:
        if refusing:
            raise PermissionError(13, "Permission denied")

    log = EventLog(tmp_path, claim=claim)
    looked_at = frozenset({"g1", "g2.2" if there else "g2"})
    assert (log.saved, log.read_only, log.path.name) == (False, looked_at, "table-v1.db")
    name = log.next_name()
    assert name == "g3"
    assert not log.append(name, [a_row(0)])
    with pytest.raises(ValueError, match="read"):
        log.append("g1", [a_row(1)])
    refusing = False
    assert log.save()
    assert (log.read_only, log.current) == (looked_at, "g3")
    log.close()
    again = EventLog(tmp_path)
    assert again.rows("g3") == (a_row(0),)
    assert {*again.tables} == {*looked_at, *there, "g3"}
    again.close()
    assert (tmp_path / FILE_NAME).read_bytes() == content


@pytest.mark.parametrize("whose", ["newer", "foreign"])
@pytest.mark.parametrize("refused", [False, True])
def test_that_a_file_is_left_alone_is_said_until_it_was_seen(
    tmp_path: Path, whose: str, refused: bool
) -> None:
    if whose == "newer":
        newer_file(tmp_path, "g1")
    else:
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
            db.execute("CREATE TABLE recipes (name TEXT)")
    for _ in range(2):
        log = EventLog(tmp_path)
        (notice,) = log.notices
        assert notice.key == f"log_notice.{whose}_file"
        log.close()
    log = EventLog(tmp_path)
    log.mark_seen(notice.id)
    log.close()

    def claim() -> None:
        if refused:
            raise PermissionError(13, "Permission denied")

    for _ in range(2):
        log = EventLog(tmp_path, claim=claim)
        assert log.notices == ()
        log.close()
        refused = False


@pytest.mark.parametrize("application", [0, 1234567])
def test_a_file_of_another_program_is_left_alone(tmp_path: Path, application: int) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("CREATE TABLE recipes (name TEXT)")
        db.execute(f"PRAGMA application_id={application}")
    content = (tmp_path / FILE_NAME).read_bytes()
    log = EventLog(tmp_path)
    assert [one.key for one in log.notices] == ["log_notice.foreign_file"]
    assert log.append("g1", [a_row(0)])
    log.close()
    again = EventLog(tmp_path)
    assert again.rows("g1") == (a_row(0),)
    again.close()
    assert (tmp_path / FILE_NAME).read_bytes() == content
    assert versions(tmp_path, "table-v1.db") == (APPLICATION_ID, 1000)


@pytest.mark.parametrize("n", range(1, 13))
def test_an_error_of_the_machine_makes_no_newer_file_a_damaged_one(tmp_path: Path, n: int) -> None:
    """The n-th statement fails, those that look at the bytes in memory included."""
    newer_file(tmp_path, "g1")
    content, disk = (tmp_path / FILE_NAME).read_bytes(), Disk()
    with failing(disk):
        disk.left = n
        log = EventLog(tmp_path)
        log.append(log.next_name(), [a_row(1)])
        disk.left = 0
        assert log.save()
        log.close()
    assert (tmp_path / FILE_NAME).read_bytes() == content
    again = EventLog(tmp_path)
    found = {again.rows(table): table in again.read_only for table in again.tables}
    assert found == {(a_row(2), a_row(90)): True, (a_row(1),): False}
    again.close()


@pytest.mark.parametrize("refused", [False, True])
def test_games_stay_in_sight_when_the_file_that_they_made_room_for_is_gone(
    tmp_path: Path, refused: bool
) -> None:
    for name in (FILE_NAME, "table-v1.db"):
        with closing(sqlite3.connect(tmp_path / name)) as db, db:
            db.execute("CREATE TABLE recipes (name TEXT)")
    log = EventLog(tmp_path)
    log.append("g1", [a_row(0)])
    log.close()
    (tmp_path / FILE_NAME).unlink()
    (tmp_path / "table-v1.db").unlink()

    def claim() -> None:
        if refused:
            raise PermissionError(13, "Permission denied")

    log = EventLog(tmp_path, claim=claim)
    assert (log.path.name, log.rows("g1")) == ("table-v1-2.db", (a_row(0),))
    refused = False
    assert log.append("g1", [a_row(1)])
    log.close()
    assert [path.name for path in tmp_path.glob("*.db")] == ["table-v1-2.db"]


@pytest.mark.parametrize("place", [60, 61, 62, 63, 68, 69, 70, 71])
@pytest.mark.parametrize("bit", [0, 3, 7])
def test_a_flipped_bit_of_the_version_is_damage_and_no_other_version(
    tmp_path: Path, place: int, bit: int
) -> None:
    rows = written(tmp_path, 4)
    content = bytearray((tmp_path / FILE_NAME).read_bytes())
    content[place] ^= 1 << bit
    (tmp_path / FILE_NAME).write_bytes(content)
    log = EventLog(tmp_path)
    assert log.path.name == FILE_NAME
    assert log.rows("g1") == rows
    assert [one.key for one in log.notices] == ["log_notice.mended"]
    assert log.append("g1", [a_row(9)])
    log.close()
