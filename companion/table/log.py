"""The log: an append-only SQLite file whose rows are chained by their hashes. It is the save file.

Only input is written down, with the digest of the position after it; everything else is replay.
Nothing is ever changed or deleted. Opening never fails: a damaged file is kept aside and a new one
holds what its hashes prove; where the disk refuses, rows wait in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import msgspec

from companion.storage.database.held import HeldTable, Memory, OpenedTables, held_tables, recover_at
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
    read_rows,
    saved_rows,
    saved_tables,
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
    insert_rows,
    missing_rows,
    put_head,
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
from companion.storage.rows import COLUMNS, LogRow, PendingRow, chain, table_number
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

__all__ = [
    "COLUMNS",
    "FILE_NAME",
    "CannotOpenError",
    "ClaimedError",
    "EventLog",
    "LogRow",
    "Loss",
    "Notice",
    "chain",
    "saved_rows",
    "saved_tables",
]

FILE_NAME = "table.db"


CANNOT_BE_WRITTEN = (OSError, sqlite3.Error, DamagedError, ValueError)
"""What keeps a log from being written, whatever the reason: play goes on in memory."""


class ClaimedError(Exception):
    """Somebody else writes to the folder."""


def nothing() -> None:
    """What needs no claim."""


class EventLog:
    """Rows of all tables of one data folder; `losses` says what opening it could not save.

    Whoever writes holds the table's lock; reading needs none. `claim` makes sure that nobody else
    writes there: it raises ClaimedError where somebody does, OSError where the disk refuses. Raises
    CannotOpenError where the folder is none.
    """

    def __init__(
        self, folder: Path, schema: Schema | None = None, claim: Callable[[], object] = nothing
    ) -> None:
        self.path = folder / FILE_NAME
        self.losses: tuple[Loss, ...] = ()
        self.read_only: frozenset[str] = frozenset()
        """Tables of files that are not ours to write."""
        self.reopened = 0
        """How often the file could be opened only later: its tables may be others since."""
        self._elsewhere: frozenset[str] = frozenset()
        """Names of tables in other files of the folder."""
        self._schema, self._claim = schema or Schema(), claim
        self._db: sqlite3.Connection | None = None
        self._ends: dict[str, Tip] = {}
        """The end of each table, rows that wait included, oldest table first."""
        self._disk: dict[str, Tip] = {}
        """The same of those on the disk."""
        self._held: dict[str, tuple[LogRow, ...]] = {}
        """Rows of tables that are not read from the file that is written."""
        self._waiting: list[PendingRow] = []
        self._turned: set[str] = set()
        self._notices: dict[str, Notice] = {}
        self._current = ""
        try:
            self._open()
        except (NotADirectoryError, FileExistsError) as refusal:
            raise CannotOpenError(self.path, refusal.strerror or "") from refusal
        except CANNOT_BE_WRITTEN:
            self._hold()

    # -- what there is ------------------------------------------------------------------------

    @property
    def saved(self) -> bool:
        """Whether the disk has every row, and which table is played. False: it refuses, and they
        wait in memory.
        """
        return self._db is not None and not self._waiting and not self._turned

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables, oldest first."""
        return tuple(self._ends)

    @property
    def by_use(self) -> tuple[str, ...]:
        """All tables, the one used last at the end, as the log itself counts: many a machine has no
        clock. Those of other files come first.
        """
        ends = dict(self._ends)
        return tuple(
            sorted(ends, key=lambda name: (name not in self.read_only, ends[name].counter))
        )

    @property
    def current(self) -> str:
        """The table that is played: the one taken up last, else the newest; `g1` where none is."""
        return self._current or next(reversed(self._ends), "g1")

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What happened to the log and nobody has seen yet, oldest first."""
        return tuple(one for one in tuple(self._notices.values()) if not one.seen)

    def next_name(self) -> str:
        """The name of the table after the newest one: names are numbered, and never used again,
        in whichever file of the folder it is.
        """
        return f"g{max(map(table_number, (*self._ends, *self._elsewhere)), default=0) + 1}"

    def count(self, table: str) -> int:
        """How many rows the table has."""
        return self._ends[table].seq if table in self._ends else 0

    def rows(self, table: str) -> tuple[LogRow, ...]:
        """Rows of the table from the first on; empty for an unknown one."""
        return tuple(self.read(table))

    def read(self, table: str) -> Iterator[LogRow]:
        """The same one after the other, as far as they go now; from any thread."""
        held, count, waiting = self._held.get(table), self.count(table), tuple(self._waiting)
        read = 0
        if held is not None:
            yield from held
            read = len(held)
        elif table in self._disk:
            for read, row in islice(read_rows(self.path, table), count):  # noqa: B007
                yield row
        for name, seq, row, _ in waiting:
            if name == table and seq > read:
                yield row

    # -- what is written ----------------------------------------------------------------------

    def append(self, table: str, rows: Iterable[LogRow]) -> bool:
        """All rows stand at the end of the table; whether the disk has them too (`saved`).

        The table may have another name then (`current`): see `save`.
        """
        self._add(table, rows)
        self._current = table
        return self.save()

    def take_up(self, table: str) -> bool:
        """The table is the one that is played, now and after the next start."""
        self._turn_to(table)
        self._current = table
        return self.save()

    def _add(self, table: str, rows: Iterable[LogRow]) -> None:
        """The rows wait at the end of the table."""
        self._refuse_read_only(table)
        end = self._ends.get(table, Tip(0, b"", 0))
        written: list[PendingRow] = []
        for row in rows:
            seq = end.seq + 1
            end = Tip(seq, chain(end.hash, table, seq, row), end.counter)
            written.append((table, seq, row, end.hash))
        self._ends[table] = replace(end, counter=self._next_counter())
        self._waiting += written

    def _turn_to(self, table: str) -> None:
        """The table's end is the newest."""
        self._refuse_read_only(table)
        self._ends[table] = replace(self._ends[table], counter=self._next_counter())
        self._turned.add(table)

    def _refuse_read_only(self, table: str) -> None:
        if table in self.read_only:
            raise ValueError(f"{table} can only be read")

    def note(self, key: str, identity: str, **args: str | int) -> None:
        """Something is to be said until somebody has seen it; once for each identity."""
        if identity not in self._notices:
            self._put_notice(new_notice(identity, key, args))

    def mark_seen(self, identity: str) -> None:
        """The notice has been seen, and is said no more."""
        found = self._notices.get(identity)
        if found is not None and not found.seen:
            self._put_notice(msgspec.structs.replace(found, seen=True))

    def save(self) -> bool:
        """What waited is on the disk, or still waits (False).

        Where the disk gives a file at last that is not the one that was supposed, a game that does
        not fit to it is saved whole, by a name of its own; `current` says it where it is played.
        """
        if self._db is None:
            self._open_again()
        if self._db is not None and (self._waiting or self._turned):
            try:
                self._write(self._db)
            except sqlite3.IntegrityError:
                self._drop_written(self._db)
            except sqlite3.Error:
                return False
        return self.saved

    def close(self) -> None:
        """The file is closed; rows still waiting get a last chance."""
        self.save()
        if self._db is not None:
            write_if_possible(self._db, lambda db: put_mark(db, OPEN_ROW, 0))
            self._db.close()

    def _next_counter(self) -> int:
        return max((end.counter for end in self._ends.values()), default=0) + 1

    def _write(self, db: sqlite3.Connection) -> None:
        """Everything that waits is on the disk, or nothing is."""
        born = {table: place for place, table in enumerate(self._ends)}
        tables = dict.fromkeys([*(table for table, *_ in self._waiting), *sorted(self._turned)])

        def write(db: sqlite3.Connection) -> None:
            insert_rows(db, self._waiting)
            for table in tables:
                put_head(db, table, born[table], self._ends[table].seq)
                put_tip(db, table, self._ends[table])
            put_overall_seal(db, self._own(self._ends))

        write_together(db, write)
        self._waiting.clear()
        self._turned.clear()
        self._disk = self._own(self._ends)

    def _drop_written(self, db: sqlite3.Connection) -> None:
        """Rows that the disk took although it said that it did not need not be written again."""
        try:
            missing = missing_rows(db, self._waiting)
            if len(missing) < len(self._waiting):
                self._waiting = missing
                self._turned.update(self._own(self._ends))
                self._write(db)
        except sqlite3.Error:
            return

    def _own(self, ends: Mapping[str, Tip]) -> dict[str, Tip]:
        """Those of the file that is written."""
        return {table: end for table, end in ends.items() if table not in self.read_only}

    def _know(self, known: Iterable[Notice], lost: LostRows, ends: Mapping[str, Tip]) -> None:
        """The notices of a file, and the losses that its rows prove, are known."""
        self._notices = with_loss_notices(merge_notices(known, self._notices), lost, ends)

    def _put_notice(self, notice: Notice) -> None:
        self._notices[notice.id] = notice
        if self._db is not None:
            write_if_possible(self._db, lambda db: put_notices(db, (notice,)))

    # -- opening ------------------------------------------------------------------------------

    def _open(self) -> None:
        """The file is open and everything in it proven. Raises OSError or sqlite3.Error where the
        disk refuses.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._claim()
        written, kind = self._looked_for()
        while kind in NOT_OURS:
            self._go_beside(kind, FileBytes.of(self.path))
            written, kind = self._looked_for()
        if kind is FileKind.MISSING:
            create_file(self.path, self._schema, lambda db: put_overall_seal(db, {}))
            kind = FileKind.OURS
        try:
            self._db = self._adopted(self._looked_at(kind, written))
        except (DamagedError, UnicodeDecodeError, msgspec.ValidationError):
            self._db = self._adopted(self._start_over(kind))
        except sqlite3.Error as damage:
            if not is_damage(damage, self.path):
                raise
            self._db = self._adopted(self._start_over(kind))

    def _looked_for(self) -> tuple[FileBytes | None, FileKind]:
        """Whose file is in its place. Raises OSError."""
        finish_replacing(self.path, "damaged")
        self.path = first_existing(self.path, self._schema.major)
        finish_replacing(self.path, "damaged")
        written = read_with_journal(self.path)
        return written, kind_at(self.path, self._schema, written)

    def _looked_at(self, kind: FileKind, written: FileBytes | None) -> VerifiedFile:
        """The file, whole; nothing in it is changed. Raises DamagedError, sqlite3.Error."""
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

    def _adopted(self, whole: VerifiedFile) -> sqlite3.Connection:
        """The file, open for writing, brought up to this version, marked as having a journal."""
        db = connect(self.path)
        try:
            migrate(db, self.path, whole.version, self._schema)
            self._make_room_for(whole.ends)
            self._ends = {
                **{t: end for t, end in self._ends.items() if t in self.read_only},
                **whole.ends,
            }
            self._disk = dict(whole.ends)
            tips = whole.sealed.tips if whole.sealed is not None else {}
            unsealed = [t for t, end in whole.ends.items() if not same_tip(tips.get(t), end)]
            self._current = current_table(whole.ends, unsealed)
            self._know(read_notices(db), whole.lost, whole.ends)
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

    def _start_over(self, kind: FileKind) -> VerifiedFile:
        """A new file holds what the damaged one proves; the old one, with its journal, is kept."""
        content = FileBytes.of(self.path)
        found = recover(content, other_copies(self.path))
        aside = free_name(self.path, "damaged")

        def fill(db: sqlite3.Connection) -> None:
            ends = dict(insert_recovered(db, found, aside.name))
            put_overall_seal(db, ends)
            put_notices(db, parse_notices(found.notices))

        create_file(self.path, self._schema, fill)
        self._say_what_was_lost(kind, found, aside)
        with closing(open_read_only(self.path)) as db:
            return verify(db)

    def _say_what_was_lost(self, kind: FileKind, found: Recovered, aside: Path) -> None:
        self.losses = losses_of(found, aside)
        for key, identity, args in loss_notices(kind, self.losses, found, aside):
            self.note(key, identity, **args)

    def _go_beside(self, kind: FileKind, content: FileBytes) -> None:
        """The file is not ours to write: its tables can be looked at, games go into another one.
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
            self._make_room_for(known)
            self._hold_tables(known)
            self.read_only |= known.keys()

    def _make_room_for(self, tables: Iterable[str]) -> None:
        """A table that can only be looked at gives its name to one of these that can be played."""
        taken = dict.fromkeys([*tables, *self._ends])
        for table in self.read_only.intersection(tables):
            name = free_table_name(table, taken)
            taken[name] = None
            self.read_only = self.read_only - {table} | {name}
            self._held[name] = self._held.pop(table)
            ends = {name if one == table else one: end for one, end in self._ends.items()}
            self._ends = ends
            self._current = name if self._current == table else self._current

    def _hold(self) -> None:
        """The disk refuses: what can be read of it is held in memory, and play goes on there."""
        self.path = first_existing(self.path, self._schema.major)
        content, kind = read_if_possible(self.path, self._schema)
        while kind in NOT_OURS:
            try:
                self._go_beside(kind, content)
            except OSError:
                content, kind = NO_BYTES, FileKind.MISSING
            else:
                self.path = first_existing(self.path, self._schema.major)
                content, kind = read_if_possible(self.path, self._schema)
        found = recover_at(self.path, content)
        known = held_tables(self.path, found)
        self._make_room_for(known)
        self._hold_tables(known)
        self._current = current_table(self._own(self._ends), [])
        self._disk = self._own(self._ends)
        self._elsewhere = sibling_table_names(self.path, self._schema)
        if any(saved.lost for saved in found.saved.values()):
            self._say_what_was_lost(FileKind.DAMAGED, found, free_name(self.path, "damaged"))
        self._know(parse_notices(found.notices), lost_rows_of(self._held), self._own(self._ends))

    def _hold_tables(self, tables: Mapping[str, HeldTable]) -> None:
        for table, one in tables.items():
            self._held[table], self._ends[table] = one.rows, one.end

    # -- opening again ------------------------------------------------------------------------

    def _open_again(self) -> None:
        """The file is open again, with all that memory has; or nothing has changed."""
        before = (self.path, self.read_only, dict(self._ends), self._disk, dict(self._held))
        current, elsewhere = self._current, self._elsewhere
        memory = Memory(
            self._own(self._ends), dict(self._held), tuple(self._waiting), self._current
        )
        try:
            self._open()
        except (*CANNOT_BE_WRITTEN, ClaimedError):
            self._db, self._elsewhere, self._current = None, elsewhere, current
            self.path, self.read_only, self._ends, self._disk, self._held = before
            return
        self.reopened += 1
        self._held = {table: self._held[table] for table in self.read_only}
        self._put_together(memory, before[3])

    def _put_together(self, memory: Memory, disk: Mapping[str, Tip]) -> None:
        """What memory has and the file that was opened has not waits to be written there; `disk`
        are the ends that the file was supposed to have.
        """
        turned, self._turned, self._waiting = self._turned, set(), []
        names: dict[str, str] = {}
        there = OpenedTables(
            self._disk, lambda table: (row for _, row in read_rows(self.path, table))
        )
        for table, rows, fits in memory.missing_from(disk, there, self.read_only):
            name = table if fits or table not in self._ends else self.next_name()
            names[table] = name
            if rows:
                self._add(name, rows)
            elif table in turned and name in self._ends:
                self._turn_to(name)
        if memory.current in names:
            self._current = names[memory.current]
        elif memory.current in self.read_only:
            self._current = memory.current
