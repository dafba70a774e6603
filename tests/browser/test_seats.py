"""Seats and hosts with the real service: who gets back in, and by how many taps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.service.settings import Limits
from companion.service.wire import Role
from tests.browser.evening import Evening
from tests.browser.phone import HOST, phone
from tests.browser.seated import Thumb, evening, serving_evening
from tests.service.served import Served

pytestmark = pytest.mark.browser

AT_ONCE = replace(Limits(), seat_silent_s=0.0, host_silent_s=0.0)
"""A phone without a stream is lost at once: no test waits a minute."""
Window = Callable[[], Page]


@pytest.fixture
def window(browser: Browser) -> Iterator[Window]:
    """Opens phones, each with cookies of its own; they are closed at the end."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(phone(browser))


def game(folder: Path) -> Evening:
    """Ana and Ben play, and it is Ana's turn."""
    evening(folder)
    return Evening(folder, players=2)


def lobby(folder: Path) -> Evening:
    """The table is set for two, and nothing has started."""
    return Evening(folder, players=2).seats()


def join(page: Page, served: Served) -> Thumb:
    """The phone has scanned the QR code."""
    token = served.app_state.browsers.invitation.token
    page.goto(f"http://{HOST}:{served.port}/j#{token}")
    page.wait_for_selector(".page:not(.screen-opening):not(.screen-stranger)")
    assert not page.evaluate("isSecureContext")
    return Thumb(page)


def sit(page: Page, served: Served, seat: int) -> Thumb:
    """The phone has joined, and sits down by one tap on a free seat."""
    thumb = join(page, served)
    thumb.wait_for("pick-seat")
    thumb.tap(f".seat-row >> nth={seat}")
    holds(served, seat, page)
    thumb.taps = 0
    return thumb


def holds(served: Served, seat: int, page: Page) -> None:
    """The seat is this phone's, on its own screen too."""
    page.wait_for_selector(".page:not(.screen-pick-seat):not(.screen-asking)")
    (holder,) = [one for one in served.app_state.browsers.people().persons if one.seat == seat]
    cookie = next(one["value"] for one in page.context.cookies() if "monster" in one["name"])
    assert served.app_state.browsers.you(cookie).id == holder.id


def role(served: Served, page: Page) -> Role:
    cookie = next(one["value"] for one in page.context.cookies() if "monster" in one["name"])
    return served.app_state.browsers.you(cookie).role


def asleep(page: Page) -> str:
    """The phone is away; it comes back by the address that is returned."""
    where = page.url
    page.goto("about:blank")
    return where


def row(seat: int) -> str:
    return f".seat-row >> nth={seat}"


@pytest.mark.parametrize("moment", [game, lobby])
def test_a_seat_is_taken_back_from_a_closed_phone_by_two_taps_and_returned_by_one(
    window: Window, tmp_path: Path, moment: Callable[[Path], Evening]
) -> None:
    with serving_evening(moment(tmp_path), AT_ONCE) as served:
        join(window(), served)
        old, fresh = window(), window()
        sit(old, served, 1)
        where = asleep(old)
        new = join(fresh, served)
        expect(fresh.locator(row(1))).to_contain_text("silent")
        new.tap(row(1))
        new.tap(".primary")
        holds(served, 1, fresh)
        assert new.taps == 2
        old.goto(where)
        expect(old.locator("#headline")).to_have_text("Your seat is taken")
        back = Thumb(old)
        back.tap(row(1))
        holds(served, 1, old)
        assert back.taps == 1
        fresh.wait_for_selector(".screen-pick-seat")


@pytest.mark.parametrize("who", ["holder", "host"])
def test_a_live_seat_is_asked_for_by_two_taps_and_given_by_one(
    window: Window, tmp_path: Path, who: str
) -> None:
    with serving_evening(game(tmp_path), AT_ONCE) as served:
        ana, ben, fresh = window(), window(), window()
        host, holder = sit(ana, served, 0), sit(ben, served, 1)
        asker = join(fresh, served)
        asker.tap(row(1))
        asker.tap(".primary")
        asker.wait_for("asking")
        expect(fresh.locator("main")).to_contain_text("Ben’s phone and the host’s (Ana)")
        assert asker.taps == 2
        one = holder if who == "holder" else host
        one.page.click(".tab >> nth=1")
        expect(one.page.locator(".notice")).to_contain_text("Watching phone 1 asks for")
        one.tap(".notice >> text=Give")
        holds(served, 1, fresh)
        assert one.taps == 1
        ben.click(".tab >> nth=0")
        ben.wait_for_selector(".screen-pick-seat")
        expect(ben.locator(".seat-row.free")).to_have_count(0 if who == "holder" else 1)


def test_a_claim_is_kept_withdrawn_or_falls_to_who_waits(window: Window, tmp_path: Path) -> None:
    with serving_evening(game(tmp_path), AT_ONCE) as served:
        join(window(), served)
        ben, fresh, third = window(), window(), window()
        holder, asker = sit(ben, served, 1), join(fresh, served)
        asker.tap(row(1))
        asker.tap(".primary")
        holder.tap(".notice >> text=Keep")
        expect(fresh.locator(".notice")).to_contain_text("Ben keeps the seat")
        asker.tap(".notice .act")
        waiting = join(third, served)
        waiting.tap(row(1))
        waiting.tap(".primary")
        waiting.wait_for("asking")
        waiting.tap(".dock .act >> nth=1")
        third.wait_for_selector(".page:not(.screen-asking):not(.screen-pick-seat)")
        expect(ben.locator(".notice")).to_have_count(0)
        third.click(".dock >> text=Sit down")
        third.click(row(1))
        third.click(".primary")
        third.wait_for_selector(".screen-asking")
        asleep(ben)
        holds(served, 1, third)


@pytest.mark.parametrize("moment", [game, lobby])
def test_a_lost_host_is_replaced_by_two_taps_and_everybody_sees_it(
    window: Window, tmp_path: Path, moment: Callable[[Path], Evening]
) -> None:
    with serving_evening(moment(tmp_path), AT_ONCE) as served:
        ana, ben, other = window(), window(), window()
        join(ana, served)
        expect(ana.locator(".notice")).to_contain_text("You are the host")
        taker = sit(ben, served, 1)
        watcher = join(other, served)
        where = asleep(ana)
        expect(ben.locator(".notice")).to_contain_text("the host, has been silent")
        taker.tap(".notice .act")
        taker.tap(".primary")
        expect(ben.locator(".notice")).to_contain_text("You are the host")
        assert taker.taps == 2
        assert role(served, ben) is Role.HOST
        expect(watcher.page.locator(".notice")).to_contain_text("Ben is the host now")
        if moment is lobby:
            taker.wait_for("new-game")
        ana.goto(where)
        ana.wait_for_selector(".screen-pick-seat")
        assert role(served, ana) is Role.SPECTATOR


def test_the_host_hands_over_by_two_taps(window: Window, tmp_path: Path) -> None:
    with serving_evening(game(tmp_path), AT_ONCE) as served:
        ana, ben = window(), window()
        host = sit(ana, served, 0)
        sit(ben, served, 1)
        ana.click(".tab >> nth=3")
        host.tap(".person")
        host.tap(".primary")
        expect(ben.locator(".notice")).to_contain_text("You are the host")
        expect(ana.locator(".notice")).to_contain_text("Ben is the host now")
        assert host.taps == 2
        assert (role(served, ana), role(served, ben)) == (Role.PLAYER, Role.HOST)
        expect(ana.locator(".person")).to_have_count(0)


def test_who_is_removed_by_three_taps_needs_the_new_code(window: Window, tmp_path: Path) -> None:
    with serving_evening(game(tmp_path), AT_ONCE) as served:
        ana, ben = window(), window()
        host = sit(ana, served, 0)
        sit(ben, served, 1)
        old = served.app_state.browsers.invitation.code
        ana.click(".tab >> nth=3")
        host.tap(".person")
        host.tap("text=Remove Ben")
        host.tap(".sure")
        assert host.taps == 3
        ben.wait_for_selector(".screen-stranger")
        new = served.app_state.browsers.invitation.code
        for code, let_in in ((old, False), (new, True)):
            ben.fill(".code-input", code)
            ben.click(".primary")
            expect(ben.locator(".screen-pick-seat")).to_have_count(int(let_in))
            expect(ben.locator(".toast.refused")).to_have_count(int(not let_in))
        expect(ben.locator(row(1))).to_contain_text("free")


def test_the_start_is_undone_by_the_host_alone_and_after_a_question(
    window: Window, tmp_path: Path
) -> None:
    with serving_evening(Evening(tmp_path, players=2).seats().begin()) as served:
        ana, ben = window(), window()
        host, guest = sit(ana, served, 0), sit(ben, served, 1)
        for page in (ana, ben):
            page.click(".tab >> nth=2")
        undo = ".log-dock .wide-act"
        expect(guest.page.locator(undo)).to_be_disabled()
        host.tap(undo)
        host.tap(".sheet >> text=Play on")
        assert served.app_state.table.snapshot().state.game is not None
        host.tap(undo)
        host.tap(".sheet .act >> text=Undo the start")
        ben.wait_for_selector(".screen-lobby")
        assert host.taps == 2 + 2
        host.wait_for("new-game")
        host.tap(".body > .act >> text=Redo")
        ben.wait_for_selector(".screen-log")


def test_a_closed_table_shows_no_code_and_opens_with_a_new_one(
    window: Window, tmp_path: Path
) -> None:
    with serving_evening(game(tmp_path)) as served:
        ana = window()
        sit(ana, served, 0)
        ana.click(".tab >> nth=3")
        old = served.app_state.browsers.invitation.code
        ana.click("text=Close the table")
        expect(ana.locator(".more-join img")).to_have_count(0)
        ana.click("text=Open, new code")
        expect(ana.locator(".more-join img")).to_have_count(1)
        assert served.app_state.browsers.invitation.code != old
