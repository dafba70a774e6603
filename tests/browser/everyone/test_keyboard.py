"""A game without touching the screen: the focus is visible, goes in order, and is given back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.service.settings import Settings
from tests.browser.everyone.bench import opened
from tests.browser.everyone.keyboard import Keyboard
from tests.browser.phone import HOST, phone
from tests.browser.scenes import SCENES, Scene
from tests.browser.seated import at_the_table, numbers, sit_down, with_energy
from tests.browser.stage import Stage
from tests.service.served import serving

pytestmark = pytest.mark.browser

IN_ORDER = (
    *("01-new-game", "03-my-turn", "04-proposal", "06-by-hand", "08a-buy", "09-stay-or-flee"),
    *("10-table", "11-log", "16-more", "30-statistics"),
)
SHEETS = ("12-number", "10c-player", "07-order", "13-hands", "09d-clause", "16i-text-size")


def test_a_lobby_is_set_up_and_joined_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, camera="none", names=(HOST,))
    with serving(settings) as served, phone(browser) as one, phone(browser) as two:
        base = f"http://{HOST}:{served.port}"
        invitation = served.app_state.browsers.invitation
        one.goto(f"{base}/j#{invitation.terminal}")
        host = Keyboard(one)
        host.wait_for("new-game")
        host.choose(".box-card:nth-of-type(2)")
        for name in ("Ana", "Ben"):
            host.choose(".add-seat")
            host.to("[data-sheet=seat] input")
            one.keyboard.press("Control+A")
            one.keyboard.type(name)
            host.press("Tab")
            host.choose("[data-sheet=seat] .act.chosen")
            expect(one.locator("[data-sheet]")).to_have_count(0)
        two.goto(base)
        guest = Keyboard(two)
        guest.wait_for("stranger")
        guest.to(".code-input")
        two.keyboard.type(invitation.code)
        guest.press("Enter")
        guest.wait_for("pick-seat")
        guest.choose(".seat-row:nth-of-type(2)", "Space")
        guest.wait_for("lobby")
        guest.choose(".own-seat")
        guest.to("[data-sheet=seat] input")
        two.keyboard.press("Control+A")
        two.keyboard.type("Benedikt")
        guest.press("Tab")
        guest.choose(".monster-pick:not([disabled]):not(.chosen)")
        guest.choose("[data-sheet=seat] .act.chosen")
        expect(one.locator(".seat-words >> text=Benedikt")).to_be_visible()
        host.choose(".primary")
        host.wait_for("who-starts")
        host.choose(".starter")
        host.choose(".primary")
        one.wait_for_selector(".page:not(.screen-who-starts)")
        assert served.app_state.table.snapshot().state.game is not None


def test_a_turn_and_a_decision_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with (
        at_the_table(tmp_path, "none", "tokyo") as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        sit_down(one, served, 0)
        sit_down(two, served, 1)
        with_energy(served, 9)
        ana, ben = Keyboard(one), Keyboard(two)
        ana.wait_for("by-hand")
        for key in (1, 1, 2, 3, 4, 5):
            ana.choose(f".key:nth-of-type({key})", "Space")
        ana.choose(".order-link")
        ana.wait_for("order")
        before = one.locator(".order-name").all_inner_texts()
        ana.choose(".order-row:last-child .arrow-key")
        expect(one.locator(".order-name").first).to_be_visible()
        assert one.locator(".order-name").all_inner_texts() != before
        ana.choose(".primary")
        ana.wait_for("by-hand")
        assert ana.focused(".order-link")["is"]
        ana.choose(".primary")
        ben.wait_for("stay-or-flee")
        ben.choose(".answer-card:last-of-type")
        ana.wait_for("buy")
        ana.choose(".buy")
        ana.wait_for("new-card")
        ana.to("input")
        one.keyboard.type("al")
        ana.choose(".suggestion")
        ana.wait_for("buy")
        ana.choose(".primary")
        one.wait_for_selector(".in-place, .waiting")
        assert numbers(served, 0)[2] < 11


@pytest.mark.parametrize("name", IN_ORDER)
def test_the_focus_goes_in_the_order_of_reading(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str
) -> None:
    page = opened(shared, stage, scenes(name), "390x844")
    keys, tops = Keyboard(page), []
    for _ in range(40):
        keys.press("Tab")
        now = keys.focused()
        if now is None:
            break
        assert now["ring"] >= 2, now
        assert now["shown"], now
        if now["onPicture"]:  # dice by their numbers, where they lie
            continue
        scrolled = page.evaluate("() => document.querySelector('.scroll').scrollTop")
        in_page = page.evaluate("() => document.activeElement.closest('.scroll') !== null")
        place = now["place"]
        tops.append((place[1] + scrolled if in_page else 10_000 + place[1], place[3], now["name"]))
    back = [(before[2], after[2]) for before, after in pairwise(tops) if after[0] < before[0] - 40]
    assert tops
    assert back == []


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_takes_the_focus_and_gives_it_back(
    browser: Browser, stage: Stage, tmp_path: Path, name: str
) -> None:
    scene = SCENES[name](tmp_path)
    *before, last = scene.taps if name != "13-hands" else scene.taps[:1]
    with phone(browser) as page:
        stage.show(scene)
        page.goto(f"http://{HOST}:{stage.port}/")
        for tap in before:
            page.click(tap)
        page.locator(last).focus()
        label = page.evaluate("() => document.activeElement.outerHTML")
        page.keyboard.press("Enter")
        page.wait_for_function("(label) => document.activeElement.outerHTML !== label", arg=label)
        page.go_back()
        page.wait_for_function("(label) => document.activeElement.outerHTML === label", arg=label)


def test_nothing_behind_a_sheet_takes_the_focus(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = opened(shared, stage, scenes("12-number"), "390x844")
    keys = Keyboard(page)
    for _ in range(20):
        keys.press("Tab")
        now = keys.focused("[data-sheet] *")
        assert now is None or now["is"], now
    keys.press("Escape")
    expect(page.locator("[data-sheet]")).to_have_count(0)
