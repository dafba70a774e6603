"""A box as one file: what is kept, what is refused, and what a power cut leaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from companion.engine import Face
from companion.vision.box import (
    LARGEST_FILE,
    LARGEST_PICTURE,
    LONGEST_NAME,
    MOST_PRINTS,
    DiceSet,
    Origin,
    Print,
    decode_box,
    encode_box,
    load_box,
    save_box,
)
from companion.vision.readings import VisionError

HEART = Print(b"\x89PNG heart", Origin.ENROLLED)
BOX = DiceSet("Grandma's", "tokyo", {Face.HEAL: (HEART,)}, "abc1234")


def test_a_box_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    save_box(BOX, tmp_path / "box.json")
    assert load_box(tmp_path / "box.json") == BOX


def numbered(count: int, origin: Origin) -> list[tuple[Face, Print]]:
    return [(Face.HEAL, Print(bytes([65 + n]), origin)) for n in range(count)]


def test_the_newest_prints_of_each_origin_are_kept() -> None:
    many = numbered(MOST_PRINTS + 2, Origin.CORRECTED)
    grown = BOX.with_prints(many)
    assert grown.faces[Face.HEAL] == (
        HEART,
        *(one for _, one in many[2:]),
    )
    assert BOX.faces[Face.HEAL] == (HEART,)
    assert decode_box(encode_box(grown), "box") == grown


def test_as_many_prints_as_can_be_fit_into_a_file() -> None:
    picture = bytes(LARGEST_PICTURE)
    full = tuple(Print(picture, origin) for origin in Origin for _ in range(MOST_PRINTS))
    faces = (Face.ONE, Face.TWO, Face.THREE, Face.ENERGY, Face.ATTACK, Face.HEAL)
    box = DiceSet("x" * LONGEST_NAME, "tokyo", dict.fromkeys(faces, full), "abc1234")
    content = encode_box(box)
    assert len(content) <= LARGEST_FILE
    assert decode_box(content, "box") == box


def refused(content: bytes) -> VisionError:
    with pytest.raises(VisionError) as caught:
        decode_box(content, "the file")
    assert caught.value.params["box"] == "the file"
    return caught.value


def changed(**values: object) -> bytes:
    return msgspec.json.encode({**msgspec.to_builtins(BOX), **values})


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"[]", "Expected `object`"),
        (b"[" * 100_000, ""),
        (changed(name=""), "name"),
        (changed(name=" x"), "name"),
        (changed(name="a\nb"), "name"),
        (changed(name="x" * (LONGEST_NAME + 1)), "name"),
        (changed(game="chess"), "chess"),
        (changed(faces={"ouch": []}), "ouch"),
        (changed(faces={"heel": []}), "heel"),
        (changed(faces={"heal": [{"picture": ""}]}), "picture"),
        (changed(faces={"heal": [{"picture": "A" * 4 * LARGEST_PICTURE}]}), "picture"),
        (changed(faces={"heal": [{"picture": "AAAA"}] * (MOST_PRINTS + 1)}), "more than"),
        (changed(owner="Ana"), "owner"),
        (changed(format="1"), "format"),
        (changed(format=0), "format"),
    ],
)
def test_what_is_no_box_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    found = refused(content)
    assert found.key == "error.box.form"
    assert reason in str(found.params["reason"])


def test_a_box_of_a_newer_version_is_told_apart_from_a_damaged_one() -> None:
    assert refused(changed(format=2, faces=7, owner="Ana")).key == "error.box.newer"


def test_a_file_too_large_is_not_decoded(tmp_path: Path) -> None:
    assert refused(b" " * (LARGEST_FILE + 1)).key == "error.box.large"
    path = tmp_path / "box.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse: it must not be read whole
    with pytest.raises(VisionError, match=r"error\.box\.large"):
        load_box(path)


def test_a_missing_file_and_a_folder_that_is_none_are_said(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match=r"error\.box\.unreadable"):
        load_box(tmp_path / "none.json")
    with pytest.raises(VisionError, match=r"error\.box\.unwritable"):
        save_box(BOX, tmp_path / "none" / "box.json")


SAVER = """
import sys
from pathlib import Path
from companion.vision.box import load_box, save_box
from msgspec.structs import replace
path = Path(sys.argv[1])
box = load_box(path)
print("saving", flush=True)
while True:
    for name in ("one", "two"):
        save_box(replace(box, name=name), path)
"""


def test_a_process_killed_while_it_saves_leaves_a_whole_box(tmp_path: Path) -> None:
    path = tmp_path / "box.json"
    print_ = replace(HEART, picture=bytes(LARGEST_PICTURE))
    save_box(replace(BOX, faces={Face.HEAL: (print_,) * MOST_PRINTS}), path)
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", SAVER, str(path)], stdout=subprocess.PIPE
        ) as saver:
            assert saver.stdout is not None
            assert saver.stdout.readline() == b"saving\n"
            names = {load_box(path).name for _ in range(40)}
            saver.kill()
        names.add(load_box(path).name)
        assert names <= {BOX.name, "one", "two"}
