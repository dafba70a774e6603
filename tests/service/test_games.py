"""Whole games by phones: played, listed, looked at, taken up again."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion import engine
from companion.engine import Corrected
from companion.service import requests
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.service.views import past
from companion.service.wire import QuestionKind
from companion.table import Snapshot, Table
from companion.table.database import COPIES, FILE_NAME
from companion.table.log import EventLog
from tests.service.phone import Phone, app_state_of, play_until
from tests.service.test_commands import corrected, key_of
from tests.table.test_log import a_row
from tests.table.test_table import begin, say

MOST_EVENTS = 3_000
"""A game by chance takes some hundreds."""


@pytest.mark.parametrize("players", [2, 5])
def test_a_game_played_by_phones_ends_and_replays_to_the_same(
    app: Flask, host: Phone, game: str, players: int
) -> None:
    chance = random.Random(players)
    host.set_up(game, players)
    for _ in range(MOST_EVENTS):
        event = host.next_event(chance)
        if event is None:
            break
        # Where a card makes somebody roll on, the same faces again are refused.
        assert host.command(event).status_code in {200, 409}
    view = host.view()
    assert view.game is not None
    assert view.game.phase == "over"
    app_state = app_state_of(app)
    before = app_state.table.snapshot()
    app_state.close()
    again = create_app(Settings(data=app_state.settings.data))
    after = app_state_of(again).table.snapshot()
    assert after.rev == before.rev
    assert after.state.game == before.state.game
    assert not after.state.pinned
    assert [e.event for e in after.entries] == [e.event for e in before.entries]
    assert before.state.game is not None
    assert engine.check(before.state.game) == ()
    app_state_of(again).close()


def games(phone: Phone) -> tuple[requests.GameLine, ...]:
    return msgspec.json.decode(phone.get("/api/games").data, type=requests.GamesAnswer).games


def look_at(phone: Phone, game: str) -> requests.PastGame:
    return msgspec.json.decode(phone.get(f"/api/games/{game}").data, type=requests.PastGame)


@pytest.fixture
def left(host: Phone, game: str) -> str:
    """A game in its first turns that the host has left by setting the table again."""
    host.set_up(game)
    play_until(host, QuestionKind.ROLL, random.Random(1))
    host.say(corrected(1, "energy", 7))
    name = host.view().table
    host.set_up(game, players=3)
    return name


def test_a_game_that_was_left_is_taken_up_where_it_stood(host: Phone, left: str) -> None:
    later = host.view().table
    assert [(one.id, one.current) for one in games(host)] == [(later, True), (left, False)]
    assert host.post("/api/take-up", {"id": left}).status_code == 200
    assert (host.view().table, len(host.game().seats)) == (left, 2)
    assert host.game().seats[1].energy == 7
    host.say(corrected(1, "energy", 8))
    assert [(one.id, one.current) for one in games(host)] == [(left, True), (later, False)]


def test_an_earlier_game_is_looked_at_and_nothing_is_asked_in_it(
    host: Phone, left: str, app: Flask
) -> None:
    watcher = Phone(app)
    watcher.join(code=app_state_of(app).browsers.invitation.code)
    before = host.view()
    seen = look_at(watcher, left)
    assert seen.game is not None
    assert (seen.id, seen.playable, len(seen.game.seats)) == (left, True, 2)
    assert (seen.game.question, seen.game.offers, seen.game.hands) == (None, (), ())
    assert [row.seq for row in seen.rows] == list(range(1, len(seen.rows) + 1))
    assert host.view().log == before.log
    assert watcher.get("/api/games/g99").status_code == 404


def test_a_game_played_now_is_looked_at_as_it_stands(host: Phone, game: str) -> None:
    host.set_up(game)
    now = host.view().table
    rows = len(look_at(host, now).rows)
    host.say(corrected(0, "energy", 3))
    assert len(look_at(host, now).rows) == rows + 1


def test_earlier_games_are_played_over_once_for_all_who_look(
    host: Phone, left: str, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[str] = []
    look = app_state_of(app).table.snapshot_of

    def counted(game: str) -> Snapshot:
        played.append(game)
        return look(game)

    monkeypatch.setattr(app_state_of(app).table, "snapshot_of", counted)
    now = host.view().table
    for _ in range(3):
        assert [look_at(host, one).id for one in (left, now)] == [left, now]
    assert played == [left, now]
    rows = len(look_at(host, left).rows)
    assert host.post("/api/take-up", {"id": left}).status_code == 200
    host.say(corrected(1, "energy", 3))
    assert host.post("/api/take-up", {"id": now}).status_code == 200
    assert len(look_at(host, left).rows) == rows + 1, "it has grown"
    monkeypatch.setattr(past, "MOST_CACHED", 1)
    played.clear()
    assert [look_at(host, one).id for one in (left, now, now, left)] == [left, now, now, left]
    assert played == [now, left], "one alone is kept"


def test_what_is_never_started_stands_in_no_list(host: Phone) -> None:
    assert games(host) == ()


def test_only_the_host_takes_a_game_up(host: Phone, left: str, app: Flask) -> None:
    guest = Phone(app)
    guest.join(code=app_state_of(app).browsers.invitation.code)
    guest.sit(1)
    now = host.view().table
    assert guest.post("/api/take-up", {"id": left}).status_code == 403
    unknown = host.post("/api/take-up", {"id": "g99"})
    assert (unknown.status_code, key_of(unknown)) == (400, "error.no_such_table")
    assert host.view().table == now


def test_a_game_that_is_not_there_is_answered_with_a_few_that_are(host: Phone, app: Flask) -> None:
    log = app_state_of(app).log
    for _ in range(20):
        name = log.next_id()
        log.append(name, [a_row(1)])
    unknown = host.post("/api/take-up", {"id": "g99"})
    args = unknown.get_json()["error"]["args"]
    newest = ["g20", "g19", "g18", "g17", "g16"]
    assert args == {"table": "g99", "count": 20, "known": ", ".join(newest)}


def test_a_command_made_for_another_game_is_refused(host: Phone, left: str) -> None:
    later = host.view()
    host.post("/api/take-up", {"id": left})
    command = {"table": later.table, "base_rev": host.view().rev}
    refused = host.command(corrected(0, "energy", 9), **command)
    assert (refused.status_code, key_of(refused)) == (409, "error.stale")
    assert host.game().seats[0].energy != 9
    assert host.command(corrected(0, "energy", 9), table=left).status_code == 200


def test_a_game_that_lost_its_last_row_is_listed_looked_at_and_taken_up(
    tmp_path: Path, game: str
) -> None:
    host = Phone(create_app(Settings(data=tmp_path)))
    host.join()
    host.set_up(game, 3)
    chance = random.Random(1)
    while host.game().turn < 2:
        host.say(host.next_event(chance) or {})
    left, rows = host.view().table, host.view().rev
    host.set_up(game)
    app_state_of(host.app).close()
    shutil.rmtree(tmp_path / COPIES, ignore_errors=True)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db, db:
        db.execute("DELETE FROM row WHERE game = ? AND seq = ?", (left, rows))
    host = Phone(create_app(Settings(data=tmp_path)))
    host.join()
    (_, listed) = games(host)
    assert (listed.id, listed.game, listed.ended) == (left, game, False)
    assert all(listed.players)
    seen = look_at(host, left)
    assert seen.game is not None
    assert seen.playable
    app_state_of(host.app).table.resume(left)
    assert (host.view().table, host.view().rev) == (left, rows - 1)
    app_state_of(host.app).close()


def test_games_are_listed_by_when_they_were_played_whatever_the_clock_says(
    tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without a clock starts in 1970 until it gets the time."""

    def at_the_table(*years: int) -> Table:
        clock = iter([datetime(year, 5, 1, tzinfo=UTC) for year in years])
        return Table(EventLog(tmp_path), now=lambda: next(clock))

    def listed(table: Table) -> list[str]:
        return [one.id for one in past.games_answer(table).games]

    table = at_the_table(2025, 2026, 1970, 2025, 1970)
    for _ in range(4):
        begin(table, game)
    assert listed(table) == ["g4", "g3", "g2", "g1"]
    table.resume("g2")
    say(table, Corrected())
    table.resume("g1")
    assert listed(table) == ["g1", "g2", "g4", "g3"]
    table.close()
    table = at_the_table()
    assert listed(table) == ["g1", "g2", "g4", "g3"]
    monkeypatch.setattr(past, "MOST_GAMES", 2)
    assert listed(table) == ["g1", "g2"]
    table.close()
