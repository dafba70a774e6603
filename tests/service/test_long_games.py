"""Long games: the cost of a command, a view and a read of the log does not grow with the log."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from companion.engine import Game, Position
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.table import history
from companion.table.database import StoredRow
from tests.service.phone import Phone, app_state_of
from tests.service.test_commands import corrected

MANY = 30
Look = Callable[[Phone], object]


@pytest.fixture
def reopened(tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Phone]:
    """A turn with many corrections, after a restart: of most rows no question is kept."""
    monkeypatch.setattr(history, "KEPT_POSITIONS", 3)
    settings = Settings(data=tmp_path, anyone_may_edit=True)
    first = create_app(settings)
    host = Phone(first)
    host.join()
    host.set_up(game)
    for n in range(MANY):
        host.say(corrected(0, "energy", n))
    app_state_of(first).close()
    app = create_app(settings)
    phone = Phone(app)
    phone.join()
    phone.sit(1)
    yield phone
    app_state_of(app).close()


def applied(phone: Phone) -> None:
    app_state_of(phone.app).tray.keep_lesson("none", "another-command", MANY)


def this_game(phone: Phone) -> None:
    assert phone.get(f"/api/games/{phone.view().table}").status_code == 200


LOOKS: dict[str, Look] = {
    "a command": lambda phone: phone.say(corrected(1, "energy", 7)),
    "a row taken back": lambda phone: phone.say({"type": "Undone", "seq": MANY + 3}),
    "the log": lambda phone: phone.get("/api/log"),
    "this game": this_game,
    "the list of games": lambda phone: phone.get("/api/games"),
    "an explanation": lambda phone: phone.get("/api/explain/1/energy"),
    "dice applied": applied,
}


def test_no_question_of_long_ago_is_asked_again(
    reopened: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reopened.get("/api/log").status_code == 200  # each row is put in words once
    asked, of = list[Game](), Position.of

    def counted(game: Game) -> Position:
        asked.append(game)
        return of(game)

    monkeypatch.setattr(Position, "of", counted)
    seen = {}
    for name, look in LOOKS.items():
        asked.clear()
        look(reopened)
        seen[name] = len(asked)
    assert max(seen.values()) <= 3, seen


def test_the_list_of_games_does_not_read_the_one_that_is_played(
    host: Phone, app: Flask, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.set_up(game)
    left = host.view().table
    host.set_up(game)
    log, read = app_state_of(app).log, list[str]()
    rows_of = log.read

    def counted(table: str) -> Iterator[StoredRow]:
        read.append(table)
        return rows_of(table)

    monkeypatch.setattr(log, "read", counted)
    for n in range(3):
        host.say(corrected(0, "energy", n))
        (line, _) = host.get("/api/games").get_json()["games"]
        assert line["current"]
    assert read == [left]


def test_what_came_of_a_roll_is_not_looked_for_among_corrections(host: Phone, game: str) -> None:
    host.set_up(game)
    while not app_state_of(host.app).table.snapshot().state.since_roll:
        event = host.next_event(random.Random(1))
        assert event is not None
        host.say(event)
    rolled = app_state_of(host.app).table.snapshot().state.since_roll
    for n in range(MANY):
        host.say(corrected(1, "energy", n))
    assert app_state_of(host.app).table.snapshot().state.since_roll == rolled
