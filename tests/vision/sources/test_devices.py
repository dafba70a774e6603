"""Opening and holding a USB camera, with a fake capture that records the calls."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.pictures import FPS, HEIGHT, WIDTH, EncodedFrame, Frame, cv2, jpeg
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import (
    FoundCamera,
    find_usb_cameras,
    list_cameras,
    open_failure,
)
from companion.vision.sources.devices import (
    WARM_UP_FRAMES,
    Controls,
    Hold,
    HoldState,
    device_frames,
    request_format,
)
from tests.vision.fakes import grain, tray
from tests.waiting import Clock

MJPG = cv2.VideoWriter.fourcc(*"MJPG")
YUYV = cv2.VideoWriter.fourcc(*"YUYV")
EXPOSURE, FOCUS, WHITE = 156.0, 40.0, 4600.0
FOUND = {
    cv2.CAP_PROP_EXPOSURE: EXPOSURE,
    cv2.CAP_PROP_FOCUS: FOCUS,
    cv2.CAP_PROP_WB_TEMPERATURE: WHITE,
}
BY_ITSELF = [
    (cv2.CAP_PROP_AUTO_EXPOSURE, 3.0),
    (cv2.CAP_PROP_AUTO_WB, 1.0),
    (cv2.CAP_PROP_AUTOFOCUS, 1.0),
]
BY_HAND = [
    (cv2.CAP_PROP_AUTO_EXPOSURE, 1.0),
    (cv2.CAP_PROP_EXPOSURE, EXPOSURE),
    (cv2.CAP_PROP_AUTO_WB, 0.0),
    (cv2.CAP_PROP_WB_TEMPERATURE, WHITE),
    (cv2.CAP_PROP_AUTOFOCUS, 0.0),
    (cv2.CAP_PROP_FOCUS, FOCUS),
]


@dataclass
class Written:
    """A camera that gives this pixel format, and has what `has` holds to adjust."""

    gives: int = MJPG
    has: dict[int, float] = field(default_factory=lambda: dict(FOUND))
    asked: list[tuple[int, float]] = field(default_factory=list)
    pictures: Iterator[npt.NDArray[np.generic]] = field(default_factory=lambda: iter(()))
    is_free: bool = False

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def read(self) -> tuple[bool, npt.NDArray[np.generic]]:
        picture = next(self.pictures, None)
        return (True, picture) if picture is not None else (False, np.zeros(0))

    def get(self, what: int, /) -> float:
        size = {cv2.CAP_PROP_FRAME_WIDTH: WIDTH, cv2.CAP_PROP_FRAME_HEIGHT: HEIGHT}
        return {**size, cv2.CAP_PROP_FOURCC: self.gives, **self.has}.get(what, -1.0)

    def set(self, what: int, value: float, /) -> bool:
        self.asked.append((what, float(value)))
        return True

    def release(self) -> None:
        self.is_free = True


@pytest.fixture
def node(tmp_path: Path) -> str:
    (tmp_path / "video0").touch()
    return str(tmp_path / "video0")


def test_the_format_is_asked_for_before_the_size() -> None:
    capture = Written()
    request_format(capture, "x")
    assert capture.asked == [
        (cv2.CAP_PROP_FOURCC, float(MJPG)),
        (cv2.CAP_PROP_FRAME_WIDTH, float(WIDTH)),
        (cv2.CAP_PROP_FRAME_HEIGHT, float(HEIGHT)),
        (cv2.CAP_PROP_FPS, float(FPS)),
        (cv2.CAP_PROP_BUFFERSIZE, 1.0),
        (cv2.CAP_PROP_CONVERT_RGB, 0.0),
    ]


def test_a_camera_without_compressed_pictures_is_decoded_by_the_library() -> None:
    capture = Written(gives=YUYV)
    request_format(capture, "x")
    assert (cv2.CAP_PROP_CONVERT_RGB, 0.0) not in capture.asked


def test_compressed_pictures_come_as_they_are_and_the_first_are_left_out(node: str) -> None:
    encoded = [jpeg(grain(tray([(100, 60)]), n)) for n in range(7)]
    rows = (np.frombuffer(each, np.uint8)[None] for each in encoded * 2)
    capture = Written(pictures=rows)
    shots = list(islice(device_frames(node, lambda _: capture, Clock()), 3))
    assert [shot.index for shot in shots] == [WARM_UP_FRAMES + n for n in range(3)]
    assert isinstance(shots[0], EncodedFrame)
    assert shots[0].encoded == encoded[WARM_UP_FRAMES]
    assert shots[0].decode().image.shape == tray().shape


def test_decoded_pictures_are_frames_and_the_end_of_them_frees_the_camera(node: str) -> None:
    capture = Written(gives=YUYV, pictures=iter([grain(tray(), n) for n in range(7)]))
    shots = []
    with pytest.raises(SourceError) as lost:  # noqa: PT012
        for shot in device_frames(node, lambda _: capture, Clock()):
            shots.append(shot)
    assert lost.value.key == "error.camera.lost"
    assert [type(shot) for shot in shots] == [Frame, Frame]
    assert capture.is_free


@dataclass
class Shut(Written):
    """A capture that does not open."""

    def isOpened(self) -> bool:  # noqa: N802
        return False


def test_what_does_not_open_and_is_no_camera_says_so(node: str) -> None:
    capture = Shut()
    with pytest.raises(SourceError) as refusal:
        next(device_frames(node, lambda _: capture))
    assert (refusal.value.key, refusal.value.params) == (
        "error.camera.wrong_device",
        {"source": node},
    )
    assert capture.is_free


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (errno.EBUSY, "busy"),
        (errno.EACCES, "forbidden"),
        (errno.ENOTTY, "wrong_device"),
        (errno.EIO, "cannot_open"),
        (None, "cannot_open"),
    ],
)
def test_a_device_that_does_not_open_says_why(node: str, number: int | None, word: str) -> None:
    def ask_for(_: int) -> None:
        if number is not None:
            raise OSError(number, "")

    assert open_failure(node, ask_for) == word


def test_cameras_are_found_by_name_without_metadata_nodes_the_usable_ones_first(
    tmp_path: Path,
) -> None:
    answers: dict[str, str | int | None] = {
        "usb-A_1-video-index0": errno.EBUSY,
        "usb-B_2-video-index0": "Webcam B",
        "usb-B_2-video-index1": "Webcam B",
        "usb-C_3-video-index0": None,
        "usb-D_4-video-index0": errno.ENOTTY,
    }
    for name in answers:
        (tmp_path / name).write_text(name)

    def ask(node: int) -> str | None:
        said = answers[os.read(node, 100).decode()]
        if isinstance(said, int):
            raise OSError(said, "")
        return said

    busy, usable = tmp_path / "usb-A_1-video-index0", tmp_path / "usb-B_2-video-index0"
    assert find_usb_cameras(tmp_path, ask) == (
        FoundCamera("Webcam B", str(usable)),
        FoundCamera(busy.name, str(busy), "busy"),
    )


def test_a_node_that_is_no_camera_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "usb-A-video-index0").symlink_to("/dev/null")
    (tmp_path / "usb-B-video-index0").symlink_to(tmp_path / "unplugged")
    assert not find_usb_cameras(tmp_path)


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        (
            "Available cameras\n-----------------\n0 : imx708 [4608x2592 10-bit] (/base/i2c)\n"
            "    Modes: 'SRGGB10' : 1536x864 [120 fps]\n\n1 : ov5647 [2592x1944] (/base)\n",
            ((0, "imx708"), (1, "ov5647")),
        ),
        ("No cameras available!\n", ()),
    ],
)
def test_the_cameras_of_a_pi_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, found: tuple[object, ...]
) -> None:
    program = tmp_path / "rpicam-vid"
    program.write_text(f"#!{sys.executable}\nprint({printed!r}, end='')\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list_cameras() == found


def test_the_same_picture_in_grey_however_it_comes() -> None:
    image = tray([(100, 60), (400, 200)])
    whole = Frame(image, 0.0, 0).grey(160)
    packed = EncodedFrame(jpeg(image), 0.0, 0).grey(160)
    assert whole.shape == packed.shape == (90, 160)
    assert abs(whole - packed).max() < 6


def held(capture: Written, levels: list[float]) -> Hold:
    """Show the levels, half a second apart."""
    hold = Hold(Controls(capture), 0.0)
    capture.asked.clear()
    for index, level in enumerate(levels):
        hold.see(level, index / 2)
    return hold


def test_a_camera_that_was_held_before_first_adjusts_itself_again() -> None:
    capture = Written()
    Hold(Controls(capture), 0.0)
    assert capture.asked == BY_ITSELF


def test_what_has_settled_is_held() -> None:
    capture = Written()
    hold = held(capture, [20, 60, 80, *[100] * 4])
    assert capture.asked == [], "two seconds without a change have not passed"
    hold.see(100, 3.5)
    assert capture.asked == BY_HAND
    hold.see(101, 4.0)
    hold.see(101, 5.0)
    assert hold.state is HoldState.HELD


def test_a_camera_has_only_those_switches_that_it_has() -> None:
    capture = Written(has={cv2.CAP_PROP_EXPOSURE: EXPOSURE, cv2.CAP_PROP_FOCUS: 0.0})
    held(capture, [100] * 6)
    assert capture.asked == BY_HAND[:2]


def test_a_camera_whose_values_are_wrong_twice_is_left_to_itself() -> None:
    capture = Written()
    hold = held(capture, [*[100] * 6, 40])
    assert capture.asked == BY_HAND + BY_ITSELF
    for n in range(6):
        hold.see(100, 3.5 + n / 2)
    assert capture.asked == (BY_HAND + BY_ITSELF) + BY_HAND, "a hand may have come in between"
    hold.see(40, 7)
    for n in range(40):
        hold.see(100, 8 + n / 2)
    assert hold.state is HoldState.LEFT
    assert capture.asked == (BY_HAND + BY_ITSELF) * 2, "it is not tried again"


def test_another_light_is_followed_but_not_a_shadow() -> None:
    capture = Written()
    hold = held(capture, [100] * 9)
    assert hold.state is HoldState.HELD
    for n, level in enumerate([60, 60, 60, 100, 60, 60]):
        hold.see(level, 5 + n / 2)
    assert capture.asked == BY_HAND
    for n in range(6):
        hold.see(60, 8 + n / 2)
    assert capture.asked == BY_HAND + BY_ITSELF
    for n in range(6):
        hold.see(100, 11 + n / 2)
    assert capture.asked == BY_HAND + BY_ITSELF + BY_HAND


def test_a_light_picture_can_still_become_too_light() -> None:
    capture = Written()
    hold = held(capture, [*[225] * 9, *[238] * 9])
    for n in range(7):
        assert capture.asked == BY_HAND
        hold.see(255, 8.5 + n / 2)
    assert capture.asked == BY_HAND + BY_ITSELF


def test_a_camera_that_has_not_chosen_yet_is_asked_again() -> None:
    class Undecided:
        def __init__(self) -> None:
            self.asked = 0

        def hold(self) -> bool:
            self.asked += 1
            return self.asked > 3

        def leave(self) -> None:
            assert self.asked == 0

    camera = Undecided()
    hold = Hold(camera, 0.0)
    for n in range(8):
        hold.see(100, n / 2)
        assert (hold.state is HoldState.SETTLING) == (camera.asked <= 3)
    assert hold.state is HoldState.TRIED


def test_nothing_is_held_in_the_dark() -> None:
    capture = Written()
    held(capture, [5] * 20)
    assert capture.asked == []
