"""Results kept for rows of the log: made once for the same rows, never for rows that are alike."""

from __future__ import annotations

import dataclasses
import random
from functools import partial
from pathlib import Path

import msgspec

from companion.service.requests import Command
from companion.service.views.news.happened import happened
from companion.service.views.news.kept import Kept
from companion.service.views.todo import task_views
from companion.service.views.view import Views
from companion.table import Entry, Snapshot, Submission, Table, TableSet
from companion.table.history import State
from companion.table.log import EventLog
from tests.crowd import new_game
from tests.service.phone import next_event


def row(seq: int) -> Entry:
    return Entry(seq, "", "", "a-command", TableSet("tokyo", "first", ()), State(), State())


def test_a_result_is_made_once_for_the_same_rows_and_again_for_equal_ones() -> None:
    kept, made = Kept[Entry, int](), iter(range(9))
    one, two = row(1), row(2)
    alike = dataclasses.replace(one)
    assert alike == one
    assert [kept.of(rows, lambda: next(made)) for rows in ((one,), (one, two), (one,))] == [0, 1, 0]
    assert kept.of((alike,), lambda: next(made)) == 2
    assert kept.of((two, one), lambda: next(made)) == 3


def test_only_the_newest_results_stay() -> None:
    kept = Kept[Entry, int](most=2)
    rows = [row(seq) for seq in range(3)]
    for one in rows:
        kept.of((one,), partial(int, one.seq))
    assert kept.of((rows[2],), lambda: -1) == 2
    assert kept.of((rows[1],), lambda: -1) == 1
    assert kept.of((rows[0],), lambda: -1) == -1


def test_a_failure_is_not_kept() -> None:
    kept, one = Kept[Entry, int](), row(1)
    try:
        kept.of((one,), lambda: 1 // 0)
    except ZeroDivisionError:
        assert kept.of((one,), lambda: 1) == 1
    else:
        raise AssertionError


def test_what_is_kept_equals_what_is_made_anew_in_a_whole_game(tmp_path: Path) -> None:
    table, views, chance = Table(EventLog(tmp_path)), Views("tokyo", anyone=True), random.Random(3)
    for n in range(120):
        now = table.snapshot()
        game = views.of(now, {}).game
        events = [next_event(game, chance)] if game is not None else new_game(4)
        if None in events:
            break
        body = {"command_id": f"a-command-{n}", "base_rev": now.rev, "events": events}
        command = msgspec.convert(body, Command)
        table.submit(Submission(command.command_id, now.rev, tuple(command.events)))
        assert _news(table.snapshot()) == _news(_copied(table.snapshot()))
    assert n > 50


def _news(snapshot: Snapshot) -> tuple[object, object]:
    return happened(snapshot), task_views(snapshot)


def _copied(snapshot: Snapshot) -> Snapshot:
    """Return the same moment with rows of which nothing is kept."""
    return dataclasses.replace(snapshot, entries=tuple(map(dataclasses.replace, snapshot.entries)))
