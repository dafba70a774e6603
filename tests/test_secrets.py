"""No log holds what lets somebody in: the log of a real service is looked through."""

from __future__ import annotations

import json
import os
import signal
import stat
from pathlib import Path
from random import Random

import pytest

from companion.redaction import shown_source
from companion.service.machine.joining import read_joining
from companion.service.machine.supervision import is_journal
from companion.service.settings import StoredSettings, Wifi, write_settings
from tests.player import Play
from tests.service.supervised import supervised


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("http://ann:pw@cam/x", "http://cam/x"),
        ("http://ann:p@w/x?y@cam:80/x?pwd=z", "http://cam:80/x"),
        ("rtsp://cam/user=admin_password=pw_channel=1", "rtsp://cam/user"),
        ("http://cam/x?mail=a@b&pwd=pw", "http://b"),
        ("rtsps:/ann:pw@cam", "rtsps:/cam"),
        ("ann:pw@cam/x", "cam/x"),
        ("cam/x?pwd=pw", "cam/x"),
        ("http://[fe80::1]:80/x", "http://[fe80::1]:80/x"),
        ("/films/a@b?.mp4", "/films/a@b?.mp4"),
        ("my film=1.mp4", "my film=1.mp4"),
        ("csi:1", "csi:1"),
        ("none", "none"),
    ],
)
def test_a_source_is_shown_without_user_password_and_query(source: str, shown: str) -> None:
    assert shown_source(source) == shown


PASSWORD = "pa55w0rd"
BREAKS = """
from companion.service.people.browsers import Browsers
first = Browsers.you
def you(browsers, secret):
    if secret and secret.startswith("break"):
        raise RuntimeError("failed for a cookie")
    return first(browsers, secret)
Browsers.you = you
"""
"""A service that fails for one cookie."""


@pytest.mark.parametrize("options", [(), ("--verbose",)])
def test_the_log_of_a_real_service_holds_no_secret(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Neither how to join, nor a cookie, nor the passwords of the camera and the Wi-Fi."""
    data = tmp_path / "data"
    camera = f"http://ann:{PASSWORD}@127.0.0.1:1/stream?token={PASSWORD}"
    write_settings(data, StoredSettings(camera=camera, wifi=Wifi("Den", PASSWORD)))
    with supervised(data, f"{tmp_path}/n", *options, before=BREAKS) as service:
        token, code = service.info["join"].partition("#")[2], service.info["code"]
        stranger, phone = (Play(service.port, Random(1)) for _ in range(2))
        phone.join(token)
        cookie = phone.cookie
        assert cookie
        stranger.ask("POST", "/api/join", {"token": token, "code": code})
        stranger.ask("POST", "/api/join", {"token": PASSWORD})
        stranger.ask("POST", "/api/tv/join", {"token": PASSWORD})
        links = json.loads(phone.ask("GET", "/api/viewers")[1])
        viewers = [links[kind].partition("#")[2] for kind in ("tv", "overlay")]
        for kind, of_viewer in zip(("tv", "overlay"), viewers, strict=True):
            assert stranger.ask("POST", f"/api/{kind}/join", {"token": of_viewer})[0] == 200
        phone.ask("GET", f"/api/qr.svg?code={code}")
        phone.ask("GET", "/api/state")
        phone.cookie = cookie.replace("=", "=break")
        phone.ask("GET", "/api/state")
        shown = service.end(signal.SIGTERM)
    joining = [line for line in shown.splitlines() if line.startswith("Join: ")]
    assert len(joining) == 1  # what the terminal shows, and no log
    logged = shown.replace(joining[0], "")
    for secret in (token, code, cookie.partition("=")[2], PASSWORD, *viewers):
        assert secret not in logged
    assert "RuntimeError: failed for a cookie" in logged
    assert ("GET /api/state" in logged) == bool(options)


JOURNAL = """
import os
found = os.fstat(2)
os.environ["JOURNAL_STREAM"] = f"{found.st_dev}:{found.st_ino}"
"""
"""A service whose standard error is kept by systemd."""


def test_a_journal_gets_no_token_and_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    with supervised(tmp_path / "data", f"{tmp_path}/n", before=JOURNAL) as service:
        file = tmp_path / "data" / "invitation"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        joining = read_joining(tmp_path / "data")
        assert joining is not None
        assert joining.links == (service.info["join"],)
        shown = service.end(signal.SIGTERM)
    assert "companion setup shows it" in shown
    assert service.info["url"] in shown
    assert service.info["join"].partition("#")[2] not in shown
    assert service.info["code"] not in shown
    assert "█" not in shown
    assert not file.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b'{"links": []}', bytes(5000),
        b'{"links": ["\xff"]}', b'{"links": ["a"], "x": ' + b"[" * 4000,
    ],
)  # fmt: skip
def test_a_file_that_is_no_invitation_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "invitation").write_bytes(content)
    assert read_joining(tmp_path) is None


def test_only_the_stream_that_systemd_names_is_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "journal").open("w+") as journal, (tmp_path / "other").open("w") as other:
        assert not is_journal(journal)
        found = os.fstat(journal.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        assert is_journal(journal)
        assert not is_journal(other)
        assert not is_journal(None)
