"""A phone for two players, and names that players give themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.evening import Evening
from tests.browser.phone import HOST, phone
from tests.browser.seated import evening, serving_evening

pytestmark = pytest.mark.browser


def test_a_shared_phone_is_asked_for_both_seats_by_name(browser: Browser, tmp_path: Path) -> None:
    evening(tmp_path, "tokyo")
    with (
        serving_evening(Evening(tmp_path, "tokyo", 2)) as served,
        phone(browser) as host,
        phone(browser) as one,
    ):
        host.goto(f"http://{HOST}:{served.port}/j#{served.app_state.browsers.invitation.terminal}")
        host.click(".dock .act")
        ana = sit_down_as_guest(one, served.port, served.app_state.browsers.invitation.token)
        ana.click(".tab >> nth=3")
        ana.click(".share-act")
        ana.click("[data-sheet=share] .seat-row")
        expect(ana.locator(".share-act")).to_contain_text("Ben plays here too")
        ana.reload()
        ana.wait_for_selector(".screen-by-hand")
        for key in (1, 2, 2, 2, 0, 0):
            ana.click(f".key >> nth={key}")
        ana.click(".primary")
        ana.wait_for_selector(".screen-stay-or-flee")
        expect(ana.locator(".poster-band")).to_contain_text("Ben")
        ana.click(".answer-card >> nth=1")
        ana.wait_for_selector(".screen-buy")
        ana.click(".tab >> nth=3")
        ana.click(".share-act")
        ana.click(".share-end")
        ana.click(".tab >> nth=0")
        ana.click(".primary")
        ana.wait_for_selector(".screen-waiting")


def sit_down_as_guest(page: Page, port: int, token: str) -> Page:
    page.goto(f"http://{HOST}:{port}/j#{token}")
    page.click(".seat-row >> nth=0")
    page.wait_for_selector(".tabs")
    return page


def test_a_player_names_the_own_seat_and_no_other(browser: Browser, tmp_path: Path) -> None:
    lobby = Evening(tmp_path, players=2).seats()
    with serving_evening(lobby) as served, phone(browser) as host, phone(browser) as page:
        host.goto(f"http://{HOST}:{served.port}/j#{served.app_state.browsers.invitation.terminal}")
        host.wait_for_selector(".screen-new-game")
        page.goto(f"http://{HOST}:{served.port}/j#{served.app_state.browsers.invitation.token}")
        page.click(".seat-row >> nth=1")
        page.click(".own-seat")
        expect(page.locator("[data-sheet=seat] .three")).to_have_count(0)
        page.fill("[data-sheet=seat] input", "Benedikt")
        page.click("[data-sheet=seat] .monster-pick:not([disabled]):not(.chosen)")
        page.click("[data-sheet=seat] .act.chosen")
        expect(page.locator(".seat-row.mine")).to_contain_text("Benedikt")
        expect(host.locator(".seat-row >> nth=1")).to_contain_text("Benedikt")
        expect(page.locator("button.seat-row")).to_have_count(0)
