"""Phones that got the page and did not arrive; and 120 that did."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.service.machine.joining import FORGET_S, MOST, Arrivals
from companion.service.settings import Limits, Settings
from tests.service.served import Browser, Served, serving

LATE_S = 20.0
AT_ONCE = 120


class Clock:
    """Seconds that pass when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


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
    assert arrivals.late == 0
    clock.now += LATE_S - 1
    arrivals.opened("10.0.0.7")
    assert arrivals.late == 0
    clock.now += 1
    assert arrivals.late == 1


def test_a_stream_is_an_arrival_and_a_reload_is_none(arrivals: Arrivals, clock: Clock) -> None:
    arrivals.opened("10.0.0.7")
    arrivals.arrived("10.0.0.7")
    arrivals.opened("10.0.0.7")
    clock.now += LATE_S
    assert arrivals.late == 0
    arrivals.left("10.0.0.7")
    arrivals.opened("10.0.0.7")
    clock.now += LATE_S
    assert arrivals.late == 1


def test_one_of_two_streams_of_an_address_goes(arrivals: Arrivals, clock: Clock) -> None:
    arrivals.arrived("10.0.0.7")
    arrivals.arrived("10.0.0.7")
    arrivals.left("10.0.0.7")
    arrivals.opened("10.0.0.7")
    clock.now += LATE_S
    assert arrivals.late == 0


def test_nobody_waits_for_ever_and_addresses_are_bounded(arrivals: Arrivals, clock: Clock) -> None:
    for one in range(MOST + 9):
        arrivals.opened(f"10.0.1.{one}")
    clock.now += LATE_S
    assert arrivals.late == MOST
    clock.now += FORGET_S
    assert arrivals.late == 0


def late(served: Served) -> int:
    served.app_state.tick()
    join = served.app_state.update(None).view.join
    assert join is not None
    return join.late


def test_the_service_counts_pages_without_a_stream(tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, camera="none", limits=Limits(late_s=0))
    with serving(settings) as served:
        host = Browser(served).join()
        stream = host.stream()
        stream.next()
        host.send("GET", "/", {}, None)
        assert late(served) == 0
        assert served.app_state.update(None).view.join is not None
        stray = Browser(served, source="127.0.0.7")
        with stray.served.connect("127.0.0.7") as sock:
            sock.sendall(b"GET /j HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            while sock.recv(65536):
                pass
        assert late(served) == 1


def test_120_phones_get_what_one_of_them_does(tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, camera="none")
    with serving(settings) as served:
        phones = [Browser(served).join() for _ in range(AT_ONCE)]
        streams = [phone.stream() for phone in phones]
        for stream in streams:
            assert stream.next().event == "message"
        seats = [{"player": "Ana", "monster": "inkwell"}]
        table = {
            "type": "TableSet",
            "game": "tokyo",
            "edition": "first",
            "house": [],
            "seats": seats,
        }
        rev = phones[0].say(table, command_id="table-for-all")
        for stream in streams:
            while stream.next().update().view.rev < rev:
                pass
