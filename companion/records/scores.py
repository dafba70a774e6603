"""Results as rows of a table for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from companion.records.results import GameResult

COLUMNS: Final = (
    "table", "game", "edition", "house", "began", "ended", "minutes", "turns", "reason",
    "seat", "player", "monster", "rank", "won", "first", "stars", "health", "energy", "died_turn",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet take a cell for a formula."""


def score_rows(results: Iterable[GameResult]) -> Iterator[tuple[str, ...]]:
    """Yield the COLUMNS, then a row for each seat of each game. Times are UTC; what is not known is
    empty."""
    yield COLUMNS
    for game in results:
        of_game = (
            game.table, game.game, game.edition, " ".join(game.house), _time(game.began),
            _time(game.ended), game.minutes, game.turns, game.reason,
        )  # fmt: skip
        for one in game.players:
            of_seat = (
                one.seat, one.player, one.monster, one.rank, int(one.won), int(one.first),
                one.stars, one.health, one.energy, one.died_turn,
            )  # fmt: skip
            yield tuple(_cell(value) for value in (*of_game, *of_seat))


def scores_csv(results: Iterable[GameResult]) -> str:
    """Return the rows of these games as a CSV file (RFC 4180)."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(score_rows(results))
    return text.getvalue()


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def _cell(value: str | int | None) -> str:
    """Return the text of a cell; a player's name is never a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
