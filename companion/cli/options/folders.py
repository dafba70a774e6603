"""The options `--data` and `--at`: which data folder a command is about."""

from __future__ import annotations

import os
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


def default_data() -> Path:
    """Return the data folder where none is named: see docs/install.md."""
    if folder := os.environ.get(DATA_VARIABLE):
        return Path(folder)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "monster-table"


def data_folder(data: Path | None, at: str | None) -> Path:
    """Return the data folder that a command is about: the one given, or that of a table in it.

    Ends the command where the name is wrong, or is missing though only tables have games there.
    """
    root = data or default_data()
    try:
        if at is not None:
            return folder_of(root, at)
        if has_tables(root) and not is_there(root / FILE_NAME):
            names = ", ".join(one.name for one in read_tables(root))
            refuse("error.tables.which", path=str(root), names=names)
    except TablesError as wrong:
        refuse(wrong.key, **wrong.params)
    return root
