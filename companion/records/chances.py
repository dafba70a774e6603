"""The win chances of a table's game, from the rows of its log that count.

Not exported by the package: it loads ONNX Runtime, which the service does without.
"""

from __future__ import annotations

from collections.abc import Sequence

from companion.forecast import Forecaster, TurnChances, by_turn
from companion.table import Entry


def chances_by_turn(forecaster: Forecaster, entries: Sequence[Entry]) -> tuple[TurnChances, ...]:
    """Return the chances at the beginning of each turn of the game, and at its end; one evaluation
    a turn. The network must be that of the game.
    """
    line = entries[-1].after.line if entries else ()
    counted = (entries[seq - 1] for seq in line)
    rows: list[tuple[int, int, bool]] = []
    for entry in counted:
        game = entry.after.game
        if game is None:
            continue
        ended = game.ended is not None
        if not rows or rows[-1][1:] != (game.turn.number, ended):
            rows.append((entry.seq, game.turn.number, ended))
    states = ((seq, entries[seq - 1].after.position) for seq, _, _ in rows)
    return by_turn(forecaster, ((seq, one) for seq, one in states if one is not None))
