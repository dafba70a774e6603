"""Recovery of a damaged log, with other files beside it, and its cost."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from companion.storage.copies import backups
from companion.storage.database.replacing import other_copies
from companion.table.log import FILE_NAME, EventLog, StoredRow
from tests.table.test_log import written

ROWS = 60
HASHES_A_ROW = 40
"""Far more than any of these needs; twice as many with each row are reached within fifteen."""


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Limit the number of hashes: the test fails at the first too many."""
    left = [ROWS * HASHES_A_ROW]
    real = hashlib.sha256

    def counted(content: bytes = b"") -> object:
        left[0] -= 1
        assert left[0] > 0, "finding out costs more with each row"
        return real(content)

    monkeypatch.setattr(hashlib, "sha256", counted)
    return left


def of_another_evening(n: int, evening: int) -> StoredRow:
    return StoredRow(
        at=f"2026-02-{evening:02}T00:00:{n % 60:02}",
        who="",
        command_id=f"evening-{evening}-{n}",
        event="{}",
        rules_version="1",
        digest=f"{n:032x}",
    )


def evenings(folder: Path, *numbers: int) -> None:
    """Make snapshots of other evenings, whose game has the same name."""
    (folder / "snapshots").mkdir()
    for number in numbers:
        log = EventLog(folder / "other")
        log.append("g1", [of_another_evening(n, number) for n in range(ROWS)])
        log.close()
        shutil.move(folder / "other" / FILE_NAME, folder / "snapshots" / f"{number:06}-g1.db")


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        db.execute(statement)


@pytest.mark.parametrize(
    ("damage", "lost"),
    [
        (f"UPDATE row SET who = 'other' WHERE seq = {ROWS}", {ROWS}),
        ("UPDATE row SET who = 'other' WHERE seq = 1", {1}),
        ("UPDATE row SET hash = zeroblob(32) WHERE seq > 20", set()),
        ("DELETE FROM row WHERE seq BETWEEN 10 AND 30", set(range(10, 32))),
        ("DELETE FROM row WHERE seq < 20", set(range(1, 21))),
    ],
)
@pytest.mark.usefixtures("hashes")
def test_games_of_the_same_name_cost_no_more_with_each_row(
    tmp_path: Path, damage: str, lost: set[int]
) -> None:
    """A backup of another box was brought back, say, and both have a game `g1`."""
    rows = written(tmp_path, ROWS)
    evenings(tmp_path, 1, 2)
    change(tmp_path, damage)
    log = EventLog(tmp_path)
    found = log.rows("g1")
    assert {seq for seq, row in enumerate(found, start=1) if row != rows[seq - 1]} <= lost
    assert len(found) == ROWS
    log.close()


@pytest.mark.usefixtures("hashes")
def test_rows_whose_hashes_are_all_gone_are_proven_by_the_seal_alone(tmp_path: Path) -> None:
    rows = written(tmp_path, ROWS)
    change(tmp_path, "UPDATE row SET hash = zeroblob(32)")
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    log.close()


def test_a_snapshot_fills_a_gap_among_those_of_other_evenings(tmp_path: Path) -> None:
    rows = written(tmp_path, ROWS)
    evenings(tmp_path, *range(1, 8))
    assert backups.take_snapshot(tmp_path / FILE_NAME, "g1") is not None
    change(tmp_path, "DELETE FROM row WHERE seq BETWEEN 10 AND 40")
    log = EventLog(tmp_path)
    assert log.rows("g1") == rows
    log.close()


def test_what_was_set_aside_fills_a_gap_of_the_file_that_took_its_place(tmp_path: Path) -> None:
    """There the rows after the one that was lost have other hashes."""
    rows = written(tmp_path, ROWS)
    change(tmp_path, "UPDATE row SET who = 'other' WHERE seq = 8")
    EventLog(tmp_path).close()
    evenings(tmp_path, *range(1, 8))
    change(tmp_path, "DELETE FROM row WHERE seq BETWEEN 20 AND 40")
    log = EventLog(tmp_path)
    found = log.rows("g1")
    assert (found[:7], found[8:]) == (rows[:7], rows[8:])
    log.close()


def test_other_files_are_asked_newest_first_whatever_the_clock_said(tmp_path: Path) -> None:
    (tmp_path / "snapshots").mkdir()
    made = [tmp_path / "snapshots" / f"{n:06}-g{n % 3}.db" for n in range(8, 18)]
    made += [tmp_path / f"{FILE_NAME}.damaged-{n}" for n in range(1, 13)]
    for age, path in enumerate(made):
        path.write_text(path.name)
        os.utime(path, (10**9 - age, 10**9 - age))
    (tmp_path / f"{FILE_NAME}.damaged-9-wal").write_text("no database")
    asked = [found.main.decode() for found in other_copies(tmp_path / FILE_NAME)]
    newest = [*reversed(made[:10]), *reversed(made[-5:])]
    assert asked == [path.name for path in newest]
