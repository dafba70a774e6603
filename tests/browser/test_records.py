"""What is left of games: earlier ones, statistics, names, files, the story and its picture."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from companion.engine import Corrected, Correction, DiceRolled, Number, Seat
from companion.records import APP_LINK, LINK
from companion.table import SeatSetup, TableSet, Undone
from tests.browser.evening import PEOPLE, Evening, named
from tests.browser.phone import HOST, phone
from tests.browser.scenes import BOROUGHS, WARES, game_over, won_by_ana
from tests.browser.seated import (
    Thumb,
    at_the_table,
    by_keys,
    numbers,
    serving_evening,
    sit_down,
    submit,
)
from tests.service.served import Served

pytestmark = pytest.mark.browser


def table_of(served: Served) -> str:
    return served.app_state.table.snapshot().game_id


def test_a_new_game_asks_first_and_is_undone_from_the_list_of_games(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        played = table_of(served)
        by_keys(ana, 0, 0, 2)
        before = ana.taps
        ana.tap(".tab >> nth=3")
        ana.tap(".act >> text=New game")
        ana.tap(".sheet >> text=Play on")
        assert (table_of(served), ana.taps - before) == (played, 3)
        ana.tap(".act >> text=New game")
        ana.tap(".sheet .act >> text=New game")
        ana.wait_for("new-game")
        assert table_of(served) != played
        before = ana.taps
        expect(page.locator(".fold")).to_have_count(0)  # names are known: the page has grown
        ana.tap(".act >> text=Earlier games")
        ana.wait_for("games")
        ana.tap(".game-row >> nth=0")
        ana.wait_for("past")
        ana.tap(".primary >> text=Take it up again")
        ana.wait_for("by-hand")
        assert (table_of(served), ana.taps - before) == (played, 3)
        assert numbers(served, 0) == (7, 9, 0)
        expect(page.locator(".slot-die")).to_have_count(3)  # typed before the game was left
        by_keys(ana, 2, 2, 2)
        ana.tap(".primary")
        ana.wait_for("buy")


def test_everybody_looks_at_an_earlier_game_and_only_the_host_takes_it_up(
    browser: Browser, tmp_path: Path
) -> None:
    evening = game_over(tmp_path).evening.seats().begin(BOROUGHS).skip_to_roll()
    with serving_evening(evening) as served, phone(browser) as one, phone(browser) as two:
        sit_down(one, served, 0)
        ben = sit_down(two, served, 1)
        ben.tap(".tab >> nth=3")
        ben.tap(".act >> text=Earlier games")
        rows = two.locator(".game-row")
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("Played now")
        expect(rows.nth(1)).to_contain_text("Ana won")
        ben.tap(".game-row >> nth=1")
        expect(two.locator("#headline")).to_have_text("Puffin Rex wins")
        expect(two.locator(".log-row").first).to_be_visible()
        expect(two.locator(".primary")).to_have_count(0)
        ben.tap(".dock .act")
        ben.tap(".dock .act")
        assert ben.taps == 5
        two.wait_for_selector(".screen-more")
        ben.tap(".tab >> nth=3")
        ben.tap(".act >> text=Earlier games")
        ben.tap(".game-row >> nth=1")
        submit(served, DiceRolled(named("2 attack 4 energy"), final=True))
        expect(two.locator("#headline")).to_have_text("Puffin Rex wins")
        ben.tap(".story-acts .act >> nth=0")
        ben.wait_for("story")
        expect(two.locator(".story-turned")).to_contain_text("turn")
        expect(two.locator(".story-row").last).to_contain_text("too few to say")
        ben.tap(".dock .act >> nth=0")
        ben.wait_for("past")


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


def test_the_host_merges_two_names_and_a_guest_looks_alone(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        serving_evening(two_games(tmp_path)) as served,
        phone(browser) as page,
        phone(browser) as other,
    ):
        ana, ben = sit_down(page, served, 0), sit_down(other, served, 1)
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
        statistics_of(other)
        ben.tap(".record-row >> nth=0")
        expect(other.locator(".record-lines")).to_be_visible()
        expect(other.locator(".body .act")).to_have_count(0)
        ben.tap(".dock .wide-act")
        ben.tap(".segment button >> nth=2")
        expect(other.locator("#headline")).to_have_text("Too few to say")


def test_after_the_end_a_picture_and_files_are_kept_and_who_came_last_starts(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(game_over(tmp_path).evening) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("game-over")
        expect(page.locator(".story-chart")).to_be_visible()
        picture_without_a_connection(ana)
        page.go_back()
        ana.wait_for("game-over")
        files_and_play(ana, served)
        page.go_back()
        ana.wait_for("game-over")
        before = ana.taps
        ana.tap(".primary >> text=Play again")
        ana.wait_for("who-starts")
        expect(page.locator(".starter.chosen")).to_have_text("Ben")
        expect(page.locator(".top")).to_contain_text("came last and starts")
        ana.tap(".primary")
        ana.wait_for("place")
        assert ana.taps - before == 2
        state = served.app_state.table.snapshot().state
        assert state.setup is not None
        assert [seat.player for seat in state.setup.seats] == ["Ana", "Ben", "Þórdís", "Théo"]
        assert state.game is not None
        assert state.game.turn.active == 1


def files_and_play(ana: Thumb, served: Served) -> None:
    """Open the export: links and QR code hold the play, and the files are those of the service."""
    page = ana.page
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
    ana.tap(".fold summary")
    for number, (name, content) in enumerate(files.items(), 1):
        with page.expect_download() as download:
            ana.tap(f"a.act >> nth={number}")
        assert download.value.suggested_filename == name
        assert Path(download.value.path()).read_bytes() == content


def scanned(page: Page) -> str:
    """Return what OpenCV reads from the QR code as the phone shows it."""
    page.wait_for_function("() => document.querySelector('.play-qr').naturalWidth > 0")
    shot = page.locator(".play-qr").screenshot()
    picture = cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    read, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(picture)
    return read


def test_a_known_name_is_one_tap_and_brings_its_monster(browser: Browser, tmp_path: Path) -> None:
    evening = game_over(tmp_path).evening
    seats = (SeatSetup("Ana", "puffin_rex"), SeatSetup("Player 2", "drizzla"))
    evening.say(TableSet("new-york", "first", seats))
    with serving_evening(evening) as served, phone(browser) as page:
        token = served.app_state.browsers.invitation.terminal
        page.goto(f"http://{HOST}:{served.port}/j#{token}")
        names = page.locator(".known-names .act")
        expect(names).to_have_count(3)
        assert set(names.all_text_contents()) == {"Ben", "Þórdís", "Théo"}
        page.click(".known-names .act >> text=Þórdís")
        expect(page.locator("[data-first]")).to_have_value("Þórdís")
        expect(page.locator(".monster-pick.chosen")).to_have_text("Lampmoth")
        page.click(".primary")
        page.wait_for_selector(".screen-qr")
        setup = served.app_state.table.snapshot().state.setup
        assert setup is not None
        assert setup.seats[2] == SeatSetup("Þórdís", "lampmoth")


def test_the_end_shows_the_chances_and_another_end_others(browser: Browser, tmp_path: Path) -> None:
    with serving_evening(game_over(tmp_path).evening) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("game-over")
        page.locator(".story-scrub").press("Home")
        expect(page.locator(".story-legend")).not_to_contain_text("100\u00a0%")
        submit(served, Undone(served.app_state.table.snapshot().rev))
        expect(page.locator(".story-chart")).to_have_count(0)
        submit(served, Corrected(numbers=(Correction(Seat(1), Number.STARS, 20),)))
        submit(served, Corrected(numbers=(Correction(Seat(0), Number.STARS, 3),)))
        ana.tap(".dock .primary")
        ana.wait_for("game-over")
        page.locator(".story-scrub").press("End")
        expect(page.locator(".story-legend li").nth(1)).to_contain_text("100\u00a0%")


def picture_without_a_connection(ana: Thumb) -> None:
    """Open the picture of the story, which the phone makes by itself, and keep it as a file."""
    page = ana.page
    assert page.evaluate("isSecureContext || 'share' in navigator") is False
    page.context.set_offline(True)
    ana.tap(".story-acts .act >> nth=1")
    with page.expect_download() as download:
        ana.tap("a.primary")
    page.context.set_offline(False)
    assert download.value.suggested_filename == "monster-table-g1.png"
    kept = Path(download.value.path()).read_bytes()
    picture = cv2.imdecode(np.frombuffer(kept, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (1350, 1080, 3)
    corner = picture[630, 10]  # the winner's field, ink over it at most
    assert corner[2] > corner[0]
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100
