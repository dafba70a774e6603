from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.phone import HOST, PATIENCE, shared_phone
from tests.browser.scenes import SCENES, Scene
from tests.browser.stage import Stage
from tests.conftest import closing_logs


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


@pytest.fixture(scope="session", autouse=True)
def _logs_are_closed() -> Iterator[None]:
    """Scenes outlive a test, and so do their logs."""
    with closing_logs():
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with chromium() as window:
        yield window


@pytest.fixture(scope="session")
def shared(browser: Browser) -> Iterator[Page]:
    """The window of tests that change nothing but the page in it."""
    with shared_phone(browser) as page:
        yield page


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Scene]:
    """Each scene by its name, played once: for tests that only look at it."""

    @cache
    def scene(name: str) -> Scene:
        return SCENES[name](tmp_path_factory.mktemp(name))

    return scene


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    one = Stage()
    yield one
    one.close()
