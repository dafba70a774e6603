"""The tests' own ports: no other program is given them by chance."""

from __future__ import annotations

import socket

from tests import ports
from tests.ports import FIRST, MANY, free_port, free_ports

LOWEST = 32_768
"""The first of Linux's `ip_local_port_range`, unless somebody changed it."""


def test_they_are_none_that_the_kernel_gives_away() -> None:
    assert all(FIRST <= port < LOWEST for port in free_ports(20))
    assert FIRST + MANY == LOWEST


def test_none_is_given_twice() -> None:
    found = free_ports(200)
    assert len(set(found)) == len(found)


def test_one_in_use_is_passed_over() -> None:
    following = FIRST + (next(ports._numbers) + 1) % MANY
    with socket.create_server(("127.0.0.1", following)):
        assert free_port() != following
    assert free_port() != following
