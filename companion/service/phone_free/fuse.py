"""The fuse: a visible countdown before the tray acts; any touch and any change put it out.

It is held in memory alone, so a service that stops has decided nothing.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from companion.service import wire
from companion.service.phone_free.conditions import (
    DICE_LIE,
    Act,
    Seen,
    act_of_clearing,
    act_of_reading,
)
from companion.service.wire import FuseKind
from companion.table import TRAY, RefusedError, Snapshot, Submission, Table
from companion.vision.readings import CameraState


@dataclass(frozen=True, slots=True)
class _Lit:
    """A fuse that burns. `until`: when it has burnt down, by the monotonic clock."""

    act: Act
    timer: threading.Timer
    until: float
    id: str = field(default_factory=lambda: f"tray-{secrets.token_hex(8)}")


class PhoneFree:
    """Lights and puts out the fuse of one table; `changed` is called whenever phones should get a
    new view.
    """

    def __init__(
        self,
        table: Table,
        look: Callable[[Snapshot], Seen],
        changed: Callable[[], None],
        seconds: float,
    ) -> None:
        self._table, self._look, self._changed = table, look, changed
        self._seconds = seconds
        self._lock = threading.Lock()
        self._lit: _Lit | None = None
        self._question = ("", "")
        """The table and question that the next four are about."""
        self._rolls: set[int] = set()
        """The rolls that the camera has read for it."""
        self._newest: int | None = None
        """The roll that was read last, for it or before it."""
        self._old: int | None = None
        """The roll that was read last before it: those dice, read again, are none of its rolls."""
        self._stopped = False
        """Somebody has touched a phone, or the camera was lost: nothing is applied by itself."""
        self._tried = ""
        """The last proposal that had a fuse: none gets a second one."""
        self._seen_at = ("", -1)
        """The table and revision that the next one is about."""
        self._dice_seen = False
        """Dice were seen in the tray since then, so that it can be cleared."""
        self._closed = False

    def follow(self) -> None:
        """Put the fuse out where anything has changed, and light one where all conditions hold.
        Called after every change of the table or the tray.
        """
        with self._lock:
            if self._closed:
                return
            snapshot = self._table.snapshot()
            seen = self._look(snapshot)
            self._note(snapshot, seen)
            act = self._act(snapshot, seen)
            if self._lit is not None and self._lit.act != act:
                self._extinguish()
            if self._lit is None and act is not None and self._may_light(act):
                self._light(act)

    def put_out(self, fuse: str) -> None:
        """Put out the fuse of this id, since somebody touched a phone; what it would have done is
        left to a tap.
        """
        with self._lock:
            if self._lit is None or self._lit.id != fuse:
                return
            self._extinguish()
            self._stopped, self._dice_seen = True, False
        self._changed()

    def view(self) -> wire.Fuse | None:
        """Return the fuse that burns, for phones to show."""
        lit = self._lit
        if lit is None:
            return None
        left = min(max(lit.until - time.monotonic(), 0.0), self._seconds)
        return wire.Fuse(
            id=lit.id,
            kind=lit.act.kind,
            seat=lit.act.seat,
            seconds=self._seconds,
            left_s=round(left, 2),
        )

    def close(self) -> None:
        """Put the fuse out for good."""
        with self._lock:
            self._closed = True
            self._extinguish()

    def _note(self, snapshot: Snapshot, seen: Seen) -> None:
        """Note what the tray has shown for this question and this revision."""
        question = (snapshot.table, snapshot.state.question_id)
        if question != self._question:
            self._question, self._rolls, self._stopped = question, set(), False
            self._old = self._newest
        if seen.reading is not None:
            self._newest = seen.reading.roll
            self._rolls |= {self._newest} - {self._old}
        revision, lie = (snapshot.table, snapshot.rev), seen.sight.state in DICE_LIE
        self._dice_seen = lie or (self._dice_seen and revision == self._seen_at)
        self._seen_at = revision
        if seen.camera is not CameraState.OK:
            self._dice_seen = False
        if seen.camera in {CameraState.LOST, CameraState.ENDED}:
            self._stopped = True

    def _act(self, snapshot: Snapshot, seen: Seen) -> Act | None:
        if self._stopped:
            return None
        applied = act_of_reading(snapshot, seen, len(self._rolls))
        if applied is None and self._dice_seen:
            return act_of_clearing(snapshot, seen)
        return applied

    def _may_light(self, act: Act) -> bool:
        return act.kind is FuseKind.END or act.proposal != self._tried

    def _light(self, act: Act) -> None:
        timer = threading.Timer(self._seconds, self._burn)
        timer.daemon = True
        self._lit = _Lit(act, timer, time.monotonic() + self._seconds)
        self._tried = act.proposal or self._tried
        timer.start()

    def _extinguish(self) -> None:
        if self._lit is not None:
            self._lit.timer.cancel()
            self._lit = None

    def _burn(self) -> None:
        """Perform the act, unless anything has changed since the fuse was lit."""
        self.follow()
        with self._lock:
            lit = self._lit
            if lit is None or lit.timer is not threading.current_thread():
                return
            self._lit = None
        act = lit.act
        command = Submission(lit.id, act.rev, act.events, TRAY, act.table)
        try:
            self._table.submit(command)
        except RefusedError:  # a phone was quicker by a moment
            self._changed()
