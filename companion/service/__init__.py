"""The service: the table's state to every phone, and what phones say to the table."""

from __future__ import annotations

import logging

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import HTTPException

from companion.service.api import api, refusal
from companion.service.app_state import Desk
from companion.service.http.guards import MARK, Asked, Guard
from companion.service.pages import pages
from companion.service.refusals import ANSWER_HEADERS, Answer, NotHeardError
from companion.service.refusals import refusal as not_heard
from companion.service.settings import Settings
from companion.table import RefusedError


def create_app(settings: Settings | Desk) -> Flask:
    """The application for one service; `app.extensions["desk"]` is what it works on."""
    desk = settings if isinstance(settings, Desk) else Desk(settings)
    app = Flask(__name__, static_folder=None)
    limits = desk.settings.limits
    app.config["MAX_CONTENT_LENGTH"] = max(limits.json_bytes, limits.photo_bytes, limits.file_bytes)
    app.extensions["desk"], app.extensions["guard"] = desk, Guard(desk)
    app.register_blueprint(api)
    app.register_blueprint(pages)
    app.before_request(_admit)
    app.after_request(_with_headers)
    app.register_error_handler(RefusedError, refusal)
    app.register_error_handler(NotHeardError, lambda refused: _response(not_heard(refused)))
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(500, _broken)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    return app


def _admit() -> Response | None:
    """Nothing, or the refusal of a request that the guard does not let through."""
    guard: Guard = current_app.extensions["guard"]
    asked = _asked()
    try:
        g.admitted = guard.admit(asked)
    except NotHeardError as refused:
        return _response(guard.refusal(asked, refused))
    return None


def _asked() -> Asked:
    desk: Desk = current_app.extensions["desk"]
    headers = request.headers
    return Asked(
        method=request.method,
        path=request.path,
        query=request.query_string.decode("latin-1"),
        host=headers.get("Host", ""),
        origin=headers.get("Origin"),
        content_type=headers.get("Content-Type", ""),
        mark=headers.get(MARK),
        reached_at=str(request.environ.get("SERVER_NAME", "")),
        secret=request.cookies.get(desk.cookie),
        accept=headers.get("Accept", ""),
        languages=headers.get("Accept-Language", ""),
    )


def _response(answer: Answer) -> Response:
    return Response(answer.body, answer.status, answer.headers)


def _with_headers(said: Response) -> Response:
    for name, value in ANSWER_HEADERS.items():
        said.headers.setdefault(name, value)
    if "Cache-Control" not in said.headers:
        said.headers["Cache-Control"] = "no-store"
    return said


def _failed(failure: HTTPException) -> Response:
    return _response(not_heard(NotHeardError(failure.code or 500)))


def _broken(failure: BaseException) -> Response:
    logging.getLogger(__name__).error("request failed", exc_info=failure)
    return _response(not_heard(NotHeardError(500)))
