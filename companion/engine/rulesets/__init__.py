"""The two games, each one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.engine.ruleset import Ruleset
from companion.engine.rulesets.new_york import NEW_YORK
from companion.engine.rulesets.tokyo import TOKYO

RULESETS: Final[Mapping[str, Ruleset]] = {rules.name: rules for rules in (NEW_YORK, TOKYO)}
"""Every game the engine knows, by its id."""
