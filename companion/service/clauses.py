"""The rulebooks as numbered clauses, in the project's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from companion import engine

RULEBOOKS: Final = Path(engine.__file__).parent / "rulesets"
"""Where the clause files lie: beside the rulesets, in a checkout as in an installation."""

_LINE: Final = re.compile(
    r"^- (?P<id>(?:NY|TK)-(?:\d+\.|G)\d+|[A-J]\d+) \[(?P<status>E|C|I|2016)\] (?P<text>.+)$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One line of a rulebook. `status`: E printed in the rules, C known from elsewhere, I decided
    here, 2016 how that edition differs; `book` is the file's stem.
    """

    id: str
    status: str
    text: str
    book: str

    @property
    def numbered(self) -> bool:
        """Whether it is a clause of the rules, not a decision on a single question."""
        return "." in self.id


def read(folder: Path) -> tuple[Clause, ...]:
    """Every clause of the files `*.md` there, files by name, clauses in their order."""
    return tuple(
        Clause(found["id"], found["status"], found["text"], path.stem)
        for path in sorted(folder.glob("*.md"))
        for line in path.read_text("utf-8").splitlines()
        if (found := _LINE.match(line)) is not None
    )


@cache
def clauses() -> Mapping[str, Clause]:
    """Every clause of both rulebooks by its id; read once."""
    return MappingProxyType({clause.id: clause for clause in read(RULEBOOKS)})


def clause_text(clause: str) -> str | None:
    """What a clause says, in English; None for an id that no rulebook has."""
    found = clauses().get(clause)
    return found.text if found is not None else None
