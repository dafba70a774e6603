"""What every test stands on."""

from __future__ import annotations

import signal
import sqlite3
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from companion.storage.schema import connect
from companion.table import opening
from tests.waiting import WITHIN_S

OF_THE_GATE = {
    "playwright": "browser",
    "sphinx": "docs",
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


@pytest.fixture(autouse=True)
def _logs_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The log of a table that a test leaves behind is closed, as at the end of its process."""
    opened: list[sqlite3.Connection] = []

    def remembered(path: Path) -> sqlite3.Connection:
        opened.append(connect(path))
        return opened[-1]

    monkeypatch.setattr(opening, "connect", remembered)
    yield
    # A service that has just been closed may still write what waited, on a thread of its own.
    for thread in threading.enumerate():
        if thread.name.startswith("ending"):
            thread.join(WITHIN_S)
    for db in opened:
        db.close()
