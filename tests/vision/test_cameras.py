"""Cameras of this machine: on USB, and a Pi's own; how they are found, opened and held."""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.camera import Timeouts
from companion.vision.child import Feed
from companion.vision.messages import CameraChanged
from companion.vision.pictures import FPS, HEIGHT, WIDTH, EncodedFrame, Frame, cv2, jpeg
from companion.vision.readings import CameraState, SourceError, TrayState
from companion.vision.sources.cameras import (
    FoundCamera,
    find_usb_cameras,
    list_csi_cameras,
    open_failure,
)
from companion.vision.sources.devices import (
    PI_BEGIN_S,
    WARM_UP_FRAMES,
    Controls,
    Hold,
    HoldState,
    device_frames,
    request_format,
    suited,
)
from companion.vision.sources.kinds import PiCamera, parse_source
from tests.vision.fakes import grain, tray
from tests.vision.test_camera import camera
from tests.waiting import WITHIN_S, Clock

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
    capture: Any = Written()
    request_format(capture)
    assert capture.asked == [
        (cv2.CAP_PROP_FOURCC, float(MJPG)),
        (cv2.CAP_PROP_FRAME_WIDTH, float(WIDTH)),
        (cv2.CAP_PROP_FRAME_HEIGHT, float(HEIGHT)),
        (cv2.CAP_PROP_FPS, float(FPS)),
        (cv2.CAP_PROP_BUFFERSIZE, 1.0),
        (cv2.CAP_PROP_CONVERT_RGB, 0.0),
    ]


def test_compressed_pictures_come_as_they_are_and_the_first_are_left_out(node: str) -> None:
    encoded = [jpeg(grain(tray([(100, 60)]), n)) for n in range(7)]
    rows = (np.frombuffer(each, np.uint8)[None] for each in encoded * 2)
    capture: Any = Written(pictures=rows)
    shots = list(islice(device_frames(node, lambda _: capture, Clock()), 3))
    assert [shot.index for shot in shots] == [WARM_UP_FRAMES + n for n in range(3)]
    assert isinstance(shots[0], EncodedFrame)
    assert shots[0].encoded == encoded[WARM_UP_FRAMES]
    assert shots[0].decode().image.shape == tray().shape


def test_decoded_pictures_are_frames_and_the_end_of_them_frees_the_camera(node: str) -> None:
    capture: Any = Written(gives=YUYV, pictures=iter([grain(tray(), n) for n in range(7)]))
    shots = []
    with pytest.raises(SourceError) as lost:  # noqa: PT012
        for shot in device_frames(node, lambda _: capture, Clock()):
            shots.append(shot)
    assert lost.value.key == "error.camera.lost"
    assert [type(shot) for shot in shots] == [Frame, Frame]
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
    answers = {
        "usb-A_1-video-index0": errno.EBUSY,
        "usb-B_2-video-index0": None,
        "usb-B_2-video-index1": None,
        "usb-C_3-video-index0": errno.EINVAL,
        "usb-D_4-video-index0": errno.ENOTTY,
    }
    for name in answers:
        (tmp_path / name).write_text(name)
    names = tmp_path / "names"
    (names / "usb-B_2-video-index0").mkdir(parents=True)
    (names / "usb-B_2-video-index0" / "name").write_text("Webcam B\n")

    def ask(node: int) -> None:
        refusal = answers[os.read(node, 100).decode()]
        if refusal is not None:
            raise OSError(refusal, "")

    busy, usable = tmp_path / "usb-A_1-video-index0", tmp_path / "usb-B_2-video-index0"
    assert find_usb_cameras(tmp_path, names, ask) == (
        FoundCamera("Webcam B", str(usable)),
        FoundCamera(busy.name, str(busy), "busy"),
    )


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
    assert list_csi_cameras() == found


def held(capture: Any, levels: list[float]) -> Hold:
    """Show the levels, half a second apart."""
    hold = Hold(Controls(capture, "x"), 0.0)
    capture.asked.clear()
    for index, level in enumerate(levels):
        hold.see(level, index / 2)
    return hold


class Flickering(Controls):
    """A camera under a lamp whose bands go if it is suited to mains of `hz`."""

    def __init__(self, hz: int) -> None:
        capture: Any = Written()
        super().__init__(capture, "x")
        self.hz, self.done = hz, list[int | str]()

    def hold(self) -> None:
        self.done.append("hold")

    def suit(self, mains_hz: int) -> bool:
        self.done.append(mains_hz)
        return True

    def frame(self, n: int, bands: float = 0.1) -> Frame:
        rows = np.arange(90)[:, None, None] / 30 + n * 0.4
        strength = bands * (self.hz not in self.done)
        light = np.broadcast_to(100 * (1 + strength * np.sin(2 * np.pi * rows)), (90, 160, 3))
        return Frame(light.astype(np.uint8), n / 2, n)


@pytest.mark.parametrize(("hz", "done"), [(50, [50, "hold"]), (60, [50, 60, "hold"])])
def test_a_camera_that_sees_the_bands_of_a_lamp_is_suited_to_its_mains(
    hz: int, done: list[int | str]
) -> None:
    camera = Flickering(hz)
    hold = Hold(camera, 0.0)
    for n in range(20):
        hold.glance(camera.frame(n, 0.0), n / 2)
    assert camera.done == ["hold"], "there are no bands in daylight"
    for n in range(20, 90):
        hold.glance(camera.frame(n), n / 2)
    assert camera.done == ["hold", *done]


def test_an_arm_in_the_picture_is_not_taken_for_the_bands_of_a_lamp() -> None:
    camera = Flickering(0)
    hold = Hold(camera, 0.0)
    for n in range(90):
        frame = camera.frame(n, 0.0)
        if n >= 20:
            frame.image[: 40 + 20 * (n % 3), 60 + 9 * (n % 4) : 90 + 9 * (n % 4)] = 40
        hold.glance(frame, n / 2)
    assert camera.done == ["hold"]


@pytest.mark.parametrize(("exposure", "held"), [(96, 100), (190, 200), (130, 130), (30, 30)])
def test_an_exposure_is_held_at_whole_half_periods_if_the_picture_stays_as_light(
    exposure: float, held: float
) -> None:
    assert suited(exposure, 50) == held


def test_what_has_settled_is_held() -> None:
    capture: Any = Written()
    hold = held(capture, [20, 60, 80, *[100] * 4])
    assert capture.asked == [], "two seconds without a change have not passed"
    hold.see(100, 3.5)
    assert capture.asked == BY_HAND
    hold.see(101, 4.0)
    hold.see(101, 5.0)
    assert hold.state is HoldState.HELD


def test_a_camera_whose_values_are_wrong_twice_is_left_to_itself() -> None:
    capture: Any = Written()
    hold = held(capture, [*[100] * 6, 40])
    assert capture.asked == BY_HAND + BY_ITSELF
    for n in range(6):
        hold.see(100, 3.5 + n / 2)
    assert capture.asked == (BY_HAND + BY_ITSELF) + BY_HAND, "a hand may have come in between"
    hold.see(40, 7)
    for n in range(40):
        hold.see(100, 8 + n / 2)
    assert capture.asked == (BY_HAND + BY_ITSELF) * 2, "it is not tried again"


def test_another_light_is_followed_but_not_a_shadow() -> None:
    capture: Any = Written()
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


Install = Callable[[int], Path]

PROGRAM = f"""#!{sys.executable}
import fcntl, os, sys, time
from pathlib import Path
here = Path(__file__).parent
with (here / "arguments").open("a") as arguments:
    arguments.write(" ".join(sys.argv[1:]) + "\\n")
alive = os.open(here / "alive", os.O_RDWR)
fcntl.flock(os.open(here / "camera", os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX | fcntl.LOCK_NB)
while (here / "waits").exists():
    time.sleep(0.02)
pictures = sorted(here.glob("?.jpg"))
for index in range(int((here / "frames").read_text())):
    os.write(1, pictures[index % len(pictures)].read_bytes())
    time.sleep(0.02)
while (here / "hangs").exists():
    time.sleep(0.02)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a fake program on the path that sends this number of frames."""

    def install(frames: int) -> Path:
        for n in range(7):
            (tmp_path / f"{n}.jpg").write_bytes(jpeg(grain(tray(), n)))
        (tmp_path / "frames").write_text(str(frames))
        os.mkfifo(tmp_path / "alive")
        program = tmp_path / "rpicam-vid"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        monkeypatch.setattr("companion.vision.sources.devices.PI_BEGIN_S", WITHIN_S)
        monkeypatch.setattr("companion.vision.sources.devices.PI_SILENT_S", WITHIN_S)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return tmp_path

    return install


@contextmanager
def all_gone_after(folder: Path) -> Iterator[None]:
    """Check that every program started meanwhile ends soon after."""
    # It holds this open as long as it lives, and nobody else does.
    alive = os.open(folder / "alive", os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield
        assert select.select([alive], [], [], WITHIN_S)[0]
        assert os.read(alive, 1) == b""
    finally:
        os.close(alive)


def test_without_the_program_the_source_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError) as refusal:
        parse_source("csi")
    assert refusal.value.key == "error.camera.no_rpicam"
    with pytest.raises(SourceError) as gone:
        next(PiCamera(0).frames())
    assert gone.value.key == "error.camera.no_rpicam"


def test_its_pictures_are_whole_and_its_end_is_reported(installed: Install) -> None:
    folder = installed(9)
    opened = parse_source("csi:1")
    assert opened == PiCamera(1)
    seen = []
    with pytest.raises(SourceError) as lost:  # noqa: PT012
        for shot in opened.frames():
            seen.append(shot)
    assert lost.value.key == "error.camera.lost"
    assert [shot.index for shot in seen] == list(range(9))
    assert (seen[8].decode().image == seen[1].decode().image).all()
    arguments = (folder / "arguments").read_text()
    for part in ("--camera 1", "--codec mjpeg", f"--width {WIDTH} --height {HEIGHT}", "--output -"):
        assert part in arguments


def test_it_has_the_time_that_it_needs_to_start(installed: Install) -> None:
    folder = installed(20)
    (folder / "waits").touch()
    feed = Feed(PiCamera(0))
    with all_gone_after(folder):
        assert feed.take(0.05) is None
        assert feed.alive().open
        (folder / "waits").unlink()
        assert feed.take(WITHIN_S) is not None
        while feed.seen.state is CameraState.OK:
            feed.take(WITHIN_S)
        assert not feed.alive().open
    assert Timeouts().open_s > PI_BEGIN_S


def test_a_program_that_is_silent_is_a_camera_that_is_lost(
    installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = installed(1)
    monkeypatch.setattr("companion.vision.sources.devices.PI_SILENT_S", 0.05)
    (folder / "hangs").touch()
    frames = PiCamera(0).frames()
    with all_gone_after(folder):
        assert isinstance(shot := next(frames), EncodedFrame)
        assert shot.encoded == (folder / "0.jpg").read_bytes()
        with pytest.raises(SourceError) as lost:
            next(frames)
    assert lost.value.key == "error.camera.lost"


def test_a_program_that_dies_is_started_again_and_a_killed_reader_takes_it_along(
    installed: Install,
) -> None:
    folder = installed(40)
    (folder / "hangs").touch()
    with all_gone_after(folder), camera(PiCamera(0)) as (_, reports):
        reports.camera(CameraState.OK)
        reports.tray(TrayState.EMPTY)
        (folder / "hangs").unlink()
        lost = reports.next(lambda r: isinstance(r, CameraChanged) and r.state is CameraState.LOST)
        assert isinstance(lost, CameraChanged)
        assert lost.problem is not None
        assert lost.problem.key == "error.camera.lost"
        (folder / "frames").write_text("100000")
        reports.camera(CameraState.OK)
