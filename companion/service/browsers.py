"""Who has joined: browsers by their cookie, what each may do, and how fast strangers may knock."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from companion.service.settings import Limits
from companion.service.wire import Role, You
from companion.table import RefusedError

FILE_NAME = "browsers.json"
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""31 signs that nobody mixes up: 31^6 codes."""
CODE_LENGTH = 6


class Browser(msgspec.Struct, frozen=True):
    """One browser that joined; its secret is kept as a hash only."""

    secret_hash: str
    role: Role
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Invitation:
    """What lets a stranger in. `terminal` is printed where the service was started, only there."""

    terminal: str
    token: str
    code: str


def new_invitation(terminal: str | None = None) -> Invitation:
    """Fresh 128-bit tokens and a fresh code of six signs."""
    code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
    return Invitation(terminal or secrets.token_urlsafe(16), secrets.token_urlsafe(16), code)


class Gate:
    """Counts what happens within a minute, by address; `now` counts seconds and never goes back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._seen: list[tuple[float, str, str]] = []

    def count(self, kind: str, address: str | None = None) -> int:
        """How often it happened in the last minute, from one address or from all."""
        since = self._now() - 60
        self._seen = [entry for entry in self._seen if entry[0] > since]
        return sum(k == kind and address in (None, a) for _, k, a in self._seen)

    def note(self, kind: str, address: str) -> None:
        """It happened now."""
        self._seen.append((self._now(), kind, address))


class Browsers:
    """All who joined, kept in one file over restarts; safe to use from several threads."""

    def __init__(
        self, folder: Path, limits: Limits, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._path, self._limits, self._now = folder / FILE_NAME, limits, now
        self._lock = threading.RLock()
        self._gate = Gate(now)
        self._streams: dict[str, int] = {}
        self._heard: dict[str, float] = {}
        self.invitation = new_invitation()
        self._all = {browser.secret_hash: browser for browser in _read(self._path)}

    def you(self, secret: str | None) -> You:
        """What the holder of this cookie may do."""
        browser = self._all.get(_hash(secret)) if secret else None
        if browser is None:
            return You(role=Role.STRANGER)
        return You(role=browser.role, seat=browser.seat)

    def join(self, address: str, token: str | None, code: str | None) -> tuple[str, Role]:
        """A new browser is known: its secret and role; RefusedError where it may not be."""
        with self._lock:
            self._knock(address)
            is_terminal = _same(token, self.invitation.terminal)
            known = is_terminal or _same(token, self.invitation.token)
            if not known and not _same((code or "").strip().upper(), self.invitation.code):
                self._gate.note("wrong", address)
                raise RefusedError("error.wrong_code")
            if len(self._all) >= self._limits.browsers and not self._forget_one():
                raise RefusedError("error.table_full")
            hosts = [b for b in self._all.values() if b.role is Role.HOST]
            lost = not any(self._is_heard(host) for host in hosts)
            role = Role.HOST if not hosts or (is_terminal and lost) else Role.SPECTATOR
            secret = secrets.token_urlsafe(16)
            self._heard[_hash(secret)] = self._now()
            self._put(Browser(_hash(secret), role))
            return secret, role

    def sit(self, secret: str, seat: int, *, take_over: bool) -> None:
        """The browser has the seat, and whoever had it watches; RefusedError where it is taken."""
        with self._lock:
            me = self._all[_hash(secret)]
            holder = next((b for b in self._all.values() if b.seat == seat), None)
            if holder is not None and holder != me:
                silent = not self._streams.get(holder.secret_hash)
                if not take_over or not (silent or me.role is Role.HOST):
                    raise RefusedError("error.seat_taken", outdated=True, seat=seat)
                self._put(_standing(holder))
            role = Role.HOST if me.role is Role.HOST else Role.PLAYER
            self._put(Browser(me.secret_hash, role, seat))

    def stand(self, secret: str) -> None:
        """The browser has no seat any more."""
        with self._lock:
            self._put(_standing(self._all[_hash(secret)]))

    def keep_seats(self, count: int) -> None:
        """Who sat beyond the first `count` seats watches."""
        with self._lock:
            for browser in tuple(self._all.values()):
                if browser.seat is not None and browser.seat >= count:
                    self._put(_standing(browser))

    def invite_anew(self) -> None:
        """The code and token that were shown let nobody in any more."""
        self.invitation = new_invitation(self.invitation.terminal)

    def listening(self, secret: str, change: int) -> None:
        """A stream of this browser opened (+1) or ended (-1)."""
        with self._lock:
            key = _hash(secret)
            self._streams[key] = self._streams.get(key, 0) + change
            self._heard[key] = self._now()

    def phones(self) -> dict[int, int]:
        """How many browsers listen for each seat."""
        with self._lock:
            found: dict[int, int] = {}
            for browser in self._all.values():
                if browser.seat is not None:
                    found.setdefault(browser.seat, 0)
                    found[browser.seat] += self._streams.get(browser.secret_hash, 0)
            return found

    def _knock(self, address: str) -> None:
        """The address has not asked too often; RefusedError otherwise."""
        limits = self._limits
        wrong_here = self._gate.count("wrong", address) >= limits.wrong_codes_per_minute
        wrong_all = self._gate.count("wrong") >= limits.wrong_codes_per_minute_in_all
        if wrong_here or wrong_all or self._gate.count("join", address) >= limits.joins_per_minute:
            raise RefusedError("error.too_many_tries")
        self._gate.note("join", address)

    def _is_heard(self, browser: Browser) -> bool:
        """It listens, or did a short while ago."""
        last = self._heard.get(browser.secret_hash, float("-inf"))
        recent = self._now() - last < self._limits.host_silent_s
        return recent or self._streams.get(browser.secret_hash, 0) > 0

    def _forget_one(self) -> bool:
        """The oldest browser without a seat and a stream is forgotten; whether there was one."""
        for key, browser in self._all.items():
            seated = browser.seat is not None or browser.role is Role.HOST
            if not seated and not self._streams.get(key):
                del self._all[key]
                return True
        return False

    def _put(self, browser: Browser) -> None:
        self._all[browser.secret_hash] = browser
        _write(self._path, msgspec.json.encode(tuple(self._all.values())))


def _standing(browser: Browser) -> Browser:
    role = Role.HOST if browser.role is Role.HOST else Role.SPECTATOR
    return Browser(browser.secret_hash, role)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _same(given: str | None, wanted: str) -> bool:
    """Compared in constant time."""
    return given is not None and secrets.compare_digest(
        given.encode("utf-8", "surrogatepass"), wanted.encode()
    )


def _read(path: Path) -> tuple[Browser, ...]:
    """Who had joined; nobody where the file is missing or broken: they join again."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Browser, ...])
    except (OSError, msgspec.MsgspecError):
        return ()


def _write(path: Path, content: bytes) -> None:
    """The file holds the content, whole or as before; a disk that refuses costs a new join."""
    fresh = path.with_suffix(".new")
    try:
        with fresh.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError:
        return
