"""The time machine: look at any moment, play on from there, take a line that was left up again."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.engine import Position
from companion.service import wire_pages
from companion.service.app import create_app
from companion.service.settings import Settings
from companion.table import Redone, Undone
from tests.service.phone import Json, Phone, app_state_of
from tests.service.test_commands import corrected, key_of


def line(phone: Phone) -> wire_pages.TimeView:
    answer = phone.get("/api/time")
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.data, type=wire_pages.TimeView)


def moment(phone: Phone, row: int) -> wire_pages.TimeMoment:
    answer = phone.get(f"/api/time/{row}")
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.data, type=wire_pages.TimeMoment)


def events(way: tuple[Undone | Redone, ...]) -> list[Json]:
    return [dict(msgspec.to_builtins(event)) for event in way]


def go_to(phone: Phone, row: int) -> None:
    """Play on from the moment after this row."""
    phone.say(*events(moment(phone, row).way))


def digest(app: Flask) -> str:
    game = app_state_of(app).table.snapshot().state.game
    assert game is not None
    return Position.of(game).digest()


def counting(app: Flask) -> tuple[int, ...]:
    return tuple(app_state_of(app).table.snapshot().state.line)


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


def play_to(phone: Phone, turn: int, chance: random.Random) -> None:
    """Play at random until this turn has begun."""
    while phone.game().turn < turn:
        event = phone.next_event(chance)
        assert event is not None
        phone.say(event)


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


def test_what_was_left_survives_a_restart(tmp_path: Path, game: str) -> None:
    app = create_app(Settings(data=tmp_path))
    host = Phone(app)
    host.join()
    host.set_up(game, 2)
    play(host, random.Random(5), 30)
    before, tip = digest(app), counting(app)[-1]
    turn = line(host).line.turns[1]
    go_to(host, turn.row)
    left = line(host).branches
    app_state_of(app).close()
    again = create_app(Settings(data=tmp_path))
    late = Phone(again)
    late.join()
    late.sit(1)
    assert app_state_of(again).log.notices == (), "every row follows from the one before it"
    assert line(late).branches == left
    assert counting(again)[-1] == turn.row
    go_to(late, tip)
    assert digest(again) == before
    app_state_of(again).close()


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
        assert (then.turn, then.seat, then.at) == (one.turn, one.seat, one.at)
    now = moment(host, turns[-1].row)
    assert (now.way, now.leaves, now.turns) == ((), 0, None)
    assert now.seats == line(host).seats


def test_who_saw_an_older_table_does_not_take_it_back(host: Phone, game: str) -> None:
    host.set_up(game, 2)
    play(host, random.Random(4), 20)
    seen, row = line(host), line(host).line.turns[1].row
    way = events(moment(host, row).way)
    host.say(corrected(1, "health", 3))
    late = host.command(*way, base_rev=seen.rev, table=seen.table)
    assert (late.status_code, key_of(late)) == (409, "error.stale")
    first = host.command(*events(moment(host, row).way), base_rev=host.view().rev)
    second = host.command(*way, base_rev=host.view().rev - 1)
    assert (first.status_code, second.status_code) == (200, 409)


def test_the_row_of_an_undo_shows_where_it_led(host: Phone, game: str) -> None:
    host.set_up(game, 2)
    play(host, random.Random(4), 20)
    turn = line(host).line.turns[1]
    go_to(host, turn.row)
    undo = host.view().rev
    host.say(corrected(1, "health", 3))
    assert moment(host, undo) == moment(host, turn.row)
    assert moment(host, undo).way != ()


@pytest.mark.parametrize("row", ["0", "99999", "123456789012345678901234567890"])
def test_a_row_that_is_not_there_is_refused(host: Phone, game: str, row: str) -> None:
    host.set_up(game, 2)
    answer = host.get(f"/api/time/{row}")
    assert (answer.status_code, key_of(answer)) == (400, "error.no_such_row")


def test_before_a_game_there_is_no_moment(host: Phone, game: str) -> None:
    assert key_of(host.get("/api/time")) == "error.not_started"
    host.set_up(game, 2)
    assert key_of(host.get("/api/time/1")) == "error.not_started"


def test_who_watches_looks_and_does_not_play_on(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game, 2)
    play(host, random.Random(2), 12)
    guest = Phone(app)
    guest.join(code=app_state_of(app).browsers.invitation.code)
    assert not line(guest).may
    way = moment(guest, line(guest).line.turns[0].row).way
    answer = guest.command(*events(way))
    assert (answer.status_code, key_of(answer)) == (403, "error.only_watching")
    stranger = Phone(app)
    assert stranger.get("/api/time").status_code == 403


def test_where_only_the_host_edits_a_player_stays_in_the_turn(tmp_path: Path, game: str) -> None:
    app = create_app(Settings(data=tmp_path, anyone_may_edit=False))
    host, player = Phone(app), Phone(app)
    host.join()
    player.join(code=app_state_of(app).browsers.invitation.code)
    host.set_up(game, 2)
    play(host, random.Random(2), 30)
    player.sit(host.game().active)
    assert not line(player).may
    assert line(host).may
    way = events(moment(player, line(player).line.turns[1].row).way)
    assert key_of(player.command(*way)) == "error.not_yours"
    host.say(corrected(0, "health", 4))
    undo = player.view().undo
    assert undo is not None
    player.say({"type": "Undone", "seq": undo.seq})
    host.say(*way)
    assert key_of(player.command({"type": "Redone", "seq": host.view().rev})) == "error.not_yours"
    app_state_of(app).close()


def test_where_only_the_host_edits_no_player_takes_up_a_line_of_other_turns(
    tmp_path: Path, game: str
) -> None:
    app = create_app(Settings(data=tmp_path, anyone_may_edit=False))
    host, player = Phone(app), Phone(app)
    host.join()
    player.join(code=app_state_of(app).browsers.invitation.code)
    host.set_up(game, 2)
    play_to(host, 2, random.Random(2))
    go_to(host, line(host).line.turns[0].row)
    left = host.view().rev
    host.say(corrected(0, "energy", 7))
    play_to(host, 2, random.Random(3))
    player.sit(host.game().active)
    assert key_of(player.command({"type": "Redone", "seq": left})) == "error.not_yours"
    event = player.next_event(random.Random(2))
    assert event is not None
    player.say(event)
    before, undo = digest(app), player.view().undo
    assert undo is not None
    player.say({"type": "Undone", "seq": undo.seq})
    player.say({"type": "Redone", "seq": player.view().rev})
    assert digest(app) == before, "acts of the turn itself are the player's"
    app_state_of(app).close()


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
