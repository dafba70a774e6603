"""A phone that scanned and never arrived: what the host's phone says, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.service.settings import Limits
from tests.browser.evening import Evening
from tests.browser.phone import HOST, phone, play
from tests.browser.scenes import Scene
from tests.browser.seated import serving_evening
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

GET = b"GET /j HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


def test_the_host_hears_of_a_phone_that_got_the_page_alone(
    browser: Browser, tmp_path: Path
) -> None:
    lobby = Evening(tmp_path, players=2).seats()
    limits = replace(Limits(), late_s=0.0)
    with serving_evening(lobby, limits) as served, phone(browser) as page:
        page.goto(f"http://{HOST}:{served.port}/j#{served.app_state.browsers.invitation.terminal}")
        page.wait_for_selector(".screen-new-game")
        page.click("[data-notice=host] .act")
        expect(page.locator("[data-notice=late]")).to_have_count(0)
        with served.connect("127.0.0.9") as stray:
            stray.sendall(GET)
            while stray.recv(65536):
                pass
        notice = page.locator("[data-notice=late]")
        expect(notice).to_contain_text("A phone got the page and did not arrive")
        notice.locator(".act >> nth=0").click()
        page.wait_for_selector(".screen-qr")
        expect(page.locator(".note.doubt")).to_contain_text("not inside another app")


def test_a_minute_without_an_arrival_names_the_networks(
    browser: Browser, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    with phone(browser) as page:
        page.clock.install()
        play(page, stage, scenes("02-join-qr"))
        expect(page.locator(".note.doubt")).to_have_count(0)
        page.clock.fast_forward(61_000)
        expect(page.locator(".note.doubt")).to_contain_text(
            "Guest networks often keep phones apart"
        )
