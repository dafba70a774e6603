"""Files of what follows from the log: read where they are whole, made anew where they are not."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from companion.storage.files import open_regular

T = TypeVar("T")


def read_cache(path: Path, decoder: msgspec.json.Decoder[T], most_bytes: int) -> T | None:
    """Return what the file holds; None where it is missing, damaged, too long or of another
    form.
    """
    try:
        with open_regular(path) as file:
            content = file.read(most_bytes + 1)
        return decoder.decode(content) if len(content) <= most_bytes else None
    except (OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return None
