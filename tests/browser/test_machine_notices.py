"""Safe mode is said on the phone in every language, and hides no key of the turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.service.settings import Safe, Settings
from tests.browser.phone import HOST, box_of, phone
from tests.browser.seated import evening, sit_down
from tests.service.served import serving

pytestmark = pytest.mark.browser

NOTICE = '[data-notice="log"]'


@pytest.mark.parametrize("language", ["en", "es", "fr", "is"])
def test_safe_mode_is_said_and_seen_in_one_tap(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    evening(tmp_path, "tokyo")
    settings = Settings(
        tmp_path, host="127.0.0.1", port=0, game="tokyo", names=(HOST,), safe=Safe.FAILED
    )
    with serving(settings) as served, phone(browser, size="320x640", language=language) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        notice = page.locator(NOTICE)
        expect(notice).to_contain_text("companion doctor")
        box, dock = box_of(notice), box_of(page.locator(".dock"))
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= dock["y"] + 1
        ana.tap(f"{NOTICE} button")
        expect(notice).to_have_count(0)
