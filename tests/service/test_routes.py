"""Every route is in one table, and its rules are applied before a body is read."""

from __future__ import annotations

import asyncio
import http.client
import re
import socket
import struct
from contextlib import closing
from pathlib import Path

import pytest

from companion.service.app import ROUTES
from companion.service.http.routes import (
    CONTENT_TYPES,
    RANKS,
    STREAM,
    Body,
    Route,
)
from companion.service.settings import Limits, Settings
from companion.service.wire import Role
from tests.crowd import connected
from tests.service.served import Browser, Served, serving

POSTS = [route for route in ROUTES if route.method == "POST"]
LIMITS = Limits()
MOST = {Body.JSON: LIMITS.json_bytes, Body.PHOTO: LIMITS.photo_bytes, Body.FILE: LIMITS.photo_bytes}


def test_a_route_that_changes_something_takes_a_bounded_body_of_its_own_kind() -> None:
    for route in ROUTES:
        assert (route.body is Body.NONE) == (route.method == "GET"), route
        assert (route.form is not None) == (route.body is Body.JSON), route


def test_no_look_waits_for_what_another_one_plays_over() -> None:
    works = {route.path: route.work for route in ROUTES}
    dear = ("/api/state", "/api/preview", "/api/games/<game>", "/api/seat", "/api/commands")
    assert len({works[path] for path in dear}) == len(dear)


def head_of(served: Served, route: Route, cookie: str, length: str) -> bytes:
    """The head of a request that our own page might send, its body still to come."""
    at = f"127.0.0.1:{served.port}"
    kind = next(iter(sorted(CONTENT_TYPES[route.body])), "application/json")
    lines = [
        *(f"{route.method} {route.path} HTTP/1.1", f"Host: {at}", f"Origin: http://{at}"),
        *("X-Monster-Table: 1", f"Content-Type: {kind}", f"Cookie: {cookie}", length),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


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


def test_a_role_that_is_not_enough_is_refused_before_the_body(served: Served) -> None:
    cookies = ranked(served)
    refused = 0
    for route in POSTS:
        for role in RANKS[: RANKS.index(route.least)]:
            head = head_of(served, route, cookies[role], f"Content-Length: {MOST[route.body]}")
            assert status_of(served, head) == 403, (route, role)
            refused += 1
    assert refused > len(POSTS)


def test_a_body_announced_too_long_is_refused_before_it_is_sent(served: Served) -> None:
    cookies = ranked(served)
    for route in POSTS:
        for length in (MOST[route.body] + 1, 10**12):
            head = head_of(served, route, cookies[Role.HOST], f"Content-Length: {length}")
            assert status_of(served, head) == 413, (route, length)
    get = next(route for route in ROUTES if route.path == "/api/state")
    head = head_of(served, get, cookies[Role.HOST], "Content-Length: 1")
    assert status_of(served, head) == 413


@pytest.mark.parametrize("wrong", ["Host", "Origin", "X-Monster-Table", "Content-Type"])
def test_what_does_not_come_from_our_page_is_refused_before_the_body(
    served: Served, wrong: str
) -> None:
    cookie = ranked(served)[Role.HOST]
    for route in POSTS:
        head = head_of(served, route, cookie, "Content-Length: 60000").decode()
        lines = [line for line in head.split("\r\n") if not line.startswith(f"{wrong}:")]
        if wrong in {"Host", "Origin"}:
            lines.insert(1, f"{wrong}: http://evil.example" if wrong == "Origin" else "Host: evil")
        status = status_of(served, "\r\n".join(lines).encode())
        assert status == {"Host": 421, "Content-Type": 415}.get(wrong, 403), route


def test_a_chunked_body_is_cut_off_at_the_limit(served: Served) -> None:
    cookie = ranked(served)[Role.HOST]
    for route in POSTS:
        if route.body is not Body.JSON:
            continue
        sock = served.connect()
        sock.sendall(head_of(served, route, cookie, "Transfer-Encoding: chunked"))
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
        ("GET", f"/api/odds?keep={'0,' * 5000}", 414),
    ):
        assert host.send(method, path, {}, None)[0] == status, (method, path)


def test_bodies_whose_senders_hang_up_leave_no_trace(served: Served) -> None:
    cookie = ranked(served)[Role.HOST]
    for route in POSTS:
        sock = served.connect()
        sock.sendall(head_of(served, route, cookie, "Content-Length: 60000") + b"{")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()
    assert Browser(served, cookie=cookie).ask("GET", "/api/state")[0] == 200


def test_photos_that_never_come_keep_nobody_but_photos_waiting(tmp_path: Path) -> None:
    limits = Limits(delay_s=0.1)
    with serving(Settings(tmp_path, host="127.0.0.1", port=0, limits=limits)) as served:
        guests = [Browser(served).join() for _ in range(4)]
        for seat, guest in enumerate(guests):
            assert guest.ask("POST", "/api/seat", {"seat": seat})[0] == 200
        route = next(route for route in ROUTES if route.body is Body.PHOTO)
        length = f"Content-Length: {LIMITS.photo_bytes}\r\nExpect: 100-continue"
        heads = [head_of(served, route, guest.cookie, length) for guest in guests]
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
    with serving(Settings(tmp_path, host="127.0.0.1", port=0, limits=limits)) as served:
        greedy = asyncio.run(asked(served.port, "127.0.0.9", "/api/nothing", 4))
        assert greedy == [(404, "")] * 3 + [(429, "close")]
        other = asyncio.run(asked(served.port, "127.0.0.8", "/api/nothing", 2))
        assert other == [(404, "")] * 2
        page = asyncio.run(asked(served.port, "127.0.0.9", "/favicon.ico", 1))
        assert page != [(429, "close")], "what it may ask is counted apart"


def test_a_wrong_method_is_refused_with_those_that_the_path_has(served: Served) -> None:
    methods: dict[str, set[str]] = {}
    for route in ROUTES:
        methods.setdefault(re.sub(r"<[^>]*>", "1", route.path), set()).add(route.method)
    headers = {"Origin": f"http://127.0.0.1:{served.port}", "X-Monster-Table": "1"}
    headers["Content-Type"] = "application/json"
    with closing(http.client.HTTPConnection("127.0.0.1", served.port)) as connection:
        for path, known in methods.items():
            connection.request("PUT", path, "{}", headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 405, path
            assert known <= {*answer.headers["Allow"].split(", ")} <= {"GET", "HEAD", "POST"}, path
            if answer.headers["Connection"] == "close":
                connection.close()
