"""What the package and its units call: `python3 -IB helper install|update|back-off`."""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress

from box_releases import Box, ReleaseError, make, prune, self_test, served, step_back, switch
from box_update import answer_request, try_out

LONGEST_PAUSE_S = 60
COUNT_BYTES = 4096


def install(box: Box, version: str) -> None:
    """Make the release of the package's own wheels, and let it serve if it works."""
    before = served(box)
    release = make(box, box.home / "wheels", version)
    self_test(box, release)
    switch(box, release)
    reason = try_out(box, release) if before not in (None, release) else ""
    if not reason:
        prune(box)
        return
    step_back(box)
    worse = try_out(box, before) if before is not None else ""
    state = worse or "the release before serves again"
    raise ReleaseError(f"{reason}; {state}")


def back_off(box: Box) -> None:
    """Wait before a start that follows failed ones: 1, 2, 4 … 60 seconds.

    `RestartSteps=` would do this, from systemd 254 on only.
    """
    failed = 0
    with suppress(OSError, ValueError, RecursionError):
        with (box.state / "starts.json").open("rb") as file:
            given = json.loads(file.read(COUNT_BYTES))
        if isinstance(given, dict) and type(given.get("failed")) is int:
            failed = max(0, min(given["failed"], 16))
    if failed:
        time.sleep(min(LONGEST_PAUSE_S, 2 ** (failed - 1)))


def main(arguments: list[str]) -> int:
    """Do what is asked; a failure is one line, and status 1."""
    box = Box()
    try:
        match arguments:
            case ["install", version]:
                install(box, version)
            case ["update"]:
                return 0 if answer_request(box) else 1
            case ["back-off"]:
                back_off(box)
            case _:
                print("usage: helper install VERSION | update | back-off", file=sys.stderr)
                return 2
    except ReleaseError as failed:
        print(f"monster-table: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
