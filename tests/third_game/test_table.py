"""A game of another package at the table: offered, played by phones, logged, reopened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from flask import Flask
from lantern_fair import LANTERN_FAIR

from companion.engine import RULESETS, Face, check
from companion.engine.authoring import registered
from companion.service import wire
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.table import GameStarted, RefusedError, SeatSetup, Table, TableSet
from companion.table.log import EventLog
from companion.virtual import random_event
from companion.vision.pictures import jpeg
from tests.service.phone import START, Phone, app_state_of, next_event, table_set
from tests.table.test_table import say
from tests.waiting import patient

NAME = LANTERN_FAIR.name
SEATS = tuple(SeatSetup(f"P{n}", f"M{n}") for n in range(3))
ENOUGH = 60
"""Events of a game that is left before it has ended."""


@pytest.fixture
def app(tmp_path: Path, fair: str) -> Iterator[Flask]:
    app = create_app(Settings(data=tmp_path, game=fair, timeouts=patient()))
    yield app
    app_state_of(app).close()


def played(table: Table, events: int, seed: int = 1) -> None:
    """Play so many random events, or to the game's end."""
    say(table, TableSet(NAME, "first", SEATS, ("short_fair",)), GameStarted(0))
    chance = Random(seed)
    for _ in range(events):
        position = table.snapshot().state.position
        if position is None or position.question is None:
            break
        say(table, random_event(position, chance, 0.2))


def test_a_game_without_demo_dice_is_not_begun_with_them(app: Flask) -> None:
    host = Phone(app)
    host.join()
    answer = host.post("/api/demo", {"on": True})
    assert (answer.status_code, (answer.json or {})["error"]["key"]) == (400, "error.demo.no_dice")
    assert not host.view().tray.demo
    assert host.view().game is None


def test_phones_choose_the_game_and_play_it_to_the_end(app: Flask, fair: str) -> None:
    host, chance = Phone(app), Random(4)
    host.join()
    lobby = host.view().lobby
    assert lobby is not None
    assert [box.game for box in lobby.boxes] == [*RULESETS]
    (box,) = [box for box in lobby.boxes if box.game == fair]
    assert (lobby.game, box.house, box.faces) == (fair, ("short_fair",), LANTERN_FAIR.faces)
    host.say({**table_set("P0", "P1", game=fair), "house": ["short_fair"]}, START)
    asked: set[str] = set()
    game = host.game()
    while (event := next_event(game, chance)) is not None:
        assert game.question is not None
        asked.add(game.question.kind)
        assert host.command(event).status_code in {200, 409}
        game = host.game()
    assert (game.phase, game.game) == ("over", fair)
    assert asked >= {wire.QuestionKind.ROLL, wire.QuestionKind.CHOICE}
    assert [area.id for area in game.areas] == ["fairground", "riverside"]
    state = app_state_of(app).table.snapshot().state
    assert state.game is not None
    assert check(state.game) == ()


def test_phones_look_up_what_they_look_up_of_any_game(app: Flask, fair: str) -> None:
    host, chance = Phone(app), Random(5)
    host.join()
    host.set_up(fair, 2)
    while (question := host.game().question) is not None and question.key != "roll":
        host.say(host.next_event(chance) or {})
    faces = [Face.ONE, Face.TWO, Face.TWO, Face.TWO, Face.HEAL]
    preview = host.post("/api/preview", {"faces": faces}).json or {}
    assert {row["key"] for row in preview["rows"]} >= {"preview.two"}
    host.say({"type": "DiceRolled", "faces": faces, "final": True})
    while (question := host.game().question) is not None and question.kind == "choice":
        host.say(host.next_event(chance) or {})
    why = host.get("/api/explain/0/stars").json or {}
    assert "LF-3.6" in {row["clause"] for row in why["rows"]}
    assert (host.get("/api/clause/LF-3.6").json or {})["text"].startswith("Three 2 are 2 stars")


def test_photos_are_read_by_the_faces_of_the_game(app: Flask, fair: str) -> None:
    host, app_state = Phone(app), app_state_of(app)
    host.join()
    host.set_up(fair, 2)
    while (question := host.game().question) is not None and question.key != "roll":
        host.say(host.next_event(Random(1)) or {})
    with pytest.raises(RefusedError, match=r"error\.photo\.no_dice"):
        app_state.tray.read_photo(jpeg(np.full((360, 480, 3), 130, np.uint8)))


@pytest.mark.parametrize("events", [0, ENOUGH])
def test_a_game_that_is_not_installed_any_more_is_set_aside_until_it_is(
    tmp_path: Path, events: int
) -> None:
    with registered(LANTERN_FAIR):
        table = Table(EventLog(tmp_path))
        played(table, events)
        before = table.snapshot()
        table.close()
    log = EventLog(tmp_path)
    table = Table(log)
    ((name, reason),) = table.set_aside
    assert (name, reason.key, reason.params["game"]) == (before.game_id, "error.unknown_game", NAME)
    (notice,) = log.notices
    assert (notice.key, notice.args) == (
        "log_notice.game_missing",
        {"table": before.game_id, "game": NAME},
    )
    with pytest.raises(RefusedError, match="unknown_game"):
        table.resume(before.game_id)
    assert [one.rows for one in table.games()] == [before.rev]
    say(table, TableSet(min(RULESETS), "first", SEATS), GameStarted(0))
    table.close()
    with registered(LANTERN_FAIR):
        table = Table(EventLog(tmp_path))
        table.resume(before.game_id)
        assert table.snapshot().state.game == before.state.game
        assert not table.snapshot().state.pinned
        table.close()


def test_a_table_that_was_only_set_up_for_it_is_set_aside_too(tmp_path: Path) -> None:
    with registered(LANTERN_FAIR):
        table = Table(EventLog(tmp_path))
        say(table, TableSet(NAME, "first", SEATS))
        table.close()
    table = Table(EventLog(tmp_path))
    assert [reason.key for _, reason in table.set_aside] == ["error.unknown_game"]
    table.close()
