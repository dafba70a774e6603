"""What one may set about the service; the defaults are what a home needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from companion.vision.box.profile import Profile
from companion.vision.process.supervisor import Patience


@dataclass(frozen=True, slots=True)
class Limits:
    """Floods and slowness that are let through; `_s` are seconds."""

    json_bytes: int = 64 * 1024
    photo_bytes: int = 8 * 1024 * 1024
    file_bytes: int = 4 * 1024 * 1024
    """What a host brings back: a backup, a report."""
    bodies_bytes: int = 32 * 1024 * 1024
    """All bodies together that are being received or worked on."""
    bodies_per_sender_bytes: int = 10 * 1024 * 1024
    bodies_per_address_bytes: int = 16 * 1024 * 1024
    json_bodies_bytes: int = 8 * 1024 * 1024
    """What of it photos and files never take: an eighth for one sender, half for one address."""
    body_s: float = 30.0
    answer_s: float = 60.0
    """A phone that has not taken its answer by then is cut off."""
    stalled_s: float = 5.0
    """So is one that takes nothing of it for so long: others may wait for its place."""
    turn_s: float = 5.0
    """Whoever asks too much is answered later, and not at all where it would be later than this."""
    stranger_per_s: float = 60.0
    """Requests a second of all browsers of one address that have not joined: pages and files."""
    stranger_burst: float = 400.0
    stranger_at_once: int = 64
    spectator_per_s: float = 20.0
    """Requests a second of one browser; what takes the rules to answer counts as three, who
    joins, sits down or opens a stream as five, the whole log and an earlier game as ten."""
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
    """A connection that has not finished its request's head by then is dropped."""
    stop_s: int = 1
    """Whoever is still being answered when the service stops is cut off by then."""
    close_s: float = 1.0
    """A disk that blocks is not waited for any longer when the log is closed."""
    keep_alive_s: int = 15
    unanswered_ms: int = 20_000
    """A phone that acknowledges nothing for so long is gone (TCP_USER_TIMEOUT)."""
    send_buffer_bytes: int = 131_072
    connections: int = 400
    connections_per_address: int = 160
    """All phones may come from one: a router's, or a container's."""
    streams_per_address: int = 32
    """Six seats, twenty who watch, and some on their way."""
    heartbeat_s: float = 10.0
    look_s: float = 5.0
    """So often the interfaces are asked whether the address has changed."""
    joins_per_minute: int = 10
    """With a code; nobody guesses a token."""
    wrong_tokens_per_minute: int = 60
    wrong_codes_per_minute: int = 5
    wrong_codes_per_minute_in_all: int = 30
    browsers: int = 26
    """Six seats and twenty who watch."""
    cookie_days: int = 30
    """Who was not heard for so long joins again."""
    seat_silent_s: float = 60.0
    """After so long without a stream a seat is free for whoever takes it."""
    claim_s: float = 60.0
    """Who asks for a seat, and is silent for so long, asks no more; whoever was refused may ask
    again after it."""
    host_silent_s: float = 120.0
    """After so long without a stream a seated phone, or the terminal's token, replaces the host."""

    @property
    def cookie_s(self) -> int:
        """So long whoever joined is known without being heard."""
        return self.cookie_days * 24 * 3600


@dataclass(frozen=True, slots=True)
class Settings:
    """One service: where it listens, where its data lies, what it looks at."""

    data: Path
    host: str = "0.0.0.0"
    port: int = 8080
    camera: str = "none"
    profile: Profile = field(default_factory=Profile)
    """What is known of this camera and these dice."""
    game: str | None = None
    """Which box lies on the table at first; None: the last one played, else the first there is."""
    names: tuple[str, ...] = ()
    """Further names and numbers by which phones may call this machine."""
    advertise: str | None = None
    """The address that phones are given in place of the one found, as `advertised` writes it."""
    anyone_may_edit: bool = True
    """A seated player may correct and answer for another; it is written into the log."""
    limits: Limits = field(default_factory=Limits)
    patience: Patience = field(default_factory=Patience)
    """How long the camera's process may take for what."""
