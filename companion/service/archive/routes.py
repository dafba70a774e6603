"""A function for each route about finished games; errors are those of the API."""

from __future__ import annotations

from flask import Blueprint, Response, abort, request

from companion.service import requests
from companion.service.api import answer, app_state, read_form

archive = Blueprint("archive", __name__, url_prefix="/api")


@archive.get("/statistics")
def statistics() -> Response:
    """Return the statistics of the finished games that are counted."""
    return Response(app_state().archive.statistics_answer(), mimetype="application/json")


@archive.get("/names")
def names() -> Response:
    """Return who has played, to suggest for a seat."""
    return answer(app_state().archive.known_names())


@archive.post("/names")
def change_names() -> Response:
    """Merge two names of one person, or take them apart."""
    app_state().archive.change_names(read_form(requests.NamesRequest))
    return statistics()


@archive.get("/scores.csv")
def all_scores() -> Response:
    """Return the scores of all finished games as a file."""
    return _file(app_state().archive.all_scores().encode(), "text/csv", "scores.csv")


@archive.get("/games/<game>/scores.csv")
def scores(game: str) -> Response:
    """Return the scores of one game as a file."""
    content = app_state().archive.scores(_known(game))
    return _file(content.encode(), "text/csv", f"scores-{game}.csv")


@archive.get("/games/<game>/log.jsonl")
def rows(game: str) -> Response:
    """Return the rows of a finished game as a file that `companion replay` reads."""
    content = app_state().archive.rows(_known(game))
    return _file(content, "application/jsonl", f"log-{game}.jsonl")


@archive.get("/games/<game>/story")
def story(game: str) -> Response:
    """Return the story of a finished game."""
    return answer(app_state().stories.story(_known(game)))


@archive.get("/games/<game>/bgstats")
def play(game: str) -> Response:
    """Return the links that hand a finished game to BG Stats."""
    return answer(app_state().archive.play(_known(game), _language()))


@archive.get("/games/<game>/bgstats.svg")
def play_qr(game: str) -> Response:
    """Return the QR code of the link for BG Stats."""
    content = app_state().archive.play_qr(_known(game), _language())
    response = Response(content, mimetype="image/svg+xml")
    response.headers["Cache-Control"] = "no-store"
    return response


def _known(game: str) -> str:
    """Return the name of a game of the log; 404 where there is none."""
    if game not in app_state().log.games:
        abort(404)
    return game


def _language() -> str:
    return request.args.get("lang", "")


def _file(content: bytes, kind: str, name: str) -> Response:
    response = Response(content, content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response
