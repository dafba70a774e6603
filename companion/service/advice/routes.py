"""Odds of the dice on the table, and advice for the open decision."""

from __future__ import annotations

from flask import Response

from companion.engine import Position
from companion.forecast.messages import AdviceAsked
from companion.forecast.process import UnavailableError
from companion.service import requests
from companion.service.advice.answers import coach_answer, keeps_answer, with_dice
from companion.service.api import answer, app_state, current_browser
from companion.table import RefusedError, State


def keeps(form: requests.PreviewRequest) -> Response:
    """Return which of these dice the seat of this phone may sensibly keep."""
    return answer(keeps_answer(_deciding(form)[0]))


def coach(form: requests.PreviewRequest) -> Response:
    """Return what the answers of the open decision leave the seat of this phone."""
    position, state = _deciding(form)
    try:
        found = app_state().forecasts.advice(AdviceAsked(position.game))
    except UnavailableError as why:
        raise RefusedError(why.key, outdated=False, **why.params) from why
    return answer(coach_answer(position, state, found))


def _deciding(form: requests.PreviewRequest) -> tuple[Position, State]:
    """Return the position in which this phone's seat decides about the dice it has sent."""
    state = app_state().table.snapshot().state
    return with_dice(state, current_browser().seat, form.faces, form.rethrown), state
