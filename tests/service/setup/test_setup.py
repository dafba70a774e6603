"""`companion setup`, and what `serve` makes of the settings that it keeps."""

from __future__ import annotations

import os
import pty
import re
import signal
import stat
import subprocess
import sys
from io import RawIOBase
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.options import default_data
from companion.service.machine.settings_file import (
    StoredSettings,
    WrongSettingsError,
    read_settings,
    write_settings,
)
from companion.service.settings import Wifi
from companion.table.backup import back_up
from companion.table.database import FILE_NAME
from tests.service.machine.supervised import ROOT, SERVE, supervised
from tests.service.test_serve import refused
from tests.table.test_table import started


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["setup", "--data", str(folder), *arguments])


@pytest.fixture
def stills(tmp_path: Path) -> str:
    folder = tmp_path / "stills"
    folder.mkdir()
    cv2.imwrite(str(folder / "one.png"), np.full((120, 160, 3), 100, np.uint8))
    return str(folder)


def test_a_camera_that_works_is_kept_with_what_was_known(tmp_path: Path, stills: str) -> None:
    write_settings(tmp_path, StoredSettings(game="tokyo", wifi=Wifi("Den", 'pa"ss')))
    result = run(tmp_path, "--camera", stills, "--port", "8090")
    assert result.exit_code == 0, result.output
    kept = read_settings(tmp_path)
    assert kept == StoredSettings(camera=stills, port=8090, game="tokyo", wifi=Wifi("Den", 'pa"ss'))
    assert "160 × 120" in result.stdout
    assert "Next: companion serve" in result.stdout
    again = run(tmp_path)
    assert again.exit_code == 0
    assert read_settings(tmp_path) == kept


def test_a_camera_that_does_not_work_changes_nothing(tmp_path: Path, stills: str) -> None:
    run(tmp_path, "--camera", stills)
    result = run(tmp_path, "--camera", "/dev/video99")
    assert result.exit_code == 1
    assert "/dev/video99" in result.stdout
    assert read_settings(tmp_path).camera == stills


def test_without_a_camera_rolls_are_entered_by_hand(tmp_path: Path) -> None:
    result = run(tmp_path / "new")
    assert result.exit_code == 0
    assert "entered by hand" in result.stdout
    assert read_settings(tmp_path / "new") == StoredSettings()


def test_typed_none_takes_the_camera_away_and_stays(tmp_path: Path, stills: str) -> None:
    run(tmp_path, "--camera", stills)
    result = run(tmp_path, "--camera", "none")
    assert result.exit_code == 0
    assert read_settings(tmp_path).camera == "none"
    run(tmp_path, "--port", "8090")
    assert read_settings(tmp_path).camera == "none"


def test_a_title_is_kept_until_it_is_taken_away(tmp_path: Path) -> None:
    run(tmp_path, "--title", " Við barinn ")
    assert read_settings(tmp_path).title == "Við barinn"
    run(tmp_path, "--port", "8090")
    assert read_settings(tmp_path).title == "Við barinn"
    run(tmp_path, "--title", "")
    assert read_settings(tmp_path).title is None


@pytest.mark.parametrize("title", ["x" * 41, "a\u202eb", "a\nb"])
def test_what_is_no_title_is_refused(tmp_path: Path, title: str) -> None:
    result = run(tmp_path, "--title", title)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert not (tmp_path / "settings.toml").exists()


def test_a_further_table_of_the_package_is_started_by_its_own_unit(tmp_path: Path) -> None:
    folder = tmp_path / "tables" / "bar"
    result = run(folder, "--port", "8081")
    assert "Next: sudo systemctl enable --now monster-table@bar" in result.stdout
    with supervised(folder, f"{tmp_path}/bar") as service:
        shown = on_terminal(folder, "--port", "8082")
        again = f"sudo companion setup --data {folder}"
        assert f"sudo systemctl restart monster-table@bar && {again}" in shown
        service.end(signal.SIGTERM)


def on_terminal(folder: Path, *arguments: str) -> str:
    """Run `companion setup` on a terminal and return what it showed."""
    shown, terminal = pty.openpty()
    command = [sys.executable, "-c", SERVE, "setup", "--data", str(folder), *arguments]
    with os.fdopen(shown, "rb", buffering=0) as screen:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal, cwd=ROOT
        ) as process:
            os.close(terminal)
            lines = b"".join(iter(lambda: read_screen(screen), b""))
        assert process.returncode == 0, lines
    return lines.decode().replace("\r\n", "\n")


def read_screen(screen: RawIOBase) -> bytes:
    """Return what is shown next; nothing once the program has ended: Linux calls that an error."""
    try:
        return screen.read(4096) or b""
    except OSError:
        return b""


def test_a_code_is_shown_only_on_a_terminal_and_while_it_is_good(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with supervised(data, f"{tmp_path}/first") as service:
        shown = on_terminal(data, "--port", "8090")
        assert "sudo systemctl restart monster-table && sudo companion setup" in shown
        assert service.info["join"] not in shown
        assert service.info["code"] not in shown
        assert "█" not in shown
        assert on_terminal(data) == shown  # not yet started again
        service.end(signal.SIGTERM)
    with supervised(data, f"{tmp_path}/second") as service:
        shown = on_terminal(data)
        (link,) = re.findall(r"http://\S+/j#\S+", shown)
        assert link == service.info["join"]
        assert service.info["code"] in shown
        assert "█" in shown
        assert "restart" not in shown
        kept_by_a_log = run(data).output
        assert link.partition("#")[2] not in kept_by_a_log
        assert service.info["code"] not in kept_by_a_log
        assert "sudo companion setup" in kept_by_a_log


def test_a_running_service_takes_the_settings_that_its_command_line_leaves_open(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    gone = "/dev/v4l/by-id/usb-Gone-video-index0"
    write_settings(data, StoredSettings(camera=gone, port=1, names=("table.example",)))
    with supervised(data, f"{tmp_path}/notify") as service:  # with --port 0, which wins
        assert service.port > 1
        assert run(data, "--port", "8090").exit_code == 0
        service.end(signal.SIGTERM)
    assert service.process.returncode == 0
    assert read_settings(data).camera == gone


def test_the_file_is_read_by_its_owner_and_group_alone_and_in_no_backup(tmp_path: Path) -> None:
    started(tmp_path, "tokyo").close()
    write_settings(tmp_path, StoredSettings(wifi=Wifi("Den", "secret of the den")))
    assert stat.S_IMODE((tmp_path / "settings.toml").stat().st_mode) & 0o137 == 0
    backup = tmp_path.parent / f"{tmp_path.name}.db"
    back_up(tmp_path / FILE_NAME, backup)
    assert b"secret of the den" not in backup.read_bytes()


@pytest.mark.parametrize(
    "stored",
    [
        StoredSettings(),
        StoredSettings(camera="http://ann:x@192.168.1.5/stream", host="::", port=65535),
        StoredSettings(names=(), advertise="https://table.example"),
        StoredSettings(names=("a", "b"), wifi=Wifi("Café \\ “größe” ✓", ";:,\"\\'", hidden=True)),
    ],
)
def test_what_is_written_is_read(tmp_path: Path, stored: StoredSettings) -> None:
    write_settings(tmp_path, stored)
    assert read_settings(tmp_path) == stored


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("port = 0", "$.port"),
        ("port = 65536", "$.port"),
        ('port = "8080"', "$.port"),
        ("speed = 1", "speed"),
        ("camera =", "Invalid value"),
        ('camera = "a\\nb"', "$.camera"),
        ("[wifi]", "name"),
        (f'[wifi]\nname = "{"x" * 33}"', "$.wifi.name"),
        (f'[wifi]\nname = "{"é" * 17}"', "$.wifi"),
        ("names = [" + '"a",' * 17 + "]", "$.names"),
        ("#" * 20_000, "bytes"),
        ("\x00", ""),
    ],
)
def test_a_wrong_file_is_refused_with_its_field(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "settings.toml").write_text(content)
    with pytest.raises(WrongSettingsError, match=r".") as wrong:
        read_settings(tmp_path)
    assert reason in str(wrong.value)


def test_serve_and_setup_refuse_a_wrong_file_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("port = 0")
    assert "settings.toml" in refused("--data", str(tmp_path))
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "settings.toml cannot be used: port: " in result.stderr
    assert (tmp_path / "settings.toml").read_text() == "port = 0"


def test_the_folder_of_a_whole_machine_is_named_by_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONSTER_TABLE_DATA", str(tmp_path))
    assert default_data() == tmp_path
    monkeypatch.setenv("MONSTER_TABLE_DATA", "")
    monkeypatch.setenv("XDG_DATA_HOME", "/home/ann/data")
    assert default_data() == Path("/home/ann/data/monster-table")
