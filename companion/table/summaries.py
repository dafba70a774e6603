"""Games of the log in a line each, for the list of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from companion.engine import Ended
from companion.storage.rows import is_placeholder
from companion.table.events import TableSet
from companion.table.history import seated
from companion.table.log import LogRow


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game of the log in a line. `at`: when its newest row was written, ISO 8601; `current`: it
    is the one being played.
    """

    id: str
    setup: TableSet | None
    rows: int
    started: bool
    ended: bool
    winners: tuple[int, ...]
    at: str
    current: bool


class _Position(msgspec.Struct, frozen=True):
    """Of a position, which box lies on the table, how many sit at it, and whether it is over."""

    rules: str
    edition: str
    monsters: tuple[msgspec.Raw, ...]
    house: tuple[str, ...] = ()
    ended: Ended | None = None


def summed_up(table: str, rows: Iterable[LogRow]) -> GameSummary:
    """The game in a line, without playing it: a row has a digest once the game has started, and a
    position whenever the game has ended, or goes on again.

    A lost row has neither, and says nothing of that: what was known before it still holds. Whom the
    log no longer names sits there without a name, as in the game itself.
    """
    setup: TableSet | None = None
    started, written, count, last = False, "", 0, None
    for count, last in enumerate(rows, start=1):  # noqa: B007
        if last.digest:
            started, written = True, last.position or written
        elif not is_placeholder(last):
            started, written = False, ""
            setup = _set_up(last.event) or setup
    position = _position(written)
    if position is not None:
        seats = len(position.monsters)
        setup = seated(setup, position.rules, position.edition, position.house, seats)
    ended = None if position is None else position.ended
    return GameSummary(
        table,
        setup,
        count,
        started,
        ended is not None,
        () if ended is None else ended.winners,
        "" if last is None else last.at,
        current=False,
    )


_POSITION = msgspec.json.Decoder(_Position)
_TABLE_SET = msgspec.json.Decoder(TableSet)


def _position(written: str) -> _Position | None:
    try:
        return _POSITION.decode(written)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _set_up(event: str) -> TableSet | None:
    try:
        return _TABLE_SET.decode(event)
    except (msgspec.MsgspecError, RecursionError):
        return None
