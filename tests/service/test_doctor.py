"""`companion doctor`: a line for each thing, what to do, and a running table left alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import threading
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import doctor, main
from companion.cli.doctor import (
    Diagnosis,
    Verdict,
    diagnose_camera,
    diagnose_reader,
    diagnose_service,
    is_served,
    print_diagnosis,
    served_at,
    wait_for_health,
)
from companion.service.machine.joining import (
    LISTENING,
    Listening,
    read_listening,
    write_listening,
)
from companion.service.machine.monitor import Power, Sensors, parse_flags
from companion.service.settings import Safe, StoredSettings, write_settings
from companion.table.database import COPIES
from tests.ports import free_port
from tests.service.served import Browser, Served, loopback, serving
from tests.service.supervised import supervised
from tests.service.test_archive import begin_named
from tests.service.test_machine import FIRMWARE, write
from tests.waiting import WITHIN_S, wait_until

ABOUT = [
    "service", "camera", "log", "model", "disk", "clock", "network", "power",
]  # fmt: skip


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments])


def found_by(*arguments: str) -> dict[str, dict[str, str]]:
    """Return the diagnoses by what they are about."""
    lines = [json.loads(line) for line in run("--json", *arguments).stdout.splitlines()]
    return {line["about"]: line for line in lines}


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file but the index of a journal, in which readers of a log note themselves."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".db-shm")
    return {str(path): path.read_bytes() for path in files}


def test_a_line_is_one_whatever_it_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    quoted = Diagnosis("log", Verdict.BAD, "a\nok    log  \x1b[2Jb\x9b", "c\r")
    print_diagnosis(quoted, as_json=False)
    assert capsys.readouterr().out == "bad   log           a ok    log   [2Jb  c\n"
    print_diagnosis(quoted, as_json=True)
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["found"] == quoted.found


def test_a_running_table_is_asked_and_not_touched(served: Served, tmp_path: Path) -> None:
    begin_named(served.app_state.table, "Ana", "Ben", game="tokyo")
    wait_until(lambda: any((tmp_path / COPIES).glob("*.db")))
    before = contents(tmp_path)
    found = found_by("--data", str(tmp_path), "--port", str(served.port), "--camera", "/dev/null")
    assert list(found) == ABOUT
    assert contents(tmp_path) == before
    assert found["service"]["verdict"] == "ok"
    assert f"port {served.port}" in found["service"]["found"]
    assert found["log"]["found"] == "The log is intact: 1 games, 2 rows."
    assert "used by the running table" in found["camera"]["found"]
    assert Browser(served).join().ask("GET", "/api/state")[0] == 200


def test_every_line_has_a_verdict_and_what_is_not_ok_a_remedy(tmp_path: Path) -> None:
    result = run("--data", str(tmp_path), "--port", "1", "--camera", "/dev/video99")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ABOUT
    assert all(line.split()[0] in {"ok", "look", "bad"} for line in lines)
    (camera_line,) = (line for line in lines if line.split()[1] == "camera")
    assert camera_line.startswith("bad")
    assert "/dev/video99" in camera_line
    assert "/dev/v4l/by-id" in camera_line
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_log_is_bad_and_stays_as_it_is(tmp_path: Path) -> None:
    with serving(loopback(tmp_path)) as served:
        begin_named(served.app_state.table, "Ana", "Ben", game="tokyo")
    log = tmp_path / "table.db"
    log.write_bytes(log.read_bytes().replace(b"Ana", b"Eva"))
    before = contents(tmp_path)
    result = run("--data", str(tmp_path), "--port", "1")
    assert result.exit_code == 1
    assert "The log is damaged" in result.stdout
    assert contents(tmp_path) == before
    tested = run("--self-test", "--data", str(tmp_path))
    assert tested.exit_code == 1
    assert contents(tmp_path) == before


def test_the_lock_of_a_running_service_is_seen_without_taking_it(tmp_path: Path) -> None:
    assert not is_served(tmp_path)
    with serving(loopback(tmp_path)):
        assert is_served(tmp_path)
    assert not is_served(tmp_path)


@pytest.mark.parametrize(
    ("level", "verdict"), [(0, Verdict.BAD), (100, Verdict.OK), (255, Verdict.BAD)]
)
def test_a_camera_shows_something(tmp_path: Path, level: int, verdict: Verdict) -> None:
    cv2.imwrite(str(tmp_path / "still.png"), np.full((120, 160, 3), level, np.uint8))
    found = diagnose_camera(str(tmp_path), in_use=False)
    assert found.verdict is verdict
    assert "160 × 120" in found.found


def test_a_camera_that_blocks_is_given_up(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "still.png"), np.zeros((120, 160, 3), np.uint8))
    found = diagnose_camera(str(tmp_path), in_use=False, patience_s=0.01)
    assert (found.verdict, found.found) == (Verdict.BAD, "The camera sends no pictures.")


def test_a_password_in_an_address_is_not_shown() -> None:
    assert "secret" not in diagnose_camera("ann:secret@cam/1?pwd=secret", in_use=True).found


def test_a_reader_that_is_late_is_broken() -> None:
    found = diagnose_reader(patience_s=0.01)
    assert found.verdict is Verdict.BAD
    assert "entered by hand" in found.do


def test_the_self_test_continues_a_copy_of_the_log(served: Served, tmp_path: Path) -> None:
    begin_named(served.app_state.table, "Ana", "Ben", game="tokyo")
    wait_until(lambda: any((tmp_path / COPIES).glob("*.db")))
    before = contents(tmp_path)
    result = run("--self-test", "--data", str(tmp_path))
    assert result.exit_code == 0, result.stdout
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [
        ["ok", about] for about in ("modules", "files", "model", "log")
    ]
    assert "1 games, 2 rows" in result.stdout
    assert contents(tmp_path) == before


def test_health_is_the_answer_of_the_service(served: Served) -> None:
    result = run("--health", "--port", str(served.port))
    assert (result.exit_code, result.stdout.split()[:2]) == (0, ["ok", "service"])
    status, answer = Browser(served).ask("GET", "/api/health")
    assert status == 200
    assert answer.keys() == {"version", "saved", "safe", "table"}
    assert (answer["saved"], answer["safe"], answer["table"]) == (True, False, "")


def test_health_says_safe_mode(tmp_path: Path) -> None:
    with serving(loopback(tmp_path, safe=Safe.FAILED)) as served:
        result = run("--health", "--json", "--port", str(served.port))
    assert result.exit_code == 0
    assert json.loads(result.stdout)["verdict"] == "look"


def test_it_looks_at_what_setup_has_kept(tmp_path: Path) -> None:
    write_settings(tmp_path, StoredSettings(camera="/dev/video98", port=1))
    found = found_by("--data", str(tmp_path))
    assert "/dev/video98" in found["camera"]["found"]
    assert "port 1 " in found["service"]["found"]
    named = found_by("--data", str(tmp_path), "--camera", "none", "--port", "2")
    assert named["camera"]["verdict"] == "ok"
    assert "port 2 " in named["service"]["found"]
    (tmp_path / "settings.toml").write_text("port = 0")
    wrong = run("--data", str(tmp_path))
    assert wrong.exit_code == 1
    assert wrong.stdout.startswith(f"bad   settings      {tmp_path}/settings.toml cannot be used")
    # An update goes on: the new version serves with such settings as well as the old one.
    assert run("--data", str(tmp_path), "--self-test").exit_code == 0
    with serving(loopback(tmp_path)) as served:  # in safe mode
        assert run("--health", "--data", str(tmp_path), "--port", str(served.port)).exit_code == 0


def test_the_bundle_is_what_was_found_the_versions_and_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "journalctl").write_text('#!/bin/sh\necho "asked for $*"\necho "no rights" >&2\n')
    (programs / "journalctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    made, data = tmp_path / "help.json", tmp_path / "tables" / "bar"
    printed = run("--data", str(data), "--port", "1", "--bundle", str(made))
    assert str(made) in printed.stderr
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    found = json.loads(made.read_text())
    assert [one["about"] for one in found["found"]] == ABOUT
    assert found["versions"]["monster-table"] == version("monster-table")
    asked, refused = found["log"]
    assert "--unit monster-table@bar " in asked
    assert refused == "no rights"
    result = run("--data", str(data), "--port", "1", "--bundle", "-")
    assert json.loads(result.stdout)["versions"] == found["versions"]
    assert "service" in result.stderr.splitlines()[0]
    monkeypatch.setenv("PATH", str(tmp_path))
    without = run("--data", str(data), "--port", "1", "--bundle", "-")
    assert json.loads(without.stdout)["log"] == ["journalctl did not work: FileNotFoundError"]


def health(data: Path, *options: str) -> tuple[int, str]:
    """Return exit status and line of the check that an update and a container make."""
    asked = run("--health", "--data", str(data), *options)
    return asked.exit_code, asked.stdout


@pytest.mark.parametrize("host", ["127.0.0.2", "0.0.0.0", "::1", "::", "localhost"])
def test_the_host_of_the_settings_is_asked(tmp_path: Path, host: str) -> None:
    with serving(loopback(tmp_path, host=host)) as served:
        write_settings(tmp_path, StoredSettings(host=host, port=served.port))
        assert health(tmp_path)[0] == 0
        assert health(tmp_path, "--port", str(served.port))[0] == 0


@pytest.mark.parametrize("host", ["127.0.0.2", "::"])
def test_options_of_the_unit_count_before_the_settings(tmp_path: Path, host: str) -> None:
    write_settings(tmp_path, StoredSettings(host="127.0.0.3", port=1))
    with supervised(tmp_path, f"{tmp_path}-n", "--host", host, "--port", "0") as running:
        port = read_listening(tmp_path).port  # type: ignore[union-attr]
        assert running.info["url"].endswith(f":{port}")
        status, line = health(tmp_path)
        assert (status, f"port {port}." in line) == (0, True)
        running.end(signal.SIGTERM)
    assert not (tmp_path / LISTENING).exists()


def test_a_service_that_was_killed_is_looked_for_where_the_next_one_listens(tmp_path: Path) -> None:
    with supervised(tmp_path, f"{tmp_path}-first", "--host", "127.0.0.2") as running:
        running.end(signal.SIGKILL)
    left = read_listening(tmp_path)
    assert left is not None
    with supervised(tmp_path, f"{tmp_path}-then", "--host", "127.0.0.4"):
        assert read_listening(tmp_path) != left
        assert health(tmp_path)[0] == 0


def test_it_is_looked_up_again_until_it_answers(tmp_path: Path) -> None:
    """A service that starts writes down where it listens: here, once it was asked in vain."""
    with (
        serving(loopback(tmp_path, host="127.0.0.2")) as served,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):

        def move() -> None:
            asking, _ = other.accept()
            write_listening(tmp_path, Listening("127.0.0.2", served.port))
            asking.close()

        moving = threading.Thread(target=move)
        moving.start()
        write_listening(tmp_path, Listening("127.0.0.1", other.getsockname()[1]))
        assert wait_for_health(tmp_path, None, WITHIN_S).verdict == "ok"
        moving.join()


def test_a_service_that_is_off_leaves_its_port_free(tmp_path: Path) -> None:
    port = free_port()
    write_settings(tmp_path, StoredSettings(host="127.0.0.2", port=port))
    at = served_at(tmp_path, None)
    with serving(loopback(tmp_path, host="127.0.0.2", port=port)):
        assert "answers" in diagnose_service(tmp_path, at).found
    assert f"port {port} is free" in diagnose_service(tmp_path, at).found
    write_listening(tmp_path, Listening("127.0.0.5", 7))  # options of the unit
    assert served_at(tmp_path, None).host == "127.0.0.5"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "8080",
        '{"host":"","port":1}',
        '{"host":"a","port":0}',
        " " * 40_000 + '{"host":"a","port":1}',
        '{"host":"\xff","port":1}',
        f'{{"host":"a","port":1,"x":{"[" * 15_000}',
    ],
)
def test_a_file_that_is_damaged_counts_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / LISTENING).write_bytes(content.encode("latin-1"))
    assert read_listening(tmp_path) is None
    assert served_at(tmp_path, None) == Listening("0.0.0.0", 8080)


def test_the_network_line_has_the_address_that_phones_are_given(tmp_path: Path) -> None:
    write_settings(tmp_path, StoredSettings(host="127.0.0.2", port=1))
    command = ("--data", str(tmp_path), "--camera", "none")
    assert "http://127.0.0.2:1 " in found_by(*command)["network"]["found"]
    write_settings(tmp_path, StoredSettings(advertise="http://10.1.2.3:8000", port=1))
    assert "http://10.1.2.3:8000 " in found_by(*command)["network"]["found"]


def sensors(root: Path, **files: str) -> Sensors:
    """Return sensors below `root`, with files whose names have `__` for `/`."""
    for name, content in files.items():
        write(root / name.replace("__", "/"), content)
    return Sensors(root)


@pytest.mark.parametrize(
    ("flags", "power"),
    [
        ("0", Power(False, False)),
        ("0x0\n", Power(False, False)),
        ("50005", Power(True, True)),
        ("throttled=0x50000\n", Power(False, True)),
        ("0x1", Power(True, True)),
        ("0x80008", Power(False, False)),  # hot, not weak
        ("", None),
        ("on", None),
    ],
)
def test_the_firmware_says_whether_the_supply_is_weak(flags: str, power: Power | None) -> None:
    assert parse_flags(flags) == power


def test_the_firmware_is_asked_before_the_alarms(tmp_path: Path) -> None:
    found = sensors(tmp_path, sys__class__hwmon__hwmon1__in0_lcrit_alarm="1\n")
    assert found.power() == Power(True, True)
    write(tmp_path / FIRMWARE, "0\n")
    assert found.power() == Power(False, False)
    assert doctor.diagnose_power(found).verdict is Verdict.OK
    write(tmp_path / FIRMWARE, "nonsense")
    assert found.power() == Power(True, True)


@pytest.mark.parametrize(
    ("flags", "verdict"), [("50005", Verdict.BAD), ("50000", Verdict.LOOK), ("0", Verdict.OK)]
)
def test_a_weak_supply_has_a_remedy(tmp_path: Path, flags: str, verdict: Verdict) -> None:
    write(tmp_path / FIRMWARE, flags)
    found = doctor.diagnose_power(Sensors(tmp_path))
    assert found.verdict is verdict
    assert ("power supply and a short cable" in found.do) == (verdict is not Verdict.OK)


@pytest.mark.parametrize("degrees", [74.9, 80.0])
def test_the_hottest_zone_counts(tmp_path: Path, degrees: float) -> None:
    zone = "sys__class__thermal__thermal_zone"
    found = sensors(
        tmp_path,
        **{f"{zone}0__temp": "41000\n", f"{zone}1__temp": f"{degrees * 1000:.0f}\n"},
        **{f"{zone}2__temp": "2147483647\n", f"{zone}3__temp": "?\n"},
    )
    assert found.celsius() == degrees


def test_a_machine_that_measures_nothing_is_no_worse_for_it(tmp_path: Path) -> None:
    found = Sensors(tmp_path)
    assert (found.power(), found.celsius()) == (None, None)


def test_a_clock_before_this_program_was_made_is_behind() -> None:
    assert doctor.diagnose_clock(datetime(1970, 1, 1, tzinfo=UTC)).verdict is Verdict.LOOK
    assert doctor.diagnose_clock().verdict is Verdict.OK


def test_the_disk_is_measured_and_left_as_it_was(tmp_path: Path) -> None:
    found = doctor.diagnose_disk(tmp_path / "not" / "yet")
    [free] = re.findall(r"(\d+) MB", found.found)
    # Other tests write meanwhile, so the two are only about the same.
    assert int(free) == pytest.approx(shutil.disk_usage(tmp_path).free >> 20, abs=1024)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_without_room_is_not_written() -> None:
    found = doctor.diagnose_disk(Path("/proc"))
    assert (found.verdict, found.found) == (Verdict.BAD, "Only 0 MB are free in /proc.")
