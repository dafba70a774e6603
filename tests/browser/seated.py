"""Phones at a table of the real service: they join, sit down, and count their taps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from playwright.sync_api import Page, expect

from companion.engine import Corrected, Correction, DiceRolled, Moved, Number, OrderChosen, Seat
from companion.service.settings import Limits, Settings
from companion.table import Input, Submission
from tests.browser.evening import Evening, named
from tests.browser.phone import HOST
from tests.service.served import Served, serving

A_WHILE = 120_000
"""Milliseconds: a clip has three throws in fifteen seconds, and the reader shares two cores."""


COMMANDS = count()


@dataclass
class Thumb:
    """Taps on a page, and counts the taps."""

    page: Page
    taps: int = 0

    def tap(self, selector: str) -> None:
        self.page.click(selector)
        self.taps += 1

    def wait_for(self, screen: str) -> None:
        """Wait for the screen."""
        self.page.wait_for_selector(f".screen-{screen}", timeout=A_WHILE)


def evening(folder: Path, game: str = "new-york") -> None:
    """Write a log in which Ana is to roll: she in Queens, Ben in Midtown, or he in Tokyo City."""
    table = Evening(folder, game, 2).seats()
    if game == "new-york":
        table.begin(("queens", "bronx"), ("general_ellis", "carapace", "shadow_double"))
        table.roll("3 heal 3 energy").skip_to_roll()
        table.roll("3 heal 3 energy").skip_to_roll()
        table.say(Corrected(places=(Moved(Seat(0), "queens"), Moved(Seat(1), "midtown_2_4"))))
    else:
        table.begin(cards=("corner_store", "wings", "energize"))
        table.roll("2 one 2 two 2 three").skip_to_roll()
        table.roll("1 attack 5 heal").skip_to_roll()
    table.numbers(0, 7, 9, 0)
    table.numbers(1, 5, 3, 0)
    table.table.close()


@contextmanager
def serving_evening(evening: Evening, limits: Limits | None = None) -> Iterator[Served]:
    """Serve the log of that evening."""
    evening.table.close()
    settings = Settings(evening.folder, host="127.0.0.1", port=0, game=evening.game, names=(HOST,))
    with serving(replace(settings, limits=limits or Limits())) as served:
        yield served


@contextmanager
def at_the_table(folder: Path, camera: str, game: str = "new-york") -> Iterator[Served]:
    """Serve a new evening, with this camera."""
    evening(folder, game)
    settings = Settings(folder, host="127.0.0.1", port=0, camera=camera, game=game, names=(HOST,))
    with serving(settings) as served:
        yield served


def sit_down(page: Page, served: Served, seat: int) -> Thumb:
    r"""Join by the QR code's address \(the first phone by the terminal's\) and take the seat."""
    invitation = served.app_state.browsers.invitation
    token = invitation.terminal if seat == 0 else invitation.token
    page.goto(f"http://{HOST}:{served.port}/j#{token}")
    page.click(f".seat-row >> nth={seat}")
    page.wait_for_selector(".tabs")
    assert not page.evaluate("isSecureContext")
    return Thumb(page)


def all_sent(page: Page) -> None:
    """Wait until the service has answered every command of this phone."""
    page.wait_for_function("() => sessionStorage['monster-table.outbox'] === '[]'")


def numbers(served: Served, seat: int) -> tuple[int, int, int]:
    game = served.app_state.table.snapshot().state.game
    assert game is not None
    monster = game.monsters[seat]
    return monster.health, monster.stars, monster.energy


def with_energy(served: Served, energy: int) -> None:
    """Correct Ana's energy, so that something can be bought."""
    table = served.app_state.table
    events = (Corrected(numbers=(Correction(Seat(0), Number.ENERGY, energy),)),)
    table.submit(Submission(f"energy-{energy:06}", table.snapshot().rev, events))


def active(served: Served) -> int:
    game = served.app_state.table.snapshot().state.game
    assert game is not None
    return game.turn.active


def turn_passed(page: Page) -> None:
    """Wait until it is Ben's turn; he has no phone, so the host's phone answers for him."""
    page.wait_for_selector(".in-place >> text=Ben", timeout=A_WHILE)


def by_keys(thumb: Thumb, *keys: int) -> None:
    """Type faces by their places on the keys."""
    for key in keys:
        thumb.tap(f".key >> nth={key}")


def preview_shown(page: Page) -> None:
    """Wait for the preview of the dice."""
    expect(page.locator(".order-link")).to_be_visible()


def submit(served: Served, *events: Input, who: int = 0) -> None:
    """Submit the events as another phone would."""
    table = served.app_state.table
    rev = table.snapshot().rev
    table.submit(Submission(f"elsewhere-{next(COMMANDS)}", rev, events, who=str(who)))


def hit_ben(served: Served) -> None:
    """Ana rolls: Ben, in Manhattan, loses two hearts and is asked whether he flees."""
    faces = named("2 attack 4 energy")
    submit(served, OrderChosen(Seat(0), named("energy attack")), DiceRolled(faces, final=True))
