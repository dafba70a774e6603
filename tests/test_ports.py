"""The tests' own ports: no other program is given them by chance."""

from __future__ import annotations

import socket
from contextlib import ExitStack, suppress

from tests import ports
from tests.ports import FIRST, MANY, free_port, free_ports

LOWEST = 32_768
"""The first of Linux's `ip_local_port_range`, unless somebody changed it."""


def test_they_are_none_that_the_kernel_gives_away() -> None:
    assert all(1024 < FIRST <= port < LOWEST for port in free_ports(20))
    assert FIRST + MANY <= LOWEST


def test_none_is_given_twice() -> None:
    found = free_ports(200)
    assert len(set(found)) == len(found)


def test_one_in_use_is_passed_over() -> None:
    """At whatever address: two of the next ones are in use, if not by others already."""
    number = next(ports._numbers)
    taken = [FIRST + (number + n) % MANY for n in (1, 2)]
    with ExitStack() as held:
        for host, port in zip(("127.0.0.1", "127.0.0.2"), taken, strict=True):
            with suppress(OSError):
                held.enter_context(socket.create_server((host, port)))
        assert free_port() not in taken
