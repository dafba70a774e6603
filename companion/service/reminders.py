"""What a table would forget, read off the position; no rule stands here that the engine has not."""

from __future__ import annotations

from companion.engine import Choice, Face, Position, Roll
from companion.service import wire
from companion.service.wire import Args, Words
from companion.table import State


def reminder_views(now: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Reminders for this moment; the id stays the same as long as the reason does."""
    if now.game.ended is not None or now.game.turn.number == 0:
        return ()
    return (
        *_inside(now),
        *_by_hand(now, state),
        *_closed(now),
        *_at_the_goal(now),
        *_fresh_units(now, state),
    )


def _inside(now: Position) -> tuple[wire.Reminder, ...]:
    """Reminders for who rolls in the city: which Monsters claws hit, and whether hearts help."""
    active = now.game.turn.active
    if not now.is_inside(active) or now.game.turn.final:
        return ()
    args: Args = {"seat": active}
    found = [_one(now, "reminder.attack_out", "attack", args, active)]
    hurt = now.game.monsters[active].health < now.health_max(active)
    if hurt and not any(row.changes for row in now.preview((Face.HEAL,)).rows):
        found.append(_one(now, "reminder.no_heal", "heal", args, active))
    return tuple(found)


def _by_hand(now: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Cards the engine cannot carry out yet are carried out by their owners."""
    if not isinstance(state.question, Roll):
        return ()
    active = now.game.turn.active
    return tuple(
        _one(now, "reminder.card_by_hand", "cards", {"seat": active, "card": card.name}, active)
        for card in now.game.in_play.cards
        if card.owner == active and not now.rules.cards[card.name].finished
    )


def _closed(now: Position) -> tuple[wire.Reminder, ...]:
    """Places that so few Monsters do not use any more."""
    dead = any(not monster.alive for monster in now.game.monsters)
    seats = len(now.game.monsters)
    closed = [
        place
        for place in now.rules.places.values()
        if place.entry and place.needs_alive <= seats and not now.is_usable(place)
    ]
    if not dead or not closed:
        return ()
    count = len(now.alive())
    return tuple(
        _one(now, "reminder.place_closed", "lock", {"place": place.name, "count": count}, None)
        for place in closed
    )


def _at_the_goal(now: Position) -> tuple[wire.Reminder, ...]:
    """Stars win at the end of a turn only, and only the living."""
    return tuple(
        _one(now, "reminder.survive", "victory_star", {"seat": monster.seat}, None)
        for monster in now.game.monsters
        if monster.alive and monster.reached is not None
    )


def _fresh_units(now: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Units that came up this turn stay."""
    if not isinstance(state.question, Choice) or state.question.window != "destroy":
        return ()
    seat = state.question.seat
    fresh = [unit for unit in now.units(seat) if unit.turn == now.game.turn.number]
    if not fresh:
        return ()
    return (_one(now, "reminder.new_unit", fresh[0].kind.value, {"count": len(fresh)}, seat),)


def _one(now: Position, key: str, sign: str, args: Args, seat: int | None) -> wire.Reminder:
    parts = [key.removeprefix("reminder."), str(now.game.turn.number)]
    parts += [str(value) for value in args.values()]
    return wire.Reminder(
        id="-".join(parts),
        sign=sign,
        words=Words(key=key, args=args),
        clause=now.rules.clause(key) or None,
        seat=seat,
    )
