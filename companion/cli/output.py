"""Standard output and error that may fail: a full disk or a closed pipe."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from typing import TextIO

import click

CANNOT_PRINT = (OSError, ValueError)
"""What printing may raise where the stream is closed or the disk is full."""


def failed_to_print(failure: OSError) -> bool:
    """Return whether the error was raised by printing, not by another file."""
    *_, (frame, _) = traceback.walk_tb(failure.__traceback__)
    return frame.f_code is click.echo.__code__


def discard_unprinted() -> None:
    """Discard output that cannot be printed, so that flushing it at exit does not change the exit
    status.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as it is where it was closed before the program began
            _discard_unprinted(stream)


def _discard_unprinted(stream: TextIO) -> None:
    try:
        stream.flush()
    except CANNOT_PRINT:
        with suppress(*CANNOT_PRINT):
            _redirect_to_null(stream)


def _redirect_to_null(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
    stream.flush()
