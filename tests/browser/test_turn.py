"""Whole turns in windows of phones: real service, real reader, recorded tray, taps counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.evening import CLIPS, picture
from tests.browser.video import Video
from tests.browser.phone import phone
from tests.browser.seated import (
    A_WHILE,
    active,
    all_sent,
    at_the_table,
    by_keys,
    numbers,
    preview_shown,
    sit_down,
    turn_passed,
    with_energy,
)
from tests.service.served import stalled

pytestmark = pytest.mark.browser


def test_a_turn_read_by_the_camera(browser: Browser, tmp_path: Path) -> None:
    with (
        at_the_table(tmp_path, str(CLIPS / "test_new_york.mp4")) as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        read = one.locator("[data-screen=proposal] .marker-word")
        for face, count in (("Attack", 2), ("Destruction", 3), ("Heal", 1)):
            expect(read.filter(has_text=face)).to_have_count(count, timeout=A_WHILE)
        ana.tap(".primary")
        for top in ("Skyscraper 1", "Power plant 2", "Hospital 3"):
            ana.wait_for("reveal-tile")
            ana.tap(f".tile-card >> text={top}")
        ana.wait_for("destroy")
        ana.tap(".tile-card.can >> text=Skyscraper 1")
        ana.wait_for("reveal-tile")
        ana.tap(".tile-card >> text=Skyscraper 2")
        ana.wait_for("destroy")
        ana.tap(".tile-card.can >> text=Power plant 2")
        ben.wait_for("stay-or-flee")
        ben.tap(".place-card >> text=Brooklyn")
        ana.wait_for("buy")
        ana.tap(".primary")
        # By hand, where the recording has ended meanwhile.
        two.wait_for_selector(
            ".screen-my-turn, .screen-by-hand, .screen-camera-lost", timeout=A_WHILE
        )
        # Two for the dice and the end, one for each building named or smashed.
        assert (ana.taps, ben.taps) == (2 + 4 + 2, 1)
        assert numbers(served, 0) == (8, 9 + 1 + 1, 2)
        assert numbers(served, 1) == (3, 3, 0)


@pytest.mark.parametrize("game", ["new-york", "tokyo"])
def test_a_turn_by_hand_takes_eight_taps(browser: Browser, tmp_path: Path, game: str) -> None:
    with at_the_table(tmp_path, "none", game) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        by_keys(ana, 0, 0, 0, 2, 2, 2)
        preview_shown(page)
        ana.tap(".primary")
        ana.wait_for("buy")
        ana.tap(".primary")
        turn_passed(page)
        assert ana.taps <= 8
        assert active(served) == 1
        assert numbers(served, 0) == (10, 9, 3)


@pytest.mark.parametrize("game", ["new-york", "tokyo"])
def test_a_turn_by_hand_takes_seven_taps_where_it_ends_at_once(
    browser: Browser, tmp_path: Path, game: str
) -> None:
    with at_the_table(tmp_path, "none", game) as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        by_keys(ana, 0, 0, 0, 2, 2, 2)
        ana.tap(".end-act")
        turn_passed(page)
        assert ana.taps == 7
        assert active(served) == 1
        assert numbers(served, 0) == (10, 9, 3)
        # One command: undone as one.
        page.click(".toast .toast-act")
        all_sent(page)
        ana.wait_for("by-hand")
        assert (active(served), numbers(served, 0)) == (0, (7, 9, 0))


def test_dice_that_ask_something_do_not_end_the_turn(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 1, 1, 0, 0, 0, 0)  # Ben may flee
        preview_shown(page)
        expect(page.locator(".end-act")).to_have_count(0)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_plain_turn_from_a_reading_takes_two_taps_or_one(
    browser: Browser, tmp_path: Path, at_once: bool
) -> None:
    photo = tmp_path / "tray.jpg"
    photo.write_bytes(picture("tokyo", 0))
    with at_the_table(tmp_path / "data", "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        with_energy(served, 2)
        page.set_input_files("input[type=file]", photo)
        ana.wait_for("proposal")
        ana.tap(".marker >> text=Attack")
        ana.tap(".sheet .act >> text=Heal")
        before = ana.taps
        if at_once:
            ana.tap(".end-act")
        else:
            expect(page.locator(".end-act")).to_be_visible()
            ana.tap(".primary")
            ana.wait_for("buy")
            ana.tap(".primary")
        turn_passed(page)
        assert ana.taps - before == (1 if at_once else 2)
        assert numbers(served, 0) == (9, 9, 3)


def test_a_thumb_quicker_than_the_forecast_is_not_asked_for_the_order(
    browser: Browser, tmp_path: Path
) -> None:
    held: list[Route] = []
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        line_is_slow = True

        def forecast(route: Route) -> None:
            held.append(route) if line_is_slow else route.continue_()

        page.route("**/api/preview", forecast)
        by_keys(ana, 4, 4, 4, 0, 4, 1)
        ana.tap(".primary")
        ana.tap(".primary")
        line_is_slow = False
        for route in held:
            route.continue_()
        turn_passed(page)
        assert numbers(served, 0) == (7, 9 + 3, 1)


def test_apply_ends_the_turn_where_nothing_can_be_done_after_it(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 2, 2, 2, 2, 2, 2)
        expect(page.locator(".primary small")).to_be_visible()
        ana.tap(".primary")
        turn_passed(page)
        assert ana.taps == 7
        assert active(served) == 1


def test_a_turn_goes_on_by_hand_when_the_camera_is_pulled(browser: Browser, tmp_path: Path) -> None:
    video = Video(CLIPS / "test_tokyo.mp4")
    with at_the_table(tmp_path, video.address, "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("my-turn")
        video.pull()
        ana.wait_for("camera-lost")
        by_keys(ana, 4, 4, 4, 0, 4, 1)
        preview_shown(page)
        ana.tap(".primary")
        turn_passed(page)
        assert numbers(served, 0) == (7, 9 + 3, 1)
        assert numbers(served, 1)[0] == 4
    video.close()


def test_a_photo_from_the_phone_is_read(browser: Browser, tmp_path: Path) -> None:
    photo = tmp_path / "tray.jpg"
    photo.write_bytes(picture("tokyo", 2))
    with at_the_table(tmp_path / "data", "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.wait_for("by-hand")
        page.set_input_files("input[type=file]", photo)
        ana.wait_for("proposal")
        ana.tap(".primary")
        turn_passed(page)
        assert numbers(served, 0) == (7, 9 + 3, 1)
        assert ana.taps == 1


def test_a_wrong_die_is_put_right_with_two_taps(browser: Browser, tmp_path: Path) -> None:
    photo = tmp_path / "tray.jpg"
    photo.write_bytes(picture("tokyo", 2))
    with at_the_table(tmp_path / "data", "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        page.set_input_files("input[type=file]", photo)
        ana.wait_for("proposal")
        ana.tap(".marker >> text=Energy")
        ana.tap(".sheet .act >> text=Heal")
        ana.tap(".primary")
        turn_passed(page)
        assert ana.taps == 3
        assert numbers(served, 0) == (8, 9 + 3, 0)


def test_a_purchase_takes_two_taps(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 0, 0, 0, 0, 0, 0)
        ana.tap(".primary")
        ana.wait_for("buy")
        before = ana.taps
        ana.tap(".shop-card >> text=Buy >> nth=0")
        ana.wait_for("new-card")
        page.fill("input[type=search]", "ro")
        ana.tap(".suggestion >> nth=0")
        ana.wait_for("buy")
        assert ana.taps - before == 2
        assert numbers(served, 0)[2] == 6 - 3


def test_while_the_disk_is_slow_the_phone_says_that_the_table_saves(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 0, 0, 0, 2, 2, 2)
        preview_shown(page)
        with stalled(served):
            ana.tap(".primary")
            expect(page.locator(".primary")).to_contain_text("Saving…", timeout=A_WHILE)
        ana.wait_for("buy")
        assert numbers(served, 0) == (10, 9, 3)
        assert served.app_state.table.saved
