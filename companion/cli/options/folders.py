"""The option `--data`: which data folder a command is about."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from companion.cli.options.values import Folder, owner_name, why_no_folder, why_unreadable
from companion.cli.words import plain_reason, refuse, refuse_by, sentence
from companion.service.settings import FILE_NAME as SETTINGS
from companion.service.settings import WrongSettingsError
from companion.table.database import FILE_NAME

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

    Ends the command if the folder is a file or closed to this user, or if this is root and the
    folder, or the one it would be made in, belongs to another user: the service of that user could
    not open what root makes there.
    """
    folder = data or default_data()
    refuse_anothers(folder)
    if wrong := why_no_folder(folder):
        refuse_by(wrong)
    return folder


def refuse_anothers(folder: Path) -> None:
    """End the command if this is root and the folder belongs to another user; name that user."""
    if os.geteuid() != ROOT:
        return
    for place in (folder, *folder.absolute().parents):
        try:
            owner = place.stat().st_uid
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as refusal:
            refuse("error.unreadable", path=str(folder), reason=refusal.strerror or "")
        if owner != ROOT:
            refuse("error.not_as_root", path=str(place), user=owner_name(owner))
        return


def games_folder(data: Path | None) -> Path:
    """Return the data folder as `data_folder` does; end the command if no game is kept there."""
    folder = data_folder(data)
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
