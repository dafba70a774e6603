"""The Wi-Fi of the box's own: what a person may write, and what NetworkManager reads of it."""

from __future__ import annotations

import configparser
import stat
from pathlib import Path

import pytest
from box_hotspot import (
    HotspotError,
    Places,
    WrongWifiError,
    checked_name,
    filled_in,
    read_password,
    set_up,
)

from tests.debian.commands import Commands
from tools.deb.build import PACKAGING

HOME = PACKAGING / "root/usr/lib/monster-table/hotspot"
TEMPLATE = (HOME / "monster-table-hotspot.nmconnection").read_text()


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "etc", HOME)


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    found = Commands(tmp_path)
    found.add("nmcli", "nft", "systemctl")
    found.add("companion", then=f"cat >>{tmp_path}/typed")
    monkeypatch.setenv("PATH", f"{found.folder}:/usr/bin:/bin")
    return found


def password(folder: Path, content: bytes) -> Path:
    file = folder / "password.txt"
    file.write_bytes(content)
    return file


def written(name: str, secret: str) -> configparser.ConfigParser:
    key_file = configparser.ConfigParser(interpolation=None)
    key_file.read_string(filled_in(TEMPLATE, name, secret))
    return key_file


@pytest.mark.parametrize(
    "content",
    [
        b"hush hush",
        b"hush hush\n",
        b"hush hush\r\n",
        b"\xef\xbb\xbfhush hush\r\nanother line",
    ],
)
def test_a_password_is_read_as_editors_write_it(tmp_path: Path, content: bytes) -> None:
    assert read_password(password(tmp_path, content)) == "hush hush"


@pytest.mark.parametrize("content", [b"12345678", b"x" * 63, b"  spaces  ", b'"\\;=#~ $`'])
def test_every_password_of_a_wifi_is_taken(tmp_path: Path, content: bytes) -> None:
    assert read_password(password(tmp_path, content)) == content.decode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n12345678\n",
        b"1234567",
        b"x" * 64,
        "contraseña".encode(),
        b"hush\thush",
        b"hush\x00hush",
        "hush hush".encode("utf-16"),
        b"x" * 100_000,
    ],
)
def test_what_is_no_password_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(WrongWifiError, match="8 to 63"):
        read_password(password(tmp_path, content))


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(WrongWifiError, match="no_file cannot be read"):
        read_password(tmp_path / "no_file")


@pytest.mark.parametrize(
    "name", ["B", "Borðspil", "La mesa del señor", "é" * 16, "🎲" * 8, "x" * 32]
)
def test_a_name_may_have_accents(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "x" * 33, "é" * 16 + "x", "🎲" * 9, "a\nb", "a\x7fb", "\udcff"]
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(WrongWifiError):
        checked_name(name)


@pytest.mark.parametrize(
    ("name", "ssid"),
    [
        ("Our Table", "Our Table"),
        ("Borð", "66;111;114;195;176;"),
        ("12345678", "49;50;51;52;53;54;55;56;"),
        ("10;20;", "49;48;59;50;48;59;"),
        (" a", "32;97;"),
        ("a\\b", "97;92;98;"),
        ("#a", "35;97;"),
    ],
)
def test_a_name_is_plain_or_its_bytes(name: str, ssid: str) -> None:
    assert written(name, "hush hush")["wifi"]["ssid"] == ssid


@pytest.mark.parametrize(
    ("secret", "psk"),
    [
        ("hush hush", "hush hush"),
        ("back\\slash", "back\\\\slash"),
        (" a b c  ", "\\sa b c\\s\\s"),
        (" " * 8, "\\s" * 8),
        ("psk=a;#b", "psk=a;#b"),
    ],
)
def test_a_password_is_escaped(secret: str, psk: str) -> None:
    key_file = written("Table", secret)
    assert key_file["wifi-security"]["psk"] == psk
    assert key_file["wifi"]["ssid"] == "Table"
    assert key_file["ipv4"]["address1"] == "10.42.0.1/24"


def test_the_service_and_the_wifi_are_started_with_it(
    places: Places, commands: Commands, tmp_path: Path
) -> None:
    set_up(places, "Borðspil", password(tmp_path, b"hush hush\r\n"))
    assert "psk=hush hush" in places.connection.read_text().splitlines()
    assert stat.S_IMODE(places.connection.stat().st_mode) == 0o600
    assert places.names.read_text() == (HOME / "dnsmasq.conf").read_text()
    assert (tmp_path / "typed").read_text() == "hush hush\n"
    assert commands.called == [
        "companion setup --hotspot --wifi-name Borðspil --wifi-password-file -",
        "nmcli connection reload",
        "nmcli connection up monster-table-hotspot",
        "systemctl restart monster-table.service",
        "companion setup",
    ]


def test_a_wifi_that_does_not_start_is_reported_and_the_service_serves(
    places: Places, commands: Commands, tmp_path: Path
) -> None:
    commands.add("nmcli", then='[ "$2" = reload ]')
    with pytest.raises(HotspotError, match="does not start"):
        set_up(places, "Table", password(tmp_path, b"hush hush"))
    assert commands.called[-1] == "systemctl restart monster-table.service"


@pytest.mark.parametrize(("name", "secret"), [("", b"hush hush"), ("Table", b"short")])
def test_a_wrong_name_or_password_changes_nothing(
    places: Places, commands: Commands, tmp_path: Path, name: str, secret: bytes
) -> None:
    with pytest.raises(WrongWifiError):
        set_up(places, name, password(tmp_path, secret))
    assert commands.called == []
    assert not places.etc.exists()


def test_a_missing_tool_is_named_with_its_package(
    places: Places, commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (commands.folder / "nmcli").unlink()
    monkeypatch.setenv("PATH", str(commands.folder))
    with pytest.raises(HotspotError, match="apt install network-manager"):
        set_up(places, "Table", password(tmp_path, b"hush hush"))
    assert not places.etc.exists()


def test_a_setup_that_fails_starts_no_wifi(
    places: Places, commands: Commands, tmp_path: Path
) -> None:
    commands.add("companion", then="exit 2")
    with pytest.raises(HotspotError, match="companion setup"):
        set_up(places, "Table", password(tmp_path, b"hush hush"))
    assert len(commands.called) == 1
