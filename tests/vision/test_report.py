"""Reports of misread rolls, and the pictures that they and photos are."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from companion.cli import main
from companion.engine import Face
from companion.vision.box import Lesson, Profile, rules_of
from companion.vision.child import footage_of
from companion.vision.pictures import (
    MAX_SCANS,
    AnyFrame,
    EncodedFrame,
    Frame,
    Image,
    cv2,
    decode,
    jpeg,
    png,
)
from companion.vision.read.reader import LOOKS, Expected, Reader, photo_frame, read_photo
from companion.vision.read.seen import FEWEST
from companion.vision.readings import (
    Alternative,
    Colour,
    DiceReading,
    DieReading,
    PhotoError,
    ReadingProblem,
    VisionError,
)
from companion.vision.report import (
    Footage,
    Manifest,
    Misread,
    ReportedReading,
    decode_report,
    encode_report,
    is_same,
    load_report,
    read_again,
    report_of,
)
from companion.vision.watch.watcher import Voted, Watcher
from models.evaluate_clips import Clip
from tests.vision.fakes import CLIP_FPS, HEIGHT, WIDTH, grain, tray
from tests.vision.images import flat_png, png_of, resized_jpeg, scan_bomb, segment

DIE = DieReading(
    face=Face.HEAL,
    confidence=0.91,
    colour=Colour.GREEN,
    box=(300, 200, 40, 40),
    flat=True,
    problem=ReadingProblem.DOUBTFUL,
    alternatives=(Alternative(face=Face.ATTACK, probability=0.08),),
)
PICTURE = grain(tray([(300, 200)]), 0)
PRINT = png(PICTURE[200:264, 300:364])
MANIFEST = Manifest(
    format=1,
    package="0.1.0",
    networks="abc1234",
    expected=6,
    tray=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),
    enrolled={Face.HEAL: (PRINT,)},
    learnt=(Lesson("tokyo", (PRINT, PRINT), (Face.HEAL, Face.ONE), "g1-7"),),
    reading=ReportedReading(
        game="tokyo",
        dice=(DIE,),
        problems=(ReadingProblem.DOUBTFUL, ReadingProblem.COUNT),
        sure=False,
        size=(640, 360),
    ),
    put_right=(Face.ATTACK,),
    applied=(Face.ATTACK, Face.ONE),
)
REPORT = Misread(MANIFEST, (jpeg(PICTURE), png(PICTURE)))
GOOD = encode_report(REPORT)
Shoot = Callable[[Image, int], AnyFrame]
"""Makes the frame of this number from a picture."""
REST = 30
"""Frames in which a rest is certainly read."""
SECRET = b"the phone of Anna"


def entries_of(content: bytes) -> dict[str, bytes]:
    """The entries of a zip file, as anybody's tool unpacks them."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(changed: Mapping[str, bytes | None], method: int = zipfile.ZIP_STORED) -> bytes:
    """Zip the good report's entries with these changed, added or (None) left out."""
    entries: dict[str, bytes | None] = {**entries_of(GOOD), **changed}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries.items():
            if content is not None:
                archive.writestr(name, content)
    return file.getvalue()


def refused(content: bytes) -> str:
    """The last word of the key of the reason why the file is refused."""
    with pytest.raises(VisionError) as error:
        decode_report(content, "mine.zip")
    assert error.value.params["report"] == "mine.zip"
    return error.value.key.removeprefix("error.report.")


def test_a_report_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "misread.zip"
    path.write_bytes(GOOD)
    assert load_report(path) == REPORT
    assert decode_report(zipped({}, zipfile.ZIP_DEFLATED), "packed") == REPORT
    bare = Misread(
        Manifest(format=1, package="", networks="", reading=MANIFEST.reading), REPORT.frames[:1]
    )
    assert decode_report(encode_report(bare), "bare") == bare
    with pytest.raises(VisionError) as error:
        load_report(tmp_path / "none.zip")
    assert error.value.key == "error.unreadable"


def test_a_report_says_nothing_of_when_and_where_it_was_made() -> None:
    assert list(entries_of(GOOD)) == ["report.json", "frames/00.jpg", "frames/01.png"]
    with zipfile.ZipFile(io.BytesIO(GOOD)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
    assert set(json.loads(entries_of(GOOD)["report.json"])) == {
        *("format", "package", "networks", "expected", "tray", "reading"),
        *("enrolled", "learnt", "put_right", "applied"),
    }


def test_what_is_too_large_is_neither_made_nor_read() -> None:
    huge = Misread(MANIFEST, (b"\xff\xd8" + bytes(12 << 20),) * 6)
    with pytest.raises(VisionError) as error:
        encode_report(huge)
    assert error.value.key == "error.report.too_much"
    frames: dict[str, bytes | None] = {f"frames/{n:02}.jpg": bytes(12 << 20) for n in range(6)}
    assert refused(zipped(frames, zipfile.ZIP_DEFLATED)) == "large"


def test_a_damaged_or_locked_entry_is_refused() -> None:
    at = GOOD.index(REPORT.frames[0]) + 100
    assert refused(GOOD[:at] + b"\0" * 9 + GOOD[at + 9 :]) == "damaged"
    at = GOOD.index(b"PK\x01\x02") + 8
    assert refused(GOOD[:6] + b"\1\0" + GOOD[8:at] + b"\1\0" + GOOD[at + 2 :]) == "damaged"


def manifest_with(**changed: object) -> bytes:
    """The manifest's JSON with these fields changed."""
    return json.dumps({**json.loads(entries_of(GOOD)["report.json"]), **changed}).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        manifest_with(player="Anna"),
        manifest_with(format=2),
        manifest_with(applied=["moon"]),
        manifest_with(learnt=[{"game": "tokyo", "prints": [], "faces": ["moon"]}]),
        manifest_with(reading={}),
    ],
)
def test_a_malformed_manifest_is_refused(content: bytes) -> None:
    assert refused(zipped({"report.json": content})) == "manifest"


def test_reports_are_made_without_the_reader_s_libraries() -> None:
    code = (
        "import sys, companion.vision.report;"
        "print([m for m in ('cv2', 'numpy', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def raw(image: Image, index: int) -> Frame:
    return Frame(image, index / CLIP_FPS, index)


def packed(image: Image, index: int) -> EncodedFrame:
    return EncodedFrame(jpeg(image), index / CLIP_FPS, index)


def noted(image: Image, index: int) -> EncodedFrame:
    encoded = jpeg(image)
    note = segment((0xFE, 0xE1, 0xED)[index % 3], SECRET)
    return EncodedFrame(encoded[:2] + note + encoded[2:], index / CLIP_FPS, index)


def watched(watcher: Watcher, image: Image, shoot: Shoot) -> DiceReading:
    """Show dice at rest, and return their reading."""
    for index in range(REST):
        reading = watcher.see(shoot(image, index)).reading
        if reading is not None:
            return reading
    raise AssertionError("nothing was read")


def reported(reading: DiceReading, footage: Footage | None) -> Misread:
    """Make the report of a reading, and send it through its file."""
    assert footage is not None
    report = report_of(reading, footage, applied=(Face.HEAL,))
    return decode_report(encode_report(report), "mine")


@pytest.mark.parametrize("expected", [None, 2, 6, 8])
@pytest.mark.parametrize("shoot", [raw, packed, noted])
def test_a_roll_of_the_camera_is_read_again_to_the_same_result(
    reader: Reader, clip: Clip, lying: Image, shoot: Shoot, expected: int | None
) -> None:
    watcher = Watcher(reader, Expected(rules_of(clip.game), expected))
    reading = watched(watcher, lying, shoot)
    report = reported(reading, footage_of(watcher.voted, Profile(), ()))
    again = read_again(report, "mine")
    assert is_same(again, report.manifest)
    assert again.dice == reading.dice
    assert (again.problems, again.sure) == (reading.problems, reading.sure)
    assert all(SECRET not in frame for frame in report.frames)
    is_as_it_came = [frame.startswith(b"\xff\xd8") for frame in report.frames]
    assert is_as_it_came == [shoot is packed] * len(report.frames)


def test_a_roll_read_with_learnt_prints_is_read_again_with_them(clip: Clip, lying: Image) -> None:
    """What the reader has learnt changes how sure it is."""
    reader = Reader.shipped()
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    first = watched(watcher, lying, packed)
    faces = tuple(die.face for die in first.dice if die.face is not None)
    learnt = tuple(Lesson(clip.game, first.prints, faces, f"g1-{n}") for n in range(FEWEST))
    taught = Reader.shipped(None, learnt)
    watcher = Watcher(taught, Expected(rules_of(clip.game)))
    reading = watched(watcher, lying, packed)
    assert [die.confidence for die in reading.dice] != [die.confidence for die in first.dice]
    report = reported(reading, footage_of(watcher.voted, Profile(), learnt))
    again = read_again(report, "mine")
    assert is_same(again, report.manifest)
    for die, was in zip(again.dice, reading.dice, strict=True):
        assert die.confidence == pytest.approx(was.confidence, abs=1e-4)


def test_a_photo_is_read_again_to_the_same_result(reader: Reader, clip: Clip, lying: Image) -> None:
    encoded = jpeg(np.asarray(cv2.resize(lying, None, fx=2.5, fy=2.5), np.uint8))
    frame, expected = photo_frame(encoded, 1), Expected(rules_of(clip.game), 6)
    reading = read_photo(frame, reader, expected)
    report = reported(reading, footage_of(Voted(reading, (frame,), expected), Profile(), ()))
    again = read_again(report, "mine")
    assert is_same(again, report.manifest)
    assert again.dice == reading.dice


def test_the_dice_come_in_the_order_that_the_table_saw(
    reader: Reader, clip: Clip, lying: Image
) -> None:
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    reading = watched(watcher, lying, raw)
    turned = replace(reading, dice=tuple(reversed(reading.dice)))
    report = reported(turned, footage_of(watcher.voted, Profile(), ()))
    assert read_again(report, "mine").dice == turned.dice


def test_only_the_pictures_of_the_last_reading_are_kept(
    reader: Reader, clip: Clip, lying: Image
) -> None:
    watcher = Watcher(reader, Expected(rules_of(clip.game)))
    assert footage_of(watcher.voted, Profile(), ()) is None
    first = watched(watcher, lying, packed)
    assert watcher.voted is not None
    assert watcher.voted.reading == replace(first, picture=b"", crops=(), prints=())
    watcher.read_now()
    watcher.see(packed(lying, REST))
    indices = [shot.index for shot in watcher.voted.frames]
    assert len(indices) == LOOKS + 1, "it is read again from one more look"
    assert indices == sorted(indices)
    assert indices[-1] == REST


def test_what_cannot_be_read_again_is_refused() -> None:
    with pytest.raises(VisionError) as error:
        read_again(Misread(MANIFEST, (REPORT.frames[0][:900],)), "mine")
    assert error.value.key == "error.report.picture"
    told = replace(MANIFEST, reading=replace(MANIFEST.reading, game="chess"))
    with pytest.raises(VisionError) as error:
        read_again(Misread(told, REPORT.frames), "mine")
    assert error.value.key == "error.game.unknown"


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["read", *words])


@pytest.fixture
def misread(tmp_path: Path, reader: Reader, clip: Clip, lying: Image) -> Path:
    """A report of the clip's first roll, in which the table put one die right."""
    watcher = Watcher(reader, Expected(rules_of(clip.game), 6))
    reading = watched(watcher, lying, packed)
    footage = footage_of(watcher.voted, Profile(), ())
    assert footage is not None
    faces = (None, *(die.face for die in reading.dice[1:]))
    path = tmp_path / "misread.zip"
    path.write_bytes(encode_report(report_of(reading, footage, put_right=faces)))
    return path


def test_the_command_reads_a_report_without_naming_the_game(misread: Path, clip: Clip) -> None:
    result = run(str(misread), "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    row = json.loads(result.stdout)
    assert row["game"] == clip.game
    assert row["same"] is True
    assert row["put_right"] == [None, *(die["face"] for die in row["dice"][1:])]
    assert "applied" not in row


def test_the_command_names_other_networks(misread: Path) -> None:
    report = decode_report(misread.read_bytes(), "mine")
    other = Misread(replace(report.manifest, networks="f00ba12"), report.frames)
    misread.write_bytes(encode_report(other))
    result = run(str(misread))
    assert result.exit_code == 0
    (line,) = result.stderr.splitlines()
    assert "f00ba12" in line


JPEG, PNG = jpeg(tray()), png(tray())


def refused_picture(encoded: bytes) -> str:
    """Return the last word of the key by which the picture is refused_picture."""
    with pytest.raises(PhotoError) as refusal:
        decode(encoded)
    return refusal.value.key.removeprefix("error.photo.")


@pytest.mark.parametrize(
    ("encoded", "key"),
    [
        (b"", "format"),
        (b"GIF89a" + bytes(40), "format"),
        (b"<html></html>", "format"),
        (b"RIFF\x10\0\0\0WEBPVP8 " + bytes(40), "format"),
        (b"\0\0\0\x18ftypheic" + bytes(40), "heic"),
        (b"\0\0\0\x18ftypmif1" + bytes(40), "heic"),
        (b"\xff\xd8\xff\xe0", "damaged"),
        (b"\xff\xd8\xff" + bytes(100), "damaged"),
        (b"\x89PNG\r\n\x1a\n" + bytes(4), "damaged"),
        (flat_png(40, 40)[:60], "damaged"),
        (JPEG[: len(JPEG) // 2], "damaged"),
        (PNG[: len(PNG) // 2], "damaged"),
        (png_of(400, 400, zlib.compress(bytes(100))), "damaged"),
        (resized_jpeg(JPEG, 60_000, 60_000), "too_large"),
        (flat_png(30_000, 30_000), "too_large"),
        (flat_png(6000, 4000), "too_large"),
        (scan_bomb(6000, 4000, 10), "too_large"),
        (scan_bomb(64, 64, MAX_SCANS + 1), "damaged"),
        (jpeg(np.zeros((15, 15, 3), np.uint8)), "shape"),
        (png(np.zeros((16, 513, 3), np.uint8)), "shape"),
        (png(np.zeros((900, 16_385, 3), np.uint8)), "shape"),
        (resized_jpeg(JPEG, 40_000, 8), "shape"),
    ],
)
def test_what_is_no_photo_is_refused_by_name(
    encoded: bytes, key: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert refused_picture(encoded) == key
    capfd.readouterr()  # the decoders have words of their own


def test_a_camera_s_picture_that_cannot_be_decoded_is_black() -> None:
    for encoded in (JPEG[:9], b"", resized_jpeg(JPEG, 60_000, 60_000)):
        assert not EncodedFrame(encoded, 0.0, 0).decode().image.any()
    assert EncodedFrame(JPEG, 0.0, 0).decode().image.shape == (HEIGHT, WIDTH, 3)


def turned(picture: bytes, orientation: int) -> bytes:
    """Add an EXIF mark of the camera's orientation to the JPEG."""
    ifd = struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + b"MM\0*" + struct.pack(">I", 8) + ifd
    return picture[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + picture[2:]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photo_stands_upright_however_the_phone_was_held(orientation: int) -> None:
    image = decode(jpeg(tray([(100, 60)])))
    upright = {
        1: image,
        2: image[:, ::-1],
        3: np.rot90(image, 2),
        4: image[::-1],
        5: image.transpose(1, 0, 2),
        6: np.rot90(image, 3),
        7: image[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(image),
    }[orientation]
    decoded = decode(turned(jpeg(tray([(100, 60)])), orientation))
    assert decoded.shape == upright.shape
    assert np.abs(decoded.astype(int) - upright).max() <= 2
