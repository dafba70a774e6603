"""Opening a log's file: verification, recovery of a damaged one, or tables held in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from companion.storage.database.held import HeldTable, held_tables, recover_at
from companion.storage.database.losses import (
    Loss,
    loss_notices,
    losses_of,
    lost_rows_of,
    with_loss_notices,
)
from companion.storage.database.migrating import migrate
from companion.storage.database.opening import (
    NO_BYTES,
    FileBytes,
    FileKind,
    LostRows,
    Recovered,
    VerifiedFile,
    has_journal,
    kind_at,
    read_if_possible,
    read_with_journal,
    recover,
    verify,
    wal_of,
)
from companion.storage.database.reading import (
    CannotOpenError,
    open_read_only,
)
from companion.storage.database.replacing import create_file, finish_replacing, other_copies
from companion.storage.database.siblings import (
    NOT_OURS,
    first_existing,
    free_table_name,
    next_path,
    sibling_table_names,
)
from companion.storage.database.writing import (
    insert_recovered,
    write_if_possible,
    write_together,
)
from companion.storage.files import free_name
from companion.storage.notices import (
    Notice,
    merge_notices,
    new_notice,
    parse_notices,
    put_notices,
    read_notices,
)
from companion.storage.rows import StoredRow
from companion.storage.schema import (
    OPEN_ROW,
    DamagedError,
    Schema,
    Tip,
    connect,
    current_table,
    is_damage,
    newest_counter,
    put_mark,
    put_overall_seal,
    put_tip,
    same_tip,
)

FILE_NAME = "table.db"
CANNOT_BE_WRITTEN = (OSError, sqlite3.Error, DamagedError, ValueError)
"""Why a log may fail to be written; play then goes on in memory."""


class ClaimedError(Exception):
    """Another process writes to the folder."""


def no_claim() -> None:
    """Claim nothing: the default, for a folder that no other process uses."""


class LogFile:
    """The database file of a log: verified, rebuilt where it is damaged, or held in memory.

    `claim` makes sure that no other process writes to the folder: it raises ClaimedError where one
    does, OSError where the disk refuses. Raises CannotOpenError where the folder is not a folder.
    """

    def __init__(
        self, folder: Path, schema: Schema | None = None, claim: Callable[[], object] = no_claim
    ) -> None:
        self.path = folder / FILE_NAME
        self.losses: tuple[Loss, ...] = ()
        self.read_only: frozenset[str] = frozenset()
        """Tables of files that may not be written."""
        self._elsewhere: frozenset[str] = frozenset()
        """Names of tables in other files of the folder."""
        self._schema, self._claim = schema or Schema(), claim
        self._db: sqlite3.Connection | None = None
        self._ends: dict[str, Tip] = {}
        """The end of each table, queued rows included, oldest table first."""
        self._disk: dict[str, Tip] = {}
        """The ends on the disk."""
        self._in_memory: dict[str, tuple[StoredRow, ...]] = {}
        """Rows of tables that are kept in memory."""
        self._notices: dict[str, Notice] = {}
        self._current = ""
        self.refusal = ""
        """Why nothing could be written when the log was opened; empty if it could."""
        try:
            self._open()
        except (NotADirectoryError, FileExistsError) as refusal:
            raise CannotOpenError(self.path, refusal.strerror or "") from refusal
        except CANNOT_BE_WRITTEN as refusal:
            self.refusal = getattr(refusal, "strerror", None) or str(refusal)
            self._open_in_memory()

    # -- notices ------------------------------------------------------------------------------

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The notices that nobody has seen yet, oldest first."""
        return tuple(one for one in tuple(self._notices.values()) if not one.seen)

    def note(self, key: str, identity: str, **args: str | int) -> None:
        """Add a notice, once for each identity."""
        if identity not in self._notices:
            self._put_notice(new_notice(identity, key, args, self._notices.values()))

    def mark_seen(self, identity: str) -> None:
        """Mark a notice as seen, so that it is no longer shown."""
        found = self._notices.get(identity)
        if found is not None and not found.seen:
            self._put_notice(msgspec.structs.replace(found, seen=True))

    def _merge_notices(
        self, known: Iterable[Notice], lost: LostRows, ends: Mapping[str, Tip]
    ) -> None:
        """Merge the notices of a file, and those about lost rows, into the known ones."""
        self._notices = with_loss_notices(merge_notices(known, self._notices), lost, ends)

    def _put_notice(self, notice: Notice) -> None:
        self._notices[notice.id] = notice
        if self._db is not None:
            write_if_possible(self._db, lambda db: put_notices(db, (notice,)))

    # -- opening ------------------------------------------------------------------------------

    def _writable(self, ends: Mapping[str, Tip]) -> dict[str, Tip]:
        """Return the ends of tables in the file that is written."""
        return {table: end for table, end in ends.items() if table not in self.read_only}

    def _open(self) -> None:
        """Open the file and verify all of it. Raises OSError or sqlite3.Error where the disk
        refuses.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._claim()
        written, kind = self._locate()
        while kind in NOT_OURS:
            self._use_sibling(kind, FileBytes.of(self.path))
            written, kind = self._locate()
        if kind is FileKind.MISSING:
            create_file(self.path, self._schema, lambda db: put_overall_seal(db, {}))
            kind = FileKind.OURS
        try:
            self._db = self._adopt(self._verify_file(kind, written))
        except (DamagedError, UnicodeDecodeError, msgspec.ValidationError):
            self._db = self._adopt(self._rebuild(kind))
        except sqlite3.Error as damage:
            if not is_damage(damage, self.path):
                raise
            self._db = self._adopt(self._rebuild(kind))

    def _locate(self) -> tuple[FileBytes | None, FileKind]:
        """Find the file to open; return its content where it has a journal, and its kind. Raises
        OSError.
        """
        finish_replacing(self.path, "damaged")
        self.path = first_existing(self.path, self._schema.major)
        finish_replacing(self.path, "damaged")
        written = read_with_journal(self.path)
        return written, kind_at(self.path, self._schema, written)

    def _verify_file(self, kind: FileKind, written: FileBytes | None) -> VerifiedFile:
        """Verify the file without changing it. Raises DamagedError, sqlite3.Error."""
        if kind in {FileKind.EMPTY, FileKind.DAMAGED}:
            raise DamagedError(kind.name)
        if written is not None and written.journal.broken:
            raise DamagedError("journal")
        wal, there = wal_of(self.path), has_journal(self.path)
        with closing(open_read_only(self.path)) as db:
            whole = verify(db)
        if written is not None and written.journal.torn:
            self.note("log_notice.torn", f"torn-{written.journal.salts}", path=wal.name)
        if whole.open and not there:
            self.note(
                "log_notice.incomplete_copy", f"copy-{newest_counter(whole.ends)}", path=wal.name
            )
        return whole

    def _adopt(self, whole: VerifiedFile) -> sqlite3.Connection:
        """Open the verified file for writing: migrate and seal it, mark it as having a journal."""
        db = connect(self.path)
        try:
            migrate(db, self.path, whole.version, self._schema)
            self._free_names(whole.ends)
            self._ends = {
                **{t: end for t, end in self._ends.items() if t in self.read_only},
                **whole.ends,
            }
            self._disk = dict(whole.ends)
            tips = whole.sealed.tips if whole.sealed is not None else {}
            unsealed = [t for t, end in whole.ends.items() if not same_tip(tips.get(t), end)]
            self._current = current_table(whole.ends, unsealed)
            self._merge_notices(read_notices(db), whole.lost, whole.ends)
            if unsealed or whole.sealed is None or not whole.sealed.open:

                def write(db: sqlite3.Connection) -> None:
                    for table in unsealed:
                        put_tip(db, table, whole.ends[table])
                    put_overall_seal(db, whole.ends)
                    put_mark(db, OPEN_ROW, 1)

                write_together(db, write)
            put_notices(db, self._notices.values())
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except CANNOT_BE_WRITTEN:
            db.close()
            raise
        self._elsewhere = sibling_table_names(self.path, self._schema)
        return db

    def _rebuild(self, kind: FileKind) -> VerifiedFile:
        """Make a new file with what the damaged one proves; keep the old one and its journal."""
        content = FileBytes.of(self.path)
        found = recover(content, other_copies(self.path))
        aside = free_name(self.path, "damaged")

        def fill(db: sqlite3.Connection) -> None:
            ends = dict(insert_recovered(db, found, aside.name))
            put_overall_seal(db, ends)
            put_notices(db, parse_notices(found.notices))

        create_file(self.path, self._schema, fill)
        self._note_losses(kind, found, aside)
        with closing(open_read_only(self.path)) as db:
            return verify(db)

    def _note_losses(self, kind: FileKind, found: Recovered, aside: Path) -> None:
        self.losses = losses_of(found, aside)
        for key, identity, args in loss_notices(kind, self.losses, found, aside):
            self.note(key, identity, **args)

    def _use_sibling(self, kind: FileKind, content: FileBytes) -> None:
        """Move on to the next file where this one may not be written; its tables become read-only.

        Raises OSError after the last place for one.
        """
        found = recover_at(self.path, content) if kind is FileKind.NEWER else None
        foreign, to = self.path, next_path(self.path, self._schema.major)
        if to is None:
            raise FileExistsError(str(foreign))
        key = "log_notice.newer_file" if kind is FileKind.NEWER else "log_notice.foreign_file"
        self.note(key, f"{kind.name.lower()}-{foreign.name}", path=foreign.name, to=to.name)
        self.path = to
        if found is not None:
            known = held_tables(foreign, found)
            self._free_names(known)
            self._keep_in_memory(known)
            self.read_only |= known.keys()

    def _free_names(self, tables: Iterable[str]) -> None:
        """Rename read-only tables whose names are those of writable `tables`."""
        taken = dict.fromkeys([*tables, *self._ends])
        for table in self.read_only.intersection(tables):
            name = free_table_name(table, taken)
            taken[name] = None
            self.read_only = self.read_only - {table} | {name}
            self._in_memory[name] = self._in_memory.pop(table)
            ends = {name if one == table else one: end for one, end in self._ends.items()}
            self._ends = ends
            self._current = name if self._current == table else self._current

    def _open_in_memory(self) -> None:
        """The disk refuses: keep in memory what can be read, and play on there."""
        self.path = first_existing(self.path, self._schema.major)
        content, kind = read_if_possible(self.path, self._schema)
        while kind in NOT_OURS:
            try:
                self._use_sibling(kind, content)
            except OSError:
                content, kind = NO_BYTES, FileKind.MISSING
            else:
                self.path = first_existing(self.path, self._schema.major)
                content, kind = read_if_possible(self.path, self._schema)
        found = recover_at(self.path, content)
        known = held_tables(self.path, found)
        self._free_names(known)
        self._keep_in_memory(known)
        self._current = current_table(self._writable(self._ends), [])
        self._disk = self._writable(self._ends)
        self._elsewhere = sibling_table_names(self.path, self._schema)
        if any(saved.lost for saved in found.saved.values()):
            self._note_losses(FileKind.DAMAGED, found, free_name(self.path, "damaged"))
        self._merge_notices(
            parse_notices(found.notices), lost_rows_of(self._in_memory), self._writable(self._ends)
        )

    def _keep_in_memory(self, tables: Mapping[str, HeldTable]) -> None:
        for table, one in tables.items():
            self._in_memory[table], self._ends[table] = one.rows, one.end
