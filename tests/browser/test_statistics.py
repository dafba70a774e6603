"""Statistics at the table: looked at, names merged, games kept by file and by QR code."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from companion.records import APP_LINK, LINK
from companion.table import SeatSetup, TableSet
from tests.browser.evening import PEOPLE, Evening
from tests.browser.phone import HOST, phone
from tests.browser.scenes import BOROUGHS, WARES, game_over, won_by_ana
from tests.browser.seated import all_sent, serving_evening, sit_down

pytestmark = pytest.mark.browser


def two_games(folder: Path) -> Evening:
    """Two games that Ana won, Ben under another name in the second."""
    evening = game_over(folder).evening
    people = [SeatSetup(*one) for one in PEOPLE[:4]]
    people[1] = SeatSetup("Benni", "old_scree")
    evening.say(TableSet("new-york", "first", tuple(people))).begin(BOROUGHS, WARES)
    return won_by_ana(evening)


def statistics_of(page: Page) -> None:
    """Open the statistics, and wait until both games are counted."""
    page.click(".tab >> nth=3")
    page.click(".act.statistics")
    expect(page.locator("#headline")).to_contain_text("2\u00a0games")


def test_the_host_merges_two_names_and_takes_them_apart(browser: Browser, tmp_path: Path) -> None:
    with serving_evening(two_games(tmp_path)) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        statistics_of(page)
        rows = page.locator(".record-row")
        expect(rows).to_have_count(5)
        expect(rows.first).to_contain_text("Ana")
        before = ana.taps
        ana.tap(".record-row:has-text('Benni')")
        ana.tap(".act >> text=The same person as")
        ana.tap(".act >> text=/^Ben$/")
        expect(page.locator("#headline")).to_have_text("Ben")
        expect(page.locator(".record-totals .won-of")).to_contain_text("of 2")
        assert ana.taps - before == 3
        ana.tap(".alias-row .act")
        expect(page.locator(".alias-row")).to_have_count(0)
        expect(page.locator(".record-totals .won-of")).to_contain_text("of 1")
        ana.tap(".dock .wide-act")
        expect(rows).to_have_count(5)


def test_names_of_one_game_are_refused_with_the_reason(browser: Browser, tmp_path: Path) -> None:
    with serving_evening(two_games(tmp_path)) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        statistics_of(page)
        ana.tap(".record-row:has-text('Benni')")
        ana.tap(".act >> text=The same person as")
        ana.tap(".act >> text=/^Ana$/")
        expect(page.locator("[role=alert]").first).to_contain_text("played in one game")


def test_a_guest_looks_and_does_not_merge(browser: Browser, tmp_path: Path) -> None:
    with (
        serving_evening(two_games(tmp_path)) as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        sit_down(one, served, 0)
        ben = sit_down(two, served, 1)
        statistics_of(two)
        ben.tap(".record-row >> nth=0")
        expect(two.locator(".record-lines")).to_be_visible()
        expect(two.locator(".body .act")).to_have_count(0)
        ben.tap(".dock .wide-act")
        ben.tap(".segment button >> nth=2")
        expect(two.locator("#headline")).to_have_text("Too few to say")


def test_a_game_is_kept_by_files_and_its_qr_code_holds_the_play(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(game_over(tmp_path).evening) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("game-over")
        ana.tap(".body > .act")
        ana.wait_for("export")
        link = page.locator("a.primary").get_attribute("href") or ""
        app = page.locator("a.act").first.get_attribute("href") or ""
        assert (link.startswith(LINK), app.startswith(APP_LINK)) == (True, True)
        play = json.loads(parse_qs(urlsplit(link).query)["data"][0])
        assert [one["winner"] for one in play["players"]] == [True, False, False, False]
        assert scanned(page) == link
        archive = served.app_state.archive
        files = {"scores-g1.csv": archive.scores("g1").encode(), "log-g1.jsonl": archive.rows("g1")}
        for number, (name, content) in enumerate(files.items(), 1):
            with page.expect_download() as download:
                ana.tap(f"a.act >> nth={number}")
            assert download.value.suggested_filename == name
            assert Path(download.value.path()).read_bytes() == content


def scanned(page: Page) -> str:
    """Return what OpenCV reads from the QR code as the phone shows it."""
    page.click(".notice .toast-act")  # who is host: it lies over the head until it is seen
    page.wait_for_function("() => document.querySelector('.play-qr').naturalWidth > 0")
    shot = page.locator(".play-qr").screenshot()
    picture = cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    read, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(picture)
    return read


def test_who_watches_keeps_nothing(browser: Browser, tmp_path: Path) -> None:
    with (
        serving_evening(game_over(tmp_path).evening) as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        sit_down(one, served, 0)
        token = served.app_state.browsers.invitation.token
        two.goto(f"http://{HOST}:{served.port}/j#{token}")
        two.click("text=Just watch")
        two.wait_for_selector(".screen-game-over")
        expect(two.locator(".final-seat")).to_have_count(4)
        expect(two.locator(".body > .act")).to_have_count(0)


def test_a_known_name_is_one_tap_and_brings_its_monster(browser: Browser, tmp_path: Path) -> None:
    evening = game_over(tmp_path).evening
    seats = (SeatSetup("Ana", "puffin_rex"), SeatSetup("Player 2", "drizzla"))
    evening.say(TableSet("new-york", "first", seats))
    with serving_evening(evening) as served, phone(browser) as page:
        token = served.app_state.browsers.invitation.terminal
        page.goto(f"http://{HOST}:{served.port}/j#{token}")
        page.click(".seat-row >> nth=1")
        names = page.locator(".known-names .act")
        expect(names).to_have_count(3)
        assert set(names.all_text_contents()) == {"Ben", "Þórdís", "Théo"}
        page.click(".known-names .act >> text=Þórdís")
        expect(names).to_have_count(2)
        expect(page.locator(".monster-pick.chosen")).to_have_text("Lampmoth")
        all_sent(page)
        setup = served.app_state.table.snapshot().state.setup
        assert setup is not None
        assert setup.seats[1] == SeatSetup("Þórdís", "lampmoth")
