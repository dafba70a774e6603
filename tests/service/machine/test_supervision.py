"""What a service manager hears of the service: ready, alive, frozen, stopping."""

from __future__ import annotations

import os
import random
import signal
import socket
from pathlib import Path
from urllib.request import urlopen

import pytest

from companion.service.machine.supervision import ServiceManager
from tests.player import Play, compared
from tests.service.machine.supervised import FREEZES, manager_socket, supervised
from tests.waiting import WITHIN_S

LIMIT_S = 1.0
LIMIT = {"WATCHDOG_USEC": str(int(LIMIT_S * 1e6))}


@pytest.mark.parametrize("abstract", [False, True])
def test_the_manager_hears_ready_alive_and_stopping(tmp_path: Path, abstract: bool) -> None:
    name = f"@monster-table-{os.getpid()}-{tmp_path.name}" if abstract else f"{tmp_path}/notify"
    with supervised(tmp_path / "data", name, **LIMIT) as service:
        assert service.message() == ["READY=1", f"STATUS=Serving at {service.info['url']}"]
        assert [service.message() for _ in range(3)] == [["WATCHDOG=1"]] * 3
        service.end(signal.SIGTERM)
        service.until("STOPPING=1")
        assert service.process.returncode == 0


@pytest.mark.parametrize("environ", [{}, {**LIMIT, "WATCHDOG_PID": "1"}])
def test_nobody_is_pinged_who_expects_no_ping_of_this_process(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with supervised(tmp_path / "data", f"{tmp_path}/notify", **environ) as service:
        assert service.message()[0] == "READY=1"
        service.end(signal.SIGTERM)
        assert service.message() == ["STOPPING=1"]


@pytest.mark.parametrize("freeze", [signal.SIGUSR1, signal.SIGUSR2])
def test_a_frozen_service_is_pinged_no_more_and_started_again_with_nothing_lost(
    tmp_path: Path, freeze: signal.Signals
) -> None:
    data, name = tmp_path / "data", f"{tmp_path}/notify"
    with supervised(data, name, before=FREEZES, **LIMIT) as service:
        play = Play(service.port, random.Random(1))
        play.join(service.info["join"].partition("#")[2])
        while len(play.acknowledged) < 20:
            play.step()
        service.until("WATCHDOG=1")
        service.process.send_signal(freeze)
        assert service.line() == "frozen"
        assert service.pings_until_late(LIMIT_S) < 20
        if freeze is signal.SIGUSR1:  # the page is answered all the same: only the table is frozen
            with urlopen(service.info["url"], timeout=WITHIN_S) as page:
                assert page.status == 200
        service.end(signal.SIGABRT)
        assert service.process.returncode == -signal.SIGABRT
    assert compared(play, data) == (0, 0, 0)
    Path(name).unlink()
    with supervised(data, name, **LIMIT) as service:
        assert service.message()[0] == "READY=1"
        service.until("WATCHDOG=1")


def test_a_manager_that_is_gone_or_does_not_read_stops_nothing(tmp_path: Path) -> None:
    gone = ServiceManager(f"{tmp_path}/nowhere")
    gone.ready("Serving")
    with manager_socket(f"{tmp_path}/full") as reads_nothing:
        manager = ServiceManager(f"{tmp_path}/full")
        for _ in range(10_000):
            manager.ping()
        assert reads_nothing.recv(100) == b"WATCHDOG=1"


@pytest.mark.parametrize("address", ["", "@", "/", "relative", "udp:127.0.0.1:1"])
def test_an_address_that_is_none_is_ignored(address: str) -> None:
    manager = ServiceManager.of({"NOTIFY_SOCKET": address, **LIMIT})
    manager.ping()
    assert manager.watchdog_s == (LIMIT_S if address else None)


@pytest.mark.parametrize(
    ("period", "watchdog_s"),
    [
        *((text, None) for text in ("0", "-5", "soon", "", "²")),
        ("30000000", 30.0),
    ],
)
def test_only_a_time_is_a_period(period: str, watchdog_s: float | None) -> None:
    environ = {"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": period, "PATH": "/bin"}
    assert ServiceManager.of(environ).watchdog_s == watchdog_s
    assert environ == {"PATH": "/bin"}  # no child process speaks for this one


def test_a_status_is_one_line(tmp_path: Path) -> None:
    with manager_socket(f"{tmp_path}/notify") as socket_:
        assert isinstance(socket_, socket.socket)
        ServiceManager(f"{tmp_path}/notify").ready("Serving\nSTOPPING=1")
        assert socket_.recv(100) == b"READY=1\nSTATUS=Serving STOPPING=1"
