"""The Flask application of a service: its routes, its guard, and what a failure answers."""

from __future__ import annotations

import logging

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import HTTPException

from companion.service.advice import advice
from companion.service.api import api, refusal
from companion.service.app_state import AppState
from companion.service.archive import archive
from companion.service.http.guards import Guard
from companion.service.http.request_head import RequestHead
from companion.service.pages import pages
from companion.service.refusals import ANSWER_HEADERS, Answer, HttpError, error_answer
from companion.service.settings import Settings
from companion.service.timeline.routes import timeline
from companion.service.tv.routes import tv
from companion.service.wifi import wifi
from companion.table import RefusedError


def create_app(settings: Settings | AppState) -> Flask:
    """Make the Flask application of a service; its state is `app.extensions["app_state"]`."""
    app_state = settings if isinstance(settings, AppState) else AppState(settings)
    app = Flask(__name__, static_folder=None)
    limits = app_state.settings.limits
    app.config["MAX_CONTENT_LENGTH"] = max(limits.json_bytes, limits.photo_bytes, limits.file_bytes)
    app.extensions["app_state"], app.extensions["guard"] = app_state, Guard(app_state)
    app.register_blueprint(advice)
    app.register_blueprint(api)
    app.register_blueprint(archive)
    app.register_blueprint(pages)
    app.register_blueprint(timeline)
    app.register_blueprint(tv)
    app.register_blueprint(wifi)
    app.before_request(_admit)
    app.after_request(_with_headers)
    app.register_error_handler(RefusedError, refusal)
    app.register_error_handler(HttpError, lambda refused: _response(error_answer(refused)))
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(500, _broken)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    return app


def _admit() -> Response | None:
    """Let the request through, or return the guard's refusal."""
    guard: Guard = current_app.extensions["guard"]
    app_state: AppState = current_app.extensions["app_state"]
    g.head = RequestHead.read(request.environ, app_state.cookie)
    try:
        g.admitted = guard.admit(g.head)
    except HttpError as refused:
        return _response(guard.refusal(g.head, refused))
    return None


def _response(answer: Answer) -> Response:
    return Response(answer.body, answer.status, answer.headers)


def _with_headers(response: Response) -> Response:
    for name, value in ANSWER_HEADERS.items():
        response.headers.setdefault(name, value)
    if "Cache-Control" not in response.headers:
        response.headers["Cache-Control"] = "no-store"
    return response


def _failed(failure: HTTPException) -> Response:
    return _response(error_answer(HttpError(failure.code or 500)))


def _broken(failure: BaseException) -> Response:
    logging.getLogger(__name__).error("request failed", exc_info=failure)
    return _response(error_answer(HttpError(500)))
