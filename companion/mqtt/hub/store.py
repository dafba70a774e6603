"""The rows that the hub has got, in a SQLite file that may be deleted at any time.

Rows are accepted by (table, game, number): the same row again changes nothing. Each row's hash is
over the one before, so a gap and a row of another line are noticed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from companion.mqtt.tables.forms import Page
from companion.service.app_state import FolderLock
from companion.storage.rows import StoredRow, chain
from companion.storage.schema import reports_damage

FILE_NAME: Final = "hub.db"
FORM: Final = 1
MOST_PAGES: Final = 262_144
"""Pages of 4 KB that the file may have: 1 GB."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS row (
    tbl TEXT NOT NULL, log TEXT NOT NULL, seq INTEGER NOT NULL, before BLOB NOT NULL,
    hash BLOB NOT NULL, row BLOB NOT NULL, PRIMARY KEY (tbl, log, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS result (
    tbl TEXT NOT NULL, log TEXT NOT NULL, hash BLOB NOT NULL, result BLOB NOT NULL,
    PRIMARY KEY (tbl, log)
) STRICT, WITHOUT ROWID;
"""
_ROW: Final = msgspec.json.Decoder(StoredRow)


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of one game. `chained`: rows from the first on without a gap, each after the one
    before; `tip`: the hash of the last of them; `gaps`: first and last of each that is missing.
    """

    chained: int = 0
    tip: str = ""
    gaps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a page brought: rows that were new, that were there, and that replaced others."""

    new: int
    known: int
    replaced: int


class _AnotherFormError(sqlite3.DatabaseError):
    """The file is of another version."""


class HubStore:
    """The file of one hub; used by one thread. Raises DataInUseError where another hub has the
    folder, OSError where the file cannot be read or written; then it is as it was.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._folder_lock = FolderLock(folder)
        self._folder_lock.take()
        try:
            self._db = self._open_or_replace()
        except sqlite3.Error as refusal:
            self._folder_lock.release()
            raise OSError(str(refusal)) from refusal
        self._held: dict[tuple[str, str], Held] = {}

    def _open_or_replace(self) -> sqlite3.Connection:
        """Open the file, or an empty one where it is damaged or of another form: the tables have
        everything. A disk that refuses says nothing about the file.
        """
        try:
            return self._open()
        except sqlite3.Error as wrong:
            if not (isinstance(wrong, _AnotherFormError) or reports_damage(wrong)):
                raise
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        return self._open()

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute(f"PRAGMA max_page_count={MOST_PAGES}")
            (form,) = db.execute("PRAGMA user_version").fetchone()
            if form not in {0, FORM}:
                raise _AnotherFormError
            if form == 0:
                db.executescript(SCHEMA)
                db.execute(f"PRAGMA user_version={FORM}")
            self._kept = db.execute("SELECT tbl, log, hash, result FROM result").fetchall()
        except sqlite3.Error:
            db.close()
            raise
        return db

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        self._folder_lock.release()

    def accept(self, table: str, page: Page) -> Accepted:
        """Keep the rows of a page; raises sqlite3.Error where the disk refuses, and nothing of the
        page is kept then.
        """
        before = bytes.fromhex(page.before)
        new = known = replaced = 0
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:  # commits, or takes all of it back
            for seq, row in enumerate(page.rows, page.first):
                hashed = chain(before, page.log, seq, row)
                there = self._hash(table, page.log, seq)
                if there == hashed:
                    known += 1
                else:
                    if there is not None:  # from here on the table has another line
                        replaced += self._drop(table, page.log, seq)
                    values = (table, page.log, seq, before, hashed, msgspec.json.encode(row))
                    self._db.execute("INSERT INTO row VALUES (?, ?, ?, ?, ?, ?)", values)
                    new += 1
                before = hashed
        if new:
            self._update(table, page.log, restart=replaced > 0)
        return Accepted(new, known, replaced)

    def forget(self, table: str, log: str) -> None:
        """Delete what is held of a game, since the table has another line of it. Raises
        sqlite3.Error, and nothing is deleted then.
        """
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._db.execute("DELETE FROM row WHERE tbl = ? AND log = ?", (table, log))
            self._db.execute("DELETE FROM result WHERE tbl = ? AND log = ?", (table, log))
        self._held.pop((table, log), None)

    def held(self, table: str, log: str) -> Held:
        """Return what is held of a game."""
        if (table, log) not in self._held:
            self._update(table, log, restart=True)
        return self._held[table, log]

    def rows(self, table: str, log: str) -> Iterator[StoredRow]:
        """Yield the rows of a game that are chained from the first on."""
        count = self.held(table, log).chained
        found = self._db.execute(
            "SELECT row FROM row WHERE tbl = ? AND log = ? AND seq <= ? ORDER BY seq",
            (table, log, count),
        )
        return (_ROW.decode(row) for (row,) in found)

    def put_result(self, table: str, log: str, tip: str, result: bytes) -> None:
        """Keep the result of a game as it is at the row with this hash."""
        self._db.execute(
            "INSERT INTO result VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET hash = excluded.hash, result = excluded.result",
            (table, log, bytes.fromhex(tip), result),
        )

    def results(self) -> list[tuple[str, str, str, bytes]]:
        """Return table, game, hash and result of every game that had one at the opening."""
        return [(table, log, tip.hex(), result) for table, log, tip, result in self._kept]

    def _hash(self, table: str, log: str, seq: int) -> bytes | None:
        found = self._db.execute(
            "SELECT hash FROM row WHERE tbl = ? AND log = ? AND seq = ?", (table, log, seq)
        ).fetchone()
        return None if found is None else bytes(found[0])

    def _drop(self, table: str, log: str, seq: int) -> int:
        return self._db.execute(
            "DELETE FROM row WHERE tbl = ? AND log = ? AND seq >= ?", (table, log, seq)
        ).rowcount

    def _update(self, table: str, log: str, *, restart: bool) -> None:
        """Look at the rows behind those that are chained, from the first on with `restart`."""
        old = Held() if restart else self._held.get((table, log), Held())
        count, tip, next_seq = old.chained, bytes.fromhex(old.tip), old.chained + 1
        gaps: list[tuple[int, int]] = []
        rows = self._db.execute(
            "SELECT seq, before, hash FROM row WHERE tbl = ? AND log = ? AND seq > ? ORDER BY seq",
            (table, log, count),
        )
        for seq, before, hashed in rows:
            if seq == count + 1 and before == tip:
                count, tip = seq, hashed
            elif seq > next_seq:
                gaps.append((next_seq, seq - 1))
            elif seq == next_seq == count + 1:
                gaps.append((seq, seq))  # it follows another row than the one that is held
            next_seq = seq + 1
        self._held[table, log] = Held(count, tip.hex(), tuple(gaps[:8]))
