"""How long tests wait for what must come, and a time that passes only when a test says so."""

from __future__ import annotations

from companion.vision.process.supervisor import Timeouts

WITHIN_S = 120.0
"""Far longer than anything takes on a crowded machine: only a test that fails waits so long."""


class Clock:
    """Stands still unless it is moved, so that nothing is ever late because the machine is."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        """So much later."""
        self.now += seconds


def patient(clock: Clock | None = None) -> Timeouts:
    """For a camera whose time is that clock; what has died is started again at once."""
    return Timeouts(
        restart_s=0.01, restart_at_most_s=0.01, photo_s=WITHIN_S, clock=clock or Clock()
    )
