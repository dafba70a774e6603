"""Points in time whose age is known over restarts and changes of the wall clock."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
LONGEST_GAP_S = 3 * 365 * 24 * 3600
"""A longer gap between two boots means a wrong clock: a Pi has no battery for its clock."""


class Moment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A time by two clocks: the wall's, and the seconds since the boot named `boot`."""

    wall_s: Annotated[int, Meta(ge=-(2**62), le=2**62)]
    boot: Annotated[str, Meta(max_length=64)]
    up_s: Annotated[int, Meta(ge=-(2**62), le=2**62)]

    def before(self, seconds: int) -> Moment:
        """Return the moment so many seconds earlier."""
        return Moment(self.wall_s - seconds, self.boot, self.up_s - seconds)


def moment() -> Moment:
    """Return the present moment."""
    try:
        boot = BOOT_ID.read_text("ascii").strip()[:64]
    except OSError:
        boot = ""
    return Moment(int(time.time()), boot, int(time.clock_gettime(time.CLOCK_BOOTTIME)))


def passed_s(since: Moment, now: Moment) -> int:
    """Return the seconds from `since` to `now`, never negative.

    Within one boot the wall clock is ignored. Between two boots a negative gap, or one over
    `LONGEST_GAP_S`, counts as none.
    """
    if since.boot and since.boot == now.boot:
        return max(0, now.up_s - since.up_s)
    gap = now.wall_s - since.wall_s
    return gap if 0 <= gap <= LONGEST_GAP_S else 0
