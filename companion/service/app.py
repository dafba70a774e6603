"""The Flask application of a service: its routes, the files of the phone app, and what a failure
answers.

The guard admits its requests and has matched their routes; nothing is asked again here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

import msgspec
from flask import Flask, Request, Response, abort, request, send_from_directory
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from companion.catalogues import catalogue as sentences
from companion.errors import KeyedError
from companion.resources import LANGUAGES, resource_dir
from companion.service import api
from companion.service.api import app_state, refusal
from companion.service.app_state import AppState
from companion.service.http.guard import ADMITTED, Admitted
from companion.service.http.routes import STREAM, VIEWER_STREAMS, Body, Route, Work, get, post
from companion.service.requests import ANSWER_HEADERS, Answer, HttpError, decoded, error_answer
from companion.service.settings import Settings
from companion.service.wire import Role, ViewerKind

FOR_EVER_S = 31_536_000


def page() -> Response:
    """Return the page; it loads the rest."""
    app_state().arrivals.opened(request.remote_addr or "")
    return _page("index.html")


def viewer_page() -> Response:
    """Return the page of televisions and overlays; no browser sends its token's fragment."""
    return _page("tv.html")


def asset(name: str) -> Response:
    """Return an asset; its name contains a hash of its content, so it never changes."""
    return send_from_directory(resource_dir("webui") / "assets", name, max_age=FOR_EVER_S)


def catalogue(language: str) -> Response:
    """Return all sentences in one language."""
    if language not in LANGUAGES:
        abort(404)
    response = Response(msgspec.json.encode(dict(sentences(language))), mimetype="application/json")
    response.add_etag()
    response.make_conditional(request)
    response.headers["Cache-Control"] = "no-cache"
    return response


def icon() -> Response:
    """Return the icon of a browser's tab."""
    response = send_from_directory(resource_dir("webui"), "icon.svg")
    response.headers["Cache-Control"] = "no-cache"
    return response


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


ROUTES: Final = (
    get("/", page, Role.STRANGER, Work.FILE),
    get("/j", page, Role.STRANGER, Work.FILE),
    get("/assets/<path:name>", asset, Role.STRANGER, Work.FILE),
    get("/locales/<language>.json", catalogue, Role.STRANGER, Work.FILE),
    get("/icon.svg", icon, Role.STRANGER, Work.FILE),
    get("/favicon.ico", no_icon, Role.STRANGER, Work.FILE),
    Route("GET", STREAM, Role.STRANGER, Work.STREAM),
    get("/api/health", api.health, Role.STRANGER, Work.LOOK),
    get("/api/state", api.state, Role.SPECTATOR, Work.LOOK),
    get("/api/log", api.log, Role.SPECTATOR, Work.LONG),
    get("/api/clause/<clause>", api.clause_of, Role.SPECTATOR, Work.LOOK),
    get("/api/explain/<int:seat>/<what>", api.explain, Role.SPECTATOR, Work.COMPUTE),
    get("/api/time", api.time_line, Role.SPECTATOR, Work.COMPUTE),
    get("/api/time/<int:row>", api.time_at, Role.SPECTATOR, Work.COMPUTE),
    get("/api/forgotten", api.forgotten, Role.SPECTATOR, Work.LONG),
    post("/api/forgotten", api.act_on_forgotten, Role.PLAYER, Work.COMMAND),
    get("/api/games", api.games, Role.SPECTATOR, Work.LONG),
    get("/api/games/<game>", api.past, Role.SPECTATOR, Work.LONG),
    get("/api/games/<game>/story", api.story, Role.SPECTATOR, Work.PROCESS),
    get("/api/games/<game>/scores.csv", api.scores, Role.PLAYER, Work.LONG),
    get("/api/games/<game>/log.jsonl", api.rows, Role.PLAYER, Work.LONG),
    get("/api/games/<game>/bgstats", api.play, Role.PLAYER, Work.LONG),
    get("/api/games/<game>/bgstats.svg", api.play_qr, Role.PLAYER, Work.LONG),
    get("/api/scores.csv", api.all_scores, Role.PLAYER, Work.LONG),
    get("/api/statistics", api.statistics, Role.SPECTATOR, Work.LONG),
    get("/api/names", api.names, Role.SPECTATOR, Work.LONG),
    post("/api/names", api.change_names, Role.HOST, Work.COMMAND),
    get("/api/card-names", api.card_names, Role.SPECTATOR, Work.LOOK),
    post("/api/card-names", api.name_card, Role.PLAYER, Work.COMMAND),
    get("/api/camera.jpg", api.camera_picture, Role.PLAYER, Work.LOOK),
    get("/api/tray.jpg", api.tray_picture, Role.SPECTATOR, Work.LOOK),
    get("/api/crop/<proposal>/<int:die>.jpg", api.crop, Role.SPECTATOR, Work.LOOK),
    get("/api/misread/<proposal>.zip", api.misread, Role.PLAYER, Work.PROCESS),
    get("/api/qr.svg", api.qr, Role.SPECTATOR, Work.LOOK),
    get("/api/wifi.svg", api.wifi, Role.SPECTATOR, Work.LOOK),
    post("/api/wifi", api.show_wifi, Role.HOST, Work.SEAT),
    post("/api/join", api.join, Role.STRANGER, Work.SEAT),
    post("/api/seat", api.seat, Role.SPECTATOR, Work.SEAT),
    post("/api/sit", api.sit, Role.SPECTATOR, Work.SEAT),
    post("/api/withdraw", api.withdraw, Role.SPECTATOR, Work.SEAT),
    post("/api/claim", api.claim, Role.PLAYER, Work.SEAT),
    post("/api/leave", api.leave, Role.SPECTATOR, Work.SEAT),
    post("/api/host", api.host, Role.SPECTATOR, Work.SEAT),
    post("/api/sign-out", api.sign_out, Role.HOST, Work.SEAT),
    post("/api/code", api.code, Role.HOST, Work.SEAT),
    post("/api/address", api.address, Role.HOST, Work.SEAT),
    post("/api/seen", api.seen, Role.HOST, Work.COMMAND),
    post("/api/commands", api.commands, Role.PLAYER, Work.COMMAND),
    post("/api/take-up", api.take_up, Role.HOST, Work.COMMAND),
    post("/api/preview", api.preview, Role.SPECTATOR, Work.COMPUTE),
    post("/api/keeps", api.keeps, Role.PLAYER, Work.COMPUTE),
    post("/api/coach", api.coach, Role.PLAYER, Work.PROCESS),
    post("/api/read-again", api.read_again, Role.PLAYER, Work.LOOK),
    post("/api/fuse", api.put_out_fuse, Role.SPECTATOR, Work.LOOK),
    get("/api/setup", api.setup, Role.HOST, Work.LOOK),
    post("/api/setup", api.take_setup_step, Role.HOST, Work.COMMAND),
    post("/api/boxes", api.handle_box, Role.HOST, Work.COMMAND),
    get("/api/boxes/<box>", api.exported_box, Role.HOST, Work.FILE),
    Route("POST", "/api/boxes/file", Role.HOST, Work.COMMAND, api.import_box, Body.FILE),
    post("/api/demo", api.demo, Role.HOST, Work.COMMAND),
    post("/api/demo/throw", api.throw_demo_dice, Role.PLAYER, Work.LOOK),
    post("/api/demo/clear", api.clear_demo_dice, Role.PLAYER, Work.LOOK),
    post("/api/drift", api.drift, Role.HOST, Work.LOOK),
    post("/api/camera", api.camera, Role.HOST, Work.LOOK),
    get("/tv", viewer_page, Role.STRANGER, Work.FILE),
    get("/overlay", viewer_page, Role.STRANGER, Work.FILE),
    post("/api/tv/join", api.join_viewer, Role.STRANGER, Work.SEAT),
    post("/api/tv/pair", api.pair_tv, Role.STRANGER, Work.LOOK),
    get("/api/tv/pair/<pair>.svg", api.tv_pair, Role.STRANGER, Work.LOOK),
    post("/api/overlay/join", api.join_viewer, Role.STRANGER, Work.SEAT),
    *(
        Route("GET", path, Role.STRANGER, Work.STREAM, viewer=kind)
        for kind, path in VIEWER_STREAMS.items()
    ),
    get("/api/tv/qr.svg", api.qr, Role.STRANGER, Work.LOOK, ViewerKind.TV),
    get("/api/tv/wifi.svg", api.wifi, Role.STRANGER, Work.LOOK, ViewerKind.TV),
    get("/api/tv/story", api.tv_story, Role.STRANGER, Work.PROCESS, ViewerKind.TV),
    get("/api/viewers", api.viewers, Role.HOST, Work.LOOK),
    post("/api/viewers", api.change_viewers, Role.HOST, Work.SEAT),
    Route("POST", "/api/photo", Role.PLAYER, Work.PROCESS, api.photo, Body.PHOTO),
)
"""Every route: the streams are answered by the server's loop, all others by Flask."""


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
    for number, route in enumerate(ROUTES):
        if route.view is not None:
            named = f"{number} {route.path}"
            app.add_url_rule(route.path, named, _view(route), methods=[route.method])
    app.after_request(_with_headers)
    app.register_error_handler(KeyedError, refusal)
    app.register_error_handler(HttpError, lambda refused: _response(error_answer(refused)))
    app.register_error_handler(HTTPException, _failed)
    app.register_error_handler(500, _broken)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    return app


def _view(route: Route) -> Callable[..., Response]:
    """Return what Flask calls: the route's function, given the form if there is one."""
    view, decoder = route.view, route.decoder
    assert view is not None
    if decoder is None:
        return view
    return lambda **parts: view(decoded(request.get_data(cache=False), decoder), **parts)


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
