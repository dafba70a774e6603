"""Ports for what a test must know before it listens, or must find closed."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from itertools import count

FIRST, MANY = 16_384, 16_384
"""Below what Linux gives to those who bind port 0 or connect (32768 and up): a port that is free
stays free while nobody else is given it here.
"""
_APART = 1_009
"""Between the first ports of two processes, whose ids often follow each other."""

_numbers = count(os.getpid() * _APART)


def free_port() -> int:
    """Return a port that nobody uses, another one each time."""
    for _ in range(MANY):
        port = FIRST + next(_numbers) % MANY
        with socket.socket() as sock, suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(("", port))  # at every address, as a test may listen at any
            return port
    raise AssertionError("every port is in use")
