"""Checks of the agenda: the content of its steps, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

from msgspec import UnsetType

from companion.engine.base_position import BasePosition
from companion.engine.checks.fields import MOST, effects_of, listed, shown
from companion.engine.checks.result import REASONS
from companion.engine.checks.turn import is_mark, is_ref, words
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.cards import CardRevealed, DrawCard, TakeFromDiscards
from companion.engine.effects.numbers import Eliminate, Heal
from companion.engine.effects.sources import Ref, Source
from companion.engine.effects.tiles import DestroyUnit, MoveUnit, SmashBuilding, TileRevealed
from companion.engine.effects.turn import Ask, BeginTurn, DiceThrown, TurnOver
from companion.engine.game import AnyStep, Part, Reaction, Together
from companion.engine.values import LASTING, TABLE

_ARRIVALS: Final = ("bought", "copied", "taken")


def agenda(position: BasePosition, at_rest: bool) -> Iterator[str]:
    """Yield the faults of each step, and of the order of all."""
    packet = False
    for at, step in enumerate(position.game.agenda):
        packet = packet or isinstance(step, Together)
        for line in _step(position, step, packet):
            yield f"agenda[{at}]: {line}"
    if at_rest and position.game.ended is None:
        yield from _order(position)


def _order(position: BasePosition) -> Iterator[str]:
    """Check the order: at the bottom the end of the turn, or before the first turn its beginning;
    above it the phases to come, the last one first, all of the active Monster.
    """
    steps, active = position.game.agenda, position.game.turn.active
    if not steps:
        return  # nothing is asked: reported where the question is derived
    bottom: tuple[type[Effect], ...] = (TurnOver if position.game.turn.number else BeginTurn,)
    if type(steps[0]) not in bottom or effects_of(steps[0])[0].seat != active:
        yield f"agenda[0]: type is not {bottom[0].__name__} of seat {active}, the active Monster"
    phases: list[type[object]] = [type(phase(active)) for phase in position.rules.phases]
    above = len(phases)
    for at, step in enumerate(steps[1:], 1):
        where, name = f"agenda[{at}]", type(step).__name__
        for effect in effects_of(step):
            if isinstance(effect, TurnOver | BeginTurn):
                yield f"{where}: type is {effect.tag()}, which only agenda[0] may be"
            elif type(effect) in phases and effect.seat != active:
                yield f"{where}: seat of {effect.tag()} is {effect.seat}, not {active}"
        if type(step) in phases:
            if phases.index(type(step)) >= above:
                yield f"{where}: type is {name}, a phase that does not come before the one below"
            above = phases.index(type(step))


def _step(position: BasePosition, step: AnyStep, packet: bool) -> Iterator[str]:
    """Check one step, and the fields of its effects."""
    if isinstance(step, Reaction):
        yield from _reaction(position, step)
    if (isinstance(step, Part) or (isinstance(step, Reaction) and step.part)) and not packet:
        yield "part of a packet, but no Together lies below it"
    happened = isinstance(step, Reaction) and not step.instead
    for effect in effects_of(step):
        kind = type(effect)
        for field, written, right in _checks(kind):
            value = getattr(effect, field)
            wanted = right(position, effect, value)
            if wanted:
                yield f"{kind.tag()}: {written} is {shown(value)}, not {wanted}"
        if not happened:
            for field, wanted in _fits(position, effect):
                value = getattr(effect, field)
                yield f"{kind.tag()}: {field} is {shown(value)}, not {wanted}"


def _reaction(position: BasePosition, step: Reaction) -> Iterator[str]:
    """Check that a Reaction's ability may exist, of its card or seat."""
    if not _is_ref(position, step.ref):
        yield f"ref is {step.ref}, not an ability of a card, token or condition that there is"
    entry = position.index.by_ref.get(step.ref)
    if entry is not None and entry.ability.mine and entry.seat != step.effect.seat:
        yield f"effect: seat is {step.effect.seat}, not {entry.seat} like the owner of {step.ref}"
    if len(step.lying) > position.rules.dice_max:
        yield f"lying are {len(step.lying)}, not 0 to {position.rules.dice_max}"
    if step.chosen and not (step.instead or step.effect.ordered):
        yield "chosen is true, not false: nobody says in which order these answer"


def _is_ref(position: BasePosition, text: str) -> bool:
    """Whether this may be the name of an ability at its carrier."""
    ref = Ref.read(text)
    return ref is not None and is_ref(position, ref)


def _is_cause(position: BasePosition, cause: str) -> bool:
    """Whether this may be an ability in a history."""
    found = Source.read(cause)
    return (
        found is not None
        and found.ability in words(position.rules)
        and (not found.carrier or found.carrier in position.rules.cards)
        and found.seat < len(position.game.monsters)
    )


# -- what a field of an effect may hold: "" or what would be right -------------------------------

Right = Callable[[BasePosition, Any, Any], str]


@lru_cache(maxsize=128)
def _checks(kind: type[AnyEffect]) -> tuple[tuple[str, str, Right], ...]:
    """Return the fields of an effect that are checked, each with its name in JSON and its rule."""
    names = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    return tuple((field, written, _RULES[field]) for field, written in names if field in _RULES)


def _amount(position: BasePosition, effect: Any, value: int) -> str:
    return "" if 0 <= value <= MOST else f"0 to {MOST}"


def _untreated(position: BasePosition, effect: Any, value: int) -> str:
    return "" if 0 <= value <= effect.amount else f"0 to its amount, {effect.amount}"


def _card(position: BasePosition, effect: Any, value: int) -> str:
    none = isinstance(effect, Ask | Heal) and value == -1
    return (
        ""
        if none or 1 <= value <= position.game.next_id
        else f"an id up to {position.game.next_id}"
    )


def _of(position: BasePosition, effect: Any, value: int | None) -> str:
    return "" if value is None else _card(position, effect, value)


def _turn(position: BasePosition, effect: Any, value: int) -> str:
    number = position.game.turn.number
    return "" if value in (number, LASTING) else f"{number} (or {LASTING}: until used)"


def _kind(position: BasePosition, effect: Any, value: Any) -> str:
    known = position.rules.conditions
    return "" if type(value) is not str or value in known else listed(tuple(known))


def _how(position: BasePosition, effect: Any, value: Any) -> str:
    return "" if type(value) is not str or value in _ARRIVALS else listed(_ARRIVALS)


def _former(position: BasePosition, effect: Any, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return "" if value in position.rules.places else listed(tuple(position.rules.places))
    most = len(position.game.monsters) - 1
    return "" if TABLE <= value <= most else f"{TABLE} to {most}"


def _reason(position: BasePosition, effect: Any, value: str) -> str:
    return "" if value in REASONS else listed(REASONS)


def _winners(position: BasePosition, effect: Any, value: tuple[int, ...]) -> str:
    alive = position.alive()
    return "" if set(value) <= set(alive) else listed(alive)


def _noted(position: BasePosition, effect: Any, value: str) -> str:
    return "" if is_mark(position, value) else "a power or question of this game"


def _mark(position: BasePosition, effect: Any, value: str) -> str:
    return "" if not value else _noted(position, effect, value)


def _occasion(position: BasePosition, effect: Any, value: int) -> str:
    return "" if 0 <= value <= position.game.clock else f"0 to the clock, {position.game.clock}"


def _seen(position: BasePosition, effect: Any, value: tuple[str, ...]) -> str:
    return "" if all(_is_ref(position, ref) for ref in value) else "abilities that there are"


def _causes(position: BasePosition, effect: Any, value: tuple[str, ...]) -> str:
    return "" if all(_is_cause(position, cause) for cause in value) else "abilities that there are"


def _source(position: BasePosition, effect: Any, value: str) -> str:
    return "" if not value or _is_cause(position, value) else "an ability that there is"


def _die(position: BasePosition, effect: Any, value: int) -> str:
    dice = len(position.game.turn.faces)
    return "" if 0 <= value < dice else f"one of the {dice} dice that lie there"


def _faces(position: BasePosition, effect: Any, value: tuple[object, ...]) -> str:
    dice = position.game.turn.dice if isinstance(effect, DiceThrown) else position.rules.dice_max
    return "" if len(value) <= dice else f"{dice} faces"


def _used_up(position: BasePosition, effect: Any, value: tuple[str, ...] | UnsetType) -> str:
    return "" if len(set(value or ())) == len(value or ()) else "each area once"


_RULES: Final[dict[str, Right]] = {
    "used_up": _used_up,
    "amount": _amount,
    "untreated": _untreated,
    "number": _amount,
    "left": _amount,
    "cost": _amount,
    "card": _card,
    "of": _of,
    "turn": _turn,
    "kind": _kind,
    "how": _how,
    "former": _former,
    "reason": _reason,
    "winners": _winners,
    "ref": _noted,
    "mark": _mark,
    "occasion": _occasion,
    "seen": _seen,
    "causes": _causes,
    "source": _source,
    "die": _die,
    "faces": _faces,
}


def _fits(position: BasePosition, effect: AnyEffect) -> Iterator[tuple[str, str]]:
    """Yield fields of an effect to come that name what does not exist, with what does."""
    game = position.game
    match effect:
        case CardRevealed(name=name) | DrawCard(name=name):
            if name not in game.deck and name not in game.discards:
                yield "name", "a card of deck or discards"
        case TakeFromDiscards(name=name):
            if name not in game.discards:
                yield "name", "a card of discards"
        case TileRevealed(name=name):
            if name not in game.tile_pool:
                yield "name", "a tile of tile_pool"
        case SmashBuilding(stack=stack, name=name):
            top = position.stack(stack)[1].top
            if name != top:
                yield "name", f"{shown(top)}, the top of stack {stack}"
        case Eliminate(seat=seat):
            if game.monsters[seat].health:
                yield "seat", "a Monster at 0 health"
        case DestroyUnit(unit=unit, kind=kind) | MoveUnit(unit=unit, kind=kind):
            there = next(u for b in game.boroughs for u in b.units if u.id == unit)
            if there.kind is not kind:
                yield "kind", f"{there.kind} like unit {unit}"
        case _:
            return
