"""What a damaged file still proves: rows by their hashes, ends of tables by their seals.

A row is proven where the hash of its predecessor and its own fields give a stored hash. Candidates
come from SQL, as far as it works, and from the raw bytes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from companion.storage.damaged.carving import FoundRow, Pages, rows_in, tips_in
from companion.storage.damaged.journal import Journal, database_image, newest_pages
from companion.storage.notices import NOT_READ, NOTICES
from companion.storage.rows import COLUMNS, StoredRow, chain, in_order
from companion.storage.schema import UNREADABLE, SealedState, Tip, TipRow, check_seals, plain_tables

NOTHING_SEALED = SealedState({}, None, open=False, broken=True)
Candidates = dict[int, dict[tuple[StoredRow, bytes], None]]
"""Candidates for the row of each number, each with the hash stored beside it, best first."""
MOST_CANDIDATES = 16
MOST_LEADS = 16


@dataclass(frozen=True, slots=True)
class SalvagedTable:
    """The proven rows of a table. `rows` by number; `last`: the highest number it had; `seen`: the
    numbers of rows that are there but altered.
    """

    rows: dict[int, StoredRow]
    last: int
    seen: frozenset[int]

    @property
    def missing(self) -> int:
        """How many rows are lost."""
        return self.last - len(self.rows)

    def within(self, most: int) -> SalvagedTable:
        """Return the longest beginning of the table with at most `most` lost rows."""
        if self.missing <= most:
            return self
        end = 0
        for count, seq in enumerate(sorted(self.rows), start=1):
            if seq - count > most:
                break
            end = seq
        return SalvagedTable(
            {seq: row for seq, row in self.rows.items() if seq <= end}, end, self.seen
        )

    @property
    def lost(self) -> tuple[int, ...]:
        """The numbers of the lost rows."""
        return tuple(seq for seq in range(1, self.last + 1) if seq not in self.rows)


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """Everything found in a file, unproven. `sealed`: its sealed content; `notices`: rows of that
    table, as far as they can be read.
    """

    tables: dict[str, Candidates] = field(default_factory=dict)
    sealed: SealedState = NOTHING_SEALED
    notices: tuple[tuple[object, ...], ...] = ()


def scan_file(main: bytes, written: Journal) -> ScannedFile:
    """Find all candidates for rows, tips and notices in a file and its journal."""
    tables: dict[str, Candidates] = {}
    sealable: list[TipRow] = []
    notices: list[tuple[object, ...]] = []
    with closing(sqlite3.connect(":memory:")) as db:
        there = _plain_tables(db, database_image(main, written))
        if "row" in there:
            for one in _queried_rows(db):
                _add_candidate(tables, one)
        if "tip" in there:
            sealable += _all(db, "SELECT tbl, seq, hash, counter, seal FROM tip")
        if "notice" in there:
            notices += _notices(db)
    for one in _scanned_rows(main, written):
        _add_candidate(tables, one)
    if check_seals(sealable).broken:
        found = check_seals(_scanned_tips(main, written))
        asked = check_seals(sealable)
        tips = found.tips | {
            table: tip
            for table, tip in asked.tips.items()
            if table not in found.tips or found.tips[table].counter <= tip.counter
        }
        version = asked.version if asked.version is not None else found.version
        return ScannedFile(
            tables, SealedState(tips, version, open=asked.open, broken=True), tuple(notices)
        )
    return ScannedFile(tables, check_seals(sealable), tuple(notices))


def prove_table(
    table: str, own: Candidates, others: Sequence[Candidates], tip: Tip | None
) -> SalvagedTable:
    """Return the rows of a table that hashes prove.

    `own`: the file's candidates; `others`: those of other files, one by one, which fill a gap where
    the file's own rows prove them on both sides; `tip`: the sealed end.
    """
    prover = _Prover(table, tip)
    for seq in sorted({*own, *(seq for other in others for seq in other)}):
        prover.offer(seq, own.get(seq, {}), [other.get(seq, {}) for other in others])
    rows = prover.proven
    claimed = [seq for seq in own if seq not in rows]
    end = max((*rows, tip.seq if tip is not None else 0), default=0)
    last = max((seq for seq in claimed if seq <= end + len(claimed)), default=0)
    return SalvagedTable(rows, max(end, last), frozenset(claimed))


VOUCHED, OWN = -2, -1
"""Sources of a lead: any file whose stored hash it matches, this file, or else another file's
index.
"""


class _Prover:
    """Proves the rows of one table, offered in order.

    A lead is a candidate with a computed hash that this file does not store; a later row may prove
    it. Other files may have candidates for every number, so leads are bounded, and a file's leads
    are continued only by its own rows: each number costs the same, however many came before it.
    """

    def __init__(self, table: str, tip: Tip | None) -> None:
        self._table = table
        self.proven: dict[int, StoredRow] = {}
        self._stored: dict[int, set[bytes]] = {0: {b""}}
        """Hashes stored beside rows of a number, or in the tip."""
        self._leads: dict[int, dict[int, dict[bytes, tuple[StoredRow, bytes]]]] = {}
        """By number and source: the computed hash, with its row and the hash before it."""
        if tip is not None and tip.seq:
            self._stored.setdefault(tip.seq, set()).add(tip.hash)

    def offer(
        self,
        seq: int,
        own: dict[tuple[StoredRow, bytes], None],
        others: Sequence[dict[tuple[StoredRow, bytes], None]],
    ) -> None:
        """Take the candidates for row `seq`; all earlier rows have been offered."""
        self._stored.setdefault(seq, set()).update(hashed for _, hashed in own)
        self._leads[seq] = {}
        found = self._proves(seq, OWN, own, (VOUCHED, OWN, *range(len(others))))
        for number, rows in enumerate(others):
            found = found or self._proves(seq, number, rows, (VOUCHED, OWN, number))
        if found:
            self._leads[seq] = {}

    def _proves(
        self,
        seq: int,
        file: int,
        rows: dict[tuple[StoredRow, bytes], None],
        carried_on: Iterable[int],
    ) -> bool:
        """Return whether a stored hash proves one of these candidates; else keep them as leads."""
        stored, leads = self._stored[seq], self._leads.get(seq - 1, {})
        befores = [before for one in carried_on for before in leads.get(one, ())]
        for before in (*befores, *self._stored.get(seq - 1, ())):  # the oldest lead first
            for row, claimed in rows:
                hashed = chain(before, self._table, seq, row)
                if hashed in stored:
                    self._accept(seq, row, before)
                    return True
                self._follow(seq, VOUCHED if hashed == claimed else file, hashed, (row, before))
        return False

    def _follow(self, seq: int, source: int, hashed: bytes, lead: tuple[StoredRow, bytes]) -> None:
        """Keep one more lead, up to the bound."""
        known = self._leads[seq].setdefault(source, {})
        if len(known) < MOST_LEADS:
            known.setdefault(hashed, lead)

    def _accept(self, seq: int, row: StoredRow, before: bytes) -> None:
        """Accept a proven row, and the leads that precede it."""
        self.proven[seq] = row
        while before not in self._stored.get(seq - 1, ()):
            seq -= 1
            leads = self._leads[seq].values()
            earlier, before = next(known[before] for known in leads if before in known)
            self.proven.setdefault(seq, earlier)


def _plain_tables(db: sqlite3.Connection, content: bytes) -> frozenset[str]:
    """Return the tables that SQLite finds in the bytes; none where it rejects them."""
    try:
        db.deserialize(content)
        return plain_tables(db)
    except (*UNREADABLE, MemoryError):
        return frozenset()


def _queried_rows(db: sqlite3.Connection) -> Iterator[FoundRow]:
    """Yield the rows that SQL gives, from both ends up to where the file breaks."""
    for direction in ("ASC", "DESC"):
        query = (
            f"SELECT tbl, seq, hash, {COLUMNS} FROM row ORDER BY tbl {direction}, seq {direction}"
        )
        for table, seq, hashed, *fields in _readable_rows(db, query):
            row = _row(fields)
            if row is not None and isinstance(table, str) and isinstance(seq, int):
                yield FoundRow(table, seq, row, hashed if isinstance(hashed, bytes) else b"")


def _row(fields: Iterable[object]) -> StoredRow | None:
    *texts, position = fields
    if not all(isinstance(text, str) for text in texts):
        return None
    if position is not None and not isinstance(position, str):
        return None
    return StoredRow(**dict(zip(StoredRow.__struct_fields__, (*texts, position), strict=True)))  # type: ignore[arg-type]


def _readable_rows(db: sqlite3.Connection, query: str) -> Iterator[tuple[object, ...]]:
    """Yield the results of a query up to the first that the file cannot give."""
    try:
        yield from db.execute(query)
    except UNREADABLE:
        return


def _all(db: sqlite3.Connection, query: str) -> list[tuple[object, ...]]:
    return list(_readable_rows(db, query))


def _notices(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return the rows that NOTICES selects, with NOT_READ at the end where some are missing."""
    found: list[tuple[object, ...]] = []
    try:
        found.extend(db.execute(NOTICES))
    except UNREADABLE:
        found.append(NOT_READ)
    return found


def _scanned_rows(main: bytes, written: Journal) -> Iterator[FoundRow]:
    """Yield candidates from the bytes of the file, then from the complete transactions of its
    journal.
    """
    page_size, frames = written.page_size, written.finished
    newest, older = newest_pages(main, frames, page_size), newest_pages(main, (), page_size)
    for found in (newest, older)[: 2 if frames else 1]:
        known = Pages(found, len(older) + len(frames))
        yield from rows_in(main, page_size, known)
        for frame in frames:
            yield from rows_in(frame.content, page_size, known)


def _scanned_tips(main: bytes, written: Journal) -> Iterator[TipRow]:
    yield from tips_in(main)
    for frame in written.finished:
        yield from tips_in(frame.content)


def _add_candidate(tables: dict[str, Candidates], one: FoundRow) -> None:
    """Add a candidate, once, up to the bound."""
    candidates = tables.setdefault(one.table, {}).setdefault(one.seq, {})
    if one.seq > 0 and len(candidates) < MOST_CANDIDATES:
        candidates.setdefault((one.row, one.hash))


def scanned_tables(found: ScannedFile) -> tuple[str, ...]:
    """Return the names of all tables found in any way, oldest first."""
    return in_order({*found.tables, *found.sealed.tips})
