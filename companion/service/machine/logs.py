"""The log of the process: everything goes through one handler, and no query of a request: the code
of the table may be in one.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from contextlib import suppress
from types import TracebackType
from typing import TextIO

JOURNAL = "JOURNAL_STREAM"
"""Set by systemd: device and inode of the journal's socket."""


def start_log(stream: TextIO, *, verbose: bool = False) -> None:
    """Send the records of every logger to this stream alone, errors of threads included."""
    level = logging.DEBUG if verbose else logging.WARNING
    logging.basicConfig(level=level, stream=stream, force=True)
    # uvicorn cuts its access log off from the root, and records without a handler go here.
    logging.lastResort = logging.StreamHandler(stream)
    logging.lastResort.setLevel(level)
    logging.getLogger("uvicorn.access").addFilter(_without_query)
    logging.captureWarnings(True)
    sys.excepthook = _log_failure
    threading.excepthook = lambda failed: _log_failure(
        failed.exc_type, failed.exc_value, failed.exc_traceback
    )


def _without_query(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            part.partition("?")[0] if isinstance(part, str) else part for part in record.args
        )
    return True


def _log_failure(
    kind: type[BaseException], failure: BaseException | None, trace: TracebackType | None
) -> None:
    log = logging.getLogger("companion")
    log.error("unexpected end", exc_info=(kind, failure or kind(), trace))


def is_journal(stream: TextIO | None) -> bool:
    """Return whether systemd keeps what is written to this stream."""
    with suppress(OSError, ValueError, AttributeError):
        found = os.fstat(stream.fileno()) if stream is not None else None
        return found is not None and os.environ.get(JOURNAL) == f"{found.st_dev}:{found.st_ino}"
    return False
