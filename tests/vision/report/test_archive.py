"""A report as one file: what is kept, and what of others' files is refused, and why."""

from __future__ import annotations

import io
import json
import stat
import struct
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.engine import Face
from companion.vision.readings import VisionError
from companion.vision.report import (
    LARGEST_CROP,
    LARGEST_FILE,
    LARGEST_MANIFEST,
    MOST_ENTRIES,
    MOST_FRAMES,
    Report,
    decode_report,
    encode_report,
    load_report,
)
from tests.vision.report.values import MANIFEST, REPORT, entries_of, zipped

GOOD = encode_report(REPORT)


def refused(content: bytes) -> str:
    """The key of the reason why the file is refused."""
    with pytest.raises(VisionError) as error:
        decode_report(content, "mine.zip")
    assert error.value.params["report"] == "mine.zip"
    assert len(str(error.value.params.get("entry", ""))) <= 60
    return error.value.key


def test_a_report_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "misread.zip"
    path.write_bytes(GOOD)
    assert load_report(path) == REPORT


def test_a_report_without_crops_prints_or_corrections_comes_back_too() -> None:
    manifest = replace(MANIFEST, put_right=None, applied=None, expected=None, sheet=None)
    bare = Report(manifest, REPORT.frames[:1])
    assert decode_report(encode_report(bare), "bare") == bare


def test_the_entries_are_those_that_the_documentation_names() -> None:
    assert list(entries_of(GOOD)) == [
        "report.json",
        "frames/00.jpg",
        "frames/01.png",
        "dice/00.jpg",
        "prints/heal-enrolled-00.png",
        "prints/heal-played-01.png",
        "prints/one-corrected-00.png",
    ]


def test_a_report_says_nothing_of_when_and_where_it_was_made() -> None:
    with zipfile.ZipFile(io.BytesIO(GOOD)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
    assert set(json.loads(entries_of(GOOD)["report.json"])) == {
        *("format", "taken", "package", "networks", "expected", "sheet", "reading"),
        *("put_right", "applied"),
    }


def test_a_report_packed_anew_with_compression_is_read() -> None:
    assert decode_report(zipped({}, zipfile.ZIP_DEFLATED), "packed") == REPORT


def test_what_is_too_large_is_not_made() -> None:
    huge = Report(MANIFEST, (b"\xff\xd8" + bytes(12 << 20),) * 6)
    with pytest.raises(VisionError) as error:
        encode_report(huge)
    assert error.value.key == "error.report.too_much"


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04", b"no zip at all" * 9, GOOD[4:]])
def test_what_is_no_zip_file_is_refused(content: bytes) -> None:
    assert refused(content) == "error.report.form"


def test_a_comment_after_the_directory_is_refused() -> None:
    assert refused(zipped({}, comment=b"hello")) == "error.report.form"


@pytest.mark.parametrize("at", [60, 700, len(GOOD) // 2, len(GOOD) - 60])
def test_a_damaged_file_is_refused(at: int) -> None:
    torn = GOOD[:at] + bytes(byte ^ 0xFF for byte in GOOD[at : at + 20]) + GOOD[at + 20 :]
    assert refused(torn).startswith("error.report.")


def test_a_file_above_the_limit_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    with path.open("wb") as file:
        file.write(b"PK\x03\x04")
        file.truncate(4 * LARGEST_FILE)
    with pytest.raises(VisionError) as error:
        load_report(path)
    assert error.value.key == "error.report.large"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VisionError) as error:
        load_report(tmp_path / "none.zip")
    assert error.value.key == "error.unreadable"


def test_as_many_entries_as_may_be_are_read_and_one_more_refused() -> None:
    extra: dict[str, bytes | None] = {f"dice/{n:02}.jpg": b"\xff\xd8" for n in range(1, 40)}
    assert len(decode_report(zipped(extra), "many").crops) == 40
    many: dict[str, bytes | None] = {f"notes/{n}": b"" for n in range(MOST_ENTRIES)}
    assert refused(zipped(many)) == "error.report.entries"


def test_a_directory_of_a_million_entries_is_not_read() -> None:
    head = b"PK\x03\x04" + bytes(26)
    entry = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *[0] * 9, 1, *[0] * 6) + b"x"
    directory = entry * 1_000_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, len(directory), len(head), 0)
    content = head + directory + end
    tracemalloc.start()
    try:
        assert refused(content) == "error.report.entries"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../report.json", "frames/../../x.jpg", "frames\\00.jpg", "C:/x.jpg"]
)
def test_a_path_outside_is_refused(name: str) -> None:
    assert refused(zipped({name: b""})) == "error.report.path"


@pytest.mark.parametrize(
    "name",
    [
        *("readme.txt", "frames/0.jpg", "frames/00.gif", "frames/0\u0660.jpg", "frames/00.jpg\n"),
        *("prints/heal-00.png", "prints/moon-enrolled-00.png", "REPORT.JSON", "x" * 5000),
    ],
)
def test_an_unknown_name_is_refused(name: str) -> None:
    assert refused(zipped({name: b""})) == "error.report.unknown"


def test_a_name_that_ends_early_for_other_tools_is_refused() -> None:
    spoilt = zipped({"dice/01.jpgXx": b""}).replace(b"dice/01.jpgXx", b"dice/01.jpg\0x")
    assert refused(spoilt) == "error.report.unknown"


def test_the_same_name_twice_is_refused() -> None:
    file = io.BytesIO(GOOD)
    with warnings.catch_warnings(), zipfile.ZipFile(file, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("report.json", b"{}")
    assert refused(file.getvalue()) == "error.report.twice"


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO])
def test_what_is_no_plain_file_is_refused(kind: int) -> None:
    file = io.BytesIO(zipped({"dice/00.jpg": None}))
    with zipfile.ZipFile(file, "a") as archive:
        entry = zipfile.ZipInfo("dice/00.jpg")
        entry.external_attr = (kind | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    assert refused(file.getvalue()) == "error.report.link"


def test_an_entry_that_unpacks_to_more_than_it_may_is_refused() -> None:
    bomb = zipped({"dice/00.jpg": bytes(LARGEST_CROP + 1)}, zipfile.ZIP_DEFLATED)
    assert refused(bomb) == "error.report.entry_large"


def test_entries_that_unpack_to_more_in_all_are_refused() -> None:
    frames: dict[str, bytes | None] = {f"frames/{n:02}.jpg": bytes(12 << 20) for n in range(6)}
    assert refused(zipped(frames, zipfile.ZIP_DEFLATED)) == "error.report.entry_large"


def test_an_entry_that_states_less_than_it_holds_is_refused() -> None:
    content = zipped({"dice/00.jpg": bytes(5000)}, zipfile.ZIP_DEFLATED)
    stated = struct.pack("<L", 5000)
    assert content.count(stated) == 2
    assert refused(content.replace(stated, struct.pack("<L", 50))) == "error.report.damaged"


def test_an_encrypted_entry_is_refused() -> None:
    at = GOOD.index(b"PK\x01\x02") + 8
    locked = GOOD[:6] + b"\1\0" + GOOD[8:at] + b"\1\0" + GOOD[at + 2 :]
    assert refused(locked) == "error.report.damaged"


def test_a_report_without_pictures_or_with_too_many_is_refused() -> None:
    assert refused(zipped({"frames/00.jpg": None, "frames/01.png": None})) == "error.report.frames"
    many: dict[str, bytes | None] = {f"frames/{n:02}.jpg": b"" for n in range(MOST_FRAMES + 1)}
    assert refused(zipped(many)) == "error.report.frames"


def test_a_report_without_a_manifest_is_refused() -> None:
    assert refused(zipped({"report.json": None})) == "error.report.missing"


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
        manifest_with(taken="x"),
        manifest_with(expected=-1),
        manifest_with(expected=10**30),
        manifest_with(format=0),
        manifest_with(networks="x" * 65),
        manifest_with(applied=["moon"]),
        manifest_with(applied=["heal"] * 41),
        manifest_with(reading={}),
    ],
)
def test_a_malformed_manifest_is_refused(content: bytes) -> None:
    assert refused(zipped({"report.json": content})) == "error.report.manifest"


def test_a_manifest_above_the_limit_is_refused() -> None:
    content = b" " * LARGEST_MANIFEST + b"{}"
    assert refused(zipped({"report.json": content})) == "error.report.entry_large"


def test_a_report_of_a_newer_version_says_so() -> None:
    content = manifest_with(format=2, something="new")
    assert refused(zipped({"report.json": content})) == "error.report.newer"


def test_a_print_of_a_face_that_the_game_does_not_have_is_refused() -> None:
    face = Face.CELEBRITY
    assert refused(zipped({f"prints/{face}-played-00.png": b"x"})) == "error.report.manifest"


def test_reports_are_made_without_the_reader_s_libraries() -> None:
    code = (
        "import sys, companion.vision.report, companion.vision.report;"
        "print([m for m in ('cv2', 'numpy', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
