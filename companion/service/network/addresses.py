"""Host names, IP addresses and URLs of this machine: parsing, comparing, writing, QR codes."""

from __future__ import annotations

import io
import re
import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

import qrcode
from qrcode.constants import ERROR_CORRECT_L, ERROR_CORRECT_M
from qrcode.image.svg import SvgPathFillImage

IPAddress = IPv4Address | IPv6Address

LAN_SUFFIXES = ("local", "lan", "home", "home.arpa", "internal", "localdomain")
"""Domains that home routers give to machines. None can be anybody's public domain, so no foreign
site can point one of them here. `fritz.box` is left out: `.box` is a public domain."""
PORTS = {"http": 80, "https": 443}
LONGEST_NAME = 253
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""Browsers parse a name that ends in such a label as an IPv4 address."""


def parse_ip(text: str) -> IPAddress | None:
    """Return the text as an IP address, without brackets and zone; None where it is a name.

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
    """Return a host name or IP address in canonical form; ValueError where it is neither."""
    ip = parse_ip(text.strip())
    if ip is not None:
        if ip.is_unspecified or ip.is_multicast:
            raise ValueError(text)
        return str(ip)
    name = text.strip().lower().rstrip(".")
    labels = name.split(".")
    if len(name) > LONGEST_NAME or NUMERIC.fullmatch(labels[-1]):
        raise ValueError(text)
    if not all(LABEL.fullmatch(label) for label in labels):
        raise ValueError(text)
    return name


def advertised(text: str) -> str:
    """Return the advertised URL in canonical form; ValueError where it is none.

    It has `http` or `https`, a name or IP address, a port where it is not the default, and no path.
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
    """Return the name or IP address, IPv6 in brackets; None where the port is malformed."""
    end = host.find("]") + 1 if host.startswith("[") else host.find(":")
    name, rest = (host[:end], host[end:]) if end > 0 else (host, "")
    well_formed = rest == "" or (rest[0] == ":" and (rest[1:] == "" or rest[1:].isdecimal()))
    return name if name and well_formed else None


def qr_terminal(text: str) -> str:
    """Draw the QR code in half-block characters, for a dark or light terminal."""
    code = qrcode.QRCode(border=2)
    code.add_data(text)
    written = io.StringIO()
    code.print_ascii(out=written, invert=True)
    return written.getvalue()


@lru_cache(maxsize=8)
def qr_svg(text: str, *, dense: bool = False) -> bytes:
    """Draw the QR code as one SVG path on white, readable in every theme. Cached: takes 30 ms.

    `dense`: for a long text, with as little error correction as there is, so that its modules are
    larger.
    """
    level = ERROR_CORRECT_L if dense else ERROR_CORRECT_M
    code = qrcode.QRCode(error_correction=level, border=2, image_factory=SvgPathFillImage)
    code.add_data(text)
    written = io.BytesIO()
    code.make_image().save(written)
    return written.getvalue()
