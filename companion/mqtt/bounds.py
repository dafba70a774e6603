"""Bounds of a process that speaks with a broker: its memory, and its end where a thread fails."""

from __future__ import annotations

import os
import resource
import sys
import threading
from contextlib import suppress

STACK = 1024 * 1024
"""Bytes of each thread's stack, all of which count; 8 MB by default."""


def bound_process(most_memory: int) -> None:
    """Hold this process to so many bytes of data, and end it with status 1 where a thread fails: by
    a broker's nonsense or for want of memory it would go on without hearing anything.
    """
    threading.excepthook = _end_process
    threading.stack_size(STACK)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (most_memory, most_memory))


def _end_process(failure: threading.ExceptHookArgs) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"mqtt: {failure.exc_type.__name__}: {failure.exc_value}\n")
    os._exit(1)
