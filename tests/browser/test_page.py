"""What the page does by itself: nothing jumps, nothing is lost, nothing needs a secure context."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from companion.resources import resource_dir
from companion.service.views.reasons import why
from companion.service.views.view import NEWEST_ROWS
from companion.service.views.words import clauses
from companion.service.wire import LogRow, Words
from tests.browser.evening import LOST, Evening
from tests.browser.phone import HOST, phone, play
from tests.browser.scenes import SCENES, by_hand_empty, camera_lost, my_turn, stay_or_flee
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

SHIFTS = """
() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) sum += one.value;
  }).observe({ type: "layout-shift", buffered: false });
  window.shifted = () => sum;
  done(true);
})
"""
FIRST_PAGE_BYTES = 45_000


def test_nothing_jumps_when_a_view_arrives(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        scene = my_turn(tmp_path)
        play(page, stage, scene)
        page.evaluate(SHIFTS)
        evening = scene.evening.numbers(0, 10, 12, 11)
        stage.push(evening.update(tray=scene.update.view.tray))
        expect(page.locator(".number-tile .counter").nth(1)).to_have_text("12")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(true)))")
        assert page.evaluate("() => window.shifted()") == 0


def test_a_view_waits_while_a_finger_is_down(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = my_turn(tmp_path)
        play(page, stage, scene)
        page.mouse.move(195, 200)
        page.mouse.down()
        stage.push(scene.evening.numbers(0, 3, 9, 6).update(tray=scene.update.view.tray))
        page.wait_for_function("() => performance.getEntriesByType('resource').length > 0")
        health = page.locator(".number-tile .counter").first
        expect(health).to_have_text("7")
        page.mouse.up()
        expect(health).to_have_text("3")


GAPS = {"source": "/dev/video0", "size": "1280x720", "expected": "480x640"}


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("error.camera.black", "Is something over its lens?"),
        ("error.camera.reader_died", "The reader stopped."),
        ("error.profile.size", "The picture is 1280x720, the profile was made for 480x640."),
        ("error.reader.missing", "Install the package again"),
        ("error.camera.stalled", "stopped answering 12 seconds ago. Push its plug in again"),
        ("error.camera.lost", "stopped answering 12 seconds ago"),
        ("error.camera.cannot_open", "stopped answering 12 seconds ago"),
        ("error.camera.unknown_device", "Push its plug in again"),
        (None, "stopped answering 12 seconds ago"),
    ],
)
def test_a_lost_camera_is_mended_as_it_was_lost(
    browser: Browser, stage: Stage, tmp_path: Path, problem: str | None, words: str
) -> None:
    with phone(browser) as page:
        scene = camera_lost(tmp_path)
        play(page, stage, scene)
        args: dict[str, str | int] = {
            "source": "/dev/video0",
            "size": "1280x720",
            "expected": "480x640",
        }
        words_shown = Words(key=problem, args=args) if problem else None
        stage.push(scene.evening.update(tray=replace(LOST, problem=words_shown)))
        expect(page.locator("main")).to_contain_text(words)


def test_a_command_is_kept_until_there_is_a_line(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = by_hand_empty(tmp_path)
        play(page, stage, scene)
        for _ in range(6):
            page.click(".key >> nth=0")
        stage.fall_silent()
        page.click(".primary")
        page.wait_for_selector(".screen-no-line")
        expect(page.locator(".not-sent")).to_have_count(1)
        stage.show(scene)
        page.goto(f"http://{HOST}:{stage.port}/")
        page.wait_for_selector(".screen-by-hand")
        page.wait_for_function("() => sessionStorage.getItem('monster-table.outbox') === '[]'")
        assert len({one["command_id"] for one in stage.commands}) == 1
        assert stage.commands[0]["events"][-1]["faces"] == ["energy"] * 6


def test_an_answer_is_one_tap_with_the_seat_and_the_revision(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = stay_or_flee(tmp_path)
        play(page, stage, scene)
        page.click(".place-card >> nth=0")
        page.wait_for_function("() => sessionStorage.getItem('monster-table.outbox') === '[]'")
        (command,) = stage.commands
        assert command["base_rev"] == scene.update.view.rev
        assert command["events"][0]["type"] == "Chosen"
        assert command["events"][0]["seat"] == 2


def lines_of(evening: Evening) -> int:
    """Return how many lines the log has: what somebody did, and what came of it."""
    encoded = evening.views.all_rows(evening.table.snapshot())
    rows = msgspec.json.decode(encoded, type=tuple[LogRow, ...])
    return sum((not row.quiet) + len(row.happened) for row in rows)


def test_the_log_and_a_numbers_sheet_know_more_than_a_view(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = SCENES["11-log"](tmp_path)
        play(page, stage, scene)
        evening = scene.evening
        assert evening.rev > len(scene.update.view.log)
        expect(page.locator(".log-row")).to_have_count(lines_of(evening))
        for energy in range(NEWEST_ROWS + 1):
            evening.numbers(1, 8, 7, energy)
        stage.push(evening.update())
        expect(page.locator(".log-row")).to_have_count(lines_of(evening))
        page.click(".tab >> nth=0")
        page.click(".number-tile >> nth=0")
        reasons = why(evening.table.snapshot(), 0, "health")
        expect(page.locator(".why-row")).to_have_count(min(3, len(reasons.rows)))
        expect(page.locator(".why-row >> nth=-1")).to_contain_text(str(reasons.value))


def test_where_an_attacker_has_to_move_in_its_gain_is_shown_once(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, stay_or_flee(tmp_path))
        expect(page.locator(".flee-how .arrow-pair")).to_have_text("910")
        expect(page.locator(".place-card .arrow-pair")).to_have_count(0)


def test_an_answer_is_set_ahead_and_taken_back(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, SCENES["09f-ahead"](tmp_path))
        page.click(".number-keys >> nth=0 >> .act >> nth=1")  # flee below 4
        page.click(".ahead-to .act >> nth=0")
        page.click(".number-end .act >> nth=1")
        page.wait_for_function("() => sessionStorage.getItem('monster-table.outbox') === '[]'")
        page.click(".ahead-act")
        page.click(".number-end .act >> nth=0")
        expect(page.locator("[data-sheet]")).to_have_count(0)
        page.wait_for_function("() => sessionStorage.getItem('monster-table.outbox') === '[]'")
    events = [event for command in stage.commands for event in command["events"]]
    to = ["staten_island", "bronx", "queens", "brooklyn"]
    assert events == [
        {"type": "AheadSaid", "seat": 2, "ahead": {"flee_below": 4, "stay_above": 6, "to": to}},
        {"type": "AheadSaid", "seat": 2, "ahead": None},
    ]


def test_a_clause_can_be_read(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        play(page, stage, SCENES["09d-clause"](tmp_path))
        clause = clauses()[page.inner_text(".clause")]
        expect(page.locator(".clause-text")).to_contain_text(clause.text)


def test_nothing_is_asked_of_a_secure_context(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    errors: list[str] = []
    with phone(browser) as page:
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
        play(page, stage, SCENES["04-proposal"](tmp_path))
        assert page.evaluate("isSecureContext") is False
    assert errors == []


def test_a_watcher_is_asked_nothing(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        scene = SCENES["02c-pick-seat"](tmp_path)
        play(page, stage, scene)
        page.click(".dock .act")
        page.wait_for_selector(".screen-lobby")
        assert page.locator(".primary").count() == 0


def test_the_first_page_is_small() -> None:
    folder = resource_dir("webui")
    page = (folder / "index.html").read_text("utf8")
    parts = [folder / name for name in re.findall(r'(?:src|href)="/(assets/[^"]+)"', page)]
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in (folder / "index.html", *parts))
    assert size <= FIRST_PAGE_BYTES
