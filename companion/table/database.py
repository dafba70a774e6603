"""A database of the log: rows chained by their hashes, a sealed end of each game, and a state.

`verify` reads all of it and believes nothing that does not match. `rebuild` replaces a damaged file
by one with the rows that the chain proves, from that file and its copies.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from companion.files import (
    free_name,
    is_there,
    move_file,
    refuse_irregular,
    replace_file,
    sync_folder,
)

FILE_NAME: Final = "table.db"
COPIES: Final = "copies"
"""The folder of the copies that are made at the end of each turn, in the data folder."""
APPLICATION_ID: Final = 0x4D545442
"""`MTTB` in the header of the file."""
VERSION: Final = 1
TABLES: Final = {
    "row": "CREATE TABLE row (game TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL,"
    " who TEXT NOT NULL, command_id TEXT NOT NULL, event TEXT NOT NULL,"
    " rules_version TEXT NOT NULL, digest TEXT NOT NULL, position TEXT, hash BLOB NOT NULL,"
    " PRIMARY KEY (game, seq)) STRICT, WITHOUT ROWID",
    "chain_end": "CREATE TABLE chain_end (game TEXT PRIMARY KEY, seq INTEGER NOT NULL,"
    " hash BLOB NOT NULL, used INTEGER NOT NULL, seal BLOB NOT NULL) STRICT, WITHOUT ROWID",
    "state": "CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal BLOB NOT NULL)"
    " STRICT, WITHOUT ROWID",
}
FIELDS: Final = "at, who, command_id, event, rules_version, digest, position"
OPEN: Final = "open"
"""The key in `state` that says whether a journal belongs to the file."""
LOG: Final = "log"
"""The key of what tells this log from those of other evenings, in whatever folder."""
NOTICES: Final = "notices"
NAMED: Final = 5
"""The most games that one sentence names."""
LONGEST_FIELD: Final = 16 << 20
"""A damaged file may claim far longer ones, which SQLite would make room for."""
BUSY_S: Final = 5.0
PARTS: Final = ("-wal", "-shm", "-journal", "")
"""The files of a database, the main one last: no journal may meet a new file."""
WAL_HEAD, FRAME = 32, 24 + 4096
"""The bytes of a journal's head and of each of its frames."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file may raise; UnicodeDecodeError if SQLite's message quotes it."""
_REFUSALS: Final = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_PROTOCOL,
}
"""Error codes by which the machine refuses; all others mean a damaged file."""


T = TypeVar("T")
Args = dict[str, str | int]
"""Parameters of a sentence."""


class DamagedError(Exception):
    """The file is not what was written; the message says what does not match."""


class CannotOpenError(Exception):
    """The folder or file cannot be opened: `path` and the system's `reason`."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path, self.reason = path, reason


class StoredRow(msgspec.Struct, frozen=True):
    """One event of one game; its sequence number is its place, counted from 1."""

    at: str
    """ISO 8601 wall time, for reading only: order is the sequence."""
    who: str
    command_id: str
    event: str
    """The event's JSON as it was sent."""
    rules_version: str
    digest: str
    """The digest of the position after it; empty before the game has started."""
    position: str | None = None
    """JSON of the whole position, if this row ends a turn."""


class ChainEnd(msgspec.Struct, frozen=True):
    """The end of a game: its last row's number and hash. `used`: the number of the log's last
    command that changed this game.
    """

    seq: int = 0
    hash: bytes = b""
    used: int = 0


class Notice(msgspec.Struct, frozen=True):
    """A message for the host: a catalogue key and arguments. The same event has the same `id`."""

    id: str
    key: str
    args: Args
    seen: bool = False


_NOTICES = msgspec.json.Decoder(tuple[Notice, ...])


class Contents(msgspec.Struct, frozen=True):
    """What a database holds: the end of each game, oldest first, and the state, JSON by key."""

    ends: dict[str, ChainEnd]
    state: dict[str, str]

    @property
    def open(self) -> bool:
        """Whether a journal belongs to the file."""
        return self.state.get(OPEN) == "true"


def notices_in(state: dict[str, str]) -> tuple[Notice, ...]:
    """Return the notices that a state holds."""
    return decoded(_NOTICES, state.get(NOTICES, "")) or ()


def decoded(decoder: msgspec.json.Decoder[T], text: str) -> T | None:
    """Return what the JSON holds; None if it is of another form, or empty."""
    with suppress(msgspec.MsgspecError, RecursionError):
        return decoder.decode(text)
    return None


def chain(previous: bytes, game: str, seq: int, row: StoredRow) -> bytes:
    """Return the SHA-256 over the previous hash and all fields of the row."""
    return hashlib.sha256(previous + msgspec.json.encode((game, seq, row))).digest()


def game_number(game: str) -> int:
    """Return N of a game's id `gN`; 0 for any other."""
    number = game.removeprefix("g")
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else 0


def in_order(games: Iterable[str]) -> tuple[str, ...]:
    """Sort ids of games, oldest first."""
    return tuple(sorted(games, key=lambda game: (game_number(game), game)))


def known_games(games: Sequence[str]) -> dict[str, str | int]:
    """Return parameters for a sentence: how many games (`count`), the newest ids (`known`)."""
    return {"count": len(games), "known": ", ".join(in_order(games)[: -NAMED - 1 : -1])}


def wal_of(path: Path) -> Path:
    """Return the path of the journal beside a database."""
    return Path(f"{path}-wal")


def is_damage(error: sqlite3.Error, path: Path) -> bool:
    """Return whether an error means that the file is damaged, not that the machine refuses."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
        return all(os.access(one, os.W_OK) for one in (path, path.parent))  # it may be written
    return code not in _REFUSALS


# -- writing ----------------------------------------------------------------------------------


def connect(path: Path) -> sqlite3.Connection:
    """Open a file that exists for writing: a committed transaction survives a power cut."""
    return open_database(
        f"{path.absolute().as_uri()}?mode=rw",
        "journal_mode=WAL",
        "synchronous=FULL",
        "wal_autocheckpoint=400",  # the journal is also taken over at the end of each turn
        "journal_size_limit=0",  # no rest of an earlier run stays in it: see `open_whole`
    )


def new_log(at: str = ":memory:") -> sqlite3.Connection:
    """Make a log, in memory or at a path that has no file."""
    db = open_database(at)
    for statement in TABLES.values():
        db.execute(statement)
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")
    db.execute(f"PRAGMA user_version={VERSION}")
    return db


def open_database(address: str, *pragmas: str) -> sqlite3.Connection:
    """Connect and set up; the connection is closed if that fails."""
    db = sqlite3.connect(
        address, uri=True, timeout=BUSY_S, check_same_thread=False, isolation_level=None
    )
    try:
        db.text_factory = lambda content: content.decode(errors="replace")  # no hash fits then
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_FIELD)
        for pragma in ("cache_size=-256", *pragmas):  # KiB: the system keeps the file as well
            db.execute(f"PRAGMA {pragma}").fetchall()
    except UNREADABLE:
        db.close()
        raise
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block writes, or nothing if it fails. Raises sqlite3.Error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.rollback()


def put_row(db: sqlite3.Connection, game: str, seq: int, row: StoredRow, hashed: bytes) -> None:
    """Write a row; one that is there already, since a failure was reported late, is the same."""
    values = (game, seq, *msgspec.structs.astuple(row), hashed)
    db.execute("INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def put_end(db: sqlite3.Connection, game: str, end: ChainEnd) -> None:
    """Write the sealed end of a game."""
    values = (game, end.seq, end.hash, end.used, _seal(game, end))
    db.execute("INSERT OR REPLACE INTO chain_end VALUES (?, ?, ?, ?, ?)", values)


def put_state(db: sqlite3.Connection, key: str, value: str) -> None:
    """Write a value of the state, sealed."""
    db.execute("INSERT OR REPLACE INTO state VALUES (?, ?, ?)", (key, value, _seal(key, value)))


def _seal(*content: object) -> bytes:
    return hashlib.sha256(msgspec.json.encode(content)).digest()


# -- reading ----------------------------------------------------------------------------------


def open_reading(path: Path, how: str = "mode=ro") -> sqlite3.Connection:
    """Open a file for reading; SQLite makes a journal if there is none. OSError, UNREADABLE."""
    refuse_irregular(path)
    return open_database(f"{path.absolute().as_uri()}?{how}")


def open_alone(path: Path) -> sqlite3.Connection:
    """Open a file without a journal for reading, and make none. OSError, UNREADABLE."""
    return open_reading(path, "mode=ro&immutable=1")


@contextmanager
def open_untouched(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file for reading and make no file beside it, not even an empty journal: the journal
    tells a whole log from an incomplete copy. Raises OSError, UNREADABLE.
    """
    with ExitStack() as stack:
        if not is_there(wal_of(path)):
            db = open_alone(path)
        elif is_there(Path(f"{path}-shm")):
            db = open_reading(path)
        else:
            copy = Path(stack.enter_context(tempfile.TemporaryDirectory())) / path.name
            for part in (path, wal_of(path)):
                refuse_irregular(part)
                shutil.copyfile(part, copy.with_name(part.name))
            db = open_reading(copy)
        yield stack.enter_context(closing(db))


def verify(db: sqlite3.Connection) -> Contents:
    """Read a database from the first row to the last and return what it holds. Raises DamagedError
    if something does not match, sqlite3.Error.
    """
    if (kind := kind_of(db)) != "ours":
        raise DamagedError(kind)
    if (found := db.execute("PRAGMA quick_check(1)").fetchone()) != ("ok",):
        raise DamagedError(str(found))
    source = Source(db)
    if not source.is_sealed:
        raise DamagedError("a seal does not fit")
    ends: dict[str, ChainEnd] = {}
    rows = db.execute(f"SELECT game, seq, hash, {FIELDS} FROM row ORDER BY game, seq")
    for game, seq, stored, *fields in rows:
        last = ends.get(game, ChainEnd())
        hashed = chain(last.hash, game, seq, StoredRow(*fields))
        if seq != last.seq + 1 or hashed != stored:
            raise DamagedError(f"{game}, row {seq}")
        ends[game] = ChainEnd(seq, hashed, source.ends.get(game, ChainEnd()).used)
    if ends != source.ends:
        raise DamagedError("the end of a game")
    return Contents({game: ends[game] for game in in_order(ends)}, source.state)


def kind_of(db: sqlite3.Connection) -> str:
    """Return `ours`, or `newer` for a log of a later version, `foreign` for a database of another
    program, `damaged` for one of ours with something in it that no version makes: a trigger, a
    view or a constraint could change or refuse what is written. Raises sqlite3.Error.
    """
    tables = dict(db.execute("SELECT name, sql FROM sqlite_master"))
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if (tables, application, version) == (TABLES, APPLICATION_ID, VERSION):
        return "ours"
    if application == APPLICATION_ID and version > VERSION and tables != TABLES:
        return "newer"
    return "damaged" if application == APPLICATION_ID or "row" in tables else "foreign"


class Source:
    """A database that may be damaged: it gives what SQL can read of it.

    `games`: their ids; `ends` and `state`: what has a seal that fits; `is_sealed`: whether all of
    both does, so that the end of every game is known.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.is_sealed = True
        plain = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
        self._tables = {name for (name,) in self._all(plain) or ()}  # reading a view may never end
        self.ends: dict[str, ChainEnd] = {}
        for game, *fields, seal in self._rows_of("chain_end", "game, seq, hash, used, seal"):
            if self._fits(seal, game, end := ChainEnd(*fields)):
                self.ends[game] = end
        self.state: dict[str, str] = {}
        for key, value, seal in self._rows_of("state", "key, value, seal"):
            if self._fits(seal, key, value):
                self.state[key] = value
        self.games = {str(game) for (game,) in self._rows_of("row", "DISTINCT game")}
        self.is_sealed = self.is_sealed and self.games <= self.ends.keys()
        self.games |= self.ends.keys()

    def _rows_of(self, table: str, columns: str) -> list[tuple[Any, ...]]:
        """Return all rows of a table; none if they cannot be read."""
        query = f"SELECT {columns} FROM {table}"
        found = self._all(query) if table in self._tables else None
        self.is_sealed = self.is_sealed and (found is not None or table == "row")
        return found or []

    def _all(self, query: str, *values: str | int) -> list[tuple[Any, ...]] | None:
        """Return what a query gives; None if it fails, twice: a disk may fail now and then."""
        for _ in range(2):
            with suppress(*UNREADABLE):
                return self._db.execute(query, values).fetchall()
        return None

    def _fits(self, seal: object, *content: object) -> bool:
        """Return whether a seal fits, and remember if it does not."""
        fits = seal == _seal(*content)
        self.is_sealed = self.is_sealed and fits
        return fits

    def row(self, game: str, seq: int) -> tuple[StoredRow, bytes] | None:
        """Return a row with the hash beside it, unproven; None if it cannot be read."""
        query = f"SELECT {FIELDS}, hash FROM row WHERE game = ? AND seq = ?"
        found = self._all(query, game, seq) if "row" in self._tables else None
        return next(((StoredRow(*fields), hashed) for *fields, hashed in found or ()), None)

    def hash_at(self, game: str, seq: int) -> bytes:
        """Return the hash beside a row, or that of the sealed end; empty if none can be read."""
        end, found = self.ends.get(game, ChainEnd()), self.row(game, seq)
        return found[1] if found else end.hash if end.seq == seq else b""


def proven_rows(game: str, sources: Sequence[Source]) -> Iterator[tuple[int, StoredRow, bytes]]:
    """Yield a game's rows from the first on, each with its number and hash, as long as any source
    has one that continues the chain.
    """
    hashed = b""
    for seq in count(1):
        rows = (found for source in sources if (found := source.row(game, seq)) is not None)
        proven = (row for row, stored in rows if stored == chain(hashed, game, seq, row))
        if (row := next(proven, None)) is None:
            return
        hashed = chain(hashed, game, seq, row)
        yield seq, row, hashed


def saved_games(path: Path) -> tuple[str, ...]:
    """Return the games of a log, oldest first; write nothing. Raises CannotOpenError."""
    with _opened(path) as source:
        return in_order(source.games)


def lacks_journal(path: Path) -> bool:
    """Return whether a journal belongs to a log and is absent, as in a copy of the one file: the
    newest rows may be missing. Raises CannotOpenError.
    """
    had_journal = is_there(wal_of(path))  # a service may close it meanwhile
    with _opened(path) as source:
        return source.state.get(OPEN) == "true" and not (had_journal or is_there(wal_of(path)))


def saved_rows(path: Path, game: str) -> tuple[StoredRow, ...]:
    """Return the longest proven beginning of a game; write nothing. Raises CannotOpenError."""
    with _opened(path) as source:
        return tuple(row for _, row, _ in proven_rows(game, (source,)))


def saved_state(path: Path, key: str, decoder: msgspec.json.Decoder[T]) -> T | None:
    """Return a value of the state of a log, which a service may be writing; None if there is none.
    Raises CannotOpenError.
    """
    with _opened(path) as source:
        return decoded(decoder, source.state.get(key, ""))


@contextmanager
def _opened(path: Path) -> Iterator[Source]:
    try:
        with open_untouched(path) as db:
            if kind_of(db) == "foreign":
                raise CannotOpenError(path, "no table of rows")
            yield Source(db)
    except OSError as refusal:
        raise CannotOpenError(path, refusal.strerror or str(refusal)) from refusal
    except UNREADABLE as refusal:
        raise CannotOpenError(path, str(refusal)) from refusal


# -- a damaged file ---------------------------------------------------------------------------


@contextmanager
def copies_of(path: Path, main: Source) -> Iterator[tuple[Source, ...]]:
    """Open the copies of a log that can be read, newest first by the numbers in their names, for
    the clock may be wrong. Those of another log are left out.
    """
    with ExitStack() as stack:
        opened: list[Source] = []
        log = main.state.get(LOG)
        for copy in sorted((path.parent / COPIES).glob("*.db"), key=copy_number, reverse=True):
            for _ in range(2):  # a disk may fail now and then
                with suppress(OSError, *UNREADABLE):
                    source = Source(stack.enter_context(closing(open_alone(copy))))
                    log = log or source.state.get(LOG)
                    opened += [source] if source.state.get(LOG) == log else []
                    break
        yield tuple(opened)


def copy_number(copy: Path) -> int:
    """Return the number in the name of a copy, `NUMBER-GAME.db`; 0 if it has none."""
    return game_number(f"g{copy.name.partition('-')[0]}")


def salvage(to: sqlite3.Connection, path: Path, main: Source, kind: str, aside: str) -> None:
    """Fill an empty log with what the damaged one at this path and its copies prove, and with
    notices about what is missing. `kind`: that of the damaged one (`kind_of`), or `torn` if the end
    of its journal is lost; `aside`: the name under which it is kept.
    """
    is_known = main.is_sealed and kind != "torn"
    kept, notices = 0, []
    with copies_of(path, main) as found, transaction(to):
        copies = () if kind == "newer" else found
        newest = copies[0].games if copies and not is_known else set()
        for game in in_order(main.games | newest):
            known = [one.ends[game] for one in (main, *copies) if game in one.ends]
            seq, hashed = 0, b""
            for seq, row, hashed in proven_rows(game, (main, *copies)):
                put_row(to, game, seq, row, hashed)
            if seq:
                put_end(
                    to, game, ChainEnd(seq, hashed, max((end.used for end in known), default=0))
                )
            lost = max((end.seq for end in known), default=seq) - seq
            if lost > 0:
                args: Args = {"table": game, "count": lost, "first": seq + 1, "kept": seq}
                args["path"] = aside
                notices.append(Notice(f"lost-{aside}-{game}", "log_notice.rows_lost", args))
            kept += seq
        if not is_known:
            key = "end_unknown" if kept else "newer_file" if kind == "newer" else "nothing_saved"
            notices.append(Notice(f"{key}-{aside}", f"log_notice.{key}", {"path": aside}))
        elif not notices:
            notices.append(Notice(f"mended-{aside}", "log_notice.mended", {"path": aside}))
        state: dict[str, str] = {}
        for source in (*reversed(copies), main):
            state |= source.state
        state[NOTICES] = msgspec.json.encode((*notices_in(state), *notices)).decode()
        for key, value in state.items():
            put_state(to, key, value)
        put_state(to, OPEN, "false")


def rebuild(path: Path, kind: str = "damaged") -> Contents:
    """Replace a damaged log by what it and its copies prove; it is kept aside. Return what the new
    one holds. Raises OSError, sqlite3.Error.
    """
    aside = free_name(path, "aside").name

    def fill(to: sqlite3.Connection) -> None:
        with ExitStack() as stack:
            found, main = kind, Source(stack.enter_context(closing(sqlite3.connect(":memory:"))))
            try:
                if is_there(path):
                    db = stack.enter_context(closing(open_reading(path)))
                    found = kind if kind == "torn" else kind_of(db)
                    main = main if found == "newer" else Source(db)
            except UNREADABLE as wrong:
                if isinstance(wrong, sqlite3.Error) and not is_damage(wrong, path):
                    raise
            salvage(to, path, main, found, aside)

    replace(path, fill)
    with closing(open_reading(path)) as db:
        return verify(db)


def replace(path: Path, fill: Callable[[sqlite3.Connection], object]) -> None:
    """Make a log, have `fill` fill it, and put it in the place of the one that is there, which is
    kept aside. Raises OSError, sqlite3.Error.
    """
    made = Path(f"{path}.part")
    for part in PARTS:
        Path(f"{made}{part}").unlink(missing_ok=True)
    with closing(new_log(made.absolute().as_uri())) as db:
        fill(db)
    replace_file(made, new_path(path))
    finish_replacing(path)


def new_path(path: Path) -> Path:
    """Return the path of a new log until the old one is moved away: opening the log goes on."""
    return Path(f"{path}.new")


def finish_replacing(path: Path) -> None:
    """Put a new log in its place, and rename the old one, with its journal, to an unused name."""
    if not is_there(new_path(path)):
        return
    aside = free_name(path, "aside")
    for part in PARTS:
        one = Path(f"{path}{part}")
        if not is_there(one):
            continue
        if part == "-shm" or (part and not one.stat().st_size):
            one.unlink()
        else:
            one.rename(f"{aside}{part}")
    sync_folder(path.parent)
    move_file(new_path(path), path)


# -- opening one for writing ------------------------------------------------------------------


def open_whole(path: Path) -> tuple[Contents, sqlite3.Connection, bool]:
    """Verify the log at this path and open it for writing; a missing one is made, a damaged one
    replaced by what is proven, and kept aside. Also return whether the end of its journal could not
    be read. Raises OSError, sqlite3.Error if the machine refuses.
    """
    finish_replacing(path)
    written = wal_of(path).stat().st_size if is_there(wal_of(path)) else 0
    if not is_there(path) and not written:
        replace(path, lambda db: put_state(db, LOG, secrets.token_hex(8)))
    try:
        if not is_there(path):
            raise DamagedError("no file beside its journal")
        with closing(open_reading(path)) as file:
            found = verify(file)
        db = connect(path)
    except (DamagedError, *UNREADABLE) as wrong:
        if isinstance(wrong, sqlite3.Error) and not is_damage(wrong, path):
            raise
        written, found, db = 0, rebuild(path), connect(path)
    try:
        # SQLite reads a journal up to the first frame that does not fit, and reports nothing.
        _, frames, _ = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        torn = written > WAL_HEAD + max(frames, 0) * FRAME
        if torn and _copies_have_more(path, db, found):
            found, torn = rebuild(path, "torn"), False
            db.close()
            db = connect(path)
        put_state(db, OPEN, "true")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except (OSError, *UNREADABLE):
        db.close()
        raise
    return found, db, torn


def _copies_have_more(path: Path, db: sqlite3.Connection, found: Contents) -> bool:
    """Return whether a copy goes on where the log ends: the end of its journal is lost."""
    with copies_of(path, Source(db)) as copies:
        for copy in copies:
            for game, end in copy.ends.items():
                here = found.ends.get(game, ChainEnd())
                if end.seq > here.seq and copy.hash_at(game, here.seq) == here.hash:
                    return True
    return False
