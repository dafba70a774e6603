"""A box of strange symbols that nobody has shown: the phone learns it from the rolls typed in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from companion.demo.dice import FLIGHT_S, Dice, at_rest
from companion.demo.picture import TrayPicture
from companion.demo.source import pictures
from companion.engine import RULESETS, Choice, Chosen, Corrected, Correction, Face, Number, Seat
from companion.service.requests import BoxAct, BoxRequest
from companion.service.settings import Settings
from companion.vision.pictures import Image, cv2
from companion.vision.readings import TrayState
from tests.browser.phone import HOST, phone
from tests.browser.seated import A_WHILE, evening, sit_down, submit
from tests.service.served import Served, serving
from tests.vision.showing import Directed
from tests.waiting import wait_until

pytestmark = pytest.mark.browser

GAME = "tokyo"
FACES = RULESETS[GAME].faces
ROLLS = 13
PROPOSED_BY = 12
"""The roll from which on every one is proposed as it lies."""
INK, BODY = (150, 215, 235, 255), (30, 26, 24, 255)
REST = frozenset({TrayState.READ, TrayState.UNSURE, TrayState.COUNT})


def moon(sheet: Image) -> None:
    cv2.circle(sheet, (80, 80), 46, INK, -1, cv2.LINE_AA)
    cv2.circle(sheet, (100, 68), 38, BODY, -1, cv2.LINE_AA)


def hourglass(sheet: Image) -> None:
    for tip in (1, -1):
        corners = [(80, 80), (80 - 36, 80 + 48 * tip), (80 + 36, 80 + 48 * tip)]
        cv2.fillPoly(sheet, [np.array(corners, np.int32)], INK, cv2.LINE_AA)


def target(sheet: Image) -> None:
    for radius, thick in ((44, 9), (17, -1)):
        cv2.circle(sheet, (80, 80), radius, INK, thick, cv2.LINE_AA)


def arrow(sheet: Image) -> None:
    cv2.arrowedLine(sheet, (80, 128), (80, 36), INK, 14, cv2.LINE_AA, 0, 0.45)


def lattice(sheet: Image) -> None:
    for at in (58, 102):
        cv2.line(sheet, (at, 34), (at, 126), INK, 9, cv2.LINE_AA)
        cv2.line(sheet, (34, at), (126, at), INK, 9, cv2.LINE_AA)


def waves(sheet: Image) -> None:
    for top in (50, 80, 110):
        points = [(x, round(top + 11 * np.sin(x / 10))) for x in range(32, 129, 4)]
        cv2.polylines(sheet, [np.array(points, np.int32)], False, INK, 9, cv2.LINE_AA)


SYMBOLS: tuple[Callable[[Image], None], ...] = (moon, hourglass, target, arrow, lattice, waves)


def strange_dice(folder: Path) -> Path:
    """Draw dice with these symbols for the faces of the game, in their order, as demo dice are."""
    folder.mkdir()
    sheet = cv2.imread(str(pictures() / f"{GAME}.png"), cv2.IMREAD_UNCHANGED)
    assert sheet is not None
    for n, draw in enumerate(SYMBOLS):
        face = np.ascontiguousarray(sheet[:160, 160 * n : 160 * n + 160], np.uint8)
        face[24:136, 24:136] = BODY
        draw(face)
        sheet[:160, 160 * n : 160 * n + 160] = face
    cv2.imwrite(str(folder / f"{GAME}.png"), sheet)
    (folder / "tray.webp").write_bytes((pictures() / "tray.webp").read_bytes())
    return folder


@dataclass
class Person:
    """Throws strange dice before the camera, and sees to it that the table has their faces."""

    page: Page
    served: Served
    camera: Directed
    drawn: TrayPicture
    dice: Dice
    rolls: int = 0

    def throw(self) -> tuple[Face, ...]:
        """Throw six dice, and wait until the phone shows that they lie."""
        self.dice.throw(GAME, 6)
        flying = [self.dice.poses((0.5 + 0.04 * n) * FLIGHT_S) for n in range(8)]
        lying = [at_rest(die) for die in self.dice.lying]
        self.rolls += 1
        self.camera.add(f"flying{self.rolls}", *(self.drawn.draw(one, finer=1) for one in flying))
        self.camera.add(f"lying{self.rolls}", self.drawn.draw(lying))
        self.camera.show(f"flying{self.rolls}")
        wait_until(lambda: self.seen() is TrayState.ROLLING)
        self.camera.show(f"lying{self.rolls}")
        wait_until(lambda: self.seen() in REST)
        read = ".screen-proposal, .tray-strip h2:has-text('New dice')"
        self.page.wait_for_selector(read, timeout=A_WHILE)
        return tuple(FACES[die.face] for die in self.dice.lying)

    def seen(self) -> TrayState:
        """What the camera sees of the tray."""
        return self.served.app_state.tray.camera.tray.state

    def proposed(self) -> tuple[tuple[Face | None, ...], bool]:
        """The faces that are proposed, none if nothing is, and whether they are sure."""
        reading = self.served.app_state.tray.seen(self.served.app_state.table.snapshot()).reading
        if reading is None:
            return (), False
        return tuple(die.face for die in reading.dice), reading.sure

    def enter(self, faces: tuple[Face, ...], *, by_hand: bool) -> None:
        """Apply what is proposed, or type the faces."""
        if by_hand:
            self.page.get_by_role("button", name="By hand").first.click()
            for face in faces:
                self.page.click(f".key[data-answer='{face}']")
        before = self.served.app_state.table.snapshot().rev
        self.page.click(".dock .primary")
        wait_until(lambda: self.served.app_state.table.snapshot().rev > before)
        self.to_next_roll()

    def to_next_roll(self) -> None:
        """Answer what is asked until the next player rolls; nobody dies, and nobody wins."""
        table = self.served.app_state.table
        while isinstance(asked := table.snapshot().state.question, Choice):
            open_ones = [option.key for option in asked.open()]
            dull = [key for key in ("stay", "end", "go") if key in open_ones]
            submit(self.served, Chosen(asked.seat, (dull or open_ones)[0]), who=asked.seat)
        whole = [Correction(Seat(seat), Number.HEALTH, 10) for seat in range(2)]
        whole += [Correction(Seat(seat), Number.STARS, 0) for seat in range(2)]
        submit(self.served, Corrected(numbers=tuple(whole)))


def test_a_strange_box_is_learned_from_what_is_typed_and_recognised_when_it_returns(
    browser: Browser, tmp_path: Path
) -> None:
    evening(tmp_path / "data", GAME)
    drawn = TrayPicture(strange_dice(tmp_path / "dice"))
    camera = Directed(str(tmp_path / "scenes"))
    camera.add("empty", drawn.draw([]))
    camera.show("empty")
    settings = Settings(tmp_path / "data", host="127.0.0.1", port=0, game=GAME, names=(HOST,))
    told: list[str] = []
    with serving(settings, camera) as served, phone(browser) as page:
        sit_down(page, served, 0)
        expect(page.locator(".tray-strip")).to_contain_text("Empty tray", timeout=A_WHILE)
        person = Person(page, served, camera, drawn, Dice(7))
        for _ in range(ROLLS):
            faces = person.throw()
            named, is_sure = person.proposed()
            if not named:
                expect(page.locator(".tray-strip")).to_contain_text("of 6 faces of these dice")
            page.screenshot(path=tmp_path / f"roll-{person.rolls:02}.png")
            is_right = Counter(named) == Counter(faces)
            whole = "right" if is_right else "wrong"
            told.append((whole if None not in named else "in part") if named else "")
            assert is_right or not is_sure, "no wrong roll is sure"
            person.enter(faces, by_hand=not is_right)
        assert is_sure
        setup = served.app_state.setup
        wait_until(lambda: setup.in_use() is not None)
        box = setup.in_use()
        setup.handle(BoxRequest(act=BoxAct.PUT_AWAY))
        faces = person.throw()
        wait_until(lambda: setup.in_use() == box)
        wait_until(lambda: Counter(person.proposed()[0]) == Counter(faces))
    print("proposed", dict(enumerate(told, start=1)))
    proposed = [one for one in told if one in {"right", "wrong"}]
    assert told.index("right") < PROPOSED_BY
    assert proposed.count("right") >= 0.8 * len(proposed)
    assert set(told[PROPOSED_BY - 1 :]) == {"right"}
