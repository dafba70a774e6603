"""Checks of where Monsters stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import coming_effects
from companion.engine.effects.numbers import Eliminate
from companion.engine.effects.turn import ChooseStart


def places(position: BasePosition) -> Iterator[str]:
    """Yield a sentence for each Monster whose place is missing or unusable, and for each place or
    track with too many Monsters.
    """
    yield from _nowhere(position)
    standing = Counter(m.place for m in position.game.monsters if m.place is not None)
    for name, count in standing.items():
        if count > (room := position.rules.places[name].room):
            yield f"{name}: the place of {count} Monsters, not of at most {room}"
    yield from _tracks(position)
    yield from _usable(position)


def _nowhere(position: BasePosition) -> Iterator[str]:
    """Yield a sentence for each living Monster without a place that is not about to choose its
    first (NY-2.6, TK-2.1).
    """
    choosing = {e.seat for e in coming_effects(position.game) if isinstance(e, ChooseStart)}
    for monster in position.game.monsters:
        if monster.alive and monster.place is None and monster.seat not in choosing:
            places = ", ".join(position.rules.places)
            yield f"seat {monster.seat}: place is null, not one of {places}"


def _tracks(position: BasePosition) -> Iterator[str]:
    """Yield a sentence for each Monster in the city whose track has a Monster on another space
    already (NY-18.5).
    """
    tracks: dict[int, str] = {}
    for seat in position.inside():
        place = position.place(seat)
        if place is None:
            continue
        other = tracks.setdefault(place.track, place.name)
        if other != place.name:
            yield f"seat {seat}: place is {place.name}, on a track that is full with {other}"


def _usable(position: BasePosition) -> Iterator[str]:
    """Yield a sentence for each Monster on a space that needs more living Monsters; none while an
    elimination is pending.
    """
    if any(isinstance(effect, Eliminate) for effect in coming_effects(position.game)):
        return
    for seat in position.inside():
        place = position.place(seat)
        if place is not None and not position.is_usable(place):
            alive = len(position.alive())
            yield (
                f"seat {seat}: place is {place.name}, which is in the game while "
                f"{place.needs_alive} Monsters live, not {alive}"
            )
