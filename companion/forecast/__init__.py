"""Win chances: a small network's forecast of a position, and advice that rests on it.

Takes positions and gives plain values; it knows no table, no log and no phone.
"""

from companion.forecast.advice import Advice, Answer, Compared, advise
from companion.forecast.network import (
    FOLDER,
    Chances,
    Forecaster,
    ForecastError,
    forecaster,
    load_contract,
)
from companion.forecast.story import TurnChances, by_turn, swing, turning_point

__all__ = [
    "FOLDER",
    "Advice",
    "Answer",
    "Chances",
    "Compared",
    "ForecastError",
    "Forecaster",
    "TurnChances",
    "advise",
    "by_turn",
    "forecaster",
    "load_contract",
    "swing",
    "turning_point",
]
