"""What one sender may use: requests, turns, connections, workers."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack, closing
from typing import Any

import pytest

from companion.service.http.guard import Limiter
from companion.service.http.server import Connections, listening_socket
from companion.service.requests import HttpError
from companion.service.settings import Limits
from companion.service.workers import Workers
from tests.waiting import WITHIN_S, Clock

FEW = Limits(per_s=10, burst=3, delay_s=0)
SOON_S = 0.05


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(main())


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

    run(main)


def test_a_dear_request_counts_as_several() -> None:
    async def main() -> None:
        limiter = Limiter(FEW, Clock())
        await limiter.pay("greedy", cost=3)
        assert await refused(limiter.pay("greedy"))

    run(main)


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

    run(main)


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

    run(main)


def test_quiet_senders_are_forgotten() -> None:
    clock = Clock()

    async def main() -> None:
        limiter = Limiter(FEW, clock)
        for n in range(1000):
            await limiter.pay(f"address {n}")
        async with limiter.turn("once", 1):
            clock.move(61)
        await limiter.pay("newest")
        assert (list(limiter._left), limiter._lines) == (["newest"], {})

    run(main)


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
    workers.shutdown()


def test_workers_never_keep_a_process_from_ending() -> None:
    workers = Workers("test", 1)
    assert workers.submit(lambda: threading.current_thread().daemon).result(WITHIN_S)
    workers.shutdown()
