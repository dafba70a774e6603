"""The phone app's files: one page, its parts and its catalogues."""

from __future__ import annotations

import msgspec
from flask import Blueprint, Response, abort, request, send_from_directory

from companion.catalogues import catalogue as sentences
from companion.catalogues import is_extended
from companion.resources import LANGUAGES, resource_dir
from companion.service.refusals import HttpError

pages = Blueprint("pages", __name__)
FOR_EVER_S = 31_536_000


@pages.get("/")
@pages.get("/j")
def page() -> Response:
    """The page; it asks for the rest."""
    folder = resource_dir("webui")
    if not (folder / "index.html").is_file():
        raise HttpError(503, "error.no_page")
    said = send_from_directory(folder, "index.html")
    said.headers["Cache-Control"] = "no-cache"
    return said


@pages.get("/assets/<path:name>")
def asset(name: str) -> Response:
    """A part of the page; its name carries a hash of its content, so it never changes."""
    return send_from_directory(resource_dir("webui") / "assets", name, max_age=FOR_EVER_S)


@pages.get("/locales/<language>.json")
def catalogue(language: str) -> Response:
    """All sentences in one language."""
    if language not in LANGUAGES:
        abort(404)
    if is_extended():
        said = Response(msgspec.json.encode(dict(sentences(language))), mimetype="application/json")
        said.add_etag()
        said.make_conditional(request)
    else:
        said = send_from_directory(resource_dir("locales"), f"{language}.json")
    said.headers["Cache-Control"] = "no-cache"
    return said


@pages.get("/icon.svg")
def icon() -> Response:
    """The sign of the page in a browser's tab."""
    said = send_from_directory(resource_dir("webui"), "icon.svg")
    said.headers["Cache-Control"] = "no-cache"
    return said


@pages.get("/favicon.ico")
def no_icon() -> Response:
    """Nothing, without an error in the browser's console."""
    return Response(status=204)
