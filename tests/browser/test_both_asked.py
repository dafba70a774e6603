"""One attack hits City and Bay: both phones are asked, each sees what the other changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.engine import DiceRolled, OrderChosen, Seat
from companion.table import Submission
from tests.browser.evening import named
from tests.browser.phone import phone
from tests.browser.scenes import tokyo
from tests.browser.seated import Thumb, serving_evening, sit_down
from tests.service.served import Served

pytestmark = pytest.mark.browser
CITY, BAY = 1, 5


@contextmanager
def both(browser: Browser, folder: Path) -> Iterator[tuple[Served, Thumb, Thumb]]:
    """Ben in the City and Guðrún in the Bay, each with a phone, hit by Ana."""
    with serving_evening(tokyo(folder)) as served, phone(browser) as host:
        sit_down(host, served, 0)
        with phone(browser) as one, phone(browser) as other:
            city, bay = sit_down(one, served, CITY), sit_down(other, served, BAY)
            table = served.app_state.table
            dice = DiceRolled(named("1 attack 5 heal"), final=True)
            order = OrderChosen(Seat(0), named("heal attack"))
            table.submit(Submission("ana-strikes", table.snapshot().rev, (order, dice), "0"))
            for thumb in (city, bay):
                thumb.wait_for("stay-or-flee")
            yield served, city, bay


def lines(page: Page, card: int) -> list[str]:
    """What the answer leads to, a line for each answer of the other that is still possible."""
    shown = page.locator(f".answer-card >> nth={card} >> .by-other")
    return [text.replace("\n", " ") for text in shown.all_inner_texts()]


def places(served: Served) -> list[str | None]:
    game = served.app_state.table.snapshot().state.game
    assert game is not None
    return [game.monsters[seat].place for seat in (0, CITY, BAY)]


def test_each_phone_sees_both_ways_before_and_one_after_the_other_has_answered(
    browser: Browser, tmp_path: Path
) -> None:
    with both(browser, tmp_path) as (served, city, bay):
        for thumb in (city, bay):
            expect(thumb.page.locator(".asked-card.open")).to_have_count(1)
            for card in (0, 1):
                assert len(lines(thumb.page, card)) == 2
        assert "Guðrún" in city.page.locator(".both-asked").inner_text()
        assert "Ben" in bay.page.locator(".both-asked").inner_text()
        before = lines(city.page, 0), lines(city.page, 1)
        bay.tap(".answer-card >> nth=1")
        bay.wait_for("waiting")
        expect(city.page.locator(".asked-card.open")).to_have_count(0)
        for card in (0, 1):
            expect(city.page.locator(f".answer-card >> nth={card} >> .by-other")).to_have_count(1)
        assert (lines(city.page, 0), lines(city.page, 1)) != before
        expect(city.page.locator(".both-asked")).to_contain_text("Flee to Outside Tokyo")
        city.tap(".answer-card >> nth=0")
        city.wait_for("waiting")
        assert places(served) == ["tokyo_bay", "tokyo_city", "outside"]
        assert (city.taps, bay.taps) == (1, 1)


def test_the_city_answers_first_and_the_bay_sees_it(browser: Browser, tmp_path: Path) -> None:
    with both(browser, tmp_path) as (served, city, bay):
        city.tap(".answer-card >> nth=1")
        expect(bay.page.locator(".asked-card.open")).to_have_count(0)
        for card in (0, 1):
            expect(bay.page.locator(f".answer-card >> nth={card} >> .by-other")).to_have_count(1)
        bay.tap(".answer-card >> nth=0")
        bay.wait_for("waiting")
        assert places(served) == ["tokyo_city", "outside", "tokyo_bay"]
        assert (city.taps, bay.taps) == (1, 1)
