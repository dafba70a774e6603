"""Effects in the order in which they were performed, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from companion import engine
from companion.engine import Effect, Happening, Monster, Number, Origin


@dataclass(frozen=True, slots=True)
class Step:
    """An effect that was performed: in which event, at which place, and where it comes from."""

    event: Happening
    at: int
    effect: Effect
    origin: Origin

    def monsters(self, *, after: bool) -> tuple[Monster, ...]:
        """Return the Monsters before or after this effect."""
        outcome = self.event.outcome
        at = self.at + after
        return outcome.before[at] if at < len(outcome.before) else outcome.game.monsters

    def number(self, seat: int, what: Number, *, after: bool) -> int:
        """Return a number of a Monster before or after this effect."""
        return self.monsters(after=after)[seat].number(what)


def steps_of(known: Sequence[Happening], earlier: Iterable[Happening] = ()) -> list[Step]:
    """Return the effects of these events in order; `earlier` as for `outcomes`."""
    steps: list[Step] = []
    for n, one in enumerate(known):
        treated = engine.treated_before(one.before.game, chain(reversed(known[:n]), earlier))
        origins = engine.origins(one, (*treated, *one.outcome.treated))
        performed = one.outcome.performed
        steps += [
            Step(one, at, effect, origin)
            for at, (effect, origin) in enumerate(zip(performed, origins, strict=True))
        ]
    return steps
