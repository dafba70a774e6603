"""Games with demo dice by taps alone: from the command or the start page to the log."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from companion.engine import DiceRolled, Face
from companion.service import wire
from companion.service.settings import Settings
from companion.service.wire import QuestionKind
from companion.table import Table
from companion.table.log import EventLog
from companion.vision.readings import CameraState
from tests.browser.phone import HOST, phone, play, wiped
from tests.browser.scenes import Scene
from tests.browser.stage import Stage
from tests.service.served import serving
from tests.waiting import wait_until

pytestmark = pytest.mark.browser

DULL = ("stay", "end", "go")
STATE = "() => fetch('/api/state').then((answer) => answer.text())"
GO = ".primary:not(.not-yet):not(.sending)"


def near(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    """Whether two boxes are those of a die that nobody has touched."""
    return all(abs(a - b) <= 4 for a, b in zip(one, other, strict=True))


@dataclass
class Players:
    """Two phones at a table with demo dice: whichever is asked answers, by taps alone."""

    phones: tuple[Page, ...]
    applied: list[tuple[Face | None, ...]] = field(default_factory=list)
    """The faces that were read and applied, roll by roll."""
    is_lost: bool = False
    """Whether the reader was started again meanwhile."""

    def view(self) -> wire.View:
        """The newest view of the table."""
        text = self.phones[0].evaluate(STATE)
        return msgspec.json.decode(text, type=wire.Update).view

    def question(self) -> tuple[wire.Question, Page]:
        """What is asked, and the phone of whoever is asked, once it shows the question."""
        asked: list[tuple[wire.Question, Page]] = []

        def shown() -> bool:
            game = self.view().game
            if game is None or game.question is None:
                return False
            question = game.question
            page = self.phones[game.active if question.seat is None else question.seat]
            css = f'.page[data-question="{question.id}"]:not(.settling)'
            asked[:] = [(question, page)]
            return page.locator(css).count() == 1

        wait_until(shown)
        return asked[0]

    def tap(self, page: Page, css: str) -> None:
        """Tap, and wait until the table has taken it."""
        before = self.view().rev
        page.locator(css).first.click()
        wait_until(lambda: self.view().rev > before)

    def throw(self, page: Page, button: str, before: str = "") -> wire.Proposal:
        """Tap, and wait for a reading that is not the one before. A reader that was too slow on
        this machine is started again, with an empty tray: then tap once more.
        """
        page.click(button)
        is_lost = False

        def is_read() -> bool:
            nonlocal is_lost
            tray = self.view().tray
            if tray.camera is not CameraState.OK:
                is_lost = self.is_lost = True
            elif is_lost and page.locator(button).count():
                page.click(button)
                is_lost = False
            return tray.proposal is not None and tray.proposal.id != before

        wait_until(is_read)
        found = self.view().tray.proposal
        assert found is not None
        return found

    def play_turn(self) -> None:
        """Throw, keep some, throw the others, apply; answer what is asked, end the turn."""
        _, page = self.question()
        expect(page.locator(".demo-sticker")).to_be_visible()
        first = self.throw(page, f".screen-my-turn {GO}")
        kept = (0, 1)
        for die in kept:
            page.click(f".again-die[data-answer='{die}']")
        self.is_lost = False
        second = self.throw(page, ".throw-others:not([disabled])", first.id)
        for die in kept if not self.is_lost else ():
            assert [one.face for one in second.dice if near(one.box, first.dice[die].box)] == [
                first.dice[die].face
            ]
        self._apply(page, second)
        while not self._is_over():
            self._answer()

    def _apply(self, page: Page, proposal: wire.Proposal) -> None:
        self.tap(page, f".screen-proposal .dock {GO}")
        self.applied.append(tuple(die.face for die in proposal.dice))

    def _is_over(self) -> bool:
        """Whether the next turn's own roll is asked for."""
        game = self.view().game
        assert game is not None
        question = game.question
        return question is not None and question.kind is QuestionKind.ROLL and question.main

    def _answer(self) -> None:
        question, page = self.question()
        if question.kind is QuestionKind.ROLL:
            self._apply(page, self.throw(page, f".screen-my-turn {GO}"))
        elif question.key in {"buy", "move"}:
            self.tap(page, f".dock {GO}")
        else:
            may = [one.key for one in question.options if one.enabled]
            key = next((one for one in may if one in DULL), may[0])
            self.tap(page, f'.page [data-answer="{key}"]')


@contextmanager
def demo(folder: Path, game: str) -> Iterator[str]:
    """Run `companion demo`; yield the address by which the host joins."""
    options = ["--game", game, "--host", "127.0.0.1", "--port", "0", "--data", str(folder)]
    command = [sys.executable, "-m", "companion", "demo", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as service:
        assert service.stdout is not None
        try:
            yield json.loads(service.stdout.readline())["join"]
        finally:
            service.terminate()
    assert service.returncode == 0


def test_a_turn_each_with_demo_dice(browser: Browser, tmp_path: Path) -> None:
    with demo(tmp_path, "new-york") as address, phone(browser) as one, phone(browser) as two:
        one.goto(address)
        one.wait_for_selector(".screen-my-turn")
        players = Players((one, two))
        way_in = players.view().join
        assert way_in is not None
        two.goto(way_in.url)
        two.click(".seat-row[data-answer='1']")
        two.wait_for_selector(".screen-waiting .demo-sticker")
        for _ in players.phones:
            players.play_turn()
    with closing(Table(EventLog(tmp_path))) as table:
        events = [entry.event for entry in table.snapshot().entries]
    rolls = [event for event in events if isinstance(event, DiceRolled) and event.final]
    assert [roll.faces for roll in rolls] == players.applied


def test_demo_dice_are_tried_and_put_away(browser: Browser, tmp_path: Path) -> None:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, camera="none", names=(HOST,))
    with serving(settings) as served, phone(browser) as page:
        token = served.app_state.browsers.invitation.terminal
        page.goto(f"http://{HOST}:{served.port}/j#{token}")
        page.click(".demo-try")
        page.wait_for_selector(f".screen-my-turn {GO}")
        page.click(".tab >> nth=3")
        page.click(".demo-end")
        expect(page.locator(".demo-sticker")).to_have_count(0)
        page.click(".tab >> nth=0")
        page.wait_for_selector(".screen-by-hand")


def test_a_camera_plugged_in_later_is_used_by_a_tap(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("01h-camera-found"))
    with page.expect_request("**/api/camera"):
        page.click(".notice >> text=Use it")
    page.click(".notice .toast-close")
    expect(page.locator(".notice")).to_have_count(0)
