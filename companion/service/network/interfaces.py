"""The addresses of this machine's network interfaces, those that phones can reach first."""

from __future__ import annotations

import fcntl
import re
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address

import ifaddr

from companion.service.network.addresses import IPAddress, needs_zone

GET_FLAGS = 0x8913
"""SIOCGIFFLAGS of Linux."""
POINT_TO_POINT, RUNNING = 0x10, 0x40
IS_VIRTUAL = re.compile(
    r"(br-|cali|cni|docker|dummy|flannel|hassio|ifb|incusbr|kube|lxc|lxd|nerdctl|podman|tailscale|tap"
    r"|tun|utun|vboxnet|veth|virbr|vmnet|vnet|vxlan|wg|zt)"
)
"""How containers, virtual machines and VPNs name their interfaces: no phone is behind them."""
SOMEWHERE = "198.51.100.1"
"""An address for documentation (RFC 5737): only a default route leads to it."""


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
    """Return every address of every interface, as the kernel lists them; OSError where
    that fails.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        return tuple(
            InterfaceAddress(
                _parse_ip(each.ip), each.network_prefix, adapter.name, _flags(asking, adapter.name)
            )
            for adapter in ifaddr.get_adapters()
            for each in adapter.ips
        )


def outgoing() -> IPAddress | None:
    """Return the IPv4 address of the default route; None without one. No packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((SOMEWHERE, 9))
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
    usable = [one for one in found if not _is_unusable(one.ip)]
    usable.sort(key=lambda one: (*_rank(one), one.ip != preferred))
    return tuple(dict.fromkeys(one.ip for one in usable))


def _is_unusable(ip: IPAddress) -> bool:
    return ip.is_loopback or ip.is_unspecified or needs_zone(ip)


def _rank(one: InterfaceAddress) -> tuple[bool, bool, bool, int, bool]:
    ip = one.ip
    return (
        one.is_idle,
        one.is_virtual,
        ip.is_link_local,
        ip.version,
        not ip.is_private,
    )


def _parse_ip(listed: str | tuple[str, int, int]) -> IPAddress:
    """Return the address as `ifaddr` lists it: IPv4 as text, IPv6 with flow label and scope."""
    return ip_address(listed if isinstance(listed, str) else listed[0])


def _flags(asking: socket.socket, interface: str) -> int:
    """Return the kernel's flags; 0 where the interface has gone meanwhile."""
    name = interface.encode()[:15]
    try:
        answer = fcntl.ioctl(asking, GET_FLAGS, struct.pack("16sH22x", name, 0))
    except OSError:
        return 0
    return int(struct.unpack_from("H", answer, 16)[0])
