"""`companion doctor`: a line for each thing, what to do, and a running table left alone."""

from __future__ import annotations

import json
import os
import stat
from importlib.metadata import version
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.doctor import (
    STILL,
    Diagnosis,
    Verdict,
    diagnose_camera,
    is_served,
    print_diagnosis,
    reads_dice,
)
from companion.service.machine.settings_file import StoredSettings, write_settings
from companion.service.settings import Safe, Settings
from companion.table.database import COPIES
from tests.service.served import Browser, Served, serving
from tests.service.test_archive import begin_named
from tests.waiting import wait_until

ABOUT = [
    "service", "camera", "log", "model", "disk", "clock", "network", "mqtt", "power", "temperature",
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
    assert found["log"]["found"] == "The chain of hashes is whole: 1 games, 2 rows."
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
    with serving(Settings(data=tmp_path, host="127.0.0.1", port=0)) as served:
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
    with serving(Settings(data=tmp_path, host="127.0.0.1", port=0)):
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
    for source in (
        "http://ann:secret@127.0.0.1:1/stream",
        "http://127.0.0.1:1/stream.cgi?pwd=secret",
        "rtmps://ann:secret@cam/1",
        "ann:secret@cam/1",
    ):
        assert "secret" not in diagnose_camera(source, in_use=True).found


def test_a_reader_that_is_late_is_broken() -> None:
    found = reads_dice(patience_s=0.01)
    assert found.verdict is Verdict.BAD
    assert "entered by hand" in found.do


def test_the_picture_is_small_enough_to_ship() -> None:
    assert STILL.stat().st_size < 40_000


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
    settings = Settings(data=tmp_path, host="127.0.0.1", port=0, safe=Safe.FAILED)
    with serving(settings) as served:
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
    for options in ((), ("--self-test",)):
        wrong = run("--data", str(tmp_path), *options)
        assert wrong.exit_code == 1
        assert wrong.stdout.startswith(
            f"bad   settings      {tmp_path}/settings.toml cannot be used"
        )
    with serving(Settings(data=tmp_path, host="127.0.0.1", port=0)) as served:  # in safe mode
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


def test_a_bundle_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    result = run("--data", str(tmp_path), "--bundle", str(tmp_path / "no" / "help.json"))
    assert result.exit_code == 2
    assert str(tmp_path / "no") in result.stderr
