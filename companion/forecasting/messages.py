"""What the service asks the forecasts' process, and what that process finds: JSON both ways."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.engine import AnyEvent, Game, Seat

MOST_TURNS: Final = 400
"""Turns of one story; a longer game has none."""
Args = dict[str, str | int]


class AdviceAsked(msgspec.Struct, frozen=True, tag=True):
    """What does each answer of the open decision leave its seat?"""

    position: Game


class StoryAsked(msgspec.Struct, frozen=True, tag=True):
    """What were the chances turn by turn? `turns`: a row of the log, and the game after it."""

    turns: Annotated[tuple[tuple[int, Game], ...], Meta(min_length=1, max_length=MOST_TURNS)]


AnyAsked = AdviceAsked | StoryAsked


class NetworkFound(msgspec.Struct, frozen=True):
    """The network that was asked: what was measured of it, empty where nothing was."""

    measured: dict[str, float] = {}


class AnswerFound(msgspec.Struct, frozen=True):
    """One answer of an advice; the fields of `forecast.Answer` mean the same."""

    chance: float
    event: AnyEvent | None = None
    keep: tuple[int, ...] = ()


class AdviceFound(msgspec.Struct, frozen=True, tag=True):
    """The answers of `seat`, best first, none where nobody decides anything now. `compares` and the
    other fields: those of `forecast.Advice`.
    """

    seat: Seat | None
    network: NetworkFound
    compares: str = ""
    now: float = 0.0
    answers: tuple[AnswerFound, ...] = ()
    left_out: int = 0


class TurnFound(msgspec.Struct, frozen=True):
    """The chances when a turn began, or at the end; the fields of `forecast.TurnChances`."""

    turn: int
    row: int
    seat: Seat
    chances: tuple[float, ...]
    ended: bool = False


class StoryFound(msgspec.Struct, frozen=True, tag=True):
    """The chances turn by turn. `turned`: the index of the turning point, None where no turn was
    played.
    """

    turns: tuple[TurnFound, ...]
    turned: int | None
    network: NetworkFound


class Failed(msgspec.Struct, frozen=True, tag=True):
    """Why nothing was found, as a catalogue key with its values."""

    key: str
    params: Args = {}


AnyFound = AdviceFound | StoryFound | Failed
