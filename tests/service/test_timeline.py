"""Looking back: moments and lines of the game on the table, and earlier games."""

from __future__ import annotations

import random
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.engine import Position
from companion.service import requests, wire_pages
from companion.service.views import past
from companion.service.wire import QuestionKind
from companion.table import Snapshot, Table
from companion.table.log import EventLog
from tests.service.phone import Phone, Start, app_state_of, corrected, key_of, play_until
from tests.table.test_table import begin


def line(phone: Phone) -> wire_pages.TimeView:
    return phone.read("/api/time", wire_pages.TimeView)


def moment(phone: Phone, row: int) -> wire_pages.TimeMoment:
    return phone.read(f"/api/time/{row}", wire_pages.TimeMoment)


def go_to(phone: Phone, row: int) -> None:
    """Play on from the moment after this row."""
    phone.say(*(dict(msgspec.to_builtins(event)) for event in moment(phone, row).way))


def digest(app: Flask) -> str:
    game = app_state_of(app).table.snapshot().state.game
    assert game is not None
    return Position.of(game).digest()


def counting(app: Flask) -> tuple[int, ...]:
    return tuple(app_state_of(app).table.snapshot().state.active)


def play(phone: Phone, chance: random.Random, most: int) -> None:
    """Play on at random; now and then a number is set by hand, or a command taken back."""
    for n in range(most):
        event = phone.next_event(chance)
        if event is None:
            return
        assert phone.command(event).status_code in {200, 409, 400}
        if n % 9 == 4:
            phone.say(corrected(0, "energy", chance.randrange(9)))
        if n % 13 == 6 and (undo := phone.view().undo) is not None and not undo.host_only:
            phone.say({"type": "Undone", "seq": undo.seq})


@pytest.mark.parametrize("seed", [1, 2])
def test_a_line_that_was_left_is_taken_up_again_as_it_was(
    app: Flask, host: Phone, game: str, seed: int
) -> None:
    chance = random.Random(seed)
    host.set_up(game, 3)
    play(host, chance, 30)
    for _ in range(3):
        before, rows, seats = digest(app), counting(app), host.game().seats
        steps = line(host).line.steps
        tip, row = steps[-1], chance.choice(steps[:-1])
        then = moment(host, row)
        go_to(host, row)
        assert counting(app)[-1] == row
        left = tuple(one.health for one in host.game().seats)
        assert left == tuple(one.health for one in then.seats)
        play(host, chance, 5)
        branch = next(one for one in line(host).branches if tip in one.line.steps)
        assert branch.row == tip
        assert branch.fork == row
        turns = branch.line.turns
        assert (turns[0].turn, turns[-1].turn) == then.turns
        there = counting(app)[-1]
        go_to(host, branch.row)
        assert (digest(app), counting(app)) == (before, rows)
        assert host.game().seats == seats
        if there != row:
            assert there in {one.row for one in line(host).branches}
    problems = [entry.refused for entry in app_state_of(app).table.snapshot().entries]
    assert not any(problems)


def test_what_was_left_survives_a_restart(start: Start, game: str) -> None:
    app = start()
    host = Phone(app).join()
    host.set_up(game, 2)
    play(host, random.Random(5), 30)
    before, tip = digest(app), counting(app)[-1]
    turn = line(host).line.turns[1]
    go_to(host, turn.row)
    left = line(host).branches
    again = start()
    late = host.at(again)
    assert app_state_of(again).log.notices == (), "every row follows from the one before it"
    assert line(late).branches == left
    assert counting(again)[-1] == turn.row
    go_to(late, tip)
    assert digest(again) == before


def test_going_back_is_itself_taken_back_by_redo(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game, 2)
    play(host, random.Random(7), 20)
    before = digest(app)
    go_to(host, line(host).line.turns[0].row)
    redo = host.view().redo
    assert redo is not None
    assert redo.more > 0
    host.say({"type": "Redone", "seq": redo.seq})
    assert digest(app) == before
    undo = host.view().undo
    assert undo is not None
    assert undo.more == 0
    host.say({"type": "Undone", "seq": undo.seq})
    again = host.view().redo
    assert again is not None
    assert again.more == 0


def test_each_turn_has_its_end_and_its_seat(host: Phone, game: str) -> None:
    host.set_up(game, 3, first=1)
    play(host, random.Random(3), 60)
    turns = line(host).line.turns
    assert [one.turn for one in turns] == sorted({one.turn for one in turns})
    assert turns[0].turn == 0
    for one in turns[1:]:
        then = moment(host, one.row)
        assert (then.turn, then.seat) == (one.turn, one.seat)
    now = moment(host, turns[-1].row)
    assert (now.way, now.leaves, now.turns) == ((), 0, None)
    assert now.seats == line(host).seats


def test_the_row_of_an_undo_shows_where_it_led(host: Phone, game: str) -> None:
    host.set_up(game, 2)
    play(host, random.Random(4), 20)
    turn = line(host).line.turns[1]
    go_to(host, turn.row)
    undo = host.view().rev
    host.say(corrected(1, "health", 3))
    assert moment(host, undo) == moment(host, turn.row)
    assert moment(host, undo).way != ()


def test_a_moment_that_is_not_there_is_refused(host: Phone, game: str) -> None:
    assert key_of(host.get("/api/time")) == "error.not_started"
    host.set_up(game, 2)
    assert key_of(host.get("/api/time/1")) == "error.not_started"
    for row in ("0", "99999", "123456789012345678901234567890"):
        answer = host.get(f"/api/time/{row}")
        assert (answer.status_code, key_of(answer)) == (400, "error.no_such_row")


def test_a_game_that_is_over_goes_on_from_an_earlier_turn(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game, 2)
    play(host, random.Random(2), 14)
    row = counting(app)[-1]
    for seat in host.game().seats[1:]:
        host.say(corrected(seat.seat, "health", 0))
    play(host, random.Random(2), 9)
    ended, before = host.game().ended, digest(app)
    assert ended is not None
    end = counting(app)[-1]
    go_to(host, row)
    assert host.game().ended is None
    go_to(host, end)
    assert host.game().ended == ended
    assert digest(app) == before


def games(phone: Phone) -> tuple[requests.GameLine, ...]:
    return phone.read("/api/games", requests.GamesAnswer).games


def look_at(phone: Phone, game: str) -> requests.PastGame:
    return phone.read(f"/api/games/{game}", requests.PastGame)


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
    assert key_of(host.post("/api/take-up", {"id": "g99"})) == "error.no_such_table"
    assert [(one.id, one.current) for one in games(host)] == [(later, True), (left, False)]
    assert host.post("/api/take-up", {"id": left}).status_code == 200
    assert (host.view().table, len(host.game().seats)) == (left, 2)
    assert host.game().seats[1].energy == 7
    host.say(corrected(1, "energy", 8))
    assert [(one.id, one.current) for one in games(host)] == [(left, True), (later, False)]


def test_an_earlier_game_is_looked_at_and_nothing_is_asked_in_it(
    host: Phone, left: str, app: Flask
) -> None:
    watcher = Phone(app).join()
    before = host.view()
    seen = look_at(watcher, left)
    assert seen.game is not None
    assert (seen.id, seen.playable, len(seen.game.seats)) == (left, True, 2)
    assert (seen.game.question, seen.game.offers, seen.game.hands) == (None, (), ())
    assert [row.seq for row in seen.rows] == list(range(1, len(seen.rows) + 1))
    assert host.view().log == before.log
    assert watcher.get("/api/games/g99").status_code == 404


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
    games = app_state_of(app).past_games
    monkeypatch.setattr(games, "_made", lru_cache(1)(games._make))
    played.clear()
    assert [look_at(host, one).id for one in (left, now, now, left)] == [left, now, now, left]
    assert played == [left, now, left], "one alone is kept"


def test_games_are_listed_by_when_they_were_played_whatever_the_clock_says(
    tmp_path: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without a clock starts in 1970 until it gets the time."""
    clock = iter([datetime(year, 5, 1, tzinfo=UTC) for year in (2026, 1970, 2025)])
    with closing(Table(EventLog(tmp_path), now=lambda: next(clock))) as table:
        for _ in range(3):
            begin(table, game)
        monkeypatch.setattr(past, "MOST_GAMES", 2)
        assert [one.id for one in past.games_answer(table).games] == ["g3", "g2"]
