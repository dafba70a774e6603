"""The support bundle says how the machine is, and not who plays."""

from __future__ import annotations

import json
import os
import re
import stat
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.doctor.bundle import Bundle
from companion.records.names import Merge, Names, write_names
from companion.service.machine.invitation_file import Joining, write_invitation
from companion.service.machine.settings_file import StoredSettings, write_settings
from companion.service.settings import Wifi
from tests.service.served import Browser, Served
from tests.service.test_archive import begin_named

CAMERA = "/dev/v4l/by-id/usb-046d_C920_SERIAL77-video-index0"
ADDRESS = "http://192.168.77.20:8080"
JOURNAL = """#!/bin/sh
cat <<'END'
WARNING:x:Anastasia at 192.168.77.21 and fe80::1ff:fe23:4567:890a%eth0 (aa:bb:cc:dd:ee:ff)
INFO:y:GET /api/state?token=VSzKdTatHU_MqEIxd3aNdQ 17:17:03 version 1.2.3
END
"""
"""A program in place of systemd's, which prints what a service may have logged."""


@pytest.fixture
def folder(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with everything in it that nobody else should see."""
    begin_named(served.app_state.table, "Anastasia", "Bartholomäus", game="tokyo")
    Browser(served).join()
    write_names(tmp_path, Names((Merge(name="Nastja", into="Anastasia"),)))
    write_settings(
        tmp_path, StoredSettings(camera=CAMERA, advertise=ADDRESS, wifi=Wifi("Den", "hush hush"))
    )
    write_invitation(tmp_path, Joining((f"{ADDRESS}/j#VSzKdTatHU_MqEIxd3aNdQ",), "CFP7MG"))
    (tmp_path / "boxes").mkdir(exist_ok=True)
    (tmp_path / "boxes" / "0123.box").write_bytes(b"a picture of dice")
    programs = tmp_path.parent / f"{tmp_path.name}-bin"
    programs.mkdir()
    (programs / "journalctl").write_text(JOURNAL)
    (programs / "journalctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return tmp_path


def run(folder: Path, *arguments: str) -> Result:
    made = folder.parent / f"{folder.name}.zip"
    port = ("--port", "1")
    return CliRunner().invoke(
        main, ["doctor", "--data", str(folder), *port, "--bundle", str(made), *arguments]
    )


def contents(folder: Path) -> dict[str, str]:
    with zipfile.ZipFile(folder.parent / f"{folder.name}.zip") as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_it_says_how_the_machine_is_and_names_nobody(served: Served, folder: Path) -> None:
    result = run(folder)
    assert "can be sent" in result.stderr
    found = contents(folder)
    assert {"doctor.json", "versions.json", "settings.json", "files.txt", "journal.txt"} < set(
        found
    )
    everything = "\n".join(found.values())
    secrets = [
        *("Anastasia", "Bartholomäus", "Nastja", "192.168.77", "fe80", "aa:bb:cc", "SERIAL77"),
        *("VSzKdTatHU_MqEIxd3aNdQ", "CFP7MG", "hush hush", "Den", "a picture of dice"),
        *(served.app_state.browsers.invitation.terminal, os.uname().nodename),
    ]
    assert [one for one in secrets if re.search(rf"\b{re.escape(one)}", everything)] == []
    assert "17:17:03 version 1.2.3" in found["journal.txt"]
    assert "[player] at [address] and [address] ([address])" in found["journal.txt"]
    (game,) = (json.loads(line) for line in found["games/g1.jsonl"].splitlines()[:1])
    assert [seat["player"] for seat in game["event"]["seats"]] == ["P1", "P2"]
    made = folder.parent / f"{folder.name}.zip"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


def test_names_addresses_and_pictures_are_in_it_only_where_asked(
    served: Served, folder: Path
) -> None:
    assert "can be sent" in run(folder, "--with", "names").stderr
    named = contents(folder)
    assert '"player":"Anastasia"' in named["games/g1.jsonl"]
    assert "Anastasia at [address]" in named["journal.txt"]
    assert "can be sent" in run(folder, "--with", "addresses", "--with", "pictures").stderr
    addressed = contents(folder)
    assert "[player] at 192.168.77.21 and fe80::" in addressed["journal.txt"]
    assert addressed["boxes/0123.box"] == "a picture of dice"
    for found in (named, addressed):
        everything = "\n".join(found.values())
        assert "VSzKdTatHU_MqEIxd3aNdQ" not in everything
        assert "hush hush" not in everything


def test_a_name_within_a_word_stays(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path, ())
    assert bundle.clean("digest 1a:2b, at 12:30:59, 3.11.2, row 1.2") == (
        "digest 1a:2b, at 12:30:59, 3.11.2, row 1.2"
    )
    assert (
        bundle.clean("::1 and 2001:db8::5 and 10.0.0.1") == "[address] and [address] and [address]"
    )


def test_a_file_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    made = str(tmp_path / "no" / "file.zip")
    result = CliRunner().invoke(main, ["doctor", "--data", str(tmp_path), "--bundle", made])
    assert result.exit_code == 2
    assert made in result.stderr


def test_an_empty_folder_has_a_bundle_too(tmp_path: Path) -> None:
    names = Bundle(tmp_path / "nowhere", ()).write(tmp_path / "file.zip", [])
    assert "doctor.json" in names
