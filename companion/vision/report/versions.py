"""The versions of this program and of its networks, without loading them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import msgspec

from companion.resources import resource_dir
from companion.vision.report.form import Versions

_PACKAGE = "monster-table"
_UNKNOWN = "unknown"


class _Contract(msgspec.Struct, frozen=True):
    commit: str = _UNKNOWN


def versions() -> Versions:
    """Return the versions; `unknown` for what is not installed."""
    try:
        package = version(_PACKAGE)
    except PackageNotFoundError:
        package = _UNKNOWN
    try:
        content = (resource_dir("models") / "dice.json").read_bytes()
        networks = msgspec.json.decode(content, type=_Contract).commit
    except (OSError, msgspec.DecodeError):
        networks = _UNKNOWN
    return Versions(package, networks)
