"""King of Tokyo, first edition: the ruleset, and what only this game has."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from companion.engine.abilities import Quantity, Query
from companion.engine.base_position import BasePosition, My
from companion.engine.effects.numbers import GainEnergy, GainStars, Heal, ReachedZero
from companion.engine.effects.turn import (
    BuyPhase,
    Claim,
    DiceFinal,
    EndPhase,
    EnterPhase,
    MoveTo,
    ResolvePhase,
    RollPhase,
)
from companion.engine.game import Step
from companion.engine.games.tokyo import buying, dice, fighting, gains
from companion.engine.questions import Answer
from companion.engine.ruleset import OddsColumn, Ruleset
from companion.engine.shared.abilities import card_table, modifies, whenever
from companion.engine.shared.buying import BUYING
from companion.engine.shared.moving import MOVING, attack
from companion.engine.shared.turn import TURN
from companion.engine.values import CardKind, Face, How, Place, Seat, Token

_FACES: Final = (Face.ENERGY, Face.ATTACK, Face.HEAL, Face.ONE, Face.TWO, Face.THREE)
_VALUE: Final = {Face.ONE: 1, Face.TWO: 2, Face.THREE: 3}


def score_number(face: Face, position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Give a number's stars for three of it, 1 more for each further one (TK-5.1)."""
    return (GainStars(seat, _VALUE[face] + amount - 3),) if amount >= 3 else ()


def score_energy(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Give 1 energy for each ENERGY (TK-6.1)."""
    return (GainEnergy(seat, amount),)


def score_heal(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Give 1 health for each HEAL, outside Tokyo only (TK-8.1, TK-8.2)."""
    return () if position.is_inside(seat) else (Heal(seat, amount),)


def score_attack(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Deal 1 damage for each ATTACK to the other side; from outside, also claim a free space of
    Tokyo (TK-7.1, TK-11.2).
    """
    opens = not position.is_inside(seat) and position.free_entry() is not None
    claim: tuple[Step, ...] = (Claim(seat),) if opens else ()
    return (*attack(position, seat, amount), *claim)


@whenever(ReachedZero, clause=("TK-9.5", "TK-9.6"))
def killed_in_the_city(my: My, fell: ReachedZero) -> Answer:
    """A Monster that kills one in Tokyo by an attack takes its place; by a card nobody does."""
    return Claim(fell.dealer) if fell.by_attack and fell.inside else None


@modifies(Quantity.HEALTH_MAX, clause="TK-12.4")
def twelve_at_most(my: My, query: Query, most: int) -> int:
    """No card raises health above 12."""
    return min(most, 12)


@whenever(EnterPhase, clause=("TK-3.2", "TK-11.2"))
def enter(my: My, phase: EnterPhase) -> Answer:
    """After all dice, a Monster that claimed Tokyo takes the City, else the Bay."""
    entry = my.position.free_entry()
    if not my.game.turn.claimed or entry is None or my.position.is_inside(phase.seat):
        return None
    return MoveTo(phase.seat, entry, How.ENTER)


def without_bay(rules: Ruleset) -> Ruleset:
    """House rule for a first game: Tokyo City alone, however many play (TK-2.2)."""
    places = {name: place for name, place in rules.places.items() if not place.needs_alive}
    return replace(rules, places=places)


TOKYO: Final = Ruleset(
    name="tokyo",
    edition="first",
    editions=("first", "2016"),
    prefix="TK",
    faces=_FACES,
    sensible=(Face.THREE, Face.TWO, Face.ONE, Face.ENERGY, Face.HEAL, Face.ATTACK),
    dice=6,
    dice_min=1,
    dice_max=8,
    first_roll_dice=6,
    rolls=3,
    players_min=2,
    players_max=6,
    health=10,
    goal_stars=20,
    entering_stars=1,
    sweep_cost=2,
    phases=(RollPhase, DiceFinal, ResolvePhase, EnterPhase, BuyPhase, EndPhase),
    entering=EnterPhase,
    places={
        place.name: place
        for place in (
            Place("tokyo_city", "tokyo", 1, inside=True, track=0, entry=True, stars=2),
            Place(
                "tokyo_bay", "tokyo", 1, inside=True, track=1, entry=True, needs_alive=5, stars=2
            ),
            Place("outside", "outside", 6),
        )
    },
    start_places=("outside",),
    scoring={
        **{face: partial(score_number, face) for face in _VALUE},
        Face.ENERGY: score_energy,
        Face.HEAL: score_heal,
        Face.ATTACK: score_attack,
    },
    cards=card_table(*buying.CARDS, *dice.CARDS, *fighting.CARDS, *gains.CARDS),
    abilities=(killed_in_the_city, twelve_at_most, enter, *TURN, *MOVING, *BUYING),
    clauses={
        "place": "TK-2.1",
        "start": "TK-2.1",
        "health_max": "TK-8.1",
        "dice": "TK-4.1",
        "rolls": "TK-4.1",
        "price": "TK-12.1",
        "limit": "TK-4.3",
        CardKind.KEEP: "TK-12.2",
        CardKind.DISCARD: "TK-12.2",
        Face.ONE: "TK-5.1",
        Face.TWO: "TK-5.1",
        Face.THREE: "TK-5.1",
        Face.ENERGY: "TK-6.1",
        Face.HEAL: "TK-8.1",
        Face.ATTACK: "TK-7.1",
        "group": "TK-3.1",
        "flee": "TK-10.1",
        "buy": "TK-12.1",
        "leave": "TK-11.7",
        "which_first": "TK-G1",
        "reminder.attack_out": "TK-7.1",
        "reminder.card_by_hand": "TK-12.2",
        "reminder.no_heal": "TK-8.2",
        "reminder.place_closed": "TK-11.7",
        "reminder.survive": "TK-14.2",
    },
    odds=(
        OddsColumn((Face.ONE, Face.TWO, Face.THREE), 3),
        OddsColumn((Face.ATTACK,), 1),
        OddsColumn((Face.HEAL,)),
    ),
    tokens={
        Token.POISON: (fighting.poison_works, fighting.cured_by_hearts(Token.POISON)),
        Token.SHRINK: (fighting.fewer_dice, fighting.cured_by_hearts(Token.SHRINK)),
    },
    conditions={
        **{kind: (dice.fewer_dice(n),) for n, kind in enumerate(dice.FROZEN, start=1)},
        **{
            kind: (fighting.tunnel(kind),)
            for kind in ("tunnel_copied", "tunnel_tokyo_bay", "tunnel_tokyo_city")
        },
        "wings": (fighting.nothing_hurts,),
    },
    house={"no_bay": without_bay},
    marks=frozenset(("declined",)),
    package=__package__,
    rulebook="rules.md",
    bgg_id=70323,
)
