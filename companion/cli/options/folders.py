"""The options `--data` and `--at`: which data folder a command is about."""

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
from companion.files import is_there
from companion.service.machine.settings_file import FILE_NAME as SETTINGS
from companion.service.machine.settings_file import WrongSettingsError
from companion.table.database import FILE_NAME
from companion.tables import TablesError, folder_of, has_tables, read_tables

DATA = click.option(
    "--data", type=Folder(), metavar="DIR", help="The data folder; by default that of serve."
)
AT = click.option("--at", metavar="NAME", help="Which table, if this machine has several.")
DATA_VARIABLE = "MONSTER_TABLE_DATA"
"""Names the data folder of every command; an installation for a whole machine sets it."""
ROOT: Final = 0
MOST_LINKS: Final = 40
"""As many as Linux follows in one path."""


def default_data() -> Path:
    """Return the data folder where none is named: see docs/install.md."""
    if folder := os.environ.get(DATA_VARIABLE):
        return Path(folder)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "monster-table"


def root_folder(data: Path | None) -> Path:
    """Return the data folder of the machine: the one given, or that of serve.

    Ends the command if the folder is a file or closed to this user; and if root would work in a
    folder of which another user decides what the names in it, or on the way to it, lead to: root
    could be made to read or write any file there is.
    """
    root = data or default_data()
    refuse_anothers(root)
    if wrong := why_no_folder(root):
        refuse_by(wrong)
    return root


def refuse_anothers(folder: Path) -> None:
    """End the command where this is root, and others decide what the folder is: see `root_folder`.

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


def data_folder(data: Path | None, at: str | None) -> Path:
    """Return the data folder that a command is about: the one given, or that of a table in it.

    Ends the command where the name is wrong, or is missing though only tables have games there.
    """
    root = root_folder(data)
    try:
        if at is not None:
            folder = folder_of(root, at)
            refuse_anothers(folder)
            return folder
        if has_tables(root) and not is_there(root / FILE_NAME):
            names = ", ".join(one.name for one in read_tables(root))
            refuse("error.tables.which", path=str(root), names=names)
    except TablesError as wrong:
        refuse(wrong.key, **wrong.params)
    return root


def games_folder(data: Path | None, at: str | None) -> Path:
    """Return the data folder as `data_folder` does; end the command if no game is kept there."""
    folder = data_folder(data, at)
    try:
        (folder / FILE_NAME).stat()
    except FileNotFoundError:
        refuse("error.no_games", path=str(folder))
    except OSError as refusal:
        refuse("error.unreadable", path=str(folder), reason=refusal.strerror or "")
    return folder


def why_wrong_settings(folder: Path, wrong: WrongSettingsError) -> str:
    """Return why the settings of a data folder cannot be used, and what to do."""
    path = folder / SETTINGS
    if isinstance(wrong.__cause__, OSError) and (closed := why_unreadable(path)):
        return closed
    return sentence("error.settings", path=str(path), reason=plain_reason(str(wrong)))
