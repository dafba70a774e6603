"""Cards of attacks, and of staying in Tokyo."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Quantity, Query, Stage, Whenever
from companion.engine.base_position import My
from companion.engine.effects import Effect
from companion.engine.effects.cards import AddCondition, CardArrived, EndCondition
from companion.engine.effects.numbers import Damage, GainStars
from companion.engine.effects.sources import Mark, Ref
from companion.engine.effects.turn import MarkUsed, MoveTo, ResolveFace, ResolvePhase, TurnStarted
from companion.engine.game import Together
from companion.engine.questions import Answer
from companion.engine.shared.cards import (
    arrives,
    attacks_harder,
    keep,
    my_deed,
    my_deed_to_another,
    to_another,
)
from companion.engine.shared.decorators import instead_of, modifies, whenever
from companion.engine.shared.moving import targets
from companion.engine.values import Face, How


def _always(my: My, hurt: Damage) -> bool:
    """True: any attack."""
    return True


def _in_tokyo(my: My, hurt: Damage) -> bool:
    """Whether the owner is in Tokyo."""
    return my.position.is_inside(my.seat)


def _acid_used(my: My) -> Mark:
    return Mark(Ref.of_card(my.card_id, "acid_is_used"), seat=my.seat)


def _acid_left(my: My, _: Effect) -> bool:
    """Whether this turn's acid has not been used yet (H31)."""
    return not my.has_used(_acid_used(my))


def _spray(my: My) -> Answer:
    """Deal 1 damage to those the owner could attack, not as an attack, and note it for
    this turn.
    """
    hurt = tuple(Damage(s, 1, my.seat) for s in targets(my.position, my.seat))
    return (MarkUsed(my.seat, str(_acid_used(my))), Together(hurt)) if hurt else None


@whenever(ResolvePhase, mine=True, clause="TK-16.11")
def acid_without_claws(my: My, phase: ResolvePhase) -> Answer:
    """On your turns without a claw: 1 damage to those you could attack; no attack (H25)."""
    return None if my.position.count(Face.ATTACK) or not _acid_left(my, phase) else _spray(my)


@whenever(CardArrived, mine=True, when=arrives, clause="TK-16.11")
def acid_when_it_comes(my: My, arrived: CardArrived) -> Answer:
    """In your own turn it works at once, as a copy too, unless acid of yours has worked this turn
    (H31).
    """
    marks = map(Mark.read, my.game.turn.used)
    used = any(m and m.word == "acid_is_used" and m.seat == my.seat for m in marks)
    return _spray(my) if my.is_active and not used else None


@whenever(Damage, once=True, at_once=True, when=my_deed)
def acid_is_used(my: My, hurt: Damage) -> Answer:
    """Your claws carried its damage: this turn's acid is used (H31)."""
    brought = str(Ref.of_card(my.card_id, "harder")) in hurt.seen
    return MarkUsed(my.seat, str(_acid_used(my))) if brought else None


@whenever(ResolveFace, mine=True, clause="TK-7.4")
def lead_the_pack(my: My, group: ResolveFace) -> Answer:
    """1 star in each turn in which you attack."""
    return GainStars(my.seat, 1) if group.face is Face.ATTACK else None


@modifies(Quantity.TARGET, mine=True)
def breathe_everywhere(my: My, query: Query, hit: int) -> int:
    """Your claws hit all others, wherever they are (B7)."""
    return 1


@instead_of(Damage, Stage.ADD, when=my_deed_to_another)
def hungrier_in_tokyo(my: My, hurt: Damage) -> Answer:
    """In Tokyo you deal 1 damage more each time you deal any."""
    return replace(hurt, amount=hurt.amount + 1) if my.position.is_inside(my.seat) else None


@whenever(TurnStarted, mine=True)
def eat_the_city(my: My, started: TurnStarted) -> Answer:
    """1 star more for starting your turn in Tokyo."""
    return GainStars(my.seat, 1) if my.position.is_inside(my.seat) else None


@whenever(MoveTo, mine=True, at_once=True)
def leave_a_tunnel(my: My, move: MoveTo) -> Answer:
    """When you yield, the next Monster in that space will fall into your tunnel (C22), whatever the
    damage you flee from does to the card (H34).
    """
    if move.how is not How.FLEE or move.former is None:
        return None
    return AddCondition(my.seat, f"tunnel_{move.former}", my.game.turn.number)


def tunnel(place: str) -> Whenever:
    """Make an ability: another Monster that enters this space takes 1 damage, not by an attack
    (C22).
    """

    @whenever(MoveTo, when=to_another)
    def fall_in(my: My, move: MoveTo) -> Answer:
        if move.how is not How.ENTER or move.place != place:
            return None
        return (EndCondition(my.seat, f"tunnel_{place}"), Damage(move.seat, 1, my.seat))

    return fall_in


CARDS = (
    keep(
        "acid_attack",
        6,
        attacks_harder(1, _acid_left),
        acid_without_claws,
        acid_when_it_comes,
        acid_is_used,
    ),
    keep("alpha_monster", 5, lead_the_pack),
    keep("burrowing", 5, attacks_harder(1, _in_tokyo), leave_a_tunnel),
    keep("nova_breath", 7, breathe_everywhere),
    keep("spiked_tail", 5, attacks_harder(1, _always)),
    keep("urbavore", 4, eat_the_city, hungrier_in_tokyo),
)
