"""Invariants of every position, and from one position to the next.

A broken one is reported as a sentence, to tests, `simulate` and hand-written positions.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine.base_position import BasePosition
from companion.engine.checks import faults
from companion.engine.checks.references import dangling_references
from companion.engine.effects import AnyEffect
from companion.engine.effects.cards import CardRevealed
from companion.engine.effects.numbers import Eliminate, ReachedZero
from companion.engine.effects.sources import Source
from companion.engine.effects.turn import BeginTurn, TurnOver, TurnStarted
from companion.engine.game import Game, Reaction
from companion.engine.games.registry import rules_of
from companion.engine.questions import Choice
from companion.engine.resolution.loop import Outcome, question


def check(game: Game) -> tuple[str, ...]:
    """Return each broken invariant as one line; none for a sound position."""
    strange = tuple(dangling_references(game))
    if strange:  # nothing else can be asked of such a position
        return strange
    position = BasePosition.build(game, rules_of(game))
    return (*faults(position, at_rest=True), *_question(position))


_GAME = "@game"
"""How the source of what the game itself does ends."""


class InvariantTracker:
    """Checks invariants between the events of one game; `follow` is called for each, in order.

    A turn has each of its phases once, a question that was answered is not asked again, and only a
    Monster at 0 health falls: no single position shows any of these.
    """

    def __init__(self) -> None:
        self._had: set[tuple[type[AnyEffect], str]] = set()
        self._answered: list[Reaction] = []

    def follow(self, before: Game, outcome: Outcome[BasePosition]) -> tuple[str, ...]:
        """Return what the event that led from `before` to this outcome broke, one line each."""
        return (
            *self._phases(outcome),
            *self._questions(before, outcome.game),
            *_falls(outcome),
        )

    def _phases(self, outcome: Outcome[BasePosition]) -> Iterator[str]:
        """Check that no phase comes twice in a turn; an ability may bring one forward."""
        seat = outcome.game.turn.active
        phases = {type(phase(seat)) for phase in outcome.position.rules.phases}
        for effect in outcome.performed:
            kind = type(effect)
            if isinstance(effect, BeginTurn):
                self._had.clear()
                self._answered.clear()
            elif kind in phases or isinstance(effect, TurnStarted | TurnOver):
                if {(kind, effect.source), (kind, _GAME)} & self._had:
                    yield f"{kind.__name__} again in turn {outcome.game.turn.number}"
                source = Source.read(effect.source)
                by_game = source is not None and source.of_the_rules
                self._had.add((kind, _GAME if by_game else effect.source))

    def _questions(self, before: Game, after: Game) -> Iterator[str]:
        asked, asks = (game.agenda[-1:] for game in (before, after))
        for each in asked:
            if isinstance(each, Reaction) and not any(each is step for step in after.agenda):
                self._answered.append(each)
        for each in asks:
            if isinstance(each, Reaction) and any(_same(each, old) for old in self._answered):
                yield f"{each.ref} asks again about {each.effect}"


def _falls(outcome: Outcome[BasePosition]) -> Iterator[str]:
    """Check that only Monsters at 0 health fall or are eliminated."""
    for effect, monsters in zip(outcome.performed, outcome.before, strict=True):
        if isinstance(effect, ReachedZero | Eliminate) and monsters[effect.seat].health:
            health = monsters[effect.seat].health
            yield f"{type(effect).__name__} of seat {effect.seat} at {health} health"


def _same(one: Reaction, other: Reaction) -> bool:
    """Whether both are the same ability answering the same effect. Which of several abilities comes
    first is a different question from what that ability asks.
    """
    if (one.ref, one.chosen) != (other.ref, other.chosen) or one.lying:
        return False  # dice that may be thrown again are another question each time
    if isinstance(one.effect, CardRevealed) and isinstance(other.effect, CardRevealed):
        return one.effect.card == other.effect.card  # a card turns up once
    return one.effect is other.effect


def _question(position: BasePosition) -> Iterator[str]:
    """Check that a game in play asks something, of a living seat, with a way to answer."""
    game = position.game
    if game.ended is not None:
        return
    asked = question(position)
    if asked is None:
        yield "agenda: it leads to no question, yet the game has not ended (ended is null)"
        return
    if not game.agenda or not isinstance(game.agenda[-1], Reaction):
        yield "a question without its Reaction on top"
    if not position.is_alive(asked.seat):
        yield f"{asked.key} is asked of the dead"
    if isinstance(asked, Choice):
        keys = [option.key for option in asked.options]
        if len(set(keys)) != len(keys):
            yield f"{asked.key}: two options share a key"
        if not asked.open():
            yield f"{asked.key}: no way out"
