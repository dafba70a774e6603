"""The routes that look back: the time machine, and what was forgotten."""

from __future__ import annotations

from flask import Response

from companion.service import requests
from companion.service.api import answer, app_state, current_browser
from companion.service.people.rights import may_go_back
from companion.service.timeline.moments import time_moment, time_view


def time_line() -> Response:
    """Return the turns and branches of the game that is played."""
    may = may_go_back(current_browser(), anyone=app_state().settings.anyone_may_edit)
    return answer(time_view(app_state().table.snapshot(), may=may))


def time_at(row: int) -> Response:
    """Return the table as it was after a row."""
    return answer(time_moment(app_state().table.snapshot(), row))


def forgotten() -> Response:
    """Return where the table's numbers differ from the rules."""
    return answer(app_state().forgotten.view())


def act_on_forgotten(form: requests.ForgottenRequest) -> Response:
    """Leave what is found as it is, or ask about it again."""
    return answer(app_state().forgotten.act(form))
