"""Odds and coach: off at first, on this phone alone, and only for the one who decides."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.phone import phone
from tests.browser.scenes import ODDS_ON, odds
from tests.browser.seated import serving_evening, sit_down

pytestmark = pytest.mark.browser


def test_odds_are_off_until_this_phone_wants_them(browser: Browser, tmp_path: Path) -> None:
    evening = odds(tmp_path).evening
    mine, other = evening.question.seat, (evening.question.seat + 1) % evening.players
    with serving_evening(evening) as served, phone(browser) as one, phone(browser) as two:
        player, rival = sit_down(one, served, mine), sit_down(two, served, other)
        expect(one.locator(".odds-open")).to_have_count(0)
        for tap in ODDS_ON:
            player.tap(tap)
        rows = one.locator(".odds-keeps tbody tr")
        expect(rows).to_have_count(3)
        expect(rows.nth(0).locator("td")).to_have_text(["52%", "52%", "0.7"])
        expect(rows.nth(1).locator("td")).to_have_text(["42%", "100%", "0.5"])
        expect(one.locator(".top")).to_contain_text("1 roll left")
        expect(one.locator(".top")).to_contain_text("fair dice")
        player.tap(".odds-ask")
        expect(one.locator(".odds-coach")).to_contain_text("Compared: the chance to win the game")
        expect(one.locator(".odds-coach")).to_contain_text("network")
        player.tap(".odds-mark >> nth=1")
        player.wait_for("again")
        expect(one.locator(".again-die[aria-pressed=true]")).to_have_count(3)
        for tap in ODDS_ON[:-1]:
            rival.tap(tap)
        expect(two.locator(".odds-open")).to_have_count(0)
        player.tap(ODDS_ON[0])
        player.tap(ODDS_ON[1])
        player.tap(ODDS_ON[2])
        expect(one.locator(".odds-open")).to_have_count(0)
