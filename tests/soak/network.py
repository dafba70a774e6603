"""The network of the soak: the table's machine, the room with phones and camera, a wire between.

Whatever the table's machine sends is looked at on the wire. Needs root.
"""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_network

from tests.service.networks import Namespace, namespaces

LAN = ip_network("192.168.77.0/24")
TABLE = "192.168.77.1"
ROOM = "192.168.77.2"
"""The camera's address, and that of the router where the network has one."""
OUTSIDE = "192.0.2.1"
"""An address of nobody (RFC 5737)."""
INTERFACE = "wlan0"
NEAR = tuple(
    ip_network(one)
    for one in (
        *(str(LAN), "224.0.0.0/24", "255.255.255.255/32", "0.0.0.0/32", "169.254.0.0/16"),
        *("fe80::/10", "ff02::/16", "::/128"),
    )
)
"""What stays within the LAN: its own addresses, and those that no router passes on."""
ARP, IPV4, IPV6 = 0x0806, 0x0800, 0x86DD
ALL_KINDS = 0x0003
HEAD = 64
LOOK_S = 0.2


def phone(number: int) -> str:
    """Return the address of the phone of this number, from 0."""
    return str(LAN[10 + number])


def destination(kind: int, packet: bytes) -> IPv4Address | IPv6Address | None:
    """Return the address that a packet of this EtherType is sent to or asks for, if it has one."""
    if kind == IPV4 and len(packet) >= 20:
        return IPv4Address(packet[16:20])
    if kind == IPV6 and len(packet) >= 40:
        return IPv6Address(packet[24:40])
    if kind == ARP and len(packet) >= 28:
        return IPv4Address(packet[24:28])
    return None


def leaves(address: IPv4Address | IPv6Address | None) -> bool:
    """Whether a packet for this address is not for the LAN."""
    return address is None or not any(address in one for one in NEAR)


class Wire:
    """What the table's machine has sent: how many packets, and those for elsewhere by address."""

    def __init__(self) -> None:
        self.packets = 0
        self.outside: Counter[str] = Counter()
        self._ended = threading.Event()
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL_KINDS))
        self._socket.bind((INTERFACE, ALL_KINDS))
        self._socket.settimeout(LOOK_S)
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.is_set():
            try:
                packet, (_, kind, way, *_) = self._socket.recvfrom(HEAD)
            except TimeoutError:
                continue
            if way == socket.PACKET_OUTGOING:  # the room's own
                continue
            self.packets += 1
            address = destination(kind, packet)
            if leaves(address):
                self.outside[str(address)] += 1

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._socket.close()


@dataclass(frozen=True, slots=True)
class Network:
    """Two machines and the wire between them."""

    table: Namespace
    room: Namespace
    wire: Wire

    def has_route(self) -> bool:
        """Whether the table's machine knows a way to other networks; asks the kernel."""
        return self.table.run(_reaches, OUTSIDE)

    def add_route(self) -> None:
        """Give it one, by the room's end of the wire, which passes nothing on."""
        self.table.ip(f"route add default via {ROOM}")

    def send_outside(self) -> None:
        """Send one packet from the table's machine to another network."""
        self.table.run(_send, OUTSIDE)


@contextmanager
def network(phones: int) -> Iterator[Network]:
    """Make the network, for so many phones with an address each. OSError where it must not."""
    with namespaces(2) as (table, room):
        table.link("eth0", room, INTERFACE)
        table.ip(f"addr add {TABLE}/24 dev eth0")
        room.ip(
            *(f"addr add {one}/24 dev {INTERFACE}" for one in (ROOM, *map(phone, range(phones))))
        )
        wire = room.run(Wire)
        try:
            yield Network(table, room, wire)
        finally:
            wire.close()


def _reaches(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, 9))
        except OSError:
            return False
    return True


def _send(address: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.sendto(b"outside", (address, 9))
