"""The topics that the broker retains of one table, by a file in its folder.

Those that the settings no longer name are deleted at the broker: a table that was renamed, or is no
longer published for the house or for hubs, leaves nothing behind.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from companion.storage.files import open_regular, write_atomically

FILE_NAME: Final = "mqtt-topics.json"
"""Not among the files of a backup."""
MOST_TOPICS: Final = 64
LONGEST: Final = 32 * 1024
Topic = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\Z", max_length=256)]
_TOPICS: Final[msgspec.json.Decoder[tuple[Topic, ...]]] = msgspec.json.Decoder(
    Annotated[tuple[Topic, ...], Meta(max_length=MOST_TOPICS)]
)
_LOG: Final = logging.getLogger(__name__)


class RetainedTopics:
    """The topics in use, and those to delete; used by one thread."""

    def __init__(self, folder: Path, used: Collection[str]) -> None:
        self._path, self._used = folder / FILE_NAME, frozenset(used)
        known = _read(self._path)
        self._unused = set(known) - self._used
        if not self._used <= set(known):
            self._write()

    @property
    def unused(self) -> tuple[str, ...]:
        """Topics to delete at the broker; a status last, since another table that has taken its
        name publishes everything again then.
        """
        return tuple(sorted(self._unused, key=lambda topic: (topic.endswith("/status"), topic)))

    def forget(self, topic: str) -> None:
        """Note that the broker holds nothing of a topic any more: another table may take it."""
        if topic in self._unused:
            self._unused.discard(topic)
            self._write()

    def _write(self) -> None:
        """Write the file; where the disk refuses, these topics may stay at the broker."""
        topics = (*sorted(self._used), *self.unused)[:MOST_TOPICS]
        try:
            write_atomically(self._path, msgspec.json.encode(topics))
        except OSError:
            _LOG.warning("the topics at the broker could not be noted in %s", self._path)


def _read(path: Path) -> tuple[str, ...]:
    """Return the topics in the file; none where it is not ours."""
    try:
        with open_regular(path) as file:
            return _TOPICS.decode(file.read(LONGEST))
    except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return ()
