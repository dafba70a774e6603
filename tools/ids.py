"""Print the ids of both games as a table: `python -m tools.ids`, for docs/positions.md."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from companion.engine import REASONS, RULESETS, Deed, How, Ruleset, Seat

PAGE = Path(__file__).parent.parent / "docs" / "positions.md"

ROWS: dict[str, Callable[[Ruleset], Iterable[str]]] = {
    "`place`": lambda rules: rules.places,
    "`place` in the city": lambda rules: (p.name for p in rules.places.values() if p.inside),
    "`place` while so many live": lambda rules: (
        f"{place.name}: {place.needs_alive}" for place in rules.places.values() if place.needs_alive
    ),
    "`face`": lambda rules: rules.faces,
    "`token`": lambda rules: rules.tokens,
    "`kind` of a condition": lambda rules: rules.conditions,
    "goal cards": lambda rules: rules.goals,
    "`area`, ids of its stacks": lambda rules: (
        f"{area}: {_stacks(rules, at)}" for at, area in enumerate(rules.areas)
    ),
    "`top`, `tile_pool`": lambda rules: (t.name for t in rules.tiles.values() if t.unit),
    "`kind` of a Unit": lambda rules: (t.name for t in rules.tiles.values() if not t.unit),
    "phases, first to last": lambda rules: (
        type(phase(Seat(0))).__name__ for phase in rules.phases
    ),
    "`edition`": lambda rules: rules.editions,
    "`house`": lambda rules: rules.house,
    "`how` of `MoveTo`": lambda rules: How,
    "`deed` of a `tally`": lambda rules: Deed,
    "`reason` of `ended`": lambda rules: REASONS,
}


def table() -> str:
    """Make the table: a row for each kind of id, a column for each game."""
    games = list(RULESETS.values())
    lines = ["| | " + " | ".join(f"`{rules.name}`" for rules in games) + " |"]
    lines.append("| --- " * (len(games) + 1) + "|")
    for name, ids in ROWS.items():
        cells = (_cell(ids(rules)) for rules in games)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(ids: Iterable[str]) -> str:
    found = [_code(str(each)) for each in ids]
    return ", ".join(found) or "–"


def _code(each: str) -> str:
    """Format an id as code, with the text that follows it."""
    name, colon, more = each.partition(":")
    return f"`{name}`{colon}{more}"


def _stacks(rules: Ruleset, at: int) -> str:
    first = at * rules.stacks_per_area
    return f"{first} to {first + rules.stacks_per_area - 1}"


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
