"""The rows that a hub has got: once each, gaps seen, other lines replaced, damage of no account."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from companion.engine import RULESETS
from companion.mqtt.hub.results import result
from companion.mqtt.hub.store import FILE_NAME, MOST_PAGES, HubStore
from companion.mqtt.tables.forms import MOST_ROWS
from companion.mqtt.tables.rows import PublishedRows, published
from companion.table.database import StoredRow
from companion.table.log import DataInUseError, EventLog
from tests.mqtt.pages import pages, row, tip_of
from tests.table.test_table import started


@pytest.fixture
def store(tmp_path: Path) -> Iterator[HubStore]:
    store = HubStore(tmp_path)
    yield store
    store.close()


def test_a_page_that_comes_again_changes_nothing(store: HubStore) -> None:
    (page,) = pages(3)
    assert store.accept("a", page).new == 3
    before = store.held("a", "g1")
    again = store.accept("a", page)
    assert (again.new, again.known, again.replaced) == (0, 3, 0)
    assert store.held("a", "g1") == before
    assert (before.chained, before.gaps) == (3, ())


def test_pages_in_any_order_come_to_the_same_and_gaps_are_seen_meanwhile(store: HubStore) -> None:
    first, second, third = pages(9)
    store.accept("a", third)
    assert store.held("a", "g1").gaps == ((1, 6),)
    store.accept("a", first)
    held = store.held("a", "g1")
    assert (held.chained, held.gaps) == (3, ((4, 6),))
    store.accept("a", second)
    held = store.held("a", "g1")
    assert (held.chained, held.gaps) == (9, ())
    assert [one.command_id for one in store.rows("a", "g1")] == [str(n) for n in range(9)]


def test_two_tables_do_not_meet(store: HubStore) -> None:
    store.accept("a", pages(3)[0])
    assert store.held("b", "g1").chained == 0
    store.accept("b", pages(3, salt="b")[0])
    assert store.held("a", "g1").tip != store.held("b", "g1").tip


def test_rows_of_another_line_replace_those_from_there_on(store: HubStore) -> None:
    for page in pages(9):
        store.accept("a", page)
    other = pages(6, salt="x")
    accepted = store.accept("a", other[0])
    assert (accepted.new, accepted.replaced) == (3, 9)
    assert store.held("a", "g1").chained == 3


def test_a_page_that_does_not_follow_is_of_another_line_which_must_come_whole(
    store: HubStore,
) -> None:
    mine, other = pages(6), pages(6, salt="x")
    store.accept("a", mine[0])
    accepted = store.accept("a", other[1])
    assert (accepted.new, accepted.replaced) == (3, 3)
    held = store.held("a", "g1")
    assert (held.chained, held.gaps) == (0, ((1, 3),))
    store.accept("a", other[0])
    assert store.held("a", "g1").tip == tip_of(other)


def test_a_game_is_forgotten_where_a_row_of_it_has_another_hash(store: HubStore) -> None:
    mine, other = pages(9), pages(6, salt="x")
    for page in mine:
        store.accept("a", page)
    assert store.check("a", "g1", 0, "") == 0
    assert store.check("a", "g1", 6, tip_of(mine[:2])) == 0
    assert store.check("a", "g1", 9, tip_of(mine)) == 0
    assert store.check("a", "g1", 12, tip_of(other)) == 0  # its rows are yet to come
    assert store.held("a", "g1").chained == 9
    assert store.check("a", "g1", 6, tip_of(other)) == 9
    assert store.held("a", "g1").chained == 0


def test_the_rows_of_a_game_that_was_looked_at_are_deleted(tmp_path: Path) -> None:
    store = HubStore(tmp_path)
    mine = pages(9)
    for page in mine:
        store.accept("a", page)
    store.prune("a", "g1")
    assert len(list(store.rows("a", "g1"))) == 9
    store.put_result("a", "g1", b"")
    store.prune("a", "g1")
    assert list(store.rows("a", "g1")) == []
    for _ in range(2):
        held = store.held("a", "g1")
        assert (held.chained, held.tip, held.pruned) == (9, tip_of(mine), True)
        assert store.is_looked_at("a", "g1")
        assert store.accept("a", mine[1]).new == 0
        assert store.games("a") == {"g1"}
        assert list(store.results()) == []
        store.close()
        store = HubStore(tmp_path)
    store.accept("a", pages(12)[3])
    held = store.held("a", "g1")
    assert (held.chained, held.gaps, held.pruned) == (0, ((1, 9),), False)
    assert not store.is_looked_at("a", "g1")
    store.close()


def fill_up(store: HubStore) -> None:
    """Have the file refuse every further page, as one of 1 GB does."""
    (count,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={count}")


def test_rows_are_deleted_only_where_their_result_is_kept(tmp_path: Path) -> None:
    store = HubStore(tmp_path)
    for page in pages(9):
        store.accept("a", page)
    result = bytes(40_000)
    fill_up(store)
    for act in (
        partial(store.put_result, "a", "g1", result),
        partial(store.prune, "a", "g1"),
        partial(store.prune, "a", "g1"),
    ):
        with pytest.raises(sqlite3.OperationalError, match="full"):
            act()
        assert store.is_looked_at("a", "g1")  # not replayed again and again
        assert len(list(store.rows("a", "g1"))) == 9
    store._db.execute(f"PRAGMA max_page_count={MOST_PAGES}")
    store.prune("a", "g1")
    assert list(store.rows("a", "g1")) == []
    store.close()
    again = HubStore(tmp_path)
    assert list(again.results()) == [("a", "g1", result)]
    again.close()


def test_rows_give_the_room_for_their_result(store: HubStore) -> None:
    for page in pages(1000, size=64):
        store.accept("a", page)
    fill_up(store)
    result = bytes(40_000)
    with pytest.raises(sqlite3.OperationalError, match="full"):
        store.put_result("a", "g1", result)
    store.prune("a", "g1")
    assert list(store.rows("a", "g1")) == []
    assert list(store.results()) == [("a", "g1", result)]
    assert store.held("a", "g1").pruned


def test_a_result_that_was_refused_goes_with_its_game(store: HubStore) -> None:
    store.accept("a", pages(3)[0])
    fill_up(store)
    with pytest.raises(sqlite3.OperationalError, match="full"):
        store.put_result("a", "g1", bytes(40_000))
    store._db.execute(f"PRAGMA max_page_count={MOST_PAGES}")
    store.forget("a", "g1")
    store.accept("a", pages(3, salt="x")[0])
    store.put_result("a", "g1", b"{}")
    store.prune("a", "g1")
    assert list(store.results()) == [("a", "g1", b"{}")]


def test_what_a_hub_has_is_there_after_a_start(tmp_path: Path) -> None:
    store = HubStore(tmp_path)
    for page in pages(9):
        store.accept("a", page)
    store.put_result("a", "g1", b"{}")
    store.close()
    again = HubStore(tmp_path)
    assert again.held("a", "g1").chained == 9
    assert list(again.results()) == [("a", "g1", b"{}")]
    again.close()


def test_a_damaged_file_is_thrown_away(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)
    store = HubStore(tmp_path)
    assert store.held("a", "g1").chained == 0
    assert store.accept("a", pages(3)[0]).new == 3
    store.close()


@pytest.mark.parametrize("game", sorted(RULESETS))
def test_a_log_comes_over_whole_without_the_names_that_are_not_allowed(
    tmp_path: Path, store: HubStore, game: str
) -> None:
    table = started(tmp_path / "data", game)
    log = table._log
    rows = PublishedRows(log, ())
    assert list(rows.follow(table.snapshot())) == []
    count = log.count("g1")
    at = 1
    while at <= count:
        page = rows.page("g1", at)
        assert page is not None
        at += len(page.rows)
        store.accept("a", page)
    held = store.held("a", "g1")
    assert (held.chained, held.tip) == (count, rows.tip("g1", count))
    names = [seat.player for seat in table.snapshot().state.setup.seats]  # type: ignore[union-attr]
    text = "".join(one.event for one in store.rows("a", "g1"))
    assert names
    assert not any(f'"{name}"' in text for name in names if name)
    assert result("g1", store.rows("a", "g1")) is None
    table.close()


def test_where_everybody_has_agreed_the_chain_is_that_of_the_log(tmp_path: Path) -> None:
    table = started(tmp_path, min(RULESETS))
    rows = PublishedRows(table._log, ("*",))
    list(rows.follow(table.snapshot()))
    count = table.snapshot().rev
    assert rows.tip("g1", count) == table._log.last_hash("g1")
    assert rows.page("g1", 0) is rows.page("g1", count + 1) is rows.page("g9", 1) is None
    assert [line.log for line in rows.games().games] == ["g1"]
    table.close()


def test_a_page_is_bounded(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.append("g1", [row(str(n)) for n in range(500)])
    rows = PublishedRows(log, ())
    page = rows.page("g1", 1)
    assert page is not None
    assert len(page.rows) == MOST_ROWS
    log.append("g2", [msg("x" * 40_000) for _ in range(5)])
    page = rows.page("g2", 1)
    assert page is not None
    assert len(page.rows) == 1
    log.close()


def msg(event: str) -> StoredRow:
    return StoredRow(at="", who="", command_id="", event=event, rules_version="1", digest="")


def test_only_a_set_up_is_cleaned() -> None:
    seats = '[{"player":"Ann","monster":"a"},{"player":"Bo","monster":"b"}]'
    setup = f'{{"type":"TableSet","game":"x","edition":"y","seats":{seats}}}'
    assert published(msg(setup), ("ann", "BO")).event == setup
    assert "Ann" not in published(msg(setup), ("bo",)).event
    assert "Bo" in published(msg(setup), ("bo",)).event
    other = '{"type":"Chosen","option":"TableSet"}'
    assert published(msg(other), ()).event == other


def filled(folder: Path) -> bytes:
    """Fill a store and close it; return its file."""
    store = HubStore(folder)
    for page in pages(9):
        store.accept("a", page)
    store.put_result("a", "g1", b"{}")
    store.close()
    return (folder / FILE_NAME).read_bytes()


def test_a_file_that_is_locked_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    content = filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OSError, match="locked"):
            HubStore(tmp_path)
        other.execute("ROLLBACK")
    assert (tmp_path / FILE_NAME).read_bytes() == content
    HubStore(tmp_path).close()


FULL = """
import resource, signal, sys
from pathlib import Path
from companion.mqtt.hub.store import HubStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    HubStore(Path(sys.argv[1]))
except OSError:
    sys.exit(3)
"""


def test_a_disk_without_room_takes_nothing_from_the_file(tmp_path: Path) -> None:
    content = filled(tmp_path)
    assert subprocess.run([sys.executable, "-c", FULL, tmp_path], check=False).returncode == 3
    assert (tmp_path / FILE_NAME).read_bytes() == content
    again = HubStore(tmp_path)
    assert again.held("a", "g1").chained == 9
    again.close()


def test_a_folder_has_one_hub(tmp_path: Path) -> None:
    first = HubStore(tmp_path)
    with pytest.raises(DataInUseError):
        HubStore(tmp_path)
    assert first.accept("a", pages(3)[0]).new == 3
    first.close()
    HubStore(tmp_path).close()


def test_a_file_of_another_form_is_thrown_away(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        other.execute("PRAGMA user_version=99")
    store = HubStore(tmp_path)
    assert list(store.results()) == []
    assert store.accept("a", pages(3)[0]).new == 3
    store.close()


def test_damage_among_the_results_is_found_at_the_start(tmp_path: Path) -> None:
    content = filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        (root,) = other.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'result'"
        ).fetchone()
    at = (root - 1) * 4096
    (tmp_path / FILE_NAME).write_bytes(content[:at] + b"\xff" * 4096 + content[at + 4096 :])
    store = HubStore(tmp_path)
    assert list(store.results()) == []
    store.close()
