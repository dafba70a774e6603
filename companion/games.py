"""Games of other packages: found by their entry points and registered when a program starts."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from companion.catalogues import words_of
from companion.engine import Ruleset, in_one_line
from companion.engine.authoring import register
from companion.resources import LANGUAGES, package_text

GROUP: Final = "monster_table.rulesets"
"""A package names its games here: each a `Ruleset`, or a tuple with one for each edition."""
_LONGEST: Final = 300
"""Letters that are said of why a game was left out."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A game that could not be registered: its entry point, the package that names it, and why."""

    name: str
    package: str
    reason: str


def load_games() -> tuple[LeftOut, ...]:
    """Register the games of all installed packages; return those that could not be.

    One that fails, by whatever its package does, keeps no other from being registered. A game
    that is registered already stays as it is.
    """
    found = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return tuple(one for one in map(_load, found) if one is not None)


def _load(point: EntryPoint) -> LeftOut | None:
    try:
        game = point.load()
        editions = game if isinstance(game, tuple) else (game,)
        for rules in editions:
            _check_texts(rules)
        register(*editions)
    except (Exception, SystemExit) as broken:  # code of another package may do anything
        package = point.dist.name if point.dist is not None else point.module
        said = str(broken) if isinstance(broken, ValueError) else repr(broken)
        return LeftOut(point.name, package, in_one_line(said)[:_LONGEST])
    return None


def _check_texts(rules: object) -> None:
    """ValueError where a file that the game names, or one of its sentences, cannot be read."""
    if not isinstance(rules, Ruleset):  # `register` says so
        return
    if rules.rulebook and package_text(rules.package, rules.rulebook) is None:
        raise ValueError(f"the rulebook {rules.rulebook} cannot be read in {rules.package}")
    for language in LANGUAGES:
        words_of(rules, language)
