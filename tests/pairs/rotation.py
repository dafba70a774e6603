"""Rotation symmetry: moving all seats of a position and of its events by one moves the outcome by
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import msgspec
from msgspec.structs import fields, replace

from companion.engine import Choice, Game, Outcome, Position, Question, Roll
from companion.virtual import random_event
from tests.pairs.drawn import OFFERED, Drawn

MOST_EVENTS = 40
"""More than a turn has, powers that ask questions of their own included."""

_SEATS = frozenset(
    ("seat", "owner", "active", "by", "to", "dealer", "follows", "former", "given", "winners")
)
"""Fields that hold a seat or seats; -1 is the table's and stays, words are places."""
_WORDS = frozenset(("ref", "source", "causes", "seen", "used", "mark", "option"))
"""Fields that hold names with seats in them."""

_IN_WORDS = re.compile(r"(?<=@)\d+|(?<=^seat_)\d+$|(?<=[a-z]\.)\d+(?=/)")
_OF_A_CARD = re.compile(r"^card\.")


def difference(drawn: Drawn) -> str:
    """Return where the game differs when all seats are moved by one; "" if it does not."""
    chance, count = Random(drawn.seed), len(drawn.game.monsters)
    turned = rotated(drawn.game)
    here = Outcome(Position.of(drawn.game))
    there = Outcome(Position.of(turned))
    for number in range(MOST_EVENTS):
        asked = here.question
        wrong = _difference(asked, there.question, count)
        if wrong:
            return f"question {number}: {wrong}"
        if asked is None or here.game.turn.number > drawn.game.turn.number:
            return ""
        event = random_event(Position.of(here.game), chance, OFFERED)
        here = Position.of(here.game).apply(event)
        there = Position.of(there.game).apply(moved(event, count))
        wrong = unlike(rotated(here.game), there.game)
        if wrong:
            return f"event {number}, {event}: {wrong}"
    return ""


def rotated(game: Game) -> Game:
    """Return the position with every seat moved by one."""
    count = len(game.monsters)
    monsters = moved(game.monsters, count)
    in_play = moved(game.in_play, count)
    piles = tuple(sorted(in_play.tokens, key=lambda pile: (pile.seat, pile.token)))
    ended = moved(game.ended, count)
    if ended is not None:
        ended = replace(ended, winners=tuple(sorted(ended.winners)))
    return replace(
        game,
        monsters=(*monsters[-1:], *monsters[:-1]),
        turn=moved(game.turn, count),
        in_play=replace(in_play, tokens=piles),
        agenda=moved(game.agenda, count),
        extra=moved(game.extra, count),
        ended=ended,
    )


def moved(value: Any, count: int) -> Any:
    """Return the value with each seat in it moved by one; not yet in the order of the seats."""
    if isinstance(value, tuple):
        return tuple(moved(each, count) for each in value)
    if not isinstance(value, msgspec.Struct):
        return value
    changes = {}
    for name in _fields_with_seats(type(value)):
        inner = getattr(value, name)
        if name in _SEATS:
            changes[name] = _seats(inner, count)
        elif name in _WORDS:
            changes[name] = _words(inner, count)
        elif isinstance(inner, tuple | msgspec.Struct) and inner != ():
            changes[name] = moved(inner, count)
    return replace(value, **changes) if changes else value


@cache
def _fields_with_seats(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the fields that may contain seats; a Monster's own numbers and dice do not."""
    return tuple(field.name for field in fields(kind) if field.name not in ("faces", "amount"))


def _seats(value: Any, count: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_seats(each, count) for each in value)
    return (value + 1) % count if isinstance(value, int) and value >= 0 else value


def _words(value: Any, count: int) -> Any:
    if isinstance(value, tuple):
        return tuple(_words(each, count) for each in value)
    if not isinstance(value, str):
        return value
    head = _OF_A_CARD.match(value)
    start = value.index("/") if head is not None and "/" in value else 0
    turned = _IN_WORDS.sub(lambda found: str((int(found[0]) + 1) % count), value[start:])
    return value[:start] + turned


def unlike(wanted: Game, found: Game) -> str:
    """Return the first part in which two positions differ."""
    for name in wanted.__struct_fields__:
        one, other = getattr(wanted, name), getattr(found, name)
        if one != other:
            return f"{name}: {_first(one, other)}"
    return ""


def _first(one: Any, other: Any) -> str:
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return next(f"{a} is not {b}" for a, b in zip(one, other, strict=True) if a != b)
    if isinstance(one, msgspec.Struct) and type(one) is type(other):
        name = next(n for n in one.__struct_fields__ if getattr(one, n) != getattr(other, n))
        return f"{name}: {_first(getattr(one, name), getattr(other, name))}"
    return f"{one} is not {other}"


def _difference(asked: Question | None, turned: Question | None, count: int) -> str:
    """Return how the question of the moved position differs."""
    wanted = () if asked is None else _said(asked, count, moves=1)
    found = () if turned is None else _said(turned, count, moves=0)
    return "" if wanted == found else f"{wanted} is not {found}"


def _said(asked: Question, count: int, moves: int) -> tuple[object, ...]:
    seat = (asked.seat + moves) % count if asked.seat >= 0 else asked.seat
    keys: Iterator[str] = iter(())
    if isinstance(asked, Choice):
        keys = (_words(option.key, count) if moves else option.key for option in asked.options)
    thrown = (asked.dice, asked.showing, asked.free) if isinstance(asked, Roll) else ()
    return (type(asked), asked.key, seat, tuple(sorted(keys)), thrown)
