"""What only Lantern Fair has: its places, what its dice do, its clauses; then the game itself."""

from __future__ import annotations

from dataclasses import replace

from companion.engine import CardKind, Face, GainEnergy, GainStars, Heal, How, MoveTo, Ruleset, Seat
from companion.engine.authoring import (
    BUYING,
    MOVING,
    TURN,
    Answer,
    BasePosition,
    BuyPhase,
    Claim,
    DiceFinal,
    EndPhase,
    EnterPhase,
    HandOver,
    My,
    Place,
    ResolvePhase,
    RollPhase,
    Step,
    attack,
    whenever,
)
from lantern_fair.cards import CARDS, CONDITIONS

FACES = (Face.ENERGY, Face.ATTACK, Face.HEAL, Face.CELEBRITY, Face.ONE, Face.TWO)


def score_energy(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """1 energy for each (LF-3.1)."""
    return (GainEnergy(seat, amount),)


def score_attack(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Claws hurt the other side; a free stage is the attacker's (LF-3.2)."""
    free = not position.is_inside(seat) and position.free_entry() is not None
    return (*attack(position, seat, amount), *((Claim(seat),) if free else ()))


def score_heal(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """1 health for each, on the stage too (LF-3.3)."""
    return (Heal(seat, amount),)


def score_applause(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """1 star for each pair (LF-3.4)."""
    return (GainStars(seat, amount // 2),)


def score_theft(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """1 energy of the next Monster clockwise for each (LF-3.5)."""
    return (HandOver(position.after(seat), amount, seat),) if position.after(seat) != seat else ()


def score_lanterns(position: BasePosition, seat: Seat, amount: int) -> tuple[Step, ...]:
    """Three are 2 stars, each further one 1 more (LF-3.6)."""
    return (GainStars(seat, amount - 1),) if amount >= 3 else ()


@whenever(EnterPhase, clause="LF-2.3")
def climb_the_stage(my: My, phase: EnterPhase) -> Answer:
    """After all dice, who was given the stage climbs it."""
    entry = my.position.free_entry()
    if not my.game.turn.claimed or entry is None or my.position.is_inside(phase.seat):
        return None
    return MoveTo(phase.seat, entry, How.ENTER)


def short_fair(rules: Ruleset) -> Ruleset:
    """House rule: 6 stars are enough (LF-1.2)."""
    return replace(rules, goal_stars=6)


LANTERN_FAIR = Ruleset(
    name="lantern-fair",
    edition="first",
    editions=("first",),
    prefix="LF",
    package=__package__,
    rulebook="rules.md",
    faces=FACES,
    sensible=(Face.TWO, Face.CELEBRITY, Face.ONE, Face.ENERGY, Face.HEAL, Face.ATTACK),
    dice=5,
    dice_min=1,
    dice_max=7,
    first_roll_dice=5,
    rolls=3,
    players_min=2,
    players_max=5,
    health=6,
    goal_stars=10,
    entering_stars=1,
    sweep_cost=1,
    phases=(RollPhase, DiceFinal, ResolvePhase, EnterPhase, BuyPhase, EndPhase),
    entering=EnterPhase,
    places={
        place.name: place
        for place in (
            Place("stage", "fairground", 1, inside=True, entry=True, stars=1, energy=1),
            Place("river_bank", "riverside", 4),
            Place("bridge", "riverside", 3),
        )
    },
    start_places=("river_bank", "bridge"),
    scoring={
        Face.ENERGY: score_energy,
        Face.ATTACK: score_attack,
        Face.HEAL: score_heal,
        Face.CELEBRITY: score_applause,
        Face.ONE: score_theft,
        Face.TWO: score_lanterns,
    },
    cards=CARDS,
    conditions=CONDITIONS,
    abilities=(climb_the_stage, *TURN, *MOVING, *BUYING),
    house={"short_fair": short_fair},
    clauses={
        "start": "LF-1.3",
        "place": "LF-1.3",
        "health_max": "LF-3.3",
        "dice": "LF-2.1",
        "rolls": "LF-2.1",
        "limit": "LF-2.2",
        Face.ENERGY: "LF-3.1",
        Face.ATTACK: "LF-3.2",
        Face.HEAL: "LF-3.3",
        Face.CELEBRITY: "LF-3.4",
        Face.ONE: "LF-3.5",
        Face.TWO: "LF-3.6",
        "group": "LF-2.1",
        "flee": "LF-2.4",
        "buy": "LF-5.8",
        "price": "LF-5.8",
        "shopping": "LF-5.8",
        "income": "LF-2.5",
        "entered": "LF-2.3",
        "Eliminate": "LF-1.2",
        CardKind.KEEP: "LF-5.9",
        CardKind.DISCARD: "LF-5.9",
        "reminder.attack_out": "LF-3.2",
        "reminder.survive": "LF-1.2",
    },
)
