"""Who gets in and back in, by how many taps: addresses, codes, seats and hosts, the lobby."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from companion.service.settings import Limits, Settings
from companion.service.views.view import MONSTERS
from companion.service.wire import Role, WifiShown
from companion.table import SeatSetup
from tests.browser.evening import Evening
from tests.browser.phone import HOST, phone, play, wiped
from tests.browser.scenes import Scene, join_qr, with_wifi
from tests.browser.seated import Thumb, evening, serving_evening
from tests.browser.stage import Stage
from tests.service.served import Served, serving, stalled
from tests.waiting import wait_until

pytestmark = pytest.mark.browser

STRANGE = "raspberrypi.localhost"
"""A name that leads the browser to loopback by itself, and that the service does not know."""


def test_an_unknown_name_leads_on_in_one_tap(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0)
    with serving(settings) as served, phone(browser, size="320x640") as page:
        complaints: list[str] = []
        page.on("console", lambda line: complaints.append(line.text))
        answer = page.goto(f"http://{STRANGE}:{served.port}/j")
        assert answer is not None
        assert answer.status == 421
        expect(page.locator("h1")).to_have_text("The table has another address")
        assert page.locator("a").evaluate("link => getComputedStyle(link).display") == "block"
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.click("a")
        expect(page).to_have_url(f"http://127.0.0.1:{served.port}/")
        page.wait_for_selector(".screen-stranger")
        assert [text for text in complaints if "421" not in text and "403" not in text] == []


def test_the_host_puts_another_address_on_the_code_in_one_tap(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = join_qr(tmp_path)
        play(page, stage, scene)
        join = scene.update.view.join
        assert join is not None
        before = page.locator(".qr").get_attribute("src")
        other = page.locator(".other-addresses .act")
        expect(other).to_have_text(join.addresses[1])
        other.click()
        assert stage.sent(1) == [{"address": join.addresses[1]}]
        moved = replace(join, address=join.addresses[1], addresses=join.addresses[::-1])
        stage.push(scene.evening.update(join=moved))
        expect(page.locator("p.address")).to_have_text(join.addresses[1])
        expect(other).to_have_text(join.addresses[0])
        assert page.locator(".qr").get_attribute("src") != before


def test_a_guest_sees_the_other_addresses_and_chooses_none(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    scene = scenes("02a-join-qr-guest")
    play(wiped(shared, stage), stage, scene)
    join = scene.update.view.join
    assert join is not None
    expect(shared.locator(".other-addresses .address")).to_have_text(join.addresses[1])
    expect(shared.locator(".other-addresses .act")).to_have_count(0)


def test_a_stranger_sees_which_of_several_tables_asks_for_the_code(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    play(wiped(shared, stage), stage, scenes("02l-stranger-window"))
    expect(shared.get_by_text("Table The long one beside the high windows")).to_be_visible()


def test_a_browser_that_blocks_cookies_says_so_and_leaves_nobody_behind(
    browser: Browser, tmp_path: Path
) -> None:
    """As Chromium's own setting for all pages has it."""
    profile = tmp_path / "profile"
    (profile / "Default").mkdir(parents=True)
    blocked = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (profile / "Default" / "Preferences").write_text(json.dumps(blocked))
    with serving(Settings(tmp_path / "data", host="127.0.0.1", port=0)) as served:
        window = browser.browser_type.launch_persistent_context(
            profile, executable_path=shutil.which("chromium")
        )
        page, token = window.pages[0], served.app_state.browsers.invitation.terminal
        for _ in range(2):
            page.goto(f"http://127.0.0.1:{served.port}/j#{token}")
            page.wait_for_selector(".screen-stranger")
            expect(page.get_by_text("This browser blocks cookies")).to_be_visible()
            page.goto("about:blank")
        page.goto(f"http://127.0.0.1:{served.port}/tv")
        expect(page.locator(".entry-how")).to_contain_text("This browser blocks cookies")
        window.close()
        assert served.app_state.browsers.people().persons == ()


GET = b"GET /j HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


def test_the_host_hears_of_a_phone_that_got_the_page_alone(
    browser: Browser, tmp_path: Path
) -> None:
    lobby = Evening(tmp_path, players=2).seats()
    limits = dataclasses.replace(Limits(), late_s=0.0)
    with serving_evening(lobby, limits) as served, phone(browser) as page:
        page.goto(f"http://{HOST}:{served.port}/j#{served.app_state.browsers.invitation.terminal}")
        page.wait_for_selector(".screen-join")
        expect(page.locator("[data-notice=late]")).to_have_count(0)
        with served.connect("127.0.0.9") as stray:
            stray.sendall(GET)
            while stray.recv(65536):
                pass
        notice = page.locator("[data-notice=late]")
        expect(notice).to_contain_text("A phone loaded the page but did not connect")
        notice.locator(".act >> nth=0").click()
        page.wait_for_selector(".screen-qr")
        expect(page.locator(".note.doubt")).to_contain_text("not inside another app")


def test_a_minute_without_an_arrival_names_the_networks(
    browser: Browser, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    with phone(browser) as page:
        page.clock.install()
        play(page, stage, scenes("02-join-qr"))
        expect(page.locator(".starter .go")).to_have_text(["You", "in", "in", "in"])
        expect(page.locator(".note.doubt")).to_have_count(0)
        page.clock.fast_forward(61_000)
        expect(page.locator(".note.doubt")).to_contain_text(
            "Guest networks often keep phones apart"
        )


def test_the_host_turns_the_code_and_shows_it_to_all(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser, size="320x640") as page:
        scene = with_wifi(join_qr(tmp_path), WifiShown.HOST)
        play(page, stage, scene)
        table = page.locator("img.qr").get_attribute("src")
        page.get_by_role("button", name="Wi-Fi code").click()
        expect(page.locator("img.qr")).to_have_attribute("src", "/api/wifi.svg")
        expect(page.locator(".address")).to_have_count(0)
        expect(page.get_by_text("Only you see this code.")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.get_by_role("button", name="Show it to all").click()
        assert stage.sent(1) == [{"to_all": True}]
        stage.push(with_wifi(scene, WifiShown.ALL).update)
        expect(page.get_by_role("button", name="Only to me")).to_be_visible()
        page.get_by_role("button", name="Table code").click()
        expect(page.locator("img.qr")).to_have_attribute("src", table)


def test_a_name_that_is_still_on_its_way_is_not_lost_to_the_next_change(
    browser: Browser, tmp_path: Path
) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, names=(HOST,))
    with serving(settings) as served, phone(browser) as page:
        page.goto(f"http://{HOST}:{served.port}/j#{served.app_state.browsers.invitation.terminal}")
        page.click(".dock .wide-act")
        add(page, "Ana")
        rows = page.locator(".seat-row")
        expect(rows).to_have_count(1)
        with stalled(served):
            page.click(".seat-row [data-answer='0']")
            page.fill(".sheet [data-first]", "Guðrún")
            page.click(".sheet .act.chosen")
            add(page, "Ben")
            expect(rows).to_have_count(2)
            expect(rows.nth(0)).to_contain_text("Guðrún")
        page.reload()
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("Guðrún")
        assert names_at(served) == ["Guðrún", "Ben"]


def add(page: Page, name: str) -> None:
    """The host makes a seat for somebody without a phone."""
    page.click("[data-answer=add]")
    page.fill(".sheet [data-first]", name)
    page.click(".sheet .act.chosen")


def names_at(served: Served) -> list[str]:
    setup = served.app_state.table.snapshot().state.setup
    assert setup is not None
    return [seat.player for seat in setup.seats]


AT_ONCE = dataclasses.replace(Limits(), seat_silent_s=0.0, host_silent_s=0.0)
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
    thumb.tap(f".seat-row >> nth={seat}")
    holds(served, seat, page)
    thumb.taps = 0
    return thumb


def holds(served: Served, seat: int, page: Page) -> None:
    """The seat is this phone's, on its own screen too."""
    page.wait_for_selector(".page:not(.screen-pick-seat):not(.screen-join):not(.screen-asking)")
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


def new_table(folder: Path) -> Settings:
    """A table at which nobody has sat yet."""
    return Settings(folder, host="127.0.0.1", port=0, camera="none", names=(HOST,))


def seated(served: Served, *names: str) -> None:
    """As many phones as names have joined; the first is the host."""
    for name, monster in zip(names, MONSTERS, strict=False):
        token = served.app_state.browsers.invitation.token
        secret, _ = served.app_state.browsers.join("127.0.0.1", token, None)
        served.app_state.sit(secret, SeatSetup(name, monster))


def test_a_host_who_watches_drags_a_seat_with_a_finger(window: Window, tmp_path: Path) -> None:
    with serving(new_table(tmp_path)) as served:
        page = window()
        host = join(page, served)
        host.tap(".dock .wide-act")
        seated(served, "Ana", "Ben", "Chloé")
        page.reload()
        host.wait_for("new-game")  # it is not asked again whether it only watches
        finger = page.context.new_cdp_session(page)

        def touch(kind: str, row: int) -> None:
            box = page.locator(".seat-row .num >> visible=true").nth(row).bounding_box()
            assert box is not None
            point = {"x": box["x"] + 5, "y": box["y"] + 0.75 * box["height"]}
            points = [] if kind == "touchEnd" else [point]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", 0)
        touch("touchMove", 1)
        touch("touchMove", 2)
        expect(page.locator(".seat-row.dragged .num")).to_have_text("3")
        touch("touchEnd", 0)
        wait_until(lambda: names_at(served) == ["Ben", "Chloé", "Ana"])


def test_all_seats_taken_says_so_and_offers_to_watch(window: Window, tmp_path: Path) -> None:
    with serving(new_table(tmp_path)) as served:
        seated(served, "Ana", "Ben", "Chloé", "Dóra", "Eva", "Finn")
        page = window()
        guest = join(page, served)
        expect(page.locator("h1")).to_have_text("All seats are taken")
        guest.tap(".dock .wide-act")
        guest.wait_for("lobby")
        expect(page.locator(".dock .act")).to_have_text("Sit down")


def test_a_name_is_checked_while_it_is_typed_and_takes_the_seat_that_waits_for_it(
    window: Window, tmp_path: Path
) -> None:
    with serving_evening(lobby(tmp_path)) as served:
        sit(window(), served, 0)
        page = window()
        guest = join(page, served)
        name, said = page.locator("[data-first]"), page.locator(".field [role=status]")
        expect(name).to_have_value("")
        expect(page.locator(".primary")).to_be_disabled()
        name.fill("ana")
        expect(said).to_contain_text("ana sits here already")
        name.fill("Guðrún" * 5)
        expect(said).to_have_text("24 letters fit: 6 too many.")
        page.keyboard.press("Enter")
        expect(name).to_have_value("Guðrún" * 5)
        name.fill("Guðrún" * 4)
        expect(page.locator(".primary")).to_be_enabled()
        name.fill("ben")
        page.keyboard.press("Enter")
        guest.wait_for("lobby")
        holds(served, 1, page)
        assert names_at(served) == ["Ana", "ben"]


def test_a_seat_is_taken_back_from_a_closed_phone_by_two_taps_and_returned_by_one(
    window: Window, tmp_path: Path
) -> None:
    with serving_evening(game(tmp_path), AT_ONCE) as served:
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


def test_a_lost_host_is_replaced_by_two_taps_and_everybody_sees_it(
    window: Window, tmp_path: Path
) -> None:
    with serving_evening(lobby(tmp_path), AT_ONCE) as served:
        ana, ben, other = window(), window(), window()
        join(ana, served)
        expect(ana.locator(".status")).to_contain_text("This phone is host")
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
        taker.wait_for("new-game")
        ana.goto(where)
        ana.wait_for_selector(".screen-join")
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


def test_who_is_removed_by_three_taps_or_comes_to_a_closed_table_needs_the_new_code(
    window: Window, tmp_path: Path
) -> None:
    with serving_evening(game(tmp_path), AT_ONCE) as served:
        ana, ben = window(), window()
        host = sit(ana, served, 0)
        sit(ben, served, 1)
        first = served.app_state.browsers.invitation.code
        ana.click(".tab >> nth=3")
        ana.click("text=Close the table")
        assert served.app_state.browsers.invitation.open
        ana.click(".sure")
        expect(ana.locator(".more-join img")).to_have_count(0)
        ana.click("text=Open, new code")
        expect(ana.locator(".more-join img")).to_have_count(1)
        old = served.app_state.browsers.invitation.code
        assert old != first
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
