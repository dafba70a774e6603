"""Names of players across evenings: those to suggest for a seat, and two that are one person's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from companion.records import GameTally, MergeError, Names
from companion.service import requests
from companion.table import GameSummary, RefusedError

MOST_KNOWN: Final = 24
"""How many names are suggested, those who played last."""


def known_names(games: Iterable[GameSummary], names: Names) -> requests.NamesAnswer:
    """Return who has played, last first, each with the Monster it played then. `games`: the one
    played last at the end."""
    found: dict[str, requests.KnownName] = {}
    for one in reversed(tuple(games)):
        if not one.started or one.setup is None:
            continue
        for seat in one.setup.seats:
            name = names.of(seat.player)
            if name and len(found) < MOST_KNOWN:
                known = requests.KnownName(name=name, monster=seat.monster)
                found.setdefault(name.casefold(), known)
    return requests.NamesAnswer(names=tuple(found.values()))


def merged(names: Names, name: str, into: str, tallies: Iterable[GameTally]) -> Names:
    """Return the names with these two as one person's; RefusedError where nobody of that name has
    played, or both have in one game. `tallies` are of the names as they are now."""
    played = [{one.player.casefold() for one in tally.result.players} for tally in tallies]
    one, other = name.casefold(), names.of(into).casefold()
    for each, folded in ((name, one), (into, other)):
        if not any(folded in game for game in played):
            raise RefusedError("error.names.unknown", name=each)
    if one != other and any({one, other} <= game for game in played):
        raise RefusedError("error.names.both", name=name, other=into)
    try:
        return names.merged(name, into)
    except MergeError as wrong:
        raise RefusedError(wrong.key, name=name) from wrong


def apart(names: Names, name: str) -> Names:
    """Return the names without that merge; RefusedError where there is none."""
    try:
        return names.apart(name)
    except MergeError as wrong:
        raise RefusedError(wrong.key, name=name) from wrong
