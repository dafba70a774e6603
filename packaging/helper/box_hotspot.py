"""A Wi-Fi of the box's own: `helper hotspot NAME PASSWORD-FILE`, by NetworkManager and nftables."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LONGEST_NAME = 32
PASSWORD = re.compile(r"[ -~]{8,63}")
PLAIN_NAME = re.compile(r"[A-Za-z0-9_.-]+( [A-Za-z0-9_.-]+)*")
"""A name that a key file takes as it is; any other is written as its bytes."""
FILE_BYTES = 4096
TOOLS = {"nmcli": "network-manager", "nft": "nftables"}
CONNECTION = "monster-table-hotspot"
NOT_UP = "The Wi-Fi does not start. Look at: nmcli device, and the country of the Wi-Fi."


class HotspotError(Exception):
    """The Wi-Fi cannot be set up; the message gives the reason and what to do, in one line."""


class WrongWifiError(HotspotError):
    """No Wi-Fi can have this name or password."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where the settings of NetworkManager are, and the package's files for them."""

    etc: Path = Path("/etc/NetworkManager")
    home: Path = Path("/usr/lib/monster-table/hotspot")

    @property
    def connection(self) -> Path:
        """The key file of the Wi-Fi."""
        return self.etc / "system-connections" / f"{CONNECTION}.nmconnection"

    @property
    def names(self) -> Path:
        """The settings of the name server."""
        return self.etc / "dnsmasq-shared.d" / "monster-table.conf"


def set_up(places: Places, name: str, file: Path) -> None:
    """Write the Wi-Fi's settings, start it, and the service in it. HotspotError where that fails;
    nothing is changed by a wrong name or password.
    """
    name, password = checked_name(name), read_password(file)
    for tool, package in TOOLS.items():
        if shutil.which(tool) is None:
            raise HotspotError(f"{tool} is missing: apt install {package}")
    key_file = (places.home / f"{CONNECTION}.nmconnection").read_text("utf-8")
    _write(places.connection, filled_in(key_file, name, password), 0o600)
    _write(places.names, (places.home / "dnsmasq.conf").read_text("utf-8"), 0o644)
    wifi = ["--wifi-name", name, "--wifi-password-file", "-"]
    _run(["companion", "setup", "--hotspot", *wifi], typed=f"{password}\n")
    _run(["nmcli", "connection", "reload"])
    is_up = subprocess.run(["nmcli", "connection", "up", CONNECTION], check=False).returncode == 0
    _run(["systemctl", "restart", "monster-table.service"])
    if not is_up:
        raise HotspotError(NOT_UP)
    _run(["companion", "setup"])


def checked_name(name: str) -> str:
    """Return the name of the Wi-Fi; WrongWifiError where no Wi-Fi can have it."""
    try:
        count = len(name.encode())
    except UnicodeEncodeError as wrong:
        raise WrongWifiError(
            "The name is not written in UTF-8. Write it so, or in ASCII."
        ) from wrong
    if not 0 < count <= LONGEST_NAME:
        reason = f"The name has {count} bytes, and must have 1 to {LONGEST_NAME}"
        raise WrongWifiError(f"{reason}: a letter with an accent is two.")
    if not name.isprintable():
        raise WrongWifiError("The name has a sign that cannot be printed. Write another.")
    return name


def read_password(file: Path) -> str:
    """Return the password in the first line of the file; WrongWifiError where it is none."""
    try:
        with file.open("rb") as opened:
            line = opened.read(FILE_BYTES).removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    except OSError as refusal:
        raise WrongWifiError(f"{file} cannot be read: {refusal.strerror}.") from refusal
    password = line.decode("latin-1").rstrip("\r")
    if not PASSWORD.fullmatch(password):
        form = "8 to 63 letters of ASCII, digits and signs: no accents"
        raise WrongWifiError(f"The first line of {file} must be the password, {form}.")
    return password


def filled_in(key_file: str, name: str, password: str) -> str:
    """Return the key file with name and password in place of its own, without its comments."""
    is_plain = PLAIN_NAME.fullmatch(name) and re.search("[A-Za-z]", name)
    written = name if is_plain else "".join(f"{byte};" for byte in name.encode())
    values = {"ssid": written, "psk": _escaped(password)}
    lines = []
    for line in key_file.splitlines():
        key, equals, _ = line.partition("=")
        if not line.startswith("#"):
            lines.append(f"{key}{equals}{values[key]}" if key in values else line)
    return "\n".join([*lines, ""])


def _escaped(value: str) -> str:
    """Return a value as a key file has it: without an escape, spaces at its ends are lost."""
    inner = value.strip(" ")
    before = len(value) - len(value.lstrip(" "))
    after = len(value) - len(inner) - before
    return "\\s" * before + inner.replace("\\", "\\\\") + "\\s" * after


def _write(path: Path, content: str, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(content)
        os.fchmod(file.fileno(), mode)
    new.replace(path)


def _run(command: Sequence[str], typed: str = "") -> None:
    """Run a command, which prints itself why it fails."""
    done = subprocess.run(command, input=typed, text=True, check=False)
    if done.returncode:
        raise HotspotError(f"This failed: {' '.join(command[:2])}.")
