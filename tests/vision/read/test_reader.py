"""The reader's closer look: it removes a doubt of the first look, and changes nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.box import Lesson, rules_of
from companion.vision.networks.classify import Networks
from companion.vision.networks.locate import sides
from companion.vision.pictures import Floats, Frame, Image, png
from companion.vision.read.reader import FEWEST, Expected, Reader, reading_of
from companion.vision.read.seen import SeenDie
from companion.vision.readings import ReadingProblem
from models.evaluate_clips import Clip


@pytest.fixture(scope="module")
def expected(clip: Clip) -> Expected:
    return Expected(rules_of(clip.game), len(clip.throws[0].dice))


@pytest.fixture(scope="module")
def look(reader: Reader, lying: Image) -> tuple[SeenDie, ...]:
    return reader.look(lying)


def mirrored(quads: Floats, width: int) -> Floats:
    """Mirror quads (N, 4, 2) with their picture."""
    found = quads[:, [1, 0, 3, 2]].copy()
    found[..., 0] = width - 1 - found[..., 0]
    return found


def doubtful(die: SeenDie, face: Face | None = None) -> SeenDie:
    """Make the die's own face, or the given one, only likely, and its print like no other."""
    face = face or max(die.faces, key=lambda f: die.faces[f])
    chances = {f: 0.6 if f is face else 0.05 for f in die.faces}
    return replace(die, faces=chances, reject=0.0, embedding=-die.embedding)


def test_the_same_dice_are_seen_again_where_they_lay(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...]
) -> None:
    again = reader.look_closely(lying, look)
    assert len(again) == len(look) > 3
    for die, closer in zip(look, again, strict=True):
        off = np.abs(closer.quad - die.quad).max()
        assert 0 < off < 0.15 * sides(die.quad[None])[0]
        assert max(closer.faces, key=closer.faces.__getitem__) == max(
            die.faces, key=die.faces.__getitem__
        )
        assert closer.score == die.score
    assert reader.look_closely(lying, ()) == ()


def test_a_closer_look_sees_a_mirrored_picture_mirrored(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...]
) -> None:
    """The mean over a crop and its mirror image is the same for both pictures."""
    width = lying.shape[1]
    other = np.ascontiguousarray(lying[:, ::-1])
    quads = mirrored(np.stack([die.quad for die in look]), width)
    turned = tuple(replace(die, quad=quad) for die, quad in zip(look, quads, strict=True))
    plain, flipped = reader.look_closely(lying, look), reader.look_closely(other, turned)
    for name in ("quad", "base"):
        wanted = mirrored(np.stack([getattr(die, name) for die in plain]), width)
        found = np.stack([getattr(die, name) for die in flipped])
        assert np.abs(found - wanted).max() < 1.0
        assert np.abs(found - wanted).mean() < 0.3
    assert np.allclose([d.spread for d in plain], [d.spread for d in flipped], rtol=0.2)


def test_a_doubt_is_lifted_by_a_closer_look_only_where_it_is_asked_for(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], expected: Expected
) -> None:
    looks = [(doubtful(look[0]), *look[1:])]
    first = reader.decide(looks, expected, lying, closely=False)
    assert first.problems == (ReadingProblem.DOUBTFUL,)
    closer = reader.decide(looks, expected, lying)
    assert closer.sure
    assert sorted(die.face or "" for die in closer.dice) == sorted(likeliest(look))


def test_a_closer_look_that_says_another_face_lifts_no_doubt(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], expected: Expected
) -> None:
    seen = max(look[0].faces, key=look[0].faces.__getitem__)
    face = next(face for face in expected.rules.faces if face is not seen)
    looks = [(doubtful(look[0], face), *look[1:])]
    verdict = reader.decide(looks, expected, lying)
    assert verdict == reader.decide(looks, expected, lying, closely=False)
    assert verdict.problems == (ReadingProblem.DOUBTFUL,)


def test_a_die_that_is_too_dark_is_so_however_closely_it_is_looked_at(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], expected: Expected
) -> None:
    dark = replace(doubtful(look[0]), contrast=2.0)
    verdict = reader.decide([(dark, *look[1:])], expected, lying)
    assert verdict.problems == (ReadingProblem.TOO_DARK,)


def lesson_of_dice(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], faces: list[Face]
) -> Lesson:
    prints = [png(one) for one in reader.prints(lying, look)]
    return Lesson("new-york", FEWEST * tuple(zip(faces, prints, strict=True)))


def likeliest(look: tuple[SeenDie, ...]) -> list[Face]:
    return [max(die.faces, key=die.faces.__getitem__) for die in look]


def test_what_was_taught_lifts_a_doubt_about_that_face(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], expected: Expected
) -> None:
    taught = Reader(Networks(resource_dir("models")))
    photos = taught.off_sheet()
    looks = [tuple(replace(doubtful(die), embedding=die.embedding) for die in look)]
    assert not taught.decide(looks, expected, lying, closely=False).sure
    taught.learn(lesson_of_dice(reader, lying, look, likeliest(look)))
    for knowing in (taught, photos):
        verdict = knowing.decide(looks, expected, lying, closely=False)
        assert verdict.sure
        assert sorted(die.face or "" for die in verdict.dice) == sorted(likeliest(look))
    assert not reader.decide(looks, expected, lying, closely=False).sure


def test_what_was_taught_of_one_game_says_nothing_of_the_other(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...]
) -> None:
    taught = Reader(Networks(resource_dir("models")))
    other = Expected(rules_of("tokyo"))
    taught.learn(lesson_of_dice(reader, lying, look, likeliest(look)))
    assert taught.decide([look], other, lying) == reader.decide([look], other, lying)


def test_a_print_that_is_no_picture_is_left_out(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], expected: Expected
) -> None:
    taught = Reader(Networks(resource_dir("models")))
    lesson = lesson_of_dice(reader, lying, look, likeliest(look)[1:] + likeliest(look)[:1])
    broken = Lesson(lesson.game, (*lesson.prints, (Face.HEAL, b"no picture")))
    taught.learn(broken)
    whole = Reader(Networks(resource_dir("models")))
    whole.learn(lesson)
    assert taught.decide([look], expected, lying) == whole.decide([look], expected, lying)


def test_a_reading_has_the_print_of_each_of_its_dice(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], expected: Expected
) -> None:
    reading = reading_of(reader.decide([look], expected, lying), "new-york", Frame(lying, 0.0, 0))
    complete = reader.with_pictures(reading, lying, look)
    assert len(complete.prints) == len(complete.crops) == len(complete.dice) == len(look)
    cut = {png(one) for one in reader.prints(lying, look)}
    assert set(complete.prints) == cut
    lost = reader.with_pictures(reading, lying, look[1:])
    gone = [
        n
        for n, (one, two) in enumerate(zip(complete.prints, lost.prints, strict=True))
        if one != two
    ]
    assert len(gone) == 1
    assert lost.prints[gone[0]] == b""
    assert reader.with_pictures(reading, lying, ()).prints == (b"",) * len(look)
