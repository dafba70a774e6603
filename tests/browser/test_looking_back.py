"""Looking back: the time machine, what was forgotten, and numbers that are asked about first."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.service import wire
from tests.browser.evening import ROLLING
from tests.browser.phone import play, wiped
from tests.browser.scenes import FORGOTTEN, TIME, Scene, forgetful, several_turns, story
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser


def opened(page: Page, stage: Stage, scene: Scene) -> Page:
    play(wiped(page, stage), stage, scene)
    return page


def key(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_the_slider_the_keys_and_the_numbers_show_the_same_moment(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = several_turns(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=TIME))
    slider = page.get_by_role("slider", name="Turn of the game")
    expect(slider).to_have_attribute("aria-valuetext", "Turn 14, Ben, Bronx")
    expect(page.locator(".status-right")).to_have_text("not live")
    expect(page.locator("td small")).to_have_count(0)
    key(page, "Turn back")
    expect(slider).to_have_attribute("aria-valuetext", "Turn 13, Ana, Queens")
    expect(page.locator("h1")).to_have_text("Turn 13")
    assert page.locator("td small").count() > 0
    slider.press("ArrowLeft")
    expect(page.locator("h1")).to_have_text("Turn 12")
    slider.press("Home")
    expect(page.locator("h1")).to_have_text("The start")
    expect(slider).to_have_attribute("aria-valuetext", "The start")
    expect(page.get_by_role("button", name="Turn back", exact=True)).to_be_disabled()
    key(page, "Step on")
    expect(page.locator("h1")).to_have_text("Turn 1")
    key(page, "Back to now")
    expect(page.locator("h1")).to_have_text("Turn 14")


def test_playing_on_sends_what_was_seen_and_where_it_leads(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = several_turns(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=TIME))
    primary = page.locator(".screen-time .primary")
    expect(primary).to_be_disabled()
    key(page, "Turn back")
    expect(primary).to_contain_text("turn 14")
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
    expect(branch).to_contain_text("Ben rolled 2 Attack, 3 Celebrity, 1 Heal")
    expect(branch).to_contain_text("by Théo")
    page.locator(".screen-time .primary").click()
    (command,) = stage.sent(1)
    assert [event["type"] for event in command["events"]] == ["Undone", "Redone"]


def test_what_the_table_does_meanwhile_moves_nothing(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = several_turns(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=TIME))
    key(page, "Turn back")
    expect(page.locator("h1")).to_have_text("Turn 13")
    before = page.locator(".time-table").inner_text()
    stage.push(evening.numbers(0, 3, 3, 3).update())
    primary = page.locator(".screen-time .primary")
    expect(primary).to_contain_text("Look again")
    assert page.locator(".time-table").inner_text() == before
    expect(page.locator("h1")).to_have_text("Turn 13")
    primary.click()
    expect(primary).to_contain_text("Play on from here")
    expect(page.locator("tr", has_text="Ana").locator("td b").first).to_have_text("3")


def test_who_watches_looks_back_and_does_not_play_on(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = several_turns(tmp_path)
    update = evening.update(seat=None, role=wire.Role.SPECTATOR)
    page = opened(shared, stage, Scene(evening, update, taps=TIME, may=False))
    key(page, "Turn back")
    expect(page.locator("h1")).to_have_text("Turn 13")
    expect(page.locator(".screen-time .primary")).to_be_disabled()


def test_what_only_gives_is_one_tap(shared: Page, stage: Stage, tmp_path: Path) -> None:
    evening = forgetful(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=FORGOTTEN))
    expect(page.locator(".forgotten-turn.differs")).to_have_count(1)
    page.locator(".forgotten-card", has_text="Ben did not").locator(".act").click()
    (command,) = stage.sent(1)
    assert command["base_rev"] == evening.rev
    (event,) = command["events"]
    assert (event["type"], event["reason"]) == ("Corrected", "NY-7.1")
    assert event["numbers"] == [{"seat": 1, "what": "energy", "value": 3}]


def test_what_costs_somebody_is_one_tap_too(shared: Page, stage: Stage, tmp_path: Path) -> None:
    evening = forgetful(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(seat=2), taps=FORGOTTEN))
    page.locator(".forgotten-mend", has_text="Do it now").click()
    (command,) = stage.sent(1)
    assert command["events"][0]["numbers"][0]["what"] == "health"


def test_the_rest_is_left_and_asked_again(shared: Page, stage: Stage, tmp_path: Path) -> None:
    evening = forgetful(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(), taps=FORGOTTEN))
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
    expect(asked).to_contain_text("This ends you")
    expect(asked.get_by_role("button").first).to_be_focused()
    asked.get_by_role("button", name="Leave it at").click()
    expect(asked).to_have_count(0)
    assert stage.commands == []
    key(page, "Health: one less")
    asked.get_by_role("button", name="Set it to").click()
    (command,) = stage.sent(1)
    assert command["events"][0]["numbers"] == [{"seat": 0, "what": "health", "value": 0}]


def test_stars_that_win_are_asked_first_and_a_closed_sheet_sets_nothing(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = story(tmp_path)
    evening.numbers(0, 1, 19, 6)
    page = opened(shared, stage, Scene(evening, evening.update(tray=ROLLING)))
    page.locator(".number-tile").nth(1).click()
    key(page, "Stars: one more")
    expect(page.get_by_role("alertdialog")).to_contain_text("you win when this turn ends")
    page.keyboard.press("Escape")
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    page.locator(".number-tile").nth(1).click()
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    assert stage.commands == []


def test_a_number_is_typed(shared: Page, stage: Stage, tmp_path: Path) -> None:
    evening = story(tmp_path)
    page = opened(shared, stage, Scene(evening, evening.update(tray=ROLLING)))
    page.locator(".number-tile").nth(2).click()
    field = page.get_by_label("Energy, on the dial")
    for wrong in ("x", "-3", "1.5"):
        field.fill(wrong)
        field.press("Enter")
        expect(field).to_have_value("6")
    field.fill("14")
    field.press("Enter")
    (command,) = stage.sent(1)
    assert command["events"][0]["numbers"] == [{"seat": 0, "what": "energy", "value": 14}]
