"""Whatever ends a start below a service manager counts, and the fourth start is served."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from companion.service.machine.joining import read_listening
from companion.service.machine.supervision import Starts
from tests.service.machine.supervised import ROOT, SERVE, manager_socket, supervised
from tests.waiting import WITHIN_S

CRASHES = """
from companion.table import Table
def init(*_):
    raise RuntimeError("the log")
Table.__init__ = init
"""
"""A service that crashes while it replays its log."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder, as the package makes one."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


def start(data: Path, *options: str, before: str = "", managed: bool = True) -> tuple[int, str]:
    """Start the service, which must end by itself; return its status and what it printed."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    if managed:
        environ["NOTIFY_SOCKET"] = f"{data}-manager"
    ended = subprocess.run(
        [sys.executable, "-c", before + SERVE, "serve", "--data", str(data), *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environ,
        timeout=WITHIN_S,
        check=False,
    )
    return ended.returncode, ended.stderr


@contextmanager
def taken(host: str) -> Iterator[str]:
    """Yield a port that another program has."""
    with socket.create_server((host, 0)) as other:
        yield str(other.getsockname()[1])


WRONG = {
    "no TOML": ("port = wrong",),
    "a name that is none": ('names = ["a b"]', 'camera = "/nowhere/film.mp4"', 'game = "chess"'),
    "an address that is none": ('advertise = "here"',),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_after_three_starts_that_were_refused_the_table_is_served_without_what_is_wrong(
    data: Path, wrong: str
) -> None:
    (data / "settings.toml").write_text("\n".join(WRONG[wrong]))
    (data / "starts").write_text("2")
    options = ("--profile", str(data / "gone.json"))
    with manager_socket(f"{data}-manager"):
        assert start(data, *options, "--port", "0")[0] == 2
    assert Starts(data).failed == 3
    with supervised(data, f"{data}-then", *options) as service:
        ready, status = service.message()
        assert (ready, status.startswith("STATUS=Safe mode")) == ("READY=1", True)
        shown = service.end(signal.SIGTERM)
    assert ("settings.toml cannot be used" in shown) == (wrong == "no TOML")
    assert Starts(data).failed == 0


def test_a_port_that_is_taken_and_a_crash_count(data: Path) -> None:
    with manager_socket(f"{data}-manager"):
        with taken("127.0.0.1") as port:
            status, shown = start(data, "--host", "127.0.0.1", "--port", port)
        assert (status, "is in use" in shown) == (2, True)
        assert Starts(data).failed == 1
        status, shown = start(data, "--port", "0", before=CRASHES)
        assert (status, "RuntimeError: the log" in shown) == (1, True)
    assert Starts(data).failed == 2
    assert read_listening(data) is None


def test_what_a_person_is_refused_does_not_count(data: Path) -> None:
    (data / "settings.toml").write_text("port = wrong")
    assert start(data, managed=False)[0] == 2
    assert [path.name for path in data.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 2), (2, 2), (3, 3), (9, 9)])
def test_an_address_that_is_not_there_yet_makes_a_pause_and_no_safe_mode(
    data: Path, before: int, after: int
) -> None:
    (data / "starts").write_text(str(before))
    starts = Starts(data)
    starts.wait_for_network()  # of a person's start nothing is written
    assert Starts(data).failed == before
    starts.begin()
    starts.begin()  # once, however often it is called
    assert Starts(data).failed == before + 1
    starts.wait_for_network()
    assert Starts(data).failed == after


@pytest.mark.parametrize("host", ["203.0.113.7", "no-such-host.invalid"])
def test_an_address_before_the_network_is_there(data: Path, host: str) -> None:
    (data / "starts").write_text("2")
    with manager_socket(f"{data}-manager"):
        status, shown = start(data, "--host", host, "--port", "0")
    assert (status, host in shown) == (2, True)
    assert Starts(data).failed == 2
