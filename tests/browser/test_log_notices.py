"""Lost rows of the log are shown on every phone until the host has seen the notice."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.service.settings import Settings
from companion.table.database import COPIES, FILE_NAME
from tests.browser.phone import HOST, phone
from tests.browser.seated import evening, sit_down
from tests.service.served import serving

pytestmark = pytest.mark.browser

NOTICE = '[data-notice="log"]'


def settings(folder: Path) -> Settings:
    return Settings(folder, host="127.0.0.1", port=0, game="tokyo", names=(HOST,))


def damaged(folder: Path, rows: int) -> None:
    """Change the last rows of the log in the file, of which there is no copy."""
    shutil.rmtree(folder / COPIES, ignore_errors=True)
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        db.execute(f"UPDATE row SET who = 'other' WHERE seq > (SELECT max(seq) - {rows} FROM row)")


def test_a_loss_stands_on_every_phone_until_the_host_has_seen_it(
    browser: Browser, tmp_path: Path
) -> None:
    evening(tmp_path, "tokyo")
    damaged(tmp_path, 2)
    with (
        serving(settings(tmp_path)) as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        for page in (one, two):
            expect(page.locator(NOTICE)).to_contain_text("2 steps of g1 are lost")
        expect(two.locator(f"{NOTICE} button")).to_have_count(0)
        ana.tap(f"{NOTICE} button")
        for page in (one, two):
            expect(page.locator(NOTICE)).to_have_count(0)
        assert (ana.taps, ben.taps) == (1, 0)


def test_the_notice_is_shown_in_the_lobby_too(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this was a log once" * 400)
    with serving(settings(tmp_path)) as served, phone(browser) as page:
        token = served.app_state.browsers.invitation.terminal
        page.goto(f"http://{HOST}:{served.port}/j#{token}")
        page.wait_for_selector(".screen-new-game")
        expect(page.locator(NOTICE)).to_contain_text("could not be read at all")
