"""Two phones set one dial at once: the second is asked, and applies what it chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.engine import Corrected, Correction, Number, Seat
from companion.table import Submission, Table
from tests.browser.returns import Away, at_table
from tests.browser.seated import all_sent

pytestmark = pytest.mark.browser
ENERGY = Seat(0), Number.ENERGY


def elsewhere(table: Table, value: int) -> None:
    """Another phone sets Ana's energy."""
    rev = table.snapshot().rev
    event = Corrected(numbers=(Correction(*ENERGY, value),))
    table.submit(Submission(f"elsewhere-{rev:06}", rev, (event,), who="1"))


def energy(table: Table) -> int:
    game = table.snapshot().state.game
    assert game is not None
    return game.monsters[0].energy


def both_set(away: Away, taps: int) -> Page:
    """Ana takes so many off her 6 while she is offline; Ben sets 5 meanwhile."""
    page = away.page
    elsewhere(away.table, 6)
    page.locator(".number-tile, .own-number").nth(2).click()
    less = page.locator(".number-keys .act").nth(0)
    expect(page.locator(".number-head .num")).to_have_text("6")
    expect(less).to_be_enabled()
    page.context.set_offline(True)
    for _ in range(taps):
        less.click()
    expect(page.locator(".number-head .num")).to_have_text(str(6 - taps))
    elsewhere(away.table, 5)
    page.context.set_offline(False)
    expect(page.locator(".screen-conflict")).to_be_visible()
    return page


def same(page: Page) -> None:
    page.locator(".conflict-key").nth(0).click()


def both(page: Page) -> None:
    page.locator(".conflict-key").nth(1).click()


def by_hand(page: Page) -> None:
    page.locator(".conflict-dial .act").nth(1).click()
    page.locator(".conflict-dial .act").nth(2).click()


@pytest.mark.parametrize(
    ("taps", "answer", "after"), [(1, same, 5), (1, both, 4), (2, both, 3), (1, by_hand, 6)]
)
def test_the_second_hand_on_a_dial_is_asked(
    browser: Browser, tmp_path: Path, taps: int, answer: Callable[[Page], None], after: int
) -> None:
    with at_table(browser, tmp_path) as away:
        page = both_set(away, taps)
        assert energy(away.table) == 5
        expect(page.locator(".conflict-mine")).to_have_text(f"−{taps}")
        answer(page)
        expect(page.locator(".screen-conflict")).to_have_count(0)
        all_sent(page)
        assert energy(away.table) == after


def test_a_change_during_the_question_is_asked_about_again(
    browser: Browser, tmp_path: Path
) -> None:
    with at_table(browser, tmp_path) as away:
        page = both_set(away, 1)
        elsewhere(away.table, 9)
        both(page)
        expect(page.locator(".conflict-result .num").nth(0)).to_have_text("9")
        assert energy(away.table) == 9
        both(page)
        expect(page.locator(".screen-conflict")).to_have_count(0)
        all_sent(page)
        assert energy(away.table) == 8
