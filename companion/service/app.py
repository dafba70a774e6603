"""The Flask application of a service: its routes, and what a failure answers.

The guard admits its requests and has matched their routes; nothing is asked again here.
"""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask, Request, Response
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from companion.service.api import api, refusal
from companion.service.app_state import AppState
from companion.service.archive import archive
from companion.service.http.guard import ADMITTED, Admitted
from companion.service.pages import pages
from companion.service.refusals import ANSWER_HEADERS, Answer, HttpError, error_answer
from companion.service.settings import Settings
from companion.service.tv.routes import tv
from companion.service.wifi import wifi
from companion.table import RefusedError


class _Matched(MapAdapter):
    """The route of a request that is matched already."""

    found: Admitted

    def match(self, *_: Any, **__: Any) -> Any:
        """Return Flask's route and the variable parts of the path."""
        return self.found.rule, self.found.parts


class TableApp(Flask):
    """Flask, which takes the route that the guard has matched."""

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return an adapter for the request, or for none."""
        if request is None:
            return super().create_url_adapter(None)
        matched = _Matched(self.url_map, "", "/", None, "http", "/", "GET")
        matched.found = request.environ[ADMITTED]
        return matched


def create_app(settings: Settings | AppState) -> Flask:
    """Make the Flask application of a service; its state is `app.extensions["app_state"]`."""
    app_state = settings if isinstance(settings, AppState) else AppState(settings)
    app = TableApp(__name__, static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False
    app.extensions["app_state"] = app_state
    app.register_blueprint(api)
    app.register_blueprint(archive)
    app.register_blueprint(pages)
    app.register_blueprint(tv)
    app.register_blueprint(wifi)
    app.after_request(_with_headers)
    app.register_error_handler(RefusedError, refusal)
    app.register_error_handler(HttpError, lambda refused: _response(error_answer(refused)))
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(500, _broken)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    return app


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
