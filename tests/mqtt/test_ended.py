"""The results that the hub keeps: within a bound, the newest, and shown as they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from companion.engine import RULESETS
from companion.mqtt.hub.collector import MOST_REPLAYED
from companion.mqtt.hub.ended import DROPPED_AT_ONCE, MOST_ENDED, MOST_TITLES, EndedGames
from companion.mqtt.hub.results import EndedGame
from companion.mqtt.hub.store import FILE_NAME, HubStore
from companion.mqtt.tables.forms import GameList
from companion.records import GameResult, PlayerResult
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.table.database import StoredRow
from tests.mqtt.pages import paged, pages, row, tip_of
from tests.mqtt.table import play_out
from tests.mqtt.test_hub_collector import card, collecting
from tests.service.phone import Phone, app_state_of

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def game(number: int, seats: int = 1) -> EndedGame:
    """Return a game that ended so many minutes after the first one."""
    players = tuple(
        PlayerResult(n, f"P{n}", "m", 1, True, True, health=1, stars=number, energy=0)
        for n in range(seats)
    )
    ended = BEGAN + timedelta(minutes=number)
    result = GameResult(
        f"g{number}", "x", "y", (), 1, players, reason="stars", began=BEGAN, ended=ended
    )
    return EndedGame("a", f"g{number}", result)


def fill(folder: Path, count: int, seats: int = 1) -> None:
    """Have a hub's folder hold so many results."""
    HubStore(folder).close()
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        db.executemany(
            "INSERT INTO result VALUES ('a', ?, 9, x'00', ?)",
            (
                (one.log, msgspec.json.encode(one.result))
                for one in (game(number, seats) for number in range(count))
            ),
        )


def test_the_results_that_ended_first_give_way() -> None:
    ended = EndedGames(most=10, at_once=3)
    for number in (5, 9, 1, 0, 2, 3, 4, 6, 7, 8):
        assert ended.put(game(number)) == []
    assert ended.put(game(9)) == []
    assert ended.put(game(10)) == [("a", "g0"), ("a", "g1"), ("a", "g2")]
    assert ("a", "g3") in ended
    assert ("a", "g2") not in ended
    assert len(ended.shown()[0]) == 8


def test_what_the_page_shows_follows_every_change() -> None:
    ended = EndedGames()
    ended.put(game(1))
    assert [one.log for one in ended.shown()[0]] == ["g1"]
    ended.put(game(2))
    assert [one.log for one in ended.shown()[0]] == ["g2", "g1"]
    assert [one.games for one in ended.shown()[1]] == [2]
    assert ended.drop(("a", "g2"))
    assert not ended.drop(("a", "g2"))
    assert [one.log for one in ended.shown()[0]] == ["g1"]


def test_results_go_by_what_the_table_is_called_now(tmp_path: Path) -> None:
    fill(tmp_path, 2)
    with collecting(tmp_path) as heard:

        def titles(number: int) -> list[str] | None:
            seen = heard.collector.since(number).results
            return None if seen is None else [one.title for one in seen]

        assert titles(-1) == ["a", "a"]
        for title in ("By the window", "At the bar"):
            number = heard.collector.since(-1).number
            heard.hear(card(title=title, log="g9"), table="a")
            assert titles(number) == [title, title]
        number = heard.collector.since(-1).number
        heard.hear(card(title="At the bar", log="g9", turn=2), table="a")
        assert titles(number) is None
        heard.say("a", "card", b"")
        assert titles(-1) == ["At the bar", "At the bar"]


def test_titles_are_known_within_a_bound() -> None:
    ended = EndedGames()
    ended.put(game(1))
    assert ended.call("a", "Window")
    assert not ended.call("a", "Window")
    for number in range(MOST_TITLES):
        assert [one.title for one in ended.shown()[0]] == ["Window"]
        assert ended.call(f"t{number}", "Bar")
    assert [one.title for one in ended.shown()[0]] == ["a"]


def test_results_come_in_pieces_each_once() -> None:
    ended = EndedGames()
    for number in range(5):
        ended.put(game(number))
    assert [one.log for one in ended.after(None, 2)] == ["g0", "g1"]
    assert [one.log for one in ended.after(("a", "g1"), 2)] == ["g2", "g3"]
    assert [one.log for one in ended.after(("a", "g3"), 2)] == ["g4"]
    assert ended.after(("a", "g4"), 2) == []


def test_a_result_that_was_dropped_is_not_fetched_again(tmp_path: Path) -> None:
    store = HubStore(tmp_path)
    for page in pages(9):
        store.accept("a", page)
    store.put_result("a", "g1", b"{}")
    store.prune("a", "g1")
    assert not store.has_dropped
    store.drop_results([("a", "g1")])
    for _ in range(2):
        assert store.has_dropped
        assert list(store.results()) == []
        assert (store.held("a", "g1").chained, store.held("a", "g1").pruned) == (9, True)
        assert store.is_looked_at("a", "g1")
        store.close()
        store = HubStore(tmp_path)
    store.close()


def test_a_file_with_more_results_is_brought_within_the_bound(tmp_path: Path) -> None:
    fill(tmp_path, MOST_ENDED + 1)
    for _ in range(2):
        with collecting(tmp_path) as heard:
            assert heard.collector.since(-1).dropped
            kept = MOST_ENDED + 1 - DROPPED_AT_ONCE
            assert len(heard.collector.results_after(None, 2 * MOST_ENDED)) == kept
            assert sum(1 for _ in heard.store.results()) == kept


def ended_rows(folder: Path) -> list[StoredRow]:
    """Return the rows of a game that was played to its end."""
    app = create_app(Settings(data=folder))
    app_state = app_state_of(app)
    try:
        phone = Phone(app)
        phone.join()
        play_out(phone, max(RULESETS))
        return list(app_state.log.read("g1"))
    finally:
        app_state.close()


def test_a_game_that_is_too_long_is_not_replayed(tmp_path: Path) -> None:
    played = ended_rows(tmp_path / "table")
    for count, has_result in ((MOST_REPLAYED, True), (MOST_REPLAYED + 1, False)):
        found = paged([*played, *(row(str(n)) for n in range(count - len(played)))])
        folder = tmp_path / str(count)
        folder.mkdir()
        with collecting(folder) as heard:
            for page in found:
                heard.store.accept("window", page)
            heard.hear(card(rows=count, tip=tip_of(found), reason="stars"), GameList(games=()))
            heard.until(lambda _, heard=heard: heard.is_looked_at())
            assert bool(heard.collector.results_after(None, 1)) is has_result
