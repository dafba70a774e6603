"""Rows of the log in JSON: cached rows equal new ones, whatever was undone."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import msgspec
import pytest

from companion.engine import Corrected, Correction, Number, Seat
from companion.service import wire
from companion.service.views import log_rows, logbook
from companion.service.views.log_rows import LogRows
from companion.service.views.logbook import row_words
from companion.table import (
    Entry,
    GameStarted,
    Input,
    Redone,
    SeatSetup,
    Snapshot,
    Submission,
    Table,
    TableSet,
    Undone,
    redoable,
    undoable,
)
from companion.table.log import EventLog

NUMBERS = count()


def say(table: Table, *events: Input) -> None:
    now = table.snapshot()
    table.submit(Submission(f"a-command-{next(NUMBERS):06}", now.rev, events))


def energy(value: int) -> Corrected:
    return Corrected((Correction(Seat(0), Number.ENERGY, value),))


@pytest.fixture
def table(tmp_path: Path) -> Table:
    table = Table(EventLog(tmp_path))
    seats = (SeatSetup("Ana", "inkwell"), SeatSetup("Ben", "lampmoth"))
    say(table, TableSet("tokyo", "first", seats))
    say(table, GameStarted(0))
    return table


def in_full(rows: LogRows, snapshot: Snapshot) -> tuple[wire.LogRow, ...]:
    return msgspec.json.decode(rows.all_in_json(snapshot), type=tuple[wire.LogRow, ...])


def test_cached_rows_equal_new_ones_whatever_is_undone_between(table: Table) -> None:
    draw, kept, moments = random.Random(36), LogRows(), list[Snapshot]()
    for n in range(150):
        now = table.snapshot()
        undo, redo = undoable(now), redoable(now)
        what = draw.randrange(4)
        if what == 0 and undo is not None and not isinstance(undo.event, GameStarted):
            say(table, Undone(undo.seq))
        elif what == 1 and redo is not None:
            say(table, Redone(redo.seq))
        else:
            say(table, energy(n % 40))
        moments.append(table.snapshot())
        if draw.random() < 0.5:  # several commands between two looks
            asked = draw.choice(moments[-5:])  # two threads may look at different moments
            fresh = in_full(LogRows(), asked)
            assert in_full(kept, asked) == fresh
            assert len(fresh) == asked.rev
            assert kept.newest(asked, 16) == fresh[-16:]
    assert any(row.undone for row in fresh)


def test_another_table_and_another_name_are_not_mixed_up(table: Table) -> None:
    kept, first = LogRows(), table.snapshot()
    assert in_full(kept, first)[-1].by == ""
    now = table.snapshot()
    table.submit(Submission("by-the-first-seat", now.rev, (energy(3),), who="0"))
    assert in_full(kept, table.snapshot())[-1].by == "Ana"
    seats = (SeatSetup("Eva", "inkwell"), SeatSetup("Ben", "lampmoth"))
    say(table, TableSet("tokyo", "first", seats))
    say(table, GameStarted(1))
    table.submit(Submission("by-the-first-again", 2, (energy(4),), who="0"))
    assert in_full(kept, table.snapshot())[-1].by == "Eva"
    assert in_full(kept, first) == in_full(LogRows(), first)


def test_a_row_is_put_in_words_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, worded, word = LogRows(), list[int](), logbook.log_row

    def counted(entry: Entry, setup: TableSet | None, entries: Sequence[Entry]) -> wire.LogRow:
        worded.append(entry.seq)
        return word(entry, setup, entries)

    monkeypatch.setattr(log_rows, "log_row", counted)
    for n in range(20):
        say(table, energy(n))
        kept.all_in_json(table.snapshot())
    assert sorted(worded) == list(range(1, table.snapshot().rev + 1))


@pytest.mark.parametrize("kind", [Undone, Redone])
@pytest.mark.parametrize("away", [0, 1, 5000])
def test_a_row_that_undoes_no_row_before_it_is_shown_without_a_name(
    table: Table, kind: type[Undone] | type[Redone], away: int
) -> None:
    say(table, energy(3))
    entries = list(table.snapshot().entries)
    last = entries[-1]
    entries[-1] = dataclasses.replace(last, event=kind(last.seq + away))
    assert row_words(entries[-1], entries)[1] == ()
