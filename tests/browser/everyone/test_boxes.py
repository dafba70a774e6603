"""Nothing is cut, overlapping or out of reach on small and large pages, and with text at 200 %."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.everyone.bench import misfits, opened
from tests.browser.phone import phone, play
from tests.browser.scenes import Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

BY_KEYS = ("06-by-hand", "06b-by-hand-tokyo", "06e-roll-again-by-hand", "14b-camera-lost")
IN_SIGHT = """
(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const box = one.getBoundingClientRect();
  const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return box.top >= 0 && box.bottom <= window.innerHeight && (found === one || one.contains(found));
})
"""
BROKEN = {
    "clipped": ".primary-words { width: 20px; overflow: hidden; white-space: nowrap; }",
    "outside": ".primary { transform: translateX(200px); }",
    "overprinted": ".own-strip { margin-bottom: -60px; }",
    "overlapping": ".own-strip { margin-bottom: -60px; }",
    "unreachable": ".page::after { content: ''; position: absolute; inset: 0; z-index: 9; }",
}
"""A style that breaks the page, for each kind of finding."""


@pytest.mark.parametrize("kind", BROKEN)
def test_the_measure_sees_what_does_not_fit(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], kind: str
) -> None:
    page = opened(shared, stage, scenes("06-by-hand"), "390x844")
    page.evaluate(
        """(css) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(css);
          document.adoptedStyleSheets = [sheet];
        }""",
        BROKEN[kind],
    )
    assert kind in misfits(page)


@pytest.mark.parametrize("name", BY_KEYS)
def test_keys_and_numbers_are_in_sight_on_a_phone_on_its_side(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str
) -> None:
    page = opened(shared, stage, scenes(name), "landscape")
    seen = page.evaluate(IN_SIGHT, ".key, .own-number, .primary")
    assert seen == [True] * 11


def test_at_200_percent_the_primary_button_stays_in_sight(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = opened(shared, stage, scenes("03-my-turn"), "text-200")
    assert page.evaluate(IN_SIGHT, ".primary, .tab") == [True] * 5
    page.evaluate("() => document.querySelector('.page').scrollTo(0, 10000)")
    assert page.evaluate(IN_SIGHT, ".primary, .tab") == [True] * 5


def test_the_text_size_is_set_at_once_and_kept(
    browser: Browser, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    with phone(browser) as page:
        play(page, stage, scenes("16-more"))
        page.click(".text-size-act")
        expect(page.locator("[data-sheet=text-size]")).to_be_visible()
        page.click("[data-sheet=text-size] [role=radio] >> nth=4")
        size = "() => getComputedStyle(document.querySelector('#headline + *, body')).fontSize"
        assert page.evaluate(size) == "32px"
        expect(page.locator("html")).to_have_attribute("data-text", "large")
        page.click("[data-sheet=text-size] [role=radio] >> nth=0")
        expect(page.locator("html")).to_have_attribute("data-text", "plain")
        stored = page.evaluate("() => JSON.parse(localStorage['monster-table.prefs']).text")
        assert stored == 100
