"""`--camera auto`: the camera that is there, the terminal's lines, and one that is plugged in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from companion.cli.words import sentence
from companion.service import wire
from companion.service.dice.cameras import AUTO, NONE, Cameras
from companion.service.settings import Settings
from companion.service.views.view import MONSTERS
from companion.table import RefusedError
from companion.vision.sources.cameras import FoundCamera
from companion.vision.states import CameraState
from tests.network_camera import OneThrow, in_the_network
from tests.service.person import Person
from tests.service.served import Browser, serving
from tests.waiting import wait_until

MAIN = "from companion.cli import main; main()"
FINDING = """
from companion.vision.sources import cameras
found = tuple(cameras.FoundCamera(*each) for each in {found!r})
cameras.find_cameras = cameras.find_usb_cameras = lambda: found
"""
"""Another list of the machine's cameras."""
Started = tuple[str, subprocess.Popen[str]]


@contextmanager
def served(data: Path, *options: str, found: Sequence[tuple[str, ...]] = ()) -> Iterator[Started]:
    """Run `companion serve` on a machine with these cameras; give how to join and the process."""
    command = [sys.executable, "-c", FINDING.format(found=tuple(found)) + MAIN, "serve"]
    place = ["--host", "127.0.0.1", "--port", "0", "--data", str(data)]
    with subprocess.Popen(
        [*command, *place, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    ) as service:
        assert service.stdout is not None
        try:
            yield json.loads(service.stdout.readline())["join"], service
        finally:
            service.terminate()


def lines_below_the_code(service: subprocess.Popen[str], last: str) -> list[str]:
    """Read what is printed below the QR code, until the last line."""
    assert service.stderr is not None
    shown: list[str] = []
    for line in iter(service.stderr.readline, ""):
        shown.append(line.rstrip("\n"))
        if shown[-1] == last:
            break
    code = max(n for n, line in enumerate(shown) if set("█▀▄") & set(line))
    return [line for line in shown[code + 1 :] if line.strip()]


def test_without_a_camera_four_lines_say_how_to_go_on(tmp_path: Path) -> None:
    stop = sentence("serve.stop")
    with served(tmp_path) as (join, service):
        first, *rest = lines_below_the_code(service, stop)
    assert join in first
    assert rest == [
        sentence("serve.no_camera", command="companion demo"),
        sentence("serve.games", path=str(tmp_path)),
        stop,
    ]


def test_a_camera_that_is_off_is_not_opened(tmp_path: Path) -> None:
    with served(tmp_path, "--camera", "none", found=[("A", "/dev/null")]) as (_, service):
        assert sentence("serve.camera_off") in lines_below_the_code(service, sentence("serve.stop"))


def test_a_camera_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    with served(tmp_path, found=[("Cam", "/dev/null", "busy")]) as (_, service):
        lines = lines_below_the_code(service, sentence("serve.stop"))
    assert sentence("error.camera.busy", source="Cam") in lines


def test_a_folder_that_takes_nothing_is_named_with_the_reason() -> None:
    """No user can write there, and none is needed to look at it."""
    folder = Path("/proc")
    with served(folder) as (_, service):
        lines = lines_below_the_code(service, sentence("serve.stop"))
    [line] = [line for line in lines if str(folder) in line]
    begin = sentence("serve.cannot_save", path=str(folder), reason="\0").partition("\0")[0]
    assert line.startswith(begin)


def test_serve_without_options_reads_a_roll_of_the_camera_that_is_there(tmp_path: Path) -> None:
    throw = OneThrow("test_tokyo", 0)
    with (
        in_the_network(throw) as address,
        served(tmp_path, found=[("Tray cam", address), ("Other", "/dev/null")]) as (join, service),
    ):
        lines = lines_below_the_code(service, sentence("serve.stop"))
        shown = sentence("serve.camera", name="Tray cam", width=640, height=360, other="/dev/null")
        assert shown in lines
        url, _, token = join.partition("/j#")
        host = Person()
        assert host.ask(url, "/api/join", {"token": token})[0] == 200
        seats = [{"player": n, "monster": m} for n, m in zip("AB", MONSTERS, strict=False)]
        table = {"type": "TableSet", "game": throw.game, "edition": "first", "seats": seats}
        host.say(url, "start-the-game", table, {"type": "GameStarted", "first": 0})
        host.say(url, "cards-are-named-later", {"type": "PutOff"})
        assert host.ask(url, "/api/read-again", {})[0] == 200
        with host.stream(url) as updates:
            for update in updates:
                tray = msgspec.json.decode(update, type=wire.Update).view.tray
                if tray.proposal is not None:
                    break
        assert tray.proposal is not None
        assert Counter(str(die.face) for die in tray.proposal.dice) == throw.faces


def test_a_camera_that_is_plugged_in_is_offered_to_the_host_and_used(tmp_path: Path) -> None:
    plugged: list[FoundCamera] = []
    throw = OneThrow("test_tokyo", 0)
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=throw.game)
    with in_the_network(throw) as address, serving(settings) as table:
        state = table.app_state
        state.cameras = Cameras(AUTO, state.publish, lambda: (), lambda: tuple(plugged))
        host, guest = Browser(table).join(), Browser(table).join()
        assert host.ask("POST", "/api/camera", {})[1]["error"]["key"] == "error.camera.gone"
        assert host.view().tray.found == ""
        plugged.append(FoundCamera("Tray cam", address))
        wait_until(lambda: host.view().tray.found == "Tray cam")
        assert guest.ask("POST", "/api/camera", {})[0] == 403
        assert host.ask("POST", "/api/camera", {})[0] == 200
        wait_until(lambda: host.view().tray.camera is CameraState.OK)
        wait_until(lambda: host.view().tray.found == "")


def test_what_is_in_use_broken_or_not_wanted_is_not_offered() -> None:
    used = FoundCamera("A", "http://127.0.0.1:1/a")
    broken = FoundCamera("B", "http://127.0.0.1:1/b", "busy")
    changes: list[None] = []
    cameras = Cameras(AUTO, lambda: changes.append(None), lambda: (used,), lambda: (used, broken))
    assert cameras.name == "A"
    cameras.look(cameras.source())
    assert (cameras.offered, changes) == ("", [])
    with pytest.raises(RefusedError):
        cameras.take()
    off = Cameras(NONE, lambda: None, lambda: (used,), lambda: (used,))
    off.tick(CameraState.NONE, None)
    off.close()
    assert (off.name, off.offered, off.source()) == ("", "", None)
