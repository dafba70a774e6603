"""Networks for tests: a namespace is a thread that has left the machine's network.

What such a thread opens, starts or asks of the kernel belongs to its namespace, and so do the
threads and processes that it starts. Nothing has a name, so nothing is left behind: a namespace is
gone with its thread and its sockets, whatever became of the test.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of Linux."""
P = ParamSpec("P")
T = TypeVar("T")


def _leave() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


class Namespace:
    """One machine of a test: it has a loopback, and the links that a test gives it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self.run(_leave)
        self.task = self.run(threading.get_native_id)
        self.ip("link set dev lo up")

    def run(self, what: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Call the function within this namespace, and return its result."""
        return self._thread.submit(what, *args, **named).result()

    def ip(self, *lines: str) -> None:
        """Run these commands of `ip` within this namespace."""
        self.run(
            subprocess.run, ["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True
        )

    def link(self, name: str, other: Namespace, theirs: str = "wlan0") -> None:
        """Connect an interface of this machine with one of the other; both are up."""
        self.ip(f"link add {name} type veth peer name {theirs} netns {other.task}")
        self.ip(f"link set dev {name} up")
        other.ip(f"link set dev {theirs} up")

    def close(self) -> None:
        self._thread.shutdown()


@contextmanager
def namespaces(count: int) -> Iterator[tuple[Namespace, ...]]:
    """Make so many machines without links."""
    made = [Namespace() for _ in range(count)]
    try:
        yield tuple(made)
    finally:
        for one in made:
            one.close()


def allowed() -> bool:
    """Whether this user may make namespaces and links between them."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    try:
        with namespaces(2) as (one, other):
            one.link("probe", other, "probe")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True
