"""The verbs of the rulebook, as data.

One list, so that JSON can be read back and a test can walk them.
"""

from __future__ import annotations

from companion.engine.effects.base import Effect
from companion.engine.effects.cards import (
    AddCounters,
    BuyCard,
    CardArrived,
    CardLeft,
    CardRevealed,
    CopyCard,
    DeckEmpty,
    DropCard,
    OpenShop,
    PutOffShop,
    SweepShop,
    TakeGoal,
    Under,
    WinExtraTurn,
)
from companion.engine.effects.numbers import (
    Damage,
    Eliminate,
    GainEnergy,
    GainStars,
    GiveTokens,
    Heal,
    LoseStars,
    ReachedZero,
    RemoveTokens,
    SpendEnergy,
    StartAgain,
    TrimHealth,
)
from companion.engine.effects.tiles import (
    Destroying,
    DestroyUnit,
    SmashBuilding,
    StackGone,
    TileRevealed,
)
from companion.engine.effects.turn import (
    Ask,
    BeginTurn,
    BuyPhase,
    ChooseGroup,
    ChooseStart,
    Claim,
    DiceFinal,
    DiceKept,
    DiceThrown,
    DieChanged,
    DieSpent,
    EndGame,
    EndPhase,
    EnterPhase,
    MovePhase,
    MoveTo,
    NextTurn,
    Noted,
    ResolveFace,
    ResolvePhase,
    RethrowDie,
    RollPhase,
    TurnOver,
    TurnStarted,
)

AnyEffect = (
    AddCounters
    | Ask
    | BeginTurn
    | BuyCard
    | BuyPhase
    | CardArrived
    | CardLeft
    | CardRevealed
    | ChooseGroup
    | ChooseStart
    | Claim
    | CopyCard
    | Damage
    | DeckEmpty
    | DestroyUnit
    | Destroying
    | DiceFinal
    | DiceKept
    | DiceThrown
    | DieChanged
    | DieSpent
    | DropCard
    | Eliminate
    | EndGame
    | EndPhase
    | EnterPhase
    | GainEnergy
    | GainStars
    | GiveTokens
    | Heal
    | LoseStars
    | MovePhase
    | MoveTo
    | NextTurn
    | Noted
    | OpenShop
    | PutOffShop
    | ReachedZero
    | RemoveTokens
    | ResolveFace
    | ResolvePhase
    | RethrowDie
    | RollPhase
    | SmashBuilding
    | SpendEnergy
    | StackGone
    | StartAgain
    | SweepShop
    | TakeGoal
    | TileRevealed
    | TrimHealth
    | TurnOver
    | TurnStarted
    | Under
    | WinExtraTurn
)

__all__ = [
    "AddCounters",
    "AnyEffect",
    "Ask",
    "BeginTurn",
    "BuyCard",
    "BuyPhase",
    "CardArrived",
    "CardLeft",
    "CardRevealed",
    "ChooseGroup",
    "ChooseStart",
    "Claim",
    "CopyCard",
    "Damage",
    "DeckEmpty",
    "DestroyUnit",
    "Destroying",
    "DiceFinal",
    "DiceKept",
    "DiceThrown",
    "DieChanged",
    "DieSpent",
    "DropCard",
    "Effect",
    "Eliminate",
    "EndGame",
    "EndPhase",
    "EnterPhase",
    "GainEnergy",
    "GainStars",
    "GiveTokens",
    "Heal",
    "LoseStars",
    "MovePhase",
    "MoveTo",
    "NextTurn",
    "Noted",
    "OpenShop",
    "PutOffShop",
    "ReachedZero",
    "RemoveTokens",
    "ResolveFace",
    "ResolvePhase",
    "RethrowDie",
    "RollPhase",
    "SmashBuilding",
    "SpendEnergy",
    "StackGone",
    "StartAgain",
    "SweepShop",
    "TakeGoal",
    "TileRevealed",
    "TrimHealth",
    "TurnOver",
    "TurnStarted",
    "Under",
    "WinExtraTurn",
]
