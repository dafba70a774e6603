"""What is heard: live regions, prompts read aloud, and the video that keeps the screen on."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.engine import Corrected, Moved, Seat
from tests.browser.phone import phone
from tests.browser.seated import at_the_table, sit_down
from tests.browser.test_front import hit_ben, submit

pytestmark = pytest.mark.browser

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
  return video !== null && !video.paused && !video.muted && video.readyState > 1 && tracks.length === 1;
}
"""


def region(page: Page, role: Literal["alert", "status"], words: str) -> None:
    expect(page.get_by_role(role).filter(has_text=words)).to_have_count(1)


def test_a_question_and_a_hit_are_announced_at_once_and_the_rest_politely(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as two:
        sit_down(one, served, 0)
        sit_down(two, served, 1)
        region(one, "alert", "Your turn: the dice")
        hit_ben(served)
        region(two, "alert", "Ana hit you for 2")
        region(two, "alert", "stay or flee?")
        region(one, "status", "Ana hit Ben for 2")
        submit(served, Corrected(places=(Moved(Seat(0), "bronx"),)))
        expect(one.get_by_role("alert").filter(has_text="Your turn")).to_have_count(0)


def test_prompts_are_read_aloud_only_where_that_is_switched_on(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as one, phone(browser) as two:
        two.add_init_script(VOICES)
        sit_down(one, served, 0)
        ben = sit_down(two, served, 1)
        ben.tap(".tab >> nth=3")
        expect(two.locator(".voice-switch")).to_have_attribute("aria-checked", "false")
        ben.tap(".voice-switch")
        expect(two.locator(".voice-switch")).to_have_attribute("aria-checked", "true")
        hit_ben(served)
        two.wait_for_function("() => window.spoken.some((one) => one.includes('stay or flee?'))")
        two.wait_for_function("() => window.spoken.some((one) => one.includes('Ana hit you'))")


def test_a_phone_without_a_voice_for_the_language_says_so(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser, language="is") as page:
        page.add_init_script(VOICES)
        ana = sit_down(page, served, 0)
        ana.tap(".tab >> nth=3")
        ana.tap(".voice-switch")
        expect(page.locator("main")).to_contain_text("Síminn á enga rödd")


def test_a_silent_video_keeps_the_screen_on_from_the_first_tap(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.tap(".tab >> nth=3")
        page.wait_for_function(VIDEO)
        ana.tap(".awake-switch")
        page.wait_for_function("() => document.querySelector('.awake-video').paused")
        expect(page.locator(".awake-none")).to_have_count(0)


def test_where_nothing_keeps_the_screen_on_the_phone_says_what_to_set(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as page:
        page.add_init_script(NO_VIDEO)
        ana = sit_down(page, served, 0)
        ana.tap(".tab >> nth=3")
        expect(page.locator(".awake-none")).to_contain_text("Make its screen time-out longer")
