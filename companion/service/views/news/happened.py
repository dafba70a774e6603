"""News: what came of the newest commands, one sentence each, for everybody at the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec.structs import replace

from companion.engine import Corrected
from companion.service.views.logbook import SIGNS, command_of, row_words
from companion.service.views.news.came_of import came_of
from companion.service.wire import Happened
from companion.table import Redone, Snapshot, Undone

MOST = 8
"""How many sentences a view has."""
WEIGHT = ("crown", "skull", "attack", "lock", "pin", "destruction", "cards")
"""Signs of what matters most, first; of one command it is said first."""


def happened(snapshot: Snapshot) -> tuple[Happened, ...]:
    """Return what came of the commands since the last roll: the newest command first, and of one
    command what matters most.
    """
    entries = snapshot.entries
    found = [*_by_hand(snapshot)]
    rows = (entries[seq - 1] for seq in reversed(snapshot.state.since_roll))
    for _, rows_of in groupby(rows, lambda row: row.command_id):
        command = tuple(rows_of)[::-1]
        first = command_of(command[0], entries)[0].seq
        fresh = [replace(one, act=first) for one in came_of(command, entries)]
        fresh.reverse()
        found += sorted(fresh, key=weight)
        if len(found) >= MOST:
            break
    return tuple(found[:MOST])


def by_weight(news: Iterable[Happened]) -> list[Happened]:
    """Return these sentences, what matters most first, each sentence once."""
    once = {(one.words.key, *one.words.args.items()): one for one in news}
    return sorted(once.values(), key=weight)


def weight(one: Happened) -> int:
    """Return a number that is lower where it matters more."""
    return WEIGHT.index(one.sign) if one.sign in WEIGHT else len(WEIGHT)


def _by_hand(snapshot: Snapshot) -> Iterator[Happened]:
    """Yield what the newest row took or brought back, or set by hand."""
    newest = snapshot.entries[-1] if snapshot.entries else None
    if newest is None or not isinstance(newest.event, Undone | Redone | Corrected):
        return
    words, why = row_words(newest, snapshot.entries)
    sign = SIGNS[type(newest.event)]
    yield Happened(sign=sign, words=words, why=why, act=newest.seq)
