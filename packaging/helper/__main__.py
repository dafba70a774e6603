"""What the package and its units call: `python3 -IB helper install|renew|update|back-off`."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

from box_paths import Box, ReleaseError
from box_releases import (
    fits,
    forget,
    link,
    make,
    prune,
    self_test,
    served,
    served_before,
    switch,
)
from box_update import answer_request, try_out

LONGEST_PAUSE_S = 60
COUNT_BYTES = 4


def install(box: Box, version: str) -> None:
    """Make the release of the package's own wheels, and let it serve if it works."""
    before, earlier = served(box), served_before(box)
    release = make(box, box.home / "wheels", version)
    try:
        self_test(box, release)
    except ReleaseError:
        if release != before:
            forget(release)
        raise
    switch(box, release)
    if before is None or before == release or not (reason := try_out(box, release)):
        prune(box)
        return
    link(box, before, earlier)
    raise ReleaseError(f"{reason}; {try_out(box, before) or 'the release before serves again'}")


def back_off(box: Box) -> None:
    """Wait before a start that follows failed ones: 1, 2, 4 … 60 seconds.

    `RestartSteps=` would do this, from systemd 254 on only.
    """
    failed = 0
    with suppress(OSError), (box.state / "starts").open("rb") as file:
        written = file.read(COUNT_BYTES)
        failed = int(written) if written.isdigit() else 0
    if failed:
        time.sleep(min(LONGEST_PAUSE_S, 2 ** min(failed - 1, 6)))


def main(arguments: list[str]) -> int:
    """Do what is asked; a failure is one line, and status 1."""
    box = Box()
    try:
        match arguments:
            case ["install", version]:
                install(box, version)
            case ["renew", version]:
                if not fits(served(box)):
                    install(box, version)
            case ["update"]:
                return 0 if answer_request(box) else 1
            case ["back-off"]:
                back_off(box)
            case _:
                print(
                    "usage: helper install VERSION | renew VERSION | update | back-off",
                    file=sys.stderr,
                )
                return 2
    except ReleaseError as failed:
        print(f"monster-table: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
