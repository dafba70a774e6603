"""The addresses that phones are given: advertised, listened at, or found on the interfaces."""

from __future__ import annotations

import threading
from collections.abc import Callable
from ipaddress import IPv4Address
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.service.network.addresses import (
    IPAddress,
    needs_zone,
    parse_ip,
    url_of,
    without_port,
)
from companion.service.network.interfaces import for_phones, outgoing, own_addresses
from companion.service.settings import Settings
from companion.table.log import EventLog

KEY: Final = "address"
"""Of the state: the host that was chosen."""
_CHOSEN: Final = msgspec.json.Decoder(Annotated[str, Meta(max_length=64)])
MOST = 8
"""How many addresses are shown; a machine full of containers has dozens."""
CLOSING_S = 1.0
"""Seconds that `close` waits for a listing of interfaces that is under way."""
NOWHERE = IPv4Address("127.0.0.1")
"""The address shown where there is no network: the machine itself can still open it."""


class PhoneAddresses:
    """The addresses of one service, best first; safe to use from several threads.

    `refresh` lists the interfaces, `watch` does so on a thread of its own: it may block on the
    kernel, or on a terminal that takes no more text. All else uses the last list. What is chosen is
    kept in the state of `log`, if there is one.
    """

    def __init__(self, settings: Settings, log: EventLog | None = None) -> None:
        self._settings, self._log = settings, log
        self._lock = threading.Lock()
        self._subscribers: list[Callable[[], None]] = []
        self._chosen = log.state(KEY, _CHOSEN) if log is not None else None
        self._versions = _versions_listened_at(settings)
        self._hosts: tuple[IPAddress | str, ...] = (NOWHERE,)
        self._hosts = self._list_hosts()
        self._notified = self.urls
        self._wake, self._closed = threading.Event(), False
        self._watcher = threading.Thread(target=self._watch, name="addresses", daemon=True)

    @property
    def urls(self) -> tuple[str, ...]:
        """Every address by which phones may reach the service: the one on the QR code first."""
        if self._settings.advertise is not None:
            return (self._settings.advertise,)
        with self._lock:
            hosts, chosen = self._hosts, self._chosen
        first = sorted(hosts, key=lambda host: str(host) != chosen)
        return tuple(url_of(host, self._settings.port) for host in first)

    @property
    def best(self) -> str:
        """The address on the QR code."""
        return self.urls[0]

    @property
    def is_out_of_reach(self) -> bool:
        """Whether no phone can connect: there is no network but this machine's own."""
        with self._lock:
            return self._versions is not None and self._hosts == (NOWHERE,)

    def for_stranger(self, host: str, reached_at: str) -> str | None:
        """Return the URL to give a browser that came by an unknown host name.

        That is the advertised one, else the one that the connection was made to, never another: the
        owner of the host name may read the answer. None where that one leads no browser here:
        behind address translation, as for a container, it is not ours.
        """
        if self._settings.advertise is not None:
            return self._settings.advertise
        ip = parse_ip(reached_at)
        bare = without_port(host)
        translated = bare is not None and parse_ip(bare) is not None
        if ip is None or translated or needs_zone(ip):
            return None
        return url_of(ip, self._settings.port)

    def subscribe(self, follower: Callable[[], None]) -> None:
        """Call `follower` after `urls` has changed, on the thread that noticed it."""
        self._subscribers.append(follower)

    def refresh(self) -> None:
        """List the interfaces again: a cable, a hotspot or a lease may be new or gone."""
        hosts = self._list_hosts()
        with self._lock:
            self._hosts = hosts
        if self.urls != self._notified:
            self._notified = self.urls
            for follower in self._subscribers:
                follower()

    def watch(self) -> None:
        """Refresh every few seconds, and after each choice, until `close`."""
        self._watcher.start()

    def close(self) -> None:
        """Stop the thread of `watch`."""
        self._closed = True
        self._wake.set()
        if self._watcher.is_alive():
            self._watcher.join(CLOSING_S)

    def choose(self, url: str) -> bool:
        """Put this one of `urls` on the QR code for as long as it exists; False if it does not."""
        with self._lock:
            hosts = {url_of(host, self._settings.port): host for host in self._hosts}
            if self._settings.advertise is not None or url not in hosts:
                return False
            self._chosen = str(hosts[url])
            if self._log is not None:
                self._log.put_state(KEY, self._chosen)
        self._wake.set()
        return True

    def _watch(self) -> None:
        while not self._closed:
            self._wake.wait(self._settings.limits.look_s)
            self._wake.clear()
            if not self._closed:
                self.refresh()

    def _list_hosts(self) -> tuple[IPAddress | str, ...]:
        """Return the hosts for phones, best first; the last ones where listing fails."""
        if self._versions is None:
            return (parse_ip(self._settings.host) or self._settings.host,)
        try:
            found = for_phones(own_addresses(), outgoing())
        except (OSError, ValueError, AssertionError):
            return self._hosts
        listened = (ip for ip in found if ip.version in self._versions)
        return tuple(listened)[:MOST] or (NOWHERE,)


def _versions_listened_at(settings: Settings) -> frozenset[int] | None:
    """Return the IP versions of which the service listens at every address; None where it listens
    at one address, or an address is advertised.
    """
    ip = parse_ip(settings.host)
    if settings.advertise is not None or ip is None or not ip.is_unspecified:
        return None
    return frozenset({4}) if ip.version == 4 else frozenset({4, 6})
