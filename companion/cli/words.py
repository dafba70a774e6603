"""Sentences for the terminal, from the same catalogue as the phones', and how a command ends."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from typing import Final, NoReturn

import click
import msgspec

from companion import catalogues
from companion.catalogues import catalogue

FAILED = 1
"""Exit status if the command or its check failed."""
WRONG_USAGE = 2
"""Exit status for wrong usage or unreadable input."""
CANNOT_PRINT = (OSError, ValueError)
"""What printing may raise if the stream is closed or the disk is full."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""What moves or colours a terminal: sentences quote files, programs and what was typed."""
_FIELD: Final = re.compile(r"(.*) - at `\$\.?([^`]+)`", re.DOTALL)
"""What msgspec says of a field, and its path."""


def sentence(key: str, **params: str | int) -> str:
    """Return the English sentence of `key`, its parameters filled in; the key if there is none."""
    return catalogues.sentence("en", key, params)


def plain_reason(reason: str) -> str:
    """Return what a decoder says of a file, the field first."""
    at = _FIELD.fullmatch(reason)
    return f"{at[2]}: {at[1]}" if at else reason


def in_one_line(text: str) -> str:
    """Return the text without what would end a terminal's line, move its cursor or colour it."""
    return _CONTROL.sub(" ", text).strip()


def refusal(key: str, **params: str | int) -> str:
    """Return why the rules do not allow an event, worded for a script; `key` as in IllegalEvent."""
    here = f"script.{key}"
    return sentence(here if here in catalogue("en") else f"error.{key}", **params)


# -- printing -------------------------------------------------------------------------------------


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    click.echo(msgspec.json.encode(value).decode())


def tell(key: str, **params: str | int) -> None:
    """Print a sentence on standard error, if that can be printed to."""
    with suppress(*CANNOT_PRINT):
        click.echo(sentence(key, **params), err=True)


def fail(key: str, **params: str | int) -> NoReturn:
    """End the command with one line: what was asked for did not work (exit 1)."""
    tell(key, **params)
    raise SystemExit(FAILED)


def refuse(key: str, **params: str | int) -> NoReturn:
    """End the command with one line that says what is wrong and how to correct it (exit 2), even
    if it cannot be printed.
    """
    if "reason" in params:
        params["reason"] = plain_reason(str(params["reason"]))
    refuse_by(sentence(key, **params))


def refuse_by(text: str) -> NoReturn:
    """End the command with sentences that say what is wrong and how to correct it, as `refuse`."""
    with suppress(*CANNOT_PRINT):
        click.echo(in_one_line(text), err=True)
    raise SystemExit(WRONG_USAGE)


def discard_unprinted() -> None:
    """Discard output that cannot be printed: flushing it at exit would change the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:  # it was closed before the program began
            continue
        try:
            stream.flush()
        except CANNOT_PRINT:
            with suppress(*CANNOT_PRINT):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
                stream.flush()
