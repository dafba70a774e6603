"""Games of the log in a line each, for the list of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from companion.engine import Ended
from companion.eventlog import Row
from companion.said import TableSet


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


class _Over(msgspec.Struct, frozen=True):
    """Of a position, whether the game is over."""

    ended: Ended | None = None


def summed_up(table: str, rows: Iterable[Row]) -> GameSummary:
    """The game in a line, without playing it: a row has a digest once the game has started, and a
    position whenever the game has ended, or goes on again.
    """
    setup: TableSet | None = None
    over, count, last = _Over(), 0, None
    for count, last in enumerate(rows, start=1):  # noqa: B007
        if last.position is not None:
            over = _over(last.position)
        elif not last.digest:
            setup = _set_up(last.event) or setup
    started = last is not None and last.digest != ""
    ended = over.ended if started else None
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


_OVER = msgspec.json.Decoder(_Over)
_TABLE_SET = msgspec.json.Decoder(TableSet)


def _over(position: str) -> _Over:
    try:
        return _OVER.decode(position)
    except (msgspec.MsgspecError, RecursionError):
        return _Over()


def _set_up(event: str) -> TableSet | None:
    try:
        return _TABLE_SET.decode(event)
    except (msgspec.MsgspecError, RecursionError):
        return None
