"""Browser windows of a phone's size, on a page that is not a secure context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, FloatRect, Locator, Page, ViewportSize

from tests.browser.scenes import Scene
from tests.browser.stage import EMPTY, Stage
from tests.waiting import wait_until

HOST = "table.test"
"""Not localhost, so the page is not a secure context, as at home."""
PATIENCE = 60_000
"""Milliseconds: a page has answered by then on a busy machine too."""
SIZES = ("390x844", "320x640")
WIPE = """
(prefs) => {
  localStorage.clear();
  sessionStorage.clear();
  localStorage.setItem("monster-table.prefs", prefs);
}
"""
MEASURE = (Path(__file__).parent / "measure.js").read_text("utf8")


@contextmanager
def phone(
    browser: Browser,
    size: str = "390x844",
    theme: str = "night",
    language: str = "en",
    scale: int = 2,
) -> Iterator[Page]:
    """Open a new window with its own cookies and these settings."""
    context = browser.new_context(
        viewport=viewport(size), device_scale_factor=scale, reduced_motion="reduce"
    )
    prefs = json.dumps({"theme": theme, "language": language})
    context.add_init_script(f"localStorage.setItem('monster-table.prefs', {prefs!r})")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()


@contextmanager
def shared_phone(browser: Browser) -> Iterator[Page]:
    """Open a window that tests share; each begins with `wiped`."""
    context = browser.new_context(device_scale_factor=2, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()


def wiped(
    page: Page,
    stage: Stage,
    size: str = "390x844",
    language: str = "en",
    theme: str = "night",
    text: int = 100,
) -> Page:
    """Clear what the last test left in the shared window."""
    page.goto(f"http://{HOST}:{stage.port}{EMPTY}")
    page.set_viewport_size(viewport(size))
    page.mouse.move(0, 0)
    page.evaluate(WIPE, json.dumps({"theme": theme, "language": language, "text": text}))
    return page


def viewport(size: str) -> ViewportSize:
    width, height = size.split("x")
    return {"width": int(width), "height": int(height)}


def play(page: Page, stage: Stage, scene: Scene) -> None:
    """Show the scene on the page, and do its taps."""
    stage.show(scene)
    page.goto(f"http://{HOST}:{stage.port}/")
    page.wait_for_selector(".page:not(.screen-opening)")
    if scene.silent:
        stage.fall_silent()
        page.wait_for_selector(".screen-no-line")
    for tap in scene.taps:
        page.click(tap)
    if scene.taps and not page.locator(".screen-log").count():
        # A tap far below scrolls; how a screen opens is what is looked at.
        page.evaluate("() => document.querySelector('.scroll')?.scrollTo(0, 0)")
    if scene.typed:
        page.keyboard.type(scene.typed)
    page.evaluate("() => document.fonts.ready.then(() => true)")
    page.wait_for_function("() => [...document.images].every((one) => one.complete)")


def box_of(part: Locator) -> FloatRect:
    """Return where the part is, once it is drawn: a screen that changes takes its parts out and in
    again.
    """
    found: list[FloatRect] = []

    def drawn() -> bool:
        box = part.bounding_box()
        if box is not None:
            found.append(box)
        return bool(found)

    wait_until(drawn)
    return found[0]


def measured(page: Page) -> Any:
    """Return the boxes of all tap targets, and elements that overflow."""
    return page.evaluate(MEASURE)
