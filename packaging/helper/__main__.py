"""What the package and its units call: `python3 -IB helper COMMAND`."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

STATE = Path("/var/lib/monster-table")
LONGEST_PAUSE_S = 60
COUNT_BYTES = 4


def back_off(state: Path) -> None:
    """Wait before a start that follows failed ones: 1, 2, 4 … 60 seconds.

    `RestartSteps=` would do this, from systemd 254 on only.
    """
    failed = 0
    with suppress(OSError):
        handle = os.open(state / "starts", os.O_RDONLY | os.O_NONBLOCK)  # a pipe is not waited for
        with os.fdopen(handle, "rb") as file:
            written = file.read(COUNT_BYTES) or b""
        failed = int(written) if written.isdigit() else 0
    if failed:
        time.sleep(min(LONGEST_PAUSE_S, 2 ** min(failed - 1, 6)))


def main(arguments: list[str]) -> int:
    """Wait before a start, or do what else is asked.

    Each start of the service waits here, so the rest is not needed for it: while the package is
    unpacked, some of it is not there.
    """
    if arguments == ["back-off"]:
        back_off(STATE)
        return 0
    import box_main

    return box_main.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
