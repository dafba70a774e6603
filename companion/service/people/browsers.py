"""All browsers that joined: what each may do, who sits where, who asks for a seat, who is host.

Everything is answered from memory; the state of the log keeps it over restarts.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from companion.engine import MOST_SEATS, SeatIndex
from companion.service.people.gate import Gate, Invitation, Key
from companion.service.settings import Limits
from companion.service.wire import Claim, People, Person, Phone, Role, You
from companion.table import RefusedError
from companion.table.log import EventLog

KEY: Final = "browsers"
"""Of the state of the log."""
MOST_ROWS: Final = 1000
COOKIE_S: Final = 30 * 24 * 3600
"""Seconds after which a browser that was not seen has to join again."""
BACK_S: Final = 60.0
"""Seconds within which a browser that joined must show its cookie: one that blocks cookies never
does, and joins again as another.
"""
LONGEST_MIN: Final = 99
"""The most minutes of silence that phones are sent: views do not change for ever."""
WRITE_SEEN_EVERY_S: Final = 3600.0
"""How often the time when each browser was last seen is written; also when the service stops."""
RESET_S: Final = 60.0
"""By how much the clock is set when they are written at once: with old times a restart would forget
everybody."""
HEARD_S: Final = 20.0
"""Time without a stream for which a phone still counts as there: it slept, or changed networks."""
CLAIM_S: Final = 60.0
"""Time without a stream after which a claim is dropped, and after which one that was refused may be
made again."""


class Browser(msgspec.Struct, frozen=True):
    """One browser that joined, known by the hash of its secret."""

    key: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    role: Role
    seat: SeatIndex | None = None
    before: SeatIndex | None = None
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


_ROWS: Final = msgspec.json.Decoder(
    Annotated[tuple[tuple[Browser, float], ...], Meta(max_length=MOST_ROWS)]
)
"""Browsers, each with the time in seconds when it was last seen, by the wall clock."""


@dataclass(slots=True)
class _Contact:
    """When a browser was last seen, how many streams it has, and from which address. `is_back`: it
    has shown its cookie since it joined.
    """

    last: float
    streams: int = 0
    address: str = ""
    is_back: bool = False


class Browsers:
    """All browsers that joined, kept over restarts; safe to use from several threads.

    `now` counts seconds and never goes back; `clock` is the wall's, for what is kept.
    """

    def __init__(
        self,
        log: EventLog,
        limits: Limits,
        now: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._log, self._limits, self._now, self._clock = log, limits, now, clock
        self._lock = threading.RLock()
        self._gate = Gate(limits, now)
        self._claims: dict[str, int] = {}
        """The seats that browsers ask for, the oldest claim first."""
        self._kept: dict[str, tuple[int, float]] = {}
        """The seat that each browser was refused last, and when."""
        self._table: str | None = None
        self._rev, self._seats = 0, MOST_SEATS
        self._monsters = self._players = tuple[str, ...]()
        self._started = self._written = now()
        self._offset = clock() - self._started
        rows = log.state(KEY, _ROWS) or ()
        self._first_start = not rows
        self._all: dict[str, Browser] = {browser.key: browser for browser, _ in rows}
        self._contacts = {
            browser.key: _Contact(now() - max(0.0, clock() - seen), is_back=True)
            for browser, seen in rows
        }
        self._forget_old()

    @property
    def invitation(self) -> Invitation:
        """What lets strangers in now."""
        return self._gate.invitation

    def you(self, secret: str | None) -> You:
        """Return what the holder of this cookie may do."""
        me = self._all.get(hashed(secret)) if secret else None
        if me is None:
            return You(role=Role.STRANGER)
        return You(
            role=me.role,
            seat=me.seat,
            id=me.id,
            before=me.before,
            asks=self._claims.get(me.key),
            kept=self._kept.get(me.key, (None,))[0] if me.seat is None else None,
        )

    def recognize(self, secret: str | None) -> You:
        """Return what the sender of this cookie may do; from now on it is known to keep cookies."""
        contact = self._contacts.get(hashed(secret)) if secret else None
        if contact is not None:
            contact.is_back = True
        return self.you(secret)

    def join(self, address: str, token: str | None, code: str | None) -> tuple[str, Role]:
        """Add a browser; return its secret and role; RefusedError if it may not join."""
        with self._lock:
            key = self._gate.check(address, token, code)
            self._make_room(address)
            secret = secrets.token_urlsafe(16)
            me = Browser(hashed(secret), Role.SPECTATOR)
            self._contacts[me.key] = _Contact(self._now(), address=address)
            self._store(me)
            if self._makes_host(key):
                self._make_host(me)
            return secret, self._all[me.key].role

    def show_token(self, secret: str, token: str) -> None:
        """Accept a token from a browser that has joined; it may make it the host."""
        with self._lock:
            me, key = self._by_secret(secret), self.invitation.key(token, None)
            if key is not None and me.role is not Role.HOST and self._makes_host(key):
                self._make_host(me)

    def sit(self, secret: str, seat: int, *, take_over: bool) -> None:
        """Give the browser the seat, or file its claim if somebody else holds it.

        A seat whose phone was silent for long goes over at once, and so does any to the host and
        to a browser that lost it by silence. RefusedError if there is no such seat, or it is
        taken and not to be taken over.
        """
        with self._lock:
            if seat >= self._seats:
                raise RefusedError("error.no_such_seat", outdated=True, seat=seat)
            me, holder = self._by_secret(secret), self._holder(seat)
            self._contacts[me.key].last = self._now()
            if holder is None or holder.key == me.key:
                self._seat(me, seat)
            elif not take_over:
                raise RefusedError("error.seat_taken", outdated=True, seat=seat)
            elif (is_lost := self._is_lost(holder)) or me.role is Role.HOST or me.returns(seat):
                self._transfer_seat(me, holder, may_return=is_lost and not me.returns(seat))
            else:
                self._ask(me.key, seat)
            self._settle()

    def _ask(self, key: str, seat: int) -> None:
        """Replace the browser's claim; RefusedError if it was refused a short while ago."""
        kept, at = self._kept.get(key, (None, 0.0))
        if kept == seat and self._now() - at < CLAIM_S:
            raise RefusedError("error.seat_kept", outdated=True, seat=seat)
        self._kept.pop(key, None)
        if self._claims.get(key) != seat:
            self._claims.pop(key, None)
            self._claims[key] = seat

    def withdraw(self, secret: str) -> None:
        """Drop the browser's claim."""
        with self._lock:
            self._claims.pop(self._by_secret(secret).key, None)

    def answer(self, secret: str, asker: str, seat: int, *, give: bool) -> None:
        """Give the seat to the asker, or keep it, as its holder or the host decides."""
        with self._lock:
            me, holder, other = self._by_secret(secret), self._holder(seat), self._named(asker)
            if self._claims.get(other.key) != seat or holder is None:
                raise RefusedError("error.no_claim", outdated=True)
            if me.role is not Role.HOST and me.key != holder.key:
                raise RefusedError("error.not_yours")
            if give:
                self._transfer_seat(other, holder, show_it=me.key != holder.key)
            else:
                self._kept[other.key] = (self._claims.pop(other.key), self._now())
            self._settle()

    def leave_seat(self, secret: str) -> None:
        """Free the browser's seat and drop its claim."""
        with self._lock:
            me = self._by_secret(secret)
            self._claims.pop(me.key, None)
            self._store(me.at(None))
            self._settle()

    def hand_over(self, secret: str, to: str | None) -> None:
        """Make another browser host; a seated one (`to` None) replaces a lost host."""
        with self._lock:
            me = self._by_secret(secret)
            if to is None:
                self._check_may_replace(me)
                self._make_host(me)
                return
            other = self._named(to)
            if me.role is not Role.HOST:
                raise RefusedError("error.not_yours")
            if self._is_lost(other):
                raise RefusedError("error.phone_silent", outdated=True)
            self._make_host(other)

    def sign_out(self, secret: str, who: str | None) -> None:
        """Remove one browser, or (None) all others; code and token change at once."""
        with self._lock:
            me = self._by_secret(secret)
            gone = [self._named(who)] if who is not None else list(self._all.values())
            if who is not None and gone[0].key == me.key:
                raise RefusedError("error.not_yourself")
            for browser in gone:
                if browser.key != me.key:
                    self._forget(browser.key)
            self._write()
            self.renew_invitation()
            self._settle()

    def follow(
        self,
        table: str,
        rev: int,
        monsters: tuple[str, ...],
        seats: int | None,
        players: tuple[str, ...] = (),
    ) -> None:
        """Note the Monsters of all seats, their players, and how many seats can be taken, or
        any (None).

        Browsers stay with the seat of their Monster, and in another game with that of their player.
        Another game has a code of its own, and who lost a seat in the last one did not lose it in
        this one.
        """
        with self._lock:
            if table == self._table and rev < self._rev:
                return  # another thread has reported a newer revision already
            if table == self._table:
                self._move(self._monsters, monsters)
            elif self._table is not None:
                if "" not in (*players, *self._players) and set(players) & set(self._players):
                    self._move(self._players, players)
                self._start_new_table()
            self._table, self._rev, self._monsters, self._players = table, rev, monsters, players
            self._seats = MOST_SEATS if seats is None else seats
            for browser in tuple(self._all.values()):
                if browser.seat is not None and browser.seat >= self._seats:
                    self._store(browser.at(None))

    def renew_invitation(self, *, is_open: bool | None = None) -> None:
        """Replace code and token; with `is_open` false nobody can join."""
        self._gate.invitation = self.invitation.renewed(is_open=is_open)

    def count_stream(self, secret: str, change: int, address: str | None = None) -> None:
        """Count a stream of this browser as opened (+1) or ended (-1)."""
        with self._lock:
            contact = self._contacts.get(hashed(secret))
            if contact is not None:
                contact.streams, contact.is_back = max(0, contact.streams + change), True
                contact.last = self._now()
                contact.address = address or contact.address

    def phones(self) -> dict[int, int]:
        """Return how many browsers listen for each seat; one that was heard of just now counts."""
        with self._lock:
            return {
                b.seat: self._contacts[b.key].streams or int(self._is_there(b.key))
                for b in self._all.values()
                if b.seat is not None
            }

    def addresses(self) -> set[str]:
        """Return the addresses from which somebody listens."""
        with self._lock:
            return {one.address for one in self._contacts.values() if one.streams}

    def people(self) -> People:
        """Return who is here, for everybody to see."""
        with self._lock:
            host = self._host()
            return People(
                persons=tuple(self._person(browser) for browser in self._all.values()),
                claims=tuple(
                    Claim(by=self._all[key].id, seat=seat) for key, seat in self._claims.items()
                ),
                host=host.id if host is not None else None,
                host_lost=host is not None and self._host_is_lost(),
            )

    def tick(self) -> None:
        """Apply what time alone changes. Called every second."""
        with self._lock:
            self._forget_old()
            self._settle()
            is_reset = abs(self._clock() - self._now() - self._offset) > RESET_S
            if is_reset or self._now() - self._written >= WRITE_SEEN_EVERY_S:
                self._write()

    def close(self) -> None:
        """Keep when everybody was last seen."""
        with self._lock:
            if self._all:
                self._write()

    def _move(self, before: tuple[str, ...], now: tuple[str, ...]) -> None:
        if before == now:
            return
        for key, seat in tuple(self._claims.items()):
            if new_seat(seat, before, now) != seat:
                self._claims.pop(key, None)
        for browser in tuple(self._all.values()):
            moved = browser.at(new_seat(browser.seat, before, now))
            lost = new_seat(browser.before, before, now)
            self._store(replace(moved, before=lost, may_return=browser.may_return))

    def _start_new_table(self) -> None:
        """Renew the invitation, and drop what belongs to the last game: claims, lost seats."""
        self.renew_invitation()
        self._claims.clear()
        self._kept.clear()
        for browser in tuple(self._all.values()):
            if browser.before is not None:
                self._store(replace(browser, before=None, may_return=False))

    def _by_secret(self, secret: str) -> Browser:
        me = self._all.get(hashed(secret))
        if me is None:
            raise RefusedError("error.not_joined")
        return me

    def _named(self, name: str) -> Browser:
        """Return the browser by the name that other phones use."""
        found = next((b for b in self._all.values() if b.id == name), None)
        if found is None:
            raise RefusedError("error.nobody", outdated=True)
        return found

    def _holder(self, seat: int) -> Browser | None:
        return next((b for b in self._all.values() if b.seat == seat), None)

    def _host(self) -> Browser | None:
        return next((b for b in self._all.values() if b.role is Role.HOST), None)

    def _is_lost(self, browser: Browser) -> bool:
        """Whether it has been silent for so long that its seat is free."""
        return self._is_silent(browser.key, self._limits.seat_silent_s)

    def _host_is_lost(self) -> bool:
        """Whether there is no host, or it has been silent for long."""
        host = self._host()
        return host is None or self._is_silent(host.key, self._limits.host_silent_s)

    def _makes_host(self, key: Key) -> bool:
        """Whether joining by this key makes a host: the terminal's replaces a lost host; the QR
        code makes the very first one, and the next if the cookie of the last has expired.
        """
        if key is Key.TERMINAL:
            return self._host_is_lost()
        return key is Key.QR and self._first_start and self._host() is None

    def _check_may_replace(self, me: Browser) -> None:
        """Check that a seated browser may replace the host: a lost one, not one that never was."""
        if self._host() is None:
            raise RefusedError("error.host_from_terminal")
        if me.seat is None:
            raise RefusedError("error.only_watching")
        if not self._host_is_lost():
            raise RefusedError("error.host_is_here", outdated=True)

    def _make_host(self, me: Browser) -> None:
        former = self._host()
        if former is not None and former.key != me.key:
            plain = Role.SPECTATOR if former.seat is None else Role.PLAYER
            self._store(replace(former, role=plain), replace(me, role=Role.HOST))
        else:
            self._store(replace(me, role=Role.HOST))
        self._first_start = False

    def _transfer_seat(
        self, me: Browser, holder: Browser, *, show_it: bool = True, may_return: bool = False
    ) -> None:
        """Give the seat to another browser; `show_it`: the former holder's phone shows that."""
        seat = holder.seat
        assert seat is not None
        if me.returns(seat):
            others = [one for one in self._all.values() if one.returns(seat)]
            self._store(*(replace(one, may_return=False) for one in others))
        lost = holder.at(None)
        if show_it:
            lost = replace(lost, before=seat, may_return=may_return)
        self._claims.pop(me.key, None)
        self._store(lost, me.at(seat))

    def _seat(self, me: Browser, seat: int) -> None:
        self._claims.pop(me.key, None)
        self._store(me.at(seat))

    def _settle(self) -> None:
        """Grant claims on seats that are free by now; drop claims of browsers that went."""
        for key, seat in tuple(self._claims.items()):
            me, holder = self._all.get(key), self._holder(seat)
            if me is None or seat >= self._seats or self._is_silent(me.key, CLAIM_S):
                self._claims.pop(key, None)
            elif holder is None:
                self._seat(me, seat)
            elif self._is_lost(holder):
                self._transfer_seat(me, holder, may_return=True)

    def _make_room(self, address: str) -> None:
        """Remove a browser so that one more fits; RefusedError if none may go.

        Browsers with a seat, and the host, are never removed. Silent ones go before those that
        listen; of these, one of the address that has most, the longest known first. One that
        listens goes only while a seat is free, or for an address that would have fewer than its
        own.
        """
        if len(self._all) < self._limits.browsers:
            return
        unseated = [b.key for b in self._all.values() if b.seat is None and b.role is not Role.HOST]
        crowd = Counter(self._contacts[key].address for key in unseated)

        def rank(key: str) -> tuple[bool, int, float]:
            contact = self._contacts[key]
            listens = contact.streams > 0
            return listens, -crowd[contact.address], 0.0 if listens else contact.last

        first = min(unseated, key=rank, default=None)
        listens, others, _ = rank(first) if first is not None else (True, 0, 0.0)
        is_kept = listens and not self._has_free_seat() and -others <= crowd[address] + 1
        if first is None or is_kept:
            raise RefusedError("error.table_full")
        self._forget(first)

    def _has_free_seat(self) -> bool:
        holders = (self._holder(seat) for seat in range(self._seats))
        return any(holder is None or self._is_lost(holder) for holder in holders)

    def _forget(self, key: str) -> None:
        """Remove the browser; its stream ends with the next view."""
        del self._all[key]
        del self._contacts[key]
        self._claims.pop(key, None)
        self._kept.pop(key, None)

    def _forget_old(self) -> None:
        """Remove browsers that were not seen for `COOKIE_S`, or never came back (`BACK_S`)."""
        old = [key for key in self._all if self._age_s(key) >= self._kept_s(key)]
        host = self._host()
        # Else a group that comes back after a month would need the terminal's token for a host.
        self._first_start |= host is not None and host.key in old
        for key in old:
            self._forget(key)
        if old:
            self._write()

    def _person(self, browser: Browser) -> Person:
        phone = Phone.LIVE if self._is_there(browser.key) else Phone.SILENT
        return Person(
            id=browser.id,
            role=browser.role,
            seat=browser.seat,
            phone=Phone.LOST if self._is_lost(browser) else phone,
            silent_min=min(LONGEST_MIN, int(self._silent_s(browser.key) // 60)),
        )

    def _store(self, *browsers: Browser) -> None:
        """Replace these browsers, all of them or none."""
        changed = {one.key: one for one in browsers if self._all.get(one.key) != one}
        if changed:
            self._all.update(changed)
            self._write()

    def _write(self) -> None:
        self._written, now = self._now(), self._clock()
        self._offset = now - self._written
        rows = ((browser, now - self._age_s(key)) for key, browser in self._all.items())
        self._log.put_state(KEY, tuple(rows))

    def _age_s(self, key: str) -> float:
        """Return the seconds since it was last seen, restarts of the service included."""
        contact = self._contacts[key]
        return 0.0 if contact.streams else self._now() - contact.last

    def _kept_s(self, key: str) -> float:
        return COOKIE_S if self._contacts[key].is_back else BACK_S

    def _silent_s(self, key: str) -> float:
        """Return the seconds without a stream, counted only while the service ran."""
        return min(self._age_s(key), self._now() - self._started)

    def _is_there(self, key: str) -> bool:
        """Whether it listens, or was heard of just now."""
        return self._age_s(key) < HEARD_S

    def _is_silent(self, key: str, seconds: float) -> bool:
        return not self._contacts[key].streams and self._silent_s(key) >= seconds


def hashed(secret: str) -> str:
    """Return the key of the browser that holds this secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def new_seat(seat: int | None, before: tuple[str, ...], now: tuple[str, ...]) -> int | None:
    """Return the seat's number after the table was changed before a game; None if it was removed.

    Seats are matched by Monster. One that only got another Monster keeps its number, and so does
    one without a Monster yet.
    """
    if seat is None:
        return None
    if seat >= len(before):
        return seat if seat >= len(now) or now[seat] not in before else None
    if before[seat] in now:
        return now.index(before[seat])
    stays = len(now) == len(before) and now[seat] not in before
    return seat if stays else None
