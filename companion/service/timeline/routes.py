"""The routes of the time machine: they only look; playing on is a command like any other."""

from __future__ import annotations

from flask import Blueprint, Response

from companion.service.api import answer, app_state, current_browser
from companion.service.people.rights import may_go_back
from companion.service.timeline.moments import time_moment, time_view

timeline = Blueprint("timeline", __name__, url_prefix="/api")


@timeline.get("/time")
def time_line() -> Response:
    """Return the turns and branches of the game that is played."""
    may = may_go_back(current_browser(), anyone=app_state().settings.anyone_may_edit)
    return answer(time_view(app_state().table.snapshot(), may=may))


@timeline.get("/time/<int:row>")
def time_at(row: int) -> Response:
    """Return the table as it was after a row."""
    return answer(time_moment(app_state().table.snapshot(), row))
