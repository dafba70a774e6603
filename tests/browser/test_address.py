"""What a phone shows that came by another address, and how the table's addresses are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from companion.service.settings import Settings
from tests.browser.phone import phone, play
from tests.browser.scenes import join_qr, join_qr_guest, stranger, stranger_at_window
from tests.browser.stage import Stage
from tests.service.served import serving

pytestmark = pytest.mark.browser

STRANGE = "raspberrypi.localhost"
"""A name that leads the browser to loopback by itself, and that the service does not know."""


def test_an_unknown_name_leads_on_in_one_tap(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0)
    with serving(settings) as served, phone(browser, size="320x640") as page:
        complaints: list[str] = []
        page.on("console", lambda line: complaints.append(line.text))
        answer = page.goto(f"http://{STRANGE}:{served.port}/j")
        assert answer is not None
        assert answer.status == 421
        expect(page.locator("h1")).to_have_text("The table has another address")
        assert page.locator("a").evaluate("link => getComputedStyle(link).display") == "block"
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.click("a")
        expect(page).to_have_url(f"http://127.0.0.1:{served.port}/")
        page.wait_for_selector(".screen-stranger")
        assert [text for text in complaints if "421" not in text and "403" not in text] == []


def test_a_stranger_sees_which_of_several_tables_asks_for_the_code(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, stranger_at_window(tmp_path))
        expect(page.get_by_text("Table The long one beside the high windows")).to_be_visible()


def test_the_only_table_of_a_machine_has_no_name(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page, page.expect_response("**/api/health"):
        play(page, stage, stranger(tmp_path))
        expect(page.get_by_text("Code of the table")).to_be_visible()
        assert page.locator(".code-table").count() == 0


def test_the_host_puts_another_address_on_the_code_in_one_tap(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = join_qr(tmp_path)
        play(page, stage, scene)
        join = scene.update.view.join
        assert join is not None
        before = page.locator(".qr").get_attribute("src")
        other = page.locator(".other-addresses .act")
        expect(other).to_have_text(join.addresses[1])
        other.click()
        assert stage.sent(1) == [{"address": join.addresses[1]}]
        moved = replace(join, address=join.addresses[1], addresses=join.addresses[::-1])
        stage.push(scene.evening.update(join=moved))
        expect(page.locator("p.address")).to_have_text(join.addresses[1])
        expect(other).to_have_text(join.addresses[0])
        assert page.locator(".qr").get_attribute("src") != before


def test_a_guest_sees_the_other_addresses_and_chooses_none(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = join_qr_guest(tmp_path)
        play(page, stage, scene)
        join = scene.update.view.join
        assert join is not None
        expect(page.locator(".other-addresses .address")).to_have_text(join.addresses[1])
        expect(page.locator(".other-addresses .act")).to_have_count(0)
