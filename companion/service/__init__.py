"""The service: the table's state to every phone, and what phones say to the table."""

from __future__ import annotations

import logging

import msgspec
from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from companion.service.api import api, refusal
from companion.service.desk import Desk
from companion.service.exchange import Problem
from companion.service.guards import ANSWER_HEADERS, MARK, Asked, verdict
from companion.service.pages import pages
from companion.service.settings import Settings
from companion.service.unknown_host import HEADERS, Came
from companion.service.wire import Words
from companion.table import RefusedError

STATUS_KEYS = {
    403: "error.not_from_here",
    404: "error.not_found",
    405: "error.wrong_method",
    413: "error.too_large",
    415: "error.wrong_form",
    421: "error.not_from_here",
    503: "error.no_page",
}


def create_app(settings: Settings | Desk) -> Flask:
    """The application for one service; `app.extensions["desk"]` is what it works on."""
    desk = settings if isinstance(settings, Desk) else Desk(settings)
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = desk.settings.limits.body_bytes
    app.extensions["desk"] = desk
    app.register_blueprint(api)
    app.register_blueprint(pages)
    app.before_request(_admit)
    app.after_request(_with_headers)
    app.register_error_handler(RefusedError, refusal)
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(500, _broken)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    return app


def problem(status: int, key: str) -> Response:
    """A refusal in the one form there is."""
    body = msgspec.json.encode(Problem(error=Words(key=key)))
    return Response(body, status, mimetype="application/json")


def _admit() -> Response | None:
    """Nothing, or the refusal of a request that does not come from our own page."""
    desk: Desk = current_app.extensions["desk"]
    asked = Asked(
        method=request.method,
        host=request.headers.get("Host", ""),
        origin=request.headers.get("Origin"),
        content_type=request.content_type or "",
        mark=request.headers.get(MARK),
        reached_at=str(request.environ.get("SERVER_NAME", "")),
    )
    status = verdict(asked, desk.names, desk.settings.advertise)
    came = Came(request.method, request.path, _said("Accept"), _said("Accept-Language"))
    if status == 421 and came.wants_a_page:
        url = desk.addresses.for_stranger(asked.host, asked.reached_at)
        return Response(desk.unknown_host.page(came, url), status, HEADERS)
    return problem(status, STATUS_KEYS[status]) if status else None


def _said(header: str) -> str:
    return request.headers.get(header, "")


def _with_headers(said: Response) -> Response:
    for name, value in ANSWER_HEADERS.items():
        said.headers.setdefault(name, value)
    if "Cache-Control" not in said.headers:
        said.headers["Cache-Control"] = "no-store"
    return said


def _failed(failure: HTTPException) -> Response:
    status = failure.code or 500
    return problem(status, STATUS_KEYS.get(status, "error.bad_request"))


def _broken(failure: BaseException) -> Response:
    logging.getLogger(__name__).error("request failed", exc_info=failure)
    return problem(500, "error.internal")
