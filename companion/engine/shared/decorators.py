"""Decorators that make a function an ability, named after itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from companion.engine.abilities import (
    Instead,
    Modifies,
    Offers,
    Quantity,
    Query,
    Stage,
    Whenever,
    Where,
)
from companion.engine.base_position import My
from companion.engine.effects import Effect
from companion.engine.questions import Answer
from companion.engine.values import Clause

E = TypeVar("E", bound=Effect)


When = Callable[[My, E], bool]
"""Which effects an ability answers: a condition that many of them share."""


def instead_of(
    on: type[E],
    stage: Stage = Stage.PREVENT,
    *,
    mine: bool = False,
    when: When[E] | None = None,
    clause: Clause = "",
) -> Callable[[Callable[[My, E], Answer]], Instead]:
    """Make the function a replacing ability, named after itself; called where `when` holds."""
    return lambda steps: Instead(
        on, _only(when, steps), stage, steps.__name__, mine=mine, clause=clause
    )


def whenever(
    on: type[E],
    *,
    once: bool = False,
    active_last: bool = False,
    at_once: bool = False,
    mine: bool = False,
    when: When[E] | None = None,
    clause: Clause = "",
) -> Callable[[Callable[[My, E], Answer]], Whenever]:
    """Make the function a following ability, named after itself; called where `when` holds."""
    return lambda steps: Whenever(
        on, _only(when, steps), steps.__name__, once, active_last, at_once, mine, clause=clause
    )


def modifies(
    quantity: Quantity, where: Where = Where.OWNED, *, mine: bool = False, clause: Clause = ""
) -> Callable[[Callable[[My, Query, int], int]], Modifies]:
    """Make the function a modifier, named after itself."""
    return lambda by: Modifies(quantity, by, by.__name__, where, mine, clause)


def offers(
    available: Callable[[My], bool], *, window: str = "", waits: bool = False, clause: Clause = ""
) -> Callable[[Callable[[My], Answer]], Offers]:
    """Make the function a power, named after itself."""
    return lambda steps: Offers(steps.__name__, available, steps, window, waits, clause=clause)


def _only(when: When[E] | None, steps: Callable[[My, E], Answer]) -> Callable[[My, E], Answer]:
    """Return what the function answers where the condition holds, else nothing."""
    if when is None:
        return steps

    @wraps(steps)
    def answer(my: My, effect: E) -> Answer:
        return steps(my, effect) if when(my, effect) else None

    return answer
