"""Cards of New York about attacks and health, and its Web and Curse tokens."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Quantity, Query, Stage
from companion.engine.base_position import My
from companion.engine.effects.cards import AddCounters, DropCard
from companion.engine.effects.numbers import (
    Damage,
    GainEnergy,
    HandOver,
    Heal,
    LoseEnergy,
    LoseHealth,
    LoseStars,
    SpendEnergy,
)
from companion.engine.effects.turn import ResolveFace, ResolvePhase
from companion.engine.game import Step
from companion.engine.questions import Answer, Choice, Option, Roll, decided
from companion.engine.shared.abilities import (
    MANY,
    amount_options,
    attacks_harder,
    bought,
    each_turn,
    extra_turn,
    instead_of,
    keep,
    modifier,
    modifies,
    my_attack,
    offers,
    spend_on_tokens,
    whenever,
    wounded_get,
)
from companion.engine.values import Face, Token

# -- cards of attacks ------------------------------------------------------------------------------


@instead_of(Damage, Stage.MULTIPLY, when=my_attack, clause="NY-8.5")
def twice_the_damage(my: My, hurt: Damage) -> Answer:
    """Damage of your attacks is doubled."""
    return replace(hurt, amount=2 * hurt.amount)


@instead_of(Damage, Stage.MULTIPLY, when=my_attack)
def pellets(my: My, hurt: Damage) -> Answer:
    """Each Monster you attack rolls a die: OUCH doubles the damage to it."""

    def thrown(faces: tuple[Face, ...], _: tuple[int, ...], __: bool) -> tuple[Step, ...]:
        return (replace(hurt, amount=hurt.amount * (2 if Face.OUCH in faces else 1)),)

    about = (("seat", hurt.seat),)
    return Roll(hurt.seat, "pellets", 1, thrown, free=(0,), window="hurt", about=about)


@modifies(Quantity.TARGET, clause="NY-8.5")
def burn_the_borough(my: My, query: Query, hit: int) -> int:
    """Your attack also hits others in your own borough (B7), while anybody is on the other side."""
    mine = query.seat == my.seat and my.position.area(my.seat) == my.position.area(query.other)
    inside = my.position.is_inside(my.seat)
    attacks = mine and any(my.position.is_inside(s) is not inside for s in my.position.alive())
    return 1 if attacks else hit


@whenever(Damage, when=my_attack)
def throw_trash(my: My, hurt: Damage) -> Answer:
    """Each Monster you attack loses 1 star (H21)."""
    return LoseStars(hurt.seat, 1)


def _healthier(my: My, hurt: Damage) -> bool:
    """Whether the Monster that is hit has more health than the owner."""
    return my.game.monsters[hurt.seat].health > my.monster.health


@whenever(Damage, mine=True)
def drain(my: My, hurt: Damage) -> Answer:
    """A Monster that attacks you gives you 2 energy, or what it has."""
    return HandOver(hurt.dealer, 2, my.seat) if hurt.by_attack else None


@instead_of(Damage, Stage.ADD, mine=True)
def shrug_off_units(my: My, hurt: Damage) -> Answer:
    """An OUCH hurts you 1 less."""
    return replace(hurt, amount=hurt.amount - 1) if hurt.by_units else None


@modifies(Quantity.MAY_RETHROW, mine=True)
def claws_stay(my: My, query: Query, may: int) -> int:
    """Your dice that show ATTACK are not thrown again."""
    return 0 if Face.ATTACK in query.faces else may


# -- cards that protect health, or trade it for energy ---------------------------------------------


@whenever(ResolvePhase, mine=True)
def grow_a_shell(my: My, phase: ResolvePhase) -> Answer:
    """Each OUCH of your final roll puts a token on the card."""
    ouches = my.game.turn.faces.count(Face.OUCH)
    return AddCounters(my.seat, ouches, my.card_id, my.card.name)


def _shell_would_heal(my: My) -> bool:
    return my.card.counters > 0 and my.monster.health < my.rules.health


@offers(_shell_would_heal)
def shed_the_shell(my: My) -> Answer:
    """Discard the card: 1 health for each token on it, up to the usual maximum."""
    return (DropCard(my.seat, my.card_id, my.card.name), Heal(my.seat, my.card.counters))


@instead_of(Damage, Stage.LAST, mine=True)
def shed_at_last(my: My, hurt: Damage) -> Answer:
    """Before damage that would kill you, you are asked whether you discard it now."""
    if hurt.amount < my.monster.health or not _shell_would_heal(my):
        return None
    shed = (DropCard(my.seat, my.card_id, my.card.name), Heal(my.seat, my.card.counters), hurt)
    options = (Option("use", shed), Option("pass", (hurt,)))
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "shed_at_last", options, window="hurt", about=about)


@whenever(Damage, mine=True)
def rise_from_ashes(my: My, hurt: Damage) -> Answer:
    """1 energy each time you take damage, however much."""
    return GainEnergy(my.seat, 1)


@modifies(Quantity.PURSE, mine=True)
def health_is_energy(my: My, query: Query, purse: int) -> int:
    """Your health pays like energy, except the last point."""
    return purse + my.monster.health - 1


@instead_of(SpendEnergy, Stage.LAST, mine=True)
def pay_with_health(my: My, price: SpendEnergy) -> Answer:
    """You choose how much of a price health pays; it must pay what your energy does not cover."""
    least = max(0, price.amount - my.monster.energy)
    most = min(price.amount, my.monster.health - 1)
    options = amount_options(
        range(least, most + 1),
        lambda k: (replace(price, amount=price.amount - k), LoseHealth(my.seat, k)),
    )
    about = (("amount", price.amount),)
    return decided(Choice(my.seat, "pay_with_health", options, window="pay", about=about))


@instead_of(Damage, Stage.LAST, mine=True)
def lose_energy_instead(my: My, hurt: Damage) -> Answer:
    """You choose how much of the damage you take as lost energy."""
    most = min(hurt.amount, my.monster.energy)
    if not most:
        return None
    options = amount_options(
        range(most + 1),
        lambda k: (LoseEnergy(my.seat, k), replace(hurt, amount=hurt.amount - k)),
    )
    about = (("amount", hurt.amount),)
    return Choice(my.seat, "energy_for_health", options, window="hurt", about=about)


# -- web and Curse tokens, and the cards that give them --------------------------------------------


@modifies(Quantity.ROLLS, mine=True, clause="NY-5.4")
def fewer_rerolls(my: My, query: Query, rolls: int) -> int:
    """One reroll less for each Web token (H29)."""
    return rolls - my.position.tokens(my.seat, Token.WEB)


@instead_of(ResolveFace, Stage.ADD, mine=True)
def tear_the_web(my: My, group: ResolveFace) -> Answer:
    """An ATTACK may take a Web token off instead."""
    return spend_on_tokens(my, group, Token.WEB) if group.face is Face.ATTACK else None


@modifies(Quantity.RETHROW_PRICE, mine=True)
def pay_for_ouches(my: My, query: Query, price: int) -> int:
    """Throwing dice that show OUCH again costs 1 energy for each Curse token (H28)."""
    cursed = Face.OUCH in query.faces
    return price + my.position.tokens(my.seat, Token.CURSE) if cursed else price


@instead_of(ResolveFace, Stage.ADD, mine=True, clause="NY-9.2")
def lift_the_curse(my: My, group: ResolveFace) -> Answer:
    """A HEAL may take a Curse token off instead, in Manhattan too."""
    return spend_on_tokens(my, group, Token.CURSE) if group.face is Face.HEAL else None


CARDS = (
    keep("antimatter_pellets", 4, pellets),
    keep("bullet_proof", 4, shrug_off_units),
    keep("drain", 4, drain),
    keep("fireball", 4, burn_the_borough),
    keep("shadow_double", 12, twice_the_damage),
    keep("terminal_rage", 4, bought(extra_turn()), claws_stay),
    keep("tesla_antennae", 4, attacks_harder(1, _healthier)),
    keep("trash_thrower", 5, throw_trash),
    keep(
        "carapace",
        3,
        modifier(Quantity.HEALTH_MAX, 2),
        grow_a_shell,
        shed_the_shell,
        shed_at_last,
        most=MANY,
    ),
    keep("of_another_world", 6, health_is_energy, pay_with_health, lose_energy_instead),
    keep("phoenix_blood", 4, rise_from_ashes),
    keep("regeneration", 5, each_turn(health=1)),
    keep("curse", 4, wounded_get(Token.CURSE)),
    keep("webspinner", 6, wounded_get(Token.WEB)),
)
