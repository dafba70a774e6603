"""Offers that close: a die thrown again, the last chance to stay, and why an order of groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.phone import phone, play
from tests.browser.scenes import last_chance, order, probe, probe_offer
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser


def test_a_die_is_thrown_again_by_two_taps(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    scene = probe_offer(tmp_path)
    with phone(browser) as page:
        play(page, stage, scene)
        expect(page.locator(".offer-lies")).to_contain_text("As it lies")
        expect(page.locator(".primary")).to_be_disabled()
        page.click(".offer-die >> nth=1")
        expect(page.locator(".odds-line").first).to_contain_text("in 6")
        page.click(".primary")
        (command,) = stage.sent(1)
        used, chosen = command["events"]
        assert (used["type"], used["seat"]) == ("PowerUsed", 0)
        assert (chosen["type"], chosen["seat"], chosen["option"]) == ("Chosen", 0, "die_1")


def test_dice_are_let_stand_by_one_tap(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        play(page, stage, probe_offer(tmp_path))
        page.click(".offer-let")
        (command,) = stage.sent(1)
        assert [event["type"] for event in command["events"]] == ["Chosen"]
        assert command["events"][0]["option"] == "go"


def test_a_power_in_use_asks_for_the_die_alone(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, probe(tmp_path))
        page.click(".offer-die >> nth=0")
        page.click(".primary")
        (command,) = stage.sent(1)
        assert [event["type"] for event in command["events"]] == ["Chosen"]


@pytest.mark.parametrize("card", [0, 1, 2])
def test_the_last_chance_shows_what_each_way_leaves(
    browser: Browser, stage: Stage, tmp_path: Path, card: int
) -> None:
    scene = last_chance(tmp_path)
    assert scene.update.view.game is not None
    assert scene.update.view.game.question is not None
    options = scene.update.view.game.question.options
    assert [option.out for option in options] == [False, False, True]
    with phone(browser) as page:
        play(page, stage, scene)
        cards = page.locator(".offer-chance")
        expect(cards).to_have_count(3)
        edges = {one.evaluate("(it) => getComputedStyle(it).border") for one in cards.all()}
        assert len(edges) == 1, "no way is pushed"
        expect(cards.nth(0)).to_contain_text("Pay 2")
        expect(cards.nth(0).locator(".offer-health")).to_contain_text("1")
        expect(cards.nth(1).locator(".offer-health")).to_contain_text("2")
        expect(cards.nth(2)).to_contain_text("Let go")
        cards.nth(card).click()
        (command,) = stage.sent(1)
        assert command["events"][0]["option"] == options[card].key


def test_the_order_says_what_each_group_does_and_what_another_order_changes(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, order(tmp_path))
        expect(page.locator(".order-row")).to_have_count(4)
        expect(page.locator(".order-does")).to_have_count(4)
        expect(page.locator(".order-why")).to_contain_text("Why this order?")
        page.click(".arrow-key:not([disabled]) >> nth=0")
        expect(page.locator(".order-why")).to_contain_text("Compared with the sensible order")
        expect(page.locator(".order-does")).to_have_count(4)
