"""What games come to: their results, statistics, and the files that other programs take."""

from __future__ import annotations

from companion.records.names import NAMES as NAMES
from companion.records.names import Names as Names
from companion.records.names import PlayerName as PlayerName
from companion.records.names import read_names as read_names
from companion.records.results import APP_LINK as APP_LINK
from companion.records.results import LINK as LINK
from companion.records.results import GameResult as GameResult
from companion.records.results import LogLine as LogLine
from companion.records.results import PlayerResult as PlayerResult
from companion.records.results import last_place as last_place
from companion.records.results import log_lines as log_lines
from companion.records.results import play_link as play_link
from companion.records.results import play_of as play_of
from companion.records.results import read_lines as read_lines
from companion.records.results import result_of as result_of
from companion.records.results import row_of as row_of
from companion.records.results import score_rows as score_rows
from companion.records.results import scores_csv as scores_csv
from companion.records.statistics import FEWEST_DICE as FEWEST_DICE
from companion.records.statistics import CardLine as CardLine
from companion.records.statistics import DiceLine as DiceLine
from companion.records.statistics import Feat as Feat
from companion.records.statistics import FeatKind as FeatKind
from companion.records.statistics import MonsterLine as MonsterLine
from companion.records.statistics import PlaceLine as PlaceLine
from companion.records.statistics import PlayerLine as PlayerLine
from companion.records.statistics import Rating as Rating
from companion.records.statistics import Share as Share
from companion.records.statistics import Statistics as Statistics
from companion.records.statistics import statistics as statistics
from companion.records.story import FEWEST_OF_GAME as FEWEST_OF_GAME
from companion.records.story import CloseCall as CloseCall
from companion.records.story import Deed as Deed
from companion.records.story import Fall as Fall
from companion.records.story import Luck as Luck
from companion.records.story import Story as Story
from companion.records.story import story_of as story_of
from companion.records.story import turn_positions as turn_positions
from companion.records.tallies import GameTally as GameTally
from companion.records.tallies import SeatTally as SeatTally
from companion.records.tallies import named as named
from companion.records.tallies import tally_of as tally_of
