"""What the service and the broker's process send each other: MessagePack both ways."""

from __future__ import annotations

from typing import Final

import msgspec

ONLINE: Final = b"online"
OFFLINE: Final = b"offline"
LONGEST_HEARD: Final = 256
"""Bytes of a command from the broker; longer ones are dropped."""


class Begin(msgspec.Struct, frozen=True, tag=True):
    """The first message to the process: where to connect, as who, and what to hear."""

    host: str
    port: int
    tls: bool
    client: str
    status: str
    """The topic that says `online` while the process is connected, and `offline` otherwise."""
    user: str | None = None
    password: str | None = None
    ca_file: str | None = None
    hear: tuple[str, ...] = ()
    """Topics whose messages are passed on, unless they are retained."""
    birth: str | None = None
    """The topic on which `online` asks for everything again."""

    def __repr__(self) -> str:
        return f"Begin({self.host}:{self.port})"


class Keep(msgspec.Struct, frozen=True, tag=True):
    """The newest content of a topic, which the broker retains; an older one need not be sent."""

    topic: str
    payload: bytes


class Send(msgspec.Struct, frozen=True, tag=True):
    """A message to whoever listens now; dropped where nobody can be reached, or too many wait."""

    topic: str
    payload: bytes


class Clear(msgspec.Struct, frozen=True, tag=True):
    """A topic whose retained content is to be deleted; `Cleared` follows."""

    topic: str


class Heard(msgspec.Struct, frozen=True, tag=True):
    """A message that came on one of the topics."""

    topic: str
    payload: bytes


class Cleared(msgspec.Struct, frozen=True, tag=True):
    """The broker has confirmed that it holds nothing of a topic."""

    topic: str


class Outgoing(msgspec.Struct, frozen=True):
    """What is to be published: `keep` by topic, as it is now, and `send` once, before it. `clear`:
    topics of which nothing is to be retained.
    """

    keep: dict[str, bytes]
    send: tuple[Send, ...] = ()
    clear: tuple[str, ...] = ()


class LinkState(msgspec.Struct, frozen=True, tag=True):
    """How the connection is. `reason`: why there is none."""

    connected: bool
    reason: str = ""


ToChild = Begin | Keep | Send | Clear
FromChild = Heard | LinkState | Cleared
