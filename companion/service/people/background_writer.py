"""A background thread that writes `browsers.json`, so that no request waits for the disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

RETRY_S = 1.0
SOON_S = 3.0
"""Content that is not written after so many seconds is reported as not saved."""


class BackgroundWriter:
    """Writes the newest content by `write` on a thread of its own. `write` may block or raise
    OSError; then the content is written again after `retry_s` seconds.
    """

    def __init__(
        self,
        write: Callable[[bytes], None],
        retry_s: float = RETRY_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write, self._retry_s, self._now = write, retry_s, now
        self._unsaved_since: float | None = None
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._waiting: bytes | None = None
        self._writing = False
        self._closed = False

    def put(self, content: bytes) -> None:
        """Replace the content that waits to be written."""
        with self._changed:
            self._waiting = content
            if self._unsaved_since is None:
                self._unsaved_since = self._now()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="browsers", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    @property
    def saved(self) -> bool:
        """Whether the newest content is on the disk, or was put less than `SOON_S` ago."""
        with self._changed:
            since = self._unsaved_since
            return since is None or self._now() - since < SOON_S

    def flush(self, within_s: float) -> bool:
        """Wait until the newest content is on the disk; False where it is not within so many
        seconds.
        """
        with self._changed:
            return self._changed.wait_for(
                lambda: self._waiting is None and not self._writing, within_s
            )

    def close(self, within_s: float) -> None:
        """Write the waiting content and end the thread; wait `within_s` seconds at most."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(within_s)

    def _work(self) -> None:
        while (content := self._next()) is not None:
            refused = not self._try(content)
            with self._changed:
                self._writing = False
                if refused and self._waiting is None and not self._closed:
                    self._waiting = content
                if not refused and self._waiting is None:
                    self._unsaved_since = None
                self._changed.notify_all()
                if refused and not self._closed:
                    self._changed.wait_for(lambda: self._closed, self._retry_s)

    def _next(self) -> bytes | None:
        """Wait for the next content to write; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._closed)
            content, self._waiting = self._waiting, None
            self._writing = content is not None
            return content

    def _try(self, content: bytes) -> bool:
        try:
            self._write(content)
        except OSError:
            return False
        return True
