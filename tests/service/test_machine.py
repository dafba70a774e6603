"""What a service manager hears of the service: ready, alive, frozen, stopping."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest

from companion.service.machine.joining import read_listening
from companion.service.machine.monitor import Monitor
from companion.service.machine.supervision import HEALTHY_S, ServiceManager, Starts, Supervision
from companion.service.settings import Limits, Safe, Settings
from tests.player import Play, compared
from tests.service.phone import HEADERS, Start, app_state_of, key_of
from tests.service.served import Browser, loopback, serving
from tests.service.supervised import FREEZES, ROOT, SERVE, manager_socket, supervised
from tests.service.test_advice import seated, until_roll
from tests.waiting import WITHIN_S, Clock

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


def ended(data: Path, *options: str, before: str = "", managed: bool = True) -> tuple[int, str]:
    """Start the service, which must end by itself; return its status and what it printed."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    if managed:
        environ["NOTIFY_SOCKET"] = f"{data}-manager"
    done = subprocess.run(
        [sys.executable, "-c", before + SERVE, "serve", "--data", str(data), *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environ,
        timeout=WITHIN_S,
        check=False,
    )
    return done.returncode, done.stderr


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
        assert ended(data, *options, "--port", "0")[0] == 2
    assert Starts(data).failed == 3
    with supervised(data, f"{data}-then", *options) as service:
        ready, status = service.message()
        assert (ready, status.startswith("STATUS=Safe mode")) == ("READY=1", True)
        shown = service.end(signal.SIGTERM)
    assert ("settings.toml cannot be used" in shown) == (wrong == "no TOML")
    assert "Safe mode after three failed starts" in shown
    assert "To leave it, restart" in shown
    assert Starts(data).failed == 0


def test_a_port_that_is_taken_and_a_crash_count(data: Path) -> None:
    with manager_socket(f"{data}-manager"):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = str(other.getsockname()[1])
            status, shown = ended(data, "--host", "127.0.0.1", "--port", port)
        assert (status, "is in use" in shown) == (2, True)
        assert f"--port {int(port) + 1}" in shown
        assert Starts(data).failed == 1
        status, shown = ended(data, "--port", "0", before=CRASHES)
        assert (status, "RuntimeError: the log" in shown) == (1, True)
    assert Starts(data).failed == 2
    assert read_listening(data) is None


def test_what_a_person_is_refused_does_not_count(data: Path) -> None:
    (data / "settings.toml").write_text("port = wrong")
    assert ended(data, managed=False)[0] == 2
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
        status, shown = ended(data, "--host", host, "--port", "0")
    assert (status, host in shown) == (2, True)
    assert Starts(data).failed == 2


def test_safe_mode_can_be_asked_for_and_forbidden(tmp_path: Path) -> None:
    with supervised(tmp_path / "data", f"{tmp_path}/asked", "--safe") as service:
        assert service.message()[1].startswith("STATUS=Safe mode")
        assert "start the service without --safe" in service.end(signal.SIGTERM)
    (tmp_path / "data" / "starts").write_text("7")
    with supervised(tmp_path / "data", f"{tmp_path}/forbidden", "--no-safe") as service:
        assert service.message()[1].startswith("STATUS=Serving")


def test_the_table_says_so_until_the_host_has_seen_it(tmp_path: Path) -> None:
    stills = tmp_path / "stills"
    stills.mkdir()
    settings = loopback(tmp_path / "data", camera=str(stills), safe=Safe.FAILED)
    with serving(settings) as served:
        host = Browser(served).join()
        view = host.ask("GET", "/api/state")[1]["view"]
        assert [one["words"]["key"] for one in view["notices"]] == ["machine.safe_mode"]
        assert view["tray"]["camera"] == "none"
        status, answer = host.ask("POST", "/api/seen", {"notice": view["notices"][0]["id"]})
        assert (status, answer["view"]["notices"]) == (200, [])


def test_no_process_is_started_for_photos_and_win_chances(start: Start) -> None:
    app = start(safe=Safe.ASKED)
    until_roll(app, "tokyo")
    ana = seated(app, 0)
    dice = {"faces": ["heal"] * 6}
    assert ana.post("/api/keeps", dice).status_code == 200
    coached = ana.post("/api/coach", dice)
    assert (coached.status_code, key_of(coached)) == (400, "error.safe_mode")
    headers = {**HEADERS, "Content-Type": "image/jpeg"}
    photo = ana.client.post("/api/photo", data=b"no picture", headers=headers)
    assert (photo.status_code, key_of(photo)) == (400, "error.safe_mode")
    assert app_state_of(app).forecasts.pid is None


@pytest.mark.parametrize(
    ("written", "failed"),
    [("", 0), ("0", 0), ("2", 2), ("3", 3), ("x", 0)],
)
def test_only_a_number_is_a_count(tmp_path: Path, written: str, failed: int) -> None:
    (tmp_path / "starts").write_text(written)
    starts = Starts(tmp_path)
    assert (starts.failed, starts.should_be_safe) == (failed, failed >= 3)
    starts.begin()
    assert Starts(tmp_path).failed == failed + 1


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_start(tmp_path: Path) -> None:
    starts = Starts(tmp_path / "nowhere")
    starts.begin()
    starts.went_well()
    assert not (tmp_path / "nowhere").exists()


def test_after_a_healthy_while_a_kill_counts_no_more(tmp_path: Path) -> None:
    async def run() -> int:
        with Supervision(ServiceManager(), Starts(tmp_path), (), healthy_s=0.01) as supervision:
            begun = Starts(tmp_path).failed
            supervision.ready("Serving")
            async with asyncio.timeout(WITHIN_S):
                while Starts(tmp_path).failed:  # until then a kill leaves a trace
                    await asyncio.sleep(0.01)
        return begun

    assert asyncio.run(run()) == 1
    assert HEALTHY_S == 60.0


def test_a_run_that_broke_or_never_was_ready_counts_as_failed(tmp_path: Path) -> None:
    for count, broken in enumerate((RuntimeError, SystemExit), start=1):
        with pytest.raises(broken), Supervision(ServiceManager(), Starts(tmp_path), ()):
            raise broken
        assert Starts(tmp_path).failed == count


FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"
ZONE = "sys/class/thermal/thermal_zone0/temp"


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


class Looks:
    """A monitor of a made-up machine."""

    def __init__(self, root: Path, limits: Limits | None = None) -> None:
        self.clock = Clock()
        settings = Settings(data=root, sensors=root, limits=limits or Limits())
        self.monitor = Monitor(settings, self.clock)

    def look(self) -> list[str]:
        self.monitor.look()
        return [one.words.key for one in self.monitor.notices]


def test_a_machine_that_is_well_shows_nothing(tmp_path: Path) -> None:
    looks = Looks(tmp_path)
    write(tmp_path / FIRMWARE, "0\n")
    write(tmp_path / ZONE, "60000\n")
    assert looks.look() == []


def test_weak_power_is_shown_once_it_has_been_weak(tmp_path: Path) -> None:
    looks = Looks(tmp_path)
    write(tmp_path / FIRMWARE, "50000\n")
    assert looks.look() == ["machine.power"]
    assert looks.look() == ["machine.power"]
    assert looks.monitor.mark_seen("machine-power")
    assert looks.look() == []  # the flag stays until the machine starts again
    write(tmp_path / FIRMWARE, "0\n")
    looks.look()
    write(tmp_path / FIRMWARE, "50005\n")
    assert looks.look() == ["machine.power"]


def test_heat_is_shown_until_it_has_cooled_down_a_little(tmp_path: Path) -> None:
    looks, shown = Looks(tmp_path), []
    for degrees in (79_900, 80_000, 79_000, 75_000, 74_900, 79_000):
        write(tmp_path / ZONE, f"{degrees}\n")
        shown.append(looks.look() == ["machine.heat"])
    assert shown == [False, True, True, True, False, False]


@pytest.mark.parametrize(
    ("low", "full", "shown"),
    [(0, 0, []), (1 << 60, 0, ["machine.disk_low"]), (1 << 60, 1 << 60, ["machine.disk_full"])],
)
def test_a_disk_is_low_before_it_is_full(
    tmp_path: Path, low: int, full: int, shown: list[str]
) -> None:
    looks = Looks(tmp_path, Limits(disk_low_bytes=low, disk_full_bytes=full))
    assert looks.look() == shown
    assert all(set(one.words.args) == {"free"} for one in looks.monitor.notices)


def ticked(looks: Looks, moves: Callable[[], None]) -> bool:
    """Whether a tick after these moves of the clock has started a look."""
    moves()
    before = looks.monitor._next_s
    looks.monitor.tick()
    looks.monitor._workers.submit(int).result()
    return looks.monitor._next_s != before


def test_it_looks_at_once_and_then_every_half_minute(tmp_path: Path) -> None:
    looks = Looks(tmp_path)
    move = looks.clock.move
    assert ticked(looks, lambda: move(0))
    assert not ticked(looks, lambda: move(29))
    assert ticked(looks, lambda: move(1))
    assert not ticked(looks, lambda: move(0))
