"""Setting up the table on the host's phone while the service is slow."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.service.settings import Settings
from tests.browser.phone import HOST, phone
from tests.browser.seated import Thumb
from tests.service.served import serving, stalled

pytestmark = pytest.mark.browser


def test_a_name_that_is_still_on_its_way_is_not_lost_to_the_next_change(
    browser: Browser, tmp_path: Path
) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, names=(HOST,))
    with serving(settings) as served, phone(browser) as page:
        page.goto(f"http://{HOST}:{served.port}/j#{served.app_state.browsers.invitation.terminal}")
        host = Thumb(page)
        host.tap("[data-answer=add]")
        host.tap(".sheet .act.chosen")
        rows = page.locator(".seat-row")
        expect(rows).to_have_count(1)
        with stalled(served):
            host.tap(".seat-row >> nth=0")
            page.fill(".sheet input[type=text]", "Guðrún")
            host.tap(".sheet .act.chosen")
            host.tap("[data-answer=add]")
            host.tap(".sheet .act.chosen")
            expect(rows).to_have_count(2)
            expect(rows.nth(0)).to_contain_text("Guðrún")
        page.reload()
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("Guðrún")
        setup = served.app_state.table.snapshot().state.setup
        assert setup is not None
        assert [seat.player for seat in setup.seats] == ["Guðrún", "Player 2"]
