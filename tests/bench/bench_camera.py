"""The camera's process in real time: the cost of watching, and the recovery time of each fault.

Half a minute of watching an empty tray after a roll was read in it, then each fault once: the
pictures stop, freeze, go black, are garbage, the device leaves, the process is killed or hangs.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import ClassVar

import numpy as np

from companion.vision.box import rules_of
from companion.vision.camera import Camera
from companion.vision.messages import (
    CameraChanged,
    CameraSetup,
    DiceRead,
    Report,
    TrayChanged,
)
from companion.vision.pictures import FPS, AnyFrame, EncodedFrame, cv2
from companion.vision.readings import CameraState, SourceError, TrayState
from companion.vision.sources.frames import LatestFrame, video_frames
from companion.vision.sources.kinds import FrameStream
from tests.bench import Figure
from tests.bench.bench_reader import CLIP, FRAME
from tests.readers import Readers
from tests.vision.fakes import grain, tray

WATCHED_S = 30.0
SLOW_FPS = 10
FAULTS = ("silent", "frozen", "black", "garbage", "unplugged", "killed", "stopped")
WITHIN_S = 60.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Acted:
    """A simulated camera of 1280 x 720 px that shows the folder's pictures, with the fault in
    `fault`.

    `moving`: it shows an endless throw, else an empty tray with one roll.
    """

    live: ClassVar[bool] = True
    folder: str
    fps: int = FPS
    moving: bool = False

    def present(self) -> bool:
        return self.fault() != "unplugged"

    def fault(self) -> str:
        """The present fault; "" if it works."""
        return (Path(self.folder) / "fault").read_text()

    def play(self) -> FrameStream:
        return LatestFrame(self.frames())

    def frames(self) -> Generator[AnyFrame]:
        """Yield a picture at intervals, until something happens."""
        pictures = {
            kind: [p.read_bytes() for p in sorted(Path(self.folder).glob(f"{kind}*.jpg"))]
            for kind in ("empty", "moving", "rest", "black")
        }
        began = time.monotonic()
        for index in count():
            time.sleep(max(0.0, began + index / self.fps - time.monotonic()))
            at = time.monotonic() - began
            kind = "moving" if self.moving else _thrown(at)
            encoded = pictures[kind][index % len(pictures[kind])]
            match self.fault():
                case "silent":
                    threading.Event().wait()
                case "frozen":
                    encoded = pictures[kind][0]
                case "black":
                    encoded = pictures["black"][index % len(pictures["black"])]
                case "garbage":
                    encoded = encoded[: 40 + index % 40]
                case "unplugged":
                    raise SourceError("error.camera.lost", source="x")
                case "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "stopped":
                    os.kill(os.getpid(), signal.SIGSTOP)
            yield EncodedFrame(encoded, at, index)


class Log:
    """The camera's reports and their times, s."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._reports: list[tuple[float, Report]] = []

    def __call__(self, report: Report) -> None:
        with self._changed:
            self._reports.append((time.monotonic(), report))
            self._changed.notify_all()

    def after(self, since: float, wanted: Callable[[Report], bool]) -> float:
        """Return when the first such report came after that moment; inf if none does in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._first(since, wanted) < np.inf, WITHIN_S)
            return self._first(since, wanted)

    def readings(self) -> int:
        """Return how many rolls were reported."""
        with self._changed:
            return sum(isinstance(report, DiceRead) for _, report in self._reports)

    def _first(self, since: float, wanted: Callable[[Report], bool]) -> float:
        return next((at for at, r in self._reports if at > since and wanted(r)), np.inf)


def figures() -> Iterator[Figure]:
    """Measure watching at two speeds, then each fault."""
    with tempfile.TemporaryDirectory() as folder:
        _draw(Path(folder))
        for fps in (SLOW_FPS, FPS):
            yield from _watching(Acted(folder, fps))
        for fault in FAULTS:
            yield from _failing(Acted(folder, moving=True), fault)


def _watching(source: Acted) -> Iterator[Figure]:
    """A roll is read, the tray is emptied, and then nothing happens."""
    log, readers = Log(), Readers()
    with closing(Camera(CameraSetup(source, rules_of("new-york")), log)) as camera:
        camera.start()
        read = log.after(0.0, lambda report: isinstance(report, DiceRead))
        log.after(read, lambda r: isinstance(r, TrayChanged) and r.tray.state is TrayState.EMPTY)
        time.sleep(1)
        pid = readers.only()
        began, used = time.monotonic(), _cpu_s(pid)
        time.sleep(WATCHED_S)
        share = (_cpu_s(pid) - used) / (time.monotonic() - began)
        name = f"camera.empty_tray.{source.fps}_fps"
        yield Figure(f"{name}.cpu", round(100 * share, 2), "% of one core")
        yield Figure(f"{name}.peak_memory", _peak_mb(pid), "MB")
        yield Figure(f"{name}.rolls_read_before", log.readings(), "rolls")


def _failing(source: Acted, fault: str) -> Iterator[Figure]:
    """The fault happens while dice are thrown, and ends two seconds after it was noticed."""
    log = Log()
    with closing(Camera(CameraSetup(source, rules_of("new-york")), log)) as camera:
        camera.start()
        up = log.after(
            0.0, lambda r: isinstance(r, TrayChanged) and r.tray.state is TrayState.ROLLING
        )
        began = max(up, time.monotonic())
        _set(source, fault)
        lost = log.after(began, _is_camera(CameraState.LOST))
        if fault in {"unplugged", "black", "garbage"}:
            time.sleep(2)
        healed = time.monotonic()
        _set(source, "")
        back = log.after(lost, _is_seen)
    yield Figure(f"camera.{fault}.noticed", round(lost - began, 2), "s")
    yield Figure(f"camera.{fault}.back", round(back - healed, 2), "s")


def _thrown(at: float) -> str:
    """Return the picture at that time of a tray into which a roll is thrown and taken out again."""
    return "empty" if at < 2 or at > 6 else "moving" if at < 3 else "rest"


def _is_camera(state: CameraState) -> Callable[[Report], bool]:
    return lambda report: isinstance(report, CameraChanged) and report.state is state


def _is_seen(report: Report) -> bool:
    """Return whether the tray is visible again."""
    return isinstance(report, TrayChanged) and report.tray.state is not TrayState.PROBLEM


def _set(source: Acted, fault: str) -> None:
    # Renamed into place: the other process never reads half a word.
    fresh = Path(source.folder) / "fault.new"
    fresh.write_text(fault)
    fresh.rename(Path(source.folder) / "fault")


def _cpu_s(pid: int) -> float:
    """Return the processor time of the process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _peak_mb(pid: int) -> float:
    """Return the peak memory of the process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    peak = next(line for line in lines if line.startswith("VmHWM"))
    return round(int(peak.split()[1]) / 1024, 1)


def _draw(folder: Path) -> None:
    """Draw the pictures: dice of our own clip at rest, gone, and pushed about; and black ones."""
    lying = next(frame.image for frame in video_frames(str(CLIP)) if frame.index == FRAME)
    for n in range(14):
        drawn = {
            "rest": grain(lying, n),
            "empty": grain(tray(), n),
            "moving": grain(np.roll(lying, 40 * n, axis=1), n),
            "black": grain(np.zeros_like(lying), n),
        }
        for kind, image in drawn.items():
            large = cv2.resize(image, (1280, 720), interpolation=cv2.INTER_CUBIC)
            cv2.imwrite(str(folder / f"{kind}{n:02}.jpg"), large)
    (folder / "fault").write_text("")
