"""A whole game through the app alone: what is drawn is tapped on the phone of who is asked.

The players are drawn: each answer, face, card and tile comes from a seeded source. Beside the app
the rules are played on their own, with the events of the log: both must end the same.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from companion.engine import (
    AnyEvent,
    CardShown,
    Choice,
    Chosen,
    DiceRolled,
    Face,
    Game,
    OrderChosen,
    Position,
    PowerUsed,
    Reveal,
    Roll,
    Seat,
    Setup,
    TileShown,
    new_game,
)
from companion.service import wire
from companion.service.views.preview import preview_answer
from companion.table import GameStarted, TableSet
from companion.virtual import random_event
from tests.browser.phone import HOST
from tests.browser.windows import Window
from tests.service.served import Served
from tests.waiting import WITHIN_S

NAMES = ("Ana", "Ben", "Þórdís", "Théo")
RULES = (DiceRolled, OrderChosen, Chosen, PowerUsed, CardShown, TileShown)
TOTALS = """[...document.querySelectorAll(".totals")].map((one) => one.textContent).sort().join()"""
"""What a television shows of all numbers."""
FIERCE = {Face.ATTACK: 4}
"""Faces that are drawn more often than others, so that a game ends soon."""
OFFERED = 0.3
"""How often a power is used that is on offer."""


class Taps(Counter[str]):
    """How many taps were made, by what they were for, and how many would have been allowed."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed: Counter[str] = Counter()
        self.times: Counter[str] = Counter()

    def book(self, what: str, made: int, most: int) -> None:
        """Note what one act took."""
        self[what] += made
        self.allowed[what] += most
        self.times[what] += 1


@dataclass
class Phone:
    """A player's phone, which counts its taps."""

    window: Window
    taps: int = 0

    def tap(self, css: str) -> None:
        """Tap once."""
        self.window.tap(css)
        self.taps += 1


@dataclass
class WholeGame:
    """A game of four phones at a served table."""

    served: Served
    phones: Sequence[Phone]
    tv: Window
    chance: Random
    photos: dict[tuple[Face, ...], Path] = field(default_factory=dict)
    """Pictures of dice that can be read, by their faces: every third turn is one of them."""
    host: str = HOST
    taps: Taps = field(default_factory=Taps)
    set: TableSet = field(init=False)
    rules: Position | None = None
    """The rules beside the app."""
    rows: int = 0

    moved: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self.served.app_state.table.subscribe(self._tell)

    def _tell(self) -> None:
        with self.moved:
            self.moved.notify_all()

    def sit_down(self, game: str) -> None:
        """Set the table on the phones: each types a name and joins; the host chooses the box."""
        invitation = self.served.app_state.browsers.invitation
        host = self.phones[0]
        for seat, (one, name) in enumerate(zip(self.phones, NAMES, strict=False)):
            token = invitation.token if seat else invitation.terminal
            one.window.open(f"http://{self.host}:{self.served.port}/j#{token}")
            one.window.type(".screen-join [data-first]", name)
            one.tap(".primary")
            one.window.wait(".screen-lobby" if seat else ".screen-qr")
        host.tap(".dock .act.chosen")
        host.tap(f".box-card[data-answer={game}]")
        host.window.wait(f".box-card.chosen[data-answer={game}]")
        if game == "tokyo":
            host.tap(".box-card[data-answer=first]")
            host.window.wait(".box-card.chosen[data-answer=first]")
        link = host.window.run("fetch('/api/viewers').then((a) => a.json()).then((one) => one.tv)")
        self.tv.open(f"http://{self.host}:{self.served.port}/tv#{link.partition('#')[2]}")
        self.tv.wait(".tv.lobby")
        host.tap(".primary")
        first = self.chance.randrange(len(self.phones))
        host.tap(f".starter[data-answer='{first}']")
        self._done(lambda: host.tap(".primary"))

    def play(self, most: int = 2000) -> Game:
        """Play to the end; return the game as the rules end it, which is how the service does."""
        for _ in range(most):
            if self._position().question is None:
                self.tv.wait(".tv.over")
                for one in self.phones:
                    one.window.wait(".screen-game-over")
                return self._same()
            self._step()
            self._same()
            self._on_tv()
        raise AssertionError("the game goes on")

    def _on_tv(self) -> None:
        """Wait until the television shows everybody's numbers as they are now."""
        monsters = self._position().game.monsters
        shown = sorted(f"{one.health}{one.stars}{one.energy}" for one in monsters)
        if self._position().question is not None:
            self.tv.until(f"{TOTALS} === {json.dumps(','.join(shown))}")

    def _step(self) -> None:
        position = self._position()
        asked = position.question
        assert asked is not None
        event = self._drawn(position)
        if isinstance(event, PowerUsed):
            phone = self._at_question(event.seat)
            if die := next((one for one in self._odds() if one.ref == event.ref), None):
                self._rethrow(phone, die)
                return
            self._act("offer", 1, phone, lambda: phone.tap(f'.offer[data-answer="{event.ref}"]'))
            return
        phone = self._at_question(self._asked_seat(position))
        match asked, event:
            case Roll(), DiceRolled():
                self._throw(phone, position, asked, event)
            case Choice(key="move"), Chosen():
                self._move(phone, position, asked, event)
            case Choice(key="buy"), Chosen():
                self._shop(phone, position, event)
            case Choice(), Chosen() if die := self._die(event.option):
                self._rethrow(phone, die)
            case Choice(), Chosen():
                self._act("answer", 1, phone, lambda: phone.tap(self._option(asked, event.option)))
            case Reveal(slot=None), TileShown():
                self._act("reveal", 1, phone, lambda: phone.tap(_answer(str(event.name))))
            case Reveal(), CardShown():
                self._name_card(phone, str(event.name))
            case _:
                raise AssertionError(f"{event} does not answer {asked}")

    def _odds(self) -> tuple[wire.DieOdds, ...]:
        """Return the dice that may be thrown again, as the phones show them."""
        game = self.served.app_state.update(None).view.game
        return game.question.odds if game is not None and game.question is not None else ()

    def _die(self, option: str) -> wire.DieOdds | None:
        return next((one for one in self._odds() if not one.ref and one.option == option), None)

    def _rethrow(self, phone: Phone, die: wire.DieOdds) -> None:
        """Have the die thrown again: the die, then the button that says so."""

        def enter() -> None:
            phone.tap(f".offer-die[data-answer={die.option}]")
            phone.tap(".primary:not(.not-yet)")

        self._act("rethrow", 2, phone, enter)

    def _drawn(self, position: Position) -> AnyEvent:
        event = random_event(position, self.chance, OFFERED)
        asked = position.question
        if not isinstance(event, DiceRolled) or not isinstance(asked, Roll) or asked.showing:
            return event
        faces = position.rules.faces
        weights = [FIERCE.get(face, 1) for face in faces]
        thrown = tuple(self.chance.choices(faces, weights, k=asked.dice))
        photos = [one for one in self.photos if len(one) == asked.dice]
        if asked.main and photos and position.game.turn.number % 3 == 0:
            thrown = self.chance.choice(photos)
        return DiceRolled(thrown, final=not asked.counted or asked.owed <= 1)

    def _throw(self, phone: Phone, position: Position, asked: Roll, event: DiceRolled) -> None:
        if asked.showing:
            self._again(phone, asked, event)
            return
        photo = self.photos.get(event.faces) if asked.main and not asked.counted else None
        ends = asked.main and preview_answer(position, event.faces).ends
        last = ".end-act" if ends and self.chance.random() < 0.5 else ".primary:not(.not-yet)"
        if photo is not None and position.game.turn.number % 3 == 0:
            phone.window.choose_file("input[type=file]", photo)
            phone.window.wait(".screen-proposal")
            self._act("by camera", 1, phone, lambda: phone.tap(last))
            return

        def enter() -> None:
            for face in event.faces:
                phone.tap(f".key[data-answer={face.value}]")
            phone.tap(last if event.final else ".tell, .primary:not(.not-yet)")

        self._act("by hand", asked.dice + 1, phone, enter)

    def _again(self, phone: Phone, asked: Roll, event: DiceRolled) -> None:
        def enter() -> None:
            for die in event.rethrown:
                phone.tap(f".again-die[data-answer='{die}']")
            for die in event.rethrown:
                phone.tap(f".key[data-answer={event.faces[die].value}]")
            phone.tap(".primary:not(.not-yet)" if event.final else ".tell, .primary:not(.not-yet)")

        self._act("again", 2 * len(event.rethrown) + 1, phone, enter)

    def _move(self, phone: Phone, position: Position, asked: Choice, event: Chosen) -> None:
        """Move, or do something in the shop, which says that one stays."""
        if any(one.key == event.option and one.place is not None for one in asked.options):
            self._act("answer", 1, phone, lambda: phone.tap(_answer(event.option)))
            return
        stayed = position.apply(event).position
        if isinstance(stayed.question, Choice) and stayed.question.key == "buy":
            self._shop(
                phone, stayed, Chosen(event.seat, self.chance.choice(stayed.question.open()).key)
            )
        else:
            self._act("end", 1, phone, lambda: phone.tap(".primary"))

    def _shop(self, phone: Phone, position: Position, event: Chosen) -> None:
        if event.option == "end":
            self._act("end", 1, phone, lambda: phone.tap(".primary"))
        else:
            self._act("shop", 1, phone, lambda: phone.tap(_answer(event.option)))

    def _name_card(self, phone: Phone, name: str) -> None:
        def enter() -> None:
            phone.window.type("input[type=search]", name.replace("_", " "))
            phone.tap(f".suggestion{_answer(name)}")

        self._act("reveal", 1, phone, enter)

    def _option(self, asked: Choice, key: str) -> str:
        return f".page {_answer(key)}"

    def _act(self, what: str, most: int, phone: Phone, tap: Callable[[], None]) -> None:
        before = phone.taps
        self._done(tap)
        self.taps.book(what, phone.taps - before, most)

    def _asked_seat(self, position: Position) -> int:
        asked = position.question
        assert asked is not None
        return asked.seat if asked.seat >= 0 else position.game.turn.active

    def _at_question(self, seat: int) -> Phone:
        """Return the seat's phone once it shows the open question."""
        phone = self.phones[seat]
        question = self.served.app_state.table.snapshot().state.question_id
        phone.window.wait(f'.page[data-question^="{question}"]:not(.settling)')
        return phone

    def _position(self) -> Position:
        position = self.served.app_state.table.snapshot().state.position
        assert position is not None
        return position

    def _done(self, act: Callable[[], None]) -> None:
        """Do something, and wait until the table has taken it."""
        table = self.served.app_state.table
        before = table.snapshot().rev
        act()
        with self.moved:
            assert self.moved.wait_for(lambda: table.snapshot().rev > before, WITHIN_S)

    def _same(self) -> Game:
        """Follow the log with the rules alone; return the game, which is the service's too."""
        snapshot = self.served.app_state.table.snapshot()
        for entry in snapshot.entries[self.rows :]:
            if isinstance(entry.event, TableSet):
                self.set = entry.event
            elif isinstance(entry.event, GameStarted):
                self.rules = new_game(setup_of(self.set, entry.event.first)).position
            elif isinstance(entry.event, RULES):
                assert self.rules is not None
                self.rules = self.rules.apply(entry.event).position
        self.rows = len(snapshot.entries)
        assert self.rules is not None
        assert snapshot.state.game == self.rules.game
        return self.rules.game


def setup_of(table: TableSet, first: int) -> Setup:
    """Return what the game begins with."""
    return Setup(
        table.game, len(table.seats), Seat(first), table.edition, table.house,
        tuple(one.monster for one in table.seats),
    )  # fmt: skip


def _answer(key: str) -> str:
    return f'[data-answer="{key}"]'
