"""Who is here: roles, seats, who asks for one, and how another phone joins."""

from __future__ import annotations

from enum import StrEnum

from companion.service.wire.words import Wire


class Role(StrEnum):
    """What a browser may do: each may do all that those below it may."""

    HOST = "host"
    PLAYER = "player"
    SPECTATOR = "spectator"
    STRANGER = "stranger"
    """Has not joined yet: sees nothing but the page."""


class You(Wire, frozen=True):
    """Who the asking browser is."""

    role: Role
    seat: int | None = None
    id: str = ""
    """Which of `People.persons` it is."""
    before: int | None = None
    """The seat that it had until another phone took it."""
    asks: int | None = None
    """The seat that it asks for; its holder or the host answers."""
    kept: int | None = None
    """The seat that it was refused."""


class Phone(StrEnum):
    """The state of a browser's connection."""

    LIVE = "live"
    """Its stream is open."""
    SILENT = "silent"
    """It has no stream, but had one a short while ago."""
    LOST = "lost"
    """It was silent for so long that anybody may take its seat."""


class Person(Wire, frozen=True):
    """One browser that has joined."""

    id: str
    role: Role
    seat: int | None
    phone: Phone
    silent_min: int = 0
    """Whole minutes of silence."""


class Claim(Wire, frozen=True):
    """A browser's request for a seat that another holds."""

    by: str
    """`Person.id` of who asks."""
    seat: int


class People(Wire, frozen=True):
    """Who is here, oldest first."""

    persons: tuple[Person, ...] = ()
    claims: tuple[Claim, ...] = ()
    """Oldest first, one a browser."""
    host: str | None = None
    """`Person.id` of the host; None: there is none."""
    host_lost: bool = False
    """A seated phone may replace the host."""


class Join(Wire, frozen=True):
    """How another phone joins; everybody who has joined sees it, a television too."""

    url: str
    code: str
    address: str
    addresses: tuple[str, ...]
    """All by which phones may reach the service, `address` first."""
    open: bool = True
    """False: nobody new is let in, by neither code nor QR code."""
    late: int = 0
    """Phones that got the page a while ago and have no stream: something keeps them from it."""
    table: str = ""
    """The table's name for people, where it is one of several on its machine; else empty."""
