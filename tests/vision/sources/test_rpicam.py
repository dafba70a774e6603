"""A Pi's own camera: a stand-in for its program, its pictures and its metadata."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import pytest

from companion.vision.child import Feed
from companion.vision.messages import CameraChanged
from companion.vision.pictures import HEIGHT, WIDTH, jpeg
from companion.vision.readings import CameraState, SourceError, TrayState
from companion.vision.sources.devices import Hold
from companion.vision.sources.kinds import PiCamera, parse_source
from companion.vision.sources.rpicam import CameraValues, Metadata, Program, RpiCamera
from tests.vision.fakes import grain, tray
from tests.vision.test_camera import camera
from tests.waiting import WITHIN_S

Install = Callable[[int], Path]

PROGRAM = f"""#!{sys.executable}
import fcntl, os, sys, time
from pathlib import Path
here = Path(__file__).parent
with (here / "arguments").open("a") as arguments:
    arguments.write(" ".join(sys.argv[1:]) + "\\n")
alive = os.open(here / "alive", os.O_RDWR)
fcntl.flock(os.open(here / "camera", os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX | fcntl.LOCK_NB)
held = "--shutter" in sys.argv
while (here / "waits").exists():
    time.sleep(0.02)
if not held:
    metadata = os.open(sys.argv[sys.argv.index("--metadata") + 1], os.O_WRONLY)
elif (here / "refuses").exists():
    sys.exit(1)
pictures = sorted(here.glob("held*.jpg" if held else "?.jpg"))
for index in range(int((here / "frames").read_text())):
    if not held:
        os.write(metadata, (here / "found").read_bytes())
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
            (tmp_path / f"held{n}.jpg").write_bytes(jpeg(grain(tray(), 7 + n)))
        (tmp_path / "frames").write_text(str(frames))
        (tmp_path / "found").write_text(frame_text())
        os.mkfifo(tmp_path / "alive")
        program = tmp_path / "rpicam-vid"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        monkeypatch.setattr("companion.vision.sources.rpicam.BEGIN_S", WITHIN_S)
        monkeypatch.setattr("companion.vision.sources.rpicam.SILENT_S", WITHIN_S)
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


def test_closing_the_frames_ends_the_program(installed: Install) -> None:
    folder = installed(10_000)
    with all_gone_after(folder):
        frames = RpiCamera(0).frames()
        assert len(list(islice(frames, 3))) == 3
        frames.close()


def starts(folder: Path) -> list[str]:
    """The held values of each start of the program."""
    arguments = (folder / "arguments").read_text().splitlines()
    return [line.partition("--shutter ")[2].partition(" --flush")[0] for line in arguments]


HELD = (
    "29984us --gain 1.5876 --awbgains 1.9659,1.7331 --autofocus-mode manual --lens-position 1.7298"
)


def test_what_it_has_chosen_is_held_and_then_left_to_it_again(installed: Install) -> None:
    folder = installed(10_000)
    with all_gone_after(folder), closing(RpiCamera(0)) as opened:
        shots = opened.shots()
        assert not opened.hold(), "it has shown nothing yet"
        first = list(islice(shots, 3))
        assert opened.hold()
        held = list(islice(shots, 3))
        assert opened.hold() is False, "it does not choose, and has found nothing"
        opened.leave()
        opened.leave()
        left = list(islice(shots, 3))
    assert starts(folder) == ["", HELD, ""]
    assert [shot.index for shot in (*first, *held, *left)] == list(range(9))
    assert held[0].encoded == (folder / "held0.jpg").read_bytes()
    assert left[0].encoded == (folder / "0.jpg").read_bytes()
    times = [shot.captured_at for shot in (*first, *held, *left)]
    assert times == sorted(times)


def test_while_it_looks_for_its_focus_or_tells_nothing_it_is_not_held(installed: Install) -> None:
    folder = installed(10_000)
    for found in (frame_text(AfState="1"), ""):
        (folder / "found").write_text(found)
        with all_gone_after(folder), closing(RpiCamera(0)) as opened:
            assert len(list(islice(opened.shots(), 9))) == 9
            assert not opened.hold()
    assert starts(folder) == ["", ""]


def test_one_that_shows_nothing_when_it_is_held_is_left_to_itself(installed: Install) -> None:
    folder = installed(10_000)
    (folder / "refuses").touch()
    with all_gone_after(folder), closing(RpiCamera(0)) as opened:
        shots = opened.shots()
        assert len(list(islice(shots, 3))) == 3
        assert opened.hold()
        assert [shot.index for shot in islice(shots, 3)] == [3, 4, 5]
        assert not opened.hold(), "it is not tried again"
    assert starts(folder) == ["", HELD, ""]


def test_no_picture_is_expected_while_it_is_being_started(installed: Install) -> None:
    folder = installed(20)
    (folder / "waits").touch()
    feed = Feed(PiCamera(0))
    with all_gone_after(folder):
        assert feed.take(0.05) is None
        assert not feed.alive().open
        (folder / "waits").unlink()
        assert feed.take(WITHIN_S) is not None
        assert feed.alive().open
        while feed.seen.state is CameraState.OK:
            feed.take(WITHIN_S)
        assert not feed.alive().open


def test_but_not_for_ever(installed: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = installed(20)
    (folder / "waits").touch()
    feed = Feed(PiCamera(0))
    with all_gone_after(folder):
        assert feed.take(0.05) is None
        monkeypatch.setattr("companion.vision.sources.rpicam.START_S", 0.0)
        assert feed.alive().open
        (folder / "waits").unlink()
        while feed.seen.state is not CameraState.LOST:
            feed.take(WITHIN_S)


def test_the_frames_are_of_a_camera_that_is_held_once_it_has_settled(
    installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GLANCE_S", "SETTLE_S", "TRY_S"):
        monkeypatch.setattr(Hold, name, 0.0)
    folder = installed(10_000)
    with all_gone_after(folder):
        frames = RpiCamera(0).frames()
        wanted = (folder / "held3.jpg").read_bytes()
        assert any(shot.encoded == wanted for shot in islice(frames, 50))
        frames.close()
    assert starts(folder) == ["", HELD]


def test_a_program_that_is_silent_is_a_camera_that_is_lost(
    installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = installed(1)
    monkeypatch.setattr("companion.vision.sources.rpicam.SILENT_S", 0.05)
    (folder / "hangs").touch()
    with closing(Program(0)) as program:
        assert program.picture() == (folder / "0.jpg").read_bytes()
        assert program.found == FOUND
        with pytest.raises(SourceError) as lost:
            program.picture()
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


FOUND = CameraValues(29984, 1.587597, 1.96587, 1.733057, 1.729818)


def frame_text(**other: str | None) -> str:
    """Write the metadata of one frame; `other` replaces values, or omits them (None)."""
    fields: dict[str, str | None] = {
        "ExposureTime": "29984",
        "AnalogueGain": "1.587597",
        "FrameDuration": "66666",
        "LensPosition": "1.729818",
        "DigitalGain": "1.000000",
        "ColourGains": "[ 1.965870, 1.733057 ]",
        "ColourCorrectionMatrix": "[ 1.541116, -0.372801, -0.168312 ]",
        "AfState": "2",
        "ScalerCrop": "(1152, 432)/2304x1728",
        **other,
    }
    lines = [f"{name}={value}" for name, value in fields.items() if value is not None]
    return "\n".join([*lines, "", ""])


def test_the_newest_frame_counts_and_only_once_all_of_it_is_said() -> None:
    metadata = Metadata()
    assert metadata.newest is None
    text = (frame_text(ExposureTime="20000") + frame_text()).encode()
    for at in range(len(text) - 1):
        metadata.feed(text[at : at + 1])
    assert metadata.newest is not None
    assert metadata.newest.exposure == 20_000
    metadata.feed(text[-1:])
    assert metadata.newest == FOUND


@pytest.mark.parametrize(
    "other",
    [
        {"AfState": "1"},
        {"ColourGains": None},
        {"ColourGains": "[ 0.000000, 0.000000 ]"},
        {"ExposureTime": "none"},
        {"AnalogueGain": "[ 1.0, 2.0 ]"},
    ],
)
def test_nothing_is_found_while_it_focuses_or_where_not_all_is_said(
    other: dict[str, str | None],
) -> None:
    metadata = Metadata()
    metadata.feed((frame_text() + frame_text(**other)).encode())
    assert metadata.newest is None
    metadata.feed(frame_text().encode())
    assert metadata.newest == FOUND


@pytest.mark.parametrize(
    ("digital", "gains", "gain"),
    [
        ("1.250000", "[ 1.2, 1.0 ]", 2.0),
        ("1.250000", "[ 0.9, 1.4 ]", 1.6),
        (None, "[ 1.2, 1.0 ]", 1.6),
        ("0.9", "[ 1.2, 1.0 ]", 1.6),
    ],
)
def test_what_brightens_the_picture_afterwards_is_part_of_the_gain(
    digital: str | None, gains: str, gain: float
) -> None:
    text = frame_text(AnalogueGain="1.6", DigitalGain=digital, ColourGains=gains)
    found = CameraValues.of(text)
    assert found is not None
    assert found.gain == pytest.approx(gain)


def test_a_lens_that_does_not_move_is_not_asked_to() -> None:
    found = CameraValues.of(frame_text(LensPosition=None, AfState="0"))
    assert found is not None
    assert found.options() == (
        *("--shutter", "29984us", "--gain", "1.5876"),
        *("--awbgains", "1.9659,1.7331"),
    )
