"""The file by which commands on this machine know how to join the running service.

It holds the terminal's token, so only the service's own user can read it; it is removed when the
service stops.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.files import open_regular, write_atomically

FILE_NAME = "invitation"
"""Not among the files of a backup."""
OWNER_ONLY = 0o600
LONGEST = 4096


class Joining(msgspec.Struct, frozen=True):
    """How to join: links with the terminal's token, the best first, and the code. `settings` is the
    digest of the settings file with which the service was started.
    """

    links: Annotated[tuple[str, ...], Meta(min_length=1, max_length=16)]
    code: str
    settings: str = ""


_JOINING: Final = msgspec.json.Decoder(Joining)


def write_invitation(folder: Path, joining: Joining) -> None:
    """Write the file; where the disk refuses, the terminal and the log are left."""
    with suppress(OSError):
        write_atomically(folder / FILE_NAME, msgspec.json.encode(joining), mode=OWNER_ONLY)


def read_invitation(folder: Path) -> Joining | None:
    """Return what the file says; None where no service runs, or another user's does."""
    try:
        with open_regular(folder / FILE_NAME) as file:
            return _JOINING.decode(file.read(LONGEST))
    except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None


def remove_invitation(folder: Path) -> None:
    """Remove the file."""
    with suppress(OSError):
        (folder / FILE_NAME).unlink(missing_ok=True)
