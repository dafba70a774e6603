"""How a camera's source is shown: its address may have a user and a password in it."""

from __future__ import annotations

import re
from typing import Final

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]{0,20}:/{1,2}", re.IGNORECASE)
_PLACE: Final = re.compile(r"[\w.:\[\]-]*(?:/[\w.~+-]*)*")


def _place(text: str) -> str:
    """Return the host, port and plain path with which a text begins."""
    found = _PLACE.match(text)
    return "" if found is None else found[0]


def shown_source(source: str) -> str:
    """Return a camera's source as it may be shown: a path as it is, of an address, or of what was
    typed for one, no user, password and query.
    """
    scheme = _SCHEME.match(source)
    if source.startswith(("/", ".")) or (scheme is None and not {"@", "?"} & set(source)):
        return source
    begin = "" if scheme is None else scheme[0]
    return begin + _place(source.removeprefix(begin).rpartition("@")[2])
