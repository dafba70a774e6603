"""The data folder of a command: whose it may be, and what may lie in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main

NOBODY = 65_534
COMMANDS = (
    ("backup", "one.zip"), ("doctor",), ("doctor", "--bundle", "-"), ("export", "g1"),
    ("forecast", "g1"), ("log", "check"), ("restore", "one.zip"), ("setup",), ("statistics",),
    ("tables", "add", "bar"), ("tables", "list"), ("tables", "close", "bar"),
)  # fmt: skip
"""Every command about a data folder but those that serve."""
PLACES = (
    "settings.toml", "tables.json", "starts", "table.db", "table.db-wal", "mqtt.toml", "listening",
    "invitation", "names.json", "mqtt-topics.json", "lock",
)  # fmt: skip


def run(folder: Path, *command: str) -> Result:
    return CliRunner().invoke(main, [*command, "--data", str(folder)])


@pytest.fixture
def anothers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of another user, as root."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    if os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: 0)
    else:
        os.chown(folder, NOBODY, NOBODY)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("below", ["", "new"])
def test_root_works_in_no_folder_of_another_user(
    anothers: Path, command: tuple[str, ...], below: str
) -> None:
    """Not where it would be made, either: its owner could put links there meanwhile."""
    result = run(anothers / below, *command)
    assert result.exit_code == 2
    assert "Run this as that user, not as root: sudo -u " in result.stderr
    assert [one.name for one in anothers.iterdir()] == ["kept"]


def test_a_container_asks_for_its_health_whoever_owns_the_volume(anothers: Path) -> None:
    result = run(anothers, "doctor", "--health", "--port", "1")
    assert "not as root" not in result.stderr


def test_root_works_in_no_table_that_lies_in_anothers_folder(
    anothers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    named = ["tables", "add", "bar", "--folder", str(anothers / "bar")]
    refused = run(mine, *named)
    assert "not as root" in refused.stderr
    with monkeypatch.context() as anybody:
        anybody.setattr(os, "geteuid", lambda: NOBODY)
        assert run(mine, *named).exit_code == 0
    for command in (("doctor",), ("log", "check", "--at", "bar")):
        assert "not as root" in run(mine, *command).stderr


def test_a_folder_that_cannot_be_looked_at_is_named(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "loop", tmp_path / ("a" * 300)):
        result = run(path, "tables", "list")
        assert result.exception is None or isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", ["doctor", "log check", "setup", "export g1", "statistics"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, place: str, command: str
) -> None:
    os.mkfifo(tmp_path / place)
    result = run(tmp_path, *command.split())
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert (tmp_path / place).is_fifo()
