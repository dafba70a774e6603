"""Playing up to the end of a turn: all of it has happened, the next one has not begun.

Nothing here decides a rule: the last step of a turn is set aside while the others happen.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.effects.turn import TurnOver
from companion.engine.events import AnyEvent
from companion.engine.game import AnyStep, Game
from companion.engine.resolution.loop import Outcome, P, run
from companion.engine.resolution.play import apply


def run_to_turn_end(position: P) -> Outcome[P]:
    """Return the position once something is asked, or the turn has ended."""
    rest, end = _apart(position)
    return _with_end(run(rest), end)


def apply_to_turn_end(position: P, event: AnyEvent) -> Outcome[P]:
    """Return the position after the event and what follows from it in this turn.

    Raises IllegalEvent as `apply` does.
    """
    rest, end = _apart(position)
    return _with_end(apply(rest, event), end)


def is_turn_end(game: Game) -> bool:
    """Whether nothing of the turn is left but its end."""
    return len(game.agenda) == 1 and isinstance(game.agenda[0], TurnOver)


def _apart(position: P) -> tuple[P, tuple[AnyStep, ...]]:
    """Split the position from the end of its turn."""
    game = position.game
    if not game.agenda or not isinstance(game.agenda[0], TurnOver):
        return position, ()
    return position.moved_on(replace(game, agenda=game.agenda[1:])), game.agenda[:1]


def _with_end(outcome: Outcome[P], end: tuple[AnyStep, ...]) -> Outcome[P]:
    game = outcome.game
    if game.ended is not None:
        return outcome
    position = outcome.position.moved_on(replace(game, agenda=(*end, *game.agenda)))
    return replace(outcome, position=position)
