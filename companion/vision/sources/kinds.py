"""The kinds of sources: a device, a Pi's own camera, a file, a folder of stills, an address.

A source is a small frozen value that the service passes to the camera's process; only that process
opens it. So nothing here loads OpenCV before `frames()` is called. How each kind is opened is in
modules of its own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable
from urllib.parse import urlsplit

from companion.redaction import shown_source
from companion.vision.readings import Rect, SourceError
from companion.vision.sources.cameras import has_rpicam, stable_name

if TYPE_CHECKING:
    from companion.vision.pictures import AnyFrame, Frame

_ADDRESSES = frozenset({"http", "https", "rtsp"})


class FrameStream(Protocol):
    """An open source."""

    def take(self, timeout_s: float) -> AnyFrame | None:
        """Take the next frame to look at; None if none comes in time.

        EOFError once a recording has ended, SourceError if the source cannot open or breaks off.
        """


@dataclass(frozen=True, slots=True)
class Throw:
    """Dice of the game are thrown until `dice` of them lie in the tray; those in the boxes stay."""

    game: str
    dice: int
    kept: tuple[Rect, ...] = ()


@runtime_checkable
class ThrowingStream(FrameStream, Protocol):
    """An open source that throws dice of its own."""

    def throw(self, throw: Throw) -> None:
        """Take up all dice but the kept ones, and throw."""

    def clear(self) -> None:
        """Take up all dice."""


class FrameSource(Protocol):
    """A source of frames, not yet open."""

    live: ClassVar[bool] = True
    """Whether the source is a camera; a recording has an end and its own clock."""

    def present(self) -> bool:
        """Whether opening the source now could succeed: a camera may be unplugged."""
        return True

    @abstractmethod
    def frames(self) -> Generator[AnyFrame]:
        """Yields frames until a recording ends. SourceError if it cannot open or breaks off: a
        camera that gives none for 1.5 s does."""

    def play(self) -> FrameStream:
        """Open the source for watching: a camera gives its newest frame, a recording every one, at
        most at its own speed."""
        from companion.vision.sources.frames import LatestFrame, PacedPlayback

        return LatestFrame(self.frames()) if self.live else PacedPlayback(self.frames())


@dataclass(frozen=True, slots=True)
class Device(FrameSource):
    """A camera on this machine, by its device node (a by-id path survives replugging)."""

    path: str

    def present(self) -> bool:
        """Whether the device node is there."""
        return Path(self.path).exists()

    def frames(self) -> Generator[AnyFrame]:
        """Yields frames for ever. SourceError once the device gives none."""
        from companion.vision.sources.devices import device_frames

        return device_frames(self.path)


@dataclass(frozen=True, slots=True)
class PiCamera(FrameSource):
    """A Raspberry Pi's own camera on its ribbon cable, by its number."""

    number: int

    def present(self) -> bool:
        """Whether the program that reads it is there."""
        return has_rpicam()

    def frames(self) -> Generator[AnyFrame]:
        """Yields frames for ever. SourceError once the program gives none."""
        from companion.vision.sources.devices import rpicam_frames

        return rpicam_frames(self.number)


@dataclass(frozen=True, slots=True)
class NetworkCamera(FrameSource):
    """A camera that sends MJPEG (or what FFmpeg understands) over the network."""

    url: str = field(repr=False)
    """The address, which may contain a password."""

    def frames(self) -> Generator[AnyFrame]:
        """Yields frames for ever. SourceError once the address gives none for 1.5 s."""
        from companion.vision.sources.frames import address_frames

        return address_frames(self.url)


@dataclass(frozen=True, slots=True)
class VideoFile(FrameSource):
    """A recording; it plays once."""

    live = False
    path: str

    def present(self) -> bool:
        """Whether the file is there."""
        return Path(self.path).is_file()

    def frames(self) -> Generator[Frame]:
        """Yields each frame with its own time stamp, as fast as it is asked."""
        from companion.vision.sources.frames import video_frames

        return video_frames(self.path)


@dataclass(frozen=True, slots=True)
class Stills(FrameSource):
    """A folder of pictures, shown one after the other as a camera would see them."""

    live = False
    path: str

    def present(self) -> bool:
        """Whether the folder is there."""
        return Path(self.path).is_dir()

    def frames(self) -> Generator[Frame]:
        """Yields every still, in the order of names, for as long as a roll must rest."""
        from companion.vision.sources.frames import still_frames

        return still_frames(self.path)


def parse_source(text: str) -> FrameSource | None:
    """Parse SOURCE: a device (its index or node), `csi` or `csi:1`, a video file, a folder of
    stills or an address; None for `none`. SourceError if there is none. Opening may still fail.
    """
    kind, _, number = text.partition(":")
    try:
        is_address, path = urlsplit(text).scheme in _ADDRESSES, Path(text)
        if text == "none":
            return None
        if kind == "csi" and (number or "0").isdecimal():
            if not has_rpicam():
                raise SourceError("error.camera.no_rpicam")
            return PiCamera(int(number or 0))
        if is_address:
            return NetworkCamera(text)
        if text.isdecimal():
            path = Path(f"/dev/video{int(text)}")
        if path.is_dir() and text.strip():
            return Stills(text)
        if path.is_file():
            return VideoFile(text)
        if path.is_char_device():
            return Device(stable_name(str(path)))
    except ValueError:  # an address or a path that is none
        path = Path()
    key = "unknown_device" if path.is_relative_to("/dev") else "unknown_source"
    source = str(path) if text.isdecimal() else shown_source(text)
    raise SourceError(f"error.camera.{key}", source=source)


def expected_source(text: str) -> FrameSource | None:
    """Parse SOURCE as `parse_source` does; a device may be plugged in later."""
    try:
        return parse_source(text)
    except SourceError:
        if not text.startswith("/dev/"):
            raise
        return Device(text)
