"""Helpers that compare what an answer does with its predicted consequence; every card's test uses
them.
"""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from companion.engine import Position, changed
from companion.engine.events import Chosen, PowerUsed
from companion.engine.game import Game, Reaction
from companion.engine.play import outcome_of_answer
from companion.engine.questions import Choice
from companion.engine.values import Change, Monster


def numbers(game: Game, monsters: tuple[Monster, ...]) -> tuple[Change, ...]:
    """Return the numbers that differ from those in the game."""
    return changed(game, replace(game, monsters=monsters))


def matches_its_consequence(game: Game, event: Chosen | PowerUsed) -> str:
    """Check that an answer changes exactly what its consequence predicts, before the turn goes on;
    return which kind of answer it is.

    There are two honest exceptions. Inside a packet (`part`) what the answer does happens together
    with the other parts: its effects all come, but later and beside others. Fleeing (`flee`) tells
    the entering of the attacker as well, which happens only after the dice.
    """
    asked = Position.of(game).question
    predicted, alone = (
        Position.of(game).consequences(event),
        outcome_of_answer(Position.of(game), event),
    )
    assert alone is not None
    real, count = Position.of(game).apply(event), len(alone.performed)
    own = changed(game, alone.game)
    top = game.agenda[-1]
    if isinstance(event, Chosen) and isinstance(top, Reaction) and top.part:
        waits = any(hasattr(step, "ready") for step in real.game.agenda)
        missing = Counter(map(repr, alone.performed)) - Counter(map(repr, real.performed))
        assert waits or not missing
        return "part"
    states = (*real.before, real.game.monsters)
    assert real.performed[:count] == alone.performed
    assert numbers(game, states[count]) == own
    if isinstance(event, Chosen) and asked is not None and asked.window == "flee":
        active = game.turn.active
        assert [c for c in predicted if c.seat != active] == [c for c in own if c.seat != active]
        return "flee"
    assert predicted == own
    if alone.question is not None:  # the next question comes at once: nothing else has happened
        assert numbers(game, real.game.monsters) == predicted
    return "alone"


def check_all_consequences(game: Game) -> None:
    """Check every open answer of the position against its consequence."""
    asked = Position.of(game).question
    if isinstance(asked, Choice):
        for option in asked.open():
            matches_its_consequence(game, Chosen(asked.seat, option.key))
