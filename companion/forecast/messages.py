"""What forecasts are asked and what they find: plain values, JSON between two processes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.engine import AnyEvent, Game, Seat

MOST_TURNS: Final = 400
"""Turns of one story; a longer game has none."""
Args = dict[str, str | int]
Chances = tuple[float, ...]
"""The win chance of each seat: 0 for one that is out, 1 in all."""


class Compared(StrEnum):
    """What the chances of an advice are."""

    ANSWERS = "answers"
    """The win chance right after each answer, as the position then is."""
    DICE = "dice"
    """The mean win chance after the rerolls left, if the dice that are named stay, the others are
    thrown, and every later throw keeps the best dice. What a final throw is worth is estimated
    from a sample of throws; what a reroll costs is not counted."""


class Answer(msgspec.Struct, frozen=True):
    """One way to decide. `event`: the answer, None if dice are thrown again; `keep`: the indices
    of the dice that stay, of a roll; `chance`: the seat's win chance with it.
    """

    chance: float
    event: AnyEvent | None = None
    keep: tuple[int, ...] = ()


class Advice(msgspec.Struct, frozen=True):
    """The answers of a seat, best first. `now`: its win chance while the question is open;
    `left_out`: how many more answers were not judged or are not listed.
    """

    seat: Seat
    compares: Compared
    now: float
    answers: tuple[Answer, ...]
    left_out: int = 0


class TurnChances(msgspec.Struct, frozen=True):
    """The chances when a turn began, or when the game ended. `row`: the row of the log after which
    they hold; `seat`: whose turn it was.
    """

    turn: int
    row: int
    seat: Seat
    chances: Chances
    ended: bool = False


def swing(before: TurnChances, after: TurnChances) -> float:
    """Return how much of all chances changed hands, 0 to 1."""
    pairs = zip(before.chances, after.chances, strict=True)
    return sum(abs(one - other) for one, other in pairs) / 2


def turning_point(turns: Sequence[TurnChances]) -> TurnChances | None:
    """Return the turn in which most of the chances changed hands, the earliest of several; None
    if no turn has been played.
    """
    swings = [(swing(before, after), before) for before, after in pairwise(turns)]
    return max(swings, key=lambda one: one[0])[1] if swings else None


# -- between the service and the forecasts' process -----------------------------------------------


class AdviceAsked(msgspec.Struct, frozen=True, tag=True):
    """What does each answer of the open decision leave its seat?"""

    position: Game


class StoryAsked(msgspec.Struct, frozen=True, tag=True):
    """What were the chances turn by turn? `turns`: a row of the log, and the game after it."""

    turns: Annotated[tuple[tuple[int, Game], ...], Meta(min_length=1, max_length=MOST_TURNS)]


AnyAsked = AdviceAsked | StoryAsked


class AdviceFound(msgspec.Struct, frozen=True, tag=True):
    """The advice, None if nobody decides anything now. `measured`: what was measured of the
    network, empty if nothing was.
    """

    advice: Advice | None
    measured: dict[str, float] = {}


class StoryFound(msgspec.Struct, frozen=True, tag=True):
    """The chances turn by turn. `measured`: as of an advice."""

    turns: tuple[TurnChances, ...]
    measured: dict[str, float] = {}


class Failed(msgspec.Struct, frozen=True, tag=True):
    """Why nothing was found, as a catalogue key with its values."""

    key: str
    params: Args = {}


AnyFound = AdviceFound | StoryFound | Failed
