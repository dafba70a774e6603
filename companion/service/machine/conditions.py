"""Conditions of the machine that the table should know: safe mode, weak power, heat, full disk."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from companion.service.wire import LogNotice, Words

PREFIX = "machine-"
"""Begins the ids of these notices; the log's have other ones."""


class Conditions:
    """The conditions that hold now, in the order in which they arose. Thread-safe.

    One that the host has seen is hidden until it has ended and arisen again.
    """

    def __init__(self, first: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._words = {f"{PREFIX}{name}": _words(name, {}) for name in first}
        self._seen: set[str] = set()

    def follow(self, found: dict[str, dict[str, str | int]], among: Iterable[str]) -> bool:
        """Take in which conditions of `among` hold, each with the parameters of its sentence.

        Return whether something changed that phones show.
        """
        before = self.notices
        with self._lock:
            for name in among:
                notice = f"{PREFIX}{name}"
                if name in found:
                    self._words[notice] = _words(name, found[name])
                else:
                    self._words.pop(notice, None)
                    self._seen.discard(notice)
        return self.notices != before

    @property
    def notices(self) -> tuple[LogNotice, ...]:
        """The notices that the host has not seen yet."""
        with self._lock:
            return tuple(
                LogNotice(id=notice, words=words)
                for notice, words in self._words.items()
                if notice not in self._seen
            )

    def mark_seen(self, notice: str) -> bool:
        """Hide the notice; return False where it is none of these."""
        with self._lock:
            known = notice in self._words
            if known:
                self._seen.add(notice)
        return known


def _words(name: str, args: dict[str, str | int]) -> Words:
    return Words(key=f"machine.{name}", args=args)
