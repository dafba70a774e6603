"""Effects of a turn: its phases, its dice and groups, moving, and the end."""

from __future__ import annotations

from itertools import islice
from typing import ClassVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from companion.engine.effects.base import Effect, Lookups, with_in_play, with_monster, with_turn
from companion.engine.values import B, Board, Clause, Condition, Ended, Face, How, Seat, Turn


class ChooseStart(Effect, frozen=True):
    """A Monster is about to choose where it starts."""

    clause: ClassVar[Clause] = ("NY-2.6", "TK-2.1")

    quiet: ClassVar = True
    while_alive: ClassVar = True


class MoveTo(Effect, frozen=True):
    """A Monster goes to a place."""

    place: str
    how: How
    former: str | None = None

    def fitted(self, position: Lookups[Board]) -> MoveTo:
        """Add the place it came from."""
        return replace(self, former=position.game.monsters[self.seat].place)

    def apply(self, position: Lookups[B]) -> B:
        """Put the Monster there."""
        return with_monster(position.game, self.seat, place=self.place)


class BeginTurn(Effect, frozen=True):
    """A turn begins; extra turns bring their condition and leave the order as it was."""

    to_dead: ClassVar = True
    condition: str = ""
    extra: bool = False

    def apply(self, position: Lookups[B]) -> B:
        """Begin a new record of the turn and drop conditions of past turns."""
        game, number = position.game, position.game.turn.number + 1
        kept = tuple(c for c in game.in_play.conditions if c.turn >= number)
        if self.condition:
            kept = (*kept, Condition(self.condition, self.seat, number))
        if kept != game.in_play.conditions:
            game = with_in_play(game, conditions=kept)
        before = game.turn
        regular = before.active if before.follows is None else before.follows
        follows = regular if self.extra else None
        inside = len(position.inside())
        return replace(game, turn=Turn(self.seat, number, inside_at_start=inside, follows=follows))


class TurnStarted(Effect, frozen=True):
    """Phase 0: income and what happens at the start of a turn."""

    clause: ClassVar[Clause] = ("NY-13.4", "TK-9.3")

    quiet: ClassVar = True
    while_alive: ClassVar = True


class RollPhase(Effect, frozen=True):
    """Phase 1: how many dice and rolls there are."""

    clause: ClassVar[Clause] = ("NY-5", "TK-4")

    quiet: ClassVar = True
    while_alive: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Count dice and rolls, at least one roll (NY-5.4)."""
        return _counted(position, self.seat)


class DiceCounted(Effect, frozen=True):
    """A card changed the number of dice or rolls before the first roll."""

    clause: ClassVar[Clause] = "TK-16.9"

    quiet: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Count dice and rolls again."""
        return _counted(position, self.seat)


def _counted(position: Lookups[B], seat: Seat) -> B:
    dice, rolls = position.dice(seat), position.rolls(seat)
    return with_turn(position.game, dice=dice, rolls_left=rolls, faces=(), final=dice == 0)


class DiceThrown(Effect, frozen=True):
    """All dice with their faces now. A first throw and each rethrow use up one roll."""

    quiet: ClassVar = True
    faces: tuple[Face, ...]
    final: bool
    cost: int = 1

    def apply(self, position: Lookups[B]) -> B:
        """Set the faces and use up a roll."""
        left = max(0, position.game.turn.rolls_left - self.cost)
        return with_turn(position.game, faces=self.faces, final=self.final, rolls_left=left)


class DiceKept(Effect, frozen=True):
    """The active Monster rolls no more."""

    clause: ClassVar[Clause] = "NY-5.2"

    quiet: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Make the dice final."""
        return with_turn(position.game, final=True)


class DiceFinal(Effect, frozen=True):
    """The final roll: abilities that look at it answer this."""

    clause: ClassVar[Clause] = "NY-5.5"

    quiet: ClassVar = True
    while_alive: ClassVar = True


class RethrowDie(Effect, frozen=True):
    """One die of the active Monster is to be rolled again; `card` made it so."""

    while_alive: ClassVar = True
    die: int
    by: Seat
    card: int


class DieChanged(Effect, frozen=True):
    """One die shows another face."""

    die: int
    face: Face
    card: int

    def apply(self, position: Lookups[B]) -> B:
        """Set the face of the die."""
        faces = list(position.game.turn.faces)
        faces[self.die] = self.face
        return with_turn(position.game, faces=tuple(faces))


class DieSpent(Effect, frozen=True):
    """One die is given up for something else: it no longer counts."""

    die: int

    def apply(self, position: Lookups[B]) -> B:
        """Note the die as given up."""
        return with_turn(position.game, spent=(*position.game.turn.spent, self.die))


class AddSymbols(Effect, frozen=True):
    """Symbols of a face are added to the result (B5)."""

    clause: ClassVar[Clause] = "NY-5.5"

    counted: ClassVar = True
    amount: int
    face: Face

    def apply(self, position: Lookups[B]) -> B:
        """Add the symbols to the result."""
        added = (*position.game.turn.added, *((self.face,) * self.amount))
        return with_turn(position.game, added=added)


class Convert(Effect, frozen=True):
    """Results of one face count as another; symbols that cards added go first."""

    counted: ClassVar = True
    quiet: ClassVar = True
    amount: int
    face: Face
    into: Face

    def apply(self, position: Lookups[B]) -> B:
        """Move results from one group to the other."""
        turn = position.game.turn
        added = list(turn.added)
        from_cards = min(self.amount, added.count(self.face))
        for _ in range(from_cards):
            added.remove(self.face)
        dice = (i for i, f in enumerate(turn.faces) if f is self.face and i not in turn.spent)
        spent = (*turn.spent, *islice(dice, self.amount - from_cards))
        added += [self.into] * self.amount
        return with_turn(position.game, added=tuple(added), spent=spent)


class MoreRolls(Effect, frozen=True):
    """Rolls are added to those left this turn."""

    clause: ClassVar[Clause] = "TK-4.2"

    counted: ClassVar = True
    amount: int

    def apply(self, position: Lookups[B]) -> B:
        """Add the rolls."""
        left = position.game.turn.rolls_left + self.amount
        return with_turn(position.game, rolls_left=left)


class Ask(Effect, frozen=True):
    """The next question of something that asks more than one; the ability of that topic answers.

    `card`: the card that asks; `number`: what was chosen before, a die's index or an amount;
    `shown`: the card that this seat alone knows; `used_up`: areas that cannot be chosen any more.
    """

    quiet: ClassVar = True
    while_alive: ClassVar = True
    topic: str
    card: int = -1
    number: int = 0
    shown: str | UnsetType = UNSET
    used_up: tuple[str, ...] | UnsetType = UNSET


class MarkUsed(Effect, frozen=True, tag="Noted"):
    """A power was used, or a window passed: not again this turn."""

    quiet: ClassVar = True
    ref: str

    def apply(self, position: Lookups[B]) -> B:
        """Note it in the turn."""
        return with_turn(position.game, used=(*position.game.turn.used, self.ref))


class ResolvePhase(Effect, frozen=True):
    """Phase 2: the groups are resolved one by one."""

    clause: ClassVar[Clause] = ("NY-6", "TK-3.1")

    quiet: ClassVar = True
    while_alive: ClassVar = True


class ChooseGroup(Effect, frozen=True):
    """The active Monster takes up a group of dice."""

    quiet: ClassVar = True
    face: Face

    def apply(self, position: Lookups[B]) -> B:
        """Note the group as resolved, so that it is not offered again."""
        return with_turn(position.game, resolved=(*position.game.turn.resolved, self.face))


class ResolveFace(Effect, frozen=True):
    """All dice of one face take effect together."""

    clause: ClassVar[Clause] = "NY-6.1"

    counted: ClassVar = True
    quiet: ClassVar = True
    while_alive: ClassVar = True
    amount: int
    face: Face


class ShareHearts(Effect, frozen=True):
    """A Monster shares HEAL results out: `left` are still to be given, `given` names who gets one
    of the others, a seat a heart; `card` lets it.
    """

    quiet: ClassVar = True
    while_alive: ClassVar = True
    card: int
    left: int
    given: tuple[Seat, ...] = ()


class Claim(Effect, frozen=True):
    """An attack opened the city: the attacker must enter it."""

    clause: ClassVar[Clause] = ("TK-7.2", "TK-9.4", "TK-9.5")

    quiet: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Note that it enters after all dice (TK-3.2)."""
        mine = self.seat == position.game.turn.active
        return with_turn(position.game, claimed=True) if mine else position.game


class EnterPhase(Effect, frozen=True):
    """The Monster that claimed the city enters it, after all dice and before buying."""

    clause: ClassVar[Clause] = "TK-3.2"

    quiet: ClassVar = True
    while_alive: ClassVar = True


class MovePhase(Effect, frozen=True):
    """Phase 3 of a game with boroughs."""

    clause: ClassVar[Clause] = "NY-14"

    quiet: ClassVar = True
    while_alive: ClassVar = True


class BuyPhase(Effect, frozen=True):
    """Cards may be bought."""

    clause: ClassVar[Clause] = ("NY-15", "TK-12")

    quiet: ClassVar = True
    while_alive: ClassVar = True


class EndPhase(Effect, frozen=True):
    """What happens at the end of a turn, before the check for a winner."""

    clause: ClassVar[Clause] = "NY-17.1"

    ordered: ClassVar = True
    quiet: ClassVar = True
    while_alive: ClassVar = True


class TurnOver(Effect, frozen=True):
    """The end of a turn: a winner is looked for, or the next Monster plays."""

    clause: ClassVar[Clause] = ("NY-17", "TK-14")

    to_dead: ClassVar = True
    quiet: ClassVar = True


class NextTurn(Effect, frozen=True):
    """The first extra turn waiting is taken out of the queue and begins."""

    to_dead: ClassVar = True
    quiet: ClassVar = True
    condition: str = ""

    def apply(self, position: Lookups[B]) -> B:
        """Take the turn out of the queue."""
        return replace(position.game, extra=position.game.extra[1:])


class EndGame(Effect, frozen=True):
    """The game is over."""

    to_dead: ClassVar = True
    reason: str
    winners: tuple[Seat, ...]

    def apply(self, position: Lookups[B]) -> B:
        """Set the result and empty the agenda."""
        return replace(position.game, ended=Ended(self.reason, self.winners))


TurnEffect = (
    ChooseStart
    | MoveTo
    | BeginTurn
    | TurnStarted
    | RollPhase
    | DiceCounted
    | DiceThrown
    | DiceKept
    | DiceFinal
    | RethrowDie
    | DieChanged
    | DieSpent
    | AddSymbols
    | Convert
    | MoreRolls
    | Ask
    | MarkUsed
    | ResolvePhase
    | ChooseGroup
    | ResolveFace
    | ShareHearts
    | Claim
    | EnterPhase
    | MovePhase
    | BuyPhase
    | EndPhase
    | TurnOver
    | NextTurn
    | EndGame
)
"""Every effect of this module."""
