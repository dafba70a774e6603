"""The rows that the hub has got, in a SQLite file that may be deleted at any time.

Rows are accepted by (table, game, number): the same row again changes nothing. Each row's hash is
over the one before, so a gap and a row of another line are noticed. Of a game that is over only the
result is kept in the end, with the number of its rows and the hash of the last.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from companion.mqtt.tables.forms import Page
from companion.table.database import StoredRow, chain, is_damage
from companion.table.log import FolderLock

FILE_NAME: Final = "hub.db"
FORM: Final = 2
MOST_PAGES: Final = 262_144
"""Pages of 4 KB that the file may have: 1 GB."""
DROPPED: Final = b"-"
"""In place of a result that was dropped for want of room."""
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS row (
    tbl TEXT NOT NULL, log TEXT NOT NULL, seq INTEGER NOT NULL, before BLOB NOT NULL,
    hash BLOB NOT NULL, row BLOB NOT NULL, PRIMARY KEY (tbl, log, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS result (
    tbl TEXT NOT NULL, log TEXT NOT NULL, rows INTEGER NOT NULL, hash BLOB NOT NULL,
    result BLOB NOT NULL, PRIMARY KEY (tbl, log)
) STRICT, WITHOUT ROWID;
"""
_ROW: Final = msgspec.json.Decoder(StoredRow)


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of one game. `chained`: rows from the first on without a gap, each after the one
    before; `tip`: the hash of the last of them; `gaps`: first and last of each that is missing;
    `pruned`: the rows have been looked at and deleted.
    """

    chained: int = 0
    tip: str = ""
    gaps: tuple[tuple[int, int], ...] = ()
    pruned: bool = False


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
        folder.mkdir(parents=True, exist_ok=True)
        self._folder_lock = FolderLock(folder)
        self._folder_lock.take()
        self._looked_at: dict[tuple[str, str], tuple[int, str]] = {}
        self._unkept: dict[tuple[str, str], bytes] = {}
        """Results that the disk refused."""
        self.has_dropped = False
        """Whether results were dropped for want of room."""
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
            if not (isinstance(wrong, _AnotherFormError) or is_damage(wrong, self.path)):
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
            self._looked_at, self.has_dropped = {}, False
            found = db.execute("SELECT tbl, log, rows, hash, result FROM result")
            for table, log, rows, tip, result in found:  # one by one: a long list has no room
                self._looked_at[table, log] = (rows, tip.hex())
                self.has_dropped |= result == DROPPED
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

        Where the row before the page is another than the one that is held, or rows follow those of
        a game that was pruned, nothing else of the game is kept: all of it must come again.
        """
        before, old = bytes.fromhex(page.before), self.held(table, page.log)
        end = page.first + len(page.rows) - 1
        if old.pruned and end <= old.chained:
            return Accepted(0, len(page.rows), 0)
        new = known = replaced = 0
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:  # commits, or takes all of it back
            there = self._hash(table, page.log, page.first - 1)
            if there is not None and there != before:
                replaced += self._drop(table, page.log, 1)
            if old.pruned or replaced:
                self._drop_result(table, page.log)
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
        if old.pruned or replaced:
            self._not_looked_at(table, page.log)
        if new:
            self._update(table, page.log, restart=old.pruned or replaced > 0)
        return Accepted(new, known, replaced)

    def check(self, table: str, log: str, rows: int, tip: str) -> int:
        """Forget a game of which the table has another line: its row `rows` has the hash `tip`.
        Return how many rows were forgotten; more rows of the same line are not. Raises
        sqlite3.Error.
        """
        held = self.held(table, log)
        if not 0 < rows <= held.chained or tip == self._tip(table, log, rows):
            return 0
        self.forget(table, log)
        return held.chained

    def forget(self, table: str, log: str) -> None:
        """Delete what is held of a game. Raises sqlite3.Error, and nothing is deleted then."""
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._drop(table, log, 1)
            self._drop_result(table, log)
        self._held.pop((table, log), None)
        self._not_looked_at(table, log)

    def forget_result(self, table: str, log: str) -> None:
        """Delete the result of a game, which is played on. Raises sqlite3.Error."""
        if self.held(table, log).pruned:
            self.forget(table, log)
        else:
            self._drop_result(table, log)
            self._not_looked_at(table, log)

    def games(self, table: str) -> set[str]:
        """Return the games of a table of which anything is held."""
        rows = self._db.execute("SELECT DISTINCT log FROM row WHERE tbl = ?", (table,))
        return {log for (log,) in rows} | {log for name, log in self._looked_at if name == table}

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

    def is_looked_at(self, table: str, log: str) -> bool:
        """Return whether the rows that are held of a game have been looked at for its result."""
        held = self.held(table, log)
        return self._looked_at.get((table, log)) == (held.chained, held.tip)

    def put_result(self, table: str, log: str, result: bytes) -> None:
        """Keep the result of the rows that are held of a game; empty where it has none. Raises
        sqlite3.Error; they count as looked at even then, for as long as the hub runs, and their
        result is kept before they are deleted.
        """
        held = self.held(table, log)
        self._looked_at[table, log] = (held.chained, held.tip)
        self._unkept[table, log] = result
        self._insert_result(table, log, result)
        del self._unkept[table, log]

    def _insert_result(self, table: str, log: str, result: bytes) -> None:
        held = self.held(table, log)
        self._db.execute(
            "INSERT INTO result VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " rows = excluded.rows, hash = excluded.hash, result = excluded.result",
            (table, log, held.chained, bytes.fromhex(held.tip), result),
        )

    def prune(self, table: str, log: str) -> None:
        """Delete the rows of a game that have been looked at, which makes room for a result
        that was refused. Raises sqlite3.Error, and nothing is deleted then.
        """
        if self.is_looked_at(table, log) and not self.held(table, log).pruned:
            self._db.execute("BEGIN IMMEDIATE")
            with self._db:
                self._drop(table, log, 1)
                if (table, log) in self._unkept:
                    self._insert_result(table, log, self._unkept[table, log])
            self._unkept.pop((table, log), None)
            self._update(table, log, restart=True)

    def drop_results(self, games: Collection[tuple[str, str]]) -> None:
        """Delete the results of these games for want of room; they count as looked at, and do not
        come again. Raises sqlite3.Error, and nothing is deleted then.
        """
        self.has_dropped = True
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            self._db.executemany(
                "UPDATE result SET result = ? WHERE tbl = ? AND log = ?",
                ((DROPPED, *game) for game in games),
            )
        self._unkept |= {game: DROPPED for game in games if game in self._unkept}

    def results(self) -> Iterator[tuple[str, str, bytes]]:
        """Yield table, game and result of every game that has one. Raises sqlite3.Error."""
        yield from self._db.execute(
            "SELECT tbl, log, result FROM result WHERE result NOT IN (?, ?)", (b"", DROPPED)
        )

    def bytes_of(self, table: str, log: str) -> int:
        """Return how long the rows of a game are together. Raises sqlite3.Error."""
        (found,) = self._db.execute(
            "SELECT coalesce(sum(length(row)), 0) FROM row WHERE tbl = ? AND log = ?", (table, log)
        ).fetchone()
        return int(found)

    def _tip(self, table: str, log: str, seq: int) -> str | None:
        """Return the hash of a row; None where it is not known."""
        held = self.held(table, log)
        if seq == held.chained:
            return held.tip
        found = self._hash(table, log, seq)
        return None if found is None else found.hex()

    def _hash(self, table: str, log: str, seq: int) -> bytes | None:
        found = self._db.execute(
            "SELECT hash FROM row WHERE tbl = ? AND log = ? AND seq = ?", (table, log, seq)
        ).fetchone()
        return None if found is None else bytes(found[0])

    def _drop(self, table: str, log: str, seq: int) -> int:
        return self._db.execute(
            "DELETE FROM row WHERE tbl = ? AND log = ? AND seq >= ?", (table, log, seq)
        ).rowcount

    def _not_looked_at(self, table: str, log: str) -> None:
        self._looked_at.pop((table, log), None)
        self._unkept.pop((table, log), None)

    def _drop_result(self, table: str, log: str) -> None:
        self._db.execute("DELETE FROM result WHERE tbl = ? AND log = ?", (table, log))

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
        held = Held(count, tip.hex(), tuple(gaps[:8]))
        if held == Held() and (table, log) in self._looked_at:
            held = Held(*self._looked_at[table, log], pruned=True)
        self._held[table, log] = held
