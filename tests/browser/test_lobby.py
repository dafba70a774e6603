"""Setting up the table on the host's phone while the service is slow."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.service.settings import Settings
from tests.browser.phone import HOST, phone
from tests.browser.seated import Thumb, all_sent
from tests.service.served import Served, serving, stalled

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
        assert names_at(served) == ["Guðrún", "Player 2"]


def test_a_name_half_typed_stays_while_others_join(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, names=(HOST,))
    with serving(settings) as served, phone(browser) as page, phone(browser) as other:
        invitation = served.app_state.browsers.invitation
        page.goto(f"http://{HOST}:{served.port}/j#{invitation.terminal}")
        host = Thumb(page)
        host.tap("[data-answer=add]")
        page.fill(".sheet input[type=text]", "")
        page.keyboard.type("Guð")
        other.goto(f"http://{HOST}:{served.port}/j#{invitation.token}")
        other.click(".seat-row >> nth=0")
        expect(page.locator(".seat-row .go").first).to_be_attached()
        page.keyboard.type("rún")
        host.tap(".sheet .act.chosen")
        expect(page.locator(".seat-row").first).to_contain_text("Guðrún")
        all_sent(page)
        assert names_at(served) == ["Guðrún"]


def names_at(served: Served) -> list[str]:
    setup = served.app_state.table.snapshot().state.setup
    assert setup is not None
    return [seat.player for seat in setup.seats]
