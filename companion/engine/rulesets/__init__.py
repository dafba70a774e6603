"""The two games: a value for each edition, and what house rules make of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

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
