"""Whether an answer does what its consequence says; every card's test asks it too."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from companion.engine import Position, changed
from companion.engine.events import Chosen, PowerUsed
from companion.engine.game import Game, Reaction
from companion.engine.questions import Choice
from companion.engine.resolution.play import outcome_of_answer
from companion.engine.values import Change, Monster


def numbers(game: Game, monsters: tuple[Monster, ...]) -> tuple[Change, ...]:
    """What is another number than in the game."""
    return changed(game, replace(game, monsters=monsters))


def does_what_it_says(game: Game, event: Chosen | PowerUsed) -> str:
    """The kind of answer, which changes exactly what its consequence says before the turn goes on.

    There are two honest exceptions. Inside a packet (`part`) what the answer does happens together
    with the other parts: its effects all come, but later and beside others. Fleeing (`flee`) tells
    the entering of the attacker as well, which happens only after the dice.
    """
    asked = Position.of(game).question
    told, alone = Position.of(game).consequences(event), outcome_of_answer(Position.of(game), event)
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
        assert [c for c in told if c.seat != active] == [c for c in own if c.seat != active]
        return "flee"
    assert told == own
    if alone.question is not None:  # the next question comes at once: nothing else has happened
        assert numbers(game, real.game.monsters) == told
    return "alone"


def all_do_what_they_say(game: Game) -> None:
    """Every open answer of the position changes exactly what its consequence says."""
    asked = Position.of(game).question
    if isinstance(asked, Choice):
        for option in asked.open():
            does_what_it_says(game, Chosen(asked.seat, option.key))
