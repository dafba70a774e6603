"""The log: it returns what was appended, reports it, and notices every altered row."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from companion.storage.rows import is_placeholder
from companion.table.log import FILE_NAME, CannotOpenError, EventLog, StoredRow


def a_row(n: int, position: str | None = None) -> StoredRow:
    return StoredRow(
        at=f"2026-01-01T00:00:{n:02}",
        who="seat:0",
        command_id=f"command-{n}",
        event=f'{{"type":"DiceRolled","n":{n}}}',
        rules_version="1",
        digest=f"{n:064x}",
        position=position,
    )


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog(tmp_path)


def written(folder: Path, count: int) -> tuple[StoredRow, ...]:
    log = EventLog(folder)
    rows = tuple(a_row(n, "x" * 500 if n % 5 == 0 else None) for n in range(count))
    for row in rows:
        assert log.append("g1", [row])
    log.close()
    return rows


def test_rows_come_back_in_order_after_opening_again(tmp_path: Path) -> None:
    rows = written(tmp_path, 20)
    again = EventLog(tmp_path)
    assert again.rows("g1") == rows
    assert again.losses == ()
    assert again.tables == ("g1",)
    assert again.rows("g2") == ()
    again.close()


def test_the_file_is_in_wal_mode_with_full_synchronisation(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    assert log._db is not None
    assert log._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert log._db.execute("PRAGMA synchronous").fetchone() == (2,)
    log.close()


@pytest.mark.parametrize("column", ["event", "digest", "who", "at", "position", "command_id"])
def test_a_changed_row_is_replaced_all_others_are_served_and_the_file_is_kept(
    tmp_path: Path, column: str
) -> None:
    rows = written(tmp_path, 12)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute(f"UPDATE row SET {column} = 'other' WHERE seq = 8")
    log = EventLog(tmp_path)
    found = log.rows("g1")
    assert (found[:7], found[8:]) == (rows[:7], rows[8:])
    assert json.loads(found[7].event) == {
        "type": "RowLost",
        "why": "changed",
        "aside": f"{FILE_NAME}.damaged-1",
    }
    (loss,) = log.losses
    assert (loss.table, loss.kept, loss.lost) == ("g1", 11, (8,))
    assert loss.aside.is_file()
    assert log.append("g1", [a_row(50)])
    log.close()
    again = EventLog(tmp_path)
    assert again.losses == ()
    assert again.rows("g1") == (*found, a_row(50))
    again.close()


def test_rows_missing_in_the_middle_or_at_the_end_are_noticed(tmp_path: Path) -> None:
    for gone, kept in ((5, (1, 2, 3, 4, 7, 8, 9, 10)), (10, range(1, 10)), (1, range(3, 11))):
        folder = tmp_path / str(gone)
        rows = written(folder, 10)
        with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
            db.execute("DELETE FROM row WHERE seq = ?", (gone,))
            db.execute("VACUUM") if not db.in_transaction else None
        log = EventLog(folder)
        found = log.rows("g1")
        assert len(found) == 10
        true = [seq for seq, row in enumerate(found, start=1) if row == rows[seq - 1]]
        assert set(true) >= set(kept)
        assert set(log.losses[0].lost) == set(range(1, 11)) - set(true)
        log.close()


def test_no_damage_to_the_main_file_yields_a_wrong_row(tmp_path: Path) -> None:
    rows = written(tmp_path / "whole", 60)
    whole = (tmp_path / "whole" / FILE_NAME).read_bytes()
    chance = random.Random(4)
    for attempt in range(60):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        damaged = bytearray(whole)
        start = chance.randrange(len(damaged))
        for place in range(start, min(start + chance.choice((1, 16, 512)), len(damaged))):
            damaged[place] ^= chance.randrange(1, 256)
        (folder / FILE_NAME).write_bytes(damaged)
        log = EventLog(folder)
        found = log.rows("g1")
        pairs = zip(found, rows, strict=False)
        assert [row for row, true in pairs if row != true and not is_placeholder(row)] == []
        assert found == rows or log.notices
        log.close()
        shutil.rmtree(folder)


def test_a_torn_wal_opens_as_an_exact_prefix(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "live")
    rows = tuple(a_row(n) for n in range(30))
    for row in rows:
        log.append("g1", [row])
    wal = (tmp_path / "live" / f"{FILE_NAME}-wal").read_bytes()
    main = (tmp_path / "live" / FILE_NAME).read_bytes()
    for size in range(len(wal), 0, -len(wal) // 25):
        folder = tmp_path / f"torn-{size}"
        folder.mkdir()
        (folder / FILE_NAME).write_bytes(main)
        (folder / f"{FILE_NAME}-wal").write_bytes(wal[:size])
        torn = EventLog(folder)
        assert torn.rows("g1") == rows[: len(torn.rows("g1"))]
        torn.close()
    log.close()


def test_what_is_no_database_at_all_is_kept_aside(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database" * 500)
    log = EventLog(tmp_path)
    assert log.rows("g1") == ()
    assert log.losses[0].aside.read_bytes().startswith(b"not a database")
    log.close()


def test_a_full_disk_keeps_rows_in_memory_and_saves_them_later(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    assert log.append("g1", [a_row(0)])
    assert log._db is not None
    (pages,) = log._db.execute("PRAGMA page_count").fetchone()
    log._db.execute(f"PRAGMA max_page_count={pages}")
    big = [a_row(n, "x" * 5000) for n in range(1, 4)]
    assert not log.append("g1", big)
    assert not log.saved
    assert log.rows("g1")[1:] == tuple(big)
    assert EventLog(tmp_path).rows("g1") == (a_row(0),), "all or nothing on the disk"
    log._db.execute("PRAGMA max_page_count=100000")
    assert log.save()
    assert log.saved
    log.close()
    again = EventLog(tmp_path)
    assert again.rows("g1") == (a_row(0), *big)
    again.close()


def test_a_folder_that_cannot_be_written_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CannotOpenError) as refusal:
        EventLog(tmp_path / "file")
    assert refusal.value.path == tmp_path / "file" / FILE_NAME


class Failing(sqlite3.Connection):
    """A connection whose n-th statement from now on fails, as on a bad disk."""

    left = -1

    def execute(self, *given: object) -> sqlite3.Cursor:
        self.left -= 1
        if self.left == 0:
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(*given)  # type: ignore[arg-type]


def test_whichever_statement_fails_all_rows_are_there_or_none(tmp_path: Path) -> None:
    saved, n = False, 0
    while not saved:
        n += 1
        folder = tmp_path / str(n)
        first = written(folder, 1)
        log = EventLog(folder)
        assert log._db is not None
        log._db.close()
        failing = sqlite3.connect(
            folder / FILE_NAME, factory=Failing, check_same_thread=False, isolation_level=None
        )
        log._db = failing
        failing.left = n
        rows = (a_row(5), a_row(6), a_row(7))
        saved = log.append("g1", rows)
        assert saved == (failing.left > 0)
        other = EventLog(folder)
        assert other.rows("g1") == ((*first, *rows) if saved else first)
        other.close()
        assert log.save()
        log.close()
        again = EventLog(folder)
        assert again.rows("g1") == (*first, *rows)
        assert again.losses == ()
        again.close()
    assert n > 7, "BEGIN, a statement a row, the table's end with its seal, COMMIT"


def test_a_plug_pulled_while_a_damaged_file_is_replaced_loses_nothing(tmp_path: Path) -> None:
    rows = written(tmp_path, 6)
    path, fresh = tmp_path / FILE_NAME, tmp_path / f"{FILE_NAME}.new"
    fresh.write_bytes(b"half a file")
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    assert not fresh.exists()
    log.close()
    path.rename(fresh)
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    log.close()


# -- notices ----------------------------------------------------------------------------------


def lossy(folder: Path) -> None:
    """Make a log that has lost a row, with an unseen notice."""
    written(folder, 30)
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        db.execute("UPDATE row SET who = 'other' WHERE seq IN (7, 8)")
    log = EventLog(folder)
    assert [one.key for one in log.notices] == ["log_notice.rows_lost"]
    log.close()


HIDING = {
    "seen": "UPDATE notice SET seen = 1",
    "another number": "UPDATE notice SET seen = 1 << 61",
    "gone": "DELETE FROM notice",
    "another identity": "UPDATE notice SET id = 'lost-table.db.damaged-1-g2', seen = 1",
    "another sentence": "UPDATE notice SET key = 'log_notice.mended'",
    "another number of rows": "UPDATE notice SET args = replace(args, ':2', ':0')",
    "no sentence": "UPDATE notice SET args = '{'",
}


@pytest.mark.parametrize("how", HIDING)
@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("refused", [False, True])
def test_no_damage_hides_a_loss(tmp_path: Path, how: str, seen: bool, refused: bool) -> None:
    """Not even one that was seen: nothing says then that it was this one."""
    lossy(tmp_path)
    log = EventLog(tmp_path)
    (notice,) = log.notices
    if seen:
        log.mark_seen(notice.id)
    log.close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute(HIDING[how])

    def claim() -> None:
        if refused:
            raise PermissionError(13, "Permission denied")

    for _ in range(2):
        log = EventLog(tmp_path, claim=claim)
        found = {one.id: one for one in log.notices}[notice.id]
        assert (found.key, found.args) == (notice.key, notice.args)
        log.close()
    refused = False
    log = EventLog(tmp_path)
    for one in log.notices:
        log.mark_seen(one.id)
    assert log.append("g1", [a_row(50)])
    log.close()
    again = EventLog(tmp_path)
    assert again.notices == ()
    again.close()


def test_one_bit_never_hides_a_notice(tmp_path: Path) -> None:
    """A log of which nothing is left has no rows that could say so."""
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)
    log = EventLog(tmp_path)
    (notice,) = log.notices
    assert notice.key == "log_notice.nothing_saved"
    log.close()
    content = (tmp_path / FILE_NAME).read_bytes()
    start, page = content.index(notice.id.encode()) - 8, tmp_path / "flipped"
    page.mkdir()
    for place in range(start, content.rindex(b"}", start, start + 400) + 1):
        flipped = bytearray(content)
        flipped[place] ^= 1 << place % 8
        shutil.rmtree(page)
        page.mkdir()
        (page / FILE_NAME).write_bytes(flipped)
        log = EventLog(page)
        keys = {one.key for one in log.notices}
        assert keys & {notice.key, "log_notice.unreadable"}, (place - start, keys)
        log.close()


@pytest.mark.parametrize("args", ["{", '{"path":"other","proof":1}', "X'FF'"])
def test_a_notice_that_cannot_be_read_is_shown_until_it_was_seen(tmp_path: Path, args: str) -> None:
    log = EventLog(tmp_path)
    log.note("log_notice.torn", "torn-1", path="one")
    log.note("log_notice.torn", "torn-2", path="two")
    log.close()
    given = args if args.startswith("X'") else f"'{args}'"
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute(f"UPDATE notice SET args = CAST({given} AS TEXT) WHERE id = 'torn-1'")
    for _ in range(2):
        log = EventLog(tmp_path)
        one, two = log.notices
        assert (one.id, one.key, one.args) == ("torn-1", "log_notice.unreadable", {})
        assert (two.id, two.key, two.args) == ("torn-2", "log_notice.torn", {"path": "two"})
        log.close()
    log = EventLog(tmp_path)
    log.mark_seen(one.id)
    log.close()
    again = EventLog(tmp_path)
    assert again.notices == (two,)
    again.close()


def test_a_notice_of_a_release_that_proves_none_is_believed(tmp_path: Path) -> None:
    EventLog(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute(
            "INSERT INTO notice (id, at, key, args) VALUES (?, ?, ?, ?)",
            ("torn-1", "2026-01-01T00:00:00", "log_notice.torn", '{"path":"one"}'),
        )
    log = EventLog(tmp_path)
    (notice,) = log.notices
    assert (notice.key, notice.args) == ("log_notice.torn", {"path": "one"})
    log.close()


def test_what_was_seen_while_the_disk_refused_is_not_shown_again(tmp_path: Path) -> None:
    lossy(tmp_path)
    refused = True

    def claim() -> None:
        if refused:
            raise PermissionError(13, "Permission denied")

    log = EventLog(tmp_path, claim=claim)
    (notice,) = log.notices
    log.mark_seen(notice.id)
    refused = False
    assert not log.saved
    assert log.save()
    assert log.notices == ()
    log.close()
    again = EventLog(tmp_path)
    assert again.notices == ()
    again.close()
