"""Tokens and codes that let in people, televisions and overlays, and their guessing."""

from __future__ import annotations

import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.service.settings import Limits
from companion.service.wire import ViewerKind
from companion.table import RefusedError
from companion.table.log import EventLog

KEY: Final = "viewers"
"""Of the state of the log: the view tokens."""

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""31 signs that nobody mixes up: 31^6 codes."""
CODE_LENGTH = 6
MINUTE_S = 60.0
ADDRESSES = 6
"""All addresses together may guess as often as this many."""
PAIR_S: Final = 300.0
"""Within this time a television fetches its token, once the host has let it in."""
MOST_PAIRS: Final = 8
OVERLAY_LENGTH = 12
"""Signs of the overlay's token: people type its address, and 31^12 cannot be guessed."""


class Key(Enum):
    """The kind of secret somebody joined with."""

    TERMINAL = "terminal"
    QR = "qr"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Invitation:
    """The tokens and the code that are valid now. `terminal` is printed only if the service was
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
        """Return which of them fits; None if neither does. Compared in constant time."""
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
    """Make a code of this many signs."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


class Gate:
    """Checks the tokens and codes that let people in, and slows down guessing of codes."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = limits.wrong_codes_per_minute, now
        self._wrong: deque[tuple[float, str]] = deque()
        """When codes were wrong in the last minute, and the addresses they came from."""
        self.invitation = new_invitation()

    def check(self, address: str, token: str | None, code: str | None) -> Key:
        """Return which secret fits; RefusedError if none does, or if the address, or all together,
        have guessed codes too often, though this one fits.

        Tokens are not counted: nobody guesses 128 bits, and phones behind one router or container
        share an address with an attacker.
        """
        if token is None:
            self._check_guesses(address)
        key = self.invitation.key(token, code if token is None else None)
        if key is None:
            if token is None:
                self._wrong.append((self._now(), address))
            raise RefusedError("error.wrong_code" if self.invitation.open else "error.closed")
        return key

    def _check_guesses(self, address: str) -> None:
        while self._wrong and self._wrong[0][0] <= self._now() - MINUTE_S:
            self._wrong.popleft()
        from_here = sum(one == address for _, one in self._wrong)
        if from_here >= self._most or len(self._wrong) >= self._most * ADDRESSES:
            raise RefusedError("error.too_many_tries")


def equal_in_constant_time(given: str | None, wanted: str) -> bool:
    """Whether both are equal, compared in constant time."""
    return given is not None and secrets.compare_digest(
        given.encode("utf-8", "surrogatepass"), wanted.encode()
    )


class StoredTokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept: what is valid now, and the language that the host chose for viewers."""

    tv: Annotated[str, Meta(pattern="^[0-9A-Za-z_-]{22}$")]
    overlay: Annotated[str, Meta(pattern=f"^[{ALPHABET}]{{{OVERLAY_LENGTH}}}$")]
    language: Annotated[str, Meta(pattern="^[a-z]{2}$")] | None = None


_TOKENS: Final = msgspec.json.Decoder(StoredTokens)


class ViewTokens:
    """The view tokens of one service; safe to use from several threads.

    By one of them a television or an overlay sees the table, and does nothing else: it is no way to
    a seat. They stay valid over games and restarts until the host renews them.
    """

    def __init__(self, log: EventLog, now: Callable[[], float] = time.monotonic) -> None:
        self._log, self._now = log, now
        self._lock = threading.Lock()
        self._pairs: dict[str, float] = {}
        """What televisions showed in their codes, and when the host let them in."""
        self._valid = log.state(KEY, _TOKENS) or _new_tokens()

    @property
    def language(self) -> str | None:
        """The language that the host chose for viewers."""
        return self._valid.language

    def shown(self) -> StoredTokens:
        """Return what the host is to see; from now on it is kept over restarts."""
        with self._lock:
            self._log.put_state(KEY, self._valid)
            return self._valid

    def kind(self, token: str | None) -> ViewerKind | None:
        """Return the kind of viewer that this token admits; None if it is not valid."""
        valid = self._valid
        if equal_in_constant_time(token, valid.tv):
            return ViewerKind.TV
        if equal_in_constant_time(token, valid.overlay):
            return ViewerKind.OVERLAY
        return None

    def admit(self, kind: ViewerKind, token: str | None) -> str:
        """Return the token of this kind for a viewer that has it; RefusedError if it does not."""
        typed = _plain(token) if kind is ViewerKind.OVERLAY else token
        if typed is None or self.kind(typed) is not kind:
            raise RefusedError("error.wrong_view_code")
        return typed

    def let_in(self, pair: str) -> None:
        """Let in the television that shows this in its code."""
        with self._lock:
            pairs = {**self._pairs, pair: self._now()}
            self._pairs = dict(list(pairs.items())[-MOST_PAIRS:])

    def token_for(self, pair: str) -> str | None:
        """Return the token once, for a television that the host has just let in; else None."""
        with self._lock:
            since = self._pairs.pop(pair, None)
            if since is None or self._now() - since > PAIR_S:
                return None
            self._log.put_state(KEY, self._valid)
            return self._valid.tv

    def renew(self, *kinds: ViewerKind) -> None:
        """Replace the tokens of these kinds; streams of the former ones end with the next view."""
        fresh = msgspec.structs.asdict(_new_tokens())
        with self._lock:
            if ViewerKind.TV in kinds:
                self._pairs = {}
            changed = {str(kind): fresh[kind] for kind in kinds}
            self._valid = msgspec.structs.replace(self._valid, **changed)
            self._log.put_state(KEY, self._valid)

    def choose_language(self, language: str) -> None:
        """Set the language of all viewers."""
        with self._lock:
            self._valid = msgspec.structs.replace(self._valid, language=language)
            self._log.put_state(KEY, self._valid)


def _new_tokens() -> StoredTokens:
    return StoredTokens(tv=secrets.token_urlsafe(16), overlay=new_code(OVERLAY_LENGTH))


def _plain(typed: str | None) -> str | None:
    """Return an overlay's token as people type it, without gaps and in capitals."""
    return None if typed is None else typed.replace("-", "").replace(" ", "").upper()
