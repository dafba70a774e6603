"""Asking abilities for their answers to an effect, and which comes first where several answer."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from companion.engine.abilities import Instead, Quantity, Stage
from companion.engine.base_position import BasePosition, mine
from companion.engine.effects import AnyEffect
from companion.engine.effects.numbers import Damage
from companion.engine.index import AnyCarried, CarriedAbility
from companion.engine.questions import Answer, Choice, Option, Roll
from companion.engine.values import Face


def ask(position: BasePosition, entry: AnyCarried, effect: AnyEffect) -> Answer:
    """Ask an ability for its answer to an effect in this position."""
    answer: Answer = entry.ability.steps(mine(position, entry), effect)
    return answer


def of_same_stage(
    position: BasePosition, entry: CarriedAbility[Instead], effect: AnyEffect
) -> tuple[CarriedAbility[Instead], ...]:
    """Return replacing abilities of the same stage that have not treated the effect yet."""
    stage = entry.ability.stage
    if stage < Stage.PREVENT:
        return ()
    return tuple(
        other
        for other in position.index.insteads.get(type(effect), ())
        if other.ability.stage is stage
        and (other.seat == effect.seat or not other.ability.mine)
        and other.ref not in effect.seen
        and other.cause not in effect.causes
    )


def answering_cards(
    position: BasePosition, entry: AnyCarried, found: Iterable[AnyCarried], effect: AnyEffect
) -> tuple[AnyCarried, ...]:
    """Return the cards of one owner, among those found, that answer the effect now; of a card and
    its copy the older one.
    """
    kinds: dict[str, AnyCarried] = {}
    for other in found:
        mine = other.card is not None and other.seat == entry.seat and other.cause not in kinds
        if mine and ask(position, other, effect) is not None:
            kinds[other.cause] = other
    return tuple(kinds.values())


def with_free_rerolls(position: BasePosition, roll: Roll, thrown: tuple[Face, ...]) -> Roll:
    """Return the question of a throw that is not the turn's own, with what its owner may throw
    again free of rolls: such rerolls hold for all its dice (H32). `thrown`: the dice of
    the throw before, if any.
    """
    is_thrown = len(thrown) == roll.dice
    if not (is_thrown or position.is_modified(Quantity.ROLL_COST)):
        return roll
    owner = roll.seat if roll.owner is None else roll.owner
    loose = tuple(face for face in position.rules.faces if position.is_loose(owner, face))
    if not is_thrown:
        return replace(roll, loose=loose, counted=bool(loose), more=bool(loose))
    free = tuple(die for die, face in enumerate(thrown) if face in loose)
    return replace(
        roll,
        seat=owner,
        loose=loose,
        counted=True,
        more=bool(free),
        showing=thrown,
        free=free,
        prices=(0,) * roll.dice,
    )


def which_first(
    position: BasePosition, rivals: tuple[AnyCarried, ...], effect: AnyEffect
) -> Choice:
    """Ask the owner of several answering cards which comes first (NY-G3, TK-G1)."""
    options = tuple(Option("card", card=e.card, first=e.ref) for e in rivals)
    seat, clause = rivals[0].seat, position.rules.clause("which_first")
    if not isinstance(effect, Damage):
        return Choice(seat, "which_first", options, "order", clause)
    return Choice(seat, "saved_by", options, "order", clause, (("amount", effect.amount),))
