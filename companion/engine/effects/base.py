"""The base class of all effects."""

from __future__ import annotations

from typing import ClassVar

from companion.engine.board import B, Board
from companion.engine.effects.lookups import Lookups
from companion.engine.values import Clause, Number, Seat, Value


class Histories(Value, frozen=True, kw_only=True):
    """Where an effect comes from: two histories, never merged, and the ability that brought it.

    `seen` are the refs of replacing abilities that treated this very happening; `causes` are the
    abilities (with their seats) that led here. Merged, one card's extra damage would escape another
    card's cancelling.
    """

    seen: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    source: str = ""
    """The ability that laid it on the agenda, as `card.ability@seat` or `ability@game`."""


class Effect(Histories, frozen=True, tag_field="type"):
    """Something that happens to one Monster, `seat`: data, with the one way it changes the game."""

    counted: ClassVar[bool] = False
    """It has an amount, and with amount 0 it did not happen."""
    to_dead: ClassVar[bool] = False
    """It may happen to a Monster that is out of the game."""
    while_alive: ClassVar[bool] = False
    """Reactions to it end with its Monster."""
    ordered: ClassVar[bool] = False
    """Who owns several cards that answer it says which comes first, where that matters."""
    immediate: ClassVar[bool] = False
    """It does not wait for the packet it belongs to: a price is paid when it is agreed on."""
    quiet: ClassVar[bool] = False
    """Bookkeeping: left out where people read what happened."""
    adds_to: ClassVar[Number | None] = None
    """The number of its Monster that grows by `amount`."""
    takes_from: ClassVar[Number | None] = None
    """The number of its Monster that shrinks by `amount`, never below 0."""

    clause: ClassVar[Clause] = ""
    """What it rests on where no ability that did it names a clause of its own."""

    seat: Seat

    @classmethod
    def tag(cls) -> str:
        """Its name in JSON, which stays when the class gets a plainer one."""
        return str(cls.__struct_config__.tag)

    @property
    def doer(self) -> Seat:
        """Whose deed it is: that of the seat it happens to, unless the effect names another."""
        return self.seat

    def fitted(self, position: Lookups[Board]) -> Effect:
        """Return the effect cut down to what can happen in this position."""
        return self

    def apply(self, position: Lookups[B]) -> B:
        """Return the board after the effect."""
        return position.game
