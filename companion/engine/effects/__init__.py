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
    DrawCard,
    DropCard,
    NoLonger,
    OpenShop,
    PutOffShop,
    SalvageCard,
    SpendCounters,
    SweepShop,
    TakeCard,
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
    HandOver,
    Heal,
    LoseEnergy,
    LoseHealth,
    LoseStars,
    ReachedZero,
    RemoveTokens,
    SpendEnergy,
    StartAgain,
    TakeBackEnergy,
    TrimHealth,
)
from companion.engine.effects.tiles import (
    Destroying,
    DestroyUnit,
    KeepTrophy,
    LaySouvenir,
    SendUnit,
    SmashBuilding,
    StackGone,
    TileRevealed,
)
from companion.engine.effects.turn import (
    AddSymbols,
    Ask,
    BeginTurn,
    BuyPhase,
    ChooseGroup,
    ChooseStart,
    Claim,
    Convert,
    DiceCounted,
    DiceFinal,
    DiceKept,
    DiceThrown,
    DieChanged,
    DieSpent,
    EndGame,
    EndPhase,
    EnterPhase,
    MoreRolls,
    MovePhase,
    MoveTo,
    NextTurn,
    Noted,
    ResolveFace,
    ResolvePhase,
    RethrowDie,
    RollPhase,
    ShareHearts,
    TurnOver,
    TurnStarted,
)

AnyEffect = (
    AddCounters
    | HandOver
    | LoseEnergy
    | LoseHealth
    | TakeBackEnergy
    | AddSymbols
    | Convert
    | MoreRolls
    | SendUnit
    | LaySouvenir
    | TakeCard
    | SalvageCard
    | DrawCard
    | SpendCounters
    | NoLonger
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
    | DiceCounted
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
    | KeepTrophy
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
    | ShareHearts
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
    "AddSymbols",
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
    "Convert",
    "CopyCard",
    "Damage",
    "DeckEmpty",
    "DestroyUnit",
    "Destroying",
    "DiceCounted",
    "DiceFinal",
    "DiceKept",
    "DiceThrown",
    "DieChanged",
    "DieSpent",
    "DrawCard",
    "DropCard",
    "Effect",
    "Eliminate",
    "EndGame",
    "EndPhase",
    "EnterPhase",
    "GainEnergy",
    "GainStars",
    "GiveTokens",
    "HandOver",
    "Heal",
    "KeepTrophy",
    "LaySouvenir",
    "LoseEnergy",
    "LoseHealth",
    "LoseStars",
    "MoreRolls",
    "MovePhase",
    "MoveTo",
    "NextTurn",
    "NoLonger",
    "Noted",
    "OpenShop",
    "PutOffShop",
    "ReachedZero",
    "RemoveTokens",
    "ResolveFace",
    "ResolvePhase",
    "RethrowDie",
    "RollPhase",
    "SalvageCard",
    "SendUnit",
    "ShareHearts",
    "SmashBuilding",
    "SpendCounters",
    "SpendEnergy",
    "StackGone",
    "StartAgain",
    "SweepShop",
    "TakeBackEnergy",
    "TakeCard",
    "TakeGoal",
    "TileRevealed",
    "TrimHealth",
    "TurnOver",
    "TurnStarted",
    "Under",
    "WinExtraTurn",
]
