"""Damage to the log's file and its journal: which rows are recovered, what is reported, what is
right.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from companion.engine import RULESETS, Corrected, Correction, Number, Position, Seat
from companion.service.views.view import MONSTERS
from companion.storage.rows import is_placeholder
from companion.table import GameStarted, Input, SeatSetup, Submission, Table, TableSet
from companion.table.log import FILE_NAME, EventLog, StoredRow
from companion.virtual import random_event
from tests.faults import Effort, Fault, Outcome

PAGE = 4096
ROWS = 110
"""Of each of two games."""
WAL = Path(f"{FILE_NAME}-wal")
Rows = dict[str, tuple[StoredRow, ...]]


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    count = effort.choose(20, 2_000)
    target = "0 starts refused, 0 losses unsaid, 0 wrong rows served, ≥ 95 % of provable rows"
    yield Fault(
        f"{count} damages of the log's file, a snapshot of another evening beside it",
        target,
        lambda: main_damaged(count),
    )
    yield Fault(
        f"{count} damages of its first pages",
        target,
        lambda: order_damaged(count),
    )
    target = "0 starts refused, 0 losses unsaid, an exact prefix where it was torn"
    yield Fault(f"{count} journals torn, flipped or zeroed", target, lambda: wal_damaged(count))


@dataclass
class Tally:
    """Counts over all damaged files."""

    damages: int = 0
    refused: int = 0
    lossy: int = 0
    unsaid: int = 0
    wrong: int = 0
    provable: int = 0
    served: int = 0
    out_of_order: int = 0
    worst: list[str] = field(default_factory=list)

    def outcome(self) -> Outcome:
        """Return whether everything is as it must be."""
        share = self.served / self.provable if self.provable else 1.0
        seen = (
            f"{self.damages} damages: {self.refused} starts refused; {self.lossy} lost rows,"
            f" {self.unsaid} unsaid; {self.wrong} wrong rows served; {share:.1%} of provable rows"
            f" served; {self.out_of_order} not a prefix {self.worst[:3]}"
        )
        bad = self.refused + self.unsaid + self.wrong + self.out_of_order
        return Outcome(seen, ok=not bad and share >= 0.95)


def main_damaged(count: int, seed: int = 1) -> Outcome:
    """Change bits, bytes, sectors and pages of the file at random places."""
    with tempfile.TemporaryDirectory() as folder:
        rows, whole = _written(Path(folder) / "whole")
        chance = Random(f"main/{seed}")
        damages = (_damaged(whole, chance.randrange(len(whole)), chance) for _ in range(count))
        return _tried(Path(folder), rows, whole, damages, _other_evening(folder)).outcome()


def order_damaged(count: int, seed: int = 1) -> Outcome:
    """Change the first page, and those that hold the structure of tables."""
    with tempfile.TemporaryDirectory() as folder:
        rows, whole = _written(Path(folder) / "whole")
        with closing(sqlite3.connect(Path(folder) / "whole" / FILE_NAME)) as db:
            roots = [page for (page,) in db.execute("SELECT rootpage FROM sqlite_master")]
        chance = Random(f"order/{seed}")
        places = (
            (chance.choice([1, *roots]) - 1) * PAGE + chance.randrange(PAGE) for _ in range(count)
        )
        damages = (_damaged(whole, place, chance) for place in places)
        return _tried(Path(folder), rows, whole, damages).outcome()


def wal_damaged(count: int, seed: int = 1) -> Outcome:
    """Cut or change the journal of a killed service at random places."""
    tally, chance = Tally(), Random(f"wal/{seed}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows, main, wal = _killed(folder / "live")
        for number in range(count):
            torn = chance.random() < 0.4
            damaged = wal[: chance.randrange(len(wal))] if torn else bytes(wal)
            if not torn:
                damaged, _ = _damaged(wal, chance.randrange(len(wal)), chance)
            place = folder / str(number)
            place.mkdir()
            (place / FILE_NAME).write_bytes(main)
            (place / WAL).write_bytes(damaged)
            log = _opened(place, tally)
            if log is not None:
                _judged(log, rows, tally, f"{number}: {'torn' if torn else 'changed'}")
                found = log.rows("g1")
                prefix = found == rows["g1"][: len(found)]
                tally.out_of_order += torn and not prefix
                log.close()
            _swept(place)
    return tally.outcome()


def _other_evening(folder: str) -> bytes:
    """Make a log of another box, with a game of the same name."""
    table = Table(EventLog(Path(folder) / "other"))
    _play(table, max(RULESETS), Random(8))
    table.close()
    return (Path(folder) / "other" / FILE_NAME).read_bytes()


def _tried(
    folder: Path,
    rows: Rows,
    whole: bytes,
    damages: Iterator[tuple[bytes, range]],
    snapshot: bytes = b"",
) -> Tally:
    """Open each damaged file and compare its rows with those written."""
    tally, places = Tally(), _places(whole, rows)
    for number, (damaged, touched) in enumerate(damages):
        place = folder / str(number)
        place.mkdir()
        (place / FILE_NAME).write_bytes(damaged)
        if snapshot:
            (place / "snapshots").mkdir()
            (place / "snapshots" / "000001-g1.db").write_bytes(snapshot)
        log = _opened(place, tally)
        if log is None:
            continue
        served = _judged(log, rows, tally, f"{number}: {touched}")
        provable = _provable(places, {at for at in touched if damaged[at] != whole[at]})
        tally.provable += len(provable)
        tally.served += len(provable & served)
        if len(provable & served) < 0.95 * len(provable):
            tally.worst.append(f"{number}: {touched} {len(provable & served)}/{len(provable)}")
        log.close()
        _swept(place)
    return tally


def _opened(place: Path, tally: Tally) -> EventLog | None:
    """Open the log and a table on it; None where that failed."""
    tally.damages += 1
    try:
        log = EventLog(place)
        Table(log)
    except (OSError, sqlite3.Error, ValueError, LookupError, AttributeError) as refusal:
        tally.refused += 1
        tally.worst.append(repr(refusal)[:80])
        return None
    return log


def _judged(log: EventLog, rows: Rows, tally: Tally, name: str) -> set[tuple[str, int]]:
    """Count the right rows; wrong ones, and missing ones that are not reported."""
    served: set[tuple[str, int]] = set()
    for table in {*rows, *log.tables}:
        for seq, row in enumerate(log.rows(table), start=1):
            true = rows.get(table, ())
            if seq <= len(true) and true[seq - 1] == row:
                served.add((table, seq))
            elif not is_placeholder(row):
                tally.wrong += 1
                tally.worst.append(f"{name} wrong {table} {seq}")
    missing = sum(map(len, rows.values())) - len(served)
    tally.lossy += missing > 0
    if missing and not log.notices:
        tally.unsaid += 1
        tally.worst.append(f"{name} unsaid {missing}")
    return served


def _swept(place: Path) -> None:
    for one in place.rglob("*"):
        if one.is_file():
            one.unlink()


def _damaged(whole: bytes, place: int, chance: Random) -> tuple[bytes, range]:
    """Return the bytes with a change, and its place."""
    changed = bytearray(whole)
    page = place - place % PAGE
    kind = chance.choice(("bit", "bit", "byte", "bytes", "sector", "page", "torn"))
    if kind == "bit":
        touched = range(place, place + 1)
        changed[place] ^= 1 << chance.randrange(8)
    elif kind in {"byte", "bytes"}:
        touched = range(place, min(place + (1 if kind == "byte" else 16), len(whole)))
        for at in touched:
            changed[at] ^= chance.randrange(1, 256)
    else:
        start, size = {
            "sector": (place - place % 512, 512),
            "page": (page, PAGE),
            "torn": (page + PAGE // 2, PAGE // 2),
        }[kind]
        touched = range(start, min(start + size, len(whole)))
        changed[touched.start : touched.stop] = bytes(len(touched))
    return bytes(changed), touched


# -- what was written -------------------------------------------------------------------------


def _written(folder: Path) -> tuple[Rows, bytes]:
    """Write two games and close; return their rows and the file."""
    log = EventLog(folder)
    table = Table(log)
    for number, game in enumerate(sorted(RULESETS)):
        _play(table, game, Random(number))
    rows = {name: log.rows(name) for name in log.tables}
    table.close()
    return rows, (folder / FILE_NAME).read_bytes()


def _killed(folder: Path) -> tuple[Rows, bytes, bytes]:
    """Write a game and kill the service; return rows, file and journal."""
    log = EventLog(folder)
    _play(Table(log), min(RULESETS), Random(7))
    rows = {name: log.rows(name) for name in log.tables}
    main, wal = (folder / FILE_NAME).read_bytes(), (folder / WAL).read_bytes()
    log.close()
    return rows, main, wal


def _play(table: Table, game: str, chance: Random) -> None:
    """Return so many rows of a game that nobody wins."""
    seats = tuple(SeatSetup(f"P{n}", MONSTERS[n]) for n in range(4))
    _say(table, TableSet(game, RULESETS[game].editions[0], seats), GameStarted(0))
    while (now := table.snapshot()).rev < ROWS:
        position, asked = now.state.game, now.state.question
        assert position is not None
        weak = [m.seat for m in position.monsters if m.alive and (m.health < 7 or m.stars > 9)]
        if weak or asked is None:
            dials = ((Number.HEALTH, 10), (Number.STARS, 0))
            _say(table, Corrected(tuple(Correction(Seat(s), w, v) for s in weak for w, v in dials)))
        else:
            _say(table, random_event(Position.of(position), chance, 0.2))


def _say(table: Table, *events: Input) -> None:
    now = table.snapshot()
    name = f"damage-{now.table}-{now.rev:06}"
    table.submit(Submission(name, now.rev, events))


# -- which rows a damaged file still proves ---------------------------------------------------


@dataclass(frozen=True)
class Place:
    """The position of a row's bytes in the file, and that of its hash."""

    row: tuple[range, ...]
    hash: frozenset[int]


def _places(whole: bytes, rows: Rows) -> dict[tuple[str, int], Place]:
    """Find the position of every row by its content."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / FILE_NAME).write_bytes(whole)
        with closing(sqlite3.connect(Path(folder) / FILE_NAME)) as db:
            found = db.execute("SELECT tbl, seq, hash FROM row")
            hashes = {(table, seq): hashed for table, seq, hashed in found}
    return {
        (table, seq): _place(whole, table, seq, row, hashes[table, seq])
        for table, found in rows.items()
        for seq, row in enumerate(found, start=1)
    }


def _place(whole: bytes, table: str, seq: int, row: StoredRow, hashed: bytes) -> Place:
    """Find a record: in one piece, or on chained overflow pages."""
    number = seq.to_bytes(1 + (seq > 127), "big") if seq > 1 else b""
    texts = (row.at, row.who, row.command_id, row.event, row.rules_version, row.digest)
    body = b"".join((table.encode(), number, *(text.encode() for text in texts)))
    body += (row.position or "").encode() + hashed
    start = whole.index(body[: len(body) if row.position is None else 60])
    sizes = [len(text.encode()) for text in texts] + [len(row.position or "")]
    header = 1 + 3 + sum(1 + (13 + 2 * s > 127) + (13 + 2 * s > 16383) for s in sizes)
    length, most = header + len(body), (PAGE - 12) * 64 // 255 - 23
    if length <= most:
        end = start + len(body)
        return Place((range(start - header, end),), frozenset(range(end - 32, end)))
    least = (PAGE - 12) * 32 // 255 - 23
    local = least + (length - least) % (PAGE - 4)
    local = (local if local <= most else least) - header
    parts = [range(start - header, start + local + 4)]
    bytes_at = list(range(start, start + local))
    following = int.from_bytes(whole[start + local : start + local + 4], "big")
    while len(bytes_at) < len(body):
        at = (following - 1) * PAGE
        size = min(len(body) - len(bytes_at), PAGE - 4)
        parts.append(range(at, at + 4 + size))
        bytes_at += range(at + 4, at + 4 + size)
        following = int.from_bytes(whole[at : at + 4], "big")
    assert bytes(whole[at] for at in bytes_at) == body
    return Place(tuple(parts), frozenset(bytes_at[-32:]))


def _provable(places: dict[tuple[str, int], Place], touched: set[int]) -> set[tuple[str, int]]:
    """Return the rows that are unchanged and follow an unchanged hash."""
    return {
        (table, seq)
        for (table, seq), place in places.items()
        if not any(at in part for at in touched for part in place.row)
        and (seq == 1 or not places[table, seq - 1].hash & touched)
    }
