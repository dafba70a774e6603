"""`companion calibrate`: enrol the dice of a box from labelled photos."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from companion.cli.options.games import required_game
from companion.cli.options.values import InputFile, OutputFile
from companion.cli.vision import expected_of, picture_of
from companion.cli.words import FAILED, refuse, sentence
from companion.vision.readings import VisionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from companion.engine import Face
    from companion.vision.read.enrolling import EnrolledFace, LabelledPrint


@click.command(epilog="Example: companion calibrate box.json --game tokyo --from labels.jsonl")
@click.argument("profile", type=OutputFile())
@required_game
@click.option(
    "--from",
    "labels",
    required=True,
    metavar="LABELS.jsonl",
    type=InputFile(),
    help="What companion read --json has printed, with the faces put right.",
)
@click.option("--partial", is_flag=True, help="Learn the faces that can be, even if not all six.")
def calibrate(profile: Path, game: str, labels: Path, partial: bool) -> None:
    """Teach the reader the dice of your box. PROFILE is the file that keeps what it has learned:
    every face whose prints differ from all others.
    """
    from companion.vision.box import Profile, load_profile, save_profile
    from companion.vision.read.enrolling import (
        collect_prints,
        compare_prints,
        load_labels,
        select_prints,
    )
    from companion.vision.read.reader import Reader

    expected = expected_of(game, None)
    try:
        known = load_profile(profile) if profile.exists() else Profile()
        rows = load_labels(labels, game)
        if not rows:
            refuse("error.labels.none", labels=str(labels), game=game)
        reader = Reader.shipped(Profile(sheet=known.sheet))
        prints = [
            one
            for row in rows
            for one in collect_prints(
                picture_of(labels.parent / row.image, game), row, reader, expected
            )
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
            names = ", ".join(missing)
            click.echo(sentence(key, profile=str(profile), faces=names), err=True)
            sys.exit(FAILED)
        save_profile(msgspec.structs.replace(known, dice=known.dice | {game: box}), profile)
    except VisionError as error:
        refuse(error.key, **error.params)


def _odd_text(one: LabelledPrint, found: Mapping[Face, EnrolledFace]) -> str:
    from companion.vision.read.enrolling import looks_like

    x, y, _, _ = one.die.box()
    return (
        f"set aside: {one.origin}, the die at {x}, {y} is labelled {one.face} and looks like "
        + (looks_like(one, found))
    )


def _face_text(name: Face, found: EnrolledFace | None) -> str:
    if found is None:
        return f"{name}: not among the dice"
    prints = len(found.kept) + len(found.odd)
    held = f"held out {prints}: right {found.right}, alike {found.alike:.2f}"
    near = f", nearest {found.nearest} {found.nearest_alike:.2f}" if found.nearest else ""
    return f"{name}: {held}{near}; {'enrolled' if found.is_enrolled() else 'not enrolled'}"
