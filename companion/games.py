"""Games of other packages, found by their entry points and registered at a program's start."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from companion.catalogues import game_catalogue
from companion.engine import Ruleset, in_one_line
from companion.engine.authoring import register
from companion.resources import LANGUAGES, package_text

GROUP: Final = "monster_table.rulesets"
"""The entry-point group: each entry is a `Ruleset`, or a tuple with one for each edition."""
_LONGEST: Final = 300
"""The longest reason for skipping a game, in characters."""


@dataclass(frozen=True, slots=True)
class SkippedGame:
    """A game that could not be registered: its entry point, its package, and why."""

    name: str
    package: str
    reason: str


def load_games() -> tuple[SkippedGame, ...]:
    """Register the games of all installed packages; return those that were skipped.

    A game that fails, in whatever way, does not keep others from being registered. A game that is
    registered already is not replaced.
    """
    found = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return tuple(one for one in map(_load, found) if one is not None)


def _load(point: EntryPoint) -> SkippedGame | None:
    try:
        game = point.load()
        editions = game if isinstance(game, tuple) else (game,)
        for rules in editions:
            _check_texts(rules)
        register(*editions)
    except (Exception, SystemExit) as broken:  # code of another package may do anything
        package = point.dist.name if point.dist is not None else point.module
        reason = str(broken) if isinstance(broken, ValueError) else repr(broken)
        return SkippedGame(point.name, package, in_one_line(reason)[:_LONGEST])
    return None


def _check_texts(rules: object) -> None:
    """Raise ValueError if the game's rulebook or one of its catalogues cannot be read."""
    if not isinstance(rules, Ruleset):  # `register` says so
        return
    if rules.rulebook and package_text(rules.package, rules.rulebook) is None:
        raise ValueError(f"the rulebook {rules.rulebook} cannot be read in {rules.package}")
    for language in LANGUAGES:
        game_catalogue(rules, language)
