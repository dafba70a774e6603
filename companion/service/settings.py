"""Settings of the service; the defaults suit a home. And `settings.toml` in the data folder: what
`serve` does if its command line says nothing.

`companion setup` writes the file, and a person may. It may hold a Wi-Fi password, so only its owner
and group read it, and no backup has it.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.files import open_regular, write_atomically
from companion.forecast.process import Patience
from companion.resources import resource_dir
from companion.vision.box import Profile
from companion.vision.camera import Timeouts

FILE_NAME: Final = "settings.toml"
OWNER_AND_GROUP: Final = 0o640
LONGEST_FILE: Final = 16 * 1024
LONGEST_NETWORK_NAME: Final = 32
"""The most bytes that the name of a Wi-Fi has."""
Line = Annotated[str, Meta(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f\x7f]*$")]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on rates, sizes and times; `_s` are seconds."""

    json_bytes: int = 64 * 1024
    photo_bytes: int = 8 * 1024 * 1024
    """A photo, or a file that a host sends back: a backup, a report."""
    connections: int = 400
    connections_per_address: int = 160
    """All phones may come from one: a router's, or a container's."""
    slow_s: float = 30.0
    """Longest time for a request's head, and then for its body; then the connection is dropped."""
    stalled_s: float = 5.0
    """Longest time in which a phone may receive nothing of its answer, since others wait."""
    per_s: float = 100.0
    """Requests a second of one browser, and of all browsers of one address that have not joined.
    Costly ones count as several, and those of a browser without a seat as four."""
    burst: float = 400.0
    at_once: int = 2
    """Requests of one kind that one browser has answered at once, files of the page excepted."""
    delay_s: float = 5.0
    """Longest delay of a sender that asks too much; beyond it, the request is refused."""
    wrong_codes_per_minute: int = 5
    """From one address; from all of them six times as many."""
    browsers: int = 120
    """Six seats, and who watches: each of them may have a stream."""
    heartbeat_s: float = 10.0
    look_s: float = 5.0
    """Interval at which the interfaces are listed for a changed address."""
    late_s: float = 20.0
    """Time after which a phone that got the page and opened no stream has not arrived."""
    seat_silent_s: float = 60.0
    """Time without a stream after which anybody may take the seat."""
    host_silent_s: float = 120.0
    """Time without a stream until a seated phone, or the terminal's token, replaces the host."""
    fuse_s: float = 3.0
    """How long a fuse burns."""
    disk_low_bytes: int = 200 * 1024 * 1024
    """Room on the disk below which the table is warned."""
    disk_full_bytes: int = 20 * 1024 * 1024
    """Room below which rows may soon not be saved."""


class Safe(StrEnum):
    """Whether the service runs in safe mode, and why; the end of its notice's key."""

    NO = ""
    FAILED = "safe_mode"
    """Too many starts have failed."""
    ASKED = "safe_asked"


class Wifi(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The Wi-Fi that phones join for this table. Without a password it is open."""

    name: Annotated[str, Meta(min_length=1, max_length=32, pattern=r"^[^\x00-\x1f\x7f]*$")]
    password: Annotated[str, Meta(max_length=63, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    hidden: bool = False

    def __post_init__(self) -> None:
        """ValueError for a name that no network can have: its bytes count, not its signs."""
        if len(self.name.encode()) > LONGEST_NETWORK_NAME:
            raise ValueError(f"name: more than {LONGEST_NETWORK_NAME} bytes")


@dataclass(frozen=True, slots=True)
class Settings:
    """One service: where it listens, where its data is stored, which camera it reads."""

    data: Path
    host: str = "0.0.0.0"
    port: int = 8080
    camera: str = "none"
    title: str = ""
    """The table's name for people, if there are several; "" for none."""
    profile: Profile = field(default_factory=Profile)
    """The prints of the table's dice."""
    game: str | None = None
    """The box to offer first; None: the last one played, else the first of all."""
    names: tuple[str, ...] = ()
    """Further host names and IP addresses that phones may use."""
    advertise: str | None = None
    """The address that phones are given in place of the one found, as `advertised` writes it."""
    limits: Limits = field(default_factory=Limits)
    networks: Path = field(default_factory=lambda: resource_dir("models") / "value")
    """The folder of the networks for win chances."""
    patience: Patience = field(default_factory=Patience)
    """How long the forecasts' process may take."""
    is_passing: bool = False
    """Whether the data folder is removed when the service ends."""
    safe: Safe = Safe.NO
    """Safe mode: no camera, no reader, no win chances."""
    wifi: Wifi | None = field(default=None, repr=False)
    """The Wi-Fi of the table, for a QR code."""
    hotspot: bool = False
    """Whether phones that look for the internet are answered as if it were there."""
    stored: str = ""
    """The digest of the settings file that was read."""
    sensors: Path = Path("/")
    """Where `sys` and `proc` of this machine are."""
    verbose: bool = False
    """Whether each request is logged, without its secrets."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    """How long the camera's process may take for each kind of work."""


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
    """Read the file; all defaults if there is none. Raises WrongSettingsError."""
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
