"""The table of routes: the least role, the body's form and the workers of each.

The guard looks up here what a route of Flask needs, before it reads a body. A test compares this
table with Flask's routes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

import msgspec

from companion.service import requests
from companion.service.wire import Role, ViewerKind

STREAM = "/api/stream"
VIEWER_STREAMS = {kind: f"/api/{kind}/stream" for kind in ViewerKind}
"""The streams, which the server's loop answers; all other routes are Flask's."""
RANKS = (Role.STRANGER, Role.SPECTATOR, Role.PLAYER, Role.HOST)
"""Each may do what those before it may."""


class Work(StrEnum):
    """The kind of work an answer needs. Each kind has its own workers, so that none waits for
    another.
    """

    STREAM = "stream"
    """The event stream: no worker, the server's loop sends it."""
    FILE = "file"
    """A file of the phone app."""
    LOOK = "look"
    """A look-up in memory."""
    COMPUTE = "compute"
    """Some milliseconds of the rules: previews, odds, reasons."""
    LONG = "long"
    """The whole log, earlier games and all of them together: megabytes, or seconds."""
    SEAT = "seat"
    """Who has joined, and who sits where."""
    COMMAND = "command"
    """A row of the log: it waits for the disk."""
    PROCESS = "process"
    """Win chances, photos, reports of misread rolls: it waits for another process."""


THREADS: Final = {
    Work.FILE: 2,
    Work.LOOK: 2,
    Work.COMPUTE: 1,
    Work.LONG: 1,
    Work.SEAT: 1,
    Work.COMMAND: 4,
    Work.PROCESS: 3,
}
"""How many workers of each kind. Python runs the rules on one core at a time, so more workers would
not make them faster; workers that wait for a disk or the reader cost nothing."""
COSTS: Final = {
    Work.STREAM: 5,
    Work.FILE: 1,
    Work.LOOK: 1,
    Work.COMPUTE: 3,
    Work.LONG: 5,
    Work.SEAT: 5,
    Work.COMMAND: 1,
    Work.PROCESS: 5,
}
"""Costly work counts as so many requests."""


class Body(StrEnum):
    """The kind of body a request may have; `Limits` bounds its bytes."""

    NONE = "none"
    JSON = "json"
    PHOTO = "photo"
    FILE = "file"
    """A file that a host brings back: a backup, a report."""


CONTENT_TYPES = {
    Body.NONE: frozenset[str](),
    Body.JSON: frozenset({"application/json"}),
    Body.PHOTO: frozenset({"image/jpeg", "image/png"}),
    Body.FILE: frozenset({"application/octet-stream", "application/zip"}),
}
"""No HTML form of another site can send any of them."""


@dataclass(frozen=True, slots=True)
class Route:
    """One route. `path` is Flask's pattern; `form` is the type of its JSON.

    `viewer`: it is for viewers of this kind, and no other route admits those.
    """

    method: str
    path: str
    least: Role
    work: Work
    body: Body = Body.NONE
    form: type | None = None
    viewer: ViewerKind | None = None


def _get(path: str, least: Role, work: Work) -> Route:
    return Route("GET", path, least, work)


def _post(path: str, least: Role, work: Work, form: type) -> Route:
    return Route("POST", path, least, work, Body.JSON, form)


ROUTES: tuple[Route, ...] = (
    _get("/", Role.STRANGER, Work.FILE),
    _get("/j", Role.STRANGER, Work.FILE),
    _get("/assets/<path:name>", Role.STRANGER, Work.FILE),
    _get("/locales/<language>.json", Role.STRANGER, Work.FILE),
    _get("/icon.svg", Role.STRANGER, Work.FILE),
    _get("/favicon.ico", Role.STRANGER, Work.FILE),
    _get(STREAM, Role.STRANGER, Work.STREAM),
    _get("/api/health", Role.STRANGER, Work.LOOK),
    _get("/api/state", Role.SPECTATOR, Work.LOOK),
    _get("/api/log", Role.SPECTATOR, Work.LONG),
    _get("/api/clause/<clause>", Role.SPECTATOR, Work.LOOK),
    _get("/api/explain/<int:seat>/<what>", Role.SPECTATOR, Work.COMPUTE),
    _get("/api/time", Role.SPECTATOR, Work.COMPUTE),
    _get("/api/time/<int:row>", Role.SPECTATOR, Work.COMPUTE),
    _get("/api/forgotten", Role.SPECTATOR, Work.LONG),
    _post("/api/forgotten", Role.PLAYER, Work.COMMAND, requests.ForgottenRequest),
    _get("/api/odds", Role.SPECTATOR, Work.COMPUTE),
    _get("/api/games", Role.SPECTATOR, Work.LONG),
    _get("/api/games/<game>", Role.SPECTATOR, Work.LONG),
    _get("/api/games/<game>/story", Role.SPECTATOR, Work.PROCESS),
    _get("/api/games/<game>/scores.csv", Role.PLAYER, Work.LONG),
    _get("/api/games/<game>/log.jsonl", Role.PLAYER, Work.LONG),
    _get("/api/games/<game>/bgstats", Role.PLAYER, Work.LONG),
    _get("/api/games/<game>/bgstats.svg", Role.PLAYER, Work.LONG),
    _get("/api/scores.csv", Role.PLAYER, Work.LONG),
    _get("/api/statistics", Role.SPECTATOR, Work.LONG),
    _get("/api/names", Role.SPECTATOR, Work.LONG),
    _post("/api/names", Role.HOST, Work.COMMAND, requests.NamesRequest),
    _get("/api/tray.jpg", Role.SPECTATOR, Work.LOOK),
    _get("/api/crop/<proposal>/<int:die>.jpg", Role.SPECTATOR, Work.LOOK),
    _get("/api/misread/<proposal>.zip", Role.PLAYER, Work.PROCESS),
    _get("/api/qr.svg", Role.SPECTATOR, Work.LOOK),
    _get("/api/wifi.svg", Role.SPECTATOR, Work.LOOK),
    _post("/api/wifi", Role.HOST, Work.SEAT, requests.WifiRequest),
    _post("/api/join", Role.STRANGER, Work.SEAT, requests.JoinRequest),
    _post("/api/seat", Role.SPECTATOR, Work.SEAT, requests.SeatRequest),
    _post("/api/withdraw", Role.SPECTATOR, Work.SEAT, requests.Nothing),
    _post("/api/claim", Role.PLAYER, Work.SEAT, requests.ClaimRequest),
    _post("/api/leave", Role.SPECTATOR, Work.SEAT, requests.Nothing),
    _post("/api/host", Role.SPECTATOR, Work.SEAT, requests.HostRequest),
    _post("/api/sign-out", Role.HOST, Work.SEAT, requests.SignOutRequest),
    _post("/api/code", Role.HOST, Work.SEAT, requests.CodeRequest),
    _post("/api/address", Role.HOST, Work.SEAT, requests.AddressRequest),
    _post("/api/seen", Role.HOST, Work.COMMAND, requests.SeenRequest),
    _post("/api/commands", Role.PLAYER, Work.COMMAND, requests.Command),
    _post("/api/take-up", Role.HOST, Work.COMMAND, requests.TakeUpRequest),
    _post("/api/preview", Role.SPECTATOR, Work.COMPUTE, requests.PreviewRequest),
    _post("/api/keeps", Role.PLAYER, Work.COMPUTE, requests.PreviewRequest),
    _post("/api/coach", Role.PLAYER, Work.PROCESS, requests.PreviewRequest),
    _post("/api/read-again", Role.PLAYER, Work.LOOK, requests.Nothing),
    _post("/api/fuse", Role.SPECTATOR, Work.LOOK, requests.FuseRequest),
    _get("/api/setup", Role.HOST, Work.LOOK),
    _get("/api/setup.jpg", Role.HOST, Work.LOOK),
    _post("/api/setup", Role.HOST, Work.COMMAND, requests.SetupRequest),
    _post("/api/boxes", Role.HOST, Work.COMMAND, requests.BoxRequest),
    _get("/api/boxes/<box>", Role.HOST, Work.FILE),
    _post("/api/remember", Role.PLAYER, Work.COMMAND, requests.RememberRequest),
    Route("POST", "/api/boxes/file", Role.HOST, Work.COMMAND, Body.FILE),
    _post("/api/demo", Role.HOST, Work.COMMAND, requests.DemoRequest),
    _post("/api/demo/throw", Role.PLAYER, Work.LOOK, requests.DemoThrowRequest),
    _post("/api/demo/clear", Role.PLAYER, Work.LOOK, requests.Nothing),
    _post("/api/drift", Role.HOST, Work.LOOK, requests.DriftRequest),
    _post("/api/camera", Role.HOST, Work.LOOK, requests.Nothing),
    _get("/tv", Role.STRANGER, Work.FILE),
    _get("/overlay", Role.STRANGER, Work.FILE),
    _post("/api/tv/join", Role.STRANGER, Work.SEAT, requests.ViewerJoinRequest),
    _post("/api/overlay/join", Role.STRANGER, Work.SEAT, requests.ViewerJoinRequest),
    *(
        Route("GET", path, Role.STRANGER, Work.STREAM, viewer=kind)
        for kind, path in VIEWER_STREAMS.items()
    ),
    Route("GET", "/api/tv/qr.svg", Role.STRANGER, Work.LOOK, viewer=ViewerKind.TV),
    Route("GET", "/api/tv/wifi.svg", Role.STRANGER, Work.LOOK, viewer=ViewerKind.TV),
    Route("GET", "/api/tv/story", Role.STRANGER, Work.PROCESS, viewer=ViewerKind.TV),
    _get("/api/viewers", Role.HOST, Work.LOOK),
    _post("/api/viewers", Role.HOST, Work.SEAT, requests.ViewersRequest),
    Route("POST", "/api/photo", Role.PLAYER, Work.PROCESS, Body.PHOTO),
)

DECODERS: Final[Mapping[type, msgspec.json.Decoder[Any]]] = MappingProxyType(
    {route.form: msgspec.json.Decoder(route.form) for route in ROUTES if route.form is not None}
)
"""A decoder for each form, made on import: msgspec crashes where two threads use a type for the
first time.
"""
