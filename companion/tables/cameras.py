"""Which camera a source names: two tables may never read one.

A camera of this machine is its device, whatever name leads to it: `/dev/v4l/by-id/…`, a number, a
link of one's own; all nodes of one camera count as one. Recordings may be shown at several tables.
"""

from __future__ import annotations

import ipaddress
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from companion.redaction import shown_source
from companion.vision.readings import SourceError
from companion.vision.sources.cameras import list_devices
from companion.vision.sources.kinds import (
    Device,
    FrameSource,
    NetworkCamera,
    PiCamera,
    parse_source,
)

_PORTS = {"http": 80, "https": 443, "rtsp": 554}
_NODES = Path("/dev")
_SYSFS = Path("/sys/dev/char")
_BY_PATH = Path("/dev/v4l/by-path")


@dataclass(frozen=True, slots=True)
class NamedCamera:
    """A camera: `shown`, its name without a password, and `identity`, which all its names share;
    None where nothing is read, or a recording."""

    shown: str
    identity: str | None


def expected_camera(text: str) -> FrameSource | None:
    """Parse SOURCE as `parse_source` does, but take a camera that is unplugged for one that will
    come back: its table is served meanwhile. SourceError where it is no camera."""
    try:
        return parse_source(text)
    except SourceError:
        if Path(text).is_relative_to(_NODES):
            return Device(text)
        if text.isdecimal():
            return Device(f"/dev/video{int(text)}")
        kind, _, number = text.partition(":")
        if kind == "csi" and (number or "0").isdecimal():
            return PiCamera(int(number or 0))
        raise


def camera_of(source: str, sysfs: Path = _SYSFS) -> NamedCamera:
    """Return the camera that SOURCE names."""
    try:
        found = expected_camera(source)
    except SourceError:
        return NamedCamera(shown_source(source), None)
    match found:
        case Device(path=path):
            return NamedCamera(path, _device(path, sysfs))
        case PiCamera(number=number):
            return NamedCamera(source, f"csi:{number}")
        case NetworkCamera(url=url):
            parts = urlsplit(url)
            at = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="")
            return NamedCamera(shown_source(url), _address(at))
    return NamedCamera(source, None)


def lasting_name(source: str, sockets: Path = _BY_PATH) -> str:
    """Return SOURCE as it will still name the same camera after a restart, from any folder: two
    cameras may change their numbers then. SourceError where there is no such thing."""
    found = parse_source(source)
    if isinstance(found, Device):
        return _by_socket(found.path, sockets)
    return str(Path(source).absolute()) if Path(source).exists() else source


def _by_socket(path: str, sockets: Path) -> str:
    """Return the name by the socket, where a camera has no name but its number."""
    if Path(path).is_symlink():
        return path
    node = Path(path).resolve()
    return next((name for name in list_devices(sockets) if Path(name).resolve() == node), path)


def same_camera(one: str, other: str, sysfs: Path = _SYSFS) -> bool:
    """Whether two sources lead to the same camera."""
    identity = camera_of(one, sysfs).identity
    return identity is not None and identity == camera_of(other, sysfs).identity


def _address(url: SplitResult) -> str:
    """Return the address of a network camera in one form: `http://cam.lan/a`, `http://CAM.LAN:80/a/`
    and `http://cam.lan./a` are one place.
    """
    host = (url.hostname or "").rstrip(".")
    with suppress(ValueError):
        host = str(ipaddress.ip_address(host))
    port = _PORTS.get(url.scheme)
    with suppress(ValueError):
        port = port if url.port is None else url.port
    return f"{url.scheme}://[{host}]:{port}{url.path.rstrip('/')}?{url.query}"


def _device(path: str, sysfs: Path) -> str:
    """Return what names the device behind a node: its place on the bus, which all nodes of one
    camera share; else the number of the node; while it is unplugged, its name."""
    try:
        node = Path(path).stat()
    except OSError:
        return path
    if not stat.S_ISCHR(node.st_mode):
        return str(Path(path).resolve())
    number = f"{os.major(node.st_rdev)}:{os.minor(node.st_rdev)}"
    bus = sysfs / number / "device"
    return str(bus.resolve()) if bus.exists() else number
