"""Tokens and codes that let strangers in, and how fast they may be guessed."""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from companion.service.settings import Limits
from companion.table import RefusedError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""31 signs that nobody mixes up: 31^6 codes."""
CODE_LENGTH = 6
MINUTE_S = 60.0
MOST_ATTEMPTS = 4096
"""How many addresses are remembered at most."""


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


class AttemptCounter:
    """Counts events within a minute; `now` counts seconds and never goes back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._seen: deque[tuple[float, str, str]] = deque()
        self._counts: Counter[tuple[str, str]] = Counter()

    def count(self, kind: str, address: str = "") -> int:
        """Return how often it happened in the last minute, from one address or from all."""
        since = self._now() - MINUTE_S
        while self._seen and (self._seen[0][0] <= since or len(self._seen) > MOST_ATTEMPTS):
            _, old, where = self._seen.popleft()
            for key in {(old, where), (old, "")}:
                self._counts[key] -= 1
                if not self._counts[key]:
                    del self._counts[key]
        return self._counts[kind, address]

    def note(self, kind: str, address: str) -> None:
        """Count one event now."""
        self._seen.append((self._now(), kind, address))
        self._counts.update({(kind, address), (kind, "")})


class Guesses:
    """Slows down guessing of codes, of all kinds together; safe to use from several threads."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._attempts = AttemptCounter(now)
        self._lock = threading.Lock()

    def count(self, kind: str, address: str, *, fits: bool) -> None:
        """Count an attempt with a `kind` of secret ("token" or "code"); RefusedError where the
        address has guessed too often.

        A token that fits is always accepted: nobody guesses 128 bits, and phones behind one router
        or container share an address with an attacker.
        """
        if fits and kind == "token":
            return
        with self._lock:
            if self._asks_too_often(kind, address):
                raise RefusedError("error.too_many_tries")
            self._attempts.note(kind, address)
            if not fits:
                self._attempts.note(f"wrong {kind}", address)

    def _asks_too_often(self, kind: str, address: str) -> bool:
        limits, count = self._limits, self._attempts.count
        if kind == "token":
            return count("token", address) >= limits.wrong_tokens_per_minute
        return (
            count("code", address) >= limits.joins_per_minute
            or count("wrong code", address) >= limits.wrong_codes_per_minute
            or count("wrong code") >= limits.wrong_codes_per_minute_in_all
        )


class Gate:
    """Checks the tokens and codes that let people in."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self.guesses = Guesses(limits, now)
        self.invitation = new_invitation()

    def check(self, address: str, token: str | None, code: str | None) -> Key:
        """Return which secret fits; RefusedError where none does, or the address has guessed too
        often.
        """
        kind = "token" if token is not None else "code"
        key = self.invitation.key(token, code if token is None else None)
        self.guesses.count(kind, address, fits=key is not None)
        if key is None:
            raise RefusedError("error.wrong_code" if self.invitation.open else "error.closed")
        return key


def equal_in_constant_time(given: str | None, wanted: str) -> bool:
    """Whether both are equal, compared in constant time."""
    return given is not None and secrets.compare_digest(
        given.encode("utf-8", "surrogatepass"), wanted.encode()
    )
