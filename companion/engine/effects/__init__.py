"""Effects: what can happen in a game, as data. A module for each part of the board they change."""

from __future__ import annotations

from companion.engine.effects.base import Effect
from companion.engine.effects.cards import CardEffect
from companion.engine.effects.numbers import NumberEffect
from companion.engine.effects.tiles import TileEffect
from companion.engine.effects.turn import TurnEffect

AnyEffect = CardEffect | NumberEffect | TileEffect | TurnEffect
"""Every effect there is, by which JSON is read back."""

__all__ = ["AnyEffect", "Effect"]
