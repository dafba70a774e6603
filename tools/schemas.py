"""The forms of everything that goes in and out, from the code's own types: JSON Schemas, and the
OpenAPI document of the service. The documents' build writes them beside the pages.

`python -m tools.schemas FOLDER` writes them into a folder. What a route answers stands in
`ANSWERS`; refusals are the same for all routes of a kind. `make fuzz` holds it to the service.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from companion.cli.play import ReplayResult
from companion.engine import AnyEvent, Game
from companion.records import LogLine
from companion.service import requests, wire, wire_pages
from companion.service.app import ROUTES
from companion.service.http.guard import CSRF_HEADER, LONGEST_PATH, LONGEST_QUERY, viewer_cookie
from companion.service.http.routes import CONTENT_TYPES, Body, Route, Work
from companion.service.requests import ANSWER_HEADERS, ErrorAnswer
from companion.service.settings import Settings
from companion.service.views.words import Clause
from companion.service.wire import Role
from companion.simulation import SimulatedGame
from companion.table import AnyTableEvent
from companion.vision.readings import ReadingRow
from companion.vision.report import Manifest

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Sent:
    """The answer of a route where all is well.

    `form`: the type of its JSON, or of each message of its stream; `query`: the
    parameter that it reads; `cookie`: whether it sets one; `empty`: whether 204 is an answer too;
    `refuses`: further statuses.
    """

    form: Any = None
    kind: str = JSON
    query: str = ""
    cookie: bool = False
    empty: bool = False
    refuses: tuple[int, ...] = ()


UPDATE: Final = Sent(wire.Update)
DONE: Final = Sent(requests.Done)
SETUP: Final = Sent(wire_pages.SetupView)
STATISTICS: Final = Sent(wire_pages.StatisticsView)
PAGE: Final = Sent(kind="text/html", refuses=(503,))
SVG: Final = "image/svg+xml"
JPEG: Final = "image/jpeg"

ANSWERS: Final[dict[tuple[str, str], Sent]] = {
    ("GET", "/"): PAGE,
    ("GET", "/j"): PAGE,
    ("GET", "/assets/<path:name>"): Sent(kind="*/*"),
    ("GET", "/locales/<language>.json"): Sent(dict[str, str | dict[str, str]]),
    ("GET", "/icon.svg"): Sent(kind=SVG),
    ("GET", "/favicon.ico"): Sent(kind="", empty=True),
    ("GET", "/api/stream"): Sent(wire.Update, EVENTS),
    ("GET", "/api/health"): Sent(requests.HealthAnswer),
    ("GET", "/api/state"): Sent(wire.Update, cookie=True),
    ("GET", "/api/log"): Sent(requests.LogAnswer),
    ("GET", "/api/clause/<clause>"): Sent(Clause),
    ("GET", "/api/explain/<int:seat>/<what>"): Sent(requests.WhyAnswer, query="card"),
    ("GET", "/api/time"): Sent(wire_pages.TimeView),
    ("GET", "/api/time/<int:row>"): Sent(wire_pages.TimeMoment),
    ("GET", "/api/forgotten"): Sent(wire_pages.ForgottenView),
    ("POST", "/api/forgotten"): Sent(wire_pages.ForgottenView),
    ("GET", "/api/games"): Sent(requests.GamesAnswer),
    ("GET", "/api/games/<game>"): Sent(requests.PastGame),
    ("GET", "/api/games/<game>/story"): Sent(wire_pages.StoryView),
    ("GET", "/api/games/<game>/scores.csv"): Sent(kind="text/csv"),
    ("GET", "/api/games/<game>/log.jsonl"): Sent(kind="application/jsonl"),
    ("GET", "/api/games/<game>/bgstats"): Sent(requests.PlayAnswer, query="lang"),
    ("GET", "/api/games/<game>/bgstats.svg"): Sent(kind=SVG, query="lang"),
    ("GET", "/api/scores.csv"): Sent(kind="text/csv"),
    ("GET", "/api/statistics"): STATISTICS,
    ("GET", "/api/names"): Sent(requests.NamesAnswer),
    ("POST", "/api/names"): STATISTICS,
    ("GET", "/api/card-names"): Sent(requests.CardNamesAnswer),
    ("POST", "/api/card-names"): Sent(requests.CardNamesAnswer),
    ("GET", "/api/tray.jpg"): Sent(kind=JPEG, query="proposal", refuses=(404,)),
    ("GET", "/api/crop/<proposal>/<int:die>.jpg"): Sent(kind=JPEG),
    ("GET", "/api/misread/<proposal>.zip"): Sent(kind="application/zip", query="faces"),
    ("GET", "/api/qr.svg"): Sent(kind=SVG, refuses=(404,)),
    ("GET", "/api/wifi.svg"): Sent(kind=SVG, refuses=(404,)),
    ("POST", "/api/join"): Sent(wire.Update, cookie=True),
    ("POST", "/api/seat"): UPDATE,
    ("POST", "/api/sit"): UPDATE,
    ("POST", "/api/withdraw"): UPDATE,
    ("POST", "/api/claim"): UPDATE,
    ("POST", "/api/leave"): UPDATE,
    ("POST", "/api/host"): UPDATE,
    ("POST", "/api/sign-out"): UPDATE,
    ("POST", "/api/code"): UPDATE,
    ("POST", "/api/address"): UPDATE,
    ("POST", "/api/seen"): UPDATE,
    ("POST", "/api/commands"): DONE,
    ("POST", "/api/take-up"): UPDATE,
    ("POST", "/api/preview"): Sent(wire.PreviewAnswer),
    ("POST", "/api/keeps"): Sent(requests.KeepsAnswer),
    ("POST", "/api/coach"): Sent(requests.CoachAnswer),
    ("POST", "/api/read-again"): DONE,
    ("POST", "/api/fuse"): UPDATE,
    ("GET", "/api/setup"): SETUP,
    ("GET", "/api/camera.jpg"): Sent(kind=JPEG, empty=True),
    ("POST", "/api/setup"): SETUP,
    ("POST", "/api/boxes"): SETUP,
    ("GET", "/api/boxes/<box>"): Sent(kind="application/octet-stream"),
    ("POST", "/api/boxes/file"): SETUP,
    ("POST", "/api/demo"): DONE,
    ("POST", "/api/demo/throw"): DONE,
    ("POST", "/api/demo/clear"): DONE,
    ("POST", "/api/drift"): DONE,
    ("POST", "/api/camera"): DONE,
    ("GET", "/tv"): PAGE,
    ("GET", "/overlay"): PAGE,
    ("POST", "/api/tv/join"): Sent(requests.Nothing, cookie=True),
    ("POST", "/api/overlay/join"): Sent(requests.Nothing, cookie=True),
    ("GET", "/api/tv/stream"): Sent(wire.ViewerView, EVENTS),
    ("GET", "/api/overlay/stream"): Sent(wire.ViewerView, EVENTS),
    ("GET", "/api/tv/qr.svg"): Sent(kind=SVG, refuses=(404,)),
    ("GET", "/api/tv/wifi.svg"): Sent(kind=SVG, refuses=(404,)),
    ("GET", "/api/tv/story"): Sent(wire_pages.StoryView),
    ("GET", "/api/viewers"): Sent(requests.ViewersAnswer),
    ("POST", "/api/tv/pair"): Sent(requests.PairAnswer, cookie=True),
    ("GET", "/api/tv/pair/<pair>.svg"): Sent(kind=SVG),
    ("POST", "/api/viewers"): Sent(requests.ViewersAnswer),
    ("POST", "/api/wifi"): UPDATE,
    ("POST", "/api/photo"): DONE,
}
"""By method and path, as `companion.service.app` has them."""

Json = dict[str, Any]
PORT: Final = Settings(Path()).port
COOKIE: Final = f"monster_table_{PORT}"
REF: Final = "#/components/schemas/{name}"
GAP: Final = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")
EVERY: Final = (400, 403, 405, 413, 414, 421, 429)
"""The statuses with which any route may refuse."""
ABOUT: Final = """\
The interface between the service and the phones of one table. Whatever changes something needs
the header `{mark}` and, as `Origin`, the service's own address; a body is JSON unless it is a file.
Every refusal is an `ErrorAnswer` and changes nothing. `docs/api.md` explains what is listed here.
"""


def document() -> Json:
    """Return the OpenAPI 3.1 document of all routes."""
    paths: dict[str, Json] = {}
    described = descriptions()
    schemas = _Schemas()
    for route in ROUTES:
        item = paths.setdefault(operation_path(route.path), {})
        item[route.method.lower()] = _operation(route, described, schemas)
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Monster Table",
            "version": version("monster-table"),
            "summary": "A companion for King of New York and King of Tokyo on a real table.",
            "description": ABOUT.format(mark=CSRF_HEADER),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [
            {
                "url": f"http://{{host}}:{PORT}",
                "variables": {"host": {"default": "localhost", "description": "The table's name."}},
            }
        ],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": schemas.components(),
            "parameters": {"Mark": _MARK, "Origin": _ORIGIN},
            "headers": {name: _header(name, value) for name, value in ANSWER_HEADERS.items()},
            "responses": {str(status): _refusal(status, schemas) for status in _statuses()},
            "securitySchemes": _SECURITY,
        },
    }


def operation_path(path: str) -> str:
    """Return the path of a route as OpenAPI writes it."""
    return GAP.sub(r"{\g<name>}", path)


_MARK: Final[Json] = {
    "name": CSRF_HEADER,
    "in": "header",
    "required": True,
    "description": "Any value: a page of another site cannot send this header.",
    "schema": {"type": "string", "minLength": 1},
    "example": "1",
}
_ORIGIN: Final[Json] = {
    "name": "Origin",
    "in": "header",
    "required": True,
    "description": "The address at which the service is asked; any other page is refused.",
    "schema": {"type": "string", "format": "uri"},
    "example": f"http://localhost:{PORT}",
}
_SECURITY: Final[Json] = {
    "browser": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": f"Set by `POST /api/join`; {PORT} is the port of the service.",
    },
    "viewer": {
        "type": "apiKey",
        "in": "cookie",
        "name": viewer_cookie(COOKIE),
        "description": "Set by `POST /api/tv/join` and `POST /api/overlay/join`.",
    },
}
_ROLES: Final = {
    Role.SPECTATOR: "For browsers that have joined.",
    Role.PLAYER: "For browsers that have a seat, and the host.",
    Role.HOST: "For the host alone.",
}


class _Schemas:
    """The schemas of all types that were asked for, and of what they refer to."""

    def __init__(self) -> None:
        forms = {each.form for each in ANSWERS.values()} | {route.form for route in ROUTES}
        self._forms = [form for form in forms if form is not None] + [ErrorAnswer]
        schemas, parts = msgspec.json.schema_components(self._forms, ref_template=REF)
        self._schemas, self._parts = dict(zip(self._forms, schemas, strict=True)), parts

    def of(self, form: Any) -> Json:
        """Return the schema of a type."""
        found: Json = self._schemas[form]
        return found

    def components(self) -> Json:
        """Return all parts, by name."""
        return dict(sorted(self._parts.items()))


def descriptions() -> dict[tuple[str, str], str]:
    """Return what the function of each route says of itself."""
    return {
        (route.method, route.path): " ".join((route.view.__doc__ or "").split())
        for route in ROUTES
        if route.view is not None
    }


def _operation(route: Route, described: dict[tuple[str, str], str], schemas: _Schemas) -> Json:
    sent = ANSWERS[route.method, route.path]
    text = described.get((route.method, route.path), "Stream the newest view after every change.")
    summary, _, more = text.partition(". ")
    operation: Json = {
        "operationId": _operation_id(route),
        "tags": [str(route.work)],
        "summary": summary.rstrip("."),
        "description": " ".join(filter(None, (more, _ROLES.get(route.least, "")))),
        "parameters": _parameters(route, sent),
    }
    if route.body is not Body.NONE:
        operation["requestBody"] = _body(route, schemas)
    if route.least is not Role.STRANGER:
        operation["security"] = [{"browser": []}]
    elif route.viewer is not None:
        operation["security"] = [{"viewer": []}]
    elif route.work is Work.STREAM:
        operation["security"] = [{"browser": []}]
    operation["responses"] = _responses(route, sent, schemas)
    return {key: value for key, value in operation.items() if value not in ("", [])}


def _operation_id(route: Route) -> str:
    words = re.findall(r"\w+", GAP.sub(r"by \g<name>", route.path)) or ["page"]
    return "_".join([route.method.lower(), *(word for word in words if word != "api")])


def _parameters(route: Route, sent: Sent) -> list[Json]:
    found: list[Json] = []
    for gap in GAP.finditer(route.path):
        number = {"type": "integer", "minimum": 0}
        text = {"type": "string", "minLength": 1, "maxLength": LONGEST_PATH}
        schema = number if gap["kind"] == "int" else text
        found.append({"name": gap["name"], "in": "path", "required": True, "schema": schema})
    if sent.query:
        text = {"type": "string", "maxLength": LONGEST_QUERY}
        found.append({"name": sent.query, "in": "query", "schema": text})
    if route.method != "GET":
        found += [{"$ref": f"#/components/parameters/{name}"} for name in ("Mark", "Origin")]
    return found


def _body(route: Route, schemas: _Schemas) -> Json:
    schema = schemas.of(route.form) if route.form is not None else None
    content = {kind: {"schema": schema} if schema else {} for kind in CONTENT_TYPES[route.body]}
    return {"required": True, "content": dict(sorted(content.items()))}


def _responses(route: Route, sent: Sent, schemas: _Schemas) -> Json:
    headers: Json = {
        name: {"$ref": f"#/components/headers/{name}"} for name in sorted(ANSWER_HEADERS)
    }
    if sent.cookie:
        headers["Set-Cookie"] = {"description": "The cookie.", "schema": {"type": "string"}}
    found: Json = {}
    if sent.kind:
        content: Json = {} if sent.form is None else {"schema": schemas.of(sent.form)}
        if sent.kind != JSON and sent.form is not None:
            content = {"schema": {"type": "string"}, "x-message": schemas.of(sent.form)}
        found["200"] = {
            "description": "The answer.",
            "headers": headers,
            "content": {sent.kind: content},
        }
    if sent.empty:
        found["204"] = {"description": "There is nothing to show."}
    for status in _refusals(route, sent):
        found[str(status)] = {"$ref": f"#/components/responses/{status}"}
    return found


def _refusals(route: Route, sent: Sent) -> list[int]:
    found = {*EVERY, *sent.refuses}
    if "<" in route.path:
        found.add(404)
    if route.body is not Body.NONE:
        found.add(415)
    if route.body is Body.PHOTO:
        found.add(422)
    if route.path.startswith("/api/"):
        found.add(409)
    return sorted(found)


def _statuses() -> list[int]:
    return sorted(
        {n for route in ROUTES for n in _refusals(route, ANSWERS[route.method, route.path])}
    )


def _refusal(status: int, schemas: _Schemas) -> Json:
    content: Json = {JSON: {"schema": schemas.of(ErrorAnswer)}}
    if status == 421:
        content["text/html"] = {}
    answer: Json = {"description": _REASONS[status], "content": content}
    if status == 405:
        answer["headers"] = {"Allow": {"schema": {"type": "string"}}}
    return answer


_REASONS: Final = {
    400: "The body, path or query is not in the form; the sentence names the field.",
    403: "The browser may not do this, the table is closed, or another page asks.",
    404: "There is no such thing.",
    405: "The path has no such method.",
    409: "Outdated, or the rules forbid it; `update` holds the fresh view.",
    413: "The body is longer than it may be.",
    414: "The path or query is too long.",
    415: "The body is of a kind that is not taken.",
    421: "The service has no such name; a browser that opens a page gets one with a link.",
    422: "The picture cannot be read, or shows no dice.",
    429: "Too many requests or tries.",
    503: "The phone app is not built.",
}


def _header(name: str, value: str) -> Json:
    return {"description": f"{name} of every answer.", "schema": {"type": "string", "const": value}}


DRAFT = "https://json-schema.org/draft/2020-12/schema"
OPENAPI = "openapi"
FORMS: dict[str, tuple[str, Any]] = {
    OPENAPI: (
        "Every route, with its parameters, bodies, answers and refusals (OpenAPI 3.1).",
        None,
    ),
    "event": ("One event: a line of EVENTS.jsonl, or of a log.", AnyEvent | AnyTableEvent),
    "position": ("A whole game: what `companion play` takes, and a turn's last row holds.", Game),
    "log": ("One line of an exported log: a row with its event.", LogLine),
    "replay": ("What `companion replay --json` prints last.", ReplayResult),
    "reading": ("One line of `companion read --json` and `companion watch --json`.", ReadingRow),
    "report": ("`report.json` in a report of a misread roll.", Manifest),
    "simulated-game": ("One row of `companion simulate --rows`: a game.", SimulatedGame),
    "command": ("What a phone posts to change the table.", requests.Command),
    "update": ("One message of the stream: the whole view, and who is asking.", wire.Update),
    "viewer": ("One message of the stream of a television or an overlay.", wire.ViewerView),
}
"""What each form is for, and its type; by the name of its file without `.json`."""


def schema(name: str) -> dict[str, Any]:
    """Return one of the forms."""
    says, form = FORMS[name]
    if name == OPENAPI:
        return document()
    (whole,), parts = msgspec.json.schema_components([form], ref_template="#/$defs/{name}")
    return {"$schema": DRAFT, "description": says, **whole, "$defs": dict(sorted(parts.items()))}


def write(folder: Path) -> None:
    """Write all of them into a folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FORMS:
        text = json.dumps(schema(name), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
