"""Whole turns in windows of phones: real service, real reader, recorded tray, taps counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from companion.engine.events import Corrected, Moved
from companion.engine.values import Seat
from companion.service.settings import Settings
from tests.browser.evening import CLIPS, Evening, picture
from tests.browser.film import Film
from tests.browser.phone import HOST, phone
from tests.service.served import Served, serving

pytestmark = pytest.mark.browser

A_WHILE = 120_000
"""Milliseconds: a clip has three throws in fifteen seconds, and the reader shares two cores."""


@dataclass
class Thumb:
    """Taps, and counts them."""

    page: Page
    taps: int = 0

    def tap(self, selector: str) -> None:
        self.page.click(selector)
        self.taps += 1

    def on(self, screen: str) -> None:
        """The screen has come."""
        self.page.wait_for_selector(f".screen-{screen}", timeout=A_WHILE)


def evening(folder: Path, game: str = "new-york") -> None:
    """A log in which Ana is to roll: she in Queens, Ben in Midtown (New York), or in Tokyo City."""
    table = Evening(folder, game, 2).seats()
    if game == "new-york":
        table.begin(("queens", "bronx"), ("general_ellis", "carapace", "shadow_double"))
        table.roll("3 heal 3 energy").on()
        table.roll("3 heal 3 energy").on()
        table.say(Corrected(places=(Moved(Seat(0), "queens"), Moved(Seat(1), "midtown_2_4"))))
    else:
        table.begin(cards=("corner_store", "wings", "energize"))
        table.roll("2 one 2 two 2 three").on()
        table.roll("1 attack 5 heal").on()
    table.numbers(0, 7, 9, 0)
    table.numbers(1, 5, 3, 0)
    table.table.close()


@contextmanager
def at_the_table(folder: Path, camera: str, game: str = "new-york") -> Iterator[Served]:
    """The service goes on with that evening."""
    evening(folder, game)
    settings = Settings(folder, host="127.0.0.1", port=0, camera=camera, game=game, names=(HOST,))
    with serving(settings) as served:
        yield served


def sit_down(page: Page, served: Served, seat: int) -> Thumb:
    """The phone joins by the QR code's address (the first by the terminal's) and takes its seat."""
    invitation = served.desk.browsers.invitation
    token = invitation.terminal if seat == 0 else invitation.token
    page.goto(f"http://{HOST}:{served.port}/j#{token}")
    page.click(f".seat-row >> nth={seat}")
    page.wait_for_selector(".tabs")
    assert not page.evaluate("isSecureContext")
    return Thumb(page)


def numbers(served: Served, seat: int) -> tuple[int, int, int]:
    game = served.desk.table.snapshot().state.game
    assert game is not None
    monster = game.monsters[seat]
    return monster.health, monster.stars, monster.energy


def active(served: Served) -> int:
    game = served.desk.table.snapshot().state.game
    assert game is not None
    return game.turn.active


def passed(page: Page) -> None:
    """The turn is Ben's, who has no phone: the host's phone answers for him."""
    page.wait_for_selector(".in-place >> text=Ben", timeout=A_WHILE)


def by_keys(thumb: Thumb, *keys: int) -> None:
    """Faces by their places on the keys."""
    for key in keys:
        thumb.tap(f".key >> nth={key}")


def foretold(page: Page) -> None:
    """What the dice will do stands there, and in which order."""
    expect(page.locator(".dock .square")).to_be_enabled()


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
            ana.on("reveal-tile")
            ana.tap(f".tile-card >> text={top}")
        ana.on("destroy")
        ana.tap(".tile-card.can >> text=Skyscraper 1")
        ana.on("reveal-tile")
        ana.tap(".tile-card >> text=Skyscraper 2")
        ana.on("destroy")
        ana.tap(".tile-card.can >> text=Power plant 2")
        ben.on("stay-or-flee")
        ben.tap(".place-card >> text=Brooklyn")
        ana.on("buy")
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
        ana.on("by-hand")
        by_keys(ana, 0, 0, 0, 2, 2, 2)
        foretold(page)
        ana.tap(".primary")
        ana.on("buy")
        ana.tap(".primary")
        passed(page)
        assert ana.taps <= 8
        assert active(served) == 1
        assert numbers(served, 0) == (10, 9, 3)


def test_a_thumb_quicker_than_the_forecast_is_not_asked_for_the_order(
    browser: Browser, tmp_path: Path
) -> None:
    held: list[Route] = []
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.on("by-hand")
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
        passed(page)
        assert numbers(served, 0) == (7, 9 + 3, 1)


def test_apply_ends_the_turn_where_nothing_can_be_done_after_it(
    browser: Browser, tmp_path: Path
) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 2, 2, 2, 2, 2, 2)
        expect(page.locator(".primary small")).to_be_visible()
        ana.tap(".primary")
        passed(page)
        assert ana.taps == 7
        assert active(served) == 1


def test_a_turn_goes_on_by_hand_when_the_camera_is_pulled(browser: Browser, tmp_path: Path) -> None:
    film = Film(CLIPS / "test_tokyo.mp4")
    with at_the_table(tmp_path, film.address, "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.on("my-turn")
        film.pull()
        ana.on("camera-lost")
        by_keys(ana, 4, 4, 4, 0, 4, 1)
        foretold(page)
        ana.tap(".primary")
        passed(page)
        assert numbers(served, 0) == (7, 9 + 3, 1)
        assert numbers(served, 1)[0] == 4
    film.close()


def test_a_photo_from_the_phone_is_read(browser: Browser, tmp_path: Path) -> None:
    photo = tmp_path / "tray.jpg"
    photo.write_bytes(picture("tokyo", 2))
    with at_the_table(tmp_path / "data", "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        ana.on("by-hand")
        page.set_input_files("input[type=file]", photo)
        ana.on("proposal")
        ana.tap(".primary")
        passed(page)
        assert numbers(served, 0) == (7, 9 + 3, 1)
        assert ana.taps == 1


def test_a_wrong_die_is_put_right_with_two_taps(browser: Browser, tmp_path: Path) -> None:
    photo = tmp_path / "tray.jpg"
    photo.write_bytes(picture("tokyo", 2))
    with at_the_table(tmp_path / "data", "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        page.set_input_files("input[type=file]", photo)
        ana.on("proposal")
        ana.tap(".marker >> text=Energy")
        ana.tap(".sheet .act >> text=Heal")
        ana.tap(".primary")
        passed(page)
        assert ana.taps == 3
        assert numbers(served, 0) == (8, 9 + 3, 0)


def test_a_purchase_takes_two_taps(browser: Browser, tmp_path: Path) -> None:
    with at_the_table(tmp_path, "none", "tokyo") as served, phone(browser) as page:
        ana = sit_down(page, served, 0)
        by_keys(ana, 0, 0, 0, 0, 0, 0)
        ana.tap(".primary")
        ana.on("buy")
        before = ana.taps
        ana.tap(".shop-card >> text=Buy >> nth=0")
        ana.on("new-card")
        page.fill("input[type=search]", "ro")
        ana.tap(".suggestion >> nth=0")
        ana.on("buy")
        assert ana.taps - before == 2
        assert numbers(served, 0)[2] == 6 - 3
