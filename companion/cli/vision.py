"""`companion read` and `companion watch`: what the reader sees, a line a reading."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import msgspec

from companion.cli.words import refuse, sentence
from companion.engine import RULESETS
from companion.vision.errors import PhotoError, ReaderError, SourceError
from companion.vision.readings import DieReading, Row, still_row, watched_row
from companion.vision.sources import source

if TYPE_CHECKING:
    from companion.vision.frames import Frame
    from companion.vision.reader import Expected, Reader
    from companion.vision.sources import Source

FAILED = 1


class Given(TypedDict):
    """The options both commands share."""

    game: str
    profile: Path | None
    expect: int | None
    as_json: bool


_game = click.option("--game", required=True, help=f"One of: {', '.join(RULESETS)}.")
_profile = click.option(
    "--profile", type=click.Path(path_type=Path), help="The tray's calibration."
)
_expect = click.option("--expect", type=click.IntRange(0, 20), help="How many dice must lie there.")
_as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a reading.")


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path))
@_game
@_profile
@_expect
@_as_json
def read(images: tuple[Path, ...], **given: Unpack[Given]) -> None:
    """Read the dice in still pictures."""
    expected = _expected(given)
    reader = _reader(given)
    for image in images:
        _print(_read(image, reader, expected), as_json=given["as_json"])


@click.command()
@click.argument("source", metavar="SOURCE")
@_game
@_profile
@_expect
@_as_json
@click.option("--fast", is_flag=True, help="Play a file as fast as it goes.")
def watch(source: str, fast: bool, **given: Unpack[Given]) -> None:
    """Watch a camera, a file or a folder, and print each roll once it lies."""
    expected = _expected(given)
    opened = _source(source)
    reader = _reader(given)
    try:
        for row in _watched(opened, reader, expected, fast=fast):
            _print(row, as_json=given["as_json"])
    except SourceError as error:
        if error.key in _BROKE_OFF:
            click.echo(sentence(error.key, **error.params), err=True)
            sys.exit(FAILED)
        refuse(error.key, **error.params)
    except KeyboardInterrupt:
        sys.exit(0)
