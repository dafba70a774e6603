"""The addresses of this machine: how names, IP addresses and URLs are read and compared, and which
ones phones are given.
"""

from __future__ import annotations

import fcntl
import re
import socket
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Annotated, Final
from urllib.parse import urlsplit

import ifaddr
import msgspec
from msgspec import Meta

from companion.service.settings import Settings
from companion.service.workers import Workers
from companion.table.log import EventLog

IPAddress = IPv4Address | IPv6Address

LAN_SUFFIXES = ("local", "lan", "home", "home.arpa", "internal", "localdomain")
"""Domains that home routers give to machines. None can be anybody's public domain, so no foreign
site can point one of them here. `fritz.box` is left out: `.box` is a public domain."""
PORTS = {"http": 80, "https": 443}
LONGEST_HOST = 253
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""Browsers parse a name that ends in such a label as an IPv4 address."""
GET_FLAGS = 0x8913
"""SIOCGIFFLAGS of Linux."""
POINT_TO_POINT, RUNNING = 0x10, 0x40
IS_VIRTUAL = re.compile(
    r"(br-|cali|cni|docker|dummy|flannel|hassio|ifb|incusbr|kube|lxc|lxd|nerdctl|podman|tailscale|tap"
    r"|tun|utun|vboxnet|veth|virbr|vmnet|vnet|vxlan|wg|zt)"
)
"""How containers, virtual machines and VPNs name their interfaces: no phone is behind them."""
TEST_NET = "198.51.100.1"
"""An address for documentation (RFC 5737): only a default route leads to it."""
KEY: Final = "address"
"""Of the state: the host that was chosen."""
_CHOSEN: Final = msgspec.json.Decoder(Annotated[str, Meta(max_length=64)])
MOST = 8
"""How many addresses are shown; a machine full of containers has dozens."""
LOOPBACK: Final = IPv4Address("127.0.0.1")
"""The address shown if there is no network: the machine itself can still open it."""


def parse_ip(text: str) -> IPAddress | None:
    """Return the text as an IP address, without brackets and zone; None if it is a name.

    An IPv4-mapped IPv6 address (`::ffff:192.168.1.5`, as sockets for both report it) is returned as
    IPv4.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        ip = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return mapped or ip


def needs_zone(ip: IPAddress) -> bool:
    """Whether it is a link-local IPv6 address, which no browser can open: URLs take no zone."""
    return ip.version == 6 and ip.is_link_local


def canonical_address(address: str) -> str:
    """Return a peer's address in the one form in which addresses are compared and counted."""
    ip = parse_ip(address)
    return address if ip is None else str(ip)


def in_url(host: IPAddress | str) -> str:
    """Return the host as written in a URL: IPv6 in brackets."""
    return f"[{host}]" if isinstance(host, IPv6Address) else str(host)


def url_of(host: IPAddress | str, port: int) -> str:
    """Return the URL of this service at that host."""
    return f"http://{in_url(host)}" + ("" if port == PORTS["http"] else f":{port}")


def host_name(text: str) -> str:
    """Return a host name or IP address in canonical form; ValueError if it is neither."""
    ip = parse_ip(text.strip())
    if ip is not None:
        if ip.is_unspecified or ip.is_multicast:
            raise ValueError(text)
        return str(ip)
    name = text.strip().lower().rstrip(".")
    labels = name.split(".")
    if len(name) > LONGEST_HOST or NUMERIC.fullmatch(labels[-1]):
        raise ValueError(text)
    if not all(LABEL.fullmatch(label) for label in labels):
        raise ValueError(text)
    return name


def advertised(text: str) -> str:
    """Return the advertised URL in canonical form; ValueError if it is none.

    It has `http` or `https`, a name or IP address, a port if it is not the default, and no path.
    """
    text = text.strip()
    parts = urlsplit(text)
    host = host_name(parts.hostname or "")
    ip = parse_ip(host)
    bracketed = "[" in parts.netloc and ip is None
    if parts.scheme not in PORTS or "@" in text or bracketed or parts.port == 0:
        raise ValueError(text)
    if ip is not None and needs_zone(ip):
        raise ValueError(text)
    if parts.path not in {"", "/"} or "?" in text or "#" in text or not text.isprintable():
        raise ValueError(text)
    port = "" if parts.port in {None, PORTS[parts.scheme]} else f":{parts.port}"
    return f"{parts.scheme}://{in_url(ip or host)}{port}"


def own_names(extra: tuple[str, ...] = ()) -> frozenset[str]:
    """Return what a Host header may carry: names in lower case, and the IP addresses in `extra`."""
    name = socket.gethostname().lower()
    short = name.split(".", 1)[0]
    in_the_lan = {f"{short}.{suffix}" for suffix in LAN_SUFFIXES}
    return frozenset({"localhost", name, short, *in_the_lan, *map(host_name, extra)})


def host_is_ours(host: str, names: frozenset[str], reached_at: str) -> bool:
    """Whether a Host header (with or without port) names this machine.

    An IP address must be the one the connection was made to (`reached_at`), or one of `names`; then
    no name was involved that somebody else's name server could have pointed here (DNS rebinding).
    """
    bare = without_port(host.strip().lower())
    if bare is None:
        return False
    ip = parse_ip(bare)
    if ip is None:
        return bare.rstrip(".") in names
    return ip.is_loopback or ip == parse_ip(reached_at) or str(ip) in names


def without_port(host: str) -> str | None:
    """Return the name or IP address, IPv6 in brackets; None if the port is malformed."""
    end = host.find("]") + 1 if host.startswith("[") else host.find(":")
    name, rest = (host[:end], host[end:]) if end > 0 else (host, "")
    well_formed = rest == "" or (rest[0] == ":" and (rest[1:] == "" or rest[1:].isdecimal()))
    return name if name and well_formed else None


@dataclass(frozen=True, slots=True)
class InterfaceAddress:
    """One address of an interface; `flags` are the kernel's (IFF_…)."""

    ip: IPAddress
    prefix: int
    interface: str
    flags: int = RUNNING

    @property
    def is_idle(self) -> bool:
        """Whether the interface has no link: its cable is out, or no bridge port is up."""
        return not self.flags & RUNNING

    @property
    def is_virtual(self) -> bool:
        """Whether it is a tunnel, or a network inside this machine. An IPv4 address alone in its
        network (prefix 32) counts as one.
        """
        alone = self.ip.version == 4 and self.prefix == 32
        tunnel = bool(self.flags & POINT_TO_POINT)
        return tunnel or alone or IS_VIRTUAL.match(self.interface) is not None


def own_addresses() -> tuple[InterfaceAddress, ...]:
    """Return every address of every interface, as the kernel lists them; OSError if it fails."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        return tuple(
            InterfaceAddress(
                _listed(each.ip), each.network_prefix, adapter.name, _flags(asking, adapter.name)
            )
            for adapter in ifaddr.get_adapters()
            for each in adapter.ips
        )


def outgoing() -> IPAddress | None:
    """Return the IPv4 address of the default route; None without one. No packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((TEST_NET, 9))
        except OSError:
            return None
        return ip_address(str(probe.getsockname()[0]))


def for_phones(
    found: Iterable[InterfaceAddress], preferred: IPAddress | None = None
) -> tuple[IPAddress, ...]:
    """Return the IP addresses that phones can open, the likeliest first.

    Real networks come before virtual and idle ones, IPv4 before IPv6, private addresses before
    public ones, and `preferred` before its equals. Loopback is left out, and so are link-local
    IPv6 addresses: they need a zone, which browsers do not take.
    """
    usable = [
        one
        for one in found
        if not (one.ip.is_loopback or one.ip.is_unspecified or needs_zone(one.ip))
    ]
    usable.sort(key=lambda one: (*_rank(one), one.ip != preferred))
    return tuple(dict.fromkeys(one.ip for one in usable))


def _rank(one: InterfaceAddress) -> tuple[bool, bool, bool, int, bool]:
    ip = one.ip
    return (
        one.is_idle,
        one.is_virtual,
        ip.is_link_local,
        ip.version,
        not ip.is_private,
    )


def _listed(listed: str | tuple[str, int, int]) -> IPAddress:
    """Return the address as `ifaddr` lists it: IPv4 as text, IPv6 with flow label and scope."""
    return ip_address(listed if isinstance(listed, str) else listed[0])


def _flags(asking: socket.socket, interface: str) -> int:
    """Return the kernel's flags; 0 if the interface has gone meanwhile."""
    name = interface.encode()[:15]
    try:
        answer = fcntl.ioctl(asking, GET_FLAGS, struct.pack("16sH22x", name, 0))
    except OSError:
        return 0
    return int(struct.unpack_from("H", answer, 16)[0])


class PhoneAddresses:
    """The addresses of one service, best first; safe to use from several threads, since all that
    they share is replaced, never changed.

    `refresh` lists the interfaces, `tick` has a thread of its own do so: it may block on the
    kernel, or on a terminal that takes no more text. All else uses the last list. What is chosen is
    kept in the state of `log`, if there is one.
    """

    def __init__(self, settings: Settings, log: EventLog | None = None) -> None:
        self._settings, self._log = settings, log
        self._subscribers: list[Callable[[], None]] = []
        self._chosen = log.state(KEY, _CHOSEN) if log is not None else None
        self._versions = _versions_listened_at(settings)
        self._hosts: tuple[IPAddress | str, ...] = (LOOPBACK,)
        self._hosts = self._list_hosts()
        self._notified = self.urls
        self._workers, self._next_s = Workers("addresses", 1), 0.0

    @property
    def urls(self) -> tuple[str, ...]:
        """Every address by which phones may reach the service: the one on the QR code first."""
        if self._settings.advertise is not None:
            return (self._settings.advertise,)
        first = sorted(self._hosts, key=lambda host: str(host) != self._chosen)
        return tuple(url_of(host, self._settings.port) for host in first)

    @property
    def best(self) -> str:
        """The address on the QR code."""
        return self.urls[0]

    @property
    def is_out_of_reach(self) -> bool:
        """Whether no phone can connect: there is no network but this machine's own."""
        return self._versions is not None and self._hosts == (LOOPBACK,)

    def for_stranger(self, host: str, reached_at: str) -> str | None:
        """Return the URL to give a browser that came by an unknown host name.

        That is the advertised one, else the one that the connection was made to, never another: the
        owner of the host name may read the answer. None if that one leads no browser here:
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
        self._hosts = self._list_hosts()
        if self.urls != self._notified:
            self._notified = self.urls
            for follower in self._subscribers:
                follower()

    def tick(self) -> None:
        """Refresh every few seconds. Called every second."""
        if (now := time.monotonic()) >= self._next_s:
            self._next_s = now + self._settings.limits.look_s
            self._workers.do_if_idle(self.refresh)

    def choose(self, url: str) -> bool:
        """Put this one of `urls` on the QR code for as long as it exists; False if it does not."""
        hosts = {url_of(host, self._settings.port): host for host in self._hosts}
        if self._settings.advertise is not None or url not in hosts:
            return False
        self._chosen = str(hosts[url])
        if self._log is not None:
            self._log.put_state(KEY, self._chosen)
        self._workers.do_if_idle(self.refresh)
        return True

    def _list_hosts(self) -> tuple[IPAddress | str, ...]:
        """Return the hosts for phones, best first; the last ones if listing fails."""
        if self._versions is None:
            return (parse_ip(self._settings.host) or self._settings.host,)
        try:
            found = for_phones(own_addresses(), outgoing())
        except (OSError, ValueError, AssertionError):
            return self._hosts
        listened = (ip for ip in found if ip.version in self._versions)
        return tuple(listened)[:MOST] or (LOOPBACK,)


def _versions_listened_at(settings: Settings) -> frozenset[int] | None:
    """Return the IP versions of which the service listens at every address; None if it listens
    at one address, or an address is advertised.
    """
    ip = parse_ip(settings.host)
    if settings.advertise is not None or ip is None or not ip.is_unspecified:
        return None
    return frozenset({4}) if ip.version == 4 else frozenset({4, 6})
