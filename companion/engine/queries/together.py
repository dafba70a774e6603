"""Two Monsters of the city hit by one attack: both may be asked at the same time."""

from __future__ import annotations

from companion.engine.base_position import BasePosition
from companion.engine.events import Chosen
from companion.engine.queries.preview import changed
from companion.engine.questions import Choice, Option
from companion.engine.resolution.loop import P, question
from companion.engine.resolution.play import apply, outcome_of_answer
from companion.engine.values import Change, Seat, Value


class Pair(Value, frozen=True):
    """What the answers of two Monsters to one attack lead to: where the attacker then enters the
    city, if it does, and what that changes for it. `flees`: the one asked now, `other_flees`: the
    one asked after it.
    """

    flees: bool
    other_flees: bool
    place: str | None
    changes: tuple[Change, ...] = ()


def asked_next(position: BasePosition) -> Choice | None:
    """Return the question of the second Monster that the attack hit, as it is where the first one
    stays; None unless it is asked whatever the first one answers.
    """
    asked = _flight(position)
    if asked is None:
        return None
    found = [_second(position, asked, option) for option in _kinds(asked)]
    first = found[0] if found else None
    if first is None or any(one is None or one[1].seat != first[1].seat for one in found):
        return None
    return first[1]


def pairs(position: BasePosition) -> tuple[Pair, ...]:
    """Return what each pair of answers leads to, where two Monsters are asked; else nothing."""
    asked = _flight(position)
    if asked is None or asked_next(position) is None:
        return ()
    found: list[Pair] = []
    for option in _kinds(asked):
        second = _second(position, asked, option)
        assert second is not None
        after, then = second
        found += (_pair(after, then, option, other) for other in _kinds(then))
    return tuple(found)


def _pair(position: BasePosition, then: Choice, option: Option, other: Option) -> Pair:
    active = position.game.turn.active
    event = Chosen(then.seat, other.key)
    alone = outcome_of_answer(position, event, (position.rules.entering(active),))
    flees, other_flees = option.place is not None, other.place is not None
    if alone is None or not alone.position.is_inside(active):
        return Pair(flees, other_flees, None)
    changes = changed(position.game, alone.game)
    return Pair(
        flees,
        other_flees,
        alone.game.monsters[active].place,
        tuple(change for change in changes if change.seat == active),
    )


def _flight(position: BasePosition) -> Choice | None:
    """Return the open question where it is whether to leave the city."""
    asked = question(position)
    return asked if isinstance(asked, Choice) and asked.window == "flee" else None


def _kinds(choice: Choice) -> tuple[Option, ...]:
    """Return staying and the first way out: where somebody flees to changes nothing here."""
    stay = [option for option in choice.open() if option.place is None]
    away = [option for option in choice.open() if option.place is not None]
    return (*stay[:1], *away[:1])


def _second(position: P, asked: Choice, option: Option) -> tuple[P, Choice] | None:
    """Return the question to another Monster that follows at once, with its position."""
    after = apply(position, Chosen(asked.seat, option.key)).position
    then = _flight(after)
    if then is None or _other_attack(position, after, asked.seat, then.seat):
        return None
    return after, then


def _other_attack(before: BasePosition, after: BasePosition, one: Seat, other: Seat) -> bool:
    return one == other or before.game.turn.number != after.game.turn.number
