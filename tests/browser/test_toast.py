"""The note after an act: it covers nothing that can be tapped, and offers the right way back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.evening import Evening
from tests.browser.phone import SIZES, phone, play, viewport, wiped
from tests.browser.scenes import Scene
from tests.browser.seated import at_the_table, by_keys, numbers, preview_shown, sit_down
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

SCREENS = (
    "01-new-game",
    "01d-seat",
    "02-join-qr",
    "03-my-turn",
    "04-proposal",
    "05-fix-die",
    "06-by-hand",
    "07-order",
    "07b-destruction",
    "08-buy-with-move",
    "08b-new-card",
    "09-stay-or-flee",
    "10-table",
    "10c-player",
    "11-log",
    "12b-number-whole",
    "13-hands",
    "15-game-over",
    "16-more",
)
TEXT_SIZE = "(size) => { document.documentElement.style.fontSize = `${size}%`; }"
WAITING = [
    {
        "command": {"command_id": "0" * 32, "base_rev": 0, "events": [{"type": "PutOff"}]},
        "label": {"key": "act.put_off", "args": {}},
        "since": 0,
    }
]
"""A command that the phone kept: the table's answer to it is the note."""
COVERED = """
() => {
  const toast = document.querySelector(".toast").getBoundingClientRect();
  const veil = document.querySelector(".veil");
  const found = [];
  for (const one of (veil ?? document).querySelectorAll("button, a[href], input")) {
    if (one.closest(".toast")) continue;
    const full = one.getBoundingClientRect();
    const frame = one.closest(".sheet") ?? one.closest(".scroll");
    const hole = frame === null ? full : frame.getBoundingClientRect();
    const top = Math.max(full.top, hole.top);
    const bottom = Math.min(full.bottom, hole.bottom);
    const across = Math.min(full.right, toast.right) - Math.max(full.left, toast.left);
    const down = Math.min(bottom, toast.bottom) - Math.max(top, toast.top);
    if (across > 0.5 && down > 0.5) found.push(`${one.className}: ${one.textContent}`);
  }
  return found;
}
"""
OUT_OF_REACH = """
() => [...document.querySelectorAll(".toast .act")].filter((one) => {
  const { top, right, bottom, left, height, width } = one.getBoundingClientRect();
  const outside = top < 0 || left < 0 || right > innerWidth || bottom > innerHeight;
  return outside || height < 48 || width < 48;
}).length
"""


@pytest.fixture
def refusing(stage: Stage) -> Iterator[Stage]:
    stage.refusing = "error.stale"
    yield stage
    stage.refusing = None


def test_a_note_covers_nothing_that_can_be_tapped(
    shared: Page, refusing: Stage, scenes: Callable[[str], Scene]
) -> None:
    for name in SCREENS:
        page = wiped(shared, refusing)
        kept = json.dumps(WAITING)
        page.evaluate("(kept) => sessionStorage.setItem('monster-table.outbox', kept)", kept)
        play(page, refusing, scenes(name))
        page.wait_for_selector(".toast.refused")
        for size, text in (*((size, 100) for size in SIZES), *((size, 200) for size in SIZES)):
            page.set_viewport_size(viewport(size))
            page.evaluate(TEXT_SIZE, text)
            where = (name, size, text)
            assert (where, page.evaluate(COVERED)) == (where, [])
            assert (where, page.evaluate(OUT_OF_REACH)) == (where, 0)


def test_after_an_undo_the_note_offers_redo_and_never_the_act_before(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        toast = page.locator(".toast")
        by_keys(ana, 0, 0, 0, 2, 2, 2)
        preview_shown(page)
        ana.tap(".primary")
        expect(toast).to_contain_text("Ana rolled")
        before = ana.taps
        ana.tap(".toast >> text=Undo")
        expect(toast).to_contain_text("Taken back: Ana rolled")
        expect(toast.locator("text=Undo")).to_have_count(0)
        assert numbers(served, 0) == (7, 9, 0)
        ana.tap(".toast >> text=Redo")
        ana.wait_for("buy")
        assert ana.taps - before == 2
        assert numbers(served, 0) == (10, 9, 3)
        expect(toast.locator("text=Undo")).to_have_count(1)


def test_tabs_and_a_sheets_close_work_under_a_note(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.tap(".tab >> nth=1")
        ana.tap(".player-row >> nth=1")
        ana.tap(".number-tile >> nth=2")
        ana.tap(".number-keys .act >> nth=1")
        expect(page.locator(".toast")).to_be_visible()
        ana.tap(".sheet >> text=Close")
        expect(page.locator(".toast")).to_be_visible()
        ana.tap(".tab >> nth=0")
        ana.wait_for("by-hand")
        assert ana.taps == 6
        assert numbers(served, 1)[2] == 1


def test_only_the_host_is_offered_to_take_back_the_start(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    evening = Evening(tmp_path, players=2).seats().begin()
    for seat, offered in ((1, 0), (0, 1)):
        with phone(browser) as page:
            play(page, stage, Scene(evening, evening.update(seat=seat), taps=(".tab >> nth=2",)))
            expect(page.locator(".log-dock .wide-act:enabled")).to_have_count(offered)
