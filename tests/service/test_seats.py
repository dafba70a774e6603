"""Joining, sitting, and who may say what."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from companion.engine import DiceRolled
from companion.service.app import create_app
from companion.service.people.gate import ALPHABET, new_invitation
from companion.service.people.rights import may_send
from companion.service.settings import Settings
from companion.service.wire import Role, You
from companion.table import RefusedError, State
from tests.engine.tables import TOKYO, Scene, dice
from tests.service.phone import Phone, app_state_of
from tests.service.test_commands import asked_for, corrected, key_of


@pytest.mark.parametrize("key", ["terminal", "token"])
def test_the_first_who_comes_with_a_token_is_the_host_and_the_next_watch(
    app: Flask, key: str
) -> None:
    first, second = Phone(app), Phone(app)
    invitation = app_state_of(app).browsers.invitation
    assert first.join(token=getattr(invitation, key))["you"]["role"] == "host"
    assert second.join(token=getattr(invitation, key))["you"]["role"] == "spectator"
    second.sit(1)
    assert (second.you().role, second.you().seat) == (Role.PLAYER, 1)
    second.post("/api/leave", {})
    assert (second.you().role, second.you().seat) == (Role.SPECTATOR, None)


def test_the_code_makes_nobody_host_and_a_token_shown_later_does(app: Flask) -> None:
    invitation = app_state_of(app).browsers.invitation
    phone, other = Phone(app), Phone(app)
    assert phone.join(code=invitation.code.lower())["you"]["role"] == "spectator"
    phone.sit(0)
    refused = phone.post("/api/host", {})
    assert (refused.status_code, key_of(refused)) == (403, "error.host_from_terminal")
    assert phone.join(token=invitation.token)["you"]["role"] == "host"
    assert phone.you().seat == 0
    assert other.join(token=invitation.token)["you"]["role"] == "spectator"


def test_joining_twice_changes_nothing(host: Phone) -> None:
    assert host.join(code="WRONG1")["you"]["role"] == "host"


def test_a_wrong_code_lets_nobody_in_and_five_a_minute_are_enough(app: Flask) -> None:
    phone = Phone(app, address="192.168.7.7")
    answers = [phone.post("/api/join", {"code": "WRONG1"}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [403] * 5 + [429]
    right = {"code": app_state_of(app).browsers.invitation.code}
    assert phone.post("/api/join", right).status_code == 429
    assert Phone(app, address="192.168.7.8").post("/api/join", right).status_code == 200


def test_there_are_no_more_seats_than_monsters(host: Phone, game: str) -> None:
    assert host.sit(5).status_code == 200
    assert host.sit(6).status_code == 400
    host.set_up(game, 3)
    assert host.update().you.seat is None, "nobody sits where no monster plays"
    assert host.sit(3).status_code == 409
    assert host.sit(2).status_code == 200


def test_who_watches_says_nothing(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game)
    watcher = Phone(app)
    watcher.join()
    answer = watcher.command(corrected(0, "energy", 3))
    assert (answer.status_code, key_of(answer)) == (403, "error.only_watching")


def test_at_home_a_player_may_answer_for_another_and_the_log_says_who(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game)
    seat, option = asked_for(host)
    player = Phone(app)
    player.join()
    player.sit(1 - seat)
    asked = player.game().question
    assert asked is not None
    assert asked.may_answer == (0, 1)
    player.say({"type": "Chosen", "seat": seat, "option": option})
    row = player.view().log[-1]
    assert (row.seat, row.by) == (seat, f"P{1 - seat}")


def test_in_public_everybody_speaks_for_the_own_seat(tmp_path: Path, game: str) -> None:
    app = create_app(Settings(data=tmp_path, anyone_may_edit=False))
    host, player = Phone(app), Phone(app)
    host.join()
    player.join()
    host.set_up(game)
    seat, option = asked_for(host)
    player.sit(1 - seat)
    asked = player.game().question
    assert asked is not None
    assert asked.may_answer == (seat,)
    event = {"type": "Chosen", "seat": seat, "option": option}
    assert key_of(player.command(event)) == "error.not_yours"
    assert key_of(player.command(corrected(0, "energy", 3))) == "error.not_yours"
    assert host.command(event).status_code == 200
    app_state_of(app).close()


def test_where_each_edits_the_own_seat_dice_are_entered_by_their_roller() -> None:
    places = ("outside", "tokyo_city", "outside")
    table = Scene(TOKYO, cards={1: ("camouflage",)}, at=places).begin()
    table.order("AH").roll("AAHHHH")
    assert table.asked == "cancel@1"
    state = State(game=table.game)
    rolled = DiceRolled(dice("HE"), final=True)
    may_send(You(role=Role.PLAYER, seat=1), rolled, state, (), anyone=False)
    for seat in (0, 2):
        with pytest.raises(RefusedError) as refused:
            may_send(You(role=Role.PLAYER, seat=seat), rolled, state, (), anyone=False)
        assert refused.value.key == "error.not_yours"


def test_only_the_host_ends_a_running_game(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game)
    player = Phone(app)
    player.join()
    player.sit(1)
    setup = {"type": "TableSet", "game": game, "edition": "first", "seats": []}
    assert key_of(player.command(setup)) == "error.not_yours"
    assert host.command(setup).status_code == 200


def test_only_the_host_undoes_the_start_of_the_game(app: Flask, host: Phone, game: str) -> None:
    host.set_up(game)
    player = Phone(app)
    player.join()
    player.sit(1)
    started = {"type": "Undone", "seq": 2}
    assert key_of(player.command(started)) == "error.not_yours"
    player.say(corrected(0, "energy", 3))
    assert key_of(player.command(started)) == "error.not_yours", "nor with what came after it"
    for wrong in (0, -1, 1, 4, 10**6):
        assert player.command({"type": "Undone", "seq": wrong}).status_code in {400, 403, 409}
    player.say({"type": "Undone", "seq": 3})
    assert host.command(started).status_code == 200
    assert host.view().game is None


def test_a_new_code_ends_the_old_one(app: Flask, host: Phone) -> None:
    old = app_state_of(app).browsers.invitation
    player = Phone(app)
    player.join()
    assert player.post("/api/code", {}).status_code == 403
    assert host.post("/api/code", {}).status_code == 200
    fresh = host.view().join
    assert fresh is not None
    assert fresh.code != old.code
    stranger = Phone(app, address="10.0.0.2")
    assert stranger.post("/api/join", {"code": old.code}).status_code == 403
    assert stranger.post("/api/join", {"token": old.token}).status_code == 403
    assert stranger.post("/api/join", {"code": fresh.code}).status_code == 200


def test_who_joined_is_known_after_a_restart_and_secrets_are_not_on_the_disk(
    app: Flask, host: Phone
) -> None:
    host.sit(3)
    app_state = app_state_of(app)
    cookie = host.client.get_cookie(app_state.cookie).value
    app_state.close()
    files = [one for one in app_state.settings.data.rglob("*") if one.is_file()]
    assert not any(cookie.encode() in one.read_bytes() for one in files)
    again = create_app(app_state.settings)
    you = app_state_of(again).browsers.you(cookie)
    assert (you.role, you.seat) == (Role.HOST, 3)
    app_state_of(again).close()


def test_a_closed_table_lets_nobody_new_in_but_from_the_terminal(app: Flask, host: Phone) -> None:
    invitation = app_state_of(app).browsers.invitation
    assert host.post("/api/code", {"open": False}).status_code == 200
    join = host.view().join
    assert join is not None
    assert not join.open
    assert host.get("/api/qr.svg").status_code == 404
    shut = app_state_of(app).browsers.invitation
    for how in ({"token": invitation.token}, {"token": shut.token}, {"code": shut.code}):
        assert key_of(Phone(app).post("/api/join", how)) == "error.closed"
    assert Phone(app).join()["you"]["role"] == "spectator"
    host.post("/api/code", {})
    assert Phone(app).join(code=app_state_of(app).browsers.invitation.code)


def test_every_game_has_a_code_of_its_own(app: Flask, host: Phone, game: str) -> None:
    codes = [app_state_of(app).browsers.invitation]
    host.set_up(game)
    assert app_state_of(app).browsers.invitation == codes[0], (
        "who came before the start is in the game"
    )
    host.say({"type": "TableSet", "game": game, "edition": "first", "seats": []})
    codes.append(app_state_of(app).browsers.invitation)
    assert codes[0].terminal == codes[1].terminal
    assert len({one.code for one in codes}) == len({one.token for one in codes}) == 2
    assert host.you().role is Role.HOST


def test_codes_are_short_and_have_no_signs_that_look_alike() -> None:
    codes = {new_invitation().code for _ in range(50)}
    assert len(codes) == 50
    assert all(len(code) == 6 and set(code) <= set(ALPHABET) for code in codes)
    assert len(ALPHABET) == 31
    assert not set("01OIL") & set(ALPHABET)
