"""What the outside may say to a game: the vocabulary of the log. Past tense;
the table is the chance player.
"""

from __future__ import annotations

import msgspec

from companion.engine.changes import Number
from companion.engine.values import Face, Seat


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something a table or a seat says happened."""


class DiceRolled(Event, frozen=True):
    """The dice lie like this: all of them. `final` ends the rolling (one Apply is one command).

    `rethrown` names the dice (indices) that were thrown again since the last DiceRolled of this
    roll.
    """

    faces: tuple[Face, ...]
    rethrown: tuple[int, ...] = ()
    final: bool = False


class OrderChosen(Event, frozen=True):
    """The active Monster wants its groups resolved in this order (NY-6.2)."""

    seat: Seat
    faces: tuple[Face, ...]


class Chosen(Event, frozen=True, omit_defaults=True):
    """A seat answers the open question with the key of one of its options."""

    seat: Seat
    option: str
    ahead: bool = False
    """The table said it for the seat, which had set this answer ahead."""


class PowerUsed(Event, frozen=True):
    """A seat uses a power that is offered to it; `ref` is the offer's."""

    seat: Seat
    ref: str


class CardShown(Event, frozen=True):
    """The card just turned up, by its id; None: the deck and its discards are empty.

    With `slot`, a slot of the shop that nobody had named; without, the one that is asked for.
    """

    name: str | None
    slot: int | None = None


class TileShown(Event, frozen=True):
    """The building now on top of a stack, by its id; None: nothing is left there.

    With `stack`, one whose top nobody had named; without, the one that is asked for.
    """

    name: str | None
    stack: int | None = None


class PutOff(Event, frozen=True):
    """The table does not name the cards or tile asked for now;
    asked again when somebody needs them.
    """


class Correction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One number of one Monster set to what the table says."""

    seat: Seat
    what: Number
    value: int


class Moved(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One Monster set to a place by hand."""

    seat: Seat
    place: str


class Corrected(Event, frozen=True):
    """The table is right: numbers set, Monsters moved by hand.

    `reason` is a key the page offers, or "".
    """

    numbers: tuple[Correction, ...] = ()
    places: tuple[Moved, ...] = ()
    reason: str = ""


AnyEvent = (
    DiceRolled | OrderChosen | Chosen | PowerUsed | CardShown | TileShown | PutOff | Corrected
)
