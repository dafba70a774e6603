"""What games come to: their results, statistics, and the files that other programs take."""

from __future__ import annotations

from companion.records.bgstats import APP_LINK, LINK, play_link, play_of
from companion.records.feats import Feat, FeatKind
from companion.records.names import MergeError, Names, PlayerName, read_names, write_names
from companion.records.ratings import Rating
from companion.records.results import GameResult, PlayerResult, result_of
from companion.records.rows import log_lines
from companion.records.scores import score_rows, scores_csv
from companion.records.statistics import (
    FEWEST_DICE,
    CardLine,
    DiceLine,
    MonsterLine,
    PlaceLine,
    PlayerLine,
    Share,
    Statistics,
    statistics,
)
from companion.records.tallies import GameTally, SeatTally, named, tally_of

__all__ = [
    "APP_LINK",
    "FEWEST_DICE",
    "LINK",
    "CardLine",
    "DiceLine",
    "Feat",
    "FeatKind",
    "GameResult",
    "GameTally",
    "MergeError",
    "MonsterLine",
    "Names",
    "PlaceLine",
    "PlayerLine",
    "PlayerName",
    "PlayerResult",
    "Rating",
    "SeatTally",
    "Share",
    "Statistics",
    "log_lines",
    "named",
    "play_link",
    "play_of",
    "read_names",
    "result_of",
    "score_rows",
    "scores_csv",
    "statistics",
    "tally_of",
    "write_names",
]
