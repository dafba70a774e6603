"""The options `--data` and `--at`: which data folder a command is about."""

from __future__ import annotations

import os
import pwd
from contextlib import suppress
from pathlib import Path

import click

from companion.cli.words import refuse
from companion.storage.files import is_there
from companion.table.log import FILE_NAME
from companion.tables import TablesError, folder_of, has_tables, read_tables

DATA = click.option(
    "--data", type=click.Path(path_type=Path), help="The data folder; that of serve by default."
)
AT = click.option(
    "--at", metavar="NAME", help="The table of that name, where there are several on this machine."
)
DATA_VARIABLE = "MONSTER_TABLE_DATA"
"""Names the data folder of every command; an installation for a whole machine sets it."""
ROOT = 0


def default_data() -> Path:
    """Return the data folder where none is named: see docs/install.md."""
    if folder := os.environ.get(DATA_VARIABLE):
        return Path(folder)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "monster-table"


def root_folder(data: Path | None) -> Path:
    """Return the data folder of the machine: the one given, or that of serve.

    Ends the command where root would work in another user's folder. That user decides what the
    names in it lead to, so root could be made to read or write any file of the machine.
    """
    root = data or default_data()
    refuse_anothers(root)
    return root


def refuse_anothers(folder: Path) -> None:
    """End the command where this is root, and the folder another user's: see `root_folder`."""
    if os.geteuid() != ROOT:
        return
    try:
        owner = _owner(folder)
    except OSError as refusal:
        refuse("error.unreadable", path=str(folder), reason=refusal.strerror or "")
    if owner != ROOT:
        refuse("error.not_as_root", path=str(folder), user=_name(owner))


def _owner(folder: Path) -> int:
    """Return the number of the user who owns the folder, or that in which it would be made. Raises
    OSError.
    """
    for path in (folder.absolute(), *folder.absolute().parents):
        with suppress(FileNotFoundError, NotADirectoryError):
            return path.stat().st_uid
    return ROOT


def _name(user: int) -> str:
    """Return the name of a user, or what sudo takes in its place."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"'#{user}'"


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
