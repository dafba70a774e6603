"""Rate limits, memory for bodies, connections and workers: what one sender may use."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest

from companion.service.http.bodies import DisconnectedError, MemoryBudget
from companion.service.http.connections import Connections, Priority
from companion.service.http.rate_limits import Allowance, RateLimiter, SenderSlots
from companion.service.refusals import HttpError
from companion.service.settings import Limits
from companion.service.workers import Workers
from tests.waiting import WITHIN_S, Clock

FEW = Allowance(per_s=10, burst=3, at_once=2)
SOON_S = 0.05


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(main())


def test_who_asks_too_often_is_refused_and_nobody_else() -> None:
    clock = Clock()

    async def main() -> None:
        limiter = RateLimiter(0, clock)
        for _ in range(3):
            async with limiter.acquire("greedy", FEW):
                pass
        with pytest.raises(HttpError) as refused:
            async with limiter.acquire("greedy", FEW):
                pass
        assert refused.value.status == 429
        async with limiter.acquire("modest", FEW):
            pass
        clock.move(0.1)
        async with limiter.acquire("greedy", FEW):
            pass

    run(main)


def test_a_dear_request_counts_as_several() -> None:
    async def main() -> None:
        limiter = RateLimiter(0, Clock())
        async with limiter.acquire("greedy", FEW, cost=3):
            pass
        with pytest.raises(HttpError):
            async with limiter.acquire("greedy", FEW):
                pass

    run(main)


def test_more_at_once_than_allowed_wait_for_their_turn_in_order() -> None:
    async def main() -> None:
        limiter, order = RateLimiter(WITHIN_S, Clock()), []
        many = Allowance(per_s=1e9, burst=1e9, at_once=1)
        first = AsyncExitStack()
        await first.enter_async_context(limiter.acquire("greedy", many))

        async def ask(n: int) -> None:
            async with limiter.acquire("greedy", many):
                order.append(n)

        asking = [asyncio.create_task(ask(n)) for n in range(3)]
        await asyncio.sleep(0)
        asking[1].cancel()
        async with limiter.acquire("modest", many):
            assert order == []
        await first.aclose()
        await asyncio.gather(*asking, return_exceptions=True)
        assert order == [0, 2]
        async with limiter.acquire("greedy", many):
            order.append(3)

    run(main)


def test_whose_turn_does_not_come_is_refused_and_its_place_is_free_again() -> None:
    async def main() -> None:
        limiter = RateLimiter(SOON_S, Clock())
        one = Allowance(per_s=1e9, burst=1e9, at_once=1)
        async with limiter.acquire("greedy", one):
            with pytest.raises(HttpError) as refused:
                async with limiter.acquire("greedy", one):
                    pass
            assert refused.value.status == 429
        async with limiter.acquire("greedy", one):
            pass

    run(main)


def test_of_a_few_the_next_one_is_refused_at_once() -> None:
    photos = SenderSlots(2, "error.photo.busy")
    with photos.take("first"), photos.take("second"):
        with pytest.raises(HttpError) as refused, photos.take("third"):
            pass
        assert (refused.value.status, refused.value.words.key) == (429, "error.photo.busy")
    with photos.take("third"):
        pass


def test_of_a_few_nobody_has_two() -> None:
    photos = SenderSlots(2, "error.photo.busy")
    with photos.take("greedy"):
        with pytest.raises(HttpError) as refused, photos.take("greedy"):
            pass
        assert (refused.value.status, refused.value.words.key) == (429, "error.photo.busy")
        with photos.take("modest"):
            pass
    with photos.take("greedy"), photos.take("modest"):
        pass


def test_quiet_senders_are_forgotten() -> None:
    clock = Clock()

    async def main() -> None:
        limiter = RateLimiter(0, clock)
        for n in range(1000):
            async with limiter.acquire(f"address {n}", FEW):
                pass
        clock.move(61)
        async with limiter.acquire("newest", FEW):
            pass
        assert list(limiter._senders) == ["newest"]

    run(main)


def test_all_bodies_together_are_bounded() -> None:
    async def main() -> None:
        budget = MemoryBudget(in_all=100, per_sender=60, per_address=100, patience_s=SOON_S)
        async with budget.reserve("first", "of first", 50):
            with pytest.raises(HttpError) as refused:
                async with budget.reserve("first", "of first", 11):
                    pass
            assert refused.value.status == 429
            async with budget.reserve("second", "of second", 50):
                with pytest.raises(HttpError) as refused:
                    async with budget.reserve("third", "of third", 1):
                        pass
                assert refused.value.status == 503
                async with budget.reserve("third", "of third", 0):
                    pass
            async with budget.reserve("third", "of third", 50):
                pass

    run(main)


def test_the_bodies_of_one_address_are_bounded_for_all_senders_together() -> None:
    async def main() -> None:
        budget = MemoryBudget(in_all=100, per_sender=60, per_address=70, patience_s=SOON_S)
        async with budget.reserve("first", "guest", 40):
            with pytest.raises(HttpError) as refused:
                async with budget.reserve("second", "guest", 40):
                    pass
            assert refused.value.status == 429
            async with budget.reserve("second", "guest", 30), budget.reserve("third", "other", 30):
                pass
        async with budget.reserve("second", "guest", 60):
            pass
        assert not budget._held

    run(main)


def test_who_waits_for_room_counts_as_if_it_had_it() -> None:
    async def main() -> None:
        budget = MemoryBudget(in_all=60, per_sender=60, per_address=60, patience_s=SOON_S)

        async def take(sender: str) -> int:
            try:
                async with budget.reserve(sender, sender, 40):
                    return 200
            except HttpError as refused:
                return refused.status

        async with budget.reserve("first", "first", 40):
            both = await asyncio.gather(take("second"), take("second"))
            assert list(both) == [503, 429]

    run(main)


def test_a_body_waits_until_there_is_room() -> None:
    async def main() -> None:
        budget = MemoryBudget(in_all=100, per_sender=100, per_address=100, patience_s=WITHIN_S)
        order: list[str] = []

        async def second() -> None:
            async with budget.reserve("second", "of second", 60):
                order.append("second")

        async with budget.reserve("first", "of first", 60):
            waiting = asyncio.create_task(second())
            await asyncio.sleep(0)
            order.append("first")
        await waiting
        assert order == ["first", "second"]

    run(main)


class Transport:
    """Only notes that it was cut off."""

    def __init__(self) -> None:
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


class Many:
    """Connections of a few addresses."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.all = Connections(limits, clock)
        self.transports: dict[tuple[str, int], Transport] = {}

    def come(self, address: str, port: int, priority: Priority = Priority.IDLE) -> bool:
        transport = Transport()
        self.transports[address, port] = transport
        admitted = self.all.admit((address, port), cast(asyncio.Transport, transport))
        if admitted and priority is not Priority.IDLE:
            self.all.set_priority((address, port), priority)
        return admitted

    @property
    def cut(self) -> list[tuple[str, int]]:
        return [peer for peer, transport in self.transports.items() if transport.aborted]


def test_an_address_over_its_share_gets_no_new_connection_and_keeps_the_old_ones() -> None:
    many = Many(Limits(connections_per_address=3), Clock())
    assert [many.come("a", n) for n in range(5)] == [True, True, True, False, False]
    assert many.come("b", 0)
    assert many.come("::ffff:192.168.1.5", 1)
    assert many.cut == []
    many.all.forget(("a", 0))
    assert many.come("a", 9)


def test_a_full_service_makes_room_at_the_cost_of_the_greediest() -> None:
    clock = Clock()
    many = Many(Limits(connections=6, connections_per_address=5), clock)
    for n, priority in enumerate(
        (Priority.SEATED, Priority.WATCHING, Priority.ASKING, Priority.IDLE)
    ):
        assert many.come("greedy", n, priority)
        clock.move(1)
    assert many.come("a", 0)
    assert many.come("b", 0)
    assert many.come("c", 0)
    assert many.cut == [("greedy", 3)], "an idle one goes first"
    assert many.come("d", 0)
    assert many.cut == [("greedy", 2), ("greedy", 3)], "then one that is being answered"
    assert not many.come("greedy", 8), "and nobody makes room for the greediest"
    assert not many.come("e", 0) or ("greedy", 0) not in many.cut


def test_a_seated_phone_is_never_cut_off_for_a_newcomer() -> None:
    many = Many(Limits(connections=4), Clock())
    for n in range(4):
        assert many.come("router", n, Priority.SEATED)
    assert not many.come("new", 0)
    assert many.cut == []


def test_a_phone_that_sits_down_after_its_stream_opened_counts_as_seated() -> None:
    many, seated = Many(Limits(connections=4), Clock()), {0}
    for n in range(4):
        assert many.come("router", n)
        many.all.watch(("router", n), lambda n=n: n in seated)  # type: ignore[misc]
    seated.update(range(1, 4))
    assert not many.come("new", 0)
    seated.remove(2)
    assert many.come("new", 1)
    assert many.cut == [("router", 2)]


def test_who_dawdles_over_the_head_of_a_request_is_dropped() -> None:
    clock = Clock()
    many = Many(Limits(header_s=20), clock)
    for n, priority in enumerate(Priority):
        many.come("a", n, priority)
    clock.move(21)
    many.come("a", 9)
    many.all.drop_the_slow()
    assert many.cut == [("a", 0)]


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


def test_who_hangs_up_while_waiting_waits_no_longer() -> None:
    peer = ("guest", 1)

    async def main() -> None:
        crowd, limiter = Many(Limits(), Clock()), RateLimiter(WITHIN_S)
        crowd.come(*peer)
        one = Allowance(per_s=1000, burst=1000, at_once=1)
        ended: list[str] = []

        async def ask() -> None:
            try:
                with crowd.all.while_connected(peer):
                    async with limiter.acquire("guest", one):
                        ended.append("answered")
            except DisconnectedError:
                ended.append("gone")
            async with asyncio.timeout(WITHIN_S):  # what the task does afterwards is not disturbed
                await asyncio.sleep(0)
            ended.append("over")

        async with limiter.acquire("guest", one):
            asking = asyncio.create_task(ask())
            await asyncio.sleep(0)
            crowd.all.forget(peer)
            await asking
        assert ended == ["gone", "over"]
        with pytest.raises(DisconnectedError), crowd.all.while_connected(peer):
            pass
        async with limiter.acquire("guest", one):
            pass

    run(main)


def test_a_wait_that_is_ended_for_another_reason_ends_so() -> None:
    async def main() -> None:
        crowd = Many(Limits(), Clock())
        crowd.come("guest", 1)
        begun = asyncio.Event()

        async def ask() -> None:
            with crowd.all.while_connected(("guest", 1)):
                begun.set()
                await asyncio.Event().wait()

        asking = asyncio.create_task(ask())
        await begun.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    run(main)
