"""King of Tokyo, 2016 edition: the first edition's rules with what that edition changed (TK-17)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from companion.engine.base_position import My
from companion.engine.effects.turn import EnterPhase, MoveTo
from companion.engine.games.tokyo.cards import edition_2016 as cards
from companion.engine.games.tokyo.rules import TOKYO, enter
from companion.engine.questions import Answer
from companion.engine.shared.decorators import whenever
from companion.engine.values import How

_BAY: Final = "tokyo_bay"
_CITY: Final = "tokyo_city"


@whenever(EnterPhase, clause=("TK-17.1", "TK-17.2"))
def must_enter(my: My, phase: EnterPhase) -> Answer:
    """After all dice a free City, or else a free Bay, must be entered, with or without claws."""
    entry = my.position.free_entry()
    if entry is None or my.position.is_inside(phase.seat):
        return None
    return MoveTo(phase.seat, entry, How.ENTER)


TOKYO_2016: Final = replace(
    TOKYO,
    edition="2016",
    places={**TOKYO.places, _BAY: replace(TOKYO.places[_BAY], falls_back_to=_CITY)},
    abilities=tuple(must_enter if ability is enter else ability for ability in TOKYO.abilities),
    cards=cards.CARDS,
    reworded=cards.REWORDED,
)
