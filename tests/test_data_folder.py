"""The data folder of a command: whose it may be, and what may lie in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import doctor, main

NOBODY = 65_534
COMMANDS = (
    ("backup", "one.zip"), ("doctor",), ("doctor", "--bundle", "-"), ("export", "g1"),
    ("forecast", "g1"), ("log", "check"), ("restore", __file__), ("setup",), ("statistics",),
)  # fmt: skip
"""Every command about a data folder but those that serve."""
PLACES = (
    "settings.toml", "starts", "table.db", "table.db-wal", "mqtt.toml", "listening",
    "invitation", "names.json", "lock", "address.txt",
)  # fmt: skip


def run(folder: Path, *asked: str) -> Result:
    return CliRunner().invoke(main, [*asked, "--data", str(folder)])


@pytest.fixture
def anothers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of another user, as root."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "kept").write_text("kept")
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    monkeypatch.setattr(os, "geteuid", lambda: 0)  # each file of mine is then another user's
    return folder


@pytest.mark.parametrize("asked", COMMANDS)
@pytest.mark.parametrize("below", ["", "new", "new/er"])
def test_root_is_told_whose_folder_it_is_and_changes_nothing(
    anothers: Path, asked: tuple[str, ...], below: str
) -> None:
    result = run(anothers / below, *asked)
    assert result.exit_code == 2
    assert f"{anothers} belongs to " in result.stderr
    assert "Run this as that user, not as root: sudo -u " in result.stderr
    assert [one.name for one in anothers.iterdir()] == ["kept"]


def test_root_works_in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "There are no games in /not/there" in run(Path("/not/there"), "log", "check").stderr


@pytest.mark.parametrize("path", ["loop", "a" * 300])
def test_a_path_that_leads_nowhere_ends_with_a_sentence(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (tmp_path / "loop").symlink_to("loop")
    result = run(tmp_path / path, "log", "check")
    assert result.exit_code == 2
    assert f"Cannot read {tmp_path / path}: " in result.stderr


def test_a_container_asks_for_its_health_whoever_owns_the_volume(
    anothers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "HEALTHY_WITHIN_S", 0)
    result = run(anothers, "doctor", "--health", "--port", "1")
    assert result.exit_code == 1
    assert "service" in result.stdout
    assert "not as root" not in result.stderr


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("asked", ["doctor", "log check", "setup", "export g1", "statistics"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, place: str, asked: str
) -> None:
    os.mkfifo(tmp_path / place)
    result = run(tmp_path, *asked.split())
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert (tmp_path / place).is_fifo()
