"""`browsers.json`: who has joined, as stored. Everything read is checked.

The file is a list of rows that an older version reads too: fields are only ever added. A copy with
the same content is read where the first file is damaged.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from companion.engine import SeatIndex
from companion.service.people.moment import Moment
from companion.service.wire import Role
from companion.storage.files import open_regular, write_atomically

FILE_NAME = "browsers.json"
COPY_NAME = "browsers.copy.json"
MOST_BYTES = 256 * 1024
MOST_ROWS = 1000
ASIDE = 9
"""How many damaged files are kept; the last of them is replaced."""

_JOINED = frozenset({Role.HOST, Role.PLAYER, Role.SPECTATOR})


class StoredBrowser(msgspec.Struct, frozen=True):
    """One browser that joined; its secret is stored as a hash only."""

    secret_hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    role: Role
    seat: SeatIndex | None = None
    before: SeatIndex | None = None
    """The seat that it lost to another browser."""
    may_return: bool = False
    """It may take `before` back without asking: it was only silent."""
    heard: Moment | None = None
    """When it was last seen; None in files of older versions."""
    check: Annotated[str, Meta(max_length=64)] = ""
    """A hash of the other fields; empty in files of older versions."""


@dataclass(frozen=True, slots=True)
class StoredBrowsers:
    """The rows that were read. `first_start`: there is no host to keep, since there is no file yet,
    or it has no rows.
    """

    rows: tuple[StoredBrowser, ...] = ()
    first_start: bool = False
    lost: Path | None = None
    """The damaged file, where it and its copy could not be read: everybody has to join again."""


class DamagedFileError(Exception):
    """The file exists and fails its checks."""


def read_browsers(folder: Path) -> StoredBrowsers:
    """Read the rows of the file, else of its copy; a damaged file is moved aside and kept."""
    aside: Path | None = None
    for path in (folder / FILE_NAME, folder / COPY_NAME):
        try:
            rows = _read(path)
            return StoredBrowsers(rows, first_start=not rows)
        except FileNotFoundError:
            continue
        except DamagedFileError:
            moved = _moved_aside(path)
            aside = aside or moved
    return StoredBrowsers(first_start=aside is None, lost=aside)


def write_browsers(folder: Path, content: bytes) -> None:
    """Write the file, then its copy, each atomically; OSError where that fails."""
    for name in (FILE_NAME, COPY_NAME):
        write_atomically(folder / name, content)


def encoded(rows: tuple[StoredBrowser, ...]) -> bytes:
    """Return the rows as stored, each with its hash."""
    return msgspec.json.encode([replace(row, check=_check(row)) for row in rows])


_ROWS = msgspec.json.Decoder(tuple[StoredBrowser, ...])


def _read(path: Path) -> tuple[StoredBrowser, ...]:
    """Read and check the file; raise FileNotFoundError, or DamagedFileError where a check fails."""
    try:
        with open_regular(path) as file:
            content = file.read(MOST_BYTES + 1)
        rows = _ROWS.decode(content)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError) as wrong:  # msgspec's errors are ValueErrors
        raise DamagedFileError(str(wrong)) from wrong
    if len(content) > MOST_BYTES or len(rows) > MOST_ROWS:
        raise DamagedFileError("too long")
    if not any(row.check for row in rows):
        rows = _with_one_host(rows)
    elif not all(row.check == _check(row) for row in rows):
        raise DamagedFileError("hash")
    if not _is_sound(rows):
        raise DamagedFileError("contradiction")
    return rows


def _is_sound(rows: tuple[StoredBrowser, ...]) -> bool:
    """Whether there is at most one host, at most one browser a seat, and roles that fit."""
    seats = [row.seat for row in rows if row.seat is not None]
    return (
        sum(row.role is Role.HOST for row in rows) <= 1
        and len(set(seats)) == len(seats)
        and len({row.secret_hash for row in rows}) == len(rows)
        and all(row.role in _JOINED for row in rows)
        and all((row.role is Role.PLAYER) <= (row.seat is not None) for row in rows)
        and all((row.role is Role.SPECTATOR) <= (row.seat is None) for row in rows)
    )


def _with_one_host(rows: tuple[StoredBrowser, ...]) -> tuple[StoredBrowser, ...]:
    """Keep the last of several hosts: older versions could make a second one from the terminal."""
    hosts = [row for row in rows if row.role is Role.HOST]
    former = {earlier.secret_hash for earlier, _ in pairwise(hosts)}
    return tuple(
        replace(row, role=Role.SPECTATOR if row.seat is None else Role.PLAYER)
        if row.secret_hash in former
        else row
        for row in rows
    )


def _check(row: StoredBrowser) -> str:
    return hashlib.sha256(msgspec.json.encode(replace(row, check=""))).hexdigest()[:16]


def _moved_aside(path: Path) -> Path:
    """Rename the damaged file; return its new path, if the folder can be written."""
    names = [Path(f"{path}.damaged-{n}") for n in range(1, ASIDE + 1)]
    aside = next((name for name in names if not name.exists()), names[-1])
    try:
        path.rename(aside)
    except OSError:
        return path
    return aside
