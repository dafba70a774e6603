"""The option `--data`: which data folder a command is about."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from companion.cli.options.values import Folder, owner_name, why_no_folder, why_unreadable
from companion.cli.words import plain_reason, refuse, refuse_by, sentence
from companion.service.machine.settings_file import FILE_NAME as SETTINGS
from companion.service.machine.settings_file import WrongSettingsError
from companion.storage.database.siblings import DATABASES

DATA = click.option(
    "--data", type=Folder(), metavar="DIR", help="The data folder; by default that of serve."
)
DATA_VARIABLE = "MONSTER_TABLE_DATA"
"""Names the data folder of every command; an installation for a whole machine sets it."""
UNIT: Final = "monster-table"
"""The package's service."""
TABLES: Final = "tables"
"""In its data folder: those of further tables, each served by `monster-table@NAME`."""
ROOT: Final = 0
MOST_LINKS: Final = 40
"""As many as Linux follows in one path."""


def default_data() -> Path:
    """Return the data folder where none is named: see docs/install.md."""
    if folder := os.environ.get(DATA_VARIABLE):
        return Path(folder)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "monster-table"


def unit_of(folder: Path) -> str:
    """Return the service of the package that has its games in this folder."""
    place = folder.absolute()
    return f"{UNIT}@{place.name}" if place.parent.name == TABLES else UNIT


def setup_of(folder: Path) -> str:
    """Return the command that shows how to join the table of this folder."""
    place = folder.absolute()
    return "companion setup" + (f" --data {place}" if place.parent.name == TABLES else "")


def data_folder(data: Path | None) -> Path:
    """Return the data folder that a command is about: the one given, or that of serve.

    Ends the command if the folder is a file or closed to this user; and if root would work in a
    folder of which another user decides what the names in it, or on the way to it, lead to: root
    could be made to read or write any file there is.
    """
    folder = data or default_data()
    refuse_anothers(folder)
    if wrong := why_no_folder(folder):
        refuse_by(wrong)
    return folder


def refuse_anothers(folder: Path) -> None:
    """End the command where this is root, and others decide what the folder is: see `data_folder`.

    What is made below a folder with the sticky bit, as /tmp, is its maker's; until then it is
    anybody's.
    """
    if os.geteuid() != ROOT:
        return
    sticky: Path | None = None
    try:
        for place, status in _way_to(folder.absolute()):
            if status.st_uid != ROOT:
                refuse("error.not_as_root", path=str(place), user=owner_name(status.st_uid))
            shared = place if _is_shared(status) else None
            if shared and not status.st_mode & stat.S_ISVTX:
                refuse("error.shared_folder", path=str(place))
            sticky = shared
    except OSError as refusal:
        refuse("error.unreadable", path=str(folder), reason=refusal.strerror or "")
    if sticky:
        refuse("error.shared_folder", path=str(sticky))


def _way_to(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield each folder and link on the way, those behind a link too; where the next is not there,
    the folder in which it would be made, as the last. Not the root folder: whoever has it has
    everything. Raises OSError.
    """
    place, links = Path("/"), 0
    left = list(reversed(folder.parts[1:]))
    while left:
        name = left.pop()
        place = place.parent if name == ".." else place / name
        try:
            status = place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            yield place.parent, place.parent.lstat()
            return
        yield place, status
        if stat.S_ISLNK(status.st_mode):
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
            target = place.readlink()
            place = Path("/") if target.is_absolute() else place.parent
            left += reversed(target.parts[target.is_absolute() :])


def _is_shared(status: os.stat_result) -> bool:
    """Whether others than its owner may make, rename and delete files in this folder."""
    is_groups = status.st_mode & stat.S_IWGRP and status.st_gid != ROOT
    return stat.S_ISDIR(status.st_mode) and bool(is_groups or status.st_mode & stat.S_IWOTH)


def games_folder(data: Path | None) -> Path:
    """Return the data folder as `data_folder` does; end the command if no game is kept there."""
    folder = data_folder(data)
    if not databases_of(folder):
        refuse("error.no_games", path=str(folder))
    return folder


def databases_of(folder: Path) -> list[Path]:
    """Return the databases of a folder, sorted by name; none if there is no such folder."""
    try:
        return [path for path in sorted(folder.iterdir()) if DATABASES.fullmatch(path.name)]
    except FileNotFoundError:
        return []
    except OSError as refusal:
        refuse("error.unreadable", path=str(folder), reason=refusal.strerror or "")


def why_wrong_settings(folder: Path, wrong: WrongSettingsError) -> str:
    """Return why the settings of a data folder cannot be used, and what to do."""
    path = folder / SETTINGS
    if isinstance(wrong.__cause__, OSError) and (closed := why_unreadable(path)):
        return closed
    return sentence("error.settings", path=str(path), reason=plain_reason(str(wrong)))
