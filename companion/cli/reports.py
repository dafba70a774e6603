"""Reading a report of a misread roll again, for `companion read`."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec import UNSET
from msgspec.structs import replace

from companion.cli.words import refuse, sentence
from companion.vision.errors import VisionError
from companion.vision.readings import ReadingRow, still_row
from companion.vision.report.archive import MAGIC, load_report
from companion.vision.report.form import Manifest
from companion.vision.report.versions import versions


def is_report(path: Path) -> bool:
    """Return whether a file is meant as a report: by its name, or by its first bytes."""
    try:
        with path.open("rb") as file:
            return path.suffix.lower() == ".zip" or file.read(len(MAGIC)) == MAGIC
    except OSError:
        return path.suffix.lower() == ".zip"


def read_report(path: Path) -> ReadingRow:
    """Read a report's pictures again, and return the row with what the table put right; end the
    command where it cannot be read. Other networks than the table's are named on stderr."""
    from companion.vision.report.again import is_same, read_again

    try:
        report = load_report(path)
        reading = read_again(report, str(path))
    except VisionError as error:
        refuse(error.key, **error.params)
    manifest = report.manifest
    ours = versions().networks
    if manifest.networks != ours:
        theirs = manifest.networks
        line = sentence("read.other_networks", report=str(path), theirs=theirs, ours=ours)
        click.echo(line, err=True)
    return _row(still_row(reading, str(path)), manifest, same=is_same(reading, manifest))


def _row(row: ReadingRow, manifest: Manifest, *, same: bool) -> ReadingRow:
    put_right, applied = manifest.put_right, manifest.applied
    return replace(
        row,
        same=same,
        put_right=put_right if put_right is not None else UNSET,
        applied=applied if applied is not None else UNSET,
    )
