"""A position as rules and abilities see it, and what an ability sees of it.

What everybody else asks of a position does not belong here: `position.py` adds it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Self

import msgspec
from msgspec import UNSET

from companion.engine.abilities import Offers, Quantity, Query
from companion.engine.effects import Effect
from companion.engine.effects.sources import Mark
from companion.engine.game import Game, Step
from companion.engine.index import AnyCarried, CarriedAbility, Index, index_after, index_of
from companion.engine.questions import Question
from companion.engine.ruleset import Ruleset
from companion.engine.values import (
    TABLE,
    Borough,
    CardId,
    CardInPlay,
    Deed,
    Face,
    Monster,
    Number,
    Place,
    Seat,
    Stack,
    Token,
    Unit,
)


class BasePosition(msgspec.Struct, frozen=True, gc=False, eq=False):
    """A game with its rules and the abilities in force, and the numbers looked up in it.

    `open_question` is cached when it is first asked for (`loop.question`).
    """

    game: Game
    rules: Ruleset
    index: Index
    open_question: Question | msgspec.UnsetType | None = msgspec.UNSET

    @classmethod
    def build(cls, game: Game, rules: Ruleset) -> Self:
        """Build the position with all abilities in force there."""
        return cls(game, rules, index_of(rules, game.in_play))

    def moved_on(self, game: Game) -> Self:
        """Return the position of another moment of the same game."""
        before, after = self.game.in_play, game.in_play
        if after is before:
            return type(self)(game, self.rules, self.index)
        return type(self)(game, self.rules, index_after(self.rules, before, self.index, after))

    # -- numbers ------------------------------------------------------------------------------

    def fold(self, quantity: Quantity, query: Query, value: int) -> int:
        """Return a quantity after all abilities that modify it."""
        for entry in self.index.modifiers.get(quantity, ()):
            if entry.ability.mine and entry.seat != query.seat:
                continue
            value = entry.ability.by(mine(self, entry), query, value)
        return value

    def of_seat(self, quantity: Quantity, seat: Seat, value: int) -> int:
        """Return a quantity that depends on a seat alone, after all abilities."""
        if quantity not in self.index.modifiers:
            return value
        return self.fold(quantity, Query(seat), value)

    def is_modified(self, quantity: Quantity) -> bool:
        """Whether any ability in force modifies the quantity."""
        return quantity in self.index.modifiers

    def health_max(self, seat: Seat) -> int:
        """Return the maximum health (NY-9.1, TK-8.1)."""
        return self.of_seat(Quantity.HEALTH_MAX, seat, self.rules.health)

    def monster_name(self, seat: Seat) -> str:
        """Return which of the ruleset's Monsters a seat plays; "" if the game does not say."""
        name = self.game.monsters[seat].name
        return "" if name is UNSET else name

    def number_max(self, seat: Seat, what: Number) -> int:
        """Return the most that a number may be set to; 0 for one that this game's Monsters lack."""
        limit = self.rules.numbers.get(what)
        return 0 if limit is None else limit.most(self, seat)

    def dice(self, seat: Seat) -> int:
        """Return how many dice the next roll has, from 0 to all in the box (NY-5.4, TK-4.3)."""
        dice = self.of_seat(Quantity.DICE, seat, self.rules.dice)
        return max(0, min(self.rules.dice_max, dice))

    def rolls(self, seat: Seat) -> int:
        """Return the number of rolls of a turn, at least 1 (NY-5.4)."""
        return max(1, self.of_seat(Quantity.ROLLS, seat, self.rules.rolls))

    def price(self, seat: Seat, name: str) -> int:
        """Return what a card costs this seat now, never below 0 (NY-15.5, NY-15.8, TK-12.5)."""
        printed = self.rules.cards[name].cost
        if Quantity.PRICE not in self.index.modifiers:
            return printed
        return max(0, self.fold(Quantity.PRICE, Query(seat, name), printed))

    def may_buy(self, seat: Seat, name: str) -> bool:
        """Whether this card may be bought now, price aside (NY-15.9)."""
        if Quantity.MAY_BUY not in self.index.modifiers:
            return True
        return self.fold(Quantity.MAY_BUY, Query(seat, name), 1) > 0

    def toll(self, seat: Seat) -> int:
        """Return what a voluntary move costs."""
        return self.of_seat(Quantity.TOLL, seat, 0)

    def rethrow_price(self, seat: Seat, faces: tuple[Face, ...]) -> int:
        """Return what throwing dice that show these faces again costs."""
        return self.fold(Quantity.RETHROW_PRICE, Query(seat, faces=faces), 0)

    def roll_cost(self, seat: Seat, face: Face) -> int:
        """Return how many rolls throwing a die with this face again uses up."""
        return self.fold(Quantity.ROLL_COST, Query(seat, faces=(face,)), 1)

    def may_rethrow(self, seat: Seat, face: Face) -> bool:
        """Whether a die with this face may be thrown again."""
        return self.fold(Quantity.MAY_RETHROW, Query(seat, faces=(face,)), 1) > 0

    def is_loose(self, seat: Seat, face: Face) -> bool:
        """Whether a die may be thrown again, free of rolls, for as long as it shows this face."""
        return (
            not self.roll_cost(seat, face)
            and self.may_rethrow(seat, face)
            and not self.rethrow_price(seat, (face,))
        )

    def must_roll(self, seat: Seat) -> bool:
        """Whether every remaining roll must be used."""
        return self.of_seat(Quantity.MUST_ROLL, seat, 0) > 0

    def tokens(self, seat: Seat, token: Token) -> int:
        """Return the number of tokens of a kind on a Monster."""
        return sum(p.count for p in self.game.in_play.tokens if p.seat == seat and p.token == token)

    def unspent_faces(self) -> tuple[Face, ...]:
        """Return the faces of the final dice that still count; dice given up are left out (H18)."""
        turn = self.game.turn
        if not turn.spent:
            return turn.faces
        return tuple([face for i, face in enumerate(turn.faces) if i not in turn.spent])

    def rolled(self, face: Face) -> int:
        """Return how many dice of the result show a face, those given up left out (H18)."""
        return self.unspent_faces().count(face)

    def result(self) -> tuple[Face, ...]:
        """Return the symbols of the result: dice, and what cards add to them (B5)."""
        return self.unspent_faces() + self.game.turn.added

    def count(self, face: Face) -> int:
        """Return the number of symbols of a face in the result."""
        return self.result().count(face)

    def purse(self, seat: Seat) -> int:
        """Return what a seat can pay: its energy, unless something else counts as energy too."""
        return self.of_seat(Quantity.PURSE, seat, self.game.monsters[seat].energy)

    def durability(self, seat: Seat, tile: str) -> int:
        """Return the DESTRUCTION this seat needs for a tile (NY-3.1)."""
        return self.fold(Quantity.DURABILITY, Query(seat, tile), self.rules.tiles[tile].durability)

    def tallied(self, deed: Deed, by: Seat | None = None, seat: Seat | None = None) -> int:
        """Return the amount of a deed this turn: all of it, or by one seat, or to one."""
        return sum(
            each.amount
            for each in self.game.turn.tally
            if each.deed is deed
            and (by is None or each.by == by)
            and (seat is None or each.seat == seat)
        )

    # -- seats --------------------------------------------------------------------------------

    def alive(self) -> tuple[Seat, ...]:
        """Return the seats of living Monsters, in seat order."""
        return tuple([m.seat for m in self.game.monsters if m.alive])

    def is_alive(self, seat: Seat) -> bool:
        """Whether the seat's Monster lives; the table (`TABLE`) always does."""
        return seat == TABLE or self.game.monsters[seat].alive

    def is_too_late(self, effect: Effect) -> bool:
        """Whether the Monster that the effect would happen to is out of the game."""
        seat = effect.seat
        return seat != TABLE and not self.game.monsters[seat].alive and not effect.to_dead

    def clockwise(self, start: Seat) -> tuple[Seat, ...]:
        """Return all seats from `start` on, clockwise."""
        n = len(self.game.monsters)
        seats = range(start, start + n)
        return tuple([seat % n for seat in seats])  # type: ignore[misc]

    def after(self, seat: Seat) -> Seat:
        """Return the next living seat clockwise; the seat itself when it is alone."""
        order = self.clockwise(seat)
        return next((s for s in (*order[1:], seat) if self.game.monsters[s].alive), seat)

    def neighbours(self, seat: Seat) -> tuple[Seat, ...]:
        """Return the nearest living Monsters on both sides, each once, never itself (G9)."""
        order = [s for s in self.clockwise(seat)[1:] if self.game.monsters[s].alive]
        return tuple(dict.fromkeys((order[0], order[-1]))) if order else ()

    # -- places -------------------------------------------------------------------------------

    def place(self, seat: Seat) -> Place | None:
        """Return the place where a Monster stands."""
        name = self.game.monsters[seat].place
        return self.rules.places[name] if name is not None else None

    def is_inside(self, seat: Seat) -> bool:
        """Whether a Monster stands in the city (Manhattan, Tokyo)."""
        place = self.place(seat)
        return place is not None and place.inside

    def inside(self) -> tuple[Seat, ...]:
        """Return the seats in the city, first track first (NY-18.6, TK-11.8)."""
        places = self.rules.places
        found: list[tuple[int, Seat]] = []
        for monster in self.game.monsters:
            if monster.place is not None and (place := places[monster.place]).inside:
                found.append((place.track, monster.seat))
        return tuple([s for _, s in sorted(found)]) if found else ()

    def area(self, seat: Seat) -> str | None:
        """Return the borough or city a Monster stands in."""
        place = self.place(seat)
        return place.area if place is not None else None

    def is_usable(self, place: Place) -> bool:
        """Whether enough Monsters live for this space to be in the game (NY-18.1, TK-11.1)."""
        return not place.needs_alive or len(self.alive()) >= place.needs_alive

    def room(self, name: str) -> int:
        """Return how many more Monsters a place can take; a track of the city has one (NY-18.5)."""
        place = self.rules.places[name]
        if not self.is_usable(place) or (place.inside and place.track in self._tracks()):
            return 0
        return place.room - sum(m.alive and m.place == name for m in self.game.monsters)

    def free_entry(self) -> str | None:
        """Return the space by which the city is entered now, first track first; None if it is
        full.

        A track is free when nobody stands anywhere on it (NY-18.4).
        """
        tracks = self._tracks()
        for place in _entries(self.rules):
            if place.track not in tracks and self.is_usable(place):
                return place.name
        return None

    def _tracks(self) -> set[int]:
        """Return the occupied tracks of the city."""
        return {p.track for s in self.inside() if (p := self.place(s)) is not None}

    # -- cards and tiles ----------------------------------------------------------------------

    def card(self, card: CardId) -> CardInPlay | None:
        """Return the owned card or goal with that id."""
        return next((c for c in self.game.in_play.cards if c.id == card), None)

    def for_sale(self, card: CardId) -> CardInPlay | None:
        """Return the card with that id if it is in the shop."""
        return next((c for c in self.game.in_play.shop if c is not None and c.id == card), None)

    def empty_slot(self) -> int | None:
        """Return the first slot of the shop to fill; None if it is full, or no card is left."""
        if not self.game.deck and not self.game.discards:
            return None
        return next((i for i, c in enumerate(self.game.in_play.shop) if c is None), None)

    def borough(self, area: str | None) -> Borough | None:
        """Return the tiles of an area, if it has any."""
        return next((b for b in self.game.boroughs if b.area == area), None)

    def stack(self, stack: int) -> tuple[Borough, Stack]:
        """Return the stack of that id and its borough."""
        return next((b, s) for b in self.game.boroughs for s in b.stacks if s.id == stack)

    def borough_of_unit(self, unit: int) -> Borough:
        """Return the borough in which a Unit stands."""
        return next(b for b in self.game.boroughs if any(u.id == unit for u in b.units))

    def units(self, seat: Seat) -> tuple[Unit, ...]:
        """Return the Units in a Monster's borough."""
        borough = self.borough(self.area(seat))
        return borough.units if borough is not None else ()

    # -- powers -------------------------------------------------------------------------------

    def powers(self, window: str) -> tuple[CarriedAbility[Offers], ...]:
        """Return the powers that can be used while a question of this window is open."""
        found = self.index.offers_in(window)
        if not found:
            return ()
        return tuple(
            [
                entry
                for entry in found
                if self.is_alive(entry.seat) and entry.ability.available(mine(self, entry))
            ]
        )

    def has_waiting(self, window: str, seat: Seat) -> bool:
        """Whether this seat has a power that the game asks for in this window."""
        return any(
            entry.seat == seat and entry.ability.waits and entry.ability.window == window
            for entry in self.index.offers_in(window)
        )

    def waiting(self, window: str) -> set[Seat]:
        """Return the seats with a power that the game asks for before the window closes."""
        return {entry.seat for entry in self.powers(window) if entry.ability.waits}


@cache
def _entries(rules: Ruleset) -> tuple[Place, ...]:
    """Return the spaces by which the city is entered, first track first."""
    return tuple(sorted((p for p in rules.places.values() if p.entry), key=lambda p: p.track))


class My(msgspec.Struct, frozen=True, gc=False):
    """An ability's view of a position: the game now, and who carries the ability.

    `seat` of the carrier's owner; TABLE for the game itself and cards for sale. Made by `mine`.
    """

    position: BasePosition
    entry: AnyCarried
    game: Game
    seat: Seat

    @property
    def ref(self) -> str:
        """The name of this ability at this carrier."""
        return self.entry.ref

    def has_used(self, mark: Mark | None = None) -> bool:
        """Whether this turn remembers the mark; without one, this ability at this carrier."""
        return (self.ref if mark is None else str(mark)) in self.game.turn.used

    @property
    def card_id(self) -> CardId:
        """The id of the card that carries the ability."""
        assert self.entry.card is not None  # only cards' abilities ask
        return self.entry.card

    @property
    def card(self) -> CardInPlay:
        """The card that carries the ability."""
        card = self.position.card(self.card_id)
        assert card is not None  # an entry whose card is gone is not asked
        return card

    @property
    def name(self) -> str:
        """The name of the card that carries the ability, owned or for sale."""
        card = self.position.card(self.card_id) or self.position.for_sale(self.card_id)
        assert card is not None  # an entry whose card is gone is not asked
        return card.name

    @property
    def rules(self) -> Ruleset:
        """The game's ruleset."""
        return self.position.rules

    @property
    def is_active(self) -> bool:
        """Whether it is the owner's turn."""
        return self.game.turn.active == self.seat

    @property
    def monster(self) -> Monster:
        """The owner's Monster."""
        return self.position.game.monsters[self.seat]


def mine(position: BasePosition, entry: AnyCarried) -> My:
    """Return an ability's point of view at its carrier."""
    return My(position, entry, position.game, entry.seat)


Scoring = Callable[[BasePosition, Seat, int], tuple[Step, ...]]
"""What so many dice of one face do for a seat (`Ruleset.scoring`)."""
