"""The registry of games: a ruleset for each edition, and the ones that house rules make of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from companion.engine.events import IllegalEvent
from companion.engine.game import Game
from companion.engine.games.new_york.rules import NEW_YORK
from companion.engine.games.tokyo.edition_2016 import TOKYO_2016
from companion.engine.games.tokyo.rules import TOKYO
from companion.engine.ruleset import Ruleset

_editions: Final = {(rules.name, rules.edition): rules for rules in (NEW_YORK, TOKYO, TOKYO_2016)}
_usual: Final = {rules.name: rules for rules in (NEW_YORK, TOKYO)}

RULESETS: Final[Mapping[str, Ruleset]] = MappingProxyType(_usual)
"""Every game the engine knows, by its id, in its usual edition."""

EDITIONS: Final[Mapping[tuple[str, str], Ruleset]] = MappingProxyType(_editions)
"""Every edition of every game, without house rules."""


def add(editions: Iterable[Ruleset]) -> None:
    """Add a game in all its editions; `register` checks them before."""
    for rules in editions:
        _editions[rules.name, rules.edition] = rules
        _usual.setdefault(rules.name, rules)


def remove(editions: Iterable[Ruleset]) -> None:
    """Remove the game with these editions."""
    for rules in editions:
        _editions.pop((rules.name, rules.edition), None)
        _usual.pop(rules.name, None)


def rules_for(name: str, edition: str, house: tuple[str, ...] = ()) -> Ruleset:
    """Return the rules of a game in this edition with these house rules, the same value each time.

    Raises IllegalEvent if the engine does not know one of them.
    """
    rules = EDITIONS.get((name, edition))
    if rules is not None:
        return _with_house(rules, house) if house else rules
    if name not in RULESETS:
        raise IllegalEvent("unknown_game", game=name, known=", ".join(RULESETS))
    known = ", ".join(RULESETS[name].editions)
    raise IllegalEvent("unknown_edition", edition=edition, known=known)


@cache
def _with_house(rules: Ruleset, house: tuple[str, ...]) -> Ruleset:
    wrong = next((switch for switch in house if switch not in rules.house), None)
    if wrong is not None:
        raise IllegalEvent("unknown_house_rule", house=wrong, known=", ".join(rules.house))
    for switch in house:
        rules = rules.house[switch](rules)
    return rules


def rules_of(game: Game) -> Ruleset:
    """Return the rules a game is played by; IllegalEvent if the engine does not know them."""
    return rules_for(game.rules, game.edition, game.house)
