"""`companion read` and `watch`, a line a reading, and `calibrate`, which enrols the dice of a box.

What reads pictures is imported by the commands alone: the others start without it.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any
from zipfile import is_zipfile

import click
import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from companion.cli.options import GAME, INPUT_FILE, OUTPUT_FILE, required_game
from companion.cli.words import fail, print_json, refuse, sentence, tell
from companion.errors import KeyedError
from companion.vision.readings import DieReading, PhotoError, ReadingRow, row_of
from companion.vision.report import load_report, networks_commit
from companion.vision.sources.kinds import FrameSource, parse_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from companion.engine import Face
    from companion.vision.pictures import AnyFrame, Image
    from companion.vision.read.enrolling import EnrolledFace, LabelledPrint
    from companion.vision.read.reader import Expected, Reader

_VIDEOS = frozenset({".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".webm"})


_profile = click.option(
    "--profile", type=INPUT_FILE, help="What companion calibrate has learned of your dice."
)
_expect = click.option("--expect", type=click.IntRange(0, 20), help="How many dice to expect.")
_as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object a reading.")


@click.command(epilog="Example: companion read tray.jpg --game tokyo")
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...", type=INPUT_FILE)
@click.option("--game", type=GAME, help="Which game. Reports of misread rolls need none.")
@_profile
@_expect
@_as_json
def read(images: tuple[Path, ...], **given: Any) -> None:
    """Read the dice in pictures. Reports of misread rolls are read again."""
    pictures: tuple[Reader, Expected] | None = None
    for path in images:
        if path.suffix.lower() == ".zip" or is_zipfile(path):
            row = _read_report(path)
        else:
            reader, expected = pictures = pictures or (_reader(given), _expected(given))
            image = _picture(path, expected.rules.game)
            row = replace(row_of(reader.read(image, expected)), image=str(path))
        _print(row, as_json=given["as_json"])


@click.command(epilog="Example: companion watch 0 --game tokyo")
@click.argument("origin", metavar="SOURCE")
@required_game
@_profile
@_expect
@_as_json
@click.option("--fast", is_flag=True, help="Play a video as fast as possible.")
def watch(origin: str, fast: bool, **given: Any) -> None:
    """Read each roll from a camera, a video or a folder of pictures. SOURCE is a camera (its number
    or its name below /dev/v4l/by-id), csi for a Pi's own, a file, a folder, or the address of an
    MJPEG stream.
    """
    from companion.vision.watch.watcher import Watcher

    try:
        opened = parse_source(origin)
        if opened is None:
            refuse("error.camera.none")
        watcher = Watcher(_reader(given), _expected(given), at_once=not opened.live)
        with _printing_warnings():
            for frame, now in _fast(opened) if fast else _in_real_time(opened):
                reading = watcher.see(frame).reading
                if reading is not None:
                    emitted_s = now if fast else time.monotonic() - now
                    row = replace(
                        row_of(reading),
                        frame=reading.frame,
                        at_s=round(reading.at_s, 3),
                        emitted_s=round(emitted_s, 3),
                    )
                    _print(row, as_json=given["as_json"])
    except KeyedError as error:
        if error.key != "error.camera.lost":
            raise
        fail("watch.lost", **error.params)
    except KeyboardInterrupt:
        sys.exit(0)
    tell("watch.ended")


def _fast(opened: FrameSource) -> Iterator[tuple[AnyFrame, float]]:
    for frame in opened.frames():
        yield frame, frame.captured_at


def _in_real_time(opened: FrameSource) -> Iterator[tuple[AnyFrame, float]]:
    """Yield a camera's newest frame as soon as it is taken, or every frame of a recording, so that
    what is read does not depend on the machine; with each, when the source's clock began.
    """
    stream, began_at = opened.play(), float("inf")
    with suppress(EOFError):
        while True:
            frame = stream.take(1.0)
            if frame is not None:
                began_at = min(began_at, time.monotonic() - frame.captured_at)
                yield frame, began_at


class _WarningPrinter(logging.Handler):
    """Prints each warning of the reader in one line: which picture is skipped, and why."""

    def emit(self, record: logging.LogRecord) -> None:
        refusal = getattr(record, "refusal", None)
        text = record.getMessage()
        if isinstance(refusal, KeyedError):
            why = sentence(refusal.key, **refusal.params)
            picture = str(getattr(record, "picture", ""))
            text = sentence("error.image.refused", image=picture, why=why)
        click.echo(text, err=True)


@contextmanager
def _printing_warnings() -> Iterator[None]:
    log, spoken = logging.getLogger("companion.vision"), _WarningPrinter()
    log.addHandler(spoken)
    try:
        yield
    finally:
        log.removeHandler(spoken)


def _picture(path: Path, game: str) -> Image:
    """Return the decoded picture of a file; end the command if it cannot be read."""
    from companion.vision.pictures import decode

    try:
        return decode(path.read_bytes())
    except PhotoError as error:
        if error.key != "error.photo.format":
            why = sentence(error.key, **error.params)
            refuse("error.image.refused", image=str(path), why=why)
        if path.suffix.lower() in _VIDEOS:
            command = f"companion watch {quote(str(path))} --game {game}"
            refuse("error.image.video", image=str(path), command=command)
        refuse("error.image.format", image=str(path))


def _read_report(path: Path) -> ReadingRow:
    """Read a report's pictures again, and return the row with what the table put right. Other
    networks than the table's are named on standard error.
    """
    from companion.vision.report import is_same, read_again

    report, ours = load_report(path), networks_commit()
    reading, manifest = read_again(report, str(path)), report.manifest
    if manifest.networks != ours:
        tell("read.other_networks", report=str(path), theirs=manifest.networks, ours=ours)
    return replace(
        row_of(reading),
        image=str(path),
        same=is_same(reading, manifest),
        put_right=manifest.put_right if manifest.put_right is not None else UNSET,
        applied=manifest.applied if manifest.applied is not None else UNSET,
    )


def _expected(given: Mapping[str, Any]) -> Expected:
    """Return whose dice are read, and how many; end the command if no game is named."""
    from companion.vision.box import rules_of
    from companion.vision.read.reader import Expected

    if given["game"] is None:
        raise click.UsageError("Missing option '--game'.", click.get_current_context())
    return Expected(rules_of(given["game"]), given["expect"])


def _reader(given: Mapping[str, Any]) -> Reader:
    from companion.vision.box import load_profile
    from companion.vision.read.reader import Reader

    profile = given["profile"]
    return Reader.shipped(load_profile(profile) if profile is not None else None)


def _print(row: ReadingRow, *, as_json: bool) -> None:
    """Print one line, unbuffered: a pipe may be waiting for it. A question mark follows a die that
    must be looked at.
    """
    if as_json:
        print_json(row)
        return
    name = row.image if isinstance(row.image, str) else f"{row.at_s:8.2f} s"
    dice = ", ".join(map(_die_text, row.dice)) or "-"
    why = (sentence(f"tray.problem.{problem}") for problem in row.problems)
    click.echo(" ".join((f"{name}: {dice} ({'sure' if row.sure else 'not sure'})", *why)))


def _die_text(die: DieReading) -> str:
    return f"{die.face or 'a die'} {die.confidence:.3f}{'' if die.sure else '?'}"


# -- calibrate ------------------------------------------------------------------------------------


@click.command(epilog="Example: companion calibrate box.json --game tokyo --from labels.jsonl")
@click.argument("profile", type=OUTPUT_FILE)
@required_game
@click.option(
    "--from",
    "labels",
    required=True,
    metavar="LABELS.jsonl",
    type=INPUT_FILE,
    help="Output of companion read --json, with the faces corrected.",
)
@click.option(
    "--partial", is_flag=True, help="Save the faces that were learned, even if not all six."
)
def calibrate(profile: Path, game: str, labels: Path, partial: bool) -> None:
    """Teach the reader the dice of your box. PROFILE is the file that keeps what it has learned:
    every face whose prints differ from all others.
    """
    from companion.vision.box import Profile, load_profile, rules_of, save_profile
    from companion.vision.read.enrolling import (
        collect_prints,
        compare_prints,
        load_labels,
        select_prints,
    )
    from companion.vision.read.reader import Expected, Reader

    expected = Expected(rules_of(game), None)
    known = load_profile(profile) if profile.exists() else Profile()
    rows = load_labels(labels, game)
    if not rows:
        refuse("error.labels.none", labels=str(labels), game=game)
    reader = Reader.shipped(Profile(tray=known.tray))
    prints = [
        one
        for row in rows
        for one in collect_prints(_picture(labels.parent / row.image, game), row, reader, expected)
    ]
    click.echo(f"{len(prints)} of {sum(len(row.dice) for row in rows)} dice are seen well")
    found = compare_prints(prints)
    for one in (one for face in found.values() for one in face.odd):
        click.echo(_odd_text(one, found))
    for face in expected.rules.faces:
        click.echo(_face_text(face, found.get(face)))
    faces = {face: select_prints(one) for face, one in found.items() if one.is_enrolled()}
    box = known.dice.get(game, {}) | faces
    missing = [face for face in expected.rules.faces if face not in box]
    if not faces or (missing and not partial):
        key = "error.labels.partial" if faces else "error.labels.useless"
        fail(key, profile=str(profile), faces=", ".join(missing))
    save_profile(msgspec.structs.replace(known, dice=known.dice | {game: box}), profile)


def _odd_text(one: LabelledPrint, found: Mapping[Face, EnrolledFace]) -> str:
    from companion.vision.read.enrolling import looks_like

    x, y, _, _ = one.die.box()
    labelled = f"the die at {x}, {y} is labelled {one.face}"
    return f"set aside: {one.origin}, {labelled} and looks like {looks_like(one, found)}"


def _face_text(name: Face, found: EnrolledFace | None) -> str:
    if found is None:
        return f"{name}: not among the dice"
    prints = len(found.kept) + len(found.odd)
    enrolled = "enrolled" if found.is_enrolled() else "not enrolled"
    return f"{name}: held out {prints}: right {found.right}; {enrolled}"
