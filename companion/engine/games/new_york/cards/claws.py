"""Cards of attacks."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine.abilities import Quantity, Query, Stage
from companion.engine.base_position import My
from companion.engine.effects.numbers import Damage, HandOver, LoseStars
from companion.engine.game import Step
from companion.engine.questions import Answer, Roll
from companion.engine.shared.cards import attacks_harder, bought, extra_turn, keep, my_attack
from companion.engine.shared.decorators import instead_of, modifies, whenever
from companion.engine.values import Face


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
    """Your attack also hits the others in your own borough (B7), while somebody is on the other
    side.
    """
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


CARDS = (
    keep("antimatter_pellets", 4, pellets),
    keep("bullet_proof", 4, shrug_off_units),
    keep("drain", 4, drain),
    keep("fireball", 4, burn_the_borough),
    keep("shadow_double", 12, twice_the_damage),
    keep("terminal_rage", 4, bought(extra_turn()), claws_stay),
    keep("tesla_antennae", 4, attacks_harder(1, _healthier)),
    keep("trash_thrower", 5, throw_trash),
)
