"""What is published of a table: its status, retained (whose turn, the numbers of each seat, the
roll, the winner, the camera, whether somebody should come), and each act in one sentence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.catalogues import Reader, catalogue, sentence
from companion.engine import Corrected
from companion.mqtt.settings import MqttFile
from companion.resources import LANGUAGES
from companion.service import wire
from companion.service.views.logbook import acting_seat, changes, main_row, row_words, weight
from companion.service.views.news import sentences_for
from companion.service.views.view import COLOURS, MONSTERS
from companion.table import Entry, Redone, Snapshot, Undone
from companion.vision.readings import CameraState

FORM: Final = 1
"""The version of this form; a later one may have more fields."""
EVERYBODY: Final = "*"
NO_COLOUR: Final = "#ffffff"
SETTLED_S: Final = 2.0
"""How long an act must stand before it is said."""
LOG_CHANGES = (Undone, Redone, Corrected)
"""What changes what the log says: said itself, not only what came of it."""
Colour = Annotated[str, Meta(pattern=r"^#[0-9a-f]{6}\Z")]


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits at a seat. `name`: the player's if that is allowed, else the Monster's."""

    seat: int
    """From 1, as people count."""
    name: str
    monster: str
    color: Colour
    rgb: tuple[int, int, int]
    """The same colour, as lamps take it."""


class SeatStatus(Who, frozen=True, kw_only=True):
    """One seat."""

    health: int
    stars: int
    energy: int
    alive: bool


class RollStatus(msgspec.Struct, frozen=True):
    """The last roll that was applied. `seat`: from 1."""

    text: str
    faces: tuple[str, ...]
    seat: int | None


class TableStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One table at one moment."""

    form: int = FORM
    title: str
    address: str
    """Where phones open the table."""
    table: str
    """The name of the game in the table's log."""
    rev: int
    game: str | None
    turn: int | None
    whose: SeatStatus | None
    """Whose turn it is; None while no game is played."""
    seats: tuple[SeatStatus, ...]
    roll: RollStatus | None
    winner: str | None
    """None while nobody has won."""
    camera: CameraState
    undo: bool
    """Whether the button has something to undo."""
    read_again: bool
    """Whether a camera is there and a roll is awaited."""
    help: tuple[str, ...]
    """Why somebody should come to the table, as keys behind `hub.help.`."""


def table_status(view: wire.View, file: MqttFile, title: str, address: str) -> TableStatus:
    """Return the status of this view. It names only players who agreed to it in the settings."""
    game, language = view.game, file.language
    seats = () if game is None else tuple(_seat(seat, file) for seat in game.seats)
    playing = game is not None and game.ended is None and game.turn > 0
    question = None if game is None else game.question
    rolls = question is not None and question.kind is wire.QuestionKind.ROLL
    return TableStatus(
        title=title,
        address=address,
        table=view.table,
        rev=view.rev,
        game=None if game is None else game.game,
        turn=None if game is None else game.turn,
        whose=seats[game.active] if game is not None and playing else None,
        seats=seats,
        roll=None if game is None or not game.last_roll else _roll(game, language),
        winner=None if game is None else _winner(game, seats, language),
        camera=view.tray.camera,
        undo=view.undo is not None and not view.undo.host_only,
        read_again=view.tray.camera is CameraState.OK and rolls,
        help=_help(view),
    )


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the red, green and blue of `#rrggbb`, as a lamp takes them."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _who(seat: int, player: str, monster: str, file: MqttFile) -> Who:
    name = sentence(file.language, f"monster.{monster}")
    known, agreed = player.strip().casefold(), {one.strip().casefold() for one in file.names}
    is_named = bool(known) and not agreed.isdisjoint({known, EVERYBODY})
    colour = COLOURS.get(monster, NO_COLOUR)
    return Who(
        seat=seat + 1,
        name=player if is_named else name,
        monster=name,
        color=colour,
        rgb=rgb(colour),
    )


def _seat(seat: wire.SeatView, file: MqttFile) -> SeatStatus:
    who = _who(seat.seat, seat.player, seat.monster, file)
    return SeatStatus(
        **msgspec.structs.asdict(who),
        health=seat.health,
        stars=seat.stars,
        energy=seat.energy,
        alive=seat.alive,
    )


def _roll(game: wire.GameView, language: str) -> RollStatus:
    text = ", ".join(sentence(language, f"face.{face}", game=game.game) for face in game.last_roll)
    seat = None if game.last_roll_seat is None else game.last_roll_seat + 1
    return RollStatus(text, tuple(game.last_roll), seat)


def _winner(game: wire.GameView, seats: tuple[SeatStatus, ...], language: str) -> str | None:
    if game.ended is None:
        return None
    winners = ", ".join(seats[seat].name for seat in game.ended.winners)
    return winners or sentence(language, "home.nobody")


def _help(view: wire.View) -> tuple[str, ...]:
    tray = view.tray
    found = {
        "camera": tray.camera is CameraState.LOST,
        "tray": tray.camera is CameraState.OK and (tray.problem or tray.drift) is not None,
        "unsaved": not view.saved,
        "notices": bool(view.notices),
    }
    return tuple(key for key, is_so in found.items() if is_so)


# -- what is said in the room --------------------------------------------------------------------


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One act in words, as an event of Home Assistant."""

    event_type: str
    """What happened: one of `kinds`."""
    text: str
    who: Who | None
    """Whose act it was; None for the table's."""
    turn: int
    table: str
    """The name of the game in the table's log."""
    seq: int
    """The act's first row in the log."""
    late_s: int = 0
    """For how many seconds the sentence had to wait for somebody to hear it."""


def kinds() -> tuple[str, ...]:
    """Return every kind of act that is said: the news, by their keys, and what changes the log."""
    news = (key.split(".")[1] for key in catalogue(LANGUAGES[0]) if key.startswith("happened."))
    return tuple(sorted({*news, *(kind.__name__.lower() for kind in LOG_CHANGES)}))


_Act = tuple[float, tuple[Entry, ...]]
"""When a command came, and its rows."""


class Speaker:
    """Puts each act into a sentence once it has stood for `SETTLED_S`. What was undone by then is
    never said, nor is its undo; of an act whose number was corrected by then, only the correction.
    """

    def __init__(
        self, file: MqttFile, snapshot: Snapshot, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._file, self._now, self._heard = file, now, snapshot
        self.waiting: list[_Act] = []
        """What has not settled, oldest first; all of the game that it heard of last."""

    @property
    def game(self) -> str:
        """The game that it heard of last."""
        return self._heard.game_id

    def hear(self, snapshot: Snapshot) -> Iterator[Said]:
        """Take in the table after a change, or later; yield what has settled, oldest first. A game
        that is left has settled at once; of the other one, nothing is said that it has already.
        """
        now, game = self._now(), self._heard
        is_left = snapshot.game_id != game.game_id
        if not is_left:
            for _, rows in groupby(snapshot.entries[game.rev :], key=attrgetter("command_id")):
                self._take_in((now, tuple(rows)))
            game = snapshot
        self._heard = snapshot
        while self.waiting and (is_left or now - self.waiting[0][0] >= SETTLED_S):
            yield from self._said(self.waiting.pop(0)[1], game)

    def _take_in(self, act: _Act) -> None:
        """Let the act wait, in place of those that it takes back or corrects."""
        rows, event, taken = act[1], act[1][0].event, set[int]()
        waiting = [row for _, others in self.waiting for row in others]
        if isinstance(event, Undone | Redone):
            taken = {*rows[0].before.active} - {*rows[-1].after.active} or {event.seq}
        elif isinstance(event, Corrected):
            numbers = {(one.seat, one.what) for one in event.numbers}
            for row in waiting:
                changed = changes(row.before.game, row.after.game)
                if any((one.seat, one.what) in numbers for one in changed):
                    taken.add(row.seq)
        is_slip = not isinstance(event, Corrected) and taken <= {row.seq for row in waiting}
        self.waiting = [one for one in self.waiting if taken.isdisjoint(row.seq for row in one[1])]
        if not (taken and is_slip):
            self.waiting.append(act)

    def _said(self, rows: tuple[Entry, ...], snapshot: Snapshot) -> Iterator[Said]:
        """Yield the act in words, if anything is to be said of it."""
        entries, row, setup = snapshot.entries, main_row([*rows]), rows[-1].after.setup
        came = sentences_for(rows, entries)
        lines = [(one.words, one.why) for one in came]
        if isinstance(row.event, LOG_CHANGES):
            lines.insert(0, row_words(row, entries))
            kind = type(row.event).__name__.lower()
        elif came:
            kind = min(came, key=weight).words.key.split(".")[1]
        else:
            return
        assert setup is not None
        seats = [
            _who(n, one.player, one.monster or MONSTERS[n], self._file)
            for n, one in enumerate(setup.seats)
        ]
        names = [one.name for one in seats]
        reader = Reader(self._file.language, setup.game, setup.edition, names)
        seat, before = acting_seat(row), row.before.game
        yield Said(
            event_type=kind,
            text=" ".join(f"{reader.read(*line)}." for line in lines),
            who=None if seat is None else seats[seat],
            turn=0 if before is None else before.turn.number,
            table=snapshot.game_id,
            seq=rows[0].seq,
        )
