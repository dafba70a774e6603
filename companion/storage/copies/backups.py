"""Backups of a data folder, made while the service runs; restoring one; snapshots of the log."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from companion.storage.copies.archives import ArchiveError, ArchiveLimits, unpack
from companion.storage.database.opening import (
    FileBytes,
    FileKind,
    VerifiedFile,
    has_journal,
    kind_of,
    verify,
    wal_of,
)
from companion.storage.database.reading import is_incomplete, open_untouched
from companion.storage.database.replacing import SNAPSHOTS, rebuilt_path
from companion.storage.database.siblings import DATABASES
from companion.storage.files import database_copy, free_name, replace_file, sync_file, sync_folder
from companion.storage.schema import OPEN_ROW, UNREADABLE, DamagedError, Schema, put_mark

MANIFEST = "manifest.json"
FORMAT = 1
SIBLINGS = re.compile(rf"({DATABASES.pattern})(\.rebuilt|\.new)?(-wal|-shm|-journal)?")
"""A database and the files that SQLite or an interrupted replacement may leave beside it: SQLite
would use them for the database, whether it is there or not.
"""
SMALL_FILES = re.compile(r"[a-z][a-z0-9_.-]{0,40}\.(json|txt)")
"""Small files beside the log: who has joined, which address is shown."""
MOST_SMALL_FILE = 4 << 20
MOST_DATABASE = 256 << 20
"""A hundred times the size of a log after years of play."""
MOST_BYTES = 320 << 20
MOST_FILES = 24
ALLOWED = ArchiveLimits(
    {DATABASES: MOST_DATABASE, SMALL_FILES: MOST_SMALL_FILE},
    members=MOST_FILES,
    most_bytes=MOST_BYTES,
)
"""What a backup may hold, in both directions."""
SERVICE_FILES = ("browsers.json", "browsers.copy.json", "address.txt", "names.json")
"""Small files of the service itself; they are packed before any others of the folder."""
KEPT_SNAPSHOTS = 10


class PackedFile(msgspec.Struct, frozen=True):
    """Size and hash of a file in a backup."""

    size: int
    sha256: str


class TableEnd(msgspec.Struct, frozen=True):
    """The end of a table in a backup: how many rows, and the hash that proves all of them."""

    rows: int
    hash: str


class Manifest(msgspec.Struct, frozen=True):
    """What a backup holds. `format`: the archive's format; `made`: when, ISO 8601; `left_out`:
    files of the folder that it could not take; `incomplete`: names of journals that its logs lack.
    """

    format: int
    made: str
    files: dict[str, PackedFile]
    tables: dict[str, TableEnd]
    left_out: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()


def back_up(data: Path, to: Path) -> Manifest:
    """Write the data folder into one archive, atomically.

    Raises DamagedError where the log is damaged, ArchiveError where it exceeds ALLOWED, OSError and
    sqlite3.Error.
    """
    databases = [path for path in sorted(data.iterdir()) if DATABASES.fullmatch(path.name)]
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=to.parent) as name:
        folder, made = Path(name) / "files", Path(name) / "zip"
        folder.mkdir()
        tables, left_out, lacking = _copy_databases(databases, folder)
        left_out += _copy_small_files(data, folder)
        files = {path.name: _describe(path) for path in sorted(folder.iterdir())}
        at = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = Manifest(FORMAT, at, files, tables, tuple(left_out), tuple(lacking))
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(MANIFEST, msgspec.json.encode(manifest))
            for name in files:
                archive.write(folder / name, name)
        replace_file(made, to)
    return manifest


def _copy_databases(
    databases: list[Path], folder: Path
) -> tuple[dict[str, TableEnd], list[str], list[str]]:
    """Copy the databases into the folder. Return the ends of their tables, the names of databases
    left out (of another program, or of a later version that cannot be verified), and of missing
    journals.
    """
    tables: dict[str, TableEnd] = {}
    left_out: list[str] = []
    lacking: list[str] = []
    for database in databases:
        kind = kind_of(FileBytes.of(database), Schema())
        copy = folder / database.name
        if kind is FileKind.FOREIGN:
            left_out.append(database.name)
            continue
        try:
            whole, incomplete = copy_verified(database, copy)
        except (DamagedError, sqlite3.Error):
            if kind is not FileKind.NEWER:
                raise
            copy.unlink(missing_ok=True)
            left_out.append(database.name)
        else:
            tables |= _ends(whole)
            lacking += [wal_of(database).name] * incomplete
            _check_bound(copy, MOST_DATABASE, str(database))
    _check_all(folder, str(databases[0].parent) if databases else "")
    return tables, left_out, lacking


def _check_bound(copy: Path, most: int, path: str) -> None:
    if copy.stat().st_size > most:
        raise ArchiveError("error.archive.too_large", path=path, most=most >> 20)


def _check_all(folder: Path, path: str) -> None:
    """Raise ArchiveError where the databases, with one small file, exceed the limits."""
    copies = list(folder.iterdir())
    if len(copies) > MOST_FILES - 2:
        raise ArchiveError("error.archive.too_many", path=path, most=MOST_FILES)
    if sum(one.stat().st_size for one in copies) > MOST_BYTES - MOST_SMALL_FILE:
        raise ArchiveError("error.archive.too_large", path=path, most=MOST_BYTES >> 20)


def _copy_small_files(data: Path, folder: Path) -> list[str]:
    """Copy as many small files as a backup may hold; return the names of the others."""
    papers = sorted(
        (path for path in data.iterdir() if _may_be_small_file(path)), key=_packing_order
    )
    taken = list(folder.iterdir())
    room, left = MOST_FILES - 1 - len(taken), MOST_BYTES - MOST_SMALL_FILE
    left -= sum(path.stat().st_size for path in taken)
    left_out: list[str] = []
    for paper in papers:
        size = paper.stat().st_size
        if room <= 0 or size > min(left, MOST_SMALL_FILE):
            left_out.append(paper.name)
            continue
        shutil.copyfile(paper, folder / paper.name)
        room, left = room - 1, left - size
    return left_out


def _packing_order(path: Path) -> tuple[bool, str]:
    return path.name not in SERVICE_FILES, path.name


def _may_be_small_file(path: Path) -> bool:
    fits = SMALL_FILES.fullmatch(path.name) is not None and path.name != MANIFEST
    return fits and path.is_file() and not path.is_symlink()


def _is_small_file(path: Path) -> bool:
    return _may_be_small_file(path) and path.stat().st_size <= MOST_SMALL_FILE


def copy_verified(path: Path, copy: Path) -> tuple[VerifiedFile, bool]:
    """Copy a database, its journal included, to one file and verify it; return whether its journal
    was missing, which the copy then also records. Raises DamagedError, OSError and sqlite3.Error.
    """
    had = has_journal(path)
    try:
        return _copy_once(path, copy, had_journal=had)
    except (DamagedError, *UNREADABLE):
        if has_journal(path) == had:
            raise
    copy.unlink(missing_ok=True)  # a service began to write, or ended, meanwhile
    return _copy_once(path, copy, had_journal=not had)


def _copy_once(path: Path, copy: Path, *, had_journal: bool) -> tuple[VerifiedFile, bool]:
    with closing(open_untouched(path)) as db, database_copy(db, copy) as made:
        whole = verify(made)
        incomplete = is_incomplete(path, whole, had_journal=had_journal)
        if whole.sealed is not None and not incomplete:
            put_mark(made, OPEN_ROW, 0)
    return whole, incomplete


def _ends(whole: VerifiedFile) -> dict[str, TableEnd]:
    return {table: TableEnd(tip.seq, tip.hash.hex()) for table, tip in whole.ends.items()}


def _describe(path: Path) -> PackedFile:
    with path.open("rb") as file:
        return PackedFile(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


# -- restoring one -------------------------------------------------------------------------------


@contextmanager
def unpacked_backup(archive: Path, data: Path, schema: Schema) -> Iterator[tuple[Path, Manifest]]:
    """Extract and verify a backup into a temporary folder in `data`; yield the folder and its
    manifest. Raises ArchiveError, OSError.
    """
    data.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=data) as name:
        folder = Path(name)
        names = unpack(archive, folder, ALLOWED)
        manifest = _read_manifest(folder, names)
        logs = [folder / one for one in manifest.files if DATABASES.fullmatch(one)]
        kinds = [_verify_log(path, schema) for path in logs]
        if FileKind.NEWER in kinds and FileKind.OURS not in kinds:
            raise ArchiveError("error.archive.newer")
        yield folder, manifest


def _read_manifest(folder: Path, names: tuple[str, ...]) -> Manifest:
    """Read the manifest; ArchiveError where the files do not match it."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise ArchiveError("error.archive.no_backup") from wrong
    if manifest.format > FORMAT:
        raise ArchiveError("error.archive.newer")
    if {*manifest.files, MANIFEST} != set(names):
        raise ArchiveError("error.archive.broken", reason=MANIFEST)
    for name, packed in manifest.files.items():
        if _describe(folder / name) != packed:
            raise ArchiveError("error.archive.broken", reason=name)
    return manifest


def _verify_log(path: Path, schema: Schema) -> FileKind:
    """Verify a log and return its kind."""
    try:
        with closing(_open_immutable(path)) as db:
            verify(db)
    except (DamagedError, *UNREADABLE, msgspec.ValidationError) as wrong:
        raise ArchiveError("error.archive.damaged_log", reason=str(wrong)[:200]) from wrong
    return kind_of(FileBytes.of(path), schema)


def replaceable_files(data: Path) -> tuple[str, ...]:
    """Return the names of files in a data folder that a backup would replace."""
    if not data.is_dir():
        return ()
    known = (path for path in data.iterdir() if path.is_file())
    return tuple(sorted(p.name for p in known if DATABASES.fullmatch(p.name) or _is_small_file(p)))


def restore_files(folder: Path, data: Path, manifest: Manifest) -> Path | None:
    """Move a backup's files into the data folder; return the folder to which the old ones were
    copied.

    Whenever it is interrupted, each database opens as the old one with its own journal, or as the
    new one without any. Raises OSError.
    """
    old, kept = sorted(_files_to_replace(data, manifest)), None
    if old:
        kept = free_name(data / "before", "restore")
        kept.mkdir()
        for path in old:
            shutil.copy2(path, kept / path.name)
            sync_file(kept / path.name)
        sync_folder(kept)
    for name in manifest.files:
        if DATABASES.fullmatch(name):
            _restore_database(folder / name, data / name)
        else:
            (folder / name).replace(data / name)
    for path in old:
        if path.name not in manifest.files:
            path.unlink(missing_ok=True)
    sync_folder(data)
    return kept


def _files_to_replace(data: Path, manifest: Manifest) -> Iterator[Path]:
    """Yield the files that a backup replaces, or that SQLite would combine with its databases.

    A database of another program stays, with its journal, unless the backup has one of its name.
    """
    for path in data.iterdir():
        log = SIBLINGS.fullmatch(path.name)
        if path.is_file() and (path.name in manifest.files or log or _is_small_file(path)):
            main = data / log[1] if log else path
            if not log or main.name in manifest.files or not _is_foreign(main):
                yield path


def _is_foreign(path: Path) -> bool:
    return kind_of(FileBytes.of(path), Schema()) is FileKind.FOREIGN


def _restore_database(made: Path, path: Path) -> None:
    """Replace a database: the new one waits under a name that the next start would finish from,
    until no part of the old one is left that SQLite could combine with it.
    """
    rebuilt = rebuilt_path(path)
    made.replace(rebuilt)
    sync_folder(path.parent)
    for part in ("-wal", "-shm", "-journal"):
        Path(f"{path}{part}").unlink(missing_ok=True)
    rebuilt.replace(path)
    sync_folder(path.parent)


# -- snapshots --------------------------------------------------------------------------------


def take_snapshot(path: Path, table: str) -> Path | None:
    """Copy the log into the folder of snapshots; None where the disk refuses.

    The newest of each table is kept, for ten tables. Nothing depends on the snapshot.
    """
    folder = path.parent / SNAPSHOTS
    made = folder / "snapshot.part"
    try:
        folder.mkdir(exist_ok=True)
        made.unlink(missing_ok=True)
        copy_verified(path, made)
        known = _snapshots(folder)
        number = 1 + (_number(known[-1]) if known else 0)
        newest = folder / f"{number:06}-{table}.db"
        replace_file(made, newest)
        for old in known:
            if _is_contained(old, newest, table):
                old.unlink(missing_ok=True)
        for old in _snapshots(folder)[:-KEPT_SNAPSHOTS]:
            old.unlink(missing_ok=True)
    except (OSError, sqlite3.Error, DamagedError):
        with suppress(OSError):
            made.unlink(missing_ok=True)
        return None
    return newest


def _snapshots(folder: Path) -> list[Path]:
    return sorted((p for p in folder.glob("*-*.db") if _number(p)), key=_number)


def _is_contained(old: Path, newest: Path, table: str) -> bool:
    """Return whether the older snapshot was made of this table and the newest continues it. False
    for a damaged one, and for one of another log, where the table is another game.
    """
    if old.stem.partition("-")[2] != table:
        return False
    end = "SELECT seq, hash FROM row WHERE tbl = ? ORDER BY seq DESC LIMIT 1"
    there = "SELECT 1 FROM row WHERE tbl = ? AND seq = ? AND hash = ?"
    try:
        with closing(_open_immutable(old)) as then, closing(_open_immutable(newest)) as now:
            found = then.execute(end, (table,)).fetchone()
            return found is not None and now.execute(there, (table, *found)).fetchone() is not None
    except sqlite3.Error:
        return False


def _open_immutable(path: Path) -> sqlite3.Connection:
    """Open a database that nobody writes and that has no journal."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)


def _number(path: Path) -> int:
    number = path.name.partition("-")[0]
    return int(number) if number.isascii() and number.isdecimal() else 0
