"""The whole game as plain JSON: the board with the agenda on top, and the steps of an agenda."""

from __future__ import annotations

from typing import final

from companion.engine.effects import AnyEffect
from companion.engine.values import Board, Face, Value


@final
class Together(Value, frozen=True, tag_field="type"):
    """A packet: each of `waiting` is readied in turn (and may ask), then all happen at once
    (NY-6.3, TK-13.2).

    `first`: effects that happen together before the members do, collected while these are readied
    (H34).
    """

    waiting: tuple[AnyEffect, ...]
    ready: tuple[AnyEffect, ...] = ()
    first: tuple[AnyEffect, ...] = ()


@final
class Part(Value, frozen=True, tag_field="type"):
    """One member of the packet below it, being readied."""

    effect: AnyEffect


@final
class Reaction(Value, frozen=True, tag_field="type"):
    """An ability waiting to answer an effect. On top of a game at rest, it asks the open question.

    `ref` names the ability at its carrier; `instead`: it replaces the effect, else it follows it;
    `part`: what it gives belongs to the packet below; `chosen`: its owner chose to have it first;
    `lying`: the dice it had thrown, while some of them may be thrown again (H32).
    """

    ref: str
    effect: AnyEffect
    instead: bool = False
    part: bool = False
    chosen: bool = False
    lying: tuple[Face, ...] = ()


AnyStep = AnyEffect | Together | Part | Reaction
Step = AnyEffect | Together
"""What abilities may put on the agenda."""


class Game(Board, frozen=True):
    """A whole game at one moment: the board, and what is still to happen on top of it."""

    agenda: tuple[AnyStep, ...] = ()
    """A stack; its last step is the next to happen."""
