"""A game is left only after a question, and taken up again; a final score stays until left."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.engine import DiceRolled
from tests.browser.evening import Evening, named
from tests.browser.phone import phone
from tests.browser.scenes import game_over
from tests.browser.seated import at_the_table, by_keys, numbers, serving_evening, sit_down
from tests.browser.test_front import submit
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


def over(folder: Path) -> Evening:
    return game_over(folder).evening


def test_a_final_score_stays_on_other_phones_until_they_leave_it(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(over(tmp_path)) as served, phone(browser) as one, phone(browser) as two:
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        ben.wait_for("game-over")
        ana.tap(".primary >> text=Play again")
        ana.wait_for("who-starts")
        expect(two.locator(".primary")).to_contain_text("Next game")
        expect(two.locator("#headline")).to_have_text("Puffin Rex wins")
        expect(two.locator(".final-seat")).to_have_count(4)
        ben.tap(".primary")
        ben.wait_for("lobby")
        assert (ana.taps, ben.taps) == (1, 1)


def test_a_question_of_the_next_game_comes_before_the_score_of_the_last(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(over(tmp_path)) as served, phone(browser) as one, phone(browser) as two:
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        ben.wait_for("game-over")
        ana.tap(".primary")
        ana.tap(".starter >> nth=1")
        ana.tap(".primary")
        ben.wait_for("place")
        assert ben.taps == 0


def test_everybody_looks_at_an_earlier_game_and_only_the_host_takes_it_up(
    browser: Browser, tmp_path: Path
) -> None:
    evening = over(tmp_path).seats().begin(("queens", "bronx", "staten_island", "brooklyn"))
    evening.skip_to_roll()
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
