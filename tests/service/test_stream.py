"""The stream: whole views, the newest only, and a server that slow or rude phones do not stop."""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import MapAdapter
from werkzeug.routing.matcher import StateMachineMatcher

from companion.engine import Face, Position
from companion.service.http.guard import Guard, Head
from companion.service.hub import Hub
from companion.service.people import Browsers
from companion.service.settings import Limits
from companion.service.wire import QuestionKind, Role
from tests.service.phone import Phone, app_state_of, play_until, read_dice, table_set
from tests.service.served import Browser, Served, Stream, head_of, loopback, serving

ALWAYS_S = 10_000
"""Seconds that no test lasts."""
WITHIN_TAPS = 500


def test_a_stream_opens_with_the_whole_view_the_newest_one_and_tells_every_change(
    served: Served,
) -> None:
    browser = Browser(served).join()
    stream = browser.stream()
    first = stream.next()
    assert (first.update().you.role, first.update().view.rev) == (Role.HOST, 0)
    rev = browser.say(table_set("Ana", "Ben"), command_id="set-the-table")
    update = stream.until(rev).update()
    assert update.view.lobby is not None
    assert [seat.player for seat in update.view.lobby.seats] == ["Ana", "Ben"]
    stream.close()
    rev = browser.say(table_set("Ana", "Eva"), command_id="while-it-is-away")
    back = browser.stream().next()
    assert back.update().view.rev == rev
    (run, _, number), (again, _, later) = first.id.partition("-"), back.id.partition("-")
    assert again == run
    assert int(later) > int(number)


def test_the_list_of_people_is_sent_when_it_changes(served: Served) -> None:
    browser = Browser(served).join()
    stream, taps = browser.stream(), count()

    def listed() -> list[int | None]:
        """How many people each update lists until the one of another tap."""
        rev, found = browser.say(table_set("Ana"), command_id=f"tap-number-{next(taps)}"), []
        for message in stream:
            view = message.update().view
            found.append(None if view.people is None else len(view.people.persons))
            if view.rev >= rev:
                break
        return found

    assert listed()[0] == 1, "the first update has it"
    assert any(listed()[-1] is None for _ in range(WITHIN_TAPS)), "once its stream counts"
    guest = Browser(served).join()
    assert 2 in listed()
    assert any(listed()[-1] is None for _ in range(WITHIN_TAPS))
    assert guest.view().people == browser.view().people, "an answer has it always"
    assert browser.stream().next().update().view.people == browser.view().people


def test_a_second_stream_of_a_browser_ends_the_first(served: Served) -> None:
    browser = Browser(served).join()
    first = browser.stream()
    first.next()
    second = browser.stream()
    assert second.next().event == "message"
    assert next(m for m in first if m.event != "message").event == "replaced"


def test_a_stranger_gets_an_event_and_is_not_refused(served: Served) -> None:
    stream = Browser(served).stream()
    assert stream.status == 200
    assert stream.next().event == "stranger"


def test_everybody_sees_how_many_phones_a_seat_has(served: Served) -> None:
    host, other = Browser(served).join(), Browser(served).join()
    watching = host.stream()
    host.say(table_set("Ana", "Ben"), command_id="set-the-table")
    assert other.ask("POST", "/api/seat", {"seat": 1})[0] == 200
    assert wait_for_phones(watching, 1)
    assert other.ask("POST", "/api/leave", {})[0] == 200
    assert wait_for_phones(watching, 0)


def wait_for_phones(stream: Stream, count: int) -> bool:
    """Reads on until the second seat has so many phones."""
    lobbies = (message.update().view.lobby for message in stream)
    chairs = (lobby.seats for lobby in lobbies if lobby is not None and len(lobby.seats) > 1)
    return any(seats[1].phones == count for seats in chairs)


def test_streams_beat(tmp_path: Path) -> None:
    with serving(loopback(tmp_path, limits=Limits(heartbeat_s=0.2))) as served:
        stream = Browser(served).join().stream()
        assert next(m for m in stream if m.event == "beat").data == "{}"


def test_a_reader_that_sleeps_misses_views_but_not_the_last(served: Served) -> None:
    browser = Browser(served).join()
    stream = browser.stream()
    for _ in range(400):
        served.app_state.publish()
    rev = browser.say(table_set("Ana", "Ben"), command_id="after-the-flood")
    assert stream.until(rev).update().view.rev == rev


def test_it_stops_with_streams_open(served: Served) -> None:
    streams = [Browser(served).join().stream() for _ in range(5)]
    for stream in streams:
        stream.next()
    served.stop()
    assert all(stream.rest() == [] for stream in streams)


def raw(served: Served, text: bytes) -> socket.socket:
    sock = served.connect()
    sock.sendall(text)
    return sock


def test_half_open_connections_are_dropped(tmp_path: Path) -> None:
    limits = Limits(slow_s=0.5, connections_per_address=400)
    with serving(loopback(tmp_path, limits=limits)) as served:
        texts = [b"GET / HTTP/1.1\r\nHost: x", b""] * 100
        opened = [raw(served, text) for text in texts]
        assert all(was_dropped(sock) for sock in opened)
        assert Browser(served).ask("GET", "/api/state")[0] == 403


def was_dropped(sock: socket.socket) -> bool:
    """Waits until the server has ended the connection."""
    try:
        return sock.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("text", [b"", b"GET / HTTP/1.1\r\nHost: x", b"body"])
def test_a_guest_that_takes_all_connections_makes_room_for_others(
    tmp_path: Path, text: bytes
) -> None:
    limits = Limits(connections=20, connections_per_address=18, slow_s=ALWAYS_S)
    with serving(loopback(tmp_path, limits=limits)) as served:
        if text == b"body":
            text = head_of(served, "POST", "/api/join", "Content-Length: 900") + b"{"
        for source in ("127.0.0.8", "127.0.0.9"):
            for _ in range(18):
                sock = served.connect(source)
                with suppress(ConnectionResetError, BrokenPipeError):
                    sock.sendall(text)
        phones = [Browser(served).join() for _ in range(3)]
        streams = [phone.stream() for phone in phones]
        for phone, stream in zip(phones, streams, strict=True):
            assert stream.next().event == "message"
            assert phone.ask("GET", "/api/state")[0] == 200


def test_a_chunked_body_arrives_whole(served: Served) -> None:
    token = served.app_state.browsers.invitation.token
    body = f'{{"token":"{token}"}}'.encode()
    head = head_of(served, "POST", "/api/join", "Transfer-Encoding: chunked")
    sock = raw(served, head + f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n")
    assert sock.recv(64).startswith(b"HTTP/1.1 200")


def test_a_name_that_is_not_ours_gets_no_stream(served: Served) -> None:
    sock = raw(served, b"GET /api/stream HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    assert sock.recv(64).startswith(b"HTTP/1.1 421")
    origin = b"Origin: http://evil.example\r\n\r\n"
    sock = raw(served, b"GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n" + origin)
    assert sock.recv(64).startswith(b"HTTP/1.1 403")


TAPS = 40


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often these methods were called, as `Class.name`."""
    found: Counter[str] = Counter()

    def count(kind: type, name: str) -> None:
        called = getattr(kind, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            found[f"{kind.__name__}.{name}"] += 1
            return called(*args, **kwargs)

        monkeypatch.setattr(kind, name, counted)

    count(MapAdapter, "match")
    count(StateMachineMatcher, "match")
    count(Head, "__init__")
    count(Guard, "admit")
    count(Browsers, "you")
    count(Hub, "publish")
    return found


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/log", None),
        ("GET", "/api/explain/0/energy", None),
        ("POST", "/api/preview", {"faces": ["energy"]}),
        ("POST", "/api/commands", {"command_id": "the-one-tap", "base_rev": 2}),
    ],
)
def test_a_request_is_matched_and_admitted_once(
    app: Flask, host: Phone, calls: Counter[str], method: str, path: str, body: Any
) -> None:
    host.set_up("tokyo")
    calls.clear()
    if path == "/api/commands":
        body["events"] = [{"type": "PutOff"}]
    answer = host.get(path) if method == "GET" else host.post(path, body)
    assert answer.status_code == 200, answer.text
    published = calls.pop("Hub.publish", 0)
    assert published == (path == "/api/commands")
    assert calls == {
        "MapAdapter.match": 1, "StateMachineMatcher.match": 1, "Head.__init__": 1,
        "Guard.admit": 1, "Browsers.you": 1,
    }  # fmt: skip


def test_the_rules_apply_each_row_of_a_tap_once(
    app: Flask, host: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.set_up("tokyo")
    table, chance = app_state_of(app).table, Random(1)
    applied: list[tuple[object, object]] = []
    apply = Position.apply

    def noted(position: Position, event: Any) -> Any:
        applied.append((position.game, event))
        return apply(position, event)

    monkeypatch.setattr(Position, "apply", noted)
    said = 0
    while (tap := host.next_event(chance)) is not None and said < TAPS:
        before = table.snapshot().rev
        applied.clear()
        host.say(tap)
        rows = table.snapshot().entries[before:]
        assert [applied.count((row.before.game, row.event)) for row in rows] == [1] * len(rows)
        said += any(row.seq == entry.seq for row in rows for entry in host.view().log)
    assert said == TAPS, "the view says what came of each"


def test_a_reading_is_published_once(app: Flask, host: Phone, calls: Counter[str]) -> None:
    host.set_up("tokyo")
    play_until(host, QuestionKind.ROLL, Random(4))
    faces = tuple([Face.HEAL] * host.dice())
    calls.clear()
    assert read_dice(app, faces).proposal is not None
    assert calls["Hub.publish"] == 1
