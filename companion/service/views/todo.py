"""Tasks with the box after what happened since the last roll."""

from __future__ import annotations

import msgspec

from companion.engine import (
    AddCounters,
    BuyCard,
    CardRevealed,
    CopyCard,
    Damage,
    DestroyUnit,
    DropCard,
    Effect,
    Eliminate,
    EndGame,
    GainEnergy,
    GainStars,
    GiveTokens,
    Heal,
    LoseStars,
    MoveTo,
    RemoveTokens,
    SmashBuilding,
    SpendEnergy,
    StartAgain,
    SweepShop,
    TakeGoal,
    TileRevealed,
    TrimHealth,
)
from companion.service import wire
from companion.service.wire import Args, Words
from companion.service.words.phrases import snake

SIGNS: dict[type[Effect], str] = {
    AddCounters: "cards",
    BuyCard: "cards",
    CardRevealed: "cards",
    CopyCard: "cards",
    Damage: "attack",
    DestroyUnit: "destruction",
    DropCard: "cards",
    Eliminate: "skull",
    GainEnergy: "energy",
    GainStars: "victory_star",
    GiveTokens: "hand",
    Heal: "heal",
    LoseStars: "victory_star",
    MoveTo: "pin",
    RemoveTokens: "hand",
    SmashBuilding: "destruction",
    SpendEnergy: "energy",
    StartAgain: "paw",
    SweepShop: "sweep",
    TakeGoal: "crown",
    TileRevealed: "skyscraper",
    TrimHealth: "heal",
}
"""Signs of the effects that need a task with the box; the others move nothing on the table."""
SEEN = (CardRevealed, TileRevealed, EndGame)
"""Effects that people have carried out already, when they entered them."""
GAPS = {"name": "card", "former": "from", "kind": "unit"}
"""Fields of effects by their names in catalogues, where these differ."""
NAMED = frozenset({"amount", "place", "token", "how", "dealer"})


def task_views(performed: tuple[Effect, ...], mark: str) -> tuple[wire.Hand, ...]:
    """Return the tasks after these effects, in order; `mark` makes the ids new with every roll."""
    return tuple(
        wire.Hand(
            id=f"{mark}-{n}",
            sign=SIGNS[type(effect)],
            words=effect_words(effect),
            seat=effect.seat if effect.seat >= 0 else None,
        )
        for n, effect in enumerate(performed)
        if type(effect) in SIGNS and not isinstance(effect, SEEN)
    )


def effect_words(effect: Effect) -> Words:
    """Return the effect as a sentence; that of a move depends on how it came about."""
    key = f"effect.{snake(effect.tag())}"
    if isinstance(effect, MoveTo):
        key = f"{key}.{effect.how}"
    return Words(key=key, args=effect_args(effect))


def effect_args(effect: Effect) -> Args:
    """Return the placeholders' values: seats by number, amounts, ids."""
    args: Args = {"seat": effect.seat, "monster": effect.seat}
    for name, value in msgspec.structs.asdict(effect).items():
        gap = GAPS.get(name, name)
        if isinstance(value, str) and (name in NAMED or name in GAPS):
            args[gap] = str(value)
        elif isinstance(value, int) and name in NAMED:
            args[gap] = value
    if isinstance(effect, SmashBuilding):
        args["tile"] = args.pop("card")
    if "amount" in args:
        args["count"] = args.pop("amount")
    return args
