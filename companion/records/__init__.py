"""What games come to: their results, statistics, and the files that other programs take."""

from __future__ import annotations

from companion.records.bgstats import APP_LINK, LINK, play_link, play_of
from companion.records.results import GameResult, PlayerResult, result_of
from companion.records.scores import score_rows
from companion.records.statistics import Statistics, statistics
from companion.records.tallies import GameTally, SeatTally, tally_of

__all__ = [
    "APP_LINK",
    "LINK",
    "GameResult",
    "GameTally",
    "PlayerResult",
    "SeatTally",
    "Statistics",
    "play_link",
    "play_of",
    "result_of",
    "score_rows",
    "statistics",
    "tally_of",
]
