"""The port of the service, for whatever else on the machine has to know it.

The settings belong to the service, so nothing in them is trusted: one number is taken, bounded.
"""

from __future__ import annotations

import os
import stat
import subprocess
import tomllib
from pathlib import Path

DEFAULT = 8080
SETTINGS = "settings.toml"
SETTINGS_BYTES = 16 * 1024
MARK = "@PORT@"
NFT = "/usr/sbin/nft"


def port_of(state: Path) -> int:
    """Return the port that the settings name; the default where they name none that is good.

    The service itself refuses wrong settings.
    """
    try:
        handle = os.open(state / SETTINGS, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return DEFAULT
            port = tomllib.loads(file.read(SETTINGS_BYTES).decode()).get("port")
    except (OSError, ValueError, RecursionError):
        return DEFAULT
    return port if type(port) is int and 0 < port <= 65535 else DEFAULT


def announce(state: Path, template: Path, services: Path) -> None:
    """Have Avahi name the port in the network; OSError where its folder cannot be written."""
    content = template.read_text("utf-8").replace(MARK, str(port_of(state)))
    path = services / "monster-table.service"
    try:
        if path.read_text("utf-8") == content:
            return  # Avahi reads a file again that was written
    except (OSError, ValueError):
        pass
    new = services / "monster-table.new"
    new.write_text(content, "utf-8")
    new.chmod(0o644)
    new.replace(path)


def redirect(state: Path, rules: Path) -> bool:
    """Lead port 80 of the hotspot to the service's; False where nftables refuses."""
    text = rules.read_text("utf-8").replace(MARK, str(port_of(state)))
    return subprocess.run([NFT, "-f", "-"], input=text, text=True, check=False).returncode == 0
