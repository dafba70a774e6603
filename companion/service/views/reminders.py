"""Reminders of what a table would forget, made from the position; all rules are the engine's."""

from __future__ import annotations

from companion.engine import Choice, Face, Number, Position, Roll
from companion.service import wire
from companion.service.wire import Args, Words
from companion.table import State

FORGOTTEN = {
    "reminder.attack_out": (Number.HEALTH,),
    "reminder.no_heal": (Number.HEALTH,),
    "reminder.new_unit": (Number.STARS, Number.ENERGY, Number.HEALTH),
}
"""Reminders of rules that players learn, with the numbers that are wrong where it was forgotten."""


def reminder_views(position: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Return the reminders of this position; one with the same reason keeps its id."""
    if position.game.ended is not None or position.game.turn.number == 0:
        return ()
    return (
        *_inside(position),
        *_by_hand(position, state),
        *_closed(position),
        *_at_the_goal(position),
        *_fresh_units(position, state),
    )


def _inside(position: Position) -> tuple[wire.Reminder, ...]:
    """Return reminders for a roll in the city: which Monsters claws hit, whether hearts heal."""
    active = position.game.turn.active
    if not position.is_inside(active) or position.game.turn.final:
        return ()
    args: Args = {"seat": active}
    found = [_reminder(position, "reminder.attack_out", "attack", args, active)]
    hurt = position.game.monsters[active].health < position.health_max(active)
    if hurt and not any(row.changes for row in position.preview((Face.HEAL,)).rows):
        found.append(_reminder(position, "reminder.no_heal", "heal", args, active))
    return tuple(found)


def _by_hand(position: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Return reminders of cards that the engine cannot carry out yet, so their owners do."""
    if not isinstance(state.question, Roll):
        return ()
    active = position.game.turn.active
    return tuple(
        _reminder(
            position, "reminder.card_by_hand", "cards", {"seat": active, "card": card.name}, active
        )
        for card in position.game.in_play.cards
        if card.owner == active and not position.rules.cards[card.name].finished
    )


def _closed(position: Position) -> tuple[wire.Reminder, ...]:
    """Return reminders of places that are not used with so few Monsters any more."""
    dead = any(not monster.alive for monster in position.game.monsters)
    seats = len(position.game.monsters)
    closed = [
        place
        for place in position.rules.places.values()
        if place.entry and place.needs_alive <= seats and not position.is_usable(place)
    ]
    if not dead or not closed:
        return ()
    count = len(position.alive())
    return tuple(
        _reminder(
            position, "reminder.place_closed", "lock", {"place": place.name, "count": count}, None
        )
        for place in closed
    )


def _at_the_goal(position: Position) -> tuple[wire.Reminder, ...]:
    """Return reminders of who has the stars to win, at the end of a turn and only if alive."""
    return tuple(
        _reminder(position, "reminder.survive", "victory_star", {"seat": monster.seat}, None)
        for monster in position.game.monsters
        if monster.alive and monster.reached is not None
    )


def _fresh_units(position: Position, state: State) -> tuple[wire.Reminder, ...]:
    """Return a reminder of Units that came up this turn and so stay."""
    if not isinstance(state.question, Choice) or state.question.window != "destroy":
        return ()
    seat = state.question.seat
    fresh = [unit for unit in position.units(seat) if unit.turn == position.game.turn.number]
    if not fresh:
        return ()
    return (
        _reminder(position, "reminder.new_unit", fresh[0].kind.value, {"count": len(fresh)}, seat),
    )


def _reminder(
    position: Position, key: str, sign: str, args: Args, seat: int | None
) -> wire.Reminder:
    parts = [key.removeprefix("reminder."), str(position.game.turn.number)]
    parts += [str(value) for value in args.values()]
    return wire.Reminder(
        id="-".join(parts),
        sign=sign,
        words=Words(key=key, args=args),
        clause=position.rules.clause(key) or None,
        seat=seat,
        numbers=FORGOTTEN.get(key, ()),
    )
