"""The cards of King of New York: abilities, then the table, A–Z. Nobody else names a card."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import (
    Asked,
    My,
    Quantity,
    Stage,
    Where,
    instead_of,
    modifies,
    offers,
    whenever,
)
from companion.engine.cards.common import (
    arrives,
    deck,
    discard,
    everyone,
    gains,
    goal,
    keep,
    spend_on_tokens,
    unfinished,
    wounded_get,
)
from companion.engine.effects import (
    AddCounters,
    Ask,
    CardArrived,
    Damage,
    DieChanged,
    DieSpent,
    DropCard,
    GainStars,
    Heal,
    MoveTo,
    ResolveFace,
    ResolvePhase,
    SpendEnergy,
    WinExtraTurn,
)
from companion.engine.questions import Answer, Choice, Option
from companion.engine.values import CardKind, Face, How, Token, UnitKind

# -- Carapace ---------------------------------------------------------------------------------


@modifies(Quantity.HEALTH_MAX)
def two_more_health(my: My, asked: Asked, most: int) -> int:
    """Your maximum health is two higher (NY-15.6)."""
    return most + 2 if asked.seat == my.seat else most


@whenever(ResolvePhase)
def grow_a_shell(my: My, phase: ResolvePhase) -> Answer:
    """Each OUCH of your final roll puts a token on the card."""
    if phase.seat != my.seat:
        return None
    ouches = my.game.turn.faces.count(Face.OUCH)
    return AddCounters(my.seat, ouches, my.card_id, my.card.name)


def _shell_would_heal(my: My) -> bool:
    return my.card.counters > 0 and my.monster.health < my.rules.health


@offers(_shell_would_heal)
def shed_the_shell(my: My) -> Answer:
    """Discard the card: 1 health for each token on it, the maximum being the usual one again."""
    return (DropCard(my.seat, my.card_id, my.card.name), Heal(my.seat, my.card.counters))


# -- Chameleon --------------------------------------------------------------------------------


def _open_dice(my: My) -> tuple[int, ...]:
    """Dice of the result that are neither given up nor resolved."""
    turn = my.game.turn
    return tuple(
        i for i, f in enumerate(turn.faces) if i not in turn.spent and f not in turn.resolved
    )


def _a_celebrity_and_another(my: My) -> bool:
    turn = my.game.turn
    mine = turn.active == my.seat and turn.final
    dice = _open_dice(my) if mine else ()
    return len(dice) > 1 and any(turn.faces[i] is Face.CELEBRITY for i in dice)


@offers(_a_celebrity_and_another, waits=True)
def give_up_fame(my: My) -> Answer:
    """Give up a CELEBRITY to turn another die that is not resolved yet."""
    return Ask(my.seat, "turn_die", my.card_id)


@whenever(Ask)
def which_die(my: My, asked: Ask) -> Answer:
    """Any other open die; the CELEBRITY given up is the first one that is not turned itself."""
    if asked.topic != "turn_die" or asked.card != my.card_id:
        return None
    faces, dice = my.game.turn.faces, _open_dice(my)
    stars = [i for i in dice if faces[i] is Face.CELEBRITY]
    options = tuple(
        Option(f"die_{i}", (Ask(my.seat, "turn_to", my.card_id, i),), die=i, face=faces[i])
        for i in dice
        if any(star != i for star in stars)
    )
    return Choice(my.seat, "turn_die", options, window="dice") if options else None


@whenever(Ask)
def which_face(my: My, asked: Ask) -> Answer:
    """Any face but the one it shows."""
    if asked.topic != "turn_to" or asked.card != my.card_id:
        return None
    faces, die = my.game.turn.faces, asked.number
    stars = [i for i in _open_dice(my) if faces[i] is Face.CELEBRITY and i != die]
    if not stars or die not in _open_dice(my):  # given up meanwhile for another die
        return None
    options = tuple(
        Option(
            face.value,
            (DieSpent(my.seat, stars[0]), DieChanged(my.seat, die, face, my.card_id)),
            face=face,
        )
        for face in my.rules.faces
        if face is not faces[die] and face not in my.game.turn.resolved
    )
    return Choice(my.seat, "turn_to", options, window="dice", about=(("die", die),))


# -- Web and Curse tokens ---------------------------------------------------------------------


@modifies(Quantity.ROLLS)
def fewer_rerolls(my: My, asked: Asked, rolls: int) -> int:
    """One reroll less for each Web token (NY-5.4, H29)."""
    return rolls - my.now.tokens(my.seat, Token.WEB) if asked.seat == my.seat else rolls


@instead_of(ResolveFace, Stage.ADD)
def tear_the_web(my: My, group: ResolveFace) -> Answer:
    """An ATTACK may take a Web token off instead."""
    mine = group.seat == my.seat and group.face is Face.ATTACK
    return spend_on_tokens(my, group, Token.WEB) if mine else None


@modifies(Quantity.RETHROW_PRICE)
def pay_for_ouches(my: My, asked: Asked, price: int) -> int:
    """Throwing dice that show OUCH again costs 1 energy for each Curse token (H28)."""
    cursed = asked.seat == my.seat and Face.OUCH in asked.faces
    return price + my.now.tokens(my.seat, Token.CURSE) if cursed else price


@instead_of(ResolveFace, Stage.ADD)
def lift_the_curse(my: My, group: ResolveFace) -> Answer:
    """A HEAL may take a Curse token off instead, in Manhattan too (NY-9.2)."""
    mine = group.seat == my.seat and group.face is Face.HEAL
    return spend_on_tokens(my, group, Token.CURSE) if mine else None


# -- General Ellis, New York Marathon, Shadow Double -------------------------------------------


@modifies(Quantity.MAY_BUY, Where.FOR_SALE)
def only_after_a_tank(my: My, asked: Asked, allowed: int) -> int:
    """For sale only to who destroyed a Tank this turn (NY-15.9)."""
    turn = my.game.turn
    tank = turn.active == asked.seat and UnitKind.TANK in turn.destroyed
    return allowed if asked.card != my.name or tank else 0


@whenever(CardArrived)
def strike_everyone(my: My, arrived: CardArrived) -> Answer:
    """3 stars; every Monster, the buyer too, takes 1 damage, no attack (NY-15.7, B2)."""
    return (GainStars(my.seat, 3), everyone(my, 1)) if arrives(my, arrived) else None


@modifies(Quantity.TOLL, Where.FOR_SALE)
def closed_streets(my: My, asked: Asked, toll: int) -> int:
    """While it lies for sale, moving by choice costs 2 energy, fleeing too (C23)."""
    return toll + 2


@instead_of(Damage, Stage.MULTIPLY)
def twice_the_damage(my: My, hurt: Damage) -> Answer:
    """Damage of your attacks is doubled (NY-8.5)."""
    mine = hurt.by_attack and hurt.dealer == my.seat
    return replace(hurt, amount=2 * hurt.amount) if mine else None


# -- Subway -----------------------------------------------------------------------------------


@whenever(CardArrived)
def ride_next_turn(my: My, arrived: CardArrived) -> Answer:
    """Regain 2 health and take another turn, with free moves (C24)."""
    if not arrives(my, arrived):
        return None
    return (Heal(my.seat, 2), WinExtraTurn(my.seat, "subway"))


def _stops(my: My) -> tuple[Option, ...]:
    toll = my.now.toll(my.seat)
    if my.monster.energy < toll:
        return ()
    return tuple(
        Option(
            name,
            (SpendEnergy(my.seat, toll), MoveTo(my.seat, name, How.MOVE)),
            place=name,
        )
        for name in my.rules.start_places
        if name != my.monster.place and my.now.room(name) > 0
    )


def _can_ride(my: My) -> bool:
    return my.game.turn.active == my.seat and bool(_stops(my))


@offers(_can_ride)
def ride(my: My) -> Answer:
    """Go to another borough with room, at any moment of this turn (C24, NY-13.10)."""
    return Ask(my.seat, "ride")


@whenever(Ask)
def where_to(my: My, asked: Ask) -> Answer:
    """Any outer borough with room, or stay after all."""
    if asked.topic != "ride" or asked.seat != my.seat:
        return None
    return Choice(my.seat, "ride", (*_stops(my), Option("stay")), window="move")


# -- the tables -------------------------------------------------------------------------------

CARDS = deck(
    keep("carapace", 3, two_more_health, grow_a_shell, shed_the_shell),
    keep("chameleon", 4, give_up_fame, which_die, which_face),
    keep("curse", 4, wounded_get(Token.CURSE)),
    discard("general_ellis", 5, only_after_a_tank, strike_everyone),
    discard("new_york_marathon", 6, closed_streets, gains(stars=2, energy=2, health=2)),
    keep("shadow_double", 12, twice_the_damage),
    discard("subway", 10, ride_next_turn),
    keep("webspinner", 6, wounded_get(Token.WEB)),
    goal("statue_of_liberty"),
    goal("superstar"),
)

UNFINISHED = deck(
    unfinished("air_force_one", 6, CardKind.DISCARD),
    unfinished("antimatter_pellets", 4, CardKind.KEEP),
    unfinished("artificial_heart", 4, CardKind.KEEP),
    unfinished("broadway_star", 5, CardKind.KEEP),
    unfinished("brooklyn_bridge", 6, CardKind.DISCARD, ("brooklyn",)),
    unfinished("bullet_proof", 4, CardKind.KEEP),
    unfinished("can_opener", 4, CardKind.KEEP),
    unfinished("central_park", 5, CardKind.DISCARD, ("manhattan",)),
    unfinished("chinatown_regular", 3, CardKind.KEEP),
    unfinished("climb_the_empire_state_building", 3, CardKind.KEEP),
    unfinished("columbia_university", 6, CardKind.DISCARD, ("manhattan",)),
    unfinished("coney_island", 4, CardKind.DISCARD, ("brooklyn",)),
    unfinished("diva", 5, CardKind.KEEP),
    unfinished("drain", 4, CardKind.KEEP),
    unfinished(
        "drink_the_hudson", 12, CardKind.DISCARD, ("manhattan", "brooklyn", "staten_island")
    ),
    unfinished("ego_trip", 3, CardKind.KEEP),
    unfinished("extra_head", 7, CardKind.KEEP),
    unfinished("fireball", 4, CardKind.KEEP),
    unfinished("flatiron_building", 3, CardKind.DISCARD, ("manhattan",)),
    unfinished("fury", 4, CardKind.KEEP),
    unfinished("hailing_cabs", 5, CardKind.KEEP),
    unfinished("holland_tunnel", 9, CardKind.DISCARD, ("manhattan",)),
    unfinished("hunter", 5, CardKind.KEEP),
    unfinished("jinx_aura", 4, CardKind.KEEP),
    unfinished("king_of_queens", 5, CardKind.KEEP),
    unfinished("leveler", 5, CardKind.KEEP),
    unfinished("long_neck", 3, CardKind.KEEP),
    unfinished("natural_selection", 2, CardKind.KEEP),
    unfinished("next_stage", 4, CardKind.DISCARD),
    unfinished("of_another_world", 6, CardKind.KEEP),
    unfinished("overload", 0, CardKind.KEEP),
    unfinished("painbow", 5, CardKind.KEEP),
    unfinished("personal_spotlight", 5, CardKind.KEEP),
    unfinished("phoenix_blood", 4, CardKind.KEEP),
    unfinished("photo_op", 4, CardKind.DISCARD),
    unfinished("power_substation", 5, CardKind.DISCARD),
    unfinished("power_tap", 4, CardKind.KEEP),
    unfinished("regeneration", 5, CardKind.KEEP),
    unfinished("scavenger", 3, CardKind.KEEP),
    unfinished("seismic_ray", 4, CardKind.KEEP),
    unfinished("sharp_shooter", 4, CardKind.KEEP),
    unfinished("stink_attack", 5, CardKind.KEEP),
    unfinished("stomp", 4, CardKind.KEEP),
    unfinished("subterranean_cable", 0, CardKind.DISCARD),
    unfinished("super_speed", 4, CardKind.KEEP),
    unfinished("terminal_rage", 4, CardKind.KEEP),
    unfinished("tesla_antennae", 4, CardKind.KEEP),
    unfinished("tesla_cannon", 5, CardKind.DISCARD),
    unfinished("the_unisphere", 5, CardKind.DISCARD, ("queens",)),
    unfinished("tourist", 6, CardKind.KEEP),
    unfinished("towering_titan", 10, CardKind.KEEP),
    unfinished("trash_thrower", 5, CardKind.KEEP),
    unfinished("trophy_hunter", 5, CardKind.KEEP),
    unfinished("universal_soldier", 6, CardKind.KEEP),
    unfinished("violent_star", 3, CardKind.KEEP),
    unfinished("yankee_stadium", 9, CardKind.DISCARD, ("bronx",)),
)

TOKENS = {
    Token.CURSE: (pay_for_ouches, lift_the_curse),
    Token.WEB: (fewer_rerolls, tear_the_web),
}

CONDITIONS = {"subway": (ride, where_to)}
