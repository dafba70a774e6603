"""The two games: a value for each edition, and what house rules make of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from companion.engine.errors import IllegalEvent
from companion.engine.game import Game
from companion.engine.ruleset import Ruleset
from companion.engine.rulesets.new_york import NEW_YORK
from companion.engine.rulesets.tokyo import TOKYO
from companion.engine.rulesets.tokyo_2016 import TOKYO_2016

RULESETS: Final[Mapping[str, Ruleset]] = {rules.name: rules for rules in (NEW_YORK, TOKYO)}
"""Every game the engine knows, by its id, in its usual edition."""

EDITIONS: Final[Mapping[tuple[str, str], Ruleset]] = {
    (rules.name, rules.edition): rules for rules in (NEW_YORK, TOKYO, TOKYO_2016)
}
"""Every edition of every game, without house rules."""


@cache
def ruleset(name: str, edition: str, house: tuple[str, ...] = ()) -> Ruleset | None:
    """The rules of a game in this edition with these house rules, the same value each time; None
    where there is no such game, edition or house rule.
    """
    rules = EDITIONS.get((name, edition))
    if rules is None or any(switch not in rules.house for switch in house):
        return None
    for switch in house:
        rules = rules.house[switch](rules)
    return rules


def rules_for(name: str, edition: str, house: tuple[str, ...]) -> Ruleset:
    """Return the rules of a game in this edition with these house rules.

    Raises IllegalEvent where the engine does not know one of them.
    """
    rules = ruleset(name, edition, house)
    if rules is not None:
        return rules
    usual = RULESETS.get(name)
    if usual is None:
        raise IllegalEvent("unknown_game", game=name, known=", ".join(RULESETS))
    plain = ruleset(name, edition)
    if plain is None:
        raise IllegalEvent("unknown_edition", edition=edition, known=", ".join(usual.editions))
    wrong = next(switch for switch in house if switch not in plain.house)
    raise IllegalEvent("unknown_house_rule", house=wrong, known=", ".join(plain.house))


def rules_of(game: Game) -> Ruleset:
    """Return the rules a game is played by; IllegalEvent where the engine does not know them."""
    return rules_for(game.rules, game.edition, game.house)
