"""Checks of the record of the turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from functools import lru_cache

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import MOST, check_distinct, check_range, coming_effects
from companion.engine.checks.tiles import in_the_box
from companion.engine.effects.sources import Mark, Ref
from companion.engine.effects.turn import BeginTurn, RollPhase
from companion.engine.game import Reaction
from companion.engine.ruleset import Ruleset
from companion.engine.values import TABLE, Deed


def turn(position: BasePosition, at_rest: bool) -> Iterator[str]:
    """Yield the faults of who plays, of the dice, and of what the turn remembers."""
    yield from _begun(position)
    yield from _dice(position, at_rest)
    yield from _remembered(position)


def _begun(position: BasePosition) -> Iterator[str]:
    game, record = position.game, position.game.turn
    active = game.monsters[record.active]
    if not active.alive and active.died_turn != record.number and game.ended is None:
        living = ", ".join(map(str, position.alive()))
        yield f"turn: active is {record.active}, who is out of the game, not one of {living}"
    at_start = sum(m.alive or m.died_turn in (None, record.number) for m in game.monsters)
    entries = (place for place in position.rules.places.values() if place.entry)
    most = sum(place.needs_alive <= at_start for place in entries)
    yield from check_range("turn", "inside_at_start", record.inside_at_start, 0, most)


def _dice(position: BasePosition, at_rest: bool) -> Iterator[str]:
    record, most = position.game.turn, position.rules.dice_max
    thrown = len(record.faces)
    if thrown > most:
        yield f"turn: faces are {thrown}, not 0 to {most}"
    yield from check_range("turn", "rolls_left", record.rolls_left, 0, MOST)
    yield from check_range("turn", "dice", record.dice, 0, most)
    if thrown and thrown != record.dice:
        yield f"turn: faces are {thrown}, not {record.dice} like its dice"
    if record.final and thrown != record.dice:
        yield f"turn: final is true, not false before all {record.dice} dice are thrown"
    if not record.final:
        for field in ("added", "spent", "resolved", "claimed"):
            if getattr(record, field):
                yield f"turn: {field} is set, not empty before the dice are final"
    if len(record.added) > MOST:
        yield f"turn: added are {len(record.added)}, not 0 to {MOST}"
    for field in ("spent", "order", "resolved"):
        yield from check_distinct("turn", field, getattr(record, field))
    agenda = position.game.agenda
    if at_rest or (agenda and isinstance(agenda[-1], Reaction)):
        yield from _rolling(position)


def _rolling(position: BasePosition) -> Iterator[str]:
    """Check that the dice are final exactly when the roll is over (NY-5.5)."""
    game = position.game
    if game.ended is not None or not game.agenda or not position.is_alive(game.turn.active):
        return
    effects = tuple(coming_effects(game))
    begins = any(isinstance(effect, BeginTurn) for effect in effects)
    rolls = any(isinstance(effect, RollPhase) for effect in effects)
    if game.turn.final and (rolls or begins):
        yield "turn: final is true, not false while the roll is to come"
    if not game.turn.final and not rolls and not begins:
        yield "turn: final is false, not true after the roll"


def _remembered(position: BasePosition) -> Iterator[str]:
    game, record = position.game, position.game.turn
    box = in_the_box(position.rules)
    for name, count in Counter(record.destroyed).items():
        if count > box[name]:
            yield f"turn: destroyed has {name} {count} times, not at most {box[name]}"
    for row in record.tally:
        where = f"turn: tally of {row.deed}"
        yield from check_range(where, "amount", row.amount, 0, MOST)
        if row.seat == TABLE:
            yield f"{where}: seat is {row.seat}, not 0 to {len(game.monsters) - 1}"
        elif row.deed is Deed.ENERGY_GAINED and row.by != row.seat:
            yield f"{where}: by is {row.by}, not {row.seat} like its seat"
    yield from check_distinct("turn", "used", record.used)
    for mark in record.used:
        if not is_mark(position, mark):
            yield f"turn: used holds {mark}, not only powers and questions of this game"


def is_mark(position: BasePosition, text: str) -> bool:
    """Whether a turn may remember this: an ability or one of the game's own words, of a card, a
    seat and a moment that exist.
    """
    mark = Mark.read(text)
    if mark is None or (mark.clock or 0) > position.game.clock:
        return False
    if isinstance(mark.what, Ref):
        named = is_ref(position, mark.what)
    else:
        named = mark.what in words(position.rules)
    cards = (card for card in (mark.carrier, mark.about) if card is not None)
    return (
        named
        and all(0 < card < position.game.next_id for card in cards)
        and (mark.seat is None or mark.seat < len(position.game.monsters))
    )


def is_ref(position: BasePosition, ref: Ref) -> bool:
    """Whether this may be the name of an ability at its carrier."""
    if ref.ability not in words(position.rules):
        return False
    match ref.kind:
        case "game":
            return True
        case "card":
            return 0 < int(ref.carrier) < position.game.next_id
        case "token":
            known: Container[str] = position.rules.tokens
        case _:
            known = position.rules.conditions
    return ref.carrier in known and ref.seat < len(position.game.monsters)


@lru_cache(maxsize=64)
def words(rules: Ruleset) -> frozenset[str]:
    """Return the names of all abilities of a game, and its own words for marks."""
    carriers = (
        rules.abilities,
        *(card.abilities for card in rules.cards.values()),
        *rules.tokens.values(),
        *rules.conditions.values(),
    )
    return rules.marks | {ability.name for abilities in carriers for ability in abilities}
