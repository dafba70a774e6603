"""What every test stands on."""

from __future__ import annotations

import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import pytest
from hypothesis import settings

import companion.vision.pictures  # noqa: F401  OpenCV reads its limits once, when it is loaded
from companion.table import database
from tests.service.phone import guards
from tests.waiting import WITHIN_S

# An example may take any time: how long it takes says how busy the machine is.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

OF_THE_GATE = {
    "playwright": "browser",
    "sphinx": "test_docs.py",
    "vulture": "test_dead_code.py",
}
"""What `make gate` tests with packages that it alone installs."""

collect_ignore = [tests for package, tests in OF_THE_GATE.items() if find_spec(package) is None]


@pytest.fixture(scope="session", autouse=True)
def _interrupts_are_heard() -> Iterator[None]:
    """Where the tests run in the background, an interrupt is ignored, by their children too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def closing_logs() -> Iterator[None]:
    """Close what is left open within the block, as at the end of its process: the logs of
    tables.
    """
    opened: list[sqlite3.Connection] = []
    real = database.open_database

    def remembered(address: str, *pragmas: str) -> sqlite3.Connection:
        opened.append(real(address, *pragmas))
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "open_database", remembered)
        yield
    guards.clear()
    # A service that was just closed may still write what waited, and copy it, on threads.
    for thread in threading.enumerate():
        if thread.name.startswith(("ending", "copies")):
            thread.join(WITHIN_S)
    for db in opened:
        db.close()


@pytest.fixture(autouse=True)
def _logs_are_closed() -> Iterator[None]:
    with closing_logs():
        yield
