"""Faults of a camera and its supervision, simulated on a clock of the tests."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from companion.vision.camera import Timeouts, Watchdog
from companion.vision.child import ALIVE_EVERY_S, Feed
from companion.vision.messages import Alive, LastPictures
from companion.vision.pictures import AnyFrame, EncodedFrame, Frame, jpeg
from companion.vision.readings import CameraState, ReaderError, SourceError
from companion.vision.watch.motion import Motion, MotionState
from tests.vision.fakes import grain, tray
from tests.waiting import Clock

TICK_S = 0.05
START_S = 2.0
"""What a process needs to load its networks, on a small machine."""
LIT = jpeg(tray())
PICTURES = [grain(tray(), n)[::2, ::2].copy() for n in range(7)]


@dataclass
class FailingCamera:
    """A camera with this fault from now on; None for one that works."""

    live: ClassVar[bool] = True
    clock: Clock
    fault: str | None = None
    healed_by_opening: bool = False

    def present(self) -> bool:
        return self.fault != "unplugged"

    def frames(self) -> Generator[AnyFrame]:
        while (shot := self.take(TICK_S)) is not None:
            yield shot

    def play(self) -> FailingCamera:
        if self.healed_by_opening:
            self.fault = None
        if self.fault == "busy":
            raise SourceError("error.camera.cannot_open", source="x")
        return self

    def take(self, timeout_s: float) -> AnyFrame | None:
        now = self.clock.now
        match self.fault:
            case "silent":
                return None
            case "frozen" | "stuck":
                return Frame(PICTURES[0], now, 0)
            case "in turn":  # its driver hands out its buffers
                return Frame(PICTURES[round(now / TICK_S) % 3], now, 0)
            case "white":
                return Frame(np.full((90, 160, 3), 255, np.uint8), now, 0)
            case "unplugged" | "breaks":
                raise SourceError("error.camera.lost", source="x")
            case "black":
                return Frame(np.zeros((90, 160, 3), np.uint8), now, 0)
            case "garbage":
                return EncodedFrame(LIT[:40] + bytes(str(now), "ascii"), now, 0)
            case _:
                return Frame(PICTURES[round(now / TICK_S) % 7], now, 0)


class SimulatedSupervision:
    """The camera's process and its supervisor, simulated: only their decisions."""

    def __init__(self, source: FailingCamera) -> None:
        self.source, self.clock = source, source.clock
        self.lost: list[tuple[float, str]] = []
        self.shown_at = 0.0
        """When something was last seen of the tray."""
        self._last = LastPictures()
        self._begin()

    def _begin(self) -> None:
        self._feed = Feed(self.source, self.clock, self.clock.move, self._last)
        self._motion = Motion()
        self._watchdog = Watchdog(self.clock.now, Timeouts())
        self._sent_at = self.clock.now
        self._send_alive()

    def _send_alive(self) -> None:
        alive = self._feed.alive()
        self._last = alive.last
        self._watchdog.alive(alive, self.clock.now)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        until = self.clock.now + seconds
        while self.clock.now < until:
            self._tick()

    def _tick(self) -> None:
        self.clock.move(TICK_S)
        if self.source.fault != "hung":
            before = self._feed.seen
            frame = self._feed.take(0.0)
            if frame is not None:
                state = self._motion.see(frame).state
                is_dark = state is MotionState.DARK
                is_blank = is_dark or state is MotionState.BRIGHT
                self._feed.looked_at(is_dark=is_dark, is_blank=is_blank)
                if not is_dark:
                    self.shown_at = self.clock.now
            seen = self._feed.seen
            if seen != before and seen.state is CameraState.LOST and seen.problem is not None:
                self.lost.append((self.clock.now, seen.problem.key))
            if self.clock.now - self._sent_at >= ALIVE_EVERY_S:
                self._sent_at = self.clock.now
                self._send_alive()
        if self.clock.now > self._watchdog.deadline:
            self.lost.append((self.clock.now, self._watchdog.reason().key))
            if self.source.fault in {"hung", "silent", "frozen", "in turn"}:
                self.source.fault = None  # only reopening helps
            self.clock.move(START_S)
            self._begin()


@pytest.fixture
def supervision() -> SimulatedSupervision:
    running = SimulatedSupervision(FailingCamera(Clock()))
    running.run(5)
    assert running.lost == []
    assert running.shown_at == running.clock.now
    return running


@pytest.mark.parametrize(
    ("fault", "key"),
    [
        ("silent", "error.camera.stalled"),
        ("frozen", "error.camera.stalled"),
        ("in turn", "error.camera.stalled"),
        ("hung", "error.camera.stalled"),
        ("black", "error.camera.black"),
        ("garbage", "error.camera.black"),
        ("unplugged", "error.camera.lost"),
        ("breaks", "error.camera.lost"),
    ],
)
def test_a_fault_is_noticed_within_three_seconds_and_over_within_five(
    supervision: SimulatedSupervision, fault: str, key: str
) -> None:
    began = supervision.clock.now
    supervision.source.fault = fault
    supervision.run(20)
    assert supervision.lost[0][1] == key
    assert supervision.lost[0][0] - began <= 3
    supervision.source.fault = None
    healed = supervision.clock.now
    supervision.run(5)
    assert healed < supervision.shown_at
    assert supervision.shown_at == supervision.clock.now, "it is seen again"
    noticed = len(supervision.lost)
    supervision.run(10)
    assert len(supervision.lost) == noticed, "and stays"


def test_a_camera_that_stays_frozen_shows_nothing_new_until_it_moves(
    supervision: SimulatedSupervision,
) -> None:
    supervision.source.fault = "stuck"
    supervision.run(3)
    seen_at = supervision.shown_at
    supervision.run(60)
    assert supervision.shown_at == seen_at, "after reopening it is still the last picture"
    assert {key for _, key in supervision.lost} == {"error.camera.stalled"}
    supervision.source.fault = None
    supervision.run(5)
    assert supervision.shown_at == supervision.clock.now


def test_a_camera_that_is_blinded_is_no_frozen_one(supervision: SimulatedSupervision) -> None:
    supervision.source.fault = "white"
    supervision.run(60)
    assert supervision.lost == []


def test_a_night_is_one_restart_and_morning_is_seen_at_once(
    supervision: SimulatedSupervision,
) -> None:
    supervision.source.fault = "black"
    supervision.run(120)
    assert [key for _, key in supervision.lost] == ["error.camera.black"]
    supervision.source.fault = None
    supervision.run(2 * TICK_S)
    assert supervision.shown_at == supervision.clock.now


def test_a_camera_that_another_program_uses_is_asked_for_every_other_second(
    supervision: SimulatedSupervision,
) -> None:
    supervision.source.fault = "breaks"
    supervision.run(60)
    supervision.source.fault = None
    supervision.run(2.5)
    assert supervision.shown_at == supervision.clock.now


def test_a_source_that_is_being_opened_has_longer_once() -> None:
    timeouts = Timeouts()
    watchdog = Watchdog(0.0, timeouts)
    for at in (1.0, 2.0):
        watchdog.alive(Alive(0, open=True), at)
        assert watchdog.deadline == 1.0 + timeouts.open_s
    watchdog.alive(Alive(1, open=True), 3.0)
    assert watchdog.deadline == 3.0 + timeouts.stall_s


def test_a_photo_has_a_time_of_its_own_and_no_more() -> None:
    timeouts = Timeouts()
    watchdog = Watchdog(0.0, timeouts)
    watchdog.alive(Alive(1, open=True), 1.0)
    watchdog.photo_begun(2.0)
    assert watchdog.deadline == 2.0 + timeouts.photo_read_s
    assert isinstance(watchdog.reason(), ReaderError)
    watchdog.photo_read(3.0)
    assert watchdog.deadline == 3.0 + timeouts.stall_s
    assert isinstance(watchdog.reason(), SourceError)
