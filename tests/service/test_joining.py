"""Joining, sitting, and who may say what."""

from __future__ import annotations

import random

import pytest
from flask import Flask

from companion.service.machine.joining import FORGET_S, MOST, Arrivals
from companion.service.people.gate import ALPHABET, new_invitation
from companion.service.people.names import MAX_CLEAN_LENGTH, clean_name
from companion.service.views.view import MONSTERS
from companion.service.wire import QuestionKind, Role
from tests.service.phone import (
    START,
    Json,
    Phone,
    app_state_of,
    corrected,
    key_of,
    play_until,
    table_set,
)
from tests.service.served import Browser, Served
from tests.waiting import Clock


def test_the_code_makes_nobody_host_and_a_token_shown_later_does(app: Flask) -> None:
    invitation = app_state_of(app).browsers.invitation
    phone = Phone(app).join(code=invitation.code.lower())
    assert phone.you().role is Role.SPECTATOR
    phone.sit(0)
    refused = phone.post("/api/host", {})
    assert (refused.status_code, key_of(refused)) == (403, "error.host_from_terminal")
    phone.join(token=invitation.token)
    assert (phone.you().role, phone.you().seat) == (Role.HOST, 0)
    phone.post("/api/leave", {})
    assert (phone.you().role, phone.you().seat) == (Role.HOST, None)
    assert Phone(app).join(token=invitation.token).you().role is Role.SPECTATOR


def test_there_are_no_more_seats_than_monsters(host: Phone, game: str) -> None:
    assert host.sit(5).status_code == 200
    assert host.sit(6).status_code == 400
    host.set_up(game, 3)
    assert host.update().you.seat is None, "nobody sits where no monster plays"
    assert host.sit(3).status_code == 409
    assert host.sit(2).status_code == 200


def wish(player: str, monster: str = "inkwell", called: str = "") -> Json:
    return {"player": player, "monster": monster, "called": called}


def test_a_phone_makes_its_seat_and_changes_it(app: Flask, host: Phone) -> None:
    guest = Phone(app).join()
    assert guest.post("/api/sit", wish(" Ana ", called=" The  King ")).status_code == 200
    assert (guest.you().role, guest.you().seat) == (Role.PLAYER, 0)
    for _ in range(2):  # again, as a phone asks whose answer was lost
        assert guest.post("/api/sit", wish("Anna", "lampmoth", "Moth")).status_code == 200
    lobby = host.view().lobby
    assert lobby is not None
    seats = [(seat.player, seat.monster, seat.called) for seat in lobby.seats]
    assert (seats, guest.you().seat) == ([("Anna", "lampmoth", "Moth")], 0)
    assert host.post("/api/sit", wish("Ben")).status_code == 200
    host.say(START)
    assert [seat.called for seat in host.game().seats] == ["Moth", ""]


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (wish("ANA", "lampmoth"), "error.name_taken"),
        (wish("Ben"), "error.monster_taken"),
        (wish(" "), "error.name_blank"),
        (wish("Ben", "godzilla"), "error.unknown_monster"),
    ],
)
def test_a_seat_that_cannot_be_made_seats_nobody(
    app: Flask, host: Phone, body: Json, key: str
) -> None:
    host.post("/api/sit", wish("Ana"))
    guest = Phone(app).join()
    assert key_of(guest.post("/api/sit", body)) == key
    assert guest.you().seat is None
    assert host.you().seat == 0


def test_a_seat_that_waits_for_the_name_is_taken_and_none_is_made(app: Flask, host: Phone) -> None:
    host.say(table_set("Ana", "Ben", "Chloé", "Dóra", "Eva", "Finn"))
    guest, late = Phone(app).join(), Phone(app).join()
    assert guest.post("/api/sit", wish("ben", MONSTERS[7])).status_code == 200
    assert guest.you().seat == 1
    assert key_of(late.post("/api/sit", wish("Greta", MONSTERS[8]))) == "error.too_many_seats"
    host.say(table_set("Ana", "Ben"), START)
    refused = late.post("/api/sit", wish("Greta", MONSTERS[8]))
    assert (refused.status_code, key_of(refused)) == (409, "error.already_started")


def test_a_phone_on_the_last_seat_keeps_nobody_from_sitting_down(app: Flask, host: Phone) -> None:
    last, guest = Phone(app).join(), Phone(app).join()
    assert last.sit(5).status_code == 200
    for phone, name, seat in ((host, "Ana", 0), (guest, "Ben", 1), (last, "Finn", 5)):
        assert phone.post("/api/sit", wish(name, MONSTERS[6 + seat])).status_code == 200
        assert phone.you().seat == seat


def test_at_home_a_player_may_answer_for_another_and_the_log_says_who(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game)
    seat = play_until(host, QuestionKind.CHOICE, random.Random(6)).seat
    assert seat is not None
    player = Phone(app).join()
    player.sit(1 - seat)
    asked = player.game().question
    assert asked is not None
    assert asked.may_answer == (0, 1)
    option = next(option.key for option in asked.options if option.enabled)
    player.say({"type": "Chosen", "seat": seat, "option": option})
    row = player.view().log[-1]
    assert (row.seat, row.by) == (seat, f"P{1 - seat}")


def test_only_the_host_undoes_the_start_of_a_game_or_sets_another_table(
    app: Flask, host: Phone, game: str
) -> None:
    host.set_up(game)
    player = Phone(app).join()
    player.sit(1)
    assert key_of(player.command(table_set(game=game))) == "error.not_yours"
    started = {"type": "Undone", "seq": 2}
    assert key_of(player.command(started)) == "error.not_yours"
    player.say(corrected(0, "energy", 3))
    assert key_of(player.command(started)) == "error.not_yours", "nor with what came after it"
    for wrong in (0, -1, 1, 4, 10**6):
        assert player.command({"type": "Undone", "seq": wrong}).status_code in {400, 403, 409}
    player.say({"type": "Undone", "seq": 3})
    assert host.command(started).status_code == 200
    assert host.view().game is None


def test_no_cookie_is_on_the_disk(app: Flask, host: Phone) -> None:
    host.sit(3)
    app_state = app_state_of(app)
    cookie = host.client.get_cookie(app_state.cookie).value
    app_state.close()
    files = [one for one in app_state.settings.data.rglob("*") if one.is_file()]
    assert not any(cookie.encode() in one.read_bytes() for one in files)


def test_a_closed_table_lets_nobody_new_in_but_from_the_terminal_and_opens_with_a_new_code(
    app: Flask, host: Phone
) -> None:
    invitation = app_state_of(app).browsers.invitation
    assert host.post("/api/code", {"open": False}).status_code == 200
    join = host.view().join
    assert join is not None
    assert not join.open
    assert host.get("/api/qr.svg").status_code == 404
    shut = app_state_of(app).browsers.invitation
    for how in ({"token": invitation.token}, {"token": shut.token}, {"code": shut.code}):
        assert key_of(Phone(app).post("/api/join", how)) == "error.closed"
    assert Phone(app).join().you().role is Role.SPECTATOR
    assert host.post("/api/code", {}).status_code == 200
    fresh = host.view().join
    assert fresh is not None
    stranger = Phone(app)
    for how in ({"token": invitation.token}, {"code": invitation.code}):
        assert stranger.post("/api/join", how).status_code == 403
    assert stranger.join(code=fresh.code).you().role is Role.SPECTATOR


def test_every_game_has_a_code_of_its_own(app: Flask, host: Phone, game: str) -> None:
    codes = [app_state_of(app).browsers.invitation]
    host.set_up(game)
    assert app_state_of(app).browsers.invitation == codes[0], (
        "who came before the start is in the game"
    )
    host.say(table_set(game=game))
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


def test_a_request_that_changes_nothing_sends_nothing_to_the_phones(served: Served) -> None:
    host, ben = Browser(served).join(), Browser(served).join()
    ben.ask("POST", "/api/seat", {"seat": 1})
    before = served.app_state.hub.newest.id
    for path, body in (("/api/seat", {"seat": 1}), ("/api/withdraw", {}), ("/api/join", {})):
        assert ben.ask("POST", path, body)[0] == 200
    assert served.app_state.hub.newest.id == before
    assert host.ask("POST", "/api/code", {})[0] == 200
    assert served.app_state.hub.newest.id != before


def test_views_are_numbered_in_the_order_in_which_they_are_made(served: Served) -> None:
    host, ben = Browser(served).join(), Browser(served).join()
    stream = ben.stream()
    sat = ben.ask("POST", "/api/seat", {"seat": 1})[1]
    asked = ben.ask("GET", "/api/state")[1]
    assert host.ask("POST", "/api/code", {})[0] == 200
    code = served.app_state.browsers.invitation.code
    updates = (message.update() for message in stream if message.event == "message")
    sent = next(one for one in updates if one.view.join is not None and one.view.join.code == code)
    assert sat["number"] < asked["number"] < sent.number
    assert sat["run"] == asked["run"] == sent.run


def test_streams_that_come_and_go_send_the_phones_no_view(app: Flask) -> None:
    app_state = app_state_of(app)
    phone = Phone(app).join()
    phone.sit(0)
    app_state.tick()
    secret = phone.client.get_cookie(app_state.cookie).value

    def listened(*changes: int) -> tuple[str, list[str]]:
        for change in changes:
            app_state.browsers.count_stream(secret, change, "127.0.0.1")
        before = app_state.hub.newest.id
        app_state.tick()
        return before, [one.phone for one in app_state.browsers.people().persons]

    before = app_state.hub.newest.id
    assert listened(*(1, -1) * 20) == (before, ["live"])
    assert listened(1) == (before, ["live"])
    assert app_state.hub.newest.id == before


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Ana \n\u00a0Lind ", "Ana Lind"),
        ("A\u200bna\u202e", "Ana"),
        ("e\u0301", "é"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("x" * 30, "x" * MAX_CLEAN_LENGTH),
        ("\x00\n\u200d", ""),
        ("Þórdís", "Þórdís"),
        ("王小明", "王小明"),
    ],
)
def test_names(given: str, kept: str) -> None:
    assert clean_name(given) == kept
    assert clean_name(kept) == kept


def test_a_seat_without_a_name_is_a_draft_and_starts_no_game(host: Phone) -> None:
    host.say(table_set("Anna", "", " "))
    for events in ([START], [table_set("Anna", ""), START]):
        answer = host.command(*events)
        assert answer.status_code == 400
        assert (answer.json or {})["error"]["key"] == "error.name_blank"
    host.say(table_set("Anna", "Ben"), START)


LATE_S = 20.0
AT_ONCE = 120


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def arrivals(clock: Clock) -> Arrivals:
    return Arrivals(LATE_S, clock)


def test_a_phone_that_got_the_page_is_late_only_after_a_while(
    arrivals: Arrivals, clock: Clock
) -> None:
    arrivals.opened("10.0.0.7")
    assert arrivals.late(()) == 0
    clock.move(LATE_S - 1)
    arrivals.opened("10.0.0.7")
    assert arrivals.late(()) == 0
    clock.move(1)
    assert arrivals.late(()) == 1


def test_a_stream_is_an_arrival_and_a_reload_is_none(arrivals: Arrivals, clock: Clock) -> None:
    arrivals.opened("10.0.0.7")
    assert arrivals.late({"10.0.0.7"}) == 0
    arrivals.opened("10.0.0.7")
    clock.move(LATE_S)
    assert arrivals.late({"10.0.0.7"}) == 0
    arrivals.opened("10.0.0.7")
    arrivals.arrived("10.0.0.7")  # and has gone again
    clock.move(LATE_S)
    assert arrivals.late(()) == 0
    arrivals.opened("10.0.0.7")
    clock.move(LATE_S)
    assert arrivals.late({"10.0.0.8"}) == 1


def test_nobody_waits_for_ever_and_addresses_are_bounded(arrivals: Arrivals, clock: Clock) -> None:
    for one in range(MOST + 9):
        arrivals.opened(f"10.0.1.{one}")
    clock.move(LATE_S)
    assert arrivals.late(()) == MOST
    clock.move(FORGET_S)
    assert arrivals.late(()) == 0
