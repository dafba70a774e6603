"""What simulated play is checked for between two positions: nothing happens twice, and every change
of a number is explained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from companion.engine.base_position import BasePosition
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.cards import CardRevealed
from companion.engine.effects.numbers import (
    Eliminate,
    Gain,
    HandOver,
    Loss,
    ReachedZero,
    StartAgain,
)
from companion.engine.effects.sources import Source
from companion.engine.effects.turn import BeginTurn, TurnOver, TurnStarted
from companion.engine.game import Game, Reaction
from companion.engine.loop import Outcome
from companion.engine.queries.explain import Happening, explain
from companion.engine.ruleset import Ruleset
from companion.engine.values import Monster, Number

_GAME: Final = "@game"
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


def misexplained(start: BasePosition, happened: Sequence[Happening]) -> tuple[str, ...]:
    """Return where the reasons of a number do not add up to it after an event, or an effect states
    another change than it made; none in a sound game.
    """
    wrong = [line for one in happened for line in unexplained(one)]
    shown = (start.game, *(one.outcome.game for one in happened))
    for monster in start.game.monsters:
        for number in start.rules.numbers:
            sums = [0] * len(shown)
            for reason in explain(start, happened, monster.seat, number):
                sums[reason.event] += reason.delta
            for step, (total, game) in enumerate(zip(accumulate(sums), shown, strict=True)):
                value = game.monsters[monster.seat].number(number)
                if value != total:
                    wrong.append(
                        f"seat {monster.seat}, {number}: {value}, explained {total}, "
                        f"after event {step}"
                    )
                    break
    return tuple(wrong)


def unexplained(one: Happening) -> tuple[str, ...]:
    """Return where a number changed otherwise than the effect states; none in a sound game.

    What the verbs say of themselves is compared with what the positions show.
    """
    states = (*one.outcome.before, one.outcome.game.monsters)
    wrong = []
    for at, effect in enumerate(one.outcome.performed):
        for old, new in zip(states[at], states[at + 1], strict=True):
            if old is new:
                continue
            for number in one.before.rules.numbers:
                shown = new.number(number) - old.number(number)
                stated = stated_change(effect, old, number, one.before.rules)
                if shown != stated:
                    name = effect.tag()
                    line = f"seat {old.seat}: {name} says {number} {stated:+}, shown {shown:+}"
                    wrong.append(line)
    return tuple(wrong)


def stated_change(effect: Effect, monster: Monster, number: Number, rules: Ruleset) -> int:
    """Return the change of the Monster's number that the effect states."""
    had = monster.number(number)
    mine = effect.seat == monster.seat
    match effect:
        case HandOver(amount=amount, to=to) if number is Number.ENERGY:
            return -amount * mine + amount * (to == monster.seat)
        case Eliminate() if mine and monster.fallen and number is not Number.STARS:
            return -had
        case StartAgain() if mine and number is not Number.ENERGY:
            return rules.health - had if number is Number.HEALTH else -had
        case Gain(adds_to=what, amount=amount) if mine and number is what:
            return amount
        case Loss(takes_from=what, amount=amount) if mine and number is what:
            return -min(had, amount)
    return 0
