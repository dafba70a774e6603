"""Tokens and codes that let strangers in, and how fast they may be guessed."""

from __future__ import annotations

import secrets
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
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    return Invitation(secrets.token_urlsafe(16), secrets.token_urlsafe(16), code)


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


class Gate:
    """Checks tokens and codes. Guessing of codes is slowed down; a token cannot be guessed."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._attempts = AttemptCounter(now)
        self.invitation = new_invitation()

    def check(self, address: str, token: str | None, code: str | None) -> Key:
        """Return which secret fits; RefusedError where none does, or the address has guessed too
        often.

        A token that fits is always accepted: nobody guesses 128 bits, and phones behind one router
        or container share an address with an attacker.
        """
        kind = "token" if token is not None else "code"
        key = self.invitation.key(token, code if token is None else None)
        if key is not None and kind == "token":
            return key
        if self._asks_too_often(kind, address):
            raise RefusedError("error.too_many_tries")
        self._attempts.note(kind, address)
        if key is None:
            self._attempts.note(f"wrong {kind}", address)
            raise RefusedError("error.wrong_code" if self.invitation.open else "error.closed")
        return key

    def _asks_too_often(self, kind: str, address: str) -> bool:
        limits, count = self._limits, self._attempts.count
        if kind == "token":
            return count("token", address) >= limits.wrong_tokens_per_minute
        return (
            count("code", address) >= limits.joins_per_minute
            or count("wrong code", address) >= limits.wrong_codes_per_minute
            or count("wrong code") >= limits.wrong_codes_per_minute_in_all
        )


def equal_in_constant_time(given: str | None, wanted: str) -> bool:
    """Whether both are equal, compared in constant time."""
    return given is not None and secrets.compare_digest(
        given.encode("utf-8", "surrogatepass"), wanted.encode()
    )
