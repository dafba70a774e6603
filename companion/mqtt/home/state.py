"""The state of a table as one retained message: whose turn, the numbers of each seat, the roll, the
winner, the camera.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from companion.catalogues import catalogue
from companion.mqtt.home.colours import COLOURS, NO_COLOUR, rgb
from companion.service import wire
from companion.vision.states import CameraState

FORM: Final = 1
"""The version of this form; a later one may have more fields."""
EVERYBODY: Final = "*"
LONGEST_NAME: Final = 60


class SeatState(msgspec.Struct, frozen=True, kw_only=True):
    """One seat. `name`: the player's where that is allowed, else the Monster's."""

    seat: int
    """From 1, as people count."""
    name: str
    monster: str
    color: str
    rgb: tuple[int, int, int]
    health: int
    stars: int
    energy: int
    alive: bool


class RollState(msgspec.Struct, frozen=True):
    """The last roll that was applied."""

    text: str
    faces: tuple[str, ...]
    seat: int | None


class HomeState(msgspec.Struct, frozen=True, kw_only=True):
    """One table at one moment."""

    form: int = FORM
    table: str
    rev: int
    game: str | None
    turn: int | None
    whose: SeatState | None
    """Whose turn it is; None where no game is played."""
    seats: tuple[SeatState, ...]
    roll: RollState | None
    winner: str | None
    """None while nobody has won."""
    camera: CameraState
    undo: bool
    """Whether the button has something to undo."""
    read_again: bool
    """Whether a camera is there and a roll is awaited."""


def home_state(view: wire.View, names: Collection[str], language: str) -> HomeState:
    """Return the state of this view. `names`: the players who let their names be published, or `*`
    for all of them.
    """
    game = view.game
    seats = () if game is None else tuple(_seat(seat, names, language) for seat in game.seats)
    playing = game is not None and game.ended is None and game.turn > 0
    return HomeState(
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
        read_again=view.tray.camera is CameraState.OK and _awaits_roll(game),
    )


def may_be_named(player: str, names: Collection[str]) -> bool:
    """Return whether this player has agreed to be named."""
    agreed = {name.strip().casefold() for name in names}
    return EVERYBODY in agreed or player.strip().casefold() in agreed


def _seat(seat: wire.SeatView, names: Collection[str], language: str) -> SeatState:
    monster = words(language, f"monster.{seat.monster}")
    named = bool(seat.player.strip()) and may_be_named(seat.player, names)
    colour = COLOURS.get(seat.monster, NO_COLOUR)
    return SeatState(
        seat=seat.seat + 1,
        name=seat.player[:LONGEST_NAME] if named else monster,
        monster=monster,
        color=colour,
        rgb=rgb(colour),
        health=seat.health,
        stars=seat.stars,
        energy=seat.energy,
        alive=seat.alive,
    )


def _roll(game: wire.GameView, language: str) -> RollState:
    text = ", ".join(words(language, f"face.{face}", game.game) for face in game.last_roll)
    seat = None if game.last_roll_seat is None else game.last_roll_seat + 1
    return RollState(text, tuple(game.last_roll), seat)


def _winner(game: wire.GameView, seats: tuple[SeatState, ...], language: str) -> str | None:
    if game.ended is None:
        return None
    if not game.ended.winners:
        return words(language, "home.nobody")
    return ", ".join(seats[seat].name for seat in game.ended.winners)


def _awaits_roll(game: wire.GameView | None) -> bool:
    question = None if game is None else game.question
    return question is not None and question.kind is wire.QuestionKind.ROLL


def words(language: str, key: str, game: str = "") -> str:
    """Return the sentence of this key; a game of another package may have its own."""
    sentences = catalogue(language)
    found = sentences.get(f"{game}/{key}", sentences.get(key, key))
    return found if isinstance(found, str) else found["other"]
