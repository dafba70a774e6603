"""One-line summaries of the log's games, for the list of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from companion.engine import Ended
from companion.table.database import StoredRow
from companion.table.events import TableSet, setup_for


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game of the log. `at`: when its newest row was written, ISO 8601; `current`: it is being
    played.
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
    """The part of a stored position that a summary needs."""

    rules: str
    edition: str
    monsters: tuple[msgspec.Raw, ...]
    house: tuple[str, ...] = ()
    ended: Ended | None = None


def summarize(table: str, rows: Iterable[StoredRow]) -> GameSummary:
    """Summarize a game without replaying it.

    A row has a digest once the game has started, and a position where the game has ended or goes on
    again.
    """
    setup: TableSet | None = None
    started, written, count, last = False, "", 0, None
    for count, last in enumerate(rows, start=1):  # noqa: B007
        if last.digest:
            started, written = True, last.position or written
        else:
            started, written = False, ""
            setup = _decode_setup(last.event) or setup
    position = _decode_position(written)
    if position is not None:
        seats = len(position.monsters)
        setup = setup_for(setup, position.rules, position.edition, position.house, seats)
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


def _decode_position(written: str) -> _Position | None:
    try:
        return _POSITION.decode(written)
    except (msgspec.MsgspecError, RecursionError):
        return None


def _decode_setup(event: str) -> TableSet | None:
    try:
        return _TABLE_SET.decode(event)
    except (msgspec.MsgspecError, RecursionError):
        return None
