"""The demo tray as a source of frames, which the service passes to the reader's process.

So nothing here loads NumPy or OpenCV before the source is opened.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from companion.resources import resource_dir

if TYPE_CHECKING:
    from companion.demo.camera import DemoCamera
    from companion.vision.pictures import Frame

_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class DemoTray:
    """An endless virtual camera over a tray in which demo dice are thrown (`sources.kinds`).

    With a seed it throws the same dice again each time it is opened.
    """

    live: ClassVar[bool] = True
    seed: int | None = None

    def present(self) -> bool:
        """Whether its pictures are installed."""
        return pictures().is_dir()

    def frames(self) -> Generator[Frame]:
        """Yields frames for ever, no faster than the camera takes them."""
        camera = self.play()
        while True:
            frame = camera.take(_WAIT_S)
            if frame is not None:
                yield frame

    def play(self) -> DemoCamera:
        """Open the camera over the empty tray."""
        from companion.demo.camera import DemoCamera

        return DemoCamera(pictures(), self.seed)


def pictures() -> Path:
    """The folder of what the tray is put together from; `models/sprites.py` renders it."""
    return resource_dir("models") / "demo"


def has_dice(game: str) -> bool:
    """Whether there are demo dice of this game."""
    return (pictures() / f"{game}.png").is_file()
