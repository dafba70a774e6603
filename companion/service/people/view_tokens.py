"""View tokens: by which a television or an overlay sees the table, and does nothing else.

They are no way to a seat. They stay valid over games and restarts until the host renews them.
"""

from __future__ import annotations

import secrets
import threading
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from companion.service.people.gate import (
    ALPHABET,
    CODE_LENGTH,
    Guesses,
    equal_in_constant_time,
    new_code,
)
from companion.service.wire import ViewerKind
from companion.table import RefusedError
from companion.table.log import EventLog

KEY: Final = "viewers"
"""Of the state."""
OVERLAY_LENGTH = 12
"""Signs of the overlay's token: people type its address, and 31^12 cannot be guessed."""


class StoredTokens(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept: what is valid now, and the language that the host chose for viewers."""

    tv: Annotated[str, Meta(pattern="^[0-9A-Za-z_-]{22}$")]
    code: Annotated[str, Meta(pattern=f"^[{ALPHABET}]{{{CODE_LENGTH}}}$")]
    """What is typed on a television's remote control in place of its token."""
    overlay: Annotated[str, Meta(pattern=f"^[{ALPHABET}]{{{OVERLAY_LENGTH}}}$")]
    language: Annotated[str, Meta(pattern="^[a-z]{2}$")] | None = None


_TOKENS: Final = msgspec.json.Decoder(StoredTokens)


class ViewTokens:
    """The view tokens of one service; safe to use from several threads.

    `guesses` counts wrong codes together with those of people who join.
    """

    def __init__(self, log: EventLog, guesses: Guesses) -> None:
        self._log, self._guesses = log, guesses
        self._lock = threading.Lock()
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
        """Return the kind of viewer that this token admits; None where it is not valid."""
        valid = self._valid
        if equal_in_constant_time(token, valid.tv):
            return ViewerKind.TV
        if equal_in_constant_time(token, valid.overlay):
            return ViewerKind.OVERLAY
        return None

    def admit(self, kind: ViewerKind, address: str, token: str | None, code: str | None) -> str:
        """Return the token of this kind for a viewer that has it, or a television's code.

        RefusedError if neither fits, or codes were guessed too often.
        """
        valid = self._valid
        own = valid.tv if kind is ViewerKind.TV else valid.overlay
        if token is not None:
            typed = _plain(token) if kind is ViewerKind.OVERLAY else token
            fits = equal_in_constant_time(typed, own)
        else:
            fits = kind is ViewerKind.TV and equal_in_constant_time(_plain(code), valid.code)
        if token is None:
            self._guesses.count(address, fits=fits)
        if not fits:
            raise RefusedError("error.wrong_view_code")
        return own

    def renew(self, *kinds: ViewerKind) -> None:
        """Replace the tokens of these kinds; streams of the former ones end with the next view."""
        fresh = _new_tokens()
        with self._lock:
            if ViewerKind.TV in kinds:
                self._valid = replace(self._valid, tv=fresh.tv, code=fresh.code)
            if ViewerKind.OVERLAY in kinds:
                self._valid = replace(self._valid, overlay=fresh.overlay)
            self._log.put_state(KEY, self._valid)

    def choose_language(self, language: str) -> None:
        """Set the language of all viewers."""
        with self._lock:
            self._valid = replace(self._valid, language=language)
            self._log.put_state(KEY, self._valid)


def _new_tokens() -> StoredTokens:
    return StoredTokens(
        tv=secrets.token_urlsafe(16), code=new_code(), overlay=new_code(OVERLAY_LENGTH)
    )


def _plain(typed: str | None) -> str | None:
    """Return a code as people type it, without gaps and in capitals."""
    return None if typed is None else typed.replace("-", "").replace(" ", "").upper()
