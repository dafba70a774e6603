"""The connection to the broker as the service sees it: what is to be retained there, newest first.

    link = Link(begin, compose, heard, reported)
    link.wake()     # something has changed; returns at once
    link.close()

One thread composes what changed and hands it to the broker's process; a process that died is
started again after a while. The table never waits for either.
"""

from __future__ import annotations

import logging
import multiprocessing
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Final

import msgspec

from companion.child_process import kill_child, start_child
from companion.mqtt.messages import (
    Begin,
    Clear,
    Cleared,
    FromChild,
    Heard,
    Keep,
    LinkState,
    Outgoing,
)

CHILD: Final = "companion.mqtt.child"
_FROM_CHILD: Final[msgspec.msgpack.Decoder[FromChild]] = msgspec.msgpack.Decoder(FromChild)
_BROKEN: Final = (OSError, EOFError, msgspec.MsgspecError)
"""What a process that dies in the middle of a message leaves behind."""
_LOG: Final = logging.getLogger(__name__)
LONGEST_MESSAGE: Final = 4096
"""Bytes from the process."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Bounds on time; `_s` are seconds."""

    apart_s: float = 0.1
    """The least time between two looks at what has changed."""
    again_s: float = 1.0
    """Before a process that died is started again; twice as long each time it dies again."""
    longest_s: float = 60.0
    end_s: float = 2.0
    """For the last message when the service stops."""


class _LogFaults:
    """Context manager that logs a fault of whoever composes, hears or reports, and goes on: the
    table stays published.
    """

    def __enter__(self) -> None:
        return

    def __exit__(self, _: object, fault: BaseException | None, __: object) -> bool:
        if not isinstance(fault, Exception):
            return False
        _LOG.error("the table could not be published", exc_info=fault)
        return True


class Link:
    """Keeps the topics that `compose` returns at the broker; `heard` gets commands, `reported` how
    the connection is, `cleared` each topic of which nothing is retained any more. All of them are
    called by the link's own thread, and must not wait.
    """

    def __init__(
        self,
        begin: Begin,
        compose: Callable[[], Outgoing],
        heard: Callable[[Heard], None],
        reported: Callable[[LinkState], None],
        cleared: Callable[[str], None],
        patience: Patience | None = None,
    ) -> None:
        self._begin, self._compose = begin, compose
        self._heard, self._reported, self._cleared = heard, reported, cleared
        self._patience = patience or Patience()
        self._changed, self._closed = threading.Event(), threading.Event()
        self._bell, self._ring = socket.socketpair()
        self._ring.setblocking(False)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._changed.set()
        self._thread = threading.Thread(target=self._work, name="mqtt", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """The number of the broker's process; None while none runs."""
        process = self._process
        return None if process is None else process.pid

    def wake(self) -> None:
        """Have what changed sent soon; from any thread, without waiting."""
        if not self._changed.is_set():
            self._changed.set()
            self._call()

    def close(self) -> None:
        """Say at the broker that the table is gone, for as long as that takes within bounds."""
        self._closed.set()
        self._call()
        self._thread.join(self._patience.end_s)
        with self._lock:
            process = self._process
        if process is not None:
            kill_child(process)
            self._thread.join(self._patience.end_s)

    def _call(self) -> None:
        with suppress(OSError):  # full: it is awake
            self._ring.send(b"!")

    def _work(self) -> None:
        with self._bell, self._ring:
            self._run_processes()

    def _run_processes(self) -> None:
        """Run one process after the other until the end."""
        pause = self._patience.again_s
        while not self._closed.is_set():
            began = time.monotonic()
            with _LogFaults(), suppress(*_BROKEN):
                self._run()
            if time.monotonic() - began > self._patience.longest_s:
                pause = self._patience.again_s
            self._closed.wait(pause)
            pause = min(2 * pause, self._patience.longest_s)

    def _run(self) -> None:
        """Start the process and serve it until it dies, or all ends."""
        ours, theirs = multiprocessing.Pipe()
        try:
            with self._lock:
                if self._closed.is_set():
                    return
                self._process = process = start_child(CHILD, theirs)
        finally:
            theirs.close()
        try:
            self._serve(ours)
        finally:
            ours.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(self._patience.end_s)
            kill_child(process)
            process.wait()
            with self._lock:
                self._process = None

    def _serve(self, line: Connection) -> None:
        """Hand on what changes, and what comes; EOFError where the process died."""
        line.send_bytes(msgspec.msgpack.encode(self._begin))
        sent: dict[str, bytes] = {}
        self._changed.set()
        next_at = 0.0
        while not self._closed.is_set():
            left = next_at - time.monotonic()
            if self._changed.is_set() and left <= 0:
                self._changed.clear()
                outgoing = self._compose()
                for once in outgoing.send:
                    line.send_bytes(msgspec.msgpack.encode(once))
                for topic, payload in outgoing.keep.items():
                    if sent.get(topic) != payload:
                        line.send_bytes(msgspec.msgpack.encode(Keep(topic, payload)))
                        sent[topic] = payload
                for topic in outgoing.clear:
                    if sent.get(topic) != b"":
                        line.send_bytes(msgspec.msgpack.encode(Clear(topic)))
                        sent[topic] = b""
                next_at = time.monotonic() + self._patience.apart_s
                continue
            ready = wait([line, self._bell], left if self._changed.is_set() else None)
            if self._bell in ready:
                self._bell.recv(4096)
            if line in ready:
                self._take(_FROM_CHILD.decode(line.recv_bytes(LONGEST_MESSAGE)))

    def _take(self, message: FromChild) -> None:
        if isinstance(message, Heard):
            self._heard(message)
        elif isinstance(message, Cleared):
            self._cleared(message.topic)
        else:
            self._reported(message)
