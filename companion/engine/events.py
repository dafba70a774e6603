"""Events: the vocabulary of the log, past tense. The table is the chance player."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from companion.engine.values import Face, Number, Seat

# -- upper bounds of event fields: no table can have written more

Key = Annotated[str, Meta(max_length=64)]
"""An id of the rules: a card, tile, place, option, power, edition, house rule."""
MOST_SEATS = 6
"""No box has more."""
SeatNumber = Annotated[Seat, Meta(ge=0, le=MOST_SEATS - 1)]
SeatIndex = Annotated[int, Meta(ge=0, le=MOST_SEATS - 1)]
"""The same as a plain number, for logs and forms outside the engine."""
Faces = Annotated[tuple[Face, ...], Meta(max_length=8)]
"""The faces of all dice; no box has more."""
FaceOrder = Annotated[tuple[Face, ...], Meta(max_length=len(Face))]
DieNumbers = Annotated[tuple[Annotated[int, Meta(ge=0, le=7)], ...], Meta(max_length=8)]
"""Which of the dice, counted from 0."""
Places = Annotated[tuple[Key, ...], Meta(max_length=16)]
Slot = Annotated[int, Meta(ge=0, le=9)]
"""Of the cards for sale."""
StackId = Annotated[int, Meta(ge=0, le=99)]
"""Of building tiles."""
Amount = Annotated[int, Meta(ge=0, le=999)]
"""What a Monster's dial shows."""
Health = Annotated[int, Meta(ge=0, le=99)]
RowNumber = Annotated[int, Meta(ge=0, le=1 << 31)]
"""A row of the log."""


class IllegalEvent(Exception):  # noqa: N818 - an event that is illegal, no fault of the program
    """The rules do not allow this event now. `key` names why; nothing has changed."""

    def __init__(self, key: str, **params: int | str) -> None:
        super().__init__(key, params)
        self.key = key
        self.params = params


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something that a table or a seat reports."""


class DiceRolled(Event, frozen=True):
    """The faces of all dice. `final` ends the rolling (one Apply is one command).

    `rethrown` names the dice (indices) that were thrown again since the last DiceRolled of this
    roll.
    """

    faces: Faces
    rethrown: DieNumbers = ()
    final: bool = False


class OrderChosen(Event, frozen=True):
    """The active Monster wants its groups resolved in this order (NY-6.2)."""

    seat: SeatNumber
    faces: FaceOrder


class Chosen(Event, frozen=True, omit_defaults=True):
    """A seat answers the open question with the key of one of its options."""

    seat: SeatNumber
    option: Key
    ahead: bool = False
    """Entered for the seat, which had set this answer ahead."""


class PowerUsed(Event, frozen=True):
    """A seat uses a power that is offered to it; `ref` is the offer's."""

    seat: SeatNumber
    ref: Key


UNNAMED = ""
"""A card whose name is kept secret by the player who looked at it."""


class CardShown(Event, frozen=True):
    """The card just turned up, by its id; None: the deck and its discards are empty; `UNNAMED`:
    only who looks at it knows.

    With `slot`, a slot of the shop that nobody had named; without, the one that is asked for.
    """

    name: Key | None
    slot: Slot | None = None


class TileShown(Event, frozen=True):
    """The building now on top of a stack, by its id; None: nothing is left there.

    With `stack`, one whose top nobody had named; without, the one that is asked for.
    """

    name: Key | None
    stack: StackId | None = None


class PutOff(Event, frozen=True):
    """The table does not name the cards or tile now; it is asked again when somebody needs them."""


class Correction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One number of one Monster, as the table sets it."""

    seat: SeatNumber
    what: Number
    value: Amount


class Moved(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One Monster set to a place by hand."""

    seat: SeatNumber
    place: Key


class Corrected(Event, frozen=True):
    """Numbers set and Monsters moved by hand: the table is right.

    `reason` is a key the page offers, or "".
    """

    numbers: Annotated[tuple[Correction, ...], Meta(max_length=24)] = ()
    places: Annotated[tuple[Moved, ...], Meta(max_length=12)] = ()
    reason: Key = ""


AnyEvent = (
    DiceRolled | OrderChosen | Chosen | PowerUsed | CardShown | TileShown | PutOff | Corrected
)
