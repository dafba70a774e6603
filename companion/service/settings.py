"""Settings of the service; the defaults suit a home."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from companion.forecasting import Patience
from companion.resources import resource_dir
from companion.vision.box.profile import Profile
from companion.vision.process.supervisor import Timeouts

LONGEST_NETWORK_NAME = 32
"""The most bytes that the name of a Wi-Fi has."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on rates, sizes and times; `_s` are seconds."""

    json_bytes: int = 64 * 1024
    photo_bytes: int = 8 * 1024 * 1024
    file_bytes: int = 4 * 1024 * 1024
    """A file that a host sends back: a backup, a report."""
    bodies_bytes: int = 32 * 1024 * 1024
    """Memory for all bodies that are being received or worked on."""
    bodies_per_sender_bytes: int = 10 * 1024 * 1024
    bodies_per_address_bytes: int = 16 * 1024 * 1024
    json_bodies_bytes: int = 8 * 1024 * 1024
    """The part of it kept for JSON: at most an eighth for one sender, half for one address."""
    body_s: float = 30.0
    answer_s: float = 60.0
    """Longest time for sending an answer; then the phone is disconnected."""
    stalled_s: float = 5.0
    """Longest time in which a phone may receive nothing of its answer, since others wait."""
    delay_s: float = 5.0
    """Longest delay of a sender that asks too much; beyond it, the request is refused."""
    stranger_per_s: float = 60.0
    """Requests a second of all browsers of one address that have not joined: pages and files."""
    stranger_burst: float = 400.0
    stranger_at_once: int = 64
    spectator_per_s: float = 20.0
    """Requests a second of one browser. One computed by the rules counts as three; joining, sitting
    down or opening a stream as five; the whole log or an earlier game as ten."""
    spectator_burst: float = 100.0
    spectator_at_once: int = 8
    seated_per_s: float = 100.0
    seated_burst: float = 300.0
    seated_at_once: int = 8
    computed_at_once: int = 2
    """Previews, odds and explanations of one browser."""
    long_answers_per_address: int = 4
    """Whole logs and earlier games that are made or sent, one of each browser."""
    photos_at_once: int = 2
    header_s: float = 20.0
    """Longest time for sending a request's head; then the connection is dropped."""
    stop_s: int = 1
    """Longest time for open answers when the service stops; then they are cut off."""
    close_s: float = 1.0
    """Longest wait for a disk that blocks when the log is closed."""
    keep_alive_s: int = 15
    unanswered_ms: int = 20_000
    """A phone that acknowledges nothing for so long is gone (TCP_USER_TIMEOUT)."""
    send_buffer_bytes: int = 131_072
    connections: int = 400
    connections_per_address: int = 160
    """All phones may come from one: a router's, or a container's."""
    streams_per_address: int = 128
    """All phones may come from one address, and some are on their way."""
    viewers: int = 8
    """Streams of televisions and overlays."""
    heartbeat_s: float = 10.0
    look_s: float = 5.0
    """Interval at which the interfaces are listed for a changed address."""
    joins_per_minute: int = 10
    """By a code; a token cannot be guessed."""
    wrong_tokens_per_minute: int = 60
    wrong_codes_per_minute: int = 5
    wrong_codes_per_minute_in_all: int = 30
    browsers: int = 120
    """Six seats, and who watches: each of them may have a stream."""
    late_s: float = 20.0
    """Time after which a phone that got the page and opened no stream has not arrived."""
    cookie_days: int = 30
    """Days after which a browser that was not seen has to join again."""
    seat_silent_s: float = 60.0
    """Time without a stream after which anybody may take the seat."""
    claim_s: float = 60.0
    """Time without a stream after which a claim is dropped, and after which one that was refused
    may be made again."""
    fuse_s: float = 3.0
    """How long a fuse burns."""
    machine_s: float = 30.0
    """Interval at which power, heat and the room on the disk are looked at."""
    disk_low_bytes: int = 200 * 1024 * 1024
    """Room on the disk below which the table is warned."""
    disk_full_bytes: int = 20 * 1024 * 1024
    """Room below which rows may soon not be saved."""
    host_silent_s: float = 120.0
    """Time without a stream after which a seated phone, or the terminal's token, replaces the
    host."""

    @property
    def cookie_s(self) -> int:
        """Seconds for which a browser is known without being seen."""
        return self.cookie_days * 24 * 3600


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
    """The calibration of this camera and the prints of these dice."""
    game: str | None = None
    """The box to offer first; None: the last one played, else the first of all."""
    names: tuple[str, ...] = ()
    """Further names and numbers by which phones may call this machine."""
    advertise: str | None = None
    """The address that phones are given in place of the one found, as `advertised` writes it."""
    anyone_may_edit: bool = True
    """A seated player may correct and answer for another; it is written into the log."""
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
