"""How large what the outside says may be: every field of every event carries one of these bounds.

They hold whatever a table can have written, so no row of a log is lost by them; what a position
allows, the rules decide.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from companion.engine.values import Face, Seat

Key = Annotated[str, Meta(max_length=64)]
"""An id of the rules: a card, tile, place, option, power, edition, house rule."""
MOST_SEATS = 6
"""No box has more."""
SeatNumber = Annotated[Seat, Meta(ge=0, le=MOST_SEATS - 1)]
SeatIndex = Annotated[int, Meta(ge=0, le=MOST_SEATS - 1)]
"""The same, as a table says it."""
Faces = Annotated[tuple[Face, ...], Meta(max_length=8)]
"""Dice as they lie; no box has more."""
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
