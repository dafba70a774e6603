"""What a process in the service's sandbox can do: one JSON object. Standard library alone.

Run inside the unit by the machine's own Python; every entry is `allowed` or the error's name.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import socket
from collections.abc import Callable
from pathlib import Path


def outcome(attempt: Callable[[], object]) -> str:
    """Return `allowed`, or the name of the error that the kernel answered with."""
    try:
        attempt()
    except OSError as refused:
        return errno.errorcode.get(refused.errno or 0, str(refused))
    return "allowed"


def send(address: str) -> None:
    """Send a packet to an address that the machine itself has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", (address, 9))


def main() -> None:
    """Print what is allowed."""
    found = {
        "send to loopback": outcome(lambda: send("127.0.0.1")),
        "send to a private address": outcome(lambda: send("10.1.2.3")),
        "send to a public address": outcome(lambda: send("203.0.113.1")),
        "packet socket": outcome(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
        "write to /usr": outcome(lambda: Path("/usr/probe").touch()),
        "write to /etc": outcome(lambda: Path("/etc/probe").touch()),
        "write to the state folder": outcome(lambda: Path("/var/lib/monster-table/probe").touch()),
        "list the journal": outcome(lambda: list(Path("/run/log/journal").iterdir())),
        "list /root": outcome(lambda: list(Path("/root").iterdir())),
        "open /dev/null": outcome(lambda: Path("/dev/null").open("rb").close()),
        "open /dev/full": outcome(lambda: Path("/dev/full").open("rb").close()),
        "open another device": outcome(lambda: Path("/dev/probe").open("rb").close()),
        "change the root": outcome(lambda: os.chroot("/")),
        "raise the priority": outcome(lambda: os.nice(-1)),
        "writable and executable memory": outcome(
            lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC | mmap.PROT_READ)
        ),
    }
    Path("/var/lib/monster-table/probe").unlink(missing_ok=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
