"""The log: an append-only SQLite file whose rows are chained by their hashes. It is the save file.

Only events are written, with the digest of the position after each; everything else is replay.
Nothing is changed or deleted. Opening never fails: a damaged file is replaced by what its rows and
its copies prove. While the disk refuses, or the file is gone, play goes on in memory.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

import msgspec
from msgspec.structs import replace

from companion.files import free_name, is_there, open_lock
from companion.table import database
from companion.table.database import (
    FILE_NAME,
    UNREADABLE,
    CannotOpenError,
    ChainEnd,
    Contents,
    DamagedError,
    Notice,
    StoredRow,
    chain,
)

LOCK_NAME: Final = "lock"
AT_ONCE: Final = 500
"""Rows that are read at once: whoever reads too waits for these alone."""
CANNOT_BE_WRITTEN = (OSError, DamagedError, ValueError, *UNREADABLE)
"""Why a log may fail to be opened for writing; play then goes on in memory."""
SOON_S: Final = 3.0
"""Seconds that a value of the state may take to be written before people see that it is not."""
LONGEST_VALUE: Final = 8 << 20
T = TypeVar("T")
PendingRow = tuple[str, int, StoredRow, bytes]
"""A row to be written: game, sequence number, row, hash."""


class DataInUseError(Exception):
    """Another service has this data folder open."""


class FolderLock:
    """The lock on a data folder for as long as its service runs: a log has one writer."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK_NAME
        self._file: BinaryIO | None = None
        self.is_exclusive = True
        """Whether another service is kept out; False if the file system has no locks."""

    def take(self) -> None:
        """Lock the folder, which exists; again if another one is in its place. Raises OSError if
        the disk refuses, DataInUseError if another service has it.
        """
        if self._file is not None and self._is_in_place(self._file):
            return
        file = open_lock(self._path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as taken:
            file.close()
            raise DataInUseError(str(self._path.parent)) from taken
        except OSError:
            self.is_exclusive = False  # some network and FUSE mounts have no locks: play anyway
        self.release()
        self._file = file

    def _is_in_place(self, file: BinaryIO) -> bool:
        with suppress(OSError):
            return os.path.samestat(os.fstat(file.fileno()), self._path.stat())
        return False

    def release(self) -> None:
        """Unlock the folder."""
        if self._file is not None:
            self._file.close()
            self._file = None


class _Opened(msgspec.Struct, frozen=True):
    """A verified file, opened for writing and for reading, and what its opening has to say."""

    found: Contents
    db: sqlite3.Connection
    reader: sqlite3.Connection
    status: os.stat_result
    notices: tuple[Notice, ...]


class EventLog:
    """The rows of all games in a data folder, and a small state beside them.

    `claim` makes sure that no other process writes to the folder: it raises DataInUseError if one
    does, OSError if the disk refuses. Raises CannotOpenError if the folder is not a folder.
    """

    def __init__(self, folder: Path, claim: Callable[[], object] = lambda: None) -> None:
        self.path = folder / FILE_NAME
        self.reopened = 0
        """How often the file was opened after a failure; its games may be others since."""
        self.refusal = ""
        """Why nothing could be written when the log was opened; empty if it could."""
        self.remembered: Callable[[], tuple[str, list[StoredRow]]] = lambda: ("", [])
        """The current game and its rows, for when the file cannot be read any more."""
        self._claim = claim
        self._lock = threading.RLock()
        """Held while anything here is changed or written."""
        self._reading = threading.Lock()
        """Held while some rows are read, and while the file is exchanged."""
        self._ends: dict[str, ChainEnd] = {}
        """The end of each game, waiting rows included, oldest game first."""
        self._waiting: list[PendingRow] = []
        self._touched: set[str] = set()
        """Games whose ends are to be written."""
        self._state: dict[str, str] = {}
        self._dirty: dict[str, float] = {}
        """Keys of the state that are to be written, and since when."""
        self._marking = threading.Lock()
        """Held for moments while the state is changed, never while something is written."""
        self._is_open = self._was_open = False
        """Whether the file is being written, and whether it ever was."""
        try:
            opened = self._open()
            self._take(opened)
            for one in opened.notices:
                self.note(one.key, one.id, **one.args)
        except (NotADirectoryError, FileExistsError) as refusal:
            raise CannotOpenError(self.path, refusal.strerror or "") from refusal
        except CANNOT_BE_WRITTEN as refusal:
            self.refusal = getattr(refusal, "strerror", None) or str(refusal)
            self._open_in_memory()

    # -- reading ------------------------------------------------------------------------------

    @property
    def saved(self) -> bool:
        """Whether the disk has everything; False while it refuses, and once the file is gone."""
        return self.rows_saved and not self._dirty

    @property
    def rows_saved(self) -> bool:
        """Whether the disk has every row."""
        return self._is_open and not (self._waiting or self._touched)

    @property
    def state_saved(self) -> bool:
        """Whether the disk has the state, but for what changed within the last SOON_S seconds."""
        with self._marking:
            oldest = min(self._dirty.values(), default=None)
        return oldest is None or time.monotonic() - oldest < SOON_S

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of all games, oldest first."""
        return tuple(self._ends)

    @property
    def by_use(self) -> tuple[str, ...]:
        """The ids of all games, last used at the end, by the log's own counter."""
        ends = dict(self._ends)
        return tuple(sorted(ends, key=lambda game: ends[game].used))

    @property
    def current(self) -> str:
        """The game being played: the one that was used last; else `g1`."""
        return next(reversed(self.by_use), "g1")

    def next_id(self) -> str:
        """Return the id for a new game."""
        return f"g{max(map(database.game_number, self._ends), default=0) + 1}"

    def count(self, game: str) -> int:
        """Return how many rows the game has."""
        return self._ends.get(game, ChainEnd()).seq

    def last_hash(self, game: str) -> str:
        """Return the hash of the game's last row, in hex digits; "" if the game is unknown."""
        return self._ends.get(game, ChainEnd()).hash.hex()

    def read(self, game: str) -> Iterator[StoredRow]:
        """Yield the rows that the game has now; none if it is unknown. From any thread."""
        with self._reading:
            count, waiting = self.count(game), tuple(self._waiting)
        query = f"SELECT {database.FIELDS} FROM row WHERE game = ? AND seq > ? ORDER BY seq LIMIT ?"
        read = 0
        while read < count:
            found: list[tuple[Any, ...]] = []
            asked = (game, read, min(AT_ONCE, count - read))
            with self._reading, suppress(*UNREADABLE):
                found = self._reader.execute(query, asked).fetchall()
            if not found:
                break
            read += len(found)
            yield from (StoredRow(*fields) for fields in found)
        for one, seq, row, _ in waiting:
            if one == game and seq == read + 1:  # none after rows that could not be read
                read = seq
                yield row

    # -- writing ------------------------------------------------------------------------------

    def append(self, game: str, rows: Iterable[StoredRow]) -> bool:
        """Append rows to the game, which becomes the current one; return whether the disk has them
        too (`saved`). The game may have another id afterwards (`current`): see `save`.
        """
        with self._lock:
            self._add(game, rows)
            return self.save()

    def make_current(self, game: str) -> bool:
        """Make this the game being played, now and after the next start."""
        return self.append(game, ())

    def _add(self, game: str, rows: Iterable[StoredRow]) -> None:
        end = self._ends.get(game, ChainEnd())
        seq, hashed, added = end.seq, end.hash, list[PendingRow]()
        for seq, row in enumerate(rows, start=end.seq + 1):
            hashed = chain(hashed, game, seq, row)
            added.append((game, seq, row, hashed))
        self._ends[game] = ChainEnd(seq, hashed, 1 + _newest(self._ends))
        self._touched.add(game)
        self._waiting += added

    def state(self, key: str, decoder: msgspec.json.Decoder[T]) -> T | None:
        """Return a value of the state; None if there is none, or one of another form."""
        return database.decoded(decoder, self._state.get(key, ""))

    def put_state(self, key: str, value: object) -> None:
        """Change a value of the state without waiting for the disk: it is written with the next
        rows, or by `save`. One that is longer than LONGEST_VALUE in JSON is left out.
        """
        text = msgspec.json.encode(value).decode()
        with self._marking:
            if self._state.get(key) != text and len(text) <= LONGEST_VALUE:
                self._state[key] = text
                self._dirty.setdefault(key, time.monotonic())

    def save(self) -> bool:
        """Write what waits; return False if it still does.

        If the file is gone, this says so, and the next call opens it again. If that is another file
        than before, a game of ours that does not fit it is saved whole under a new id.
        """
        with self._lock:
            if self._is_open and not self.is_in_place():
                self._is_open = False
            elif not self._is_open:
                self._open_again()
            if self._is_open and not self.saved:
                try:
                    self._write()
                except sqlite3.Error as refusal:
                    self._is_open = not database.is_damage(refusal, self.path)
            return self.saved

    def _write(self) -> None:
        """Write everything that waits, in one transaction. Raises sqlite3.Error."""
        with self._marking:
            changed = {key: self._state[key] for key in self._dirty}
        with database.transaction(self._db):
            for waiting in self._waiting:
                database.put_row(self._db, *waiting)
            for game in self._touched:
                database.put_end(self._db, game, self._ends[game])
            for key, value in changed.items():
                database.put_state(self._db, key, value)
        self._waiting.clear()
        self._touched.clear()
        with self._marking:
            for key, value in changed.items():
                if self._state[key] == value:
                    del self._dirty[key]

    def is_in_place(self) -> bool:
        """Return whether the path leads to the file that is written: a folder may be replaced."""
        with suppress(OSError):
            return self._is_open and os.path.samestat(self.path.stat(), self._status)
        return False

    def probe(self) -> None:
        """Return once the database has answered; a refusal of the disk is an answer too."""
        with self._lock, suppress(sqlite3.Error):
            self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    def close(self) -> None:
        """Close the file, after a last attempt to write what waits."""
        with self._lock:
            self.put_state(database.OPEN, False)
            self.save()
            with self._reading:
                self._reader.close()
                self._db.close()

    # -- notices ------------------------------------------------------------------------------

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The notices that nobody has seen yet, oldest first."""
        return tuple(one for one in database.notices_in(self._state) if not one.seen)

    def note(self, key: str, identity: str, **args: str | int) -> None:
        """Add a notice, once for each identity."""
        with self._lock:
            known = database.notices_in(self._state)
            if all(one.id != identity for one in known):
                self._put_notices((*known, Notice(identity, key, args)))

    def mark_seen(self, identity: str) -> None:
        """Mark a notice as seen, so that it is no longer shown."""
        with self._lock:
            known = database.notices_in(self._state)
            self._put_notices(
                replace(one, seen=True) if one.id == identity else one for one in known
            )

    def _put_notices(self, notices: Iterable[Notice]) -> None:
        self.put_state(database.NOTICES, tuple(notices))
        self.save()

    # -- opening ------------------------------------------------------------------------------

    def _open(self) -> _Opened:
        """Open the file and verify all of it. Raises OSError, sqlite3.Error if the disk refuses."""
        if not self._was_open:  # a folder that is gone is not made again: it may be a disk
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._claim()
        wal = database.wal_of(self.path)
        had_journal = is_there(wal)
        found, db, torn = database.open_whole(self.path)
        newest, notices = _newest(found.ends), []
        args: database.Args = {"path": wal.name}
        if torn:
            notices.append(Notice(f"torn-{newest}", "log_notice.torn", args))
        if found.open and not had_journal:
            notices.append(Notice(f"copy-{newest}", "log_notice.incomplete_copy", args))
        try:
            reader = database.open_reading(self.path)
            return _Opened(found, db, reader, self.path.stat(), tuple(notices))
        except CANNOT_BE_WRITTEN:
            db.close()
            raise

    def _take(self, opened: _Opened) -> None:
        self._ends = dict(opened.found.ends)
        self._state = opened.found.state | {database.OPEN: "true"}
        self._db, self._reader, self._status = opened.db, opened.reader, opened.status
        self._is_open = self._was_open = True

    def _open_in_memory(self) -> None:
        """The disk refuses: read what can be read, and play on in memory."""
        self._db = self._reader = db = database.new_log()
        with suppress(OSError, *UNREADABLE), database.open_untouched(self.path) as file:
            try:
                database.verify(file)
                file.backup(db)
            except (DamagedError, *UNREADABLE):
                aside = free_name(self.path, "aside").name
                database.salvage(db, self.path, database.Source(file), "damaged", aside)
        found = database.verify(db)
        self._ends, self._state = dict(found.ends), dict(found.state)

    def _open_again(self) -> None:
        """Try to open the file again, and queue what it lacks; nothing changes on failure."""
        try:
            opened = self._open()
        except (*CANNOT_BE_WRITTEN, DataInUseError):
            return
        current, lacking = self.current, [*self._lacking(opened)]
        before = self._db
        ids = {}
        with self._reading:
            self._reader.close()
            self._waiting, self._touched = [], set()
            with self._marking:
                state = self._state
                self._take(opened)
                known = self._state
                self._state = {**known, **state, database.OPEN: "true"}
                changed = {key for key, value in self._state.items() if known.get(key) != value}
                self._dirty = dict.fromkeys(changed, time.monotonic())
            self.reopened += 1
            for game, rows, fits in lacking:
                ids[game] = game if fits else self.next_id()
                if rows:
                    self._add(ids[game], rows)
            if current in ids:
                self._add(ids[current], ())
        before.close()
        notices = (*database.notices_in(known), *opened.notices, *database.notices_in(state))
        self._put_notices({one.id: one for one in notices}.values())

    def _lacking(self, opened: _Opened) -> Iterator[tuple[str, list[StoredRow], bool]]:
        """Yield each game of ours, the last used at the end: the rows that the opened file lacks,
        and whether they go on there; all rows, if the file has another game of that name.
        """
        theirs = database.Source(opened.db)
        for game in self.by_use:
            ours, there = self._ends[game], theirs.ends.get(game, ChainEnd())
            ahead = [(seq, row) for one, seq, row, _ in self._waiting if one == game]
            ahead = [(seq, row) for seq, row in ahead if seq > there.seq]
            hashed = there.hash
            for seq, row in ahead:
                hashed = chain(hashed, game, seq, row)
            if hashed == ours.hash:  # it has all that was saved
                yield game, [row for _, row in ahead], True
                continue
            rows, hashed = list(self.read(game)), b""
            if len(rows) < ours.seq:  # the file of before cannot be read any more
                name, kept = self.remembered()
                rows = kept if name == game else []
            both = min(there.seq, len(rows))
            for seq, row in enumerate(rows[:both], start=1):
                hashed = chain(hashed, game, seq, row)
            fits = hashed == theirs.hash_at(game, both)
            yield game, rows[both:] if fits else rows, fits


def _newest(ends: dict[str, ChainEnd]) -> int:
    return max((end.used for end in ends.values()), default=0)
