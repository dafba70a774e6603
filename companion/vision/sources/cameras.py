"""Find the cameras that this machine has, for `--camera auto`. Nothing here loads OpenCV.

Constants and layouts are those of Linux's `videodev2.h`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BY_ID = Path("/dev/v4l/by-id")
"""Links to the cameras on USB, by names that survive replugging."""

NAMES = Path("/sys/class/video4linux")
"""The folders of the nodes, each with the camera's name."""

PROGRAM = "rpicam-vid"
"""The program that reads a Pi's own camera."""

LIST_S = 5.0
"""The time limit for listing the cameras of a Pi."""

_LISTED = re.compile(r"^(\d+) : (\S+) \[", re.MULTILINE)
_VIDEO_CAPTURE = 1
_REQUEST_BUFFERS = 0xC0145608
_MAPPED = 1
"""VIDIOC_REQBUFS, V4L2_MEMORY_MMAP."""

_SET_CONTROL = 0xC008561C
_POWER_LINE = 0x00980918
"""VIDIOC_S_CTRL, V4L2_CID_POWER_LINE_FREQUENCY."""

_REASONS = {
    errno.EBUSY: "busy",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
    errno.ENOTTY: "wrong_device",
    errno.EINVAL: "wrong_device",
    errno.ENOENT: "unknown_device",
    errno.ENODEV: "unknown_device",
    errno.ENXIO: "unknown_device",
}
_NO_CAMERA = frozenset({"wrong_device", "unknown_device"})


@dataclass(frozen=True, slots=True)
class FoundCamera:
    """A camera: its name for people, and its SOURCE as `--camera` takes it."""

    name: str
    source: str
    problem: str = ""
    """Why it cannot be used now, as the last word of a key `error.camera.…`; empty if it can."""


def list_usb_devices(folder: Path = BY_ID) -> tuple[str, ...]:
    """List the USB cameras by names that survive replugging, without metadata nodes."""
    if not folder.is_dir():
        return ()
    return tuple(str(p) for p in sorted(folder.iterdir()) if p.name.endswith("-video-index0"))


def stable_name(path: str, folder: Path = BY_ID) -> str:
    """Return the name of a device that survives replugging, if it has one; else its path.

    A link is kept: of two identical cameras, a by-path link says which is meant.
    """
    if Path(path).is_symlink():
        return path
    node = Path(path).resolve()
    return next((name for name in list_usb_devices(folder) if Path(name).resolve() == node), path)


def has_rpicam() -> bool:
    """Whether the program that reads a Pi's own camera is installed."""
    return shutil.which(PROGRAM) is not None


def list_csi_cameras() -> tuple[tuple[int, str], ...]:
    """List the cameras on the ribbon cables, each with its number and the name of its sensor."""
    if not has_rpicam():
        return ()
    try:
        done = subprocess.run(
            [PROGRAM, "--list-cameras"], capture_output=True, text=True, timeout=LIST_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple((int(number), name) for number, name in _LISTED.findall(done.stdout))


def find_cameras() -> tuple[FoundCamera, ...]:
    """Find the cameras of this machine, the usable ones first. If no USB camera is usable, those on
    a Pi's ribbon cables come first.
    """
    found = find_usb_cameras()
    if any(not one.problem for one in found):
        return found
    return (*(FoundCamera(name, f"csi:{number}") for number, name in list_csi_cameras()), *found)


def check_free(node: int) -> None:
    """Check that no other program uses the camera, by requesting zero buffers. OSError if one does,
    or if the driver is no camera's.
    """
    fcntl.ioctl(node, _REQUEST_BUFFERS, struct.pack("=IIIII", 0, _VIDEO_CAPTURE, _MAPPED, 0, 0))


def find_usb_cameras(
    folder: Path = BY_ID, names: Path = NAMES, ask: Callable[[int], object] = check_free
) -> tuple[FoundCamera, ...]:
    """Find the cameras on USB by the names that survive replugging, the usable ones first.

    Nodes without pictures (of metadata) are left out. `ask` raises OSError if the camera behind a
    descriptor cannot be used.
    """
    found: list[FoundCamera] = []
    for path in list_usb_devices(folder):
        problem = _problem(path, ask)
        if problem not in _NO_CAMERA:
            found.append(FoundCamera(_name(path, names), path, problem))
    return tuple(sorted(found, key=lambda one: bool(one.problem)))


def _name(path: str, names: Path) -> str:
    """The name of the camera behind a link to its node, for people."""
    try:
        return (names / Path(path).resolve().name / "name").read_text(errors="replace").strip()
    except OSError:
        return Path(path).name


def set_power_line(path: str, mains_hz: int) -> bool:
    """Set a camera's compensation of mains light to 50 or 60 Hz; False if its driver refuses."""
    control = struct.pack("=Ii", _POWER_LINE, {50: 1, 60: 2}[mains_hz])
    return _problem(path, lambda node: fcntl.ioctl(node, _SET_CONTROL, control)) == ""


def open_failure(path: str, ask: Callable[[int], object] = check_free) -> str:
    """Find out why a device does not open, as the last word of a key; OpenCV gives no reason."""
    return _problem(path, ask) or "cannot_open"


def _problem(path: str, ask: Callable[[int], object]) -> str:
    """Return why the camera cannot be used, "" if it can."""
    try:
        node = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        try:
            ask(node)
        finally:
            os.close(node)
    except OSError as error:
        return _REASONS.get(error.errno or 0, "cannot_open")
    return ""
