"""Outcomes are shown on every phone, and lethal ones stand out in the preview."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.engine import Corrected, Correction, Number, Seat
from tests.browser.phone import phone
from tests.browser.seated import at_the_table, by_keys, sit_down
from tests.browser.test_front import hit_ben, submit

pytestmark = pytest.mark.browser


def test_every_phone_says_who_was_hit_entered_and_left(browser: Browser, tmp_path: Path) -> None:
    with (
        at_the_table(tmp_path, "none") as served,
        phone(browser) as one,
        phone(browser) as two,
        phone(browser, language="es") as three,
    ):
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        three.goto(one.url.rpartition("/")[0] + f"/j#{served.app_state.browsers.invitation.token}")
        three.click(".dock .act")
        ana.tap(".tab >> nth=3")
        three.click(".tab >> nth=1")
        hit_ben(served)
        expect(one.locator(".news p")).to_have_text(
            ["Ana hit Ben for 2: Attack", "You take 4 energy"]
        )
        expect(three.locator(".news p").first).to_have_text("Ana golpeó a Ben por 2: Ataque")
        expect(two.get_by_role("alert").filter(has_text="Ana hit you for 2")).to_have_count(1)
        expect(three.get_by_role("status").filter(has_text="Ana golpeó a Ben")).to_have_count(1)
        ben.wait_for("stay-or-flee")
        expect(two.locator(".poster-band")).to_have_text("Ana hits you for 2.")
        ben.tap(".place-card >> text=Bronx")
        ben.wait_for("waiting")
        expect(two.locator(".news p")).to_have_text(
            ["Ana enters Lower Manhattan: 1 star", "You flee from Midtown to Bronx"]
        )
        expect(two.locator(".last-roll")).to_contain_text("Ana hit you for 2")
        expect(three.locator(".news p")).to_have_count(2)


def test_what_ends_somebody_stands_out_before_apply(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        submit(served, Corrected(numbers=(Correction(Seat(1), Number.HEALTH, 3),)))
        by_keys(ana, 0, 0, 0, 1, 1)
        expect(page.locator(".effect-chip").first).to_be_visible()
        expect(page.locator(".outcome")).to_have_count(0)
        by_keys(ana, 1)
        expect(page.locator(".outcome")).to_have_text(
            ["This wins the game for you", "This ends Ben"]
        )
        expect(page.locator(".outcome").first).to_be_in_viewport()
        ana.tap(".primary")
        ana.wait_for("game-over")
        expect(page.locator("#headline")).to_have_text("Puffin Rex wins")
