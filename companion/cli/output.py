"""Standard output and error where they may fail: a full disk or a closed pipe below them."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from typing import TextIO

import click

UNHEARD = (OSError, ValueError)
"""What printing raises where nothing can be printed."""


def failed_to_print(failure: OSError) -> bool:
    """Return whether it was raised by printing, not by another file."""
    *_, (frame, _) = traceback.walk_tb(failure.__traceback__)
    return frame.f_code is click.echo.__code__


def give_up_unprinted() -> None:
    """Forget what could not be printed: at the end of the program it would fail once more, and
    change the exit status.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as it is where it was closed before the program began
            _give_up_unprinted(stream)


def _give_up_unprinted(stream: TextIO) -> None:
    try:
        stream.flush()
    except UNHEARD:
        with suppress(*UNHEARD):
            _to_nowhere(stream)


def _to_nowhere(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
    stream.flush()
