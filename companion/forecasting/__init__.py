"""Forecasts from another process: only that process loads the networks and ONNX Runtime."""

from companion.forecasting.messages import (
    MOST_TURNS,
    AdviceAsked,
    AdviceFound,
    AnswerFound,
    NetworkFound,
    StoryAsked,
    StoryFound,
    TurnFound,
)
from companion.forecasting.process import ForecastProcess, Patience, UnavailableError

__all__ = [
    "MOST_TURNS",
    "AdviceAsked",
    "AdviceFound",
    "AnswerFound",
    "ForecastProcess",
    "NetworkFound",
    "Patience",
    "StoryAsked",
    "StoryFound",
    "TurnFound",
    "UnavailableError",
]
