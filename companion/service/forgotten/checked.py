"""The part of a log that the rules can play again, and its audit with numbers of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from companion.engine import Audit, Difference, Event, Game, Position
from companion.service.views.reasons import is_same_game
from companion.table import Entry


@dataclass(frozen=True, slots=True)
class Checked:
    """The rows that are compared: from the position `start` on, all that hold events of the
    rules.
    """

    start: Game
    inputs: tuple[Entry, ...]


def checked_part(line: Sequence[Entry]) -> Checked | None:
    """Return what of these rows, oldest first, the rules can play again: all since the start, or
    since the last gap or row on which the log and the rules disagree. None before a game.
    """
    start: Game | None = None
    begun, known = 0, None
    for n, entry in enumerate(line):
        before, after = entry.before.game, entry.after.game
        if after is not None and (entry.refused is not None or not is_same_game(before, after)):
            start, begun = after, n + 1
        elif before is not known and before is not None:
            start, begun = before, n
        known = after
    if start is None:
        return None
    return Checked(start, tuple(one for one in line[begun:] if isinstance(one.event, Event)))


def audit_of(part: Checked) -> Audit:
    """Return the audit of this part, with rows in place of the numbers of events.

    Raises IllegalEvent for an event that today's rules do not allow.
    """
    events = [one.event for one in part.inputs if isinstance(one.event, Event)]
    return with_row_numbers(Position.of(part.start).audit(events), part.inputs)


def with_row_numbers(found: Audit, inputs: Sequence[Entry]) -> Audit:
    """Return the audit with numbers of rows in place of numbers of events."""

    def row(one: Difference) -> Difference:
        reason = one.reason and replace(one.reason, event=inputs[one.reason.event - 1].seq)
        return replace(one, event=inputs[one.event - 1].seq, reason=reason)

    return replace(
        found,
        differences=tuple(row(one) for one in found.differences),
        uncaused=tuple(row(one) for one in found.uncaused),
    )
