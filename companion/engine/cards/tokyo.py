"""The cards of King of Tokyo: abilities, then the table, A–Z. Nobody else names a card."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import My, Stage, instead_of, offers, whenever
from companion.engine.buying import purchase
from companion.engine.cards.common import arrives, deck, keep, unfinished
from companion.engine.effects import (
    Ask,
    CardArrived,
    CardRevealed,
    CopyCard,
    Damage,
    DieChanged,
    DropCard,
    Eliminate,
    Noted,
    RethrowDie,
    SpendEnergy,
    StartAgain,
    Under,
)
from companion.engine.game import Step, Together
from companion.engine.moving import escapes
from companion.engine.questions import Answer, Choice, Option, Roll
from companion.engine.values import CardKind, Face

# -- Camouflage, Wings, Jets --------------------------------------------------------------------


@instead_of(Damage)
def hearts_cancel_damage(my: My, hurt: Damage) -> Answer:
    """Roll a die for each point of damage to you; each heart cancels one (TK-7.5, H14)."""
    if hurt.seat != my.seat:
        return None

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        return (replace(hurt, amount=hurt.amount - faces.count(Face.HEAL)),)

    free = tuple(range(hurt.amount))
    about = (("amount", hurt.amount),)
    return Roll(my.seat, "cancel", hurt.amount, thrown, free=free, window="hurt", about=about)


@instead_of(Damage)
def take_wing(my: My, hurt: Damage) -> Answer:
    """You may pay 2 energy to lose no health for the rest of the turn (TK-16.18, H13)."""
    if hurt.seat != my.seat or my.monster.energy < 2:
        return None
    fly = (SpendEnergy(my.seat, 2), Under(my.seat, "wings", my.game.turn.number))
    options = (Option("use", fly), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "take_wing", options, window="hurt", clause="TK-16.18", about=about)


@instead_of(Damage, Stage.FORBID)
def nothing_hurts(my: My, hurt: Damage) -> Answer:
    """On the wing: no damage this turn (TK-16.18)."""
    return () if hurt.seat == my.seat else None


@instead_of(Damage)
def flee_unhurt(my: My, hurt: Damage) -> Answer:
    """Yield to an attack and it does no damage; the attacker still moves in (TK-10.2, C21)."""
    inside = my.now.is_inside(my.seat)
    if hurt.seat != my.seat or not hurt.by_attack or hurt.answered or not inside:
        return None
    options = (
        Option("stay", (replace(hurt, answered=True),)),
        *escapes(my.now, my.seat, hurt.dealer),
    )
    about = (("seat", hurt.dealer), ("amount", hurt.amount))
    return Choice(my.seat, "flee_unhurt", options, window="flee", clause="TK-10.2", about=about)


# -- Fire Breathing, It Has a Child -------------------------------------------------------------


@whenever(Damage, once=True)
def singe_the_neighbours(my: My, hurt: Damage) -> Answer:
    """When you deal damage, your nearest neighbours take 1 more, no attack (TK-16.4, TK-16.13)."""
    if hurt.dealer != my.seat:
        return None
    return Together(tuple(Damage(s, 1, my.seat) for s in my.now.neighbours(my.seat)))


@instead_of(Eliminate)
def start_again(my: My, end: Eliminate) -> Answer:
    """At 0 health: lose all cards and stars, go on with 10 health outside the city (TK-16.17,
    G8).
    """
    if end.seat != my.seat:
        return None
    mine = (c for c in my.game.in_play.cards if c.owner == my.seat)
    return (*(DropCard(my.seat, c.id, c.name) for c in mine), StartAgain(my.seat))


# -- Mimic ------------------------------------------------------------------------------------


def _copies(my: My) -> tuple[Option, ...]:
    """One option for each Keep card in play that it does not copy yet."""
    return tuple(
        Option(
            f"copy_{c.id}",
            (
                CopyCard(my.seat, my.card_id, c.id, c.name),
                CardArrived(my.seat, my.card_id, c.name, "copied"),
            ),
            card=c.id,
        )
        for c in my.game.in_play.cards
        if my.rules.cards[c.name].kind is CardKind.KEEP
        and c.id not in (my.card_id, my.card.copies)
        and c.owner >= 0
    )


@whenever(CardArrived)
def copy_a_card(my: My, arrived: CardArrived) -> Answer:
    """Choose a Keep card in play: this one counts as that, as if just bought (TK-16.9)."""
    options = _copies(my) if arrives(my, arrived) and arrived.how == "bought" else ()
    return Choice(my.seat, "copy", options, window="copy", clause="TK-16.9") if options else None


def _can_copy_another(my: My) -> bool:
    turn = my.game.turn
    before_rolling = turn.active == my.seat and not turn.faces and not turn.final
    return (
        before_rolling and my.monster.energy >= 1 and my.ref not in turn.used and bool(_copies(my))
    )


@offers(_can_copy_another, window="roll")
def pay_to_copy_another(my: My) -> Answer:
    """At the start of your turn, 1 energy puts it on another card (TK-16.9, H10)."""
    return (SpendEnergy(my.seat, 1), Noted(my.seat, my.ref), Ask(my.seat, "copy", my.card_id))


@whenever(Ask)
def copy_another(my: My, asked: Ask) -> Answer:
    """Which card it counts as from now on."""
    if asked.topic != "copy" or asked.card != my.card_id:
        return None
    options = _copies(my)
    return Choice(my.seat, "copy", options, window="copy", clause="TK-16.9") if options else None


# -- Opportunist, Psychic Probe -----------------------------------------------------------------


@whenever(CardRevealed, active_last=True)
def buy_at_once(my: My, revealed: CardRevealed) -> Answer:
    """You may buy a card the moment it is revealed (TK-16.3, H8)."""
    card = my.now.for_sale(revealed.card)  # by id: another may lie in that slot by now
    if card is None:
        return None
    buy = purchase(my.now, my.seat, card)
    if buy.barred:
        return None
    about = (("card", card.name),)
    return Choice(
        my.seat,
        "buy_at_once",
        (buy, Option("pass")),
        window="revealed",
        clause="TK-16.3",
        about=about,
    )


def _can_probe(my: My) -> bool:
    turn = my.game.turn
    return (
        turn.active != my.seat
        and turn.final
        and bool(turn.faces)
        and not turn.resolved
        and my.ref not in turn.used
    )


@offers(_can_probe, window="dice_final", waits=True)
def make_it_reroll(my: My) -> Answer:
    """Once in another's turn: one die of your choice is thrown again (TK-16.20, H16)."""
    return (Noted(my.seat, my.ref), Ask(my.seat, "probe", my.card_id))


@whenever(Ask)
def which_die(my: My, asked: Ask) -> Answer:
    """The card's owner chooses the die (TK-16.20)."""
    if asked.topic != "probe" or asked.card != my.card_id:
        return None
    active, faces = my.game.turn.active, my.game.turn.faces
    options = tuple(
        Option(f"die_{i}", (RethrowDie(active, i, my.seat, my.card_id),), die=i, face=face)
        for i, face in enumerate(faces)
    )
    return Choice(my.seat, "probe", options, window="dice", clause="TK-16.20")


@whenever(DieChanged)
def a_heart_ends_it(my: My, changed: DieChanged) -> Answer:
    """If the new face is a heart the card is discarded."""
    mine = changed.card == my.card_id and changed.face is Face.HEAL
    return DropCard(my.seat, my.card_id, my.card.name) if mine else None


# -- the tables -------------------------------------------------------------------------------

CARDS = deck(
    keep("camouflage", 3, hearts_cancel_damage),
    keep("fire_breathing", 4, singe_the_neighbours),
    keep("it_has_a_child", 7, start_again),
    keep("jets", 5, flee_unhurt),
    keep("mimic", 8, copy_a_card, pay_to_copy_another, copy_another),
    keep("opportunist", 3, buy_at_once),
    keep("psychic_probe", 3, make_it_reroll, which_die, a_heart_ends_it),
    keep("wings", 6, take_wing),
)

UNFINISHED = deck(
    unfinished("acid_attack", 6, CardKind.KEEP),
    unfinished("alien_metabolism", 3, CardKind.KEEP),
    unfinished("alpha_monster", 5, CardKind.KEEP),
    unfinished("apartment_building", 5, CardKind.DISCARD),
    unfinished("armor_plating", 4, CardKind.KEEP),
    unfinished("background_dweller", 4, CardKind.KEEP),
    unfinished("burrowing", 5, CardKind.KEEP),
    unfinished("commuter_train", 4, CardKind.DISCARD),
    unfinished("complete_destruction", 3, CardKind.KEEP),
    unfinished("corner_store", 3, CardKind.DISCARD),
    unfinished("dedicated_news_team", 3, CardKind.KEEP),
    unfinished("drop_from_high_altitude", 5, CardKind.DISCARD),
    unfinished("eater_of_the_dead", 4, CardKind.KEEP),
    unfinished("energize", 8, CardKind.DISCARD),
    unfinished("energy_hoarder", 3, CardKind.KEEP),
    unfinished("evacuation_orders", 7, CardKind.DISCARD, copies=2),
    unfinished("even_bigger", 4, CardKind.KEEP),
    unfinished("extra_head", 7, CardKind.KEEP, copies=2),
    unfinished("fire_blast", 3, CardKind.DISCARD),
    unfinished("freeze_time", 5, CardKind.KEEP),
    unfinished("frenzy", 7, CardKind.DISCARD),
    unfinished("friend_of_children", 3, CardKind.KEEP),
    unfinished("gas_refinery", 6, CardKind.DISCARD),
    unfinished("giant_brain", 5, CardKind.KEEP),
    unfinished("gourmet", 4, CardKind.KEEP),
    unfinished("heal", 3, CardKind.DISCARD),
    unfinished("healing_ray", 4, CardKind.KEEP),
    unfinished("herbivore", 5, CardKind.KEEP),
    unfinished("herd_culler", 3, CardKind.KEEP),
    unfinished("high_altitude_bombing", 4, CardKind.DISCARD),
    unfinished("jet_fighters", 5, CardKind.DISCARD),
    unfinished("made_in_a_lab", 2, CardKind.KEEP),
    unfinished("metamorph", 3, CardKind.KEEP),
    unfinished("monster_batteries", 2, CardKind.KEEP),
    unfinished("national_guard", 3, CardKind.DISCARD),
    unfinished("nova_breath", 7, CardKind.KEEP),
    unfinished("nuclear_power_plant", 6, CardKind.DISCARD),
    unfinished("omnivore", 4, CardKind.KEEP),
    unfinished("parasitic_tentacles", 4, CardKind.KEEP),
    unfinished("plot_twist", 3, CardKind.KEEP),
    unfinished("poison_quills", 3, CardKind.KEEP),
    unfinished("poison_spit", 4, CardKind.KEEP),
    unfinished("rapid_healing", 3, CardKind.KEEP),
    unfinished("regeneration", 4, CardKind.KEEP),
    unfinished("rooting_for_the_underdog", 3, CardKind.KEEP),
    unfinished("shrink_ray", 6, CardKind.KEEP),
    unfinished("skyscraper", 6, CardKind.DISCARD),
    unfinished("smoke_cloud", 4, CardKind.KEEP),
    unfinished("solar_powered", 2, CardKind.KEEP),
    unfinished("spiked_tail", 5, CardKind.KEEP),
    unfinished("stretchy", 3, CardKind.KEEP),
    unfinished("tanks", 4, CardKind.DISCARD),
    unfinished("telepath", 4, CardKind.KEEP),
    unfinished("urbavore", 4, CardKind.KEEP),
    unfinished("vast_storm", 6, CardKind.DISCARD),
    unfinished("were_only_making_it_stronger", 3, CardKind.KEEP),
)

CONDITIONS = {"wings": (nothing_hurts,)}
