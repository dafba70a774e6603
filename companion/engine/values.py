"""The nouns of both rulebooks: frozen values without behaviour."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

Seat = NewType("Seat", int)
"""A place at the table, counted from 0, clockwise."""


class Face(StrEnum):
    """What a die shows on top; each game uses six of the nine."""

    ENERGY = "energy"
    ATTACK = "attack"
    HEAL = "heal"
    DESTRUCTION = "destruction"
    CELEBRITY = "celebrity"
    OUCH = "ouch"
    ONE = "one"
    TWO = "two"
    THREE = "three"
