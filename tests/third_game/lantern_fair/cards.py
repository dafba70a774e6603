"""The cards of Lantern Fair: functions from a point of view to what happens, then the rows."""

from __future__ import annotations

from companion.engine import (
    BuyCard,
    CardId,
    CardKind,
    Choice,
    Damage,
    GainStars,
    Option,
    Quantity,
    Reveal,
    SpendEnergy,
)
from companion.engine.authoring import (
    LASTING,
    AddCondition,
    Answer,
    CardArrived,
    DrawCard,
    EndCondition,
    EndPhase,
    HandOver,
    My,
    Query,
    Step,
    arrives,
    bought,
    can_pay,
    card_table,
    discard,
    extra_turn,
    gains,
    hurt_others,
    instead_of,
    keep,
    modifier,
    modifies,
    my_deed_to_another,
    offers,
    others,
    replace,
    whenever,
)

DAZZLED = "dazzled"
SMOKE = "smoke"


# -- Keep cards ----------------------------------------------------------------------------------


@whenever(Damage, when=my_deed_to_another, clause="LF-5.1")
def pick_pockets(my: My, hurt: Damage) -> Answer:
    """Each Monster your attack hurts hands you 1 energy."""
    return HandOver(hurt.seat, 1, my.seat) if hurt.by_attack else None


def _can_light(my: My) -> bool:
    lit = any(one.kind == SMOKE and one.seat == my.seat for one in my.game.in_play.conditions)
    return not lit and can_pay(my, 1)


@offers(_can_light, clause="LF-5.2")
def light_the_smoke(my: My) -> Answer:
    """Pay 1 energy: until the end of this turn damage to you is 1 less."""
    return (SpendEnergy(my.seat, 1), AddCondition(my.seat, SMOKE, my.game.turn.number))


@instead_of(Damage, mine=True, clause="LF-5.3")
def fold_the_shield(my: My, hurt: Damage) -> Answer:
    """Before you are hurt you may pay 2 energy to be hurt by half, rounded down."""
    if not can_pay(my, 2):
        return None
    halved = (SpendEnergy(my.seat, 2), replace(hurt, amount=hurt.amount // 2))
    options = (Option("use", halved), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "fold_the_shield", options, "hurt", "LF-5.3", about)


@modifies(Quantity.PRICE, mine=True, clause="LF-5.4")
def haggle(my: My, query: Query, price: int) -> int:
    """Every card costs you 1 less."""
    return price - 1


@whenever(EndPhase, mine=True, clause="LF-5.5")
def bow(my: My, phase: EndPhase) -> Answer:
    """At the end of your turn on the stage: 1 star."""
    return GainStars(my.seat, 1) if my.position.is_inside(my.seat) else None


# -- Discard cards -------------------------------------------------------------------------------


@whenever(CardArrived, mine=True, when=arrives, clause="LF-5.6")
def turn_the_mirror(my: My, arrived: CardArrived) -> Answer:
    """Choose another Monster: it is dazzled."""
    options = tuple(
        Option("seat", (AddCondition(seat, DAZZLED, LASTING),), other=seat) for seat in others(my)
    )
    return Choice(my.seat, "dazzle", options, clause="LF-5.6")


@whenever(CardArrived, mine=True, when=arrives, clause="LF-5.7")
def look_into_the_crystal(my: My, arrived: CardArrived) -> Answer:
    """Search the deck for a Discard card that costs 5 or less; it works for you."""
    cards = my.rules.cards
    names = tuple(
        name
        for name in dict.fromkeys(my.game.deck)
        if cards[name].kind is CardKind.DISCARD and cards[name].cost <= 5
    )
    if not names:
        return None
    card = CardId(my.game.next_id)

    def found(name: str | None) -> tuple[Step, ...]:
        if name is None:
            return ()
        return (DrawCard(my.seat, card, name), BuyCard(my.seat, card, name))

    return Reveal(my.seat, "crystal", names, found, slot=-1, again=False)


# -- conditions ----------------------------------------------------------------------------------


@modifies(Quantity.DICE, mine=True, clause="LF-4.1")
def see_double(my: My, query: Query, dice: int) -> int:
    """Who is dazzled rolls 1 die less."""
    return dice - 1


@whenever(EndPhase, mine=True, clause="LF-4.1")
def blink(my: My, phase: EndPhase) -> Answer:
    """It wears off at the end of a turn of one's own."""
    return EndCondition(my.seat, DAZZLED)


@instead_of(Damage, mine=True, clause="LF-4.2")
def hidden(my: My, hurt: Damage) -> Answer:
    """In smoke one is hurt 1 less."""
    return replace(hurt, amount=hurt.amount - 1)


CARDS = card_table(
    keep("big_drum", 5, modifier(Quantity.DICE, 1), copies=2),
    discard("crystal_ball", 5, look_into_the_crystal, copies=2),
    discard("curtain_call", 7, bought(extra_turn())),
    keep("encore", 6, bow),
    discard("fireworks", 4, bought(hurt_others(2)), copies=2),
    discard("free_supper", 3, gains(health=3), copies=2),
    discard("mirror_ball", 3, turn_the_mirror, copies=2),
    keep("paper_shield", 3, fold_the_shield),
    keep("pickpocket", 4, pick_pockets, copies=2),
    keep("season_ticket", 4, haggle),
    keep("smoke_pots", 3, light_the_smoke),
    discard("sold_out_show", 6, gains(stars=3)),
)

CONDITIONS = {DAZZLED: (see_double, blink), SMOKE: (hidden,)}
