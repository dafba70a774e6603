"""Which table is looked at: where its games are, which camera it has, where it is served."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from companion.cli.doctor.diagnoses import Diagnosis, Verdict
from companion.cli.options.folders import why_wrong_settings
from companion.service.machine.settings_file import (
    StoredSettings,
    WrongSettingsError,
    read_settings,
)
from companion.service.network.addresses import advertised
from companion.service.network.listening import Listening, read_listening
from companion.service.settings import Settings

DEFAULT = Settings(data=Path())


@dataclass(frozen=True, slots=True)
class Target:
    """One table: its folder, its camera, where its service listens, with the settings of MQTT that
    a running one was given.
    """

    folder: Path
    camera: str
    at: Listening


def target_of(folder: Path, camera: str | None, port: int | None) -> Target:
    """Return the table of a data folder; `camera` and `port` are what the command line says."""
    chosen = camera or stored(folder).camera or "auto"
    return Target(folder, chosen, served_at(folder, port))


def served_at(folder: Path, port: int | None) -> Listening:
    """Return where the service of a data folder listens, `port` being what is known of it: what it
    wrote down, else what its settings say.
    """
    running = read_listening(folder)
    if running is not None:
        return replace(running, port=port or running.port)
    kept = stored(folder)
    return Listening(kept.host or DEFAULT.host, port or kept.port or DEFAULT.port)


def network_settings(folder: Path, port: int | None) -> Settings:
    """Return the settings by which phones are given the address of the service."""
    at, advertise = served_at(folder, port), stored(folder).advertise
    try:
        found = None if advertise is None else advertised(advertise)
    except ValueError:  # the service refuses to start with it, and says so
        found = None
    return Settings(data=folder, host=at.host, port=at.port, advertise=found)


def wrong_settings(folder: Path) -> Iterator[Diagnosis]:
    """Yield what is wrong with the settings; nothing where they are good."""
    try:
        read_settings(folder)
    except WrongSettingsError as wrong:
        yield Diagnosis("settings", Verdict.BAD, why_wrong_settings(folder, wrong))


def stored(folder: Path) -> StoredSettings:
    """Return the settings; all defaults where they are wrong, as a service in safe mode has it."""
    try:
        return read_settings(folder)
    except WrongSettingsError:
        return StoredSettings()
