"""What a table looks up for: a Monster's fall, the end; and what each phone then says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from companion.engine import Corrected, Correction, Number, Seat
from tests.browser.phone import phone, play, wiped
from tests.browser.scenes import Scene, fallen, flee_asked, story, with_view
from tests.browser.seated import serving_evening, sit_down, submit
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

OUT = 2
"""Þórdís's seat."""


def test_who_falls_reads_by_what_takes_it_back_or_backs_another(
    browser: Browser, tmp_path: Path
) -> None:
    with serving_evening(fallen(tmp_path)) as served, phone(browser) as one, phone(browser) as two:
        sit_down(one, served, 0)
        thordis = sit_down(two, served, OUT)
        thordis.wait_for("out")
        expect(two.locator("#headline")).to_have_text("You are out")
        expect(two.locator(".hit-box")).to_have_text("20")
        expect(two.locator(".poster-band")).to_contain_text("Ana hit you for 2")
        expect(two.locator(".note")).to_contain_text("figure, cards and cubes leave")
        expect(two.locator(".out-undo")).to_contain_text("Undo: Ana rolled")
        thordis.tap(".backing .act >> text=Ben")
        thordis.tap(".primary")
        thordis.wait_for("waiting")
        expect(two.locator(".poster-who")).to_have_text("Old Scree")
        two.reload()
        thordis.wait_for("waiting")
        expect(two.locator(".poster-who")).to_have_text("Old Scree")
        assert thordis.taps == 2
        submit(served, Corrected(numbers=(Correction(Seat(1), Number.HEALTH, 0),)))
        expect(two.locator(".backing .act")).to_have_count(2)


def test_a_wrong_fall_is_taken_back_where_it_is_read(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page, scene = wiped(shared, stage), scenes("31-out")
    play(page, stage, scene)
    page.click(".out-undo")
    (command,) = stage.sent(1)
    undo = scene.update.view.undo
    assert undo is not None
    assert command["events"] == [{"type": "Undone", "seq": undo.seq}]


def test_a_fall_comes_over_every_other_phone_for_a_moment(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = story(tmp_path).numbers(OUT, 2, 13, 4)
    before = Scene(evening, evening.update(seat=1))
    page = wiped(shared, stage)
    play(page, stage, before)
    moment = page.locator(".moment")
    expect(moment).to_have_count(0)
    evening.roll("1 heal 3 energy 2 attack", "heal energy attack")
    stage.push(evening.update(seat=1))
    expect(moment).to_contain_text("Lampmoth is out")
    expect(moment).to_contain_text("Ana hit Þórdís for 2")
    assert page.evaluate("() => document.querySelector('.moment').scrollHeight <= innerHeight")
    page.mouse.click(100, 100)
    expect(moment).to_have_count(0)
    page.reload()
    page.wait_for_selector(".screen-waiting")
    expect(moment).to_have_count(0)


def test_each_phone_reads_the_end_as_its_own(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    for name, headline, button in (
        ("15-game-over", "You win", "Play again"),
        ("15d-last-place", "Puffin Rex wins", "The story"),
    ):
        page = wiped(shared, stage)
        play(page, stage, scenes(name))
        expect(page.locator("#headline")).to_have_text(headline)
        expect(page.locator(".primary")).to_have_text(button)
        expect(page.locator(".star-rain .sign")).to_have_count(14)
        expect(page.locator(".story-scrub")).to_have_attribute("aria-valuetext", END)
    page.click(".primary")
    page.wait_for_selector(".screen-story .story-part")
    expect(page.locator("#headline")).to_have_text("Puffin Rex wins")
    expect(page.locator(".story-scrub")).to_have_attribute("aria-valuetext", END)


END = "end: Ana 100\u00a0%, Ben 0\u00a0%, Þórdís 0\u00a0%, Théo 0\u00a0%"


def test_two_who_are_asked_are_both_named(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    scene = scenes("09j-yield-bay")
    update = scene.evening.update(seat=3)
    page = wiped(shared, stage)
    play(page, stage, Scene(scene.evening, update))
    expect(page.locator(".waiting")).to_contain_text("Waiting for Ben and Guðrún:")
    expect(page.locator(".waiting .tile")).to_have_count(2)
    page.click(".tab >> nth=1")
    expect(page.locator(".player-row.asked")).to_have_count(2)


def test_cards_for_sale_are_read_and_only_own_pieces_are_moved_at_any_time(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = flee_asked(tmp_path)
    for seat, strips in ((0, 1), (1, 0)):
        page = wiped(shared, stage)
        play(page, stage, Scene(evening, evening.update(seat=seat)))
        expect(page.locator(".waiting")).to_be_visible()
        expect(page.locator(".hands-strip")).to_have_count(strips)
    page.click(".tab >> nth=1")
    shop = page.locator(".table-shop")
    expect(shop).to_contain_text("Trophy Hunter")
    expect(shop).to_contain_text("1 star for each Unit you destroy")


def test_one_may_answer_for_a_phone_that_is_not_there(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    evening = flee_asked(tmp_path)
    scene = Scene(evening, evening.update(seat=1))
    game = scene.update.view.game
    assert game is not None
    seats = tuple(replace(one, phones=0) for one in game.seats)
    page = wiped(shared, stage)
    play(page, stage, with_view(scene, game=replace(game, seats=seats)))
    expect(page.locator(".waiting .act")).to_have_count(1)
