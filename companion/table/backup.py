"""Copies of the log: at the end of each turn, and as backups; restoring one; checking a log."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from companion.files import free_name, is_there, replace_file, sync_folder
from companion.table import database
from companion.table.database import UNREADABLE, Contents, DamagedError, Source, copy_number, wal_of

TURNS_KEPT: Final = 2
GAMES_KEPT: Final = 10
ENDED: Final = "-ended"
"""Suffix of a copy made at a game's end."""


# -- at the end of each turn ------------------------------------------------------------------


def copy_after_turn(path: Path, game: str, *, ended: bool) -> Path | None:
    """Empty the journal and copy the log; None if writing fails, or the copy lacks rows of the
    game.

    The newest two copies are kept, and one of each of the last ten games that ended.
    """
    folder = path.parent / database.COPIES
    made = folder / "copy.part"
    try:
        folder.mkdir(exist_ok=True)
        with closing(database.connect(path)) as db:
            # A journal that is begun again with a rest of this one in it would look torn
            # (`open_whole`). Nothing waits: the first lets rows be written, the last gives up.
            for pragma in ("wal_checkpoint(PASSIVE)", "busy_timeout=0", "wal_checkpoint(TRUNCATE)"):
                db.execute(f"PRAGMA {pragma}").fetchall()
            _copy(db, made)
        _mark_closed(made)
        with closing(database.open_alone(made)) as copy:
            source = Source(copy)
            rows = sum(1 for _ in database.proven_rows(game, (source,)))
            if game not in source.ends or source.ends[game].seq != rows:
                raise DamagedError(game)  # keep the older copies instead
        number = 1 + max(map(copy_number, folder.glob("*.db")), default=0)
        newest = folder / f"{number:06}-{game}{ENDED if ended else ''}.db"
        replace_file(made, newest)
        _drop_old(folder)
    except (OSError, DamagedError, *UNREADABLE):
        with suppress(OSError):
            made.unlink(missing_ok=True)
        return None
    return newest


def _drop_old(folder: Path) -> None:
    known = sorted(folder.glob("*.db"), key=copy_number, reverse=True)
    turns = [copy for copy in known if not copy.stem.endswith(ENDED)]
    ends: dict[str, Path] = {}
    for copy in known:
        if copy.stem.endswith(ENDED):
            ends.setdefault(copy.stem.partition("-")[2], copy)
    kept = {*turns[:TURNS_KEPT], *list(ends.values())[:GAMES_KEPT]}
    for copy in known:
        if copy not in kept:
            copy.unlink(missing_ok=True)


def _copy(db: sqlite3.Connection, to: Path) -> None:
    """Copy a database and its journal into one file. Raises OSError, sqlite3.Error."""
    to.unlink(missing_ok=True)
    with closing(_unsynced(to)) as copy:
        db.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE").fetchone()


def _mark_closed(copy: Path) -> None:
    """Record in the copy that no journal belongs to it."""
    with closing(_unsynced(copy)) as db:
        database.put_state(db, database.OPEN, "false")


def _unsynced(path: Path) -> sqlite3.Connection:
    """Open a copy that is being made: once it is whole, all of it is flushed to the disk."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=OFF")
    return db


# -- backups ----------------------------------------------------------------------------------


def back_up(path: Path, to: Path) -> tuple[Contents, bool]:
    """Copy the log at `path` to the file `to`, atomically, while a service may be writing it.
    Return what the copy holds, and whether the log is an incomplete copy; the backup then warns so
    when opened. Raises DamagedError, OSError, sqlite3.Error.
    """
    made = to.with_name(f".{to.name}.part")
    had_journal = is_there(wal_of(path))
    try:
        try:
            found = copy_verified(path, made)
        except (DamagedError, *UNREADABLE):
            if is_there(wal_of(path)) == had_journal:
                raise
            found = copy_verified(path, made)  # a service began to write, or ended, meanwhile
        incomplete = is_incomplete(path, found, had_journal=had_journal)
        if not incomplete:
            _mark_closed(made)
        replace_file(made, to)
    finally:
        made.unlink(missing_ok=True)
    return found, incomplete


def is_incomplete(path: Path, found: Contents, *, had_journal: bool) -> bool:
    """Return whether a journal belongs to the log and is absent: the newest rows may be missing.
    `had_journal`: there was one before the file was read; a service may have closed it since.
    """
    return found.open and not had_journal and not is_there(wal_of(path))


def copy_verified(path: Path, to: Path) -> Contents:
    """Copy a log to one file; return what it holds. Raises DamagedError, OSError, sqlite3.Error."""
    try:
        with database.open_untouched(path) as db:
            _copy(db, to)
        with closing(database.open_alone(to)) as copy:
            return database.verify(copy)
    except UnicodeDecodeError as wrong:
        raise DamagedError(wrong.reason) from wrong


def restore(backup: Path, path: Path) -> tuple[Contents, Path | None]:
    """Put a backup in the place of the log at `path`; return what it holds, and the folder in which
    the old log and its copies are kept, if there were any. Raises DamagedError, OSError,
    sqlite3.Error, and then nothing has changed.

    If interrupted, the next start opens either the old or the new log, each with its own journal.
    """
    made = Path(f"{path}.part")
    database.finish_replacing(path)
    try:
        found = copy_verified(backup, made)
        names = [*(f"{path.name}{part}" for part in database.PARTS), database.COPIES]
        old = [one for name in names if is_there(one := path.with_name(name))]
        replace_file(made, database.new_path(path))
    finally:
        made.unlink(missing_ok=True)
    kept = free_name(path.with_name("before"), "restore") if old else None
    if kept is not None:
        kept.mkdir()
        for one in old:
            one.rename(kept / one.name)
        sync_folder(kept)
    database.finish_replacing(path)
    return found, kept


# -- checking ---------------------------------------------------------------------------------


class Gap(msgspec.Struct, frozen=True):
    """Rows that were lost, `first` to `last`. `aside`: the damaged file, once it is replaced."""

    first: int
    last: int
    aside: str = ""


class CheckedGame(msgspec.Struct, frozen=True):
    """The result for one game: its rows, how many their hashes prove, which were lost."""

    file: str
    table: str
    rows: int
    proven: int
    lost: tuple[Gap, ...] = ()


class CheckedLog(msgspec.Struct, frozen=True):
    """The result for a log. `kind`: see `kind_of`; `damage`: what does not match in the file as it
    is, "" if all does; `end_unknown`: rows may be missing at the ends of games; `journal_missing`:
    the name of a journal that belongs to the file and is absent: the newest rows may be missing.
    """

    file: str
    kind: str
    games: tuple[CheckedGame, ...]
    damage: str = ""
    end_unknown: bool = False
    journal_missing: str = ""

    @property
    def whole(self) -> bool:
        """Whether nothing is lost, missing or damaged."""
        missing = self.damage or self.journal_missing
        return not missing and not any(game.lost for game in self.games)


def check_log(path: Path) -> CheckedLog:
    """Check the log at this path, which a service may be writing meanwhile; nothing is changed.
    Raises OSError.
    """
    damage, kind = "", "damaged"
    for _ in range(2):  # a service may have been writing
        had_journal = is_there(wal_of(path))
        try:
            with database.open_untouched(path) as db:
                kind = database.kind_of(db)
                found = database.verify(db)
        except (DamagedError, *UNREADABLE) as wrong:
            damage = str(wrong)[:200]
        else:
            missing = is_incomplete(path, found, had_journal=had_journal)
            wal = wal_of(path).name if missing else ""
            return CheckedLog(path.name, kind, _checked(path, found), journal_missing=wal)
    with closing(database.new_log()) as db:
        with suppress(*UNREADABLE), database.open_untouched(path) as damaged:
            database.salvage(db, path, Source(damaged), kind, "")
        found = database.verify(db)
    unseen = [one.key for one in database.notices_in(found.state) if not one.seen]
    unknown = "log_notice.end_unknown" in unseen
    return CheckedLog(path.name, kind, _checked(path, found), damage, unknown)


def _checked(path: Path, found: Contents) -> tuple[CheckedGame, ...]:
    """Return the result for each game; notices in the log say which rows were lost."""
    lost: dict[str, list[Gap]] = {}
    for one in database.notices_in(found.state):
        if one.key == "log_notice.rows_lost":
            first, number = int(one.args["first"]), int(one.args["count"])
            gap = Gap(first, first + number - 1, str(one.args["path"]))
            lost.setdefault(str(one.args["table"]), []).append(gap)
    rows = {game: found.ends[game].seq if game in found.ends else 0 for game in found.ends | lost}
    return tuple(
        CheckedGame(path.name, game, number, number, tuple(lost.get(game, ())))
        for game, number in rows.items()
    )
