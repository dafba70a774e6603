"""What a screen without a person shows: a television, an overlay for a film of the table."""

from __future__ import annotations

from enum import StrEnum

from companion.service.wire.game import GameView
from companion.service.wire.lobby import Lobby
from companion.service.wire.people import Join
from companion.service.wire.tray import Tray
from companion.service.wire.words import Wire


class ViewerKind(StrEnum):
    """The kinds of viewers, each with a token of its own."""

    TV = "tv"
    OVERLAY = "overlay"
    """Whoever watches the film sees it, so it never holds a way in."""


class ViewerView(Wire, frozen=True):
    """The public part of a view, in the order of views: the whole table, nothing to answer."""

    run: str
    number: int
    language: str | None
    """The language that the host chose for all viewers; None: the screen's own."""
    saved: bool
    lobby: Lobby | None
    game: GameView | None
    tray: Tray
    join: Join | None
    """How phones join; None for an overlay."""
    host: int | None
    """The seat of the host; None: no host, or one without a seat."""
    now: str
