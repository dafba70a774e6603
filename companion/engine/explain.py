"""Why a number is what it is: the chain of its changes, each with its cause, its card and its
clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from companion.engine.abilities import Instead, Modifies, Whenever
from companion.engine.changes import Number
from companion.engine.effects import AnyEffect, BeginTurn, ResolveFace
from companion.engine.events import AnyEvent
from companion.engine.game import Game
from companion.engine.play import apply
from companion.engine.resolution import Outcome
from companion.engine.ruleset import Ruleset
from companion.engine.rulesets import RULESETS
from companion.engine.setup import Setup, new_game
from companion.engine.values import Face, Monster, Seat, Turn, Value

CORRECTION = "corrected"
"""The cause of what the table set by hand."""
_CLAUSE = re.compile(r"\b(?:NY|TK)-\d+(?:\.\d+)?")


class Reason(Value, frozen=True):
    """One change of a number. `event` counts the events of the game from 1; 0 is the set-up.

    `effect` is the verb (its class name) or `corrected`; `ability` what laid it on the agenda, ""
    for the agenda loop itself; `card` the card, token or condition that carries the ability, "" for
    the rules; `face` the group of dice it came from; `clause` the clause it carries out, "" where
    none is named; `total` the number after it.
    """

    event: int
    turn: int
    effect: str
    ability: str
    card: str
    face: Face | None
    clause: str
    delta: int
    total: int


@dataclass(frozen=True, slots=True)
class Happening:
    """One event of a game, counted from 1, with what it did; 0 is the set-up."""

    event: int
    before: Game
    outcome: Outcome


def explain(
    setup: Setup, events: Iterable[AnyEvent], seat: Seat, number: Number
) -> tuple[Reason, ...]:
    """Every change of a seat's number since the set-up, oldest first.

    From the start value, they add up to it.
    """
    return tuple(
        reason for happened in _played(setup, events) for reason in reasons(happened, seat, number)
    )


def start_value(setup: Setup, number: Number) -> int:
    """The number every Monster begins with (NY-2.3, TK-2.1)."""
    return RULESETS[setup.game].health if number is Number.HEALTH else 0


def first_happening(setup: Setup) -> Happening:
    """The set-up, before which every Monster has the numbers it begins with."""
    rules, outcome = RULESETS[setup.game], new_game(setup)
    fresh = tuple(Monster(Seat(s), rules.health) for s in range(setup.players))
    return Happening(0, replace(outcome.game, monsters=fresh, turn=Turn(setup.first, 0)), outcome)


def _played(setup: Setup, events: Iterable[AnyEvent]) -> Iterator[Happening]:
    """The set-up, then every event."""
    happened = first_happening(setup)
    yield happened
    for index, event in enumerate(events, 1):
        before = happened.outcome.game
        happened = Happening(index, before, apply(before, event))
        yield happened


def reasons(happened: Happening, seat: Seat, number: Number) -> Iterator[Reason]:
    """The changes of one event: what the table set, then each effect that changed the number."""
    index, outcome = happened.event, happened.outcome
    rules, turn = RULESETS[outcome.game.rules], happened.before.turn.number
    states = (happened.before.monsters, *outcome.before, outcome.game.monsters)
    values = [getattr(monsters[seat], number) for monsters in states]
    if values[1] != values[0]:  # nothing was performed yet: the event itself set it
        delta = values[1] - values[0]
        yield Reason(index, turn, CORRECTION, "", "", None, "", delta, values[1])
    group: Face | None = None
    for at, effect in enumerate(outcome.performed, 1):
        if isinstance(effect, BeginTurn):
            turn += 1
        if isinstance(effect, ResolveFace):
            group = effect.face
        if values[at + 1] != values[at]:
            delta = values[at + 1] - values[at]
            yield _reason(rules, effect, group, (index, turn, delta, values[at + 1]))


def _reason(
    rules: Ruleset, effect: AnyEffect, group: Face | None, numbers: tuple[int, int, int, int]
) -> Reason:
    index, turn, delta, total = numbers
    carrier, _, rest = effect.source.rpartition(".")
    ability = rest.partition("@")[0]
    scored = ability == "score" and group is not None
    text = rules.scoring[group].__doc__ if scored and group is not None else _doc(rules, ability)
    return Reason(
        index,
        turn,
        type(effect).__name__,
        ability,
        carrier,
        group if scored else None,
        _clause(rules, text or type(effect).__doc__ or ""),
        delta,
        total,
    )


def _clause(rules: Ruleset, text: str) -> str:
    """The first clause of the game's own rulebook that a text names."""
    book = next(iter(rules.clauses.values()), "")[:2]
    return next((c for c in _CLAUSE.findall(text) if c.startswith(book)), "")


def _doc(rules: Ruleset, ability: str) -> str:
    return _docs(rules).get(ability, "")


@lru_cache(maxsize=8)
def _docs(rules: Ruleset) -> dict[str, str]:
    """What each ability of the game says of itself, by its name."""
    carried = (
        *rules.abilities,
        *(a for card in rules.cards.values() for a in card.abilities),
        *(a for abilities in rules.tokens.values() for a in abilities),
        *(a for abilities in rules.conditions.values() for a in abilities),
    )
    return {a.name: _function(a).__doc__ or "" for a in carried}


def _function(ability: object) -> object:
    if isinstance(ability, Modifies):
        return ability.by
    return ability.steps if isinstance(ability, Instead | Whenever) else ability
