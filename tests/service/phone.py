"""A phone for tests, with Werkzeug's test client: it joins, reads views and sends commands."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any, Self, TypeVar

import msgspec
from a2wsgi import ASGIMiddleware
from flask import Flask
from werkzeug.test import Client, TestResponse

from companion.engine import RULESETS, Face
from companion.service import wire
from companion.service.app import ROUTES
from companion.service.app_state import AppState
from companion.service.http.guard import Guard
from companion.service.http.server import Connections
from companion.service.views.view import MONSTERS
from companion.vision.messages import DiceRead
from companion.vision.readings import Colour, DiceReading, DieReading, TrayReading, TrayState

ORIGIN = "http://localhost"
HEADERS = {"Origin": ORIGIN, "X-Monster-Table": "1"}
Json = dict[str, Any]
T = TypeVar("T")
Start = Callable[..., Flask]
"""Starts a service on the folder of a test, with these settings, and ends the one before."""
START: Json = {"type": "GameStarted", "first": 0}
_ids = count()


def table_set(*players: str, game: str = next(iter(RULESETS)), edition: str = "first") -> Json:
    """The event that sets the table for these players, each with another Monster."""
    seats = [{"player": player, "monster": MONSTERS[n]} for n, player in enumerate(players)]
    return {"type": "TableSet", "game": game, "edition": edition, "seats": seats}


def corrected(seat: int, what: str, value: int) -> Json:
    return {"type": "Corrected", "numbers": [{"seat": seat, "what": what, "value": value}]}


def app_state_of(app: Flask) -> AppState:
    app_state: AppState = app.extensions["app_state"]
    return app_state


def decoded(answer: TestResponse, form: type[T]) -> T:
    """Return what an answer holds that is no refusal."""
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.data, type=form)


def key_of(answer: TestResponse) -> str:
    """Return the key of a refusal."""
    return str((answer.json or {})["error"]["key"])


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop, on a thread of its own, on which all guards of test clients run."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="guards", daemon=True).start()
    return loop


guards: dict[Flask, Guard] = {}
"""The guards of the applications that have a test client; closed after each test."""


class GuardedClient(Client):
    """A client of an application behind its guard, without a server. It comes from `address`."""

    def __init__(self, app: Flask, address: str = "127.0.0.1") -> None:
        if app not in guards:
            app_state = app_state_of(app)
            guards[app] = Guard(app, ROUTES, app_state, Connections(app_state.settings.limits))
        super().__init__(ASGIMiddleware(guards[app], loop=_loop()))  # type: ignore[arg-type]
        self.address = address

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        end = {"REMOTE_ADDR": self.address, "REMOTE_PORT": "50000"}
        return super().open(*args, **{"environ_base": end, "buffered": True, **kwargs})


@dataclass
class Phone:
    """One browser with its own cookies."""

    app: Flask
    address: str = "127.0.0.1"
    client: Any = field(init=False)

    def __post_init__(self) -> None:
        self.client = GuardedClient(self.app, self.address)

    def post(self, path: str, body: object) -> TestResponse:
        answer: TestResponse = self.client.post(path, json=body, headers=HEADERS)
        return answer

    def get(self, path: str) -> TestResponse:
        answer: TestResponse = self.client.get(path)
        return answer

    def read(self, path: str, form: type[T]) -> T:
        return decoded(self.get(path), form)

    def join(self, **how: str) -> Self:
        """Join with this token or code, else with the terminal's token."""
        body = how or {"token": app_state_of(self.app).browsers.invitation.terminal}
        answer = self.post("/api/join", body)
        assert answer.status_code == 200, answer.text
        return self

    def at(self, app: Flask) -> Phone:
        """Return the same browser at another run of the service."""
        phone, cookie = Phone(app), self.client.get_cookie(app_state_of(self.app).cookie)
        phone.client.set_cookie(app_state_of(app).cookie, cookie.value)
        return phone

    def sit(self, seat: int, **more: bool) -> TestResponse:
        return self.post("/api/seat", {"seat": seat, **more})

    def update(self) -> wire.Update:
        return self.read("/api/state", wire.Update)

    def you(self) -> wire.You:
        return self.update().you

    def view(self) -> wire.View:
        return self.update().view

    def game(self) -> wire.GameView:
        game = self.view().game
        assert game is not None
        return game

    def dice(self) -> int:
        """Return the number of dice of the open roll."""
        question = self.game().question
        assert question is not None
        return question.dice

    def command(self, *events: Json, **more: object) -> TestResponse:
        """Send a command with these events for the revision that the phone sees now."""
        body = {"command_id": f"command-{next(_ids)}", "base_rev": self.view().rev, **more}
        return self.post("/api/commands", {**body, "events": events})

    def say(self, *events: Json, **more: object) -> int:
        answer = self.command(*events, **more)
        assert answer.status_code == 200, answer.text
        return int((answer.json or {})["rev"])

    def set_up(self, game: str, players: int = 2, first: int = 0) -> None:
        """Set the table for so many players, and start the game."""
        table = table_set(*(f"P{n}" for n in range(players)), game=game)
        self.say(table, {**START, "first": first})

    def next_event(self, chance: random.Random) -> Json | None:
        """Return a random legal event by the view; None if the game is over."""
        return next_event(self.game(), chance)


def next_event(game: wire.GameView, chance: random.Random) -> Json | None:
    """Return a random legal answer to the open question; None if the game is over."""
    question = game.question
    if question is None:
        assert game.ended is not None
        return None
    match question.kind:
        case wire.QuestionKind.ROLL:
            faces = [chance.choice(game.faces) for _ in range(question.dice)]
            return {"type": "DiceRolled", "faces": faces, "final": question.owed <= 1}
        case wire.QuestionKind.CHOICE:
            open_ = [option.key for option in question.options if option.enabled]
            return {"type": "Chosen", "seat": question.seat, "option": chance.choice(open_)}
        case wire.QuestionKind.REVEAL_CARD:
            return {"type": "CardShown", "name": chance.choice(question.nameable).name}
        case wire.QuestionKind.REVEAL_TILE:
            return {"type": "TileShown", "name": chance.choice(question.nameable).name}


def play_until(phone: Phone, kind: wire.QuestionKind, chance: random.Random) -> wire.Question:
    """Answer at random until a question of this kind is open; return it."""
    for _ in range(200):
        question = phone.game().question
        assert question is not None
        if question.kind is kind:
            return question
        event = phone.next_event(chance)
        assert event is not None
        phone.say(event)
    raise AssertionError(f"no {kind} came up")


def a_reading(game: str, faces: Iterable[Face | None], roll: int = 1) -> DiceReading:
    """A reading of dice that are sure to show these faces."""
    dice = tuple(
        DieReading(face=face, confidence=0.999, colour=Colour.BLACK, box=(0, 0, 9, 9), flat=True)
        for face in faces
    )
    return DiceReading(
        game=game, dice=dice, problems=(), sure=True, frame=0, at_s=0.0, size=(9, 9), roll=roll
    )


def read_dice(app: Flask, faces: Iterable[Face | None]) -> wire.Tray:
    """Let the camera read these dice; return what phones see of them."""
    app_state = app_state_of(app)
    reading = a_reading(app_state.tray.game, faces)
    app_state.tray.camera._report(DiceRead(reading, TrayReading(state=TrayState.READ)))
    return app_state.update(None).view.tray
