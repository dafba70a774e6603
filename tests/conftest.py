"""What every test stands on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

OF_THE_GATE = {
    "cyclonedx": "test_licences.py",
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
