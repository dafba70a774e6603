"""A disk that stalls delays the command whose row is being written, and nothing else."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.engine import RULESETS
from companion.service.app_state import AppState
from companion.service.http.routes import THREADS, Work
from companion.service.machine.joining import qr_svg
from companion.service.settings import Limits, Settings
from companion.service.views.view import MONSTERS
from companion.table.database import saved_rows
from companion.table.log import DataInUseError
from tests.service.served import Browser, Json, serving, stalled
from tests.waiting import WITHIN_S, wait_until

PHONES = THREADS[Work.COMMAND] + 2
"""More than there are workers for commands."""


def table_set(name: str) -> Json:
    seats = [{"player": name, "monster": MONSTERS[0]}, {"player": "Ben", "monster": MONSTERS[1]}]
    return {"type": "TableSet", "game": next(iter(RULESETS)), "edition": "first", "seats": seats}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Browser]:
    with serving(Settings(tmp_path, host="127.0.0.1", port=0)) as served:
        browser = Browser(served).join()
        browser.say(table_set("Ana"), {"type": "GameStarted", "first": 0}, command_id="the-start")
        yield browser


def test_a_stalled_disk_holds_up_nothing_but_commands(host: Browser) -> None:
    served, answers = host.served, list[int]()
    rev = served.app_state.table.snapshot().rev

    def say(n: int) -> None:
        number = {"seat": 0, "what": "energy", "value": n + 1}
        event = {"type": "Corrected", "numbers": [number], "places": [], "reason": ""}
        command = {"command_id": f"command-{n}", "base_rev": rev, "events": [event]}
        phone = Browser(served, cookie=host.cookie)
        answers.append(phone.ask("POST", "/api/commands", command)[0])

    phones = [threading.Thread(target=say, args=(n,)) for n in range(PHONES)]
    with stalled(served):
        for phone in phones:
            phone.start()
        status, answer = host.ask("GET", "/api/state")
        assert (status, answer["view"]["rev"]) == (200, rev)
        assert host.stream().next().update().view.rev == rev
        for method, path, body in (
            ("POST", "/api/preview", {"faces": ["energy"]}),
            ("GET", "/api/log", None),
            ("GET", "/api/explain/0/energy", None),
            ("POST", "/api/seat", {"seat": 1}),
            ("GET", "/locales/en.json", None),
        ):
            assert host.ask(method, path, body)[0] == 200, path
        other = Browser(served).join()
        assert other.ask("GET", "/api/state")[0] == 200
        assert answers == [], "all of them still wait"
        assert all(phone.is_alive() for phone in phones)
    for phone in phones:
        phone.join(WITHIN_S)
    assert sorted(set(answers)) == [200, 409], "the first is applied, the number has changed then"
    assert answers.count(200) == 1


def test_the_service_ends_while_a_command_waits_for_the_disk(host: Browser) -> None:
    served, log = host.served, host.served.app_state.log
    rev = served.app_state.table.snapshot().rev
    command = {"command_id": "never-answered", "base_rev": rev, "events": [table_set("Eva")]}
    head = (
        f"POST /api/commands HTTP/1.1\r\nHost: {host.origin[7:]}\r\nOrigin: {host.origin}\r\n"
        f"X-Monster-Table: 1\r\nContent-Type: application/json\r\nCookie: {host.cookie}\r\n"
    )
    body = json.dumps(command).encode()
    with stalled(served):
        sock = served.connect()
        sock.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        wait_until(lambda: bool(log._waiting))
        assert host.ask("GET", "/api/state")[0] == 200
        served.stop()
        end = threading.Thread(target=served.app_state.close, daemon=True)
        end.start()
        end.join(WITHIN_S)
        assert not end.is_alive(), "the disk still takes nothing, and is not waited for"
        assert len(saved_rows(log.path, "g1")) == rev, "what was answered is on the disk"
        with pytest.raises(DataInUseError):
            AppState(served.app_state.settings)


def test_a_picture_of_the_address_is_drawn_once() -> None:
    assert qr_svg("http://192.168.1.20/j#x") is qr_svg("http://192.168.1.20/j#x")


def test_a_long_answer_that_nobody_reads_holds_the_turn_of_its_browser(tmp_path: Path) -> None:
    limits = Limits(delay_s=0.2, stalled_s=WITHIN_S, at_once=1)
    settings = Settings(tmp_path, host="127.0.0.1", port=0, limits=limits)
    with serving(settings) as served:
        greedy = Browser(served).join()
        snapshot = served.app_state.table.snapshot()
        served.app_state._log_answer = (snapshot.table, snapshot.rev, b" " * 32_000_000)
        reader = served.connect()
        head = f"GET /api/log HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {greedy.cookie}\r\n\r\n"
        reader.sendall(head.encode())
        assert reader.recv(12) == b"HTTP/1.1 200"
        for path in ("/api/log", "/api/games/g1"):
            assert greedy.ask("GET", path)[0] == 429
        assert Browser(served).join().ask("GET", "/api/games/g1")[0] == 404
        reader.close()

        def is_answered() -> bool:
            status = greedy.ask("GET", "/api/games/g1")[0]
            assert status in {404, 429}
            return status == 404

        wait_until(is_answered)


def test_who_stops_reading_a_long_answer_gives_its_place_back(tmp_path: Path) -> None:
    limits = Limits(stalled_s=0.1, delay_s=WITHIN_S, at_once=1)
    settings = Settings(tmp_path, host="127.0.0.1", port=0, limits=limits)
    with serving(settings) as served:
        greedy = Browser(served).join()
        snapshot = served.app_state.table.snapshot()
        served.app_state._log_answer = (snapshot.table, snapshot.rev, b" " * 32_000_000)
        head = f"GET /api/log HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {greedy.cookie}\r\n\r\n"
        reader = served.connect()
        reader.sendall(head.encode())
        assert reader.recv(12) == b"HTTP/1.1 200"
        assert greedy.ask("GET", "/api/games/g1")[0] == 404
        served.app_state._log_answer = (snapshot.table, snapshot.rev, b"{}")
        assert greedy.ask("GET", "/api/log") == (200, {})
