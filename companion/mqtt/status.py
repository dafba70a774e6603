"""The status of a table as one retained message: whose turn, the numbers of each seat, the roll,
the winner, the camera, and whether somebody should come.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.catalogues import catalogue
from companion.mqtt.settings import MqttFile
from companion.service import wire
from companion.vision.readings import CameraState

FORM: Final = 1
"""The version of this form; a later one may have more fields."""
EVERYBODY: Final = "*"
LONGEST_NAME: Final = 60
COLOURS: Final = {
    "puffin_rex": "#ff9a3c",
    "old_scree": "#bdb6a6",
    "lampmoth": "#c9a4ff",
    "inkwell": "#7d97ff",
    "kelp_auntie": "#2fc7a4",
    "spinella": "#83cf8a",
    "crabminster": "#f08a72",
    "snailquake": "#f2a3d6",
    "wispwool": "#efe6cf",
    "pylonna": "#cfc04e",
    "tuskadon": "#c99562",
    "drizzla": "#9fb4d6",
}
"""The colour of each Monster, by its id, as in the phone app (`webui/src/art/monsters.tsx`)."""
NO_COLOUR: Final = "#ffffff"
Colour = Annotated[str, Meta(pattern=r"^#[0-9a-f]{6}\Z")]


class SeatStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One seat. `name`: the player's if that is allowed, else the Monster's."""

    seat: int
    """From 1, as people count."""
    name: str
    monster: str
    color: Colour
    rgb: tuple[int, int, int]
    """The same colour, as lamps take it."""
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


def may_be_named(player: str, names: Collection[str]) -> bool:
    """Return whether this player has agreed to be named."""
    agreed = {name.strip().casefold() for name in names}
    return EVERYBODY in agreed or player.strip().casefold() in agreed


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the red, green and blue of `#rrggbb`, as a lamp takes them."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def words(language: str, key: str, game: str = "", **params: str | int) -> str:
    """Return the sentence of this key; a game of another package may have its own."""
    sentences = catalogue(language)
    found = sentences.get(f"{game}/{key}", sentences.get(key, key))
    text = found if isinstance(found, str) else found["other"]
    for name, value in params.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _seat(seat: wire.SeatView, file: MqttFile) -> SeatStatus:
    monster = words(file.language, f"monster.{seat.monster}")
    named = bool(seat.player.strip()) and may_be_named(seat.player, file.names)
    colour = COLOURS.get(seat.monster, NO_COLOUR)
    return SeatStatus(
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


def _roll(game: wire.GameView, language: str) -> RollStatus:
    text = ", ".join(words(language, f"face.{face}", game.game) for face in game.last_roll)
    seat = None if game.last_roll_seat is None else game.last_roll_seat + 1
    return RollStatus(text, tuple(game.last_roll), seat)


def _winner(game: wire.GameView, seats: tuple[SeatStatus, ...], language: str) -> str | None:
    if game.ended is None:
        return None
    winners = ", ".join(seats[seat].name for seat in game.ended.winners)
    return winners or words(language, "home.nobody")


def _help(view: wire.View) -> tuple[str, ...]:
    tray = view.tray
    found = {
        "camera": tray.camera is CameraState.LOST,
        "tray": tray.camera is CameraState.OK and (tray.problem or tray.drift) is not None,
        "unsaved": not view.saved,
        "notices": bool(view.notices),
    }
    return tuple(key for key, is_so in found.items() if is_so)
