"""The whole view, and the messages of the stream."""

from __future__ import annotations

from enum import StrEnum

from companion.service.wire.game import GameView
from companion.service.wire.lobby import Lobby
from companion.service.wire.log import LogNotice, LogRow, Undoable
from companion.service.wire.people import Join, People, You
from companion.service.wire.tray import Tray
from companion.service.wire.words import Wire


class View(Wire, frozen=True):
    """Everything that a phone shows; phones get whole views, never patches."""

    rev: int
    """Sequence number of the log: what `base_rev` must repeat."""
    table: str
    saved: bool
    """False: the disk refuses rows, or who has joined; play goes on in memory."""
    notices: tuple[LogNotice, ...]
    """What happened to the log and the host has not seen yet, in the lobby as in a game."""
    lobby: Lobby | None
    game: GameView | None
    tray: Tray
    log: tuple[LogRow, ...]
    undo: Undoable | None
    redo: Undoable | None
    join: Join | None
    people: People | None
    """null in a stream: as in its update before."""
    now: str


class Update(Wire, frozen=True):
    """One message of the stream: who the browser is, and what it sees."""

    run: str
    """This run of the service."""
    number: int
    """The order of views in one run: a phone shows none after one of a higher number."""
    you: You
    view: View


class StreamEvent(StrEnum):
    """Named events of `/api/stream`, each the last of its stream; an Update has no name."""

    FULL = "full"
    """Too many streams: the browser tries again by itself after 15 s."""
    STRANGER = "stranger"
    """This browser has not joined, or no longer counts: close, and show the way in."""
    REPLACED = "replaced"
    """Another tab of this browser listens now: close, do not come back by yourself."""
