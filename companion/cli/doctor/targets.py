"""Which tables are looked at: the one of a data folder, or each of several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from companion.cli.doctor.diagnoses import Diagnosis, Verdict
from companion.cli.options.folders import why_wrong_settings
from companion.cli.words import refuse
from companion.service.machine.settings_file import (
    StoredSettings,
    WrongSettingsError,
    read_settings,
)
from companion.service.network.addresses import advertised
from companion.service.network.listening import Listening, read_listening
from companion.service.settings import Settings
from companion.tables import (
    TablesError,
    TableSettings,
    folder_in,
    folder_of,
    has_tables,
    read_tables,
)

DEFAULT = Settings(data=Path())


@dataclass(frozen=True, slots=True)
class Target:
    """One table: its folder, camera and port; its name where it is one of several; the host that
    it listens at; the settings of MQTT that its running service was given.
    """

    folder: Path
    camera: str
    port: int
    name: str = ""
    host: str = DEFAULT.host
    mqtt: Path | None = None

    @property
    def at(self) -> Listening:
        """Where its service listens."""
        return Listening(self.host, self.port)

    def led(self, found: Diagnosis) -> Diagnosis:
        """Return the diagnosis with the table's name before what it is about."""
        return replace(found, about=f"{self.name}/{found.about}") if self.name else found


def targets_of(root: Path, at: str | None, camera: str | None, port: int | None) -> list[Target]:
    """Return the tables of a data folder, or the one that `at` names. `camera` and `port` are what
    the command line says of a single one. Ends the command where a file or the name is wrong.
    """
    if at is None and not has_tables(root):
        chosen = camera or stored(root).camera or "auto"
        listening = served_at(root, port, root)
        return [_target(root, chosen, listening)]
    try:
        tables = [one for one in read_tables(root) if at in {None, one.name}]
        if at is not None:
            folder_of(root, at)
    except TablesError as wrong:
        refuse(wrong.key, **wrong.params)
    return [_named(root, one) for one in tables]


def _named(root: Path, table: TableSettings) -> Target:
    folder = folder_in(root, table)
    at = served_at(folder, table.port, root)
    return _target(folder, table.camera, at, table.name)


def _target(folder: Path, camera: str, at: Listening, name: str = "") -> Target:
    return Target(folder, camera, at.port, name, at.host, at.settings_of_mqtt)


def served_at(folder: Path, port: int | None, root: Path) -> Listening:
    """Return where the service of a data folder listens, `port` being what is known of it: what it
    wrote down, else what the settings of its machine say. Of several tables, the folder of all is
    that of their front page.
    """
    running = read_listening(folder) or read_listening(root)
    if running is not None:
        return replace(running, port=port or running.port)
    kept = stored(root)
    return Listening(kept.host or DEFAULT.host, port or kept.port or DEFAULT.port)


def network_settings(root: Path, port: int | None) -> Settings:
    """Return the settings by which phones are given the address of the machine's service."""
    at, advertise = served_at(root, port, root), stored(root).advertise
    try:
        found = None if advertise is None else advertised(advertise)
    except ValueError:  # the service refuses to start with it, and says so
        found = None
    return Settings(data=root, host=at.host, port=at.port, advertise=found)


def wrong_settings(root: Path) -> Iterator[Diagnosis]:
    """Yield what is wrong with the settings; nothing where they are good."""
    try:
        read_settings(root)
    except WrongSettingsError as wrong:
        yield Diagnosis("settings", Verdict.BAD, why_wrong_settings(root, wrong))


def stored(root: Path) -> StoredSettings:
    """Return the settings; all defaults where they are wrong, as a service in safe mode has it."""
    try:
        return read_settings(root)
    except WrongSettingsError:
        return StoredSettings()
