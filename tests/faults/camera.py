"""Failing cameras, pictures that attack their reader, folders as people have them."""

from __future__ import annotations

import queue
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from click.testing import CliRunner

from companion.cli.vision import watch
from companion.engine import RULESETS
from companion.vision.box import rules_of
from companion.vision.camera import Camera
from companion.vision.messages import CameraChanged, CameraSetup, Report
from companion.vision.pictures import jpeg, png
from companion.vision.read.reader import Reader
from companion.vision.readings import CameraState, PhotoError
from companion.vision.sources.cameras import open_failure
from companion.vision.sources.kinds import FrameSource
from tests.bench.bench_quiet import ROLLED, counted, watcher
from tests.faults import Effort, Fault, Outcome
from tests.readers import Readers
from tests.vision.fakes import FatalPhoto, Scripted, tray
from tests.vision.images import flat_png, png_of, progressive, resized_jpeg, scan_bomb
from tests.vision.quiet import Table, drawings, film
from tests.vision.test_faults import FailingCamera, SimulatedSupervision
from tests.waiting import Clock

GAME = next(iter(RULESETS))
PATIENT_S = 60.0
NOTICED_S, FROZEN_S, BACK_S = 3.0, 2.0, 5.0
FAULTS = {
    "unplugged": "unplugged",
    "frozen": "frozen",
    "frozen, its buffers in turn": "in turn",
    "black": "black",
    "a blocked read": "silent",
    "a process that hangs": "hung",
    "pictures that are none": "garbage",
}
BOMBS: dict[str, Callable[[], bytes]] = {
    "30,000² PNG": lambda: flat_png(30_000, 30_000),
    "40,000 x 8 PNG": lambda: flat_png(40_000, 8),
    "JPEG of 100,000 scans": lambda: scan_bomb(4000, 4000, 100_000),
    "torn JPEG": lambda: jpeg(tray())[:-400],
    "torn progressive JPEG": lambda: progressive(tray())[:-400],
    "PNG with a flipped bit": lambda: png(tray())[:-6] + b"\0" + png(tray())[-5:],
    "PNG without its rows": lambda: png_of(400, 400, b""),
    "72-megapixel JPEG": lambda: resized_jpeg(jpeg(tray()), 9000, 8000),
}


def faults(effort: Effort) -> Iterator[Fault]:
    """Return every fault of this module."""
    for name, word in FAULTS.items():
        noticed_s = FROZEN_S if "frozen" in name else NOTICED_S
        target = f"noticed ≤ {noticed_s:.0f} s, back ≤ {BACK_S:.0f} s, no picture of it is new"
        yield Fault(f"camera: {name}", target, partial(_failing, word, noticed_s))
    yield Fault("camera: frozen for good", "lost once, no change until it moves", _stuck)
    yield Fault("camera: over-exposed", "too bright at once, not lost", _blinded)
    yield Fault("camera: a wrong device", "reported as missing", _wrong_device)
    words = effort.choose(("illegal",), ("illegal", "killed", "frozen", "blocked", "darkened"))
    for word in words:
        yield Fault(
            f"camera: {word}, in real time",
            f"noticed ≤ {NOTICED_S:.0f} s, back ≤ {BACK_S:.0f} s after",
            partial(_in_real_time, word),
        )
    yield Fault("pictures: bombs", "each refused ≤ 200 ms, reader RSS ≤ +60 MB", _bombs)
    count = effort.choose(3, 12)
    yield Fault(
        f"pictures: {count} that end their reader",
        "each refused, a second time at once, the camera back",
        partial(_fatal, count),
    )
    yield Fault("pictures: a folder of bad stills", "the good ones shown, a line each", _folder)
    if effort.long:
        target = f"no change, back ≤ {BACK_S:.0f} s after it moves"
        yield Fault("camera: frozen for good, in real time", target, partial(_stays_lost, 24.0))
        yield Fault("camera: 10,000 bad frames", "0 proposals", partial(_quiet, 10_000))
    yield Fault("camera: on a Raspberry Pi 4", "noticed ≤ 3 s, back ≤ 5 s", None)


def _supervision(fault: str) -> tuple[SimulatedSupervision, float]:
    """A camera's process on a simulated clock with this fault; return it and the time."""
    supervision = SimulatedSupervision(FailingCamera(Clock()))
    supervision.run(5)
    supervision.source.fault = fault
    return supervision, supervision.clock.now


def _failing(fault: str, within_s: float) -> Outcome:
    """A fault begins and ends 20 s later."""
    supervision, began = _supervision(fault)
    supervision.run(20)
    noticed = supervision.lost[0][0] - began if supervision.lost else float("inf")
    supervision.source.fault = None
    healed = supervision.clock.now
    supervision.run(BACK_S)
    is_back = healed < supervision.shown_at == supervision.clock.now
    error = supervision.lost[0][1] if supervision.lost else "nothing"
    seen = f"{error} after {noticed:.2f} s, back: {is_back}"
    return Outcome(seen, noticed <= within_s and is_back)


def _stuck() -> Outcome:
    """A camera stays frozen however often it is opened, for two minutes."""
    supervision, _ = _supervision("stuck")
    supervision.run(3)
    seen_at = supervision.shown_at
    supervision.run(120)
    is_quiet = supervision.shown_at == seen_at
    supervision.source.fault = None
    supervision.run(BACK_S)
    is_back = supervision.shown_at == supervision.clock.now
    seen = f"shown as new in 2 min: {not is_quiet}, back when it moves: {is_back}"
    return Outcome(seen, is_quiet and is_back)


def _blinded() -> Outcome:
    supervision, began = _supervision("white")
    supervision.run(60)
    return Outcome(
        f"lost {len(supervision.lost)} times in 60 s", supervision.lost == [] and began > 0
    )


def _wrong_device() -> Outcome:
    words = {path: open_failure(path) for path in ("/dev/null", "/dev/zero")}
    return Outcome(str(words), set(words.values()) == {"wrong_device"})


class Log:
    """The states that a camera reports, with their times."""

    def __init__(self) -> None:
        self._reports: queue.SimpleQueue[tuple[float, Report]] = queue.SimpleQueue()

    def __call__(self, report: Report) -> None:
        self._reports.put((time.monotonic(), report))

    def next(self, state: CameraState) -> float:
        """Return when the camera was next in that state."""
        while True:
            at, report = self._reports.get(timeout=PATIENT_S)
            if isinstance(report, CameraChanged) and report.state is state:
                return at

    def changes(self) -> int:
        """How often its state has changed since the last call of `next`."""
        reports = [self._reports.get()[1] for _ in range(self._reports.qsize())]
        return sum(isinstance(report, CameraChanged) for report in reports)


@contextmanager
def _opened(*script: str) -> Iterator[tuple[Camera, Log, Scripted]]:
    """Open a camera in its own process, in real time, that follows the script; one without a script
    does not exist.
    """
    log = Log()
    with tempfile.TemporaryDirectory() as folder:
        scripted = Scripted(folder, script)
        scripted.node.touch()
        source: FrameSource | None = scripted if script else None
        with closing(Camera(CameraSetup(source, rules_of(GAME)), log)) as camera:
            camera.start()
            yield camera, log, scripted


def _in_real_time(word: str) -> Outcome:
    with _opened(word, "good") as (_, log, source):
        log.next(CameraState.OK)
        began = time.monotonic()
        source.now()
        lost = log.next(CameraState.LOST)
        back = log.next(CameraState.OK)
    seen = f"noticed after {lost - began:.2f} s, back after {back - lost:.2f} s more"
    return Outcome(seen, True, lost - began <= NOTICED_S and back - lost <= BACK_S)


def _stays_lost(seconds: float) -> Outcome:
    """A camera freezes, and shows the same picture whenever it is opened."""
    with _opened("frozen", "stuck") as (camera, log, source):
        log.next(CameraState.OK)
        source.now()
        log.next(CameraState.LOST)
        time.sleep(seconds)
        changes, state = log.changes(), camera.state
        moved = time.monotonic()
        source.move()
        back = log.next(CameraState.OK)
    seen = f"{changes} changes in {seconds:.0f} s, then {state}, back after {back - moved:.2f} s"
    return Outcome(seen, changes == 0 and state is CameraState.LOST, back - moved <= BACK_S)


def _bombs() -> Outcome:
    """Send each of these as a photo, after a good one."""
    kept, slowest = [], 0.0
    readers = Readers()
    with _opened() as (camera, _, _):
        camera.read_photo(jpeg(tray())).result(PATIENT_S)
        pid = readers.only()
        before = _peak_mb(pid)
        for name, make in BOMBS.items():
            bomb = make()
            began = time.monotonic()
            if not isinstance(camera.read_photo(bomb).exception(PATIENT_S), PhotoError):
                kept.append(name)
            slowest = max(slowest, time.monotonic() - began)
        is_alive = readers.running() == {pid}
        grown = _peak_mb(pid) - before if is_alive else 0.0
    seen = f"{len(BOMBS) - len(kept)} of {len(BOMBS)} refused, slowest {1000 * slowest:.0f} ms, "
    seen += f"+{grown:.0f} MB, the same reader: {is_alive}"
    return Outcome(seen, not kept and is_alive and grown <= 60, slowest <= 0.2)


def _fatal(count: int) -> Outcome:
    with _opened("good") as (camera, log, _):
        log.next(CameraState.OK)
        bombs = [FatalPhoto(b"%d" % n) for n in range(count)]
        refusals = [camera.read_photo(bomb).exception(PATIENT_S) for bomb in bombs]
        again = [camera.read_photo(bytes(bomb)) for bomb in bombs]
        at_once = sum(answer.done() for answer in again)
        good = camera.read_photo(jpeg(tray())).result(PATIENT_S)
        log.next(CameraState.LOST)
        log.next(CameraState.OK)
    refused = sum(isinstance(refusal, PhotoError) for refusal in refusals)
    seen = f"{refused} refused, {at_once} at once when sent again, the camera is back"
    return Outcome(seen, refused == at_once == count and good.dice == ())


def _folder() -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        for name, encoded in {
            "a.jpg": jpeg(tray()),
            "._a.jpg": b"\0\5\x16\7",
            "b.png": flat_png(40_000, 8),
            "c.jpg": jpeg(tray())[:-400],
            "d.png": png(tray()),
        }.items():
            (Path(folder) / name).write_bytes(encoded)
        result = CliRunner().invoke(watch, [folder, "--game", GAME, "--fast"])
    lines = result.stderr.splitlines()
    names = ("b.png", "c.jpg", "._a.jpg")
    named = Counter(name for name in names for line in lines if name in line)
    seen = f"exit {result.exit_code}, {len(lines)} lines, named {dict(named)}"
    return Outcome(seen, result.exit_code == 0 and named == Counter(("b.png", "c.jpg")))


def _quiet(frames: int) -> Outcome:
    """Show frames in which nobody rolls to the whole reader (`tests.bench quiet`)."""
    reader, source = Reader.shipped(), drawings(1)
    shown = unwanted = seed = 0
    while shown < frames:
        seed += 1
        table = Table(source, seed)
        kinds, proposed = counted(film(table), watcher(table, reader))
        shown += kinds.total() - kinds[ROLLED]
        unwanted += proposed.total() - proposed[ROLLED]
    return Outcome(f"{unwanted} proposals in {shown} frames", unwanted == 0)


def _peak_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
