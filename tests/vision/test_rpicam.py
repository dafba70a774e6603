"""A Pi's own camera: a program on the path that does what `rpicam-vid` does, or dies."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from companion.vision.errors import SourceError
from companion.vision.frames import HEIGHT, WIDTH
from companion.vision.messages import CameraSeen
from companion.vision.reader import jpeg
from companion.vision.rpicam import cut, packed, rpicam_frames
from companion.vision.sources import Csi, source
from companion.vision.states import CameraState, TrayState
from tests.vision.fakes import grain, tray
from tests.vision.test_camera import camera
from tests.waiting import WITHIN_S

PROGRAM = f"""#!{sys.executable}
import os, sys, time
from pathlib import Path
here = Path(__file__).parent
(here / "said").write_text(" ".join(sys.argv[1:]))
alive = os.open(here / "alive", os.O_RDWR)
pictures = sorted(here.glob("*.jpg"))
for index in range(int((here / "frames").read_text())):
    os.write(1, pictures[index % len(pictures)].read_bytes())
    time.sleep(0.02)
while (here / "hangs").exists():
    time.sleep(0.02)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """Puts a program on the path that sends so many frames."""

    def install(frames: int) -> Path:
        for n in range(7):
            (tmp_path / f"{n}.jpg").write_bytes(jpeg(grain(tray(), n)))
        (tmp_path / "frames").write_text(str(frames))
        os.mkfifo(tmp_path / "alive")
        program = tmp_path / "rpicam-vid"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return tmp_path

    return install


@contextmanager
def all_gone_after(folder: Path) -> Iterator[None]:
    """Every program that was started meanwhile has ended soon after."""
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
        source("csi")
    assert refusal.value.key == "error.camera.no_rpicam"
    with pytest.raises(SourceError) as gone:
        next(rpicam_frames(0))
    assert gone.value.key == "error.camera.no_rpicam"


def test_its_pictures_come_whole_and_its_end_is_told(installed: Callable[[int], Path]) -> None:
    folder = installed(9)
    opened = source("csi:1")
    assert opened == Csi(1)
    seen = []
    with pytest.raises(SourceError) as lost:  # noqa: PT012
        for shot in opened.frames():
            seen.append(shot)
    assert lost.value.key == "error.camera.lost"
    assert [shot.index for shot in seen] == list(range(9))
    assert (seen[8].opened().image == seen[1].opened().image).all()
    said = (folder / "said").read_text()
    for part in ("--camera 1", "--codec mjpeg", f"--width {WIDTH} --height {HEIGHT}", "--output -"):
        assert part in said


def test_whoever_stops_looking_ends_the_program(installed: Callable[[int], Path]) -> None:
    folder = installed(10_000)
    with all_gone_after(folder):
        frames = rpicam_frames(0)
        assert len(list(islice(frames, 3))) == 3
        frames.close()


def test_a_pipe_in_pieces_gives_whole_pictures_and_skips_what_is_none() -> None:
    pictures = [jpeg(grain(tray(), n)) for n in range(3)]
    stream = b"noise" + pictures[0] + pictures[1][:40] + pictures[2]
    held = bytearray()
    found = []
    for at in range(0, len(stream), 1000):
        held += stream[at : at + 1000]
        while (encoded := cut(held)) is not None:
            found.append(encoded)
    assert found[0] == pictures[0]
    assert found[-1].endswith(pictures[2][-100:])
    assert not held


def test_a_pipe_that_is_closed_is_a_camera_that_is_lost() -> None:
    read, write = os.pipe()
    os.write(write, jpeg(tray()))
    os.close(write)
    frames = packed(read, "csi:0")
    assert next(frames).index == 0
    with pytest.raises(SourceError):
        next(frames)
    os.close(read)


def test_a_program_that_dies_is_started_again_and_a_killed_reader_takes_it_along(
    installed: Callable[[int], Path],
) -> None:
    folder = installed(40)
    (folder / "hangs").touch()
    with all_gone_after(folder), camera(Csi(0)) as (_, heard):
        heard.camera(CameraState.OK)
        heard.tray(TrayState.EMPTY)
        (folder / "hangs").unlink()
        lost = heard.next(lambda r: isinstance(r, CameraSeen) and r.state is CameraState.LOST)
        assert isinstance(lost, CameraSeen)
        assert lost.problem is not None
        assert lost.problem.key == "error.camera.lost"
        (folder / "frames").write_text("100000")
        heard.camera(CameraState.OK)
