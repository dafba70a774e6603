"""The table's camera: the one it starts with, and one that is plugged in while it has none."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from companion.redaction import shown_source
from companion.service.workers import Workers
from companion.table import RefusedError
from companion.vision.readings import CameraState, SourceError
from companion.vision.sources.cameras import FoundCamera, find_cameras, find_usb_cameras
from companion.vision.sources.kinds import FrameSource, parse_source

AUTO, NONE = "auto", "none"
"""SOURCEs: the first usable camera of this machine; no camera, and none is offered."""
Find = Callable[[], tuple[FoundCamera, ...]]


class Cameras:
    """Chooses the source that a table starts with, and looks for a camera that comes later.

    `chosen` is SOURCE as the command line has it. `find` lists the machine's cameras, and
    `find_later` those that may have been plugged in since. `changed` is called if another camera is
    offered.
    """

    def __init__(
        self,
        chosen: str,
        changed: Callable[[], None],
        find: Find = find_cameras,
        find_later: Find = find_usb_cameras,
    ) -> None:
        self._chosen, self._changed, self._find_later = chosen, changed, find_later
        self.found = find() if chosen == AUTO else ()
        """The machine's cameras at the start, the usable ones first; only with `auto`."""
        self._offered: FoundCamera | None = None
        self._workers = Workers("cameras", 1)
        self._looking: Future[None] | None = None

    @property
    def name(self) -> str:
        """The name of the camera at the start; empty if there is none."""
        if self._chosen == AUTO:
            return self.found[0].name if self.found else ""
        return "" if self._chosen == NONE else shown_source(self._chosen)

    @property
    def offered(self) -> str:
        """The name of a camera that was plugged in and is not used; empty if there is none."""
        return self._offered.name if self._offered is not None else ""

    def source(self) -> FrameSource | None:
        """Return the source to start with; None if there is none. SourceError for a SOURCE that
        does not exist.
        """
        if self._chosen != AUTO:
            return parse_source(self._chosen)
        if not self.found or self.found[0].problem:
            return None
        return parse_source(self.found[0].source)

    def tick(self, state: CameraState, used: FrameSource | None) -> None:
        """Look for another camera while the table has none that works. Called every second."""
        is_wanted = self._chosen != NONE and state in (CameraState.NONE, CameraState.LOST)
        if not is_wanted:
            self._offered = None
        elif self._looking is None or self._looking.done():
            self._looking = self._workers.submit(self.look, used)

    def look(self, used: FrameSource | None) -> None:
        """Offer the first usable camera that is not the one in use."""
        usable = (one for one in self._find_later() if not one.problem)
        other = next((one for one in usable if _opened(one) not in (None, used)), None)
        if other != self._offered:
            self._offered = other
            self._changed()

    def take(self) -> FrameSource:
        """Return the source of the camera that is offered. RefusedError if it is gone."""
        source = _opened(self._offered) if self._offered is not None else None
        if source is None:
            raise RefusedError("error.camera.gone", outdated=True)
        self._offered = None
        return source

    def close(self) -> None:
        """Stop looking, without waiting."""
        self._workers.shutdown()


def _opened(camera: FoundCamera) -> FrameSource | None:
    try:
        return parse_source(camera.source)
    except SourceError:  # unplugged again meanwhile
        return None
