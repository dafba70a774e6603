"""Somebody who plays by keyboard, by ear, or with another on one phone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.service.settings import Settings
from tests.browser.evening import Evening
from tests.browser.everyone import opened
from tests.browser.phone import HOST, phone, play
from tests.browser.scenes import SCENES, Scene, story
from tests.browser.seated import (
    at_the_table,
    evening,
    numbers,
    serving_evening,
    sit_down,
    with_energy,
)
from tests.browser.stage import Stage
from tests.service.served import serving

pytestmark = pytest.mark.browser

MOST_TABS = 60
FOCUSED = """
(selector) => {
  const one = document.activeElement;
  if (one === null || one === document.body) return null;
  const seen = one.closest("label.photo") ?? one;
  const box = seen.getBoundingClientRect();
  return {
    is: one.matches(selector),
    name: `${one.className} “${one.textContent.trim().slice(0, 40)}”`,
    ring: Number.parseFloat(getComputedStyle(seen).outlineWidth),
    shown: box.bottom > 0 && box.top < window.innerHeight && box.right > 0,
    onPicture: one.closest(".tray-map") !== null,
    place: [box.left, box.top, box.right, box.bottom],
  };
}
"""


@dataclass
class Keyboard:
    """A page that is never touched."""

    page: Page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self, selector: str = "*") -> Any:
        """Return what has the focus and how it looks; None if nothing has."""
        return self.page.evaluate(FOCUSED, selector)

    def to(self, selector: str) -> None:
        """Go on by Tab until such an element has the focus; each on the way shows that it has."""
        self.page.wait_for_selector(f"{selector} >> visible=true")
        passed = []
        for _ in range(MOST_TABS):
            now = self.focused(selector)
            if now is not None:
                assert now["ring"] >= 2, now
                assert now["shown"], now
                if now["is"]:
                    return
                passed.append(now["name"])
            self.press("Tab")
        raise AssertionError(f"Tab never reaches {selector}, only {passed}")

    def choose(self, selector: str, key: str = "Enter") -> None:
        """Go there, and press Enter or Space."""
        self.to(selector)
        self.press(key)

    def wait_for(self, screen: str) -> None:
        self.page.wait_for_selector(f".screen-{screen}")


IN_ORDER = (
    *("01-new-game", "03-my-turn", "04-proposal", "06-by-hand", "08a-buy", "09-stay-or-flee"),
    *("10-table", "11-log", "16-more", "30-statistics"),
)
SHEETS = ("12-number", "10c-player", "07-order", "13-hands", "09d-clause")


def test_a_lobby_is_set_up_and_joined_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, camera="none", names=(HOST,))
    with serving(settings) as served, phone(browser) as one, phone(browser) as two:
        base = f"http://{HOST}:{served.port}"
        invitation = served.app_state.browsers.invitation
        one.goto(f"{base}/j#{invitation.terminal}")
        host = Keyboard(one)
        host.wait_for("join")
        host.to(".screen-join [data-first]")
        one.keyboard.type("Ana")
        host.press("Enter")
        host.wait_for("qr")
        host.choose(".dock .act.chosen")
        host.wait_for("new-game")
        host.choose(".box-card:nth-of-type(2)")
        two.goto(base)
        guest = Keyboard(two)
        guest.wait_for("stranger")
        guest.to(".code-input")
        two.keyboard.type(invitation.code)
        guest.press("Enter")
        guest.wait_for("join")
        guest.to(".screen-join [data-first]")
        two.keyboard.type("Ben")
        guest.choose(".monster-pick:not([disabled]):not(.chosen)", "Space")
        guest.choose(".primary")
        guest.wait_for("lobby")
        guest.choose(".own-seat")
        guest.to("[data-sheet=seat] [data-first]")
        two.keyboard.press("Control+A")
        two.keyboard.type("Benedikt")
        guest.choose(".monster-pick:not([disabled]):not(.chosen)")
        guest.choose("[data-sheet=seat] .act.chosen")
        expect(one.locator(".seat-words >> text=Benedikt")).to_be_visible()
        host.choose(".seat-row:nth-of-type(2) .arrow-key")
        expect(one.locator(".seat-row").first).to_contain_text("Benedikt")
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
        names = one.locator(".order-name")
        before = names.all_inner_texts()
        ana.choose(".order-row:last-child .arrow-key")
        expect(names).not_to_have_text(before)
        ana.choose(".primary")
        ana.wait_for("by-hand")
        expect(one.locator(".order-link")).to_be_focused()
        ana.choose(".primary")
        ben.wait_for("stay-or-flee")
        ben.choose(".answer-card:last-of-type")
        ana.wait_for("buy")
        ana.choose(".buy")
        ana.wait_for("new-card")
        expect(one.locator(".toast")).to_contain_text("Corner Store")
        assert one.inner_text("body").count("Corner Store") == 1, "it is said once"
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


VOICES = """
window.spoken = [];
const voice = { lang: "en-GB", name: "A voice", default: true };
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [voice], cancel: () => {}, addEventListener: () => {},
  speak: (said) => window.spoken.push(said.text),
} });
"""
"""A voice that writes down what it says: a browser without a screen has none."""
NO_VIDEO = "HTMLCanvasElement.prototype.captureStream = undefined;"
VIDEO = """
() => {
  const video = document.querySelector(".awake-video");
  const tracks = video?.srcObject.getAudioTracks() ?? [];
  const plays = video !== null && !video.paused && !video.muted;
  return plays && video.readyState > 1 && tracks.length === 1;
}
"""


def test_prompts_are_read_aloud_only_where_that_is_switched_on(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    evening = story(tmp_path)
    with phone(browser) as page:
        page.add_init_script(VOICES)
        play(page, stage, Scene(evening, evening.update(seat=2), taps=(".tab >> nth=3",)))
        expect(page.locator(".voice-switch")).to_have_attribute("aria-checked", "false")
        page.click(".voice-switch")
        expect(page.locator(".voice-switch")).to_have_attribute("aria-checked", "true")
        stage.push(evening.roll("1 heal 3 energy 2 attack", "heal energy attack").update(seat=2))
        page.wait_for_function("() => window.spoken.some((one) => one.includes('stay or flee?'))")
        page.wait_for_function("() => window.spoken.some((one) => one.includes('Ana hit you'))")


def test_a_silent_video_keeps_the_screen_on_from_the_first_tap(
    browser: Browser, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    with phone(browser) as page:
        play(page, stage, scenes("16-more"))
        page.wait_for_function(VIDEO)
        page.click(".awake-switch")
        page.wait_for_function("() => document.querySelector('.awake-video').paused")
        expect(page.locator(".awake-none")).to_have_count(0)


def test_a_phone_that_cannot_stay_awake_or_speak_its_language_says_so(
    browser: Browser, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    with phone(browser, language="is") as page:
        page.add_init_script(NO_VIDEO)
        page.add_init_script(VOICES)
        play(page, stage, scenes("16-more"))
        expect(page.locator(".awake-none")).to_contain_text("Lengdu tímann")
        page.click(".voice-switch")
        expect(page.locator("main")).to_contain_text("Síminn á enga rödd")


def test_a_shared_phone_is_asked_for_both_seats_by_name(browser: Browser, tmp_path: Path) -> None:
    evening(tmp_path, "tokyo")
    with (
        serving_evening(Evening(tmp_path, "tokyo", 2)) as served,
        phone(browser) as host,
        phone(browser) as ana,
    ):
        invitation = served.app_state.browsers.invitation
        host.goto(f"http://{HOST}:{served.port}/j#{invitation.terminal}")
        host.click(".dock .act")
        ana.goto(f"http://{HOST}:{served.port}/j#{invitation.token}")
        ana.click(".seat-row >> nth=0")
        ana.wait_for_selector(".tabs")
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
