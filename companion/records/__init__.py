"""What games come to: their results, statistics, and the files that other programs take."""

from __future__ import annotations

from companion.records.bgstats import APP_LINK, LINK, play_link, play_of
from companion.records.feats import Feat, FeatKind
from companion.records.names import NAMES, MergeError, Names, PlayerName, read_names
from companion.records.ratings import Rating
from companion.records.results import GameResult, PlayerResult, last_place, result_of
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
from companion.records.story import (
    FEWEST_OF_GAME,
    CloseCall,
    Deed,
    Fall,
    Luck,
    Story,
    story_of,
    turn_positions,
)
from companion.records.tallies import GameTally, SeatTally, named, tally_of

__all__ = [
    "APP_LINK",
    "FEWEST_DICE",
    "FEWEST_OF_GAME",
    "LINK",
    "NAMES",
    "CardLine",
    "CloseCall",
    "Deed",
    "DiceLine",
    "Fall",
    "Feat",
    "FeatKind",
    "GameResult",
    "GameTally",
    "Luck",
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
    "Story",
    "last_place",
    "log_lines",
    "named",
    "play_link",
    "play_of",
    "read_names",
    "result_of",
    "score_rows",
    "scores_csv",
    "statistics",
    "story_of",
    "tally_of",
    "turn_positions",
]
