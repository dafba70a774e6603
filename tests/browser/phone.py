"""A browser window as large as a phone, on a page that is no secure context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.scenes import Scene
from tests.browser.stage import Stage

HOST = "table.test"
"""A name that is not localhost: the page is no secure context, as at home."""
SIZES = {"390x844": (390, 844), "320x640": (320, 640)}
MEASURE = (Path(__file__).parent / "measure.js").read_text("utf8")


@contextmanager
def phone(
    browser: Browser,
    size: str = "390x844",
    theme: str = "night",
    language: str = "en",
    scale: int = 2,
) -> Iterator[Page]:
    """A fresh window with its own cookies and these settings."""
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=scale,
        reduced_motion="reduce",
    )
    prefs = json.dumps({"theme": theme, "language": language})
    context.add_init_script(f"localStorage.setItem('monster-table.prefs', {prefs!r})")
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def play(page: Page, stage: Stage, scene: Scene) -> None:
    """The scene is on the screen, with its taps done."""
    stage.show(scene)
    page.goto(f"http://{HOST}:{stage.port}/")
    page.wait_for_selector(".page:not(.screen-opening)")
    if scene.silent:
        stage.fall_silent()
        page.wait_for_selector(".screen-no-line")
    for tap in scene.taps:
        page.click(tap)
    if scene.typed:
        page.keyboard.type(scene.typed)
    page.evaluate("() => document.fonts.ready.then(() => true)")
    page.wait_for_function("() => [...document.images].every((one) => one.complete)")


def measured(page: Page) -> Any:
    """Boxes of what can be tapped, and what sticks out."""
    return page.evaluate(MEASURE)
