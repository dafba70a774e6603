"""`companion read` and `companion watch`: read dice in photos or from a camera, one line
a reading.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack

import click
import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from companion.cli.options.games import GAME, game_of_pictures, required_game
from companion.cli.options.values import InputFile, Number, refuse_unreadable
from companion.cli.words import FAILED, refuse, refuse_by, sentence
from companion.vision.readings import (
    DieReading,
    PhotoError,
    ReadingRow,
    VisionError,
    row_of,
)
from companion.vision.report import MAGIC, load_report, versions
from companion.vision.sources.kinds import FrameSource, parse_source

if TYPE_CHECKING:
    from companion.vision.pictures import AnyFrame, Image
    from companion.vision.read.reader import Expected, Reader
    from companion.vision.watch.watcher import Watcher

_VIDEOS = frozenset({".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".webm"})
_SOURCE_LOST = {"error.camera.lost": "watch.lost", "error.camera.stalled": "watch.stalled"}
"""Catalogue keys for a source that is lost, for commands that do not open it again."""


class ReadOptions(TypedDict):
    """The options that both commands share; `game` is None if only reports are read."""

    game: str | None
    profile: Path | None
    expect: int | None
    as_json: bool


_profile = click.option(
    "--profile", type=InputFile(), help="What companion calibrate has learned of your dice."
)
_expect = click.option("--expect", type=Number(0, 20), help="How many dice there must be.")
_as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a reading.")


@click.command(epilog="Example: companion read tray.jpg --game tokyo")
@click.argument(
    "images", nargs=-1, required=True, metavar="IMAGE...", type=InputFile("error.image.folder")
)
@game_of_pictures
@_profile
@_expect
@_as_json
def read(images: tuple[Path, ...], **given: Unpack[ReadOptions]) -> None:
    """Read the dice in pictures. Reports of misread rolls are read again."""
    pictures: tuple[Reader, Expected] | None = None
    for image in images:
        if _is_report(image):
            row = _read_report(image)
        else:
            pictures = pictures or (_reader(given), expected_of(given["game"], given["expect"]))
            row = _read(image, *pictures)
        _print(row, as_json=given["as_json"])


@click.command(epilog="Example: companion watch 0 --game tokyo")
@click.argument("origin", metavar="SOURCE")
@required_game
@_profile
@_expect
@_as_json
@click.option("--fast", is_flag=True, help="Play a video as fast as possible.")
def watch(origin: str, fast: bool, **given: Unpack[ReadOptions]) -> None:
    """Read each roll from a camera, a video or a folder of pictures. SOURCE is a camera (its number
    or its name below /dev/v4l/by-id), csi for a Pi's own, a file, a folder, or the address of an
    MJPEG stream.
    """
    from companion.vision.watch.watcher import Watcher

    expected = expected_of(given["game"], given["expect"])
    try:
        opened = parse_source(origin)
        if opened is None:
            refuse("error.camera.none")
        watcher = Watcher(_reader(given), expected, at_once=not opened.live)
        playing: Playback = FastPlayback(opened) if fast else RealTimePlayback(opened)
        with _printing_warnings():
            for row in _rows(playing, watcher):
                _print(row, as_json=given["as_json"])
    except VisionError as error:
        if error.key not in _SOURCE_LOST:
            refuse(error.key, **error.params)
        click.echo(sentence(_SOURCE_LOST[error.key], **error.params), err=True)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(0)
    click.echo(sentence("watch.ended"), err=True)


class _WarningPrinter(logging.Handler):
    """Prints each warning of the reader in one line: which picture is skipped, and why."""

    def emit(self, record: logging.LogRecord) -> None:
        refusal = getattr(record, "refusal", None)
        text = record.getMessage()
        if isinstance(refusal, VisionError):
            why = sentence(refusal.key, **refusal.params)
            picture = str(getattr(record, "picture", ""))
            text = sentence("error.image.refused", image=picture, why=why)
        click.echo(text, err=True)


@contextmanager
def _printing_warnings() -> Iterator[None]:
    """Print the reader's warnings within this context."""
    log, spoken = logging.getLogger("companion.vision"), _WarningPrinter()
    log.addHandler(spoken)
    try:
        yield
    finally:
        log.removeHandler(spoken)


class Playback(Protocol):
    """A source being watched, and its clock."""

    def frames(self) -> Iterable[AnyFrame]:
        """Yield the source's frames."""

    def now(self) -> float:
        """Return the time on the source's clock, in seconds."""


class FastPlayback:
    """A recording played by its timestamps alone, as fast as it can be read."""

    def __init__(self, opened: FrameSource) -> None:
        self._source = opened
        self._at = 0.0

    def frames(self) -> Iterator[AnyFrame]:
        """Yield every frame."""
        for frame in self._source.frames():
            self._at = frame.captured_at
            yield frame

    def now(self) -> float:
        """Return the timestamp of the last frame, in seconds."""
        return self._at


class RealTimePlayback:
    """A camera or a recording in real time.

    Late frames of a camera are dropped. A recording drops none, so that what is read does not
    depend on the machine.
    """

    def __init__(self, opened: FrameSource) -> None:
        self._source = opened
        self._began_at = float("inf")

    def frames(self) -> Iterator[AnyFrame]:
        """Yield a camera's newest frame as soon as it is taken, or every frame of a recording."""
        from companion.vision.sources.frames import LatestFrame, PacedPlayback, without_repeats

        frames = self._source.frames()
        for frame in (
            LatestFrame(without_repeats(frames)) if self._source.live else PacedPlayback(frames)
        ):
            self._began_at = min(self._began_at, time.monotonic() - frame.captured_at)
            yield frame

    def now(self) -> float:
        """Return the time since the source's first frame, in seconds."""
        return time.monotonic() - self._began_at


def _rows(playing: Playback, watcher: Watcher) -> Iterator[ReadingRow]:
    """Yield the row of each roll as soon as it is read."""
    for frame in playing.frames():
        reading = watcher.see(frame).reading
        if reading is not None:
            yield replace(
                row_of(reading),
                frame=reading.frame,
                at_s=round(reading.at_s, 3),
                emitted_s=round(playing.now(), 3),
            )


def picture_of(path: Path, game: str) -> Image:
    """Return the decoded picture of a file; end the command if it cannot be read."""
    from companion.vision.pictures import decode, read_file

    try:
        return decode(read_file(path))
    except OSError as error:
        refuse_unreadable(path, error)
    except PhotoError as error:
        if error.key == "error.photo.format":
            if path.suffix.lower() in _VIDEOS:
                command = f"companion watch {quote(str(path))} --game {game}"
                refuse("error.image.video", image=str(path), command=command)
            refuse("error.image.format", image=str(path))
        refuse("error.image.refused", image=str(path), why=sentence(error.key, **error.params))


def _read(path: Path, reader: Reader, expected: Expected) -> ReadingRow:
    """Read one photo and return its row."""
    image = picture_of(path, expected.rules.game)
    try:
        return replace(row_of(reader.read(image, expected)), image=str(path))
    except VisionError as error:
        refuse(error.key, **error.params)


def _is_report(path: Path) -> bool:
    """Return whether a file is meant as a report: by its name, or by its first bytes."""
    try:
        with path.open("rb") as file:
            return path.suffix.lower() == ".zip" or file.read(len(MAGIC)) == MAGIC
    except OSError:
        return path.suffix.lower() == ".zip"


def _read_report(path: Path) -> ReadingRow:
    """Read a report's pictures again, and return the row with what the table put right; end the
    command where it cannot be read. Other networks than the table's are named on stderr."""
    from companion.vision.report import is_same, read_again

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
    put_right, applied = manifest.put_right, manifest.applied
    return replace(
        row_of(reading),
        image=str(path),
        same=is_same(reading, manifest),
        put_right=put_right if put_right is not None else UNSET,
        applied=applied if applied is not None else UNSET,
    )


def expected_of(game: str | None, count: int | None) -> Expected:
    """Return whose dice are read, and how many; end the command if no game is named."""
    from companion.vision.box import rules_of
    from companion.vision.read.reader import Expected

    if game is None:
        games = GAME.get_missing_message(None, None)
        refuse_by(f"{sentence('error.usage.missing', name='--game')} {games}")
    return Expected(rules_of(game), count)


def _reader(given: ReadOptions) -> Reader:
    """Return a reader with the shipped networks, and the profile if one is named."""
    from companion.vision.box import load_profile
    from companion.vision.read.reader import Reader

    profile = given["profile"]
    try:
        return Reader.shipped(load_profile(profile) if profile is not None else None)
    except VisionError as error:
        refuse(error.key, **error.params)


def _print(row: ReadingRow, *, as_json: bool) -> None:
    """Print one line, unbuffered: a pipe may be waiting for it."""
    click.echo(msgspec.json.encode(row).decode() if as_json else _reading_text(row))


def _reading_text(row: ReadingRow) -> str:
    """Format a row for people."""
    name = row.image if isinstance(row.image, str) else f"{row.at_s:8.2f} s"
    dice = ", ".join(map(_die_text, row.dice)) or "-"
    why = (sentence(f"tray.problem.{problem}") for problem in row.problems)
    return " ".join((f"{name}: {dice} ({'sure' if row.sure else 'not sure'})", *why))


def _die_text(die: DieReading) -> str:
    """Format one die for people; a question mark follows what must be looked at."""
    return f"{die.face or 'a die'} {die.confidence:.3f}{'' if die.problem is None else '?'}"
