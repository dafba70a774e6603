"""Checks of the Monsters: numbers, life and death."""

from __future__ import annotations

from collections.abc import Iterator

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import MOST, check_range, shown
from companion.engine.values import Monster


def monsters(position: BasePosition, at_rest: bool) -> Iterator[str]:
    """Yield the faults of their number, of each of them, and of how many live."""
    rules, count = position.rules, len(position.game.monsters)
    if count < rules.players_min:
        yield f"monsters: {count} of them, not {rules.players_min} to {rules.players_max}"
    for monster in position.game.monsters:
        where = f"seat {monster.seat}"
        yield from check_range(where, "stars", monster.stars, 0, rules.goal_stars)
        if monster.alive:
            yield from _living(position, monster, where, at_rest)
        else:
            yield from _dead(position, monster, where)
    yield from _alone(position)


def _living(position: BasePosition, monster: Monster, where: str, at_rest: bool) -> Iterator[str]:
    """Check the numbers of a living Monster."""
    goal = position.rules.goal_stars
    if monster.health or at_rest:  # at 0 somebody may be about to fall
        yield from check_range(
            where, "health", monster.health, 1, position.health_max(monster.seat)
        )
    yield from check_range(where, "energy", monster.energy, 0, MOST)
    if monster.fallen and monster.health:
        yield f"{where}: fallen is true, not false at health {monster.health}"
    if monster.died_turn is not None:
        yield f"{where}: died_turn is {monster.died_turn}, not null for a living Monster"
    there = monster.stars >= goal
    if there and monster.reached is None:
        yield f"{where}: reached is null, not the clock's number when it came to {goal} stars"
    elif not there and monster.reached is not None:
        yield f"{where}: reached is {monster.reached}, not null below {goal} stars"
    elif monster.reached is not None:
        yield from check_range(where, "reached", monster.reached, 0, position.game.clock)
    kept = len(monster.trophies)
    if kept and not position.rules.trophies:
        yield f"{where}: trophies are {kept}, not 0: this game keeps none"


def _dead(position: BasePosition, monster: Monster, where: str) -> Iterator[str]:
    """Check that the dead have nothing but the stars they died with (NY-16.2, TK-13.3)."""
    number = position.game.turn.number
    out = {
        "health": (monster.health, 0),
        "energy": (monster.energy, 0),
        "place": (monster.place, None),
        "fallen": (monster.fallen, False),
        "reached": (monster.reached, None),
    }
    for field, (value, right) in out.items():
        if value != right:
            yield f"{where}: {field} is {shown(value)}, not {shown(right)} where alive is false"
    if monster.trophies:
        yield f"{where}: trophies are {len(monster.trophies)}, not 0 where alive is false"
    if monster.died_turn is not None:
        yield from check_range(where, "died_turn", monster.died_turn, 0, number)
    yield from _owns(position, monster, where)


def _owns(position: BasePosition, monster: Monster, where: str) -> Iterator[str]:
    in_play, seat = position.game.in_play, monster.seat
    owned = (
        *((c.name, "owner") for c in in_play.cards if c.owner == seat),
        *((f"{p.token} tokens", "seat") for p in in_play.tokens if p.seat == seat),
        *((c.kind, "seat") for c in in_play.conditions if c.seat == seat),
        *(("another turn", "seat") for e in position.game.extra if e.seat == seat),
    )
    for name, field in owned:
        yield f"{where}: out of the game, yet {field} of {name}; it owns nothing any more"


def _alone(position: BasePosition) -> Iterator[str]:
    """Check that a game ends with the turn in which all others died (NY-17.3, TK-14.1)."""
    game, alive = position.game, position.alive()
    if len(alive) > 1 or game.ended is not None:
        return
    first = 0 if game.turn.number == 1 else game.turn.number  # who died before the first turn
    if not any(m.died_turn in (first, game.turn.number) for m in game.monsters if not m.alive):
        who = f"seat {alive[0]} alone is alive" if alive else "nobody is alive"
        yield (
            f"ended is null, yet {who}; write how the game ended, or died_turn "
            f"{game.turn.number} of who died this turn"
        )
