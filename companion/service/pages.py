"""Routes for the files of the phone app: page, assets, catalogues, icon."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, abort, current_app, request, send_from_directory

from companion.catalogues import catalogue as sentences
from companion.catalogues import is_extended
from companion.resources import LANGUAGES, resource_dir
from companion.service.app_state import AppState
from companion.service.refusals import HttpError

pages = Blueprint("pages", __name__)
FOR_EVER_S = 31_536_000


@pages.get("/")
@pages.get("/j")
def page() -> Response:
    """Return the page; it loads the rest."""
    app_state: AppState = current_app.extensions["app_state"]
    app_state.arrivals.opened(request.remote_addr or "")
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
