"""The port in what Avahi announces and in the hotspot's redirect."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from box_port import announce, port_of

from tools.deb.build import PACKAGING

TEMPLATE = PACKAGING / "root/usr/lib/monster-table/avahi.service"
RULES = PACKAGING / "root/usr/lib/monster-table/hotspot/redirect.nft"


def settings(folder: Path, content: str) -> Path:
    (folder / "settings.toml").write_text(content)
    return folder


@pytest.mark.parametrize(
    ("content", "port"),
    [
        ("port = 8081\n", 8081),
        ("port = 1\n", 1),
        ("port = 65535\n", 65535),
        ("", 8080),
        ("port = 0\n", 8080),
        ("port = 65536\n", 8080),
        ("port = -1\n", 8080),
        ("port = true\n", 8080),
        ('port = "8081"\n', 8080),
        ("port = 80.5\n", 8080),
        ("port =\n", 8080),
        ("[port]\na = 1\n", 8080),
        ("a = " + "[" * 5000, 8080),
        ("#" * 20_000 + "\nport = 8081\n", 8080),
        ("\x00", 8080),
    ],
)
def test_the_port_is_that_of_the_settings_within_its_bounds(
    tmp_path: Path, content: str, port: int
) -> None:
    assert port_of(settings(tmp_path, content)) == port


def test_without_settings_it_is_the_default(tmp_path: Path) -> None:
    assert port_of(tmp_path) == 8080
    assert port_of(tmp_path / "nowhere") == 8080


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("port = 8081\n")
    (tmp_path / "settings.toml").symlink_to(other)
    assert port_of(tmp_path) == 8080
    (tmp_path / "settings.toml").unlink()
    os.mkfifo(tmp_path / "settings.toml")
    assert port_of(tmp_path) == 8080


def test_avahi_names_the_port_and_its_file_is_written_only_where_it_changes(tmp_path: Path) -> None:
    services = tmp_path / "services"
    services.mkdir()
    announce(settings(tmp_path, "port = 8081\n"), TEMPLATE, services)
    (file,) = services.iterdir()
    assert "<port>8081</port>" in file.read_text()
    assert "@" not in file.read_text()
    first = file.stat().st_ino
    announce(tmp_path, TEMPLATE, services)
    assert file.stat().st_ino == first
    announce(settings(tmp_path, ""), TEMPLATE, services)
    assert "<port>8080</port>" in file.read_text()
    assert [path.name for path in services.iterdir()] == ["monster-table.service"]


def test_the_redirect_has_a_place_for_the_port() -> None:
    assert RULES.read_text().count("redirect to :@PORT@") == 1
