"""The Flask application of a service: its routes, the files of the phone app, and what a failure
answers.

The guard admits its requests and has matched their routes; nothing is asked again here.
"""

from __future__ import annotations

import logging
from typing import Any

import msgspec
from flask import (
    Blueprint,
    Flask,
    Request,
    Response,
    abort,
    request,
    send_from_directory,
)
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from companion.catalogues import catalogue as sentences
from companion.catalogues import is_extended
from companion.resources import LANGUAGES, resource_dir
from companion.service.advice import advice
from companion.service.api import api, app_state, refusal
from companion.service.app_state import AppState
from companion.service.http.guard import ADMITTED, Admitted
from companion.service.requests import ANSWER_HEADERS, Answer, HttpError, error_answer
from companion.service.settings import Settings
from companion.service.timeline.routes import timeline
from companion.table import RefusedError

pages = Blueprint("pages", __name__)
FOR_EVER_S = 31_536_000


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
    state = settings if isinstance(settings, AppState) else AppState(settings)
    app = TableApp(__name__, static_folder=None)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False
    app.extensions["app_state"] = state
    app.register_blueprint(advice)
    app.register_blueprint(api)
    app.register_blueprint(pages)
    app.register_blueprint(timeline)
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


@pages.get("/")
@pages.get("/j")
def page() -> Response:
    """Return the page; it loads the rest."""
    app_state().arrivals.opened(request.remote_addr or "")
    return _page("index.html")


@pages.get("/tv")
@pages.get("/overlay")
def viewer_page() -> Response:
    """Return the page of televisions and overlays; its token is in the fragment, which no browser
    sends.
    """
    return _page("tv.html")


@pages.get("/assets/<path:name>")
def asset(name: str) -> Response:
    """Return an asset; its name contains a hash of its content, so it never changes."""
    return send_from_directory(resource_dir("webui") / "assets", name, max_age=FOR_EVER_S)


@pages.get("/locales/<language>.json")
def catalogue(language: str) -> Response:
    """Return all sentences in one language."""
    if language not in LANGUAGES:
        abort(404)
    if is_extended():
        response = Response(
            msgspec.json.encode(dict(sentences(language))), mimetype="application/json"
        )
        response.add_etag()
        response.make_conditional(request)
    else:
        response = send_from_directory(resource_dir("locales"), f"{language}.json")
    response.headers["Cache-Control"] = "no-cache"
    return response


@pages.get("/icon.svg")
def icon() -> Response:
    """Return the icon of a browser's tab."""
    response = send_from_directory(resource_dir("webui"), "icon.svg")
    response.headers["Cache-Control"] = "no-cache"
    return response


@pages.get("/favicon.ico")
def no_icon() -> Response:
    """Answer without an icon and without an error in the browser's console."""
    return Response(status=204)


def _page(name: str) -> Response:
    folder = resource_dir("webui")
    if not (folder / name).is_file():
        raise HttpError(503, "error.no_page")
    response = send_from_directory(folder, name)
    response.headers["Cache-Control"] = "no-cache"
    return response
