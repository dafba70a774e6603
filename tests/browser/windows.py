"""Windows of browsers, with what a player does in them and no more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.phone import PATIENCE, phone


class Window(Protocol):
    """A window of a browser; selectors are CSS."""

    def open(self, address: str) -> None:
        """Go to the address."""

    def wait(self, css: str) -> None:
        """Wait until an element is to be seen."""

    def tap(self, css: str) -> None:
        """Tap the first element that fits, once it is to be seen."""

    def type(self, css: str, text: str) -> None:
        """Replace what is in the field."""

    def choose_file(self, css: str, path: Path) -> None:
        """Give a photo to a field for files."""

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page; a promise is waited for."""

    def until(self, script: str) -> None:
        """Wait until an expression in the page is true."""


class ChromiumWindow:
    """A window of Chromium."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str) -> None:
        self.page.goto(address)

    def wait(self, css: str) -> None:
        self.page.locator(css).first.wait_for()

    def tap(self, css: str) -> None:
        self.page.locator(css).first.click()

    def type(self, css: str, text: str) -> None:
        self.page.fill(css, text)

    def choose_file(self, css: str, path: Path) -> None:
        self.page.set_input_files(css, path)

    def run(self, script: str) -> Any:
        return self.page.evaluate(script)

    def until(self, script: str) -> None:
        self.page.wait_for_function(f"() => {script}")


@contextmanager
def chromium_window(browser: Browser) -> Iterator[Window]:
    """Open a phone's window with cookies of its own."""
    with phone(browser) as page:
        yield ChromiumWindow(page)


@contextmanager
def chromium_tv(browser: Browser) -> Iterator[Window]:
    """Open a television's window."""
    context = browser.new_context(viewport=ViewportSize(width=1280, height=720))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield ChromiumWindow(page)
    context.close()
