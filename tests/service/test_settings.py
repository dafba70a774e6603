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
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result
from flask import Flask

from companion.cli import main
from companion.cli.options import default_data
from companion.service.machine.joining import WifiCode, qr_svg, wifi_text
from companion.service.settings import (
    StoredSettings,
    Wifi,
    WrongSettingsError,
    read_settings,
    write_settings,
)
from companion.service.wire import WifiShown
from companion.table.backup import back_up
from companion.table.database import FILE_NAME
from tests.service.phone import Phone, Start, app_state_of
from tests.service.supervised import ROOT, SERVE, supervised
from tests.table.test_table import started


def run(folder: Path, *arguments: str, typed: str = "") -> Result:
    command = ["setup", "--data", str(folder), *arguments]
    return CliRunner().invoke(main, command, input=typed)


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
        assert service.info["code"] not in shown  # each game has another
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


def test_the_folder_of_a_whole_machine_is_named_by_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONSTER_TABLE_DATA", str(tmp_path))
    assert default_data() == tmp_path
    monkeypatch.setenv("MONSTER_TABLE_DATA", "")
    monkeypatch.setenv("XDG_DATA_HOME", "/home/ann/data")
    assert default_data() == Path("/home/ann/data/monster-table")


DEN = Wifi("Den", "hush hush")


@pytest.fixture
def app(start: Start) -> Flask:
    return start(wifi=DEN)


@pytest.mark.parametrize(
    ("wifi", "text"),
    [
        (DEN, "WIFI:T:WPA;S:Den;P:hush hush;;"),
        (Wifi("Guests"), "WIFI:T:nopass;S:Guests;;"),
        (Wifi("Café", "x", hidden=True), "WIFI:T:WPA;S:Café;P:x;H:true;;"),
        (Wifi('a;b,c:d"e\\f', ';;:"'), r"WIFI:T:WPA;S:a\;b\,c\:d\"e\\f;P:\;\;\:\";;"),
    ],
)
def test_the_text_is_escaped_as_phones_expect_it(wifi: Wifi, text: str) -> None:
    assert wifi_text(wifi) == text


def test_the_host_is_shown_the_code_and_others_where_the_host_wants(
    app: Flask, host: Phone
) -> None:
    guest = Phone(app).join()
    assert shown(host) is WifiShown.HOST
    assert host.get("/api/wifi.svg").data == qr_svg(wifi_text(DEN))
    assert guest.get("/api/wifi.svg").status_code == 404
    for view in (host.get("/api/state").text, guest.get("/api/state").text):
        assert "hush" not in view
        assert "Den" not in view
    assert host.post("/api/wifi", {"to_all": True}).status_code == 200
    assert shown(guest) is WifiShown.ALL
    answer = guest.get("/api/wifi.svg")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    log = app_state_of(app).log
    assert WifiCode(log, DEN).shown is WifiShown.ALL  # after a restart too
    host.post("/api/wifi", {"to_all": False})
    assert guest.get("/api/wifi.svg").status_code == 404
    assert WifiCode(log, DEN).shown is WifiShown.HOST


def test_a_television_is_shown_it_where_all_are(app: Flask, host: Phone) -> None:
    screen = Phone(app)
    link = msgspec.json.decode(host.get("/api/viewers").data)["tv"]
    assert screen.get("/api/tv/wifi.svg").status_code == 403
    assert screen.post("/api/tv/join", {"token": link.partition("#")[2]}).status_code == 200
    assert screen.get("/api/tv/wifi.svg").status_code == 404
    host.post("/api/wifi", {"to_all": True})
    answer = screen.get("/api/tv/wifi.svg")
    assert (answer.data, answer.headers["Cache-Control"]) == (qr_svg(wifi_text(DEN)), "no-store")
    assert screen.get("/api/wifi.svg").status_code == 403
    host.post("/api/wifi", {"to_all": False})
    assert screen.get("/api/tv/wifi.svg").status_code == 404


def shown(phone: Phone) -> WifiShown:
    join = phone.view().join
    assert join is not None
    return join.wifi


def test_without_a_wifi_there_is_no_code(start: Start) -> None:
    host = Phone(start()).join()
    assert shown(host) is WifiShown.NOBODY
    assert host.get("/api/wifi.svg").status_code == 404
    assert host.post("/api/wifi", {"to_all": True}).status_code == 200
    assert host.get("/api/wifi.svg").status_code == 404


def test_setup_keeps_a_wifi_and_forgets_it(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("hush hush\r\nnot this line\n")
    result = run(tmp_path, "--wifi-name", "Den", "--wifi-password-file", str(password))
    assert result.exit_code == 0
    assert "hush" not in result.output
    assert read_settings(tmp_path).wifi == DEN
    run(tmp_path, "--port", "8090")
    assert read_settings(tmp_path).wifi == DEN
    run(tmp_path, "--wifi-name", "Café", "--wifi-password-file", "-", typed="x y\n")
    assert read_settings(tmp_path).wifi == Wifi("Café", "x y")
    password.write_bytes(b"\xef\xbb\xbfhush hush\r\n")  # as Windows' editor writes it
    run(tmp_path, "--wifi-name", "Den", "--wifi-password-file", str(password))
    assert read_settings(tmp_path).wifi == DEN
    run(tmp_path, "--wifi-name", "Guests")
    assert read_settings(tmp_path).wifi == Wifi("Guests")
    run(tmp_path, "--no-wifi")
    assert read_settings(tmp_path).wifi is None


@pytest.mark.parametrize(
    ("name", "password"),
    [("", "x"), ("x" * 33, "x"), ("é" * 17, "x"), ("x", "y" * 64), ("x", ""), ("x", "\r\ny")],
)
def test_what_is_no_wifi_is_refused_and_changes_nothing(
    tmp_path: Path, name: str, password: str
) -> None:
    result = run(tmp_path, "--wifi-name", name, "--wifi-password-file", "-", typed=password)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
