"""Names that mean one person: kept in the state beside the log's rows, which never change.

A merge concerns games of many evenings, and a log is one game's; so no row of any log says it, and
it is undone by dropping it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from companion.records.results import GameResult
from companion.table import RefusedError
from companion.table.database import FILE_NAME, CannotOpenError, saved_state

KEY: Final = "names"
"""Of the state."""
MOST_MERGES: Final = 200
LONGEST: Final = 400
"""Code points of a name, as in the log's events."""

PlayerName = Annotated[str, Meta(min_length=1, max_length=LONGEST)]


class Merge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who played as `name` is `into`."""

    name: PlayerName
    into: PlayerName


class Names(msgspec.Struct, frozen=True):
    """The merges, oldest first. Names count as equal whatever the case of their letters."""

    merges: Annotated[tuple[Merge, ...], Meta(max_length=MOST_MERGES)] = ()

    def of(self, name: str) -> str:
        """Return the name under which this one counts."""
        for _ in self.merges:
            into = self._into(name)
            if into is None:
                break
            name = into
        return name

    def aliases(self, name: str) -> tuple[str, ...]:
        """Return the names that were merged into this one, those by way of others too."""
        return tuple(self._aliases(name, set()))

    def merged(self, name: str, into: str) -> Names:
        """Return the names with one merge more; RefusedError if it says nothing, or there are too
        many."""
        target = self.of(into)
        if self._into(name) is not None or target.casefold() == name.casefold():
            raise RefusedError("error.names.same", name=name)
        if len(self.merges) >= MOST_MERGES:
            raise RefusedError("error.names.too_many", name=name)
        return Names((*self.merges, Merge(name, target)))

    def apart(self, name: str) -> Names:
        """Return the names without that merge; RefusedError if there is none."""
        left = tuple(one for one in self.merges if one.name.casefold() != name.casefold())
        if len(left) == len(self.merges):
            raise RefusedError("error.names.not_merged", name=name)
        return Names(left)

    def applied(self, result: GameResult) -> GameResult:
        """Return the result under these names."""
        if not self.merges:
            return result
        players = tuple(replace(one, player=self.of(one.player)) for one in result.players)
        return replace(result, players=players)

    def _into(self, name: str) -> str | None:
        folded = name.casefold()
        return next((one.into for one in self.merges if one.name.casefold() == folded), None)

    def _aliases(self, name: str, seen: set[str]) -> Iterator[str]:
        folded = name.casefold()
        if folded in seen:
            return
        seen.add(folded)
        for one in self.merges:
            if one.into.casefold() == folded:
                yield one.name
                yield from self._aliases(one.name, seen)


NAMES: Final = msgspec.json.Decoder(Names)


def read_names(folder: Path) -> Names:
    """Return the merges of a data folder; none if its log cannot be read."""
    try:
        return saved_state(folder / FILE_NAME, KEY, NAMES) or Names()
    except CannotOpenError:
        return Names()
