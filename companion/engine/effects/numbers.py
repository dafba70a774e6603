"""Effects on health, stars, energy and tokens; reaching 0 health and elimination."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from companion.engine.effects.base import (
    Effect,
    Lookups,
    with_in_play,
    with_monster,
    with_number,
    with_stars,
    with_tally,
    with_tokens,
    with_turn,
)
from companion.engine.values import TABLE, B, Board, CardKind, Clause, Deed, Number, Seat, Token


def _changed(position: Lookups[B], seat: Seat, what: Number, by: int) -> B:
    """Return the board with a number of a Monster so much larger, or smaller but not below 0."""
    value = max(0, position.game.monsters[seat].number(what) + by)
    return with_number(position.game, seat, what, value, position.rules.goal_stars)


class Gain(Effect, frozen=True):
    """So much more of the number `adds_to`."""

    counted: ClassVar = True
    adds_to: ClassVar[Number]
    amount: int

    def apply(self, position: Lookups[B]) -> B:
        """Add the amount."""
        return _changed(position, self.seat, self.adds_to, self.amount)


class Loss(Effect, frozen=True):
    """So much less of the number `takes_from`, never below 0."""

    counted: ClassVar = True
    takes_from: ClassVar[Number]
    amount: int

    def apply(self, position: Lookups[B]) -> B:
        """Take the amount off."""
        return _changed(position, self.seat, self.takes_from, -self.amount)


class GainStars(Gain, frozen=True):
    """A Monster gains stars, up to the goal."""

    clause: ClassVar[Clause] = "NY-17.7"

    adds_to: ClassVar = Number.STARS

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Limit the amount to what the dial can still show."""
        room = position.rules.goal_stars - position.game.monsters[self.seat].stars
        return replace(self, amount=min(self.amount, room))


class LoseStars(Loss, frozen=True):
    """A Monster loses stars, never below 0."""

    clause: ClassVar[Clause] = "NY-16.4"

    takes_from: ClassVar = Number.STARS

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Limit the amount to the stars it has."""
        return replace(self, amount=min(self.amount, position.game.monsters[self.seat].stars))


class GainEnergy(Gain, frozen=True):
    """A Monster gains energy."""

    clause: ClassVar[Clause] = ("NY-7.1", "TK-6.1")

    adds_to: ClassVar = Number.ENERGY

    def apply(self, position: Lookups[B]) -> B:
        """Add the energy, and count it as gained this turn."""
        game = super().apply(position)
        return with_tally(game, Deed.ENERGY_GAINED, self.seat, self.seat, self.amount)


class TakeBackEnergy(Gain, frozen=True):
    """A Monster gets back energy that was its own: it does not count as gained."""

    clause: ClassVar[Clause] = "TK-16.21"

    adds_to: ClassVar = Number.ENERGY


class SpendEnergy(Loss, frozen=True):
    """A Monster pays energy for something."""

    takes_from: ClassVar = Number.ENERGY
    immediate: ClassVar = True

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Limit the price to the energy it has (NY-16.4)."""
        return replace(self, amount=min(self.amount, position.game.monsters[self.seat].energy))


class LoseEnergy(SpendEnergy, frozen=True):
    """A Monster loses energy, never below 0."""

    clause: ClassVar[Clause] = "NY-16.4"


class HandOver(Effect, frozen=True):
    """A Monster gives `to` this much energy, at most what it has; for `to` it is a gain."""

    counted: ClassVar = True
    amount: int
    to: Seat

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Limit the amount to what the giver has."""
        return replace(self, amount=min(self.amount, position.game.monsters[self.seat].energy))

    def apply(self, position: Lookups[B]) -> B:
        """Move the energy from the giver to the other, as a gain."""
        giver, taker = position.game.monsters[self.seat], position.game.monsters[self.to]
        game = with_monster(position.game, self.seat, energy=giver.energy - self.amount)
        game = with_monster(game, self.to, energy=taker.energy + self.amount)
        return with_tally(game, Deed.ENERGY_GAINED, self.to, self.to, self.amount)


class Heal(Gain, frozen=True):
    """A Monster regains health, up to the maximum. `by`: another who heals it, with `card`."""

    clause: ClassVar[Clause] = ("NY-9.1", "TK-8.1")

    adds_to: ClassVar = Number.HEALTH
    by: Seat = TABLE
    card: int = -1

    @property
    def doer(self) -> Seat:
        """Who heals: another, else the Monster itself."""
        return self.seat if self.by == TABLE else self.by

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Limit the amount to the health that is missing."""
        lost = position.health_max(self.seat) - position.game.monsters[self.seat].health
        return replace(self, amount=max(0, min(self.amount, lost)))


class Damage(
    Loss,
    frozen=True,
    rename={"by_units": "by_ouch", "flight_decided": "answered", "untreated": "untried"},
):
    """A Monster is hurt. `by_attack`: by ATTACK dice, so it may flee (NY-8.4, TK-7.6); `by_units`:
    by Units that strike.

    `flight_decided`: it was asked before the hurt whether it stays or flees, and is not asked
    again. `untreated`: points that an ability which treats them in several steps has yet to treat.
    In JSON these three keep their first names: `by_ouch`, `answered`, `untried`.
    `occasion`: the clock of the damage that set this off, of one occasion with it (H33); 0: none.
    """

    clause: ClassVar[Clause] = ("NY-16.1", "TK-7.6")

    takes_from: ClassVar = Number.HEALTH
    dealer: Seat = TABLE
    by_attack: bool = False
    by_units: bool = False
    flight_decided: bool = False
    untreated: int = 0
    occasion: int = 0

    @property
    def doer(self) -> Seat:
        """Who deals it."""
        return self.dealer

    def apply(self, position: Lookups[B]) -> B:
        """Take the health off, and count what there was to take by dealer."""
        game = super().apply(position)
        lost = position.game.monsters[self.seat].health - game.monsters[self.seat].health
        return with_tally(game, Deed.DAMAGE, self.dealer, self.seat, lost)


class LoseHealth(Loss, frozen=True):
    """A Monster loses health without damage: abilities that answer damage do not answer it."""

    clause: ClassVar[Clause] = "TK-16.1"

    takes_from: ClassVar = Number.HEALTH


class TrimHealth(Loss, frozen=True):
    """A Monster loses the health above its maximum (a card that raised it is gone)."""

    takes_from: ClassVar = Number.HEALTH
    amount: int = 99

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Set the amount to the health above the maximum."""
        over = position.game.monsters[self.seat].health - position.health_max(self.seat)
        return replace(self, amount=max(0, over))


class GiveTokens(Effect, frozen=True):
    """Tokens are put on a Monster. `mark`: they are given once a turn under this name."""

    counted: ClassVar = True
    amount: int
    token: Token
    mark: str = ""

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Reduce the number to 0 if this mark was used this turn."""
        given = self.mark and self.mark in position.game.turn.used
        return replace(self, amount=0) if given else self

    def apply(self, position: Lookups[B]) -> B:
        """Add the tokens to those the Monster has, and note the mark."""
        count = position.tokens(self.seat, self.token) + self.amount
        game = with_tokens(position.game, self.seat, self.token, count)
        return with_turn(game, used=(*game.turn.used, self.mark)) if self.mark else game


class RemoveTokens(Effect, frozen=True):
    """A Monster loses tokens."""

    counted: ClassVar = True
    amount: int
    token: Token

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Limit the number to the tokens it has."""
        return replace(self, amount=min(self.amount, position.tokens(self.seat, self.token)))

    def apply(self, position: Lookups[B]) -> B:
        """Take the tokens off."""
        count = position.tokens(self.seat, self.token) - self.amount
        return with_tokens(position.game, self.seat, self.token, count)


class ReachedZero(Effect, frozen=True):
    """A Monster has reached 0 health; an ability may still save it.

    `inside`: it stood in the city.
    """

    clause: ClassVar[Clause] = "NY-16.1"

    dealer: Seat = TABLE
    by_attack: bool = False
    inside: bool = False

    @property
    def doer(self) -> Seat:
        """Who dealt the last damage."""
        return self.dealer

    def apply(self, position: Lookups[B]) -> B:
        """Mark the Monster as fallen, so that it falls only once."""
        return with_monster(position.game, self.seat, fallen=True)


class Eliminate(Effect, frozen=True):
    """A fallen Monster leaves the game with its cards, energy and tokens."""

    clause: ClassVar[Clause] = ("NY-16.2", "TK-13.3")

    to_dead: ClassVar = True

    def apply(self, position: Lookups[B]) -> B:
        """Remove all it owns; goal cards go back beside the deck."""
        game, seat = position.game, self.seat
        if not game.monsters[seat].fallen:
            return game
        mine = [card for card in game.in_play.cards if card.owner == seat]
        goals = {c.id for c in mine if position.rules.cards[c.name].kind is CardKind.GOAL}
        names = [card.name for card in mine if card.id not in goals]
        kept = tuple(
            replace(card, owner=TABLE) if card.id in goals else card
            for card in game.in_play.cards
            if card.owner != seat or card.id in goals
        )
        game = with_in_play(
            game,
            cards=kept,
            tokens=tuple(pile for pile in game.in_play.tokens if pile.seat != seat),
            conditions=tuple(c for c in game.in_play.conditions if c.seat != seat),
        )
        game = replace(
            game,
            discards=tuple(sorted((*game.discards, *names))),
            extra=tuple(each for each in game.extra if each.seat != seat),
        )
        return with_monster(
            game,
            seat,
            alive=False,
            fallen=False,
            health=0,
            energy=0,
            place=None,
            reached=None,
            trophies=(),
            died_turn=game.turn.number,
        )


class StartAgain(Effect, frozen=True):
    """A fallen Monster goes on: no stars, full health, outside the city; it keeps its energy.

    Its cards are discarded before, each as a loss of its own.
    """

    clause: ClassVar[Clause] = "TK-16.17"

    def apply(self, position: Lookups[B]) -> B:
        """Put the Monster at a start place with the rules' health."""
        place = position.game.monsters[self.seat].place
        if place is None or position.rules.places[place].inside:
            place = next(p for p in position.rules.start_places if position.room(p) > 0)
        game = with_stars(position.game, self.seat, 0, position.rules.goal_stars)
        return with_monster(
            game, self.seat, health=position.rules.health, fallen=False, place=place
        )


NumberEffect = (
    GainStars
    | LoseStars
    | GainEnergy
    | TakeBackEnergy
    | SpendEnergy
    | LoseEnergy
    | HandOver
    | Heal
    | Damage
    | LoseHealth
    | TrimHealth
    | GiveTokens
    | RemoveTokens
    | ReachedZero
    | Eliminate
    | StartAgain
)
"""Every effect of this module."""
