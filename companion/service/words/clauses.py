"""The rulebooks as numbered clauses, in the project's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from companion.engine import RULESETS, Ruleset
from companion.resources import package_text

_LINE: Final = re.compile(
    r"^- (?P<id>(?P<prefix>[A-Z]{2,4})-(?:\d+\.|G)\d+|[A-J]\d+)"
    r" \[(?P<status>E|C|I|2016)\] (?P<text>.+)$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One line of a rulebook. `status`: E printed in the rules, C known from elsewhere, I decided
    here, 2016 how that edition differs.
    """

    id: str
    status: str
    text: str

    @property
    def numbered(self) -> bool:
        """Whether it is a clause of the rules, not a decision on a single question."""
        return "." in self.id


def read_clauses(rules: Ruleset) -> tuple[Clause, ...]:
    """Return every clause of a game's rulebook, in its order; nothing where it has none."""
    text = package_text(rules.package, rules.rulebook) or ""
    return tuple(
        Clause(found["id"], found["status"], found["text"])
        for line in text.splitlines()
        if (found := _LINE.match(line)) is not None and found["prefix"] in (rules.prefix, None)
    )


def clauses() -> Mapping[str, Clause]:
    """Return every clause of all rulebooks by its id; each is read once."""
    return _clauses(tuple(RULESETS.values()))


@cache
def _clauses(games: tuple[Ruleset, ...]) -> Mapping[str, Clause]:
    """Return the clauses of these games; where two books share an id, the first book's."""
    return MappingProxyType(
        {clause.id: clause for rules in reversed(games) for clause in read_clauses(rules)}
    )
