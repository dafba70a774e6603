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
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack

import click
import msgspec

from companion.cli.options.games import game_of_pictures, known_game, required_game
from companion.cli.reports import is_report, read_report
from companion.cli.words import FAILED, refuse, sentence
from companion.engine import RULESETS
from companion.vision.errors import PhotoError, VisionError
from companion.vision.readings import DieReading, ReadingRow, still_row, watched_row
from companion.vision.sources.kinds import FrameSource, parse_source

if TYPE_CHECKING:
    from companion.vision.pictures.decoding import Image
    from companion.vision.pictures.frames import AnyFrame
    from companion.vision.read.reader import Expected, Reader
    from companion.vision.watch.watcher import Watcher

_SOURCE_LOST = {"error.camera.lost": "watch.lost", "error.camera.stalled": "watch.stalled"}
"""Catalogue keys for a source that is lost, for commands that do not open it again."""


class ReadOptions(TypedDict):
    """The options that both commands share; `game` is None where only reports are read."""

    game: str | None
    profile: Path | None
    expect: int | None
    as_json: bool


_profile = click.option(
    "--profile", type=click.Path(path_type=Path), help="What is known of the camera and the dice."
)
_expect = click.option("--expect", type=click.IntRange(0, 20), help="How many dice must lie there.")
_as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a reading.")


@click.command()
@click.argument("images", nargs=-1, required=True, type=click.Path(path_type=Path))
@game_of_pictures
@_profile
@_expect
@_as_json
def read(images: tuple[Path, ...], **given: Unpack[ReadOptions]) -> None:
    """Read the dice in still pictures, or again in reports of misread rolls."""
    pictures: tuple[Reader, Expected] | None = None
    for image in images:
        if is_report(image):
            row = read_report(image)
        else:
            pictures = pictures or (_reader(given), expected_of(given["game"], given["expect"]))
            row = _read(image, *pictures)
        _print(row, as_json=given["as_json"])


@click.command()
@click.argument("origin", metavar="SOURCE")
@required_game
@_profile
@_expect
@_as_json
@click.option("--fast", is_flag=True, help="Play a recording as fast as it goes.")
def watch(origin: str, fast: bool, **given: Unpack[ReadOptions]) -> None:
    """Watch a camera or a recording, and print each roll once the dice rest."""
    from companion.vision.watch.watcher import InitialState, Watcher

    expected = expected_of(given["game"], given["expect"])
    try:
        opened = parse_source(origin)
        if opened is None:
            refuse("error.camera.none")
        known = InitialState(at_once=not opened.live)
        watcher = Watcher(_reader(given), expected, known)
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
        from companion.vision.pictures.frames import LatestFrame, in_real_time, without_repeats

        frames = self._source.frames()
        for frame in (
            LatestFrame(without_repeats(frames)) if self._source.live else in_real_time(frames)
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
            yield watched_row(reading, playing.now())


def picture_of(path: Path) -> Image:
    """Return the decoded picture of a file; end the command where it cannot be read."""
    from companion.vision.pictures.decoding import decode, read_file

    try:
        return decode(read_file(path))
    except OSError as error:
        refuse("error.image.unreadable", image=str(path), reason=error.strerror or "")
    except PhotoError as error:
        refuse("error.image.refused", image=str(path), why=sentence(error.key, **error.params))


def _read(path: Path, reader: Reader, expected: Expected) -> ReadingRow:
    """Read one photo and return its row."""
    image = picture_of(path)
    try:
        return still_row(reader.read(image, expected), str(path))
    except VisionError as error:
        refuse(error.key, **error.params)


def expected_of(game: str | None, count: int | None) -> Expected:
    """Return whose dice are read, and how many; end the command where the game is unknown or not
    named."""
    from companion.vision.box.rules import rules_of
    from companion.vision.read.reader import Expected

    if game is None:
        refuse("error.game_needed", known=", ".join(RULESETS))
    return Expected(rules_of(known_game(game)), count)


def _reader(given: ReadOptions) -> Reader:
    """Return a reader with the shipped networks, and the profile where one is named."""
    from companion.vision.box.profile import load_profile
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
    verdict = "sure" if row.sure else f"not sure: {', '.join(row.problems)}"
    return f"{name}: {', '.join(map(_die_text, row.dice)) or '-'} ({verdict})"


def _die_text(die: DieReading) -> str:
    """Format one die for people."""
    mark = f" {die.problem}" if die.problem is not None else ""
    return f"{die.face or '?'} {die.confidence:.3f}{mark}"
