"""Which tables are looked at: the one of a data folder, or each of several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from companion.cli.doctor.diagnoses import Diagnosis
from companion.cli.words import refuse
from companion.service.machine.settings_file import (
    FILE_NAME,
    StoredSettings,
    WrongSettingsError,
    read_settings,
)
from companion.service.settings import Settings
from companion.tables import TablesError, folder_in, folder_of, has_tables, read_tables

PORT = Settings(data=Path()).port


@dataclass(frozen=True, slots=True)
class Target:
    """One table: its folder, camera and port; its name where it is one of several."""

    folder: Path
    camera: str
    port: int
    name: str = ""

    def led(self, found: Diagnosis) -> Diagnosis:
        """Return the diagnosis with the table's name before what it is about."""
        return replace(found, about=f"{self.name}/{found.about}") if self.name else found


def targets_of(root: Path, at: str | None, camera: str | None, port: int | None) -> list[Target]:
    """Return the tables of a data folder, or the one that `at` names. `camera` and `port` are what
    the command line says of a single one. Ends the command where a file or the name is wrong.
    """
    if at is None and not has_tables(root):
        chosen = camera or _stored(root).camera or "none"
        return [Target(root, chosen, served_port(root, port))]
    try:
        tables = [one for one in read_tables(root) if at in {None, one.name}]
        if at is not None:
            folder_of(root, at)
    except TablesError as wrong:
        refuse(wrong.key, **wrong.params)
    return [Target(folder_in(root, one), one.camera, one.port, one.name) for one in tables]


def served_port(root: Path, port: int | None) -> int:
    """Return the port of the service; of several tables, that of their front page."""
    return port or _stored(root).port or PORT


def _stored(root: Path) -> StoredSettings:
    try:
        return read_settings(root)
    except WrongSettingsError as wrong:
        refuse("error.settings", path=str(root / FILE_NAME), reason=str(wrong))
