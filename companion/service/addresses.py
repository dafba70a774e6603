"""By what names and numbers phones reach this machine."""

from __future__ import annotations

import io
import socket
from ipaddress import ip_address

import qrcode
from qrcode.image.svg import SvgPathFillImage


def own_address() -> str:
    """The IPv4 address other machines see, as the kernel would choose it; no packet is sent.

    The own name will not do: Debian maps it to 127.0.1.1. Without a network: 127.0.0.1.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def own_names(extra: tuple[str, ...] = ()) -> frozenset[str]:
    """Names in lower case that a Host header may carry."""
    name = socket.gethostname().lower()
    short = name.split(".", 1)[0]
    return frozenset({"localhost", name, short, f"{short}.local", *(n.lower() for n in extra)})


def host_is_ours(host: str, names: frozenset[str], reached_at: str) -> bool:
    """Whether a Host header (with or without port) is this machine.

    A number must be the one the connection came in at; then no name was involved that somebody
    else's name server could have pointed here (DNS rebinding).
    """
    bare = _without_port(host.strip().lower())
    if bare is None:
        return False
    try:
        number = ip_address(bare.strip("[]"))
    except ValueError:
        return bare.rstrip(".") in names
    if number.is_loopback:
        return True
    try:
        return number == ip_address(reached_at)
    except ValueError:
        return False


def _without_port(host: str) -> str | None:
    """The name or number; None where the port is none."""
    if host.startswith("["):
        name, _, port = host.partition("]")
        port = port.removeprefix(":")
    else:
        name, _, port = host.partition(":")
    return name if name and (port == "" or port.isdecimal()) else None


def qr_terminal(text: str) -> str:
    """The QR code in half-block characters, for a dark or light terminal."""
    code = qrcode.QRCode(border=2)
    code.add_data(text)
    written = io.StringIO()
    code.print_ascii(out=written, invert=True)
    return written.getvalue()


def qr_svg(text: str) -> bytes:
    """The QR code as one SVG path on white, readable in every theme."""
    code = qrcode.QRCode(border=2, image_factory=SvgPathFillImage)
    code.add_data(text)
    written = io.BytesIO()
    code.make_image().save(written)
    return written.getvalue()
