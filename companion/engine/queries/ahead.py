"""Answers set ahead: what a seat wants answered when its question comes."""

from __future__ import annotations

from companion.engine.base_position import BasePosition
from companion.engine.events import Chosen, Health, Places
from companion.engine.queries.preview import consequences
from companion.engine.questions import Choice, Option
from companion.engine.resolution.loop import question
from companion.engine.values import Number, Seat, Value


class Ahead(Value, frozen=True):
    """What a Monster does when claws hit it in the city (NY-13.6, TK-10.1).

    It flees when staying would leave it less than `flee_below` health, and stays when that would
    leave it more than `stay_above`; in between, and where one of them is None, it is asked. `to`
    are the places it flees to, the first that has room; without any, the only one there is.
    """

    flee_below: Health | None = None
    stay_above: Health | None = None
    to: Places = ()

    @property
    def contradicts_itself(self) -> bool:
        """Whether some health would make it both flee and stay."""
        flee, stay = self.flee_below, self.stay_above
        return flee is not None and stay is not None and stay < flee - 1


def answer_ahead(position: BasePosition, seat: Seat, ahead: Ahead) -> Chosen | None:
    """Return the seat's answer to the open question by what it set ahead; None where it has to be
    asked.
    """
    asked = question(position)
    if not isinstance(asked, Choice) or asked.seat != seat or asked.window != "flee":
        return None
    stay = next((option for option in asked.open() if option.place is None), None)
    if stay is None:
        return None
    left = _health_left(position, asked, stay)
    option: Option | None = None
    if ahead.flee_below is not None and left < ahead.flee_below:
        option = _way_out(asked, ahead.to)
    elif ahead.stay_above is not None and left > ahead.stay_above:
        option = stay
    return Chosen(seat, option.key, ahead=True) if option is not None else None


def _health_left(position: BasePosition, choice: Choice, stay: Option) -> int:
    """Return the health that staying leaves: some are asked before they are hurt."""
    for change in consequences(position, Chosen(choice.seat, stay.key)):
        if (change.seat, change.what) == (choice.seat, Number.HEALTH):
            return change.after
    return position.game.monsters[choice.seat].health


def _way_out(choice: Choice, to: Places) -> Option | None:
    """Return the first place named that has room, or the only one that exists."""
    ways = {option.place: option for option in choice.open() if option.place is not None}
    named = [ways[place] for place in to if place in ways]
    if named:
        return named[0]
    return next(iter(ways.values())) if len(ways) == 1 else None
