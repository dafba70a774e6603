"""What a route is: the least role, the form of its body, the workers that answer it.

The guard needs to know before it reads a body. The table of all routes is in `app`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, get_type_hints

import msgspec
from flask import Response

from companion.service.wire import Role, ViewerKind

STREAM = "/api/stream"
VIEWER_STREAMS = {kind: f"/api/{kind}/stream" for kind in ViewerKind}
"""The streams, which the server's loop answers; all other routes are Flask's."""
RANKS = (Role.STRANGER, Role.SPECTATOR, Role.PLAYER, Role.HOST)
"""Each may do what those before it may."""


class Work(StrEnum):
    """The kind of work an answer needs. Each has workers of its own: none waits for another."""

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
"""Costly work counts as several requests."""


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
    """One route: `path` is Flask's pattern, `view` is Flask's function; a stream has none.

    `form`: the type of its JSON, which the function is given as read by `decoder`. `viewer`: it is
    for viewers of this kind, and no other route admits those.
    """

    method: str
    path: str
    least: Role
    work: Work
    view: Callable[..., Response] | None = None
    body: Body = Body.NONE
    form: type | None = None
    decoder: msgspec.json.Decoder[Any] | None = None
    """Made on import: msgspec crashes if two threads use a type for the first time."""
    viewer: ViewerKind | None = None


def get(
    path: str,
    view: Callable[..., Response],
    least: Role,
    work: Work,
    viewer: ViewerKind | None = None,
) -> Route:
    """Return a route that changes nothing."""
    return Route("GET", path, least, work, view, viewer=viewer)


def post(path: str, view: Callable[..., Response], least: Role, work: Work) -> Route:
    """Return a route with a body of JSON, of the type of the function's first parameter."""
    form = next(iter(get_type_hints(view).values()))
    return Route("POST", path, least, work, view, Body.JSON, form, msgspec.json.Decoder(form))
