"""Names and addresses by which phones reach this machine, and how an address is written."""

from __future__ import annotations

import io
import re
import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

import qrcode
from qrcode.image.svg import SvgPathFillImage

IPAddress = IPv4Address | IPv6Address

LAN_SUFFIXES = ("local", "lan", "home", "home.arpa", "internal", "localdomain")
"""What home routers put behind a machine's name. None is, or can be, anybody's public domain, so no
foreign site can point one of them here. `fritz.box` is left out: `.box` is a public domain."""
PORTS = {"http": 80, "https": 443}
LONGEST_NAME = 253
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A browser takes a name that ends in such a label for an IPv4 address."""


def parse_ip(text: str) -> IPAddress | None:
    """Return the text as an IP address, without brackets and zone; None where it is a name.

    An IPv4 address in IPv6 clothes (`::ffff:192.168.1.5`, as sockets for both show it) is the IPv4
    address.
    """
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    try:
        number = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    mapped = number.ipv4_mapped if isinstance(number, IPv6Address) else None
    return mapped or number


def needs_zone(number: IPAddress) -> bool:
    """Whether it is a link-local IPv6 address, which no browser can open: URLs take no zone."""
    return number.version == 6 and number.is_link_local


def canonical_address(address: str) -> str:
    """Return a peer's address in the one form in which addresses are compared and counted."""
    number = parse_ip(address)
    return address if number is None else str(number)


def in_url(host: IPAddress | str) -> str:
    """Return the host as written in a URL: IPv6 in brackets."""
    return f"[{host}]" if isinstance(host, IPv6Address) else str(host)


def url_of(host: IPAddress | str, port: int) -> str:
    """Return the URL of this service at that host."""
    return f"http://{in_url(host)}" + ("" if port == PORTS["http"] else f":{port}")


def host_name(text: str) -> str:
    """Return a name or number of this machine in its one form; ValueError where it is none."""
    number = parse_ip(text.strip())
    if number is not None:
        if number.is_unspecified or number.is_multicast:
            raise ValueError(text)
        return str(number)
    name = text.strip().lower().rstrip(".")
    labels = name.split(".")
    if len(name) > LONGEST_NAME or NUMERIC.fullmatch(labels[-1]):
        raise ValueError(text)
    if not all(LABEL.fullmatch(label) for label in labels):
        raise ValueError(text)
    return name


def advertised(text: str) -> str:
    """Return the URL that phones are given in place of the one found; ValueError where it is none.

    It is `http` or `https`, a name or number, and a port where it is not the usual one.
    """
    text = text.strip()
    parts = urlsplit(text)
    host = host_name(parts.hostname or "")
    number = parse_ip(host)
    bracketed = "[" in parts.netloc and number is None
    if parts.scheme not in PORTS or "@" in text or bracketed or parts.port == 0:
        raise ValueError(text)
    if number is not None and needs_zone(number):
        raise ValueError(text)
    if parts.path not in {"", "/"} or "?" in text or "#" in text or not text.isprintable():
        raise ValueError(text)
    port = "" if parts.port in {None, PORTS[parts.scheme]} else f":{parts.port}"
    return f"{parts.scheme}://{in_url(number or host)}{port}"


def own_names(extra: tuple[str, ...] = ()) -> frozenset[str]:
    """Return what a Host header may carry: names in lower case, and the numbers in `extra`."""
    name = socket.gethostname().lower()
    short = name.split(".", 1)[0]
    in_the_lan = {f"{short}.{suffix}" for suffix in LAN_SUFFIXES}
    return frozenset({"localhost", name, short, *in_the_lan, *map(host_name, extra)})


def host_is_ours(host: str, names: frozenset[str], reached_at: str) -> bool:
    """Whether a Host header (with or without port) names this machine.

    A number must be the one the connection came in at, or one of `names`; then no name was involved
    that somebody else's name server could have pointed here (DNS rebinding).
    """
    bare = without_port(host.strip().lower())
    if bare is None:
        return False
    number = parse_ip(bare)
    if number is None:
        return bare.rstrip(".") in names
    return number.is_loopback or number == parse_ip(reached_at) or str(number) in names


def without_port(host: str) -> str | None:
    """Return the name or number, IPv6 in its brackets; None where the port is malformed."""
    end = host.find("]") + 1 if host.startswith("[") else host.find(":")
    name, rest = (host[:end], host[end:]) if end > 0 else (host, "")
    right = rest == "" or (rest[0] == ":" and (rest[1:] == "" or rest[1:].isdecimal()))
    return name if name and right else None


def qr_terminal(text: str) -> str:
    """Draw the QR code in half-block characters, for a dark or light terminal."""
    code = qrcode.QRCode(border=2)
    code.add_data(text)
    written = io.StringIO()
    code.print_ascii(out=written, invert=True)
    return written.getvalue()


@lru_cache(maxsize=8)
def qr_svg(text: str) -> bytes:
    """Draw the QR code as one SVG path on white, readable in every theme. Cached: takes 30 ms."""
    code = qrcode.QRCode(border=2, image_factory=SvgPathFillImage)
    code.add_data(text)
    written = io.BytesIO()
    code.make_image().save(written)
    return written.getvalue()
