"""The Wi-Fi's QR code: what is in it, who is shown it, and where its password is not."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from flask import Flask

from companion.cli import main
from companion.service.app import create_app
from companion.service.machine.joining import WifiCode, qr_svg, wifi_text
from companion.service.settings import Settings, StoredSettings, Wifi, read_settings, write_settings
from companion.service.wire import Role, WifiShown
from tests.service.machine.supervised import supervised
from tests.service.phone import Phone, app_state_of

DEN = Wifi("Den", "hush hush")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    app = create_app(Settings(data=tmp_path, wifi=DEN))
    yield app
    app_state_of(app).close()


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
    app: Flask,
) -> None:
    host, guest = Phone(app), Phone(app)
    host.join()
    guest.join()
    assert (host.you().role, guest.you().role) == (Role.HOST, Role.SPECTATOR)
    assert shown(host) is WifiShown.HOST
    assert host.get("/api/wifi.svg").data == qr_svg(wifi_text(DEN))
    assert guest.get("/api/wifi.svg").status_code == 404
    assert guest.post("/api/wifi", {"to_all": True}).status_code == 403
    assert Phone(app).get("/api/wifi.svg").status_code == 403
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


def test_a_television_is_shown_it_where_all_are(app: Flask) -> None:
    host, screen = Phone(app), Phone(app)
    host.join()
    code = msgspec.json.decode(host.get("/api/viewers").data)["code"]
    assert screen.get("/api/tv/wifi.svg").status_code == 403
    assert screen.post("/api/tv/join", {"code": code}).status_code == 200
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


def test_without_a_wifi_there_is_no_code(tmp_path: Path) -> None:
    app = create_app(Settings(data=tmp_path))
    host = Phone(app)
    host.join()
    assert shown(host) is WifiShown.NOBODY
    assert host.get("/api/wifi.svg").status_code == 404
    assert host.post("/api/wifi", {"to_all": True}).status_code == 200
    assert host.get("/api/wifi.svg").status_code == 404
    app_state_of(app).close()


def run(folder: Path, *arguments: str, typed: str = "") -> Result:
    command = ["setup", "--data", str(folder), *arguments]
    return CliRunner().invoke(main, command, input=typed)


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


def test_a_name_of_32_bytes_is_the_longest(tmp_path: Path) -> None:
    assert run(tmp_path, "--wifi-name", "é" * 16).exit_code == 0
    assert read_settings(tmp_path).wifi == Wifi("é" * 16)


@pytest.mark.parametrize(
    "options",
    [
        ("--wifi-password-file", "-"),
        ("--wifi-password-file", "-", "--no-wifi"),
        ("--wifi-name", "Den", "--no-wifi"),
    ],
)
def test_options_that_do_not_belong_together_are_refused(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    write_settings(tmp_path, StoredSettings(wifi=DEN))
    result = run(tmp_path, *options, "--port", "8090", typed="another one\n")
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert read_settings(tmp_path) == StoredSettings(wifi=DEN)


def test_serve_takes_it_from_the_settings_and_prints_it_nowhere(tmp_path: Path) -> None:
    data = tmp_path / "data"
    write_settings(data, StoredSettings(wifi=DEN, hotspot=True))
    with supervised(data, f"{tmp_path}/notify", "--verbose") as service:
        shown = service.end(signal.SIGTERM)
    assert service.process.returncode == 0
    assert "hush" not in shown
    assert "hush" not in repr(Settings(data=data, wifi=DEN))
