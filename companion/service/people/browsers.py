"""All who joined: what each may do, who sits where, who asks for a seat, who is host.

Everything is answered from memory; the file follows in a thread of its own.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from companion.service.people.claims import Claims
from companion.service.people.gate import Gate, Invitation, Key
from companion.service.people.keeper import Keeper
from companion.service.people.kept import Row, encoded, read_kept, write_kept
from companion.service.people.moment import Moment, moment, passed_s
from companion.service.settings import Limits
from companion.service.wire import Claim, People, Person, Phone, Role, You
from companion.table import RefusedError

SEATS = 6
DAY_S = 24 * 3600
HEARD_EVERY_S = 3600.0
"""When somebody was last heard is written down so often, and when the service stops."""
STOP_S = 2.0
"""A disk that blocks is not waited for any longer when the service stops."""


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
        """What other phones call it; its secret does not follow from it."""
        return self.key[:12]


class Browsers:
    """All who joined, kept in one file over restarts; safe to use from several threads."""

    def __init__(
        self,
        folder: Path,
        limits: Limits,
        now: Callable[[], float] = time.monotonic,
        clock: Callable[[], Moment] = moment,
    ) -> None:
        self._limits, self._now, self._clock = limits, now, clock
        self._lock = threading.RLock()
        self._gate = Gate(limits, now)
        self._claims = Claims(limits.claim_s, now)
        self._streams: Counter[str] = Counter()
        self._addresses: dict[str, str] = {}
        self._seats = SEATS
        self._started = self._written = now()
        self._told = People()
        kept = read_kept(folder)
        self.lost = kept.lost
        """The file that could not be read, where everybody has to join again."""
        self._first_start = kept.first_start
        self._all = {row.secret_hash: _browser(row) for row in kept.rows}
        self._heard = {row.secret_hash: self._started - self._age(row) for row in kept.rows}
        self._keeper = Keeper(partial(write_kept, folder))
        self._forget_old()

    @property
    def invitation(self) -> Invitation:
        """What lets strangers in now."""
        return self._gate.invitation

    def you(self, secret: str | None) -> You:
        """What the holder of this cookie may do."""
        me = self._all.get(_hash(secret)) if secret else None
        if me is None:
            return You(role=Role.STRANGER)
        return You(
            role=me.role,
            seat=me.seat,
            id=me.id,
            before=me.before,
            asks=self._claims.seat(me.key),
            kept=self._claims.refused(me.key) if me.seat is None else None,
        )

    def join(self, address: str, token: str | None, code: str | None) -> tuple[str, Role]:
        """A new browser is known: its secret and role; RefusedError where it may not be."""
        with self._lock:
            key = self._gate.knock(address, token, code)
            self._make_room(address)
            secret = secrets.token_urlsafe(16)
            me = Browser(_hash(secret), Role.SPECTATOR)
            self._heard[me.key], self._addresses[me.key] = self._now(), address
            self._put(me)
            if self._makes_host(key):
                self._make_host(me)
            return secret, self._all[me.key].role

    def show_token(self, secret: str, token: str) -> None:
        """A browser that has joined shows a token: it may make it the host."""
        with self._lock:
            me, key = self._mine(secret), self.invitation.key(token, None)
            if key is not None and me.role is not Role.HOST and self._makes_host(key):
                self._make_host(me)

    def sit(self, secret: str, seat: int, *, take_over: bool) -> None:
        """The browser has the seat, or asks for it where somebody else holds it.

        A seat whose phone was silent for long goes over at once, and so does any to the host and
        to a browser that lost it by silence. RefusedError where it is taken and not to be taken
        over.
        """
        with self._lock:
            me, holder = self._mine(secret), self._holder(seat)
            self._heard[me.key] = self._now()
            if holder is None or holder.key == me.key:
                self._seat(me, seat)
            elif not take_over:
                raise RefusedError("error.seat_taken", outdated=True, seat=seat)
            elif self._yields(holder, me):
                self._take(me, holder, may_return=self._is_lost(holder) and not _returns(me, seat))
            else:
                self._claims.ask(me.key, seat)
            self._settle()

    def withdraw(self, secret: str) -> None:
        """The browser asks for no seat any more."""
        with self._lock:
            self._claims.drop(self._mine(secret).key)

    def answer(self, secret: str, asker: str, seat: int, *, give: bool) -> None:
        """The holder of the seat, or the host, gives it to the asker or keeps it."""
        with self._lock:
            me, holder, other = self._mine(secret), self._holder(seat), self._named(asker)
            if self._claims.seat(other.key) != seat or holder is None:
                raise RefusedError("error.no_claim", outdated=True)
            if me.role is not Role.HOST and me.key != holder.key:
                raise RefusedError("error.not_yours")
            if give:
                self._take(other, holder, told=me.key != holder.key)
            else:
                self._claims.refuse(other.key)
            self._settle()

    def stand(self, secret: str) -> None:
        """The browser has no seat any more, and asks for none."""
        with self._lock:
            me = self._mine(secret)
            self._claims.drop(me.key)
            self._put(_standing(me))
            self._settle()

    def hand_over(self, secret: str, to: str | None) -> None:
        """The host makes another browser host; a seated one (`to` None) replaces a lost host."""
        with self._lock:
            me = self._mine(secret)
            if to is None:
                self._may_replace(me)
                self._make_host(me)
                return
            other = self._named(to)
            if me.role is not Role.HOST:
                raise RefusedError("error.not_yours")
            if self._is_lost(other):
                raise RefusedError("error.phone_silent", outdated=True)
            self._make_host(other)

    def sign_out(self, secret: str, who: str | None) -> None:
        """The host removes one browser, or (None) all others; code and token change at once."""
        with self._lock:
            me = self._mine(secret)
            if me.role is not Role.HOST:
                raise RefusedError("error.not_yours")
            gone = [self._named(who)] if who is not None else list(self._all.values())
            if who is not None and gone[0].key == me.key:
                raise RefusedError("error.not_yourself")
            for browser in gone:
                if browser.key != me.key:
                    self._forget(browser.key)
            self._write()
            self.invite_anew()
            self._settle()

    def keep_seats(self, count: int | None = None) -> None:
        """So many seats can be taken, all without a number; who sat beyond them watches."""
        with self._lock:
            self._seats = SEATS if count is None else count
            for browser in tuple(self._all.values()):
                if browser.seat is not None and browser.seat >= self._seats:
                    self._put(_standing(browser))

    def begin_anew(self) -> None:
        """Another game: it has a code of its own, and who lost a seat in the last one has not."""
        with self._lock:
            self.invite_anew()
            self._claims.clear()
            for browser in tuple(self._all.values()):
                if browser.before is not None:
                    self._put(replace(browser, before=None, may_return=False))

    def invite_anew(self, *, is_open: bool | None = None) -> None:
        """The code and token that were shown let nobody in; while it is not `is_open`, none do."""
        self._gate.invitation = self.invitation.anew(is_open=is_open)

    def listening(self, secret: str, change: int, address: str | None = None) -> None:
        """A stream of this browser opened (+1) or ended (-1)."""
        with self._lock:
            key = _hash(secret)
            self._streams[key] += change
            if self._streams[key] <= 0:
                del self._streams[key]
            if key in self._all:
                self._heard[key] = self._now()
                if address is not None:
                    self._addresses[key] = address

    def phones(self) -> dict[int, int]:
        """How many browsers listen for each seat."""
        with self._lock:
            return {b.seat: self._streams[b.key] for b in self._all.values() if b.seat is not None}

    def people(self) -> People:
        """Who is here, for everybody to see."""
        with self._lock:
            host = self._host()
            return People(
                persons=tuple(self._person(browser) for browser in self._all.values()),
                claims=tuple(
                    Claim(by=self._all[key].id, seat=seat) for key, seat in self._claims.all()
                ),
                host=host.id if host is not None else None,
                host_lost=host is not None and self._host_is_lost(),
            )

    def tick(self) -> bool:
        """Time has passed: whether phones have something new to see. Called every second."""
        with self._lock:
            self._forget_old()
            self._settle()
            if self._now() - self._written >= HEARD_EVERY_S:
                self._write()
            before, self._told = self._told, self.people()
            return before != self._told

    def flush(self, within_s: float) -> bool:
        """Wait for the disk; False: it has not taken everything within so many seconds."""
        return self._keeper.flush(within_s)

    def close(self) -> None:
        """What is known is written, unless the disk refuses or blocks."""
        with self._lock:
            if self._all:
                self._write()
        self._keeper.close(STOP_S)

    def _mine(self, secret: str) -> Browser:
        me = self._all.get(_hash(secret))
        if me is None:
            raise RefusedError("error.not_joined")
        return me

    def _named(self, name: str) -> Browser:
        """The browser that other phones call so."""
        found = next((b for b in self._all.values() if b.id == name), None)
        if found is None:
            raise RefusedError("error.nobody", outdated=True)
        return found

    def _holder(self, seat: int) -> Browser | None:
        return next((b for b in self._all.values() if b.seat == seat), None)

    def _host(self) -> Browser | None:
        return next((b for b in self._all.values() if b.role is Role.HOST), None)

    def _silent_s(self, browser: Browser) -> float:
        """So long nothing listens for it; a restart of the service is not its silence."""
        if self._streams[browser.key]:
            return 0.0
        return self._now() - max(self._heard[browser.key], self._started)

    def _is_silent(self, browser: Browser, seconds: float) -> bool:
        return not self._streams[browser.key] and self._silent_s(browser) >= seconds

    def _is_lost(self, browser: Browser) -> bool:
        """It is silent for so long that its seat is free."""
        return self._is_silent(browser, self._limits.seat_silent_s)

    def _host_is_lost(self) -> bool:
        """There is no host, or it is silent for long."""
        host = self._host()
        return host is None or self._is_silent(host, self._limits.host_silent_s)

    def _makes_host(self, key: Key) -> bool:
        """The terminal replaces a lost host; the QR code makes the very first one, no other."""
        if key is Key.TERMINAL:
            return self._host_is_lost()
        return key is Key.QR and self._first_start and self._host() is None

    def _may_replace(self, me: Browser) -> None:
        """A seated browser may replace a lost host, not one that never was; RefusedError else."""
        if self._host() is None:
            raise RefusedError("error.host_from_terminal")
        if me.seat is None:
            raise RefusedError("error.only_watching")
        if not self._host_is_lost():
            raise RefusedError("error.host_is_here", outdated=True)

    def _make_host(self, me: Browser) -> None:
        """There is one host, this one."""
        host = self._host()
        if host is not None:
            self._put(replace(host, role=_role_at(host.seat)))
        self._put(replace(self._all[me.key], role=Role.HOST))
        self._first_start = False

    def _yields(self, holder: Browser, me: Browser) -> bool:
        """The seat goes over without asking."""
        assert holder.seat is not None
        return self._is_lost(holder) or me.role is Role.HOST or _returns(me, holder.seat)

    def _take(
        self, me: Browser, holder: Browser, *, told: bool = True, may_return: bool = False
    ) -> None:
        """The seat goes over; `told`: the holder's phone says so."""
        seat = holder.seat
        assert seat is not None
        if _returns(me, seat):
            self._end_returns(seat)
        lost = _standing(self._all[holder.key])
        self._put(replace(lost, before=seat, may_return=may_return) if told else lost)
        self._seat(self._all[me.key], seat)

    def _end_returns(self, seat: int) -> None:
        """Nobody else may return to this seat."""
        for browser in tuple(self._all.values()):
            if _returns(browser, seat):
                self._put(replace(browser, may_return=False))

    def _seat(self, me: Browser, seat: int) -> None:
        self._claims.drop(me.key)
        role = Role.HOST if me.role is Role.HOST else Role.PLAYER
        self._put(Browser(me.key, role, seat))

    def _settle(self) -> None:
        """Claims on seats that are free by now are met, those of browsers that went are dropped."""
        for key, seat in self._claims.all():
            me, holder = self._all.get(key), self._holder(seat)
            if me is None or seat >= self._seats or self._is_silent(me, self._limits.claim_s):
                self._claims.drop(key)
            elif holder is None:
                self._seat(me, seat)
            elif self._is_lost(holder):
                self._take(me, holder, may_return=True)

    def _make_room(self, address: str) -> None:
        """There is room for one more; RefusedError where all seats and places are in use.

        Who has a seat, and the host, are never forgotten. Of the others, those of an address that
        has many go first, silent ones before those that listen, the longest known first; and who
        listens goes only while there is a free seat for whoever comes.
        """
        unseated = [b for b in self._all.values() if b.seat is None and b.role is not Role.HOST]
        crowd = Counter(self._addresses.get(b.key, "") for b in unseated)
        if crowd[address] >= self._limits.unseated_per_address:
            unseated = [b for b in unseated if self._addresses.get(b.key) == address]
        elif len(self._all) < self._limits.browsers:
            return
        silent = [b for b in unseated if not self._streams[b.key]]
        if silent:
            self._forget(min(silent, key=lambda b: self._heard[b.key]).key)
        elif unseated and self._has_free_seat():
            # The first of the largest crowd: `max` keeps the order in which they joined.
            self._forget(max(unseated, key=lambda b: crowd[self._addresses.get(b.key, "")]).key)
        else:
            raise RefusedError("error.table_full")

    def _has_free_seat(self) -> bool:
        holders = (self._holder(seat) for seat in range(self._seats))
        return any(holder is None or self._is_lost(holder) for holder in holders)

    def _forget(self, key: str) -> None:
        """The cookie counts no more; the stream of its browser ends at the next view."""
        del self._all[key]
        self._heard.pop(key, None)
        self._addresses.pop(key, None)
        self._claims.forget(key)

    def _forget_old(self) -> None:
        """Who was not heard for `cookie_days` has to join again."""
        longest = self._limits.cookie_days * DAY_S
        old = [
            key
            for key, heard in self._heard.items()
            if self._now() - heard >= longest and not self._streams[key]
        ]
        for key in old:
            self._forget(key)
        if old:
            self._write()

    def _person(self, browser: Browser) -> Person:
        silent = self._silent_s(browser)
        if self._streams[browser.key]:
            phone = Phone.LIVE
        else:
            phone = Phone.LOST if self._is_lost(browser) else Phone.SILENT
        return Person(
            id=browser.id,
            role=browser.role,
            seat=browser.seat,
            phone=phone,
            silent_min=int(silent // 60),
        )

    def _put(self, browser: Browser) -> None:
        if self._all.get(browser.key) != browser:
            self._all[browser.key] = browser
            self._write()

    def _write(self) -> None:
        """The file will hold what is known now."""
        self._written = self._now()
        self._keeper.put(encoded(tuple(self._row(browser) for browser in self._all.values())))

    def _row(self, browser: Browser) -> Row:
        silent = 0.0 if self._streams[browser.key] else self._now() - self._heard[browser.key]
        return Row(
            secret_hash=browser.key,
            role=browser.role,
            seat=browser.seat,
            before=browser.before,
            may_return=browser.may_return,
            heard=self._clock().before(int(silent)),
        )

    def _age(self, row: Row) -> float:
        """Seconds since the browser of this row was last heard."""
        return passed_s(row.heard, self._clock()) if row.heard is not None else 0.0


def _browser(row: Row) -> Browser:
    return Browser(row.secret_hash, row.role, row.seat, row.before, row.may_return)


def _standing(browser: Browser) -> Browser:
    role = Role.HOST if browser.role is Role.HOST else Role.SPECTATOR
    return Browser(browser.key, role)


def _role_at(seat: int | None) -> Role:
    return Role.SPECTATOR if seat is None else Role.PLAYER


def _returns(me: Browser, seat: int) -> bool:
    """The browser lost this seat only because it was silent."""
    return me.before == seat and me.may_return


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
