"""Chances of the dice lying there: exact, over the rolls that are left."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from companion.engine.game import Game
from companion.engine.resolution import IllegalEvent
from companion.engine.setup import rules_of
from companion.engine.standing import Standing
from companion.engine.turn import throwable
from companion.engine.values import Face, Value


class Odds(Value, frozen=True):
    """Chances of one face once the rolling ends.

    `at_least[k - 1]`: that it lies at least k times, when every throw goes for it: dice that show
    it stay, the others of those not kept are thrown as often as may be. `none`: that it does not
    lie at all, when every throw avoids it.
    """

    face: Face
    at_least: tuple[float, ...]
    none: float


def odds(game: Game, keep: tuple[int, ...] = (), rolls: int | None = None) -> tuple[Odds, ...]:
    """The chances of each face of the game, for the dice of the turn, those in `keep` (indices)
    staying as they lie.

    `rolls` is how many throws are still to come; without it, what the rules leave. Before the first
    throw no die lies there and all are free. Raises IllegalEvent where a kept die does not exist.
    """
    now = Standing(game, rules_of(game))
    turn = game.turn
    if any(not 0 <= die < len(turn.faces) for die in keep):
        raise IllegalEvent("no_such_die", count=len(turn.faces))
    left = turn.rolls_left if rolls is None else rolls
    free = [die for die in throwable(now, turn.active) if die not in keep]
    return tuple(_of_face(now, face, free, left) for face in now.rules.faces)


def _of_face(now: Standing, face: Face, free: list[int], rolls: int) -> Odds:
    lying = now.game.turn.faces
    fixed = sum(f is face for die, f in enumerate(lying) if die not in free)
    shown = sum(lying[die] is face for die in free) if lying else 0
    others = len(free) - shown
    miss = Fraction(len(now.rules.faces) - 1, len(now.rules.faces))
    hit = 1 - miss**rolls  # a die thrown until it shows the face
    have = fixed + shown if rolls or lying else fixed
    at_least = tuple(
        float(_at_least(others, hit, k - have)) for k in range(1, now.game.turn.dice + 1)
    )
    stays = (1 - miss) ** rolls  # a die thrown away from the face each time it shows it
    if not lying:
        none = (1 - stays) ** len(free) if rolls else Fraction(0)
    else:
        none = (1 - stays) ** shown if not fixed else Fraction(0)
    return Odds(face, at_least, float(none))


def _at_least(dice: int, chance: Fraction, wanted: int) -> Fraction:
    """That of so many dice at least `wanted` hit."""
    if wanted <= 0:
        return Fraction(1)
    return sum(
        (comb(dice, k) * chance**k * (1 - chance) ** (dice - k) for k in range(wanted, dice + 1)),
        Fraction(0),
    )
