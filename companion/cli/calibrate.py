"""`companion calibrate`: enrol the dice of a box from labelled photos."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from companion.cli.games import required_game
from companion.cli.vision import expected_of, picture_of
from companion.cli.words import FAILED, refuse, sentence
from companion.vision.errors import VisionError

if TYPE_CHECKING:
    from companion.vision.read.enrolling import HeldOutResult


@click.command()
@click.argument("profile", type=click.Path(path_type=Path))
@required_game
@click.option(
    "--from",
    "labels",
    required=True,
    metavar="LABELS.jsonl",
    type=click.Path(path_type=Path),
    help="Rows as `read --json` prints them, the faces put right.",
)
def calibrate(profile: Path, game: str, labels: Path) -> None:
    """Enrol the dice of a box: each face whose prints make its reading no worse, and good."""
    from companion.vision.box.profile import Profile, load_profile, save_profile
    from companion.vision.read.enrolling import (
        collect_prints,
        compare_held_out,
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
            for one in collect_prints(picture_of(labels.parent / row.image), row, reader, expected)
        ]
        click.echo(f"{len(prints)} of {sum(len(row.dice) for row in rows)} dice are seen well")
        found = compare_held_out(prints, reader, expected)
        faces = select_prints(prints, found)
        for face in expected.rules.faces:
            click.echo(_face_text(face, found.get(face), len(faces.get(face, ()))))
        if not faces:
            click.echo(sentence("error.labels.useless", profile=str(profile)), err=True)
            sys.exit(FAILED)
        box = known.dice.get(game, {}) | faces
        save_profile(msgspec.structs.replace(known, dice=known.dice | {game: box}), profile)
    except VisionError as error:
        refuse(error.key, **error.params)


def _face_text(name: str, found: HeldOutResult | None, prints: int) -> str:
    if found is None:
        return f"{name}: not among the dice"
    (before, after), (was, now) = found.right, found.loss
    held = f"held out {found.dice}: right {before} before, {after} after"
    enrolled = f"{prints} prints" if prints else "not enrolled"
    return f"{name}: {held}; log loss {was:.3f} before, {now:.3f} after; {enrolled}"
