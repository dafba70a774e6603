"""The part of a game's rules that the reader needs: the faces and the number of its dice."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine import RULESETS, Face
from companion.vision.errors import VisionError


@dataclass(frozen=True, slots=True)
class DiceRules:
    """The dice of a game: their faces, and the fewest and most of a roll."""

    game: str
    faces: tuple[Face, ...]
    fewest: int
    most: int

    def allow(self, count: int, expected: int | None) -> bool:
        """Whether this number of dice is the expected one, or one that the game allows."""
        if expected is not None:
            return count == expected
        return self.fewest <= count <= self.most


def rules_of(game: str) -> DiceRules:
    """Look up the dice of a game. VisionError where there is no such game."""
    ruleset = RULESETS.get(game)
    if ruleset is None:
        raise VisionError("error.game.unknown", game=game, games=", ".join(RULESETS))
    return DiceRules(game, ruleset.faces, ruleset.dice_min, ruleset.dice_max)
