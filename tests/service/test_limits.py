"""What one sender may use: requests, turns, connections, workers."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from companion.service.app_state import AppState
from companion.service.http.guard import Limiter
from companion.service.http.routes import THREADS, Work
from companion.service.http.server import Connections, listening_socket
from companion.service.requests import HttpError
from companion.service.settings import Limits
from companion.service.views.news import IdentityCache
from companion.service.workers import Workers
from companion.table.database import saved_rows
from companion.table.log import DataInUseError
from tests.crowd import Line, connected, stream_of
from tests.service.phone import START, table_set
from tests.service.served import Browser, Served, head_of, loopback, serving, stalled
from tests.waiting import WITHIN_S, Clock, wait_until

FEW = Limits(per_s=10, burst=3, delay_s=0)
SOON_S = 0.05


async def refused(asking: Coroutine[Any, Any, None]) -> bool:
    """Whether this is refused with 429."""
    try:
        await asking
    except HttpError as refusal:
        return refusal.status == 429
    return False


def test_a_sender_that_asks_too_often_is_refused_and_nobody_else() -> None:
    clock = Clock()

    async def main() -> None:
        limiter = Limiter(FEW, clock)
        for _ in range(3):
            await limiter.pay("greedy")
        assert await refused(limiter.pay("greedy"))
        assert not await refused(limiter.pay("modest"))
        clock.move(0.1)
        assert not await refused(limiter.pay("greedy"))
        await limiter.pay("who asks for much", cost=3)
        assert await refused(limiter.pay("who asks for much"))

    asyncio.run(main())


def test_more_at_once_than_allowed_wait_for_their_turn_in_order() -> None:
    async def main() -> None:
        limiter, order = Limiter(Limits(delay_s=WITHIN_S)), []
        first = AsyncExitStack()
        await first.enter_async_context(limiter.turn("greedy", 1))

        async def ask(n: int) -> None:
            async with limiter.turn("greedy", 1):
                order.append(n)

        asking = [asyncio.create_task(ask(n)) for n in range(3)]
        await asyncio.sleep(0)
        asking[1].cancel()
        async with limiter.turn("modest", 1):
            assert order == []
        await first.aclose()
        await asyncio.gather(*asking, return_exceptions=True)
        assert order == [0, 2]
        async with limiter.turn("greedy", 1):
            order.append(3)

    asyncio.run(main())


def test_a_sender_whose_turn_does_not_come_is_refused_and_its_place_is_free_again() -> None:
    async def main() -> None:
        limiter = Limiter(Limits(delay_s=SOON_S))

        async def ask() -> None:
            async with limiter.turn("greedy", 1, "error.photo.busy"):
                pass

        async with limiter.turn("greedy", 1):
            with pytest.raises(HttpError) as refusal:
                await ask()
            assert (refusal.value.status, refusal.value.words.key) == (429, "error.photo.busy")
        await ask()

    asyncio.run(main())


def test_quiet_senders_are_forgotten() -> None:
    clock = Clock()

    async def main() -> None:
        limiter = Limiter(FEW, clock)
        for n in range(1000):
            await limiter.pay(f"address {n}")
        async with limiter.turn("once", 1):
            clock.move(61)
        await limiter.pay("newest")
        assert (list(limiter._left), list(limiter._lines)) == (["newest"], [])

    asyncio.run(main())


class Crowd:
    """Connections of a few loopback addresses, `.1` to `.9`, to a door that nobody serves."""

    def __init__(self, limits: Limits, clock: Clock, opened: ExitStack) -> None:
        self.door = opened.enter_context(closing(listening_socket("127.0.0.1", 0, limits)))
        self.all, self.opened = Connections(limits, clock), opened
        self.door.connections = self.all
        self.ends: dict[str, socket.socket] = {}
        self.accepted: dict[str, socket.socket] = {}

    def come(self, name: str, *, in_use: bool = False) -> bool:
        """Connect from the address that the name's first sign is; return whether it may stay."""
        end = socket.create_connection(self.door.getsockname(), WITHIN_S, (f"127.0.0.{name[0]}", 0))
        self.ends[name] = self.opened.enter_context(closing(end))
        try:
            accepted, _ = self.door.accept()
        except ConnectionAbortedError:
            assert self.is_cut(name)
            return False
        self.accepted[name] = self.opened.enter_context(closing(accepted))
        self.all.set_in_use(end.getsockname()[:2], in_use)
        return True

    def use(self, name: str, in_use: bool) -> None:
        self.all.set_in_use(self.ends[name].getsockname()[:2], in_use)

    def is_cut(self, name: str) -> bool:
        end = self.ends[name]
        end.setblocking(False)
        try:
            return end.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionResetError:
            return True

    @property
    def cut(self) -> list[str]:
        return [name for name in self.accepted if self.is_cut(name)]


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def test_an_address_over_its_share_gets_no_new_connection_and_keeps_the_old_ones(
    opened: ExitStack,
) -> None:
    crowd = Crowd(Limits(connections_per_address=3), Clock(), opened)
    assert [crowd.come(f"1{n}") for n in "abcde"] == [True, True, True, False, False]
    assert crowd.come("2")
    assert crowd.cut == []
    crowd.accepted["1a"].close()
    assert crowd.come("1f")


def test_a_full_service_makes_room_at_the_cost_of_the_greediest(opened: ExitStack) -> None:
    clock = Clock()
    crowd = Crowd(Limits(connections=6, connections_per_address=5), clock, opened)
    for name in ("1a", "1b", "1c", "1d"):
        assert crowd.come(name, in_use=name < "1c")
        clock.move(1)
    assert all(crowd.come(name) for name in "234")
    assert crowd.cut == ["1c"], "the idlest goes first"
    assert not crowd.come("1e"), "nobody makes room for the greediest"
    assert crowd.come("5")
    assert crowd.cut == ["1c", "1d"]
    assert not crowd.come("6"), "nobody has more than the newcomer would, but what is in use"
    assert crowd.cut == ["1c", "1d"]


def test_a_connection_in_use_is_never_dropped_for_a_newcomer(opened: ExitStack) -> None:
    crowd = Crowd(Limits(connections=4), Clock(), opened)
    assert all(crowd.come(f"1{n}", in_use=True) for n in "abcd")
    assert not crowd.come("2")
    assert crowd.cut == []
    crowd.use("1c", False)
    assert crowd.come("3")
    assert crowd.cut == ["1c"]


def test_a_connection_that_takes_too_long_over_a_request_is_dropped(opened: ExitStack) -> None:
    clock = Clock()
    crowd = Crowd(Limits(slow_s=20), clock, opened)
    crowd.come("1a")
    crowd.come("1b", in_use=True)
    clock.move(15)
    crowd.come("1c")
    crowd.come("1d")
    crowd.use("1b", True)
    clock.move(6)
    crowd.all.drop_the_slow()
    assert crowd.cut == ["1a"]
    clock.move(15)
    crowd.use("1d", False)
    crowd.all.drop_the_slow()
    assert crowd.cut == ["1a", "1c"]


def test_few_bytes_are_read_at_once(opened: ExitStack) -> None:
    crowd = Crowd(Limits(), Clock(), opened)
    crowd.come("1")
    crowd.ends["1"].sendall(b"x" * 100_000)
    assert 0 < len(crowd.accepted["1"].recv(256 * 1024)) <= 16_384


def test_workers_are_as_many_as_they_may_be_and_hand_on_what_fails() -> None:
    workers = Workers("test", 2)
    go, started = threading.Event(), threading.Semaphore(0)

    def wait() -> str:
        started.release()
        assert go.wait(WITHIN_S)
        return threading.current_thread().name

    waiting = [workers.submit(wait) for _ in range(5)]
    assert all(started.acquire(timeout=WITHIN_S) for _ in range(2))
    assert not started.acquire(blocking=False)
    go.set()
    names = {each.result(WITHIN_S) for each in waiting}
    assert names <= {"test-1", "test-2"}
    with pytest.raises(ZeroDivisionError):
        workers.submit(lambda: 1 // 0).result(WITHIN_S)
    assert workers.submit(lambda: 3).result(WITHIN_S) == 3


def test_workers_that_cannot_be_started_are_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers("test", 1)
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", refuse_thread)
        with pytest.raises(RuntimeError, match="new thread"):
            workers.do_if_idle(list)
    assert workers.submit(lambda: 3).result(WITHIN_S) == 3


def refuse_thread(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_what_fails_on_a_worker_that_nobody_asks_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    workers = Workers("test", 1)
    workers.do_if_idle(lambda: 1 // 0)
    wait_until(lambda: "ZeroDivisionError" in caplog.text)


PHONES = THREADS[Work.COMMAND] + 2
"""More than there are workers for commands."""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Browser]:
    with serving(loopback(tmp_path)) as served:
        browser = Browser(served).join()
        browser.say(table_set("Ana", "Ben"), START, command_id="the-start")
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
            ("GET", "/api/games/g1", None),
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
    command = {"command_id": "never-answered", "base_rev": rev, "events": [table_set("Eva", "Ben")]}
    body = json.dumps(command).encode()
    more = (f"Cookie: {host.cookie}", f"Content-Length: {len(body)}")
    with stalled(served):
        sock = served.connect()
        sock.sendall(head_of(served, "POST", "/api/commands", *more) + body)
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


def test_who_stops_reading_a_long_answer_gives_its_place_back(tmp_path: Path) -> None:
    limits = Limits(stalled_s=0.1, delay_s=WITHIN_S, at_once=1)
    with serving(loopback(tmp_path, limits=limits)) as served:
        greedy = Browser(served).join()
        snapshot = served.app_state.table.snapshot()
        served.app_state._logs.of((snapshot,), lambda: b" " * 32_000_000)
        reader = served.connect()
        reader.sendall(head_of(served, "GET", "/api/log", f"Cookie: {greedy.cookie}"))
        assert reader.recv(12) == b"HTTP/1.1 200"
        assert greedy.ask("GET", "/api/games/g1")[0] == 404
        served.app_state._logs = IdentityCache(1)
        assert greedy.ask("GET", "/api/log") == (200, {"rows": []})


FILES = ("/j", "/icon.svg", "/locales/en.json", "/favicon.ico") * 3
"""About what opening the page for the first time asks for."""

PHONES_CROWDED = 26


def test_six_phones_a_television_and_twenty_guests_behind_one_address(tmp_path: Path) -> None:
    with serving(loopback(tmp_path)) as served:
        assert asyncio.run(evening(served, PHONES_CROWDED)) == []


async def evening(served: Served, phones: int) -> list[tuple[str, int]]:
    """Have all phones open the page at once, join and open a stream; return what was refused."""
    port, token = served.port, served.app_state.browsers.invitation.terminal
    refused: list[tuple[str, int]] = []
    streams: list[Line] = []

    async def ask(line: Line, path: str) -> None:
        status, _, _ = await line.ask("GET", path)
        if status not in {200, 204}:
            refused.append((path, status))

    async def open_page() -> None:
        lines = [await connected(port) for _ in range(3)]
        for n, path in enumerate(FILES):
            await ask(lines[n % 3], path)
        await lines[0].join(token)
        listening = await connected(port)
        listening.headers["Cookie"] = lines[0].headers["Cookie"]
        await (await stream_of(listening)).reader.readuntil(b"data: ")
        streams.append(listening)
        for path in ("/api/state", "/api/log", "/api/qr.svg", "/api/state"):
            await ask(lines[0], path)
        for line in lines:
            line.writer.close()

    await asyncio.gather(*(open_page() for _ in range(phones)))
    async with asyncio.timeout(WITHIN_S):
        while live(served) < phones:
            await asyncio.sleep(0.01)
    refused += [("stream", 0) for line in streams if line.reader.at_eof()]
    for line in streams:
        line.writer.close()
    return refused


def live(served: Served) -> int:
    """Return the number of browsers with an open stream."""
    return sum(one.phone == "live" for one in served.app_state.browsers.people().persons)
