"""The option `--at`: which of several tables a command is about."""

from __future__ import annotations

from pathlib import Path

import click

from companion.cli.serve import default_data
from companion.cli.words import refuse
from companion.storage.files import is_there
from companion.table.log import FILE_NAME
from companion.tables import TablesError, folder_of, has_tables, read_tables

AT = click.option(
    "--at", metavar="NAME", help="The table of that name, where there are several on this machine."
)


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
