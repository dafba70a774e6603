"""Sentences for faults, limits of numbers, and the effects still to happen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from companion.engine.effects import AnyEffect
from companion.engine.game import AnyStep, Game, Part, Reaction, Together

MOST: Final = 999
"""More than play brings together of anything that no rule limits: energy, rolls, amounts."""

MOST_TOKENS: Final = 50
"""More tokens of one kind than a Monster survives being given."""


def check_range(where: str, field: str, value: int, least: int, most: int) -> Iterator[str]:
    """Report a number outside its range."""
    if not least <= value <= most:
        right = f"{least} to {most}" if least < most else f"{least}"
        yield f"{where}: {field} is {value}, not {right}"


def check_one_of(where: str, field: str, value: object, known: Iterable[object]) -> Iterator[str]:
    """Report a word that is none of those known."""
    words = tuple(known)
    if value not in words:
        yield f"{where}: {field} is {shown(value)}, not {listed(words)}"


def check_distinct(where: str, field: str, values: Collection[object]) -> Iterator[str]:
    """Report a list with a repeated element."""
    seen: set[object] = set()
    for value in values:
        if value in seen:
            yield f"{where}: {field} holds {shown(value)} twice, not once"
            return
        seen.add(value)


def listed(words: Collection[object]) -> str:
    """List the right values for a sentence."""
    if not words:
        return "there: this game has none"
    return ("one of " if len(words) > 1 else "") + ", ".join(map(shown, words))


def shown(value: object) -> str:
    """Write a value as JSON does, words without quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def effects_of(step: AnyStep) -> tuple[AnyEffect, ...]:
    """Return the effects in a step of the agenda."""
    if isinstance(step, Together):
        return (*step.waiting, *step.ready, *step.first)
    return (step.effect,) if isinstance(step, Part | Reaction) else (step,)


def coming_effects(game: Game) -> Iterator[AnyEffect]:
    """Yield all effects on the agenda, from the bottom up."""
    for step in game.agenda:
        yield from effects_of(step)
