"""`companion update`: what is asked of the helper, and how the command follows it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.update import command as following
from companion.cli.update.package import checked_package
from tests.waiting import WITHIN_S

Json = dict[str, Any]
STEPS = ("received", "checked", "unpacked", "tested", "switched")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["update", *arguments])


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


def package(folder: Path, name: str = "monster-table", of: str = "all") -> Path:
    """Build a package with Debian's own tool."""
    tree = folder / f"{name}-{of}"
    (tree / "DEBIAN").mkdir(parents=True)
    control = f"Package: {name}\nVersion: 0.2.0\nArchitecture: {of}\nMaintainer: Ann <a@b.c>\n"
    (tree / "DEBIAN" / "control").write_text(f"{control}Description: a test\n")
    made = folder / f"{name}_{of}.deb"
    subprocess.run(
        ["dpkg-deb", "--build", "--root-owner-group", str(tree), str(made)],
        check=True,
        capture_output=True,
    )
    return made


def helper(spool: Path, *statuses: Json, seen: list[Json]) -> threading.Thread:
    """Play the helper: take the request with its package, then report each status."""

    def work() -> None:
        request = spool / "request.json"
        until = time.monotonic() + WITHIN_S
        while not request.exists() and time.monotonic() < until:
            threading.Event().wait(0.01)
        asked = json.loads(request.read_text())
        request.unlink()
        if "file" in asked:
            taken = spool / asked["file"]
            asked["content"] = taken.read_bytes()
            asked["mode"] = stat.S_IMODE(taken.stat().st_mode)
            taken.unlink()
        seen.append(asked)
        for status in statuses:
            made = spool / "status.new"
            made.write_text(json.dumps({"form": 1, "id": asked["id"], "from": "0.1.0", **status}))
            made.rename(spool / "status.json")
            threading.Event().wait(0.5)  # longer than the command waits between two looks

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_an_update_is_asked_for_and_followed_to_its_end(tmp_path: Path, spool: Path) -> None:
    file, seen = package(tmp_path), list[Json]()
    statuses = [{"step": step} for step in STEPS] + [{"step": "healthy", "done": True, "ok": True}]
    working = helper(spool, *statuses, seen=seen)
    result = run(str(file), "--spool", str(spool), "--json")
    working.join()
    assert result.exit_code == 0, result.output
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["step"] for line in lines] == [*STEPS, "healthy"]
    (asked,) = seen
    content = asked.pop("content")
    assert content == file.read_bytes()
    assert asked == {
        "form": 1,
        "id": lines[0]["id"],
        "action": "install",
        "file": f"{lines[0]['id']}.deb",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "version": "0.2.0",
        "mode": 0o640,
    }
    assert [path.name for path in spool.iterdir()] == ["status.json"]


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        ("refused", "Nothing was changed: its self-test failed"),
        ("stepped-back", "The old version serves again: its self-test failed"),
        ("failed", "Neither version serves: its self-test failed"),
    ],
)
def test_an_update_that_failed_is_said_and_exits_1(
    tmp_path: Path, spool: Path, step: str, shown: str
) -> None:
    end = {"step": step, "done": True, "ok": False, "reason": "its self-test failed\x1b[2J"}
    working = helper(spool, {"step": "received"}, end, seen=[])
    result = run(str(package(tmp_path)), "--spool", str(spool))
    working.join()
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith(shown)
    assert "\x1b" not in result.stdout


def test_a_step_back_by_hand_needs_no_file(spool: Path) -> None:
    seen: list[Json] = []
    working = helper(spool, {"step": "healthy", "done": True, "ok": True}, seen=seen)
    result = run("--back", "--spool", str(spool))
    working.join()
    assert result.exit_code == 0
    assert seen[0].keys() == {"form", "id", "action"}
    assert seen[0]["action"] == "back"


def test_an_older_version_is_asked_for_by_name(tmp_path: Path, spool: Path) -> None:
    seen: list[Json] = []
    working = helper(spool, {"step": "healthy", "done": True, "ok": True}, seen=seen)
    assert run(str(package(tmp_path)), "--older", "--spool", str(spool)).exit_code == 0
    working.join()
    assert seen[0]["older"] is True


def test_a_status_of_another_update_is_not_ours(spool: Path) -> None:
    status = {"form": 1, "id": "0" * 16, "step": "healthy", "done": True, "ok": True}
    (spool / "status.json").write_text(json.dumps(status))
    result = run("--back", "--spool", str(spool), "--wait", "1")
    assert result.exit_code == 1
    assert result.stdout == ""


def test_a_request_that_nobody_takes_is_withdrawn(
    tmp_path: Path, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "UNTAKEN_S", 0.1)
    result = run(str(package(tmp_path)), "--spool", str(spool))
    assert result.exit_code == 1
    assert "systemctl status monster-table-update.path" in result.stderr
    assert list(spool.iterdir()) == []


def test_one_update_at_a_time(tmp_path: Path, spool: Path) -> None:
    (spool / "request.json").write_text("{}")
    result = run(str(package(tmp_path)), "--spool", str(spool))
    assert result.exit_code == 2
    assert "Another update" in result.stderr
    assert [path.name for path in spool.iterdir()] == ["request.json"]


def write_text(path: Path) -> None:
    path.write_text("no package")


def write_other(path: Path) -> None:
    package(path.parent, "another").rename(path)


def write_foreign(path: Path) -> None:
    package(path.parent, of="hurd-i386").rename(path)


def write_broken(path: Path) -> None:
    path.write_bytes(package(path.parent).read_bytes()[:100])


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("write", "why"),
    [
        (write_text, "no whole Debian package"),
        (write_broken, "no whole Debian package"),
        (make_pipe, "no whole Debian package"),
        (Path.mkdir, "is a folder"),
        (write_other, "a package of another"),
        (write_foreign, "is for hurd-i386"),
        (str, "There is no file"),
    ],
)
def test_what_is_no_package_of_this_program_is_refused(
    tmp_path: Path, spool: Path, write: Callable[[Path], object], why: str
) -> None:
    write(tmp_path / "file.deb")
    result = run(str(tmp_path / "file.deb"), "--spool", str(spool))
    assert result.exit_code == 2
    assert why in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert list(spool.iterdir()) == []


def test_without_a_spool_folder_there_is_no_helper(tmp_path: Path) -> None:
    result = run(str(package(tmp_path)), "--spool", str(tmp_path / "nowhere"))
    assert result.exit_code == 2
    assert "pip install" in result.stderr


@pytest.mark.parametrize("arguments", [(), ("file.deb", "--back"), ("--back", "--older")])
def test_a_file_or_a_step_back(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_a_package_says_what_it_is(tmp_path: Path) -> None:
    file = package(tmp_path)
    found = checked_package(file)
    assert (found.version, found.architecture) == ("0.2.0", "all")
    assert found.size == file.stat().st_size


def test_the_version_is_printed() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert result.stdout == f"companion {version('monster-table')}\n"
