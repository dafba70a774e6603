"""What keeps a page from being for everyone: what does not fit, and what axe-core finds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.browser.phone import play, wiped
from tests.browser.scenes import Scene
from tests.browser.stage import Stage

ROOT = Path(__file__).parents[3]
MEASURE = (Path(__file__).parent / "measure_boxes.js").read_text("utf8")
THEMES = ("night", "paper", "black")
FITS = {
    "320x640": ("320x640", 100),
    "390x844": ("390x844", 100),
    "landscape": ("844x390", 100),
    "tablet": ("768x1024", 100),
    "text-200": ("390x844", 200),
}
"""Each size of page and of text, in percent, at which everything must fit."""
RUN_AXE = """
async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.flatMap(
  (one) => one.nodes.map((node) => `${one.id}: ${node.target.join(" ")} ${node.html.slice(0, 120)}`
    + (one.id === "color-contrast" ? ` ${node.any[0]?.message ?? ""}` : "")),
)
"""


@cache
def _axe() -> str:
    """The script of axe-core, of the packages that build the phone app."""
    found = ROOT / "webui" / "node_modules" / "axe-core" / "axe.min.js"
    assert found.is_file(), "The packages of the phone app are not installed: make install"
    return found.read_text("utf8")


def opened(
    page: Page, stage: Stage, scene: Scene, fit: str, language: str = "en", theme: str = "night"
) -> Page:
    """Show the scene at that size, at rest."""
    size, text = FITS[fit]
    play(wiped(page, stage, size, language, theme, text), stage, scene)
    return at_rest(page)


def at_rest(page: Page) -> Page:
    """Wait until the page takes taps."""
    page.wait_for_selector(".page:not(.settling), .screen-no-line")
    return page


def misfits(page: Page) -> dict[str, list[str]]:
    """What is cut off, outside, overlapping or out of reach, by kind; empty where all is well."""
    found: dict[str, list[str]] = page.evaluate(MEASURE)
    return {kind: those for kind, those in found.items() if those}


def violations(page: Page) -> Any:
    """Return what axe-core finds on the page as it is, a line each."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_axe())
    return page.evaluate(RUN_AXE)
