"""Which camera a source names: one camera is one, whatever leads to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.tables.cameras import camera_of, expected_camera, lasting_name, same_camera
from companion.vision.readings import SourceError
from companion.vision.sources.kinds import Device

ONE, OTHER = Path("/dev/null"), Path("/dev/zero")
"""Two nodes that exist everywhere, in place of cameras."""


def link(folder: Path, name: str, to: Path) -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).symlink_to(to)
    return str(folder / name)


def number(node: Path) -> str:
    found = node.stat().st_rdev
    return f"{found >> 8}:{found & 0xFF}"


def test_two_names_of_one_node_are_one_camera(tmp_path: Path) -> None:
    first, second = (link(tmp_path, name, ONE) for name in ("usb-A", "usb-B"))
    assert same_camera(first, second)
    assert same_camera(first, str(ONE))
    assert not same_camera(first, link(tmp_path, "usb-C", OTHER))


def test_the_nodes_of_one_device_are_one_camera(tmp_path: Path) -> None:
    usb = tmp_path / "usb1"
    usb.mkdir()
    for node in (ONE, OTHER):
        (tmp_path / number(node)).mkdir()
        (tmp_path / number(node) / "device").symlink_to(usb)
    assert same_camera(str(ONE), str(OTHER), tmp_path)
    assert not same_camera(str(ONE), str(OTHER), tmp_path / "nowhere")


def test_an_unplugged_camera_is_known_by_its_name() -> None:
    gone = "/dev/v4l/by-id/usb-nobody-video-index0"
    assert same_camera(gone, gone)
    assert not same_camera(gone, gone.replace("nobody", "somebody"))
    assert expected_camera(gone) == Device(gone)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("none", "none", False),
        ("csi", "csi:0", True),
        ("csi:0", "csi:1", False),
        ("http://10.0.0.9/a", "http://ana:secret@10.0.0.9/a", True),
        ("http://cam.lan/a", "http://CAM.lan/a", True),
        ("http://cam.lan/a", "http://CAM.lan:80/a/", True),
        ("HTTP://cam.lan", "http://cam.lan./", True),
        ("https://cam.lan/a", "https://cam.lan:443/a#top", True),
        ("http://[fe80::1]/a", "http://[FE80:0::1]:80/a", True),
        ("rtsp://cam.lan/a", "rtsp://cam.lan:554/a", True),
        ("http://cam.lan:none/a", "http://cam.lan/b", False),
        ("http://cam.lan:8081/a", "http://cam.lan/a", False),
        ("http://cam.lan/a", "https://cam.lan/a", False),
        ("http://cam.lan/a", "http://cam.lan/A", False),
        ("http://10.0.0.9/a", "http://10.0.0.9/b", False),
        ("http://10.0.0.9/a?n=1", "http://10.0.0.9/a?n=2", False),
        ("/nowhere/clip.mp4", "/nowhere/clip.mp4", False),
    ],
)
def test_sources(one: str, other: str, same: bool) -> None:
    assert same_camera(one, other) is same


def test_a_recording_may_be_shown_at_two_tables(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    clip.touch()
    assert not same_camera(str(clip), str(clip))


def test_a_password_is_not_shown() -> None:
    assert camera_of("http://ana:secret@10.0.0.9/a").shown == "http://10.0.0.9/a"
    asked = camera_of("http://10.0.0.9/a.cgi?user=ana&pwd=secret")
    assert asked.shown == "http://10.0.0.9/a.cgi"
    assert asked.identity != camera_of("http://10.0.0.9/a.cgi?channel=2").identity
    assert camera_of("rtmps://ana:secret@10.0.0.9/a").shown == "rtmps://10.0.0.9/a"


NO_CAMERA = (
    "/nowhere/clip.mp4",
    "camera",
    "csi:front",
    "csi:²",
    "rtsp://[abc",
    "http://[::1",
    "a\0b",
)


@pytest.mark.parametrize("source", NO_CAMERA)
def test_what_is_no_camera_is_refused(source: str) -> None:
    with pytest.raises(SourceError):
        expected_camera(source)
    with pytest.raises(SourceError):
        lasting_name(source)
    assert camera_of(source).identity is None
    assert not same_camera(source, source)


def test_a_number_is_kept_as_the_name_that_outlives_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sockets = tmp_path / "by-path"
    socket = link(sockets, "usb-0:1.2-video-index0", ONE)
    assert lasting_name(str(ONE), sockets) == socket
    assert lasting_name(socket, tmp_path / "nowhere") == socket
    assert lasting_name(str(OTHER), sockets) == str(OTHER)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clip.mp4").touch()
    assert lasting_name("clip.mp4") == str(tmp_path / "clip.mp4")
    assert lasting_name("none") == "none"
