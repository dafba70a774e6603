"""Tokens and codes that let strangers in, and how fast they may be guessed."""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from companion.service.settings import Limits
from companion.table import RefusedError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""31 signs that nobody mixes up: 31^6 codes."""
CODE_LENGTH = 6
MINUTE_S = 60.0
ADDRESSES = 6
"""All addresses together may guess as often as so many."""


class Key(Enum):
    """The kind of secret somebody joined with."""

    TERMINAL = "terminal"
    QR = "qr"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Invitation:
    """The tokens and the code that are valid now. `terminal` is printed only where the service was
    started.

    While it is not `open`, only the terminal's token lets anybody in.
    """

    terminal: str
    token: str
    code: str
    open: bool = True

    def renewed(self, *, is_open: bool | None = None) -> Invitation:
        """Return an invitation with another token and code; the terminal's token stays."""
        is_open = self.open if is_open is None else is_open
        return replace(new_invitation(), terminal=self.terminal, open=is_open)

    def key(self, token: str | None, code: str | None) -> Key | None:
        """Return which of them fits; None where neither does. Compared in constant time."""
        if equal_in_constant_time(token, self.terminal):
            return Key.TERMINAL
        if self.open and equal_in_constant_time(token, self.token):
            return Key.QR
        if self.open and equal_in_constant_time((code or "").strip().upper(), self.code):
            return Key.CODE
        return None


def new_invitation() -> Invitation:
    """Make fresh 128-bit tokens and a fresh code of six signs."""
    return Invitation(secrets.token_urlsafe(16), secrets.token_urlsafe(16), new_code())


def new_code(length: int = CODE_LENGTH) -> str:
    """Make a code of so many signs."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


class Guesses:
    """Slows down guessing of codes, of all kinds together; safe to use from several threads."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = limits.wrong_codes_per_minute, now
        self._wrong: deque[tuple[float, str]] = deque()
        """When codes were wrong in the last minute, and the addresses they came from."""
        self._lock = threading.Lock()

    def count(self, address: str, *, fits: bool) -> None:
        """Count an attempt with a code; RefusedError if the address, or all together, have guessed
        too often, though it fits.

        Tokens are not counted: nobody guesses 128 bits, and phones behind one router or container
        share an address with an attacker.
        """
        with self._lock:
            while self._wrong and self._wrong[0][0] <= self._now() - MINUTE_S:
                self._wrong.popleft()
            from_here = sum(one == address for _, one in self._wrong)
            if from_here >= self._most or len(self._wrong) >= self._most * ADDRESSES:
                raise RefusedError("error.too_many_tries")
            if not fits:
                self._wrong.append((self._now(), address))


class Gate:
    """Checks the tokens and codes that let people in."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self.guesses = Guesses(limits, now)
        self.invitation = new_invitation()

    def check(self, address: str, token: str | None, code: str | None) -> Key:
        """Return which secret fits; RefusedError if none does, or codes were guessed too often."""
        key = self.invitation.key(token, code if token is None else None)
        if token is None:
            self.guesses.count(address, fits=key is not None)
        if key is None:
            raise RefusedError("error.wrong_code" if self.invitation.open else "error.closed")
        return key


def equal_in_constant_time(given: str | None, wanted: str) -> bool:
    """Whether both are equal, compared in constant time."""
    return given is not None and secrets.compare_digest(
        given.encode("utf-8", "surrogatepass"), wanted.encode()
    )
