"""`settings.toml` in the data folder: what `serve` does where its command line says nothing.

`companion setup` writes it, and a person may. It may hold a Wi-Fi password: only its owner and
group read it, and no backup takes it.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.service.settings import Wifi
from companion.storage.files import open_regular, write_atomically

FILE_NAME: Final = "settings.toml"
OWNER_AND_GROUP: Final = 0o640
LONGEST_FILE: Final = 16 * 1024
Line = Annotated[str, Meta(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]*$")]


class StoredSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file. None: the default of `serve`."""

    camera: Line | None = None
    host: Line | None = None
    port: Annotated[int, Meta(ge=1, le=65535)] | None = None
    game: Line | None = None
    advertise: Line | None = None
    names: Annotated[tuple[Line, ...], Meta(max_length=16)] | None = None
    title: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    """The table's name for people, if there are several."""
    hotspot: bool | None = None
    wifi: Wifi | None = None

    def __post_init__(self) -> None:
        """ValueError for a title that not every screen can show."""
        if self.title is not None and not self.title.isprintable():
            raise ValueError("title: characters that cannot be shown")


_STORED: Final = msgspec.json.Decoder(StoredSettings)


class WrongSettingsError(Exception):
    """The file cannot be read, or a field of it is wrong."""


def read_settings(folder: Path) -> StoredSettings:
    """Read the file; all defaults where there is none. Raises WrongSettingsError."""
    try:
        with open_regular(folder / FILE_NAME) as file:
            content = file.read(LONGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        return StoredSettings()
    except OSError as refusal:
        raise WrongSettingsError(refusal.strerror or str(refusal)) from refusal
    if len(content) > LONGEST_FILE:
        raise WrongSettingsError(f"more than {LONGEST_FILE} bytes")
    try:
        return _STORED.decode(msgspec.json.encode(tomllib.loads(content.decode())))
    except (ValueError, RecursionError) as wrong:
        raise WrongSettingsError(str(wrong)) from wrong


def digest(settings: StoredSettings) -> str:
    """Return a hash by which two files with the same content are known."""
    return hashlib.sha256(_encoded(settings).encode()).hexdigest()


def write_settings(folder: Path, settings: StoredSettings) -> None:
    """Write the file. Root writes it for the folder's group. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    write_atomically(path, _encoded(settings).encode(), mode=OWNER_AND_GROUP)
    if os.geteuid() == 0:
        with suppress(OSError):
            os.chown(path, -1, folder.stat().st_gid, follow_symlinks=False)


def _encoded(settings: StoredSettings) -> str:
    """Return the file's text. A string, number or list of JSON is one of TOML too."""
    fields = msgspec.structs.asdict(settings)
    wifi = fields.pop("wifi")
    lines = [_line(name, value) for name, value in fields.items() if value is not None]
    if wifi is not None:
        lines += ["", "[wifi]", *(_line(*pair) for pair in msgspec.structs.asdict(wifi).items())]
    return "\n".join([*lines, ""])


def _line(name: str, value: object) -> str:
    return f"{name} = {msgspec.json.encode(value).decode()}"
