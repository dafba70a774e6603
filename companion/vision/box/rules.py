"""What the reader has to know of a game's dice; imports no picture and no network."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine import RULESETS, Face
from companion.vision.errors import VisionError


@dataclass(frozen=True, slots=True)
class DiceRules:
    """What a game says of its dice: their faces, and how many may lie there."""

    game: str
    faces: tuple[Face, ...]
    fewest: int
    most: int

    def allow(self, count: int, expected: int | None) -> bool:
        """Whether so many dice can be right."""
        if expected is not None:
            return count == expected
        return self.fewest <= count <= self.most


def rules_of(game: str) -> DiceRules:
    """What the game says of its dice. VisionError where there is no such game."""
    ruleset = RULESETS.get(game)
    if ruleset is None:
        raise VisionError("error.game.unknown", game=game, games=", ".join(RULESETS))
    return DiceRules(game, ruleset.faces, ruleset.dice_min, ruleset.dice_max)
