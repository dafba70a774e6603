"""Every route of Flask's map refuses requests that do not come from our own page."""

from __future__ import annotations

import asyncio
import gc
import re
import socket
import struct
from pathlib import Path

import pytest
from flask import Flask
from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.service.app import ROUTES
from companion.service.http.routes import (
    CONTENT_TYPES,
    RANKS,
    STREAM,
    Body,
    Route,
)
from companion.service.settings import Limits
from companion.service.wire import Role
from tests.crowd import connected
from tests.service.phone import HEADERS, GuardedClient, Phone, app_state_of, key_of
from tests.service.served import Browser, Served, head_of, loopback, serving
from tests.waiting import WITHIN_S

PARTS = {
    "<box>": "grandmas",
    "<clause>": "x",
    "<game>": "g1",
    "<int:die>": "0",
    "<int:seat>": "0",
    "<int:row>": "0",
    "<language>": "en",
    "<pair>": "0" * 32,
    "<path:name>": "x.js",
    "<proposal>": "p",
    "<what>": "energy",
}
"""Variable parts of routes, and the values for tests."""
JSON = {**HEADERS, "Content-Type": "application/json"}


def filled(path: str) -> str:
    """Return the path of a route, with variable parts filled."""
    for part, value in PARTS.items():
        path = path.replace(part, value)
    assert "<" not in path, path
    return path


def routes(app: Flask) -> list[tuple[str, str]]:
    """Return method and path of every route, with variable parts filled."""
    found = []
    for rule in app.url_map.iter_rules():
        path = filled(rule.rule)
        found += [(method, path) for method in sorted((rule.methods or set()) - {"OPTIONS"})]
    return found


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_a_foreign_host_is_421_everywhere_and_only_who_opens_a_page_gets_one(app: Flask) -> None:
    client = GuardedClient(app)
    assert len(routes(app)) > 15
    for method, path in routes(app):
        is_page = method == "GET" and not path.startswith("/api/")
        for host in ("evil.example", "evil.example:8080", "192.168.9.9", "", "localhost:x"):
            for accept in (BROWSER, {"Accept": "*/*"}, {"Accept": "application/json"}, {}):
                headers = {**HEADERS, **accept, "Host": host}
                answer = client.open(path, method=method, headers=headers)
                assert answer.status_code == 421, (method, path, host)
                html = is_page and accept is BROWSER
                assert answer.mimetype == ("text/html" if html else "application/json"), path


@pytest.mark.parametrize("host", ["localhost", "localhost:80", "[::1]:80"])
def test_an_origin_leaves_out_the_default_port_whatever_host_says(app: Flask, host: str) -> None:
    token = app_state_of(app).browsers.invitation.token

    def joins(origin: str) -> int:
        headers = {**HEADERS, "Host": host, "Origin": origin}
        return (
            GuardedClient(app).post("/api/join", json={"token": token}, headers=headers).status_code
        )

    bare = host.removesuffix(":80")
    assert joins(f"http://{bare}") == 200
    assert joins(f"https://{bare}") == 403
    assert joins(f"http://{bare}:8080") == 403


def test_every_answer_carries_the_headers_that_bind_a_browser(app: Flask) -> None:
    client = GuardedClient(app)
    for method, path in routes(app):
        headers = client.open(path, method=method, buffered=True, headers=HEADERS).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"


def test_no_get_changes_anything(app: Flask, host: Phone) -> None:
    before = app_state_of(app).table.snapshot()
    for method, path in routes(app):
        if method == "GET":
            host.client.get(path, buffered=True)
    assert app_state_of(app).table.snapshot() == before


def test_the_cookie_is_out_of_reach_of_scripts_and_lasts_thirty_days_from_the_last_visit(
    app: Flask, host: Phone
) -> None:
    name = f"monster_table_{app_state_of(app).settings.port}"
    secret = host.client.get_cookie(name).value
    cookie = host.get("/api/state").headers["Set-Cookie"]
    parts = {f"{name}={secret}", "HttpOnly", "SameSite=Strict", f"Max-Age={30 * 24 * 3600}"}
    assert parts < {*cookie.split("; ")}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"[" * 60_000, b'{"seat":' + b"9" * 5000 + b"}", b"NaN", b"null"],
    ids=["empty", "torn", "bytes", "deep", "huge", "nan", "null"],
)
def test_malformed_json_is_400_and_says_where(app: Flask, host: Phone, body: bytes) -> None:
    for route in ROUTES:
        if route.body is Body.JSON:
            answer = host.client.post(route.path, data=body, headers=JSON)
            assert answer.status_code == 400, (route, answer.text)
            assert key_of(answer).startswith("error.form.")


POSTS_ROUTES = [route for route in ROUTES if route.method == "POST"]
LIMITS = Limits()
MOST = {Body.JSON: LIMITS.json_bytes, Body.PHOTO: LIMITS.photo_bytes, Body.FILE: LIMITS.photo_bytes}


def test_a_route_that_changes_something_takes_a_bounded_body_of_its_own_kind() -> None:
    for route in ROUTES:
        assert (route.body is Body.NONE) == (route.method == "GET"), route
        assert (route.form is not None) == (route.body is Body.JSON), route


def head_for(served: Served, route: Route, cookie: str, length: str) -> bytes:
    """The head of a request for a route, with a body of its kind."""
    kind = next(iter(sorted(CONTENT_TYPES[route.body])), "application/json").encode()
    head = head_of(served, route.method, filled(route.path), f"Cookie: {cookie}", length)
    return head.replace(b"application/json", kind)


def status_of(served: Served, head: bytes, source: str = "127.0.0.1") -> int:
    """Return the status of the answer after the head alone was sent."""
    sock = served.connect(source)
    sock.sendall(head)
    return int(sock.recv(64).split()[1])


def ranked(served: Served) -> dict[Role, str]:
    """The cookies of a browser of each role."""
    host = Browser(served).join()
    assert host.ask("GET", "/api/state")[1]["you"]["role"] == "host"
    watching, playing = Browser(served).join(), Browser(served).join()
    assert playing.ask("POST", "/api/seat", {"seat": 0})[0] == 200
    return {
        Role.STRANGER: "",
        Role.SPECTATOR: watching.cookie,
        Role.PLAYER: playing.cookie,
        Role.HOST: host.cookie,
    }


LEAST = {
    Role.STRANGER: """
        GET / /j /tv /overlay /assets/<path:name> /locales/<language>.json /icon.svg /favicon.ico
        GET /api/health /api/stream /api/tv/stream /api/overlay/stream
        GET /api/tv/qr.svg /api/tv/wifi.svg /api/tv/story /api/tv/pair/<pair>.svg
        POST /api/join /api/tv/join /api/tv/pair /api/overlay/join
    """,
    Role.SPECTATOR: """
        GET /api/state /api/log /api/clause/<clause> /api/explain/<int:seat>/<what>
        GET /api/time /api/time/<int:row> /api/forgotten /api/statistics /api/names
        GET /api/card-names
        GET /api/games /api/games/<game> /api/games/<game>/story
        GET /api/tray.jpg /api/crop/<proposal>/<int:die>.jpg /api/qr.svg /api/wifi.svg
        POST /api/seat /api/sit /api/withdraw /api/leave /api/host /api/preview /api/fuse
    """,
    Role.PLAYER: """
        GET /api/games/<game>/scores.csv /api/games/<game>/log.jsonl /api/scores.csv
        GET /api/games/<game>/bgstats /api/games/<game>/bgstats.svg /api/misread/<proposal>.zip
        POST /api/forgotten /api/claim /api/commands /api/keeps /api/coach /api/read-again
        GET /api/camera.jpg
        POST /api/demo/throw /api/demo/clear /api/photo
        POST /api/card-names
    """,
    Role.HOST: """
        GET /api/setup /api/boxes/<box> /api/viewers
        POST /api/names /api/wifi /api/sign-out /api/code /api/address /api/seen /api/take-up
        POST /api/setup /api/boxes /api/boxes/file /api/demo /api/drift /api/camera /api/viewers
    """,
}
"""The routes by the least role that each is for, written out: another right is another line."""


def test_a_role_that_is_not_enough_is_refused_before_the_body(served: Served) -> None:
    rights = {
        f"{method} {path}": role
        for role, lines in LEAST.items()
        for method, *paths in map(str.split, lines.strip().splitlines())
        for path in paths
    }
    cookies = ranked(served)
    refused = 0
    for route in ROUTES:
        least = rights.pop(f"{route.method} {route.path}")
        assert route.least is least, route
        for role in RANKS[: RANKS.index(least)]:
            length = MOST.get(route.body, 0)
            head = head_for(served, route, cookies[role], f"Content-Length: {length}")
            assert status_of(served, head) == 403, (route, role)
            refused += 1
    assert rights == {}
    assert refused > len(ROUTES)


def test_a_body_announced_too_long_is_refused_before_it_is_sent(served: Served) -> None:
    cookies = ranked(served)
    for route in POSTS_ROUTES:
        for length in (MOST[route.body] + 1, 10**12):
            head = head_for(served, route, cookies[Role.HOST], f"Content-Length: {length}")
            assert status_of(served, head) == 413, (route, length)
    get = next(route for route in ROUTES if route.path == "/api/state")
    head = head_for(served, get, cookies[Role.HOST], "Content-Length: 1")
    assert status_of(served, head) == 413


@pytest.mark.parametrize("wrong", ["Host", "Origin", "X-Monster-Table", "Content-Type"])
def test_what_does_not_come_from_our_page_is_refused_before_the_body(
    served: Served, wrong: str
) -> None:
    cookie = ranked(served)[Role.HOST]
    for route in POSTS_ROUTES:
        head = head_for(served, route, cookie, "Content-Length: 60000").decode()
        lines = [line for line in head.split("\r\n") if not line.startswith(f"{wrong}:")]
        if wrong in {"Host", "Origin"}:
            lines.insert(1, f"{wrong}: http://evil.example" if wrong == "Origin" else "Host: evil")
        status = status_of(served, "\r\n".join(lines).encode())
        assert status == {"Host": 421, "Content-Type": 415}.get(wrong, 403), route


def test_a_chunked_body_is_cut_off_at_the_limit(served: Served) -> None:
    cookie = ranked(served)[Role.HOST]
    for route in POSTS_ROUTES:
        if route.body is not Body.JSON:
            continue
        sock = served.connect()
        sock.sendall(head_for(served, route, cookie, "Transfer-Encoding: chunked"))
        chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
        sock.sendall(chunk * 5)
        assert int(sock.recv(64).split()[1]) == 413, route


def test_unknown_paths_and_methods_are_refused(served: Served) -> None:
    host = Browser(served).join()
    for method, path, status in (
        ("GET", "/api/nothing", 404),
        ("GET", "/api/commands", 405),
        ("OPTIONS", "/api/commands", 405),
        ("HEAD", STREAM, 405),
        ("GET", "/api/state/", 404),
        ("GET", "/%00", 400),
        ("GET", f"/api/explain/{'9' * 5000}/energy", 414),
        ("GET", f"/api/explain/{'9' * 250}/energy", 409),
        ("GET", f"/api/explain/0/price?card={'0,' * 5000}", 414),
    ):
        assert host.send(method, path, {}, None)[0] == status, (method, path)


def test_bodies_whose_senders_hang_up_leave_no_trace(served: Served) -> None:
    cookie = ranked(served)[Role.HOST]
    for route in POSTS_ROUTES:
        sock = served.connect()
        sock.sendall(head_for(served, route, cookie, "Content-Length: 60000") + b"{")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()
    assert Browser(served, cookie=cookie).ask("GET", "/api/state")[0] == 200


def test_photos_that_never_come_keep_nobody_but_photos_waiting(tmp_path: Path) -> None:
    limits = Limits(delay_s=0.1)
    with serving(loopback(tmp_path, limits=limits)) as served:
        guests = [Browser(served).join() for _ in range(4)]
        for seat, guest in enumerate(guests):
            assert guest.ask("POST", "/api/seat", {"seat": seat})[0] == 200
        route = next(route for route in ROUTES if route.body is Body.PHOTO)
        length = f"Content-Length: {LIMITS.photo_bytes}\r\nExpect: 100-continue"
        heads = [head_for(served, route, guest.cookie, length) for guest in guests]
        assert [status_of(served, head) for head in heads] == [100, 100, 429, 429]
        assert guests[3].ask("POST", "/api/leave", {})[0] == 200


async def asked(port: int, source: str, path: str, times: int) -> list[tuple[int, str]]:
    """Status and `Connection` of so many answers, all on one connection."""
    line = await connected(port, source)
    answers = [await line.ask("GET", path) for _ in range(times)]
    line.writer.close()
    return [(status, headers.get("connection", "")) for status, headers, _ in answers]


def test_an_address_that_is_refused_too_often_is_closed_and_no_other(tmp_path: Path) -> None:
    limits = Limits(per_s=0.001, burst=3, delay_s=0)
    with serving(loopback(tmp_path, limits=limits)) as served:
        greedy = asyncio.run(asked(served.port, "127.0.0.9", "/api/nothing", 4))
        assert greedy == [(404, "")] * 3 + [(429, "close")]
        other = asyncio.run(asked(served.port, "127.0.0.8", "/api/nothing", 2))
        assert other == [(404, "")] * 2
        page = asyncio.run(asked(served.port, "127.0.0.9", "/favicon.ico", 1))
        assert page != [(429, "close")], "what it may ask is counted apart"


def test_a_wrong_method_is_refused_with_those_that_the_path_has(app: Flask) -> None:
    methods: dict[str, set[str]] = {}
    for route in ROUTES:
        methods.setdefault(re.sub(r"<[^>]*>", "1", route.path), set()).add(route.method)
    for path, known in methods.items():
        answer = GuardedClient(app).put(path, json={}, headers=HEADERS)
        assert answer.status_code == 405, path
        assert known <= {*answer.headers["Allow"].split(", ")} <= {"GET", "HEAD", "POST"}, path


MANY = 40
SLOW = Limits(per_s=20, burst=1, delay_s=1)
"""Nearly every request of a stranger waits for its turn, or is refused."""


async def hang_up(port: int, requests: int) -> None:
    """Send requests, several at once or one, and hang up without waiting for an answer."""
    line = await connected(port)
    head = f"GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    line.writer.write(head * requests)
    await line.writer.drain()
    line.writer.transport.abort()


def kept() -> int:
    """Connections that are in memory, closed ones too."""
    return sum(isinstance(each, H11Protocol) for each in gc.get_objects())


@pytest.mark.parametrize("requests", [1, 300], ids=["one request", "pipelined"])
def test_nobody_waits_for_a_phone_that_has_gone(tmp_path: Path, requests: int) -> None:
    with serving(loopback(tmp_path, limits=SLOW)) as served:
        asyncio.run(one_after_the_other(served, requests))


async def one_after_the_other(served: Served, requests: int) -> None:
    gc.collect()
    before = kept()
    for _ in range(MANY):
        await hang_up(served.port, requests)
    after = await connected(served.port, "127.0.0.2")
    assert (await after.ask("GET", "/icon.svg"))[0] == 200  # so all before it were received
    after.writer.close()
    async with asyncio.timeout(WITHIN_S):
        while served.server.server_state.tasks or kept() > before:
            await asyncio.sleep(0.01)
            gc.collect()
