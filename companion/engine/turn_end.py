"""Play up to the end of a turn: everything of it has happened, the next one has not begun.

Nothing here decides a rule: the last step of a turn is set aside while the others happen.
"""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.effects import TurnOver
from companion.engine.events import AnyEvent
from companion.engine.game import AnyStep, Game
from companion.engine.play import apply
from companion.engine.resolution import Outcome, run
from companion.engine.ruleset import Ruleset


def run_to_turn_end(game: Game, rules: Ruleset) -> Outcome:
    """The position once something is asked, or the turn has ended."""
    rest, end = _apart(game)
    return _with_end(run(rest, rules), end)


def apply_to_turn_end(game: Game, event: AnyEvent) -> Outcome:
    """The position after the event and what follows from it in this turn.

    Raises IllegalEvent as `apply` does.
    """
    rest, end = _apart(game)
    return _with_end(apply(rest, event), end)


def is_turn_end(game: Game) -> bool:
    """Whether nothing of the turn is left but its end."""
    return len(game.agenda) == 1 and isinstance(game.agenda[0], TurnOver)


def _apart(game: Game) -> tuple[Game, tuple[AnyStep, ...]]:
    """The game without the end of its turn, and that end."""
    if not game.agenda or not isinstance(game.agenda[0], TurnOver):
        return game, ()
    return replace(game, agenda=game.agenda[1:]), game.agenda[:1]


def _with_end(outcome: Outcome, end: tuple[AnyStep, ...]) -> Outcome:
    game = outcome.game
    if game.ended is not None:
        return outcome
    return replace(outcome, game=replace(game, agenda=(*end, *game.agenda)), now=None)
