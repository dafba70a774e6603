"""Seats and signing out over the real server: what phones hear without asking."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from flask import Flask

from companion.service.settings import Limits, Settings
from companion.service.wire import People, Role, Update
from tests.service.phone import Phone, app_state_of
from tests.service.served import Browser, Served, Stream, serving
from tests.waiting import WITHIN_S


def token(served: Served) -> str:
    return served.app_state.browsers.invitation.token


def guest(served: Served) -> Browser:
    browser = Browser(served)
    assert browser.ask("POST", "/api/join", {"token": token(served)})[0] == 200
    return browser


def until(stream: Stream, what: str, value: object) -> Update:
    """The first update in which `you` says so of the phone."""
    updates = (message.update() for message in stream if message.event == "message")
    return next(one for one in updates if getattr(one.you, what) == value)


def test_who_is_signed_out_hears_it_and_stays_out(served: Served) -> None:
    host, ben = Browser(served).join(), guest(served)
    stream = ben.stream()
    ben_id = stream.next().update().you.id
    old = token(served)
    assert host.ask("POST", "/api/sign-out", {"who": ben_id})[0] == 200
    assert "event: stranger" in stream.rest()
    assert ben.ask("GET", "/api/state")[0] == 403
    assert ben.ask("POST", "/api/join", {"token": old})[0] == 403


def test_a_claim_reaches_holder_and_asker_and_the_answer_too(served: Served) -> None:
    Browser(served).join()
    ben, other = guest(served), guest(served)
    ben.ask("POST", "/api/seat", {"seat": 1})
    holding, asking = ben.stream(), other.stream()
    until(holding, "seat", 1)
    status, answer = other.ask("POST", "/api/seat", {"seat": 1, "take_over": True})
    assert (status, answer["you"]["asks"]) == (200, 1)
    seen = (m.update().view.people or People() for m in holding)
    claims = next(people.claims for people in seen if people.claims)
    answer = {"by": claims[0].by, "seat": 1, "give": True}
    assert ben.ask("POST", "/api/claim", answer)[0] == 200
    assert until(asking, "seat", 1).you.role is Role.PLAYER
    assert until(holding, "seat", None).you.role is Role.SPECTATOR


def test_a_seat_goes_over_by_itself_when_its_holder_has_gone(tmp_path: Path) -> None:
    limits = replace(Limits(), seat_silent_s=0.0)
    settings = Settings(data=tmp_path, host="127.0.0.1", port=0, limits=limits)
    with serving(settings) as served:
        Browser(served).join()
        ben, other = guest(served), guest(served)
        ben.ask("POST", "/api/seat", {"seat": 1})
        holding, asking = ben.stream(), other.stream()
        until(holding, "seat", 1)
        other.ask("POST", "/api/seat", {"seat": 1, "take_over": True})
        until(asking, "asks", 1)
        holding.close()
        until(asking, "seat", 1)
        assert ben.ask("GET", "/api/state")[1]["you"]["before"] == 1


def test_a_request_that_changes_nothing_sends_nothing_to_the_phones(served: Served) -> None:
    host, ben = Browser(served).join(), guest(served)
    ben.ask("POST", "/api/seat", {"seat": 1})
    before = served.app_state.hub.newest.id
    for path, body in (("/api/seat", {"seat": 1}), ("/api/withdraw", {}), ("/api/join", {})):
        assert ben.ask("POST", path, body)[0] == 200
    assert served.app_state.hub.newest.id == before
    assert host.ask("POST", "/api/code", {})[0] == 200
    assert served.app_state.hub.newest.id != before


def test_views_are_numbered_in_the_order_in_which_they_are_made(served: Served) -> None:
    host, ben = Browser(served).join(), guest(served)
    stream = ben.stream()
    sat = ben.ask("POST", "/api/seat", {"seat": 1})[1]
    asked = ben.ask("GET", "/api/state")[1]
    assert host.ask("POST", "/api/code", {})[0] == 200
    code = served.app_state.browsers.invitation.code
    updates = (message.update() for message in stream if message.event == "message")
    sent = next(one for one in updates if one.view.join is not None and one.view.join.code == code)
    assert sat["number"] < asked["number"] < sent.number
    assert sat["run"] == asked["run"] == sent.run


def test_streams_that_come_and_go_send_the_phones_one_view_at_most(app: Flask) -> None:
    app_state = app_state_of(app)
    phone = Phone(app)
    phone.join()
    phone.sit(0)
    app_state.tick()
    secret = phone.client.get_cookie(app_state.cookie).value

    def listened(*changes: int) -> tuple[str, list[str]]:
        for change in changes:
            app_state.count_stream(secret, change, "127.0.0.1")
        app_state._streams.submit(int).result(WITHIN_S)
        before = app_state.hub.newest.id
        app_state.tick()
        return before, [one.phone for one in app_state.browsers.people().persons]

    before = app_state.hub.newest.id
    assert listened(*(1, -1) * 20) == (before, ["silent"])
    assert app_state.hub.newest.id == before
    assert listened(1) == (before, ["live"])
    assert app_state.hub.newest.id != before
