"""A report is read again to the result that the table had: from a camera and from a photo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from companion.cli import main
from companion.engine import Face
from companion.vision.box import DiceSet, Profile, rules_of
from companion.vision.child import footage_of
from companion.vision.pictures import AnyFrame, EncodedFrame, Frame, Image, cv2, decode, jpeg, png
from companion.vision.read.enrolled import FEWEST
from companion.vision.read.reader import Expected, Reader, read_photo
from companion.vision.readings import DiceReading, VisionError
from companion.vision.report import (
    Corrections,
    Footage,
    Report,
    Taken,
    decode_report,
    encode_report,
    is_same,
    read_again,
    report_of,
    versions,
)
from companion.vision.watch.watcher import Voted, Watcher, WatchSettings
from models.evaluate_clips import Clip
from tests.vision.fakes import CLIP_FPS
from tests.vision.images import segment
from tests.vision.report.values import REPORT

Shoot = Callable[[Image, int], AnyFrame]
"""Makes the frame of this number from a picture."""
REST = 30
"""Frames in which a rest is certainly read."""
SECRET = b"the phone of Anna"


def raw(image: Image, index: int) -> Frame:
    return Frame(image, index / CLIP_FPS, index)


def packed(image: Image, index: int) -> EncodedFrame:
    encoded = jpeg(image)
    note = segment(0xFE, SECRET)
    return EncodedFrame(encoded[:2] + note + encoded[2:], index / CLIP_FPS, index)


def watched(watcher: Watcher, image: Image, shoot: Shoot) -> DiceReading:
    """Show dice at rest, and return their reading."""
    for index in range(REST):
        reading = watcher.see(shoot(image, index)).reading
        if reading is not None:
            return reading
    raise AssertionError("nothing was read")


def reported(reading: DiceReading, footage: Footage | None, taken: Taken) -> Report:
    """Make the report of a reading, and send it through its file."""
    assert footage is not None
    applied = Corrections(applied=(Face.HEAL,))
    report = report_of(reading, footage, taken, versions(), applied)
    return decode_report(encode_report(report), "mine")


@pytest.mark.parametrize("expected", [None, 2, 6, 8])
@pytest.mark.parametrize("shoot", [raw, packed])
def test_a_roll_of_the_camera_is_read_again_to_the_same_result(
    reader: Reader, clip: Clip, lying: Image, shoot: Shoot, expected: int | None
) -> None:
    watcher = Watcher(reader, Expected(rules_of(clip.game), expected))
    reading = watched(watcher, lying, shoot)
    report = reported(reading, footage_of(watcher.voted, Profile(), {}), Taken.CAMERA)
    again = read_again(report, "mine")
    assert is_same(again, report.manifest)
    assert again.dice == reading.dice
    assert (again.problems, again.sure) == (reading.problems, reading.sure)
    assert all(SECRET not in frame for frame in report.frames)


def test_a_roll_read_with_learnt_prints_is_read_again_with_them(clip: Clip, lying: Image) -> None:
    """What the reader has learnt, rightly or wrongly, changes how sure it is."""
    reader = Reader.shipped()
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    first = watched(watcher, lying, packed)
    swapped = [Face.ENERGY if die.face is Face.HEAL else Face.HEAL for die in first.dice]
    learnt = {
        clip.game: {
            face: tuple(
                one for other, one in zip(swapped, first.prints, strict=True) if other is face
            )
            * FEWEST
            for face in swapped
        }
    }
    taught = Reader.shipped(Profile(dice=learnt), learnt)
    watcher = Watcher(taught, Expected(rules_of(clip.game)))
    reading = watched(watcher, lying, packed)
    assert [die.confidence for die in reading.dice] != [die.confidence for die in first.dice]
    footage = footage_of(watcher.voted, Profile(dice=learnt), learnt)
    report = reported(reading, footage, Taken.CAMERA)
    again = read_again(report, "mine")
    assert is_same(again, report.manifest)
    for die, was in zip(again.dice, reading.dice, strict=True):
        assert die.confidence == pytest.approx(was.confidence, abs=1e-4)


def test_a_photo_is_read_again_to_the_same_result(reader: Reader, clip: Clip, lying: Image) -> None:
    encoded = jpeg(np.asarray(cv2.resize(lying, None, fx=2.5, fy=2.5), np.uint8))
    reading = read_photo(encoded, reader, Expected(rules_of(clip.game), 6))
    report = reported(reading, Footage(0, 0.0, (encoded,), 6), Taken.PHOTO)
    again = read_again(report, "mine")
    assert is_same(again, report.manifest)
    assert again.dice == reading.dice


def test_the_dice_come_in_the_order_that_the_table_saw(clip: Clip, lying: Image) -> None:
    reader = Reader.shipped()
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    reading = watched(watcher, lying, raw)
    turned = replace(reading, dice=tuple(reversed(reading.dice)))
    report = reported(turned, footage_of(watcher.voted, Profile(), {}), Taken.CAMERA)
    assert read_again(report, "mine").dice == turned.dice


def test_only_the_pictures_of_the_last_reading_are_kept_and_only_so_many(
    reader: Reader, clip: Clip, lying: Image
) -> None:
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    assert footage_of(watcher.voted, Profile(), {}) is None
    first = watched(watcher, lying, packed)
    assert watcher.voted is not None
    assert watcher.voted.reading == replace(first, picture=b"", crops=(), prints=())
    for index in range(REST, REST + 14):
        watcher.read_now()
        watcher.see(packed(lying, index))
    assert watcher.voted.reading.frame == REST + 13
    assert len(watcher.voted.frames) == WatchSettings().most_looks
    indices = [shot.index for shot in watcher.voted.frames]
    assert REST + 11 <= indices[-1] < REST + 14
    assert indices == sorted(indices)


def test_a_picture_that_cannot_be_decoded_counts_as_black_in_the_report_too(reader: Reader) -> None:
    shot = EncodedFrame(b"no picture", 0.0, 0)
    reading = DiceReading(
        game="tokyo", dice=(), problems=(), sure=False, frame=0, at_s=0.0, size=(1280, 720)
    )
    footage = footage_of(Voted(reading, (shot,), Expected(rules_of("tokyo"))), Profile(), {})
    assert footage is not None
    assert np.array_equal(decode(footage.frames[0]), shot.decode().image)


def test_pictures_that_take_too_much_memory_are_not_kept(
    reader: Reader, clip: Clip, lying: Image
) -> None:
    settings = WatchSettings(most_bytes=4 * lying.nbytes)
    watcher = Watcher(reader, Expected(rules_of(clip.game)), settings=settings)
    reading = watched(watcher, lying, raw)
    assert watcher.voted == Voted(
        replace(reading, picture=b"", crops=(), prints=()), (), watcher.expected
    )
    assert footage_of(watcher.voted, Profile(), {}) is None


@pytest.mark.parametrize("spoilt", [b"no picture", REPORT.frames[0][:900]])
def test_a_picture_that_cannot_be_decoded_is_refused(spoilt: bytes) -> None:
    for report in (
        Report(REPORT.manifest, (spoilt,)),
        Report(replace(REPORT.manifest, taken=Taken.PHOTO), (spoilt,)),
        Report(REPORT.manifest, REPORT.frames, (), with_print(spoilt)),
    ):
        with pytest.raises(VisionError) as error:
            read_again(report, "mine")
        assert error.value.key == "error.report.picture"


def with_print(picture: bytes) -> DiceSet:
    """A box whose only print is this picture."""
    box = REPORT.box
    assert box is not None
    return replace(box, faces={Face.HEAL: (replace(box.faces[Face.HEAL][0], picture=picture),)})


def test_a_game_that_is_not_known_is_refused() -> None:
    told = replace(REPORT.manifest, reading=replace(REPORT.manifest.reading, game="chess"))
    with pytest.raises(VisionError) as error:
        read_again(Report(told, REPORT.frames), "mine")
    assert error.value.key == "error.game.unknown"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["read", *words])


@pytest.fixture
def misread(tmp_path: Path, reader: Reader, clip: Clip, lying: Image) -> Path:
    """A report of the clip's first roll, in which the table put one die right."""
    watcher = Watcher(reader, Expected(rules_of(clip.game), 6))
    reading = watched(watcher, lying, packed)
    footage = footage_of(watcher.voted, Profile(), {})
    assert footage is not None
    faces = (None, *(die.face for die in reading.dice[1:]))
    put_right = Corrections(put_right=faces)
    report = report_of(reading, footage, Taken.CAMERA, versions(), put_right)
    path = tmp_path / "misread.zip"
    path.write_bytes(encode_report(report))
    return path


def test_the_command_reads_a_report_without_naming_the_game(misread: Path, clip: Clip) -> None:
    result = run(str(misread), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    row = json.loads(result.stdout)
    assert row["game"] == clip.game
    assert row["same"] is True
    assert row["put_right"] == [None, *(die["face"] for die in row["dice"][1:])]
    assert "applied" not in row


def test_the_command_reads_reports_and_pictures_together(misread: Path, lying: Image) -> None:
    still = misread.parent / "tray.png"
    still.write_bytes(png(lying))
    result = run(str(misread), str(still), "--game", "tokyo", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert ("same" in first, "same" in second) == (True, False)
    alone = run(str(still))
    assert (alone.exit_code, len(alone.stderr.splitlines())) == (2, 1)
    assert "--game" in alone.stderr


def test_the_command_names_other_networks(misread: Path) -> None:
    report = decode_report(misread.read_bytes(), "mine")
    other = Report(replace(report.manifest, networks="f00ba12"), report.frames)
    misread.write_bytes(encode_report(other))
    result = run(str(misread))
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert "f00ba12" in line


@pytest.mark.parametrize("content", [b"", b"no report", b"PK\x03\x04 torn"])
def test_an_unreadable_report_is_one_line_and_exit_2(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.zip"
    path.write_bytes(content)
    result = run(str(path))
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert str(path) in result.stderr
