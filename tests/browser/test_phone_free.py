"""The fuse on phones: all see it, any touch stops it, and what the tray did is undone by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from companion.engine import DiceRolled, OrderChosen, Seat
from companion.table import TRAY, Submission
from tests.browser.evening import ROLLING, named
from tests.browser.phone import phone, play
from tests.browser.scenes import (
    Scene,
    fuse,
    fuse_of_another,
    fuse_of_clearing,
    story,
    table_page,
    table_page_of_another,
)
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser
PUT_OUT = {"id": "tray-1"}


@pytest.mark.parametrize(
    ("touched", "shown"),
    [(".primary.fuse", ".primary.fuse"), (".headline", ".primary.fuse"), (".tab >> nth=2", "")],
)
def test_any_touch_stops_it_and_applies_nothing(
    browser: Browser, stage: Stage, tmp_path: Path, touched: str, shown: str
) -> None:
    scene = fuse(tmp_path)
    with phone(browser) as page:
        play(page, stage, scene)
        expect(page.locator(".primary.fuse")).to_contain_text("Applies in")
        page.click(touched)
        assert stage.sent(1) == [PUT_OUT]
        tray = replace(scene.update.view.tray, fuse=None)
        stage.push(replace(scene.update, view=replace(scene.update.view, tray=tray)))
        if shown:
            expect(page.locator(".primary:not(.fuse)")).to_have_text("Apply")
        else:
            expect(page.locator(".fuse-strip")).to_have_count(0)
        assert stage.sent(1) == [PUT_OUT]


def test_a_key_stops_it(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        play(page, stage, fuse(tmp_path))
        page.keyboard.press("Tab")
        assert stage.sent(1) == [PUT_OUT]


@pytest.mark.parametrize("scene", [fuse_of_another, fuse_of_clearing])
def test_every_phone_sees_it_on_every_tab(
    browser: Browser, stage: Stage, tmp_path: Path, scene: object
) -> None:
    assert callable(scene)
    shown: Scene = scene(tmp_path)
    with phone(browser) as page:
        play(page, stage, shown)
        for tab in range(4):
            page.click(f".tab >> nth={tab}")
            expect(page.locator(".fuse-strip")).to_be_visible()
        assert stage.sent(1) == [PUT_OUT], "one request, however often it is touched"


def test_what_the_tray_did_is_named_and_undone(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    evening = story(tmp_path)
    with phone(browser) as page:
        play(page, stage, Scene(evening, evening.update(seat=1, tray=ROLLING)))
        rev = evening.rev
        dice = (
            OrderChosen(Seat(0), named("heal energy")),
            DiceRolled(named("3 heal 3 energy"), (), True),
        )
        evening.table.submit(Submission("tray-12345", rev, dice, TRAY))
        stage.push(evening.update(seat=1, tray=ROLLING))
        expect(page.locator(".toast-words")).to_contain_text("The tray:")
        page.click(".toast >> text=Undo")
        (command,) = stage.sent(1)
        assert command["events"] == [{"type": "Undone", "seq": rev + 1}]
        page.click(".tab >> nth=2")
        expect(page.locator(".log-row small >> text=the tray").first).to_be_visible()


def test_the_host_switches_what_happens_without_a_tap(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        play(page, stage, table_page(tmp_path))
        expect(page.locator(".tablepage-row.fuse")).to_have_attribute("aria-checked", "true")
        expect(page.locator(".tablepage-row.tray_ends")).to_have_attribute("aria-checked", "false")
        page.click(".tablepage-row.tray_ends")
        (command,) = stage.sent(1)
        assert command["events"] == [{"type": "PhoneFreeSet", "fuse": True, "tray_ends": True}]
        expect(page.locator(".toast")).to_have_count(0)


def test_others_see_it_and_cannot_switch_it(browser: Browser, stage: Stage, tmp_path: Path) -> None:
    with phone(browser) as page:
        play(page, stage, table_page_of_another(tmp_path))
        expect(page.locator(".tablepage-row.fuse")).to_be_disabled()
        expect(page.locator(".tablepage-switch").first).to_contain_text("on")
