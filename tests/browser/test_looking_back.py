"""Looking back and ahead: the time machine, what was forgotten, numbers asked about first, odds."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.evening import ROLLING
from tests.browser.phone import play, wiped
from tests.browser.scenes import (
    FORGOTTEN,
    ODDS_ON,
    TIME,
    Scene,
    forgetful,
    odds,
    several_turns,
    story,
)
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser


def opened(page: Page, stage: Stage, scene: Scene) -> Page:
    play(wiped(page, stage), stage, scene)
    return page


def key(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_the_time_machine_shows_a_moment_and_plays_on_from_there(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = several_turns(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=TIME))
    head, primary = page.locator("h1"), page.locator(".screen-time .primary")
    slider = page.get_by_role("slider", name="Turn of the game")
    expect(slider).to_have_attribute("aria-valuetext", "Turn 14, Ben, Bronx")
    expect(page.locator(".status-right")).to_have_text("not live")
    expect(page.locator("td small")).to_have_count(0)
    expect(primary).to_be_disabled()
    key(page, "One turn back")
    expect(slider).to_have_attribute("aria-valuetext", "Turn 13, Ana, Queens")
    expect(head).to_have_text("Turn 13")
    assert page.locator("td small").count() > 0
    slider.press("ArrowLeft")
    expect(head).to_have_text("Turn 12")
    slider.press("Home")
    expect(head).to_have_text("The start")
    expect(slider).to_have_attribute("aria-valuetext", "The start")
    expect(page.get_by_role("button", name="One turn back", exact=True)).to_be_disabled()
    key(page, "One step forward")
    expect(head).to_have_text("Turn 1")
    key(page, "Back to now")
    expect(head).to_have_text("Turn 14")
    key(page, "One turn back")
    expect(head).to_have_text("Turn 13")

    # What the table does meanwhile moves nothing.
    before = page.locator(".time-table").inner_text()
    stage.push(evening.numbers(0, 3, 3, 3).update())
    expect(primary).to_contain_text("Look again")
    assert page.locator(".time-table").inner_text() == before
    expect(head).to_have_text("Turn 13")
    primary.click()
    expect(primary).to_contain_text("Play on from here")
    expect(page.locator("tr", has_text="Ana").locator("td b").first).to_have_text("3")

    key(page, "One turn back")
    expect(primary).to_contain_text("turn 15 (1 act) is kept as a branch")
    primary.click()
    (command,) = stage.sent(1)
    assert command["base_rev"] == evening.rev
    assert [event["type"] for event in command["events"]] == ["Undone"]
    expect(page.locator(".screen-time")).to_have_count(0)


def test_a_branch_is_seen_and_taken_up_again(shared: Page, stage: Stage, tmp_path: Path) -> None:
    evening = several_turns(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=TIME))
    key(page, "See the branch")
    branch = page.locator(".time-branch")
    expect(branch).to_contain_text("Ben rolled two Attack, three Celebrity, Heal")
    expect(branch).to_contain_text("by Théo")
    page.locator(".screen-time .primary").click()
    (command,) = stage.sent(1)
    assert [event["type"] for event in command["events"]] == ["Undone", "Redone"]


def test_what_only_gives_is_one_tap_and_the_rest_is_left_and_asked_again(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = forgetful(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=FORGOTTEN))
    expect(page.locator(".forgotten-turn.differs")).to_have_count(1)
    page.locator(".forgotten-card", has_text="Ben did not").locator(".act").click()
    (command,) = stage.sent(1)
    assert command["base_rev"] == evening.rev
    (event,) = command["events"]
    assert (event["type"], event["reason"]) == ("Corrected", "NY-7.1")
    assert event["numbers"] == [{"seat": 1, "what": "energy", "value": 3}]
    key(page, "Leave the rest")
    expect(page.locator(".forgotten-left")).to_contain_text("2 things are left as they are.")
    expect(page.locator(".screen-forgotten .top")).to_contain_text("agree with the rules")
    key(page, "Ask again")
    expect(page.locator(".forgotten-mend", has_text="Do it now")).to_be_visible()


def test_a_deadly_number_is_asked_first_and_nothing_is_sent(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = story(tmp_path)
    evening.numbers(0, 1, 19, 6)
    page = opened(shared, stage, Scene(evening, evening.update(tray=ROLLING)))
    page.locator(".number-tile").nth(0).click()
    key(page, "Health: one less")
    asked = page.get_by_role("alertdialog")
    expect(asked).to_contain_text("This knocks you out")
    expect(asked.get_by_role("button").first).to_be_focused()
    asked.get_by_role("button", name="Leave it at").click()
    expect(asked).to_have_count(0)
    assert stage.commands == []
    key(page, "Health: one less")
    asked.get_by_role("button", name="Set it to").click()
    (command,) = stage.sent(1)
    assert command["events"][0]["numbers"] == [{"seat": 0, "what": "health", "value": 0}]


def test_odds_are_off_until_this_phone_wants_them(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = odds(tmp_path).evening
    page = opened(shared, stage, Scene(evening, evening.update()))
    expect(page.locator(".odds-open")).to_have_count(0)
    for tap in ODDS_ON:
        page.click(tap)
    rows = page.locator(".odds-keeps tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0).locator("td")).to_have_text(["52%", "52%", "0.7"])
    expect(rows.nth(1).locator("td")).to_have_text(["42%", "100%", "0.5"])
    expect(page.locator(".top")).to_contain_text("1 roll left")
    expect(page.locator(".top")).to_contain_text("fair dice")
    page.click(".odds-ask")
    expect(page.locator(".odds-coach")).to_contain_text("Compared: the chance to win the game")
    expect(page.locator(".odds-coach")).to_contain_text("network")
    page.click(".odds-mark >> nth=1")
    page.wait_for_selector(".screen-again")
    expect(page.locator(".again-die[aria-pressed=true]")).to_have_count(3)
    for tap in ODDS_ON[:-1]:
        page.click(tap)
    expect(page.locator(".odds-open")).to_have_count(0)
