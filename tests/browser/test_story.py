"""The story of a game at its end, and from the list of games; its picture, made on the phone."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from companion.engine import Corrected, Correction, Number, Seat
from companion.table import Undone
from tests.browser.phone import phone
from tests.browser.scenes import BOROUGHS, game_over
from tests.browser.seated import serving_evening, sit_down
from tests.browser.test_front import submit

pytestmark = pytest.mark.browser


def test_the_end_shows_the_chances_and_another_end_others(browser: Browser, tmp_path: Path) -> None:
    with serving_evening(game_over(tmp_path).evening) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("game-over")
        scrub = page.locator(".story-scrub")
        scrub.press("End")
        expect(scrub).to_have_attribute(
            "aria-valuetext", "end: Ana 100\u00a0%, Ben 0\u00a0%, Þórdís 0\u00a0%, Théo 0\u00a0%"
        )
        scrub.press("Home")
        expect(page.locator(".story-legend")).not_to_contain_text("100\u00a0%")
        submit(served, Undone(served.app_state.table.snapshot().rev))
        expect(page.locator(".story-chart")).to_have_count(0)
        submit(served, Corrected(numbers=(Correction(Seat(1), Number.STARS, 20),)))
        submit(served, Corrected(numbers=(Correction(Seat(0), Number.STARS, 3),)))
        ana.tap(".dock .primary")
        ana.wait_for("game-over")
        page.locator(".story-scrub").press("End")
        expect(page.locator(".story-legend li").nth(1)).to_contain_text("100\u00a0%")


def test_the_story_of_an_earlier_game_goes_back_to_it(browser: Browser, tmp_path: Path) -> None:
    evening = game_over(tmp_path).evening.seats().begin(BOROUGHS)
    with serving_evening(evening) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.tap(".tab >> nth=3")
        ana.tap(".act >> text=Earlier games")
        ana.tap(".game-row >> nth=1")
        ana.wait_for("past")
        ana.tap(".story-acts .act >> nth=0")
        ana.wait_for("story")
        expect(page.locator(".story-turned")).to_contain_text("turn")
        expect(page.locator(".story-row").last).to_contain_text("too few to say")
        ana.tap(".story-switch")
        expect(page.locator(".story-table tbody tr").last).to_contain_text("100")
        ana.tap(".dock .act >> nth=0")
        ana.wait_for("past")


def test_the_picture_is_made_without_a_connection_and_kept_as_a_file(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(game_over(tmp_path).evening) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("game-over")
        expect(page.locator(".story-chart")).to_be_visible()
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


def test_who_came_last_is_proposed_to_start(browser: Browser, tmp_path: Path) -> None:
    with serving_evening(game_over(tmp_path).evening) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
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
