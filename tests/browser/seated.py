"""Windows of phones at a table of the real service: they join, sit down, and count their taps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.sync_api import Page, expect

from companion.engine import Corrected, Moved, Seat
from companion.service.settings import Limits, Settings
from tests.browser.evening import Evening
from tests.browser.phone import HOST
from tests.service.served import Served, serving

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
def goes_on(evening: Evening, limits: Limits | None = None) -> Iterator[Served]:
    """The service goes on with that evening."""
    evening.table.close()
    settings = Settings(evening.folder, host="127.0.0.1", port=0, game=evening.game, names=(HOST,))
    with serving(replace(settings, limits=limits or Limits())) as served:
        yield served


@contextmanager
def at_the_table(folder: Path, camera: str, game: str = "new-york") -> Iterator[Served]:
    """The service goes on with that evening."""
    evening(folder, game)
    settings = Settings(folder, host="127.0.0.1", port=0, camera=camera, game=game, names=(HOST,))
    with serving(settings) as served:
        yield served


def sit_down(page: Page, served: Served, seat: int) -> Thumb:
    """The phone joins by the QR code's address (the first by the terminal's) and takes its seat."""
    invitation = served.app_state.browsers.invitation
    token = invitation.terminal if seat == 0 else invitation.token
    page.goto(f"http://{HOST}:{served.port}/j#{token}")
    page.click(f".seat-row >> nth={seat}")
    page.wait_for_selector(".tabs")
    assert not page.evaluate("isSecureContext")
    return Thumb(page)


def numbers(served: Served, seat: int) -> tuple[int, int, int]:
    game = served.app_state.table.snapshot().state.game
    assert game is not None
    monster = game.monsters[seat]
    return monster.health, monster.stars, monster.energy


def active(served: Served) -> int:
    game = served.app_state.table.snapshot().state.game
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
