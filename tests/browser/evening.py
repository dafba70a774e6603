"""Evenings as they are played, and the pictures of their dice."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from msgspec.structs import replace

from companion.engine import (
    CardShown,
    Choice,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Face,
    Number,
    OrderChosen,
    Question,
    Reveal,
    Seat,
    TileShown,
)
from companion.service import wire
from companion.service.views.preview import preview_answer
from companion.service.views.view import Views
from companion.table import GameStarted, Input, SeatSetup, Submission, Table, TableSet
from companion.table.log import EventLog
from companion.vision.readings import Alternative, CameraState, ReadingProblem, TrayState
from companion.vision.report import Manifest, Misread, ReportedReading, encode_report

CLIPS = Path(__file__).parent.parent / "clips"
PEOPLE = (
    ("Ana", "puffin_rex"),
    ("Ben", "old_scree"),
    ("Þórdís", "lampmoth"),
    ("Théo", "inkwell"),
    ("Íñigo", "spinella"),
    ("Guðrún", "kelp_auntie"),
)
NO_CAMERA = wire.Tray(camera=CameraState.NONE, state=TrayState.EMPTY)
ROLLING = wire.Tray(camera=CameraState.OK, state=TrayState.ROLLING, roll=1)
LYING = wire.Tray(camera=CameraState.OK, state=TrayState.READ)
LOST = wire.Tray(camera=CameraState.LOST, state=TrayState.EMPTY, since_s=12.0)


@dataclass
class Evening:
    """A table and its log; methods submit what people enter."""

    folder: Path
    game: str = "new-york"
    players: int = 4
    log: EventLog = field(init=False)
    table: Table = field(init=False)
    views: Views = field(init=False)
    ids: count[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = EventLog(self.folder)
        self.table = Table(self.log)
        self.views = Views(self.game)

    def say(self, *events: Input, who: int = 0) -> Evening:
        """Submit the events, as the phone of seat `who`."""
        self.table.submit(Submission(f"command-{next(self.ids)}", self.rev, events, who=str(who)))
        return self

    @property
    def rev(self) -> int:
        return self.table.snapshot().rev

    @property
    def question(self) -> Question:
        asked = self.table.snapshot().state.question
        assert asked is not None
        return asked

    def seats(self) -> Evening:
        """Set the table: everybody has a seat."""
        people = tuple(SeatSetup(*one) for one in PEOPLE[: self.players])
        return self.say(TableSet(self.game, "first", people))

    def begin(self, places: tuple[str, ...] = (), cards: tuple[str, ...] = ()) -> Evening:
        """Start the game with the first seat; place Monsters, and name cards."""
        self.say(GameStarted(0))
        for place in places:
            self.choose(place)
        while isinstance(self.question, Reveal) and cards:
            self.say(CardShown(cards[0]))
            cards = cards[1:]
        return self

    def choose(self, option: str) -> Evening:
        """Answer the open question, as the seat that it is for."""
        return self.say(Chosen(self.question.seat, option), who=self.question.seat)

    def roll(self, faces: str, order: str = "") -> Evening:
        """Apply the dice; faces by their names, as `named` reads them."""
        events: list[Input] = [DiceRolled(named(faces), final=True)]
        if order:
            events.insert(0, OrderChosen(self.question.seat, named(order)))
        return self.say(*events, who=self.question.seat)

    def buy(self, name: str) -> Evening:
        """Buy the card for the active Monster; it does not move first."""
        game = self.table.snapshot().state.game
        assert game is not None
        if self.question.key == "move":
            self.choose("stay")
        card = next(card for card in game.in_play.shop if card and card.name == name)
        return self.choose(f"buy_{card.id}")

    def tiles(self, *names: str) -> Evening:
        """Name unknown tops of stacks, as long as tiles are asked for."""
        left = list(names)
        while isinstance(self.question, Reveal) and self.question.stack is not None and left:
            self.say(TileShown(left.pop(0)))
        return self

    def numbers(self, seat: int, health: int, stars: int, energy: int) -> Evening:
        """Correct the numbers of a Monster."""
        values = zip(Number, (health, stars, energy), strict=True)
        return self.say(
            Corrected(numbers=tuple(Correction(Seat(seat), what, value) for what, value in values))
        )

    def set(self, seat: int, what: Number, value: int) -> Evening:
        """Correct one number of a Monster."""
        return self.say(Corrected(numbers=(Correction(Seat(seat), what, value),)))

    def skip_to_roll(self) -> Evening:
        """Answer every question with the least event, until the next roll."""
        while True:
            match self.question:
                case Choice(options=options):
                    dull = [
                        o.key for o in options if o.key in {"stay", "end", "go"} and not o.barred
                    ]
                    self.choose(dull[0] if dull else self.question.open()[0].key)
                case Reveal(names=names, stack=None):
                    self.say(CardShown(names[0]))
                case Reveal(names=names):
                    self.say(TileShown(names[0]))
                case _:
                    return self

    def update(self, seat: int | None = 0, tray: wire.Tray = NO_CAMERA, **more: Any) -> wire.Update:
        """Return the update of this seat's phone; the first seat's is the host."""
        snapshot = self.table.snapshot()
        whole = self.table.whole(snapshot)
        shown = self.views.of(snapshot, dict.fromkeys(range(self.players), 1), whole)
        role = more.pop("role", wire.Role.HOST if seat == 0 else wire.Role.PLAYER)
        view = wire.View(
            rev=snapshot.rev,
            table=snapshot.game_id,
            saved=True,
            notices=(),
            lobby=shown.lobby,
            game=shown.game,
            tray=tray,
            log=shown.log,
            undo=shown.undo,
            redo=shown.redo,
            join=wire.Join(
                url="http://192.168.1.23:8080/j#token",
                code="K7Q4MX",
                address="http://192.168.1.23:8080",
                addresses=("http://192.168.1.23:8080", "http://10.42.0.1:8080"),
            ),
            people=self.people(seat),
        )
        you = {"ahead": None if seat is None else shown.ahead.get(seat), **more.pop("you", {})}
        name = f"phone-{'x' if seat is None else seat}"
        view = replace(view, **more)
        return wire.Update(
            run="stage", number=0, you=wire.You(role=role, seat=seat, id=name, **you), view=view
        )

    def people(self, seat: int | None) -> wire.People:
        """Return a live phone at every seat, the first the host; and a watcher for `seat` None."""
        persons = [
            _person(n, wire.Role.PLAYER if n else wire.Role.HOST) for n in range(self.players)
        ]
        if seat is None:
            persons.append(_person(None, wire.Role.SPECTATOR))
        return wire.People(persons=tuple(persons), host=persons[0].id)

    def proposal(self, throw: int = 0, doubt: int | None = None, extra: int = 0) -> wire.Tray:
        """Return the tray with a throw of the clip; `doubt`: the index of a doubtful die."""
        labels = clip(self.game)["throws"][throw]["dice"]
        crops = f"/crops/{self.game}-{throw}"
        dice = tuple(
            _die(one, f"{crops}-{n}.jpg", doubtful=n == doubt) for n, one in enumerate(labels)
        )
        dice = (*dice, *dice[:extra])
        faces = tuple(die.face for die in dice if die.face is not None)
        position = self.table.snapshot().state.position
        assert position is not None
        proposal = wire.Proposal(
            id="proposal-1",
            dice=dice,
            problems=() if doubt is None else ("die_doubtful",),
            roll=2,
            photo=False,
            picture=f"/pictures/{self.game}-{throw}.jpg",
            picture_size=tuple(clip(self.game)["size"]),
            preview=preview_answer(position, faces) if not extra else wire.PreviewAnswer(),
        )
        state = TrayState.READ if doubt is None else TrayState.UNSURE
        return wire.Tray(camera=CameraState.OK, state=state, roll=2, proposal=proposal)


def _person(seat: int | None, role: wire.Role) -> wire.Person:
    name = f"phone-{'x' if seat is None else seat}"
    return wire.Person(id=name, role=role, seat=seat, phone=wire.Phone.LIVE)


def named(faces: str) -> tuple[Face, ...]:
    """`2 attack heal` as three faces."""
    found: list[Face] = []
    times = 1
    for word in faces.split():
        if word.isdigit():
            times = int(word)
        else:
            found += [Face(word)] * times
            times = 1
    return tuple(found)


@cache
def clip(game: str) -> Any:
    """What is to be seen in the clip of that game."""
    return json.loads((CLIPS / f"test_{game.replace('-', '_')}.json").read_text("utf8"))


@cache
def picture(game: str, throw: int) -> bytes:
    """A frame in which the dice of that throw lie still, as JPEG."""
    video = cv2.VideoCapture(str(CLIPS / f"test_{game.replace('-', '_')}.mp4"))
    video.set(cv2.CAP_PROP_POS_FRAMES, clip(game)["throws"][throw]["settled_frame"] + 10)
    found, frame = video.read()
    video.release()
    assert found
    return bytes(cv2.imencode(".jpg", frame)[1])


@cache
def crop(game: str, throw: int, die: int) -> bytes:
    """One die of that throw with some cloth around it, as JPEG."""
    x, y, w, h = clip(game)["throws"][throw]["dice"][die]["box"]
    frame = cv2.imdecode(np.frombuffer(picture(game, throw), np.uint8), cv2.IMREAD_COLOR)
    assert frame is not None
    edge = max(w, h) // 6
    side = max(w, h) + 2 * edge
    top, left = max(0, y + h // 2 - side // 2), max(0, x + w // 2 - side // 2)
    return bytes(cv2.imencode(".jpg", frame[top : top + side, left : left + side])[1])


@cache
def misread(game: str) -> bytes:
    """The report of the first throw, read from two pictures, with one print known."""
    reading = ReportedReading(
        game=game, dice=(), problems=(ReadingProblem.DOUBTFUL,), sure=False, size=(640, 360)
    )
    top = cv2.imdecode(np.frombuffer(crop(game, 0, 0), np.uint8), cv2.IMREAD_COLOR)
    assert top is not None
    small = bytes(cv2.imencode(".png", cv2.resize(top, (64, 64)))[1])
    manifest = Manifest(
        format=1,
        package="0.1.0",
        networks="abc1234",
        reading=reading,
        enrolled={Face.HEAL: (small,)},
    )
    return encode_report(Misread(manifest, (picture(game, 0), picture(game, 0))))


def _die(label: Any, crop_at: str, *, doubtful: bool) -> wire.ProposedDie:
    face = Face(label["face"])
    others: tuple[Alternative, ...] = ()
    if doubtful:
        others = (
            Alternative(face=Face.DESTRUCTION, probability=0.35),
            Alternative(face=Face.ATTACK, probability=0.03),
        )
    return wire.ProposedDie(
        face=face,
        confidence=0.61 if doubtful else 0.998,
        sure=not doubtful,
        flat=True,
        colour=label["colour"],
        box=tuple(label["box"]),
        alternatives=others,
        crop=crop_at,
    )
