"""The win chances of a table's game, from the rows of its log that count.

Not exported by the package: it loads ONNX Runtime, which the service does without.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.forecast import Forecaster, TurnChances, by_turn
from companion.records.story import turn_positions
from companion.table import Entry


def chances_by_turn(forecaster: Forecaster, entries: Sequence[Entry]) -> tuple[TurnChances, ...]:
    """Return the chances at the beginning of each turn of the game, and at its end; one evaluation
    a turn. The network must be that of the game.
    """
    return by_turn(forecaster, turn_positions(entries))
