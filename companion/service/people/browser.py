"""One browser that joined, as the service knows it while it runs."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from companion.service.wire import Role

COOKIE_S: Final = 30 * 24 * 3600
"""Seconds after which a browser that was not seen has to join again."""


class Browser(msgspec.Struct, frozen=True):
    """One browser that joined, known by the hash of its secret."""

    key: str
    role: Role
    seat: int | None = None
    before: int | None = None
    """The seat that it lost to another browser."""
    may_return: bool = False
    """It may take `before` back without asking: it was only silent."""

    @property
    def id(self) -> str:
        """The name that other phones use; its secret does not follow from it."""
        return self.key[:12]

    def returns(self, seat: int) -> bool:
        """Whether it lost this seat only because it was silent."""
        return self.before == seat and self.may_return

    def at(self, seat: int | None) -> Browser:
        """Return the browser on this seat, or on none; a host stays host."""
        plain = Role.SPECTATOR if seat is None else Role.PLAYER
        return Browser(self.key, Role.HOST if self.role is Role.HOST else plain, seat)


def hashed(secret: str) -> str:
    """Return the key of the browser that holds this secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
