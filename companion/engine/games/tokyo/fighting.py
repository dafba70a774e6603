"""Cards of Tokyo about attacks and damage, and its Poison and Shrink tokens."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Instead, Quantity, Query, Stage, Whenever
from companion.engine.base_position import My
from companion.engine.effects import Effect
from companion.engine.effects.cards import AddCondition, CardArrived, DropCard, EndCondition
from companion.engine.effects.numbers import (
    Damage,
    Eliminate,
    GainEnergy,
    GainStars,
    ReachedZero,
    SpendEnergy,
    StartAgain,
)
from companion.engine.effects.sources import Mark, Ref
from companion.engine.effects.turn import (
    EndPhase,
    MarkUsed,
    MoveTo,
    ResolveFace,
    ResolvePhase,
    TurnStarted,
)
from companion.engine.game import Step, Together
from companion.engine.questions import Answer, Choice, Option, Roll
from companion.engine.shared.abilities import (
    arrives,
    attacks_harder,
    instead_of,
    keep,
    modifies,
    my_deed,
    my_deed_to_another,
    occasion,
    spend_on_tokens,
    to_another,
    whenever,
    wounded_get,
)
from companion.engine.shared.moving import escapes, may_yield, targets
from companion.engine.values import Face, How, Token

# -- cards of attacks, and of staying in Tokyo -----------------------------------------------------


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
    """Deal 1 damage to those the owner could attack, not as an attack, and note that it did."""
    hurt = tuple(Damage(s, 1, my.seat) for s in targets(my.position, my.seat))
    return (MarkUsed(my.seat, str(_acid_used(my))), Together(hurt)) if hurt else None


@whenever(ResolvePhase, mine=True, clause="TK-16.11")
def acid_without_claws(my: My, phase: ResolvePhase) -> Answer:
    """On your turns without a claw: 1 damage to those you could attack; no attack (H25)."""
    return None if my.position.count(Face.ATTACK) or not _acid_left(my, phase) else _spray(my)


@whenever(CardArrived, mine=True, when=arrives, clause="TK-16.11")
def acid_when_it_comes(my: My, arrived: CardArrived) -> Answer:
    """In your own turn it works at once, as a copy too, unless acid of yours has already (H31)."""
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
    """When you yield, the next Monster that takes Tokyo will fall into your tunnel (C22), whatever
    the damage you flee from does to the card (H34). The card and its copy in one hand dig two.
    """
    if move.how is not How.FLEE or move.former is None:
        return None
    copied = my.card.copies is not None and my.position.card(my.card.copies)
    under = "copied" if copied and copied.owner == my.seat else move.former
    return AddCondition(my.seat, f"tunnel_{under}", my.game.turn.number)


def tunnel(kind: str) -> Whenever:
    """Make an ability: another Monster that enters Tokyo, City or Bay, takes 1 damage, not by an
    attack, and the tunnel of this kind is used up (C22, H36).
    """

    @whenever(MoveTo, when=to_another, clause="TK-16.24")
    def fall_in(my: My, move: MoveTo) -> Answer:
        if move.how is not How.ENTER:
            return None
        return (EndCondition(my.seat, kind), Damage(move.seat, 1, my.seat))

    return fall_in


# -- cards that react to damage, to reaching 0 health and to elimination ---------------------------


def _cancel(my: My, hurt: Damage, points: int) -> Roll:
    """Ask for a die roll for each point, as many as the box has; others wait (TK-4.3)."""
    dice = min(points, my.rules.dice_max)

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        left = hurt.amount - faces.count(Face.HEAL)
        return (replace(hurt, amount=left, untreated=points - dice),)

    free, about = tuple(range(dice)), (("amount", hurt.amount),)
    return Roll(my.seat, "cancel", dice, thrown, free=free, window="hurt", about=about)


@instead_of(Damage, mine=True, clause="TK-7.5")
def hearts_cancel_damage(my: My, hurt: Damage) -> Answer:
    """Roll a die for each point of damage to you; each heart cancels one (H14)."""
    return None if hurt.untreated else _cancel(my, hurt, hurt.amount)


@instead_of(Damage, mine=True)
def roll_for_the_rest(my: My, hurt: Damage) -> Answer:
    """More points than dice: a second roll for the points that waited (H14)."""
    return _cancel(my, hurt, hurt.untreated) if hurt.untreated else None


@instead_of(Damage, mine=True, clause="TK-16.18")
def take_wing(my: My, hurt: Damage) -> Answer:
    """You may pay 2 energy to lose no health for the rest of the turn (H13)."""
    if my.monster.energy < 2:
        return None
    fly = (SpendEnergy(my.seat, 2), AddCondition(my.seat, "wings", my.game.turn.number))
    options = (Option("use", fly), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "take_wing", options, window="hurt", clause="TK-16.18", about=about)


@instead_of(Damage, Stage.FORBID, mine=True, clause="TK-16.18")
def nothing_hurts(my: My, hurt: Damage) -> Answer:
    """While you fly: no damage this turn."""
    return ()


@instead_of(Damage, mine=True, clause="TK-10.2")
def flee_unhurt(my: My, hurt: Damage) -> Answer:
    """Yield to an attack and it does no damage; the attacker still moves in (C21)."""
    if hurt.flight_decided or not may_yield(my.position, hurt):
        return None
    options = (
        Option("stay", (replace(hurt, flight_decided=True),)),
        *escapes(my.position, my.seat, hurt.dealer),
    )
    about = (("seat", hurt.dealer), ("amount", hurt.amount))
    return Choice(my.seat, "flee_unhurt", options, window="flee", clause="TK-10.2", about=about)


@whenever(Damage, once=True, at_once=True, when=my_deed, clause=("TK-16.4", "TK-16.13"))
def singe_the_neighbours(my: My, hurt: Damage) -> Answer:
    """When you deal damage, your nearest neighbours take 1 more, not by an attack.

    Neighbours are those of the moment of the blow: nobody steps in for one it kills (G9). It is a
    source of its own, of one occasion with the blow (H33).
    """
    began = occasion(my, hurt)
    return Together(
        tuple(Damage(s, 1, my.seat, occasion=began) for s in my.position.neighbours(my.seat))
    )


@instead_of(Eliminate, mine=True, clause="TK-16.17")
def start_again(my: My, end: Eliminate) -> Answer:
    """At 0 health: lose all cards and stars, go on with 10 health outside the city (G8).

    The cards go first, with all they take along.
    """
    mine = (c for c in my.game.in_play.cards if c.owner == my.seat)
    cards = Together(tuple(DropCard(my.seat, c.id, c.name) for c in mine))
    return (cards, StartAgain(my.seat))


@instead_of(Damage, Stage.IGNORE, mine=True, clause="TK-16.19")
def single_points_bounce(my: My, hurt: Damage) -> Answer:
    """Damage of exactly 1 does nothing to you."""
    return () if hurt.amount == 1 else None


@whenever(Damage, mine=True, at_once=True)
def pain_is_power(my: My, hurt: Damage) -> Answer:
    """1 energy for 2 health or more lost at once, whatever the blow does to the card (H34)."""
    return GainEnergy(my.seat, 1) if hurt.amount >= 2 else None


@whenever(ReachedZero, when=to_another, clause="TK-16.2")
def eat_the_dead(my: My, fell: ReachedZero) -> Answer:
    """3 stars each time another Monster reaches 0 health."""
    return GainStars(my.seat, 3)


# -- poison and Shrink tokens, and the cards that give them ----------------------------------------


@whenever(EndPhase, mine=True)
def poison_works(my: My, phase: EndPhase) -> Answer:
    """1 damage for each Poison token at the end of your turn, as one source (H11)."""
    return Damage(my.seat, my.position.tokens(my.seat, Token.POISON))


@modifies(Quantity.DICE, mine=True)
def fewer_dice(my: My, query: Query, dice: int) -> int:
    """One die less for each Shrink token (H30)."""
    return dice - my.position.tokens(my.seat, Token.SHRINK)


def cured_by_hearts(token: Token) -> Instead:
    """Make an ability: a heart may take a token off instead of healing, outside Tokyo only (TK-8.3,
    TK-16.10).
    """

    @instead_of(ResolveFace, Stage.ADD, mine=True)
    def cure(my: My, group: ResolveFace) -> Answer:
        works = group.face is Face.HEAL and not my.position.is_inside(my.seat)
        return spend_on_tokens(my, group, token) if works else None

    return cure


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
    keep("armor_plating", 4, single_points_bounce),
    keep("camouflage", 3, hearts_cancel_damage, roll_for_the_rest),
    keep("eater_of_the_dead", 4, eat_the_dead),
    keep("fire_breathing", 4, singe_the_neighbours),
    keep("it_has_a_child", 7, start_again),
    keep("jets", 5, flee_unhurt),
    keep("were_only_making_it_stronger", 3, pain_is_power),
    keep("wings", 6, take_wing),
    keep("poison_spit", 4, wounded_get(Token.POISON)),
    keep("shrink_ray", 6, wounded_get(Token.SHRINK)),
)
