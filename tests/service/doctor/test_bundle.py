"""The support bundle says how the machine is, and not who plays."""

from __future__ import annotations

import getpass
import io
import json
import os
import re
import socket
import stat
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.cli.doctor.bundle import Bundle
from companion.cli.doctor.diagnoses import Diagnosis, Verdict
from companion.records.names import Merge, Names, write_names
from companion.service.machine.invitation_file import Joining, write_invitation
from companion.service.machine.settings_file import StoredSettings, write_settings
from companion.service.network.listening import Listening, write_listening
from companion.service.settings import Wifi
from tests.service.served import Browser, Served
from tests.service.test_archive import begin_named

CAMERA = "/dev/v4l/by-id/usb-046d_C920_SERIAL77-video-index0"
ADDRESS = "http://192.168.77.20:8080"
JOURNAL = """cat <<'END'
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
    programs(tmp_path, monkeypatch, JOURNAL)
    return tmp_path


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, journal: str) -> None:
    """Put a program in place of systemd's `journalctl`."""
    made = folder.parent / f"{folder.name}-bin"
    made.mkdir()
    (made / "journalctl").write_text(f"#!/bin/sh\n{journal}\n")
    (made / "journalctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{made}:{os.environ['PATH']}")


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
        *("VSzKdTatHU_MqEIxd3aNdQ", "CFP7MG", "hush hush", '"Den', "a picture of dice"),
        *(served.app_state.browsers.invitation.terminal, os.uname().nodename),
    ]
    assert [one for one in secrets if one in everything] == []
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


SECRET = "secret77"
CAMERAS = {
    "http": f"http://cam.example/videostream.cgi?user=admin&pwd={SECRET}",
    "rtsp": f"rtsp://admin:{SECRET}@cam.example/1",
    "file or folder": f"/home/anna/{SECRET}/film.mp4",
}


@pytest.mark.parametrize("kind", CAMERAS)
def test_of_a_camera_only_its_kind_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    data = tmp_path / "data"
    write_settings(data, StoredSettings(camera=CAMERAS[kind], host="den.example"))
    at = "" if kind == "file or folder" else "at cam.example"
    programs(tmp_path, monkeypatch, f"echo 'opening {SECRET} {at} for den.example'")
    assert "can be sent" in run(data).stderr
    found = contents(data)
    assert kind in json.loads(found["settings.json"])["camera"]
    everything = "\n".join(found.values())
    assert "admin" not in everything
    assert "anna" not in everything
    assert "example" not in everything
    assert (SECRET in everything) == (kind == "file or folder")


def test_secrets_of_the_machines_files_are_left_out_wherever_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By themselves they look like nothing: no pattern would find them."""
    data = tmp_path / "data"
    wifi = Wifi("Den", 'hush; "hush')
    write_settings(data, StoredSettings(camera="rtsp://ann:qu%20iet@cam/1", wifi=wifi))
    (data / "mqtt.toml").write_text(
        'broker = "mqtt://ann@localhost:1"\npassword_file = "mqtt-password"'
    )
    (data / "mqtt-password").write_text("silent night")
    (data / "mqtt-password").chmod(0o600)
    write_invitation(data, Joining(("http://x/j#so-so",), "CFP7MG"))
    said = [
        'hush; "hush',
        'hush\\; \\"hush',
        "qu iet",
        "qu%20iet",
        "silent night",
        "so-so",
        "CFP7MG",
    ]
    lines = tmp_path / "lines"
    lines.write_text("".join(f"begin {one} {json.dumps(one)} end\n" for one in said))
    programs(tmp_path, monkeypatch, f"cat {lines}")
    made = CliRunner().invoke(main, ["doctor", "--data", str(data), "--bundle", f"{data}.zip"])
    assert "can be sent" in made.stderr
    found = contents(data)
    assert found["journal.txt"].count('begin [left out] "[left out]" end\n') == len(said)
    everything = "\n".join(found.values())
    assert not re.search("hush|qu.*iet|silent|so-so|CFP7MG", everything)


def test_the_password_in_a_file_that_the_running_service_was_given_is_left_out(
    tmp_path: Path,
) -> None:
    data, file = tmp_path / "data", tmp_path / "house" / "mqtt.toml"
    for folder in (data, file.parent):
        folder.mkdir()
    file.write_text('broker = "mqtt://ann@localhost:1"\npassword_file = "password"')
    (file.parent / "password").write_text("silent night")
    (file.parent / "password").chmod(0o600)
    said = "it said silent night"
    assert Bundle(data, ()).clean(said) == said
    write_listening(data, Listening.of("127.0.0.1", 8080, file))
    assert Bundle(data, ()).clean(said) == "it said [left out]"


@pytest.mark.parametrize(
    ("more", "mode"), [("", 0o644), ("no_such_setting = 1", 0o600), ("language = 'xx'", 0o600)]
)
def test_the_password_is_left_out_though_the_settings_are_wrong(
    tmp_path: Path, more: str, mode: int
) -> None:
    named = 'broker = "mqtt://ann@localhost:1"\npassword_file = "password"\n'
    (tmp_path / "mqtt.toml").write_text(named + more)
    (tmp_path / "password").write_text("silent night\r\n")
    (tmp_path / "password").chmod(mode)
    assert Bundle(tmp_path, ()).clean("it said silent night") == "it said [left out]"


def test_settings_that_lead_to_no_password_leave_the_text_as_it_is(tmp_path: Path) -> None:
    for text in ("", "password_file = 7", 'password_file = "none"', "password_file = ", "\0"):
        (tmp_path / "mqtt.toml").write_text(text)
        assert Bundle(tmp_path, ()).clean("it said so") == "it said so"
    (tmp_path / "mqtt.toml").write_text('password_file = "/dev/zero"')
    assert Bundle(tmp_path, ()).clean("it said so") == "it said so"


def test_every_line_of_json_stays_one(tmp_path: Path) -> None:
    found = Diagnosis("log", Verdict.BAD, 'password: a"b at http://ann:pw@cam', 'say "hello"')
    Bundle(tmp_path, ()).write(tmp_path / "data.zip", [found])
    with zipfile.ZipFile(tmp_path / "data.zip") as archive:
        (line,) = archive.read("doctor.json").decode().splitlines()
    assert json.loads(line) == {
        "about": "log",
        "verdict": "bad",
        "found": "password: [left out]",
        "do": 'say "hello"',
    }


def test_it_may_be_written_to_standard_output(tmp_path: Path) -> None:
    """As `sudo companion doctor --bundle - > help.zip` has it: the file is the caller's own."""
    made = CliRunner().invoke(
        main, ["doctor", "--data", str(tmp_path), "--port", "1", "--bundle", "-"]
    )
    with zipfile.ZipFile(io.BytesIO(made.stdout_bytes)) as archive:
        assert "doctor.json" in archive.namelist()
    assert "service" in made.stderr.splitlines()[0]
    assert "can be sent" in made.stderr
    assert list(tmp_path.iterdir()) == []


NO_RIGHTS = "No journal files were opened due to insufficient permissions."


@pytest.mark.parametrize(
    ("journal", "reason"),
    [
        (
            f"echo '-- No entries --'; echo '{NO_RIGHTS}' >&2",
            f"has no lines of monster-table. {NO_RIGHTS}",
        ),
        (f"echo '{NO_RIGHTS}' >&2; exit 1", f"has no lines of monster-table. {NO_RIGHTS}"),
        ("exit 0", "has no lines of monster-table."),
    ],
)
def test_it_says_why_the_log_of_the_service_is_not_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: str, reason: str
) -> None:
    programs(tmp_path, monkeypatch, journal)
    (tmp_path / "table.db").symlink_to(tmp_path / "gone")
    names = Bundle(tmp_path, ()).write(tmp_path.parent / f"{tmp_path.name}.zip", [])
    assert "journal.txt" not in names
    assert contents(tmp_path)["files.txt"].splitlines() == [
        "table.db cannot be read: No such file or directory",
        f"journal.txt is not in it: it {reason}",
    ]


def test_it_says_that_there_is_no_journal_and_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    Bundle(tmp_path / "nowhere", ()).write(tmp_path.parent / f"{tmp_path.name}.zip", [])
    assert contents(tmp_path)["files.txt"].splitlines() == [
        "the data folder cannot be read: No such file or directory",
        "journal.txt is not in it: there is no journalctl",
    ]


def test_a_name_within_a_word_stays(tmp_path: Path) -> None:
    bundle = Bundle(tmp_path, ())
    assert bundle.clean("digest 1a:2b, at 12:30:59, 3.11.2, row 1.2") == (
        "digest 1a:2b, at 12:30:59, 3.11.2, row 1.2"
    )
    assert (
        bundle.clean("::1 and 2001:db8::5 and 10.0.0.1") == "[address] and [address] and [address]"
    )


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests is nobody whose name counts."""
    monkeypatch.setattr(getpass, "getuser", lambda: "root")
    monkeypatch.setattr(socket, "gethostname", lambda: "table-host")
    monkeypatch.setattr(Path, "owner", lambda _: "dorothea")
    monkeypatch.setenv("HOME", "/root")
    monkeypatch.delenv("SUDO_USER", raising=False)


@pytest.mark.usefixtures("elsewhere")
def test_no_user_of_the_machine_is_named_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the files, and whoever asked sudo."""
    monkeypatch.setenv("SUDO_USER", "carolina")
    text = "/home/berta: no, /media/berta/x: carolina dorothea"
    assert Bundle(tmp_path, ()).clean(text) == "/home/[user]: no, /media/[user]/x: [user] [user]"
    homes = "file:///home/berta/x //home/berta:/home/berta /run/media/berta/usb /var/home/berta"
    assert "berta" not in Bundle(tmp_path, ()).clean(homes)
    address = "8080/media/a1.js at table-host"
    assert Bundle(tmp_path, ()).clean(address) == "8080/media/a1.js at [host]"
    assert Bundle(tmp_path, ()).clean("http://home/a/b") == "http://home/a/b"
    assert Bundle(tmp_path, ("names",)).clean(text) == text


@pytest.mark.usefixtures("elsewhere")
def test_a_player_whose_name_begins_with_a_users_is_left_out_whole(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_USER", "carolina")
    players = "Carolina Rossi", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}pek User"
    begin_named(served.app_state.table, *players, game="tokyo")
    cleaned = Bundle(tmp_path, ()).clean(", ".join((*players, "CAROLINA", "user")))
    assert cleaned == "[player], [player], [user], user"


@pytest.mark.usefixtures("elsewhere")
def test_the_user_whom_every_pi_has_is_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUDO_USER", "pi")
    assert Bundle(tmp_path, ()).clean("Raspberry Pi 5") == "Raspberry Pi 5"


def test_a_file_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    made = str(tmp_path / "no" / "file.zip")
    result = CliRunner().invoke(main, ["doctor", "--data", str(tmp_path), "--bundle", made])
    assert result.exit_code == 2
    assert str(tmp_path / "no") in result.stderr


def test_an_empty_folder_has_a_bundle_too(tmp_path: Path) -> None:
    names = Bundle(tmp_path / "nowhere", ()).write(tmp_path / "file.zip", [])
    assert "doctor.json" in names
