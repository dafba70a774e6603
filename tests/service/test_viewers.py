"""Televisions and overlays: their tokens let them see the table, and do nothing else."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from flask import Flask

from companion.service import wire
from companion.service.app import ROUTES
from companion.service.http.routes import VIEWER_STREAMS
from companion.service.hub import MOST_VIEWERS
from companion.service.people.gate import MOST_PAIRS, PAIR_S, ViewTokens
from companion.service.wire import Role, ViewerKind
from companion.table.log import EventLog
from tests.service.phone import START, Json, Phone, Start, app_state_of, table_set
from tests.service.served import Browser, Served, Stream

KINDS = tuple(ViewerKind)


def token_of(ways: Json, kind: ViewerKind) -> str:
    return str(ways[kind]).partition("#")[2]


def entered(app: Flask, kind: ViewerKind, **how: str) -> int:
    """The status of the answer to a screen that asks to be let in."""
    return Phone(app).post(f"/api/{kind}/join", how).status_code


def viewer(served: Served, kind: ViewerKind, **how: str) -> Browser:
    screen = Browser(served)
    assert screen.ask("POST", f"/api/{kind}/join", how)[0] == 200
    return screen


def television(served: Served, known: Json) -> Stream:
    screen = viewer(served, ViewerKind.TV, token=token_of(known, ViewerKind.TV))
    return Stream(screen, VIEWER_STREAMS[ViewerKind.TV])


def shown(stream: Stream) -> wire.ViewerView:
    return msgspec.json.decode(stream.next().data, type=wire.ViewerView)


def served_ways(host: Browser) -> Json:
    status, answer = host.ask("GET", "/api/viewers")
    assert status == 200
    return answer


PAIR = "0123456789abcdef" * 2
OTHER = "f" * 32


def paired(app: Flask, pair: str) -> Phone:
    """A television that shows this in its code and asks whether it is let in."""
    screen = Phone(app)
    answer = screen.post("/api/tv/pair", {"pair": pair})
    assert answer.status_code == 200
    let_in = (answer.json or {})["let_in"]
    assert bool(answer.headers.getlist("Set-Cookie")) is let_in
    return screen


def sees(screen: Phone) -> bool:
    return screen.get("/api/tv/qr.svg").status_code == 200


def test_a_television_is_let_in_once_the_host_has_scanned_its_code(app: Flask, host: Phone) -> None:
    assert Phone(app).get(f"/api/tv/pair/{PAIR}.svg").status_code == 200
    assert not sees(paired(app, PAIR))
    assert host.post("/api/viewers", {"let_in": PAIR}).status_code == 200
    assert sees(paired(app, PAIR))
    assert not sees(paired(app, PAIR))  # whoever photographed the code
    assert not sees(paired(app, OTHER))
    for wrong in ("", "short", "G" * 32, "0" * 33):
        assert host.post("/api/viewers", {"let_in": wrong}).status_code == 400
        assert Phone(app).post("/api/tv/pair", {"pair": wrong}).status_code == 400
    assert host.post("/api/viewers", {"renew": "tv"}).status_code == 200
    assert not sees(paired(app, PAIR))


def test_a_television_that_comes_late_shows_its_code_again(tmp_path: Path) -> None:
    clock = [0.0]
    with closing(EventLog(tmp_path)) as log:
        tokens = ViewTokens(log, lambda: clock[0])
        tokens.let_in(PAIR)
        clock[0] = PAIR_S
        assert tokens.token_for(PAIR) == tokens.shown().tv
        tokens.let_in(PAIR)
        clock[0] += PAIR_S + 1
        assert tokens.token_for(PAIR) is None
        for n in range(MOST_PAIRS + 1):
            tokens.let_in(f"{n:032x}")
        assert tokens.token_for(f"{0:032x}") is None
        assert tokens.token_for(f"{MOST_PAIRS:032x}") is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_token_of_one_kind_is_kept_from_scripts_and_none_of_the_other(
    app: Flask, host: Phone, kind: ViewerKind
) -> None:
    (other,) = set(KINDS) - {kind}
    token = token_of(host.read("/api/viewers", dict), kind)
    assert token.encode() not in msgspec.json.encode(host.view())
    answer = Phone(app).post(f"/api/{kind}/join", {"token": token})
    cookie = {*answer.headers["Set-Cookie"].split("; ")}
    assert {"HttpOnly", "SameSite=Strict", f"Path=/api/{kind}"} <= cookie
    assert entered(app, other, token=token) == 403


def test_people_do_not_join_by_a_view_token_nor_viewers_by_theirs(app: Flask, host: Phone) -> None:
    known, invitation = host.read("/api/viewers", dict), app_state_of(app).browsers.invitation
    for kind in KINDS:
        token = {"token": token_of(known, kind)}
        assert Phone(app).post("/api/join", token).status_code == 403
    assert entered(app, ViewerKind.TV, token=invitation.token) == 403
    assert entered(app, ViewerKind.TV, code=invitation.code) == 403


@pytest.mark.parametrize("kind", KINDS)
def test_a_viewer_is_admitted_by_no_route_but_its_own(served: Served, kind: ViewerKind) -> None:
    host = Browser(served).join()
    token = token_of(served_ways(host), kind)
    screen = viewer(served, kind, token=token)
    phone_cookie = f"{served.app_state.cookie}={token}"
    tried = 0
    for route in ROUTES:
        if route.least is Role.STRANGER:
            continue
        for cookie in (screen.cookie, phone_cookie):
            screen.cookie = cookie
            body: Json | None = None if route.method == "GET" else {}
            if route.method == "POST" and route.form is None:
                continue
            path = re.sub("<int:[a-z]+>", "0", route.path)
            assert screen.ask(route.method, path, body)[0] == 403, route
            tried += 1
    assert tried > 40


@pytest.mark.parametrize("kind", KINDS)
def test_a_screen_without_a_token_sees_nothing(served: Served, kind: ViewerKind) -> None:
    (other,) = set(KINDS) - {kind}
    host = Browser(served).join()
    wrong = viewer(served, other, token=token_of(served_ways(host), other))
    for screen in (Browser(served), wrong, host):
        stream = Stream(screen, VIEWER_STREAMS[kind])
        assert stream.status == 200
        assert stream.next().event == "stranger"


@pytest.mark.parametrize("kind", KINDS)
def test_renewing_ends_the_streams_of_that_kind_alone(served: Served, kind: ViewerKind) -> None:
    host = Browser(served).join()
    before = served_ways(host)
    streams = {}
    for each in KINDS:
        screen = viewer(served, each, token=token_of(before, each))
        streams[each] = Stream(screen, VIEWER_STREAMS[each])
        assert shown(streams[each]).game is None
    status, after = host.ask("POST", "/api/viewers", {"renew": kind})
    assert status == 200
    (other,) = set(KINDS) - {kind}
    assert token_of(after, kind) != token_of(before, kind)
    assert after[other] == before[other]
    assert streams[kind].next().event == "stranger"
    assert shown(streams[other]).number > 0
    again = Browser(served)
    old = {"token": token_of(before, kind)}
    assert again.ask("POST", f"/api/{kind}/join", old)[0] == 403
    assert again.ask("POST", f"/api/{kind}/join", {"token": token_of(after, kind)})[0] == 200


def test_who_removes_a_phone_has_televisions_let_in_again_and_all_viewers_with_all_phones(
    served: Served,
) -> None:
    host, other = Browser(served).join(), Browser(served).join()
    known = served_ways(host)
    tv = television(served, known)
    shown(tv)
    update = host.ask("GET", "/api/state")[1]
    persons = update["view"]["people"]["persons"]
    (who,) = [one["id"] for one in persons if one["id"] != update["you"]["id"]]
    assert host.ask("POST", "/api/sign-out", {"who": who})[0] == 200
    assert other.ask("GET", "/api/state")[0] == 403
    assert tv.next().event == "stranger"
    assert served_ways(host)["overlay"] == known["overlay"]
    again = television(served, served_ways(host))
    shown(again)
    assert host.ask("POST", "/api/sign-out", {})[0] == 200
    assert again.next().event == "stranger"
    assert served_ways(host)["overlay"] != known["overlay"]


def test_a_television_sees_the_way_in_and_an_overlay_does_not(served: Served) -> None:
    host = Browser(served).join()
    known, invitation = served_ways(host), served.app_state.browsers.invitation
    views = {}
    for kind in KINDS:
        screen = viewer(served, kind, token=token_of(known, kind))
        stream = Stream(screen, VIEWER_STREAMS[kind])
        message = stream.next()
        views[kind] = msgspec.json.decode(message.data, type=wire.ViewerView)
        secret = invitation.token in message.data or invitation.code in message.data
        assert secret is (kind is ViewerKind.TV)
        status, _ = screen.send("GET", "/api/tv/qr.svg", {}, None)
        assert status == (200 if kind is ViewerKind.TV else 403)
    assert views[ViewerKind.TV].lobby is not None
    assert views[ViewerKind.OVERLAY].lobby is None


def test_what_only_phones_need_is_left_out(served: Served, game: str) -> None:
    host = Browser(served).join()
    host.say(table_set("P0", "P1", game=game), START, command_id="command-1")
    view = shown(television(served, served_ways(host)))
    phone = host.stream().next().update().view.game
    assert view.game is not None
    assert phone is not None
    assert phone.question is not None
    assert view.game.question is not None
    assert view.game.question.prompt == phone.question.prompt
    assert view.game.question.options == ()
    assert [seat.health for seat in view.game.seats] == [seat.health for seat in phone.seats]


def test_viewers_share_a_token_and_none_ends_the_stream_of_another(served: Served) -> None:
    host = Browser(served).join()
    known = served_ways(host)
    streams = [television(served, known) for _ in range(MOST_VIEWERS)]
    for stream in streams:
        shown(stream)
    assert served_ways(host)["watching"] == MOST_VIEWERS
    another = television(served, known)
    assert another.next().event == "full"
    assert host.ask("POST", "/api/code", {})[0] == 200
    for stream in streams:
        join = shown(stream).join
        assert join is not None
        assert join.code == served.app_state.browsers.invitation.code


def test_the_host_chooses_the_language_of_viewers(served: Served) -> None:
    host = Browser(served).join()
    stream = television(served, served_ways(host))
    assert shown(stream).language is None
    assert host.ask("POST", "/api/viewers", {"language": "is"})[0] == 200
    assert shown(stream).language == "is"
    for wrong in ("xx", "IS", "is-IS", 4):
        assert host.ask("POST", "/api/viewers", {"language": wrong})[0] == 400
    assert served.app_state.view_tokens.language == "is"


def test_tokens_outlive_a_restart(start: Start) -> None:
    known = Phone(start()).join().read("/api/viewers", dict)
    again = start()
    for kind in KINDS:
        assert entered(again, kind, token=token_of(known, kind)) == 200
