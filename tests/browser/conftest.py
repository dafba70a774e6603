from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.phone import HOST
from tests.browser.stage import Stage


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's browser, which finds the table under a name that is not localhost."""
    found = shutil.which("chromium")
    assert found is not None, "The browser tests need Chromium: make chromium"
    with sync_playwright() as play:
        window = play.chromium.launch(
            executable_path=found,
            args=[
                f"--host-resolver-rules=MAP {HOST} 127.0.0.1",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield window
        window.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as window:
        yield window


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    one = Stage()
    yield one
    one.close()
