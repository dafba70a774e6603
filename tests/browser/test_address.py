"""What a phone shows that came by another address, and how the table's addresses are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.service.settings import Settings
from tests.browser.phone import phone
from tests.service.served import serving

pytestmark = pytest.mark.browser

STRANGE = "raspberrypi.localhost"
"""A name that leads the browser to loopback by itself, and that the service does not know."""


def test_an_unknown_name_leads_on_in_one_tap(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0)
    with serving(settings) as served, phone(browser, size="320x640") as page:
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text))
        answer = page.goto(f"http://{STRANGE}:{served.port}/j")
        assert answer is not None
        assert answer.status == 421
        expect(page.locator("h1")).to_have_text("The table has another address")
        assert page.locator("a").evaluate("link => getComputedStyle(link).display") == "block"
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.click("a")
        expect(page).to_have_url(f"http://127.0.0.1:{served.port}/")
        page.wait_for_selector(".screen-stranger")
        assert [said for said in complaints if "421" not in said and "403" not in said] == []
