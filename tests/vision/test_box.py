"""The prints of a box: its file, what is learned in play, and the tray as its host drew it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from companion.engine import Face
from companion.vision.box import (
    LARGEST_FILE,
    LARGEST_PICTURE,
    LONGEST_NAME,
    MOST_PRINTS,
    PAGE_MM,
    DiceSet,
    Lesson,
    Origin,
    Print,
    add_lesson,
    corners_of,
    decode_box,
    encode_box,
    lesson_of,
    load_box,
    save_box,
    sheet_of_tray,
)
from companion.vision.read.geometry import Calibration
from companion.vision.readings import Colour, DiceReading, DieReading, ReadingProblem, VisionError

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


SHOWN = (Face.ATTACK, Face.HEAL, Face.HEAL, Face.OUCH)


def die(face: Face | None, problem: ReadingProblem | None = None) -> DieReading:
    return DieReading(
        face=face, confidence=0.9, colour=Colour.BLACK, box=(0, 0, 9, 9), flat=True, problem=problem
    )


def reading(*dice: DieReading) -> DiceReading:
    """Make a reading of these dice; the print of each is its number."""
    return DiceReading(
        game="new-york", dice=dice, problems=(), sure=False, frame=0, at_s=0.0, size=(640, 360),
        prints=tuple(b"%d" % place for place in range(len(dice))),
    )  # fmt: skip


def plain() -> DiceReading:
    return reading(*(die(face) for face in SHOWN))


def test_what_was_applied_as_read_is_learnt() -> None:
    lesson = lesson_of(plain(), SHOWN)
    assert lesson == Lesson(
        "new-york",
        ((Face.ATTACK, b"0"), (Face.HEAL, b"1"), (Face.HEAL, b"2"), (Face.OUCH, b"3")),
    )


def test_a_face_that_was_put_right_is_learnt_as_the_table_has_it() -> None:
    faces = (Face.ATTACK, Face.ENERGY, Face.HEAL, Face.OUCH)
    lesson = lesson_of(plain(), faces)
    assert lesson is not None
    assert lesson.prints[1] == (Face.ENERGY, b"1")


def test_where_the_table_has_another_order_each_die_teaches_what_it_was_read_as() -> None:
    """Rethrown dice take the places of their faces among dice that were entered before."""
    lesson = lesson_of(plain(), (Face.HEAL, Face.HEAL, Face.OUCH, Face.ATTACK))
    assert lesson == lesson_of(plain(), SHOWN)


def test_what_was_put_right_in_another_order_teaches_nothing() -> None:
    doubted = reading(die(Face.ENERGY, ReadingProblem.DOUBTFUL), die(Face.HEAL), die(Face.OUCH))
    assert lesson_of(doubted, (Face.ATTACK, Face.HEAL, Face.OUCH)) is not None
    assert lesson_of(doubted, (Face.HEAL, Face.ATTACK, Face.OUCH)) is None
    assert lesson_of(doubted, (Face.ATTACK, Face.HEAL, Face.ENERGY)) is None


@pytest.mark.parametrize("faces", [SHOWN[:3], (*SHOWN, Face.OUCH), ()])
def test_another_number_of_dice_than_was_read_teaches_nothing(faces: tuple[Face, ...]) -> None:
    assert lesson_of(plain(), faces) is None


def test_a_doubtful_die_is_learnt_with_the_face_the_table_says() -> None:
    dice = (die(None, ReadingProblem.DOUBTFUL), die(Face.HEAL, ReadingProblem.WRONG_GAME))
    lesson = lesson_of(reading(*dice), SHOWN[:2])
    assert lesson == Lesson("new-york", ((Face.ATTACK, b"0"), (Face.HEAL, b"1")))


@pytest.mark.parametrize(
    "problem",
    [
        ReadingProblem.NOT_FLAT, ReadingProblem.CUT, ReadingProblem.SMALL, ReadingProblem.STACKED,
        ReadingProblem.TOO_DARK,
        ReadingProblem.GLARE, ReadingProblem.BLURRED,
    ],
)  # fmt: skip
def test_what_cannot_be_seen_well_is_not_learnt(problem: ReadingProblem) -> None:
    assert lesson_of(reading(die(Face.ATTACK, problem)), SHOWN[:1]) is None
    lesson = lesson_of(reading(die(Face.ATTACK, problem), die(Face.HEAL)), SHOWN[:2])
    assert lesson == Lesson("new-york", ((Face.HEAL, b"1"),))


def test_a_reading_without_prints_and_dice_without_one_teach_nothing() -> None:
    rows = plain()
    bare = DiceReading(
        game=rows.game, dice=rows.dice, problems=(), sure=True, frame=0, at_s=0.0, size=(9, 9)
    )
    assert lesson_of(bare, SHOWN) is None
    lost = DiceReading(
        game=rows.game, dice=rows.dice, problems=(), sure=True, frame=0, at_s=0.0, size=(9, 9),
        prints=(b"", b"1", b"", b""),
    )  # fmt: skip
    assert lesson_of(lost, SHOWN) == Lesson("new-york", ((Face.HEAL, b"1"),))


def test_the_newest_prints_of_each_face_are_known_by_game() -> None:
    known = add_lesson({}, Lesson("tokyo", ((Face.ONE, b"one"),)))
    for number in range(MOST_PRINTS + 2):
        print_ = b"%d" % number
        known = add_lesson(known, Lesson("new-york", ((Face.HEAL, print_), (Face.OUCH, b"same"))))
    assert known["tokyo"] == {Face.ONE: (b"one",)}
    assert known["new-york"][Face.HEAL] == tuple(b"%d" % n for n in range(2, MOST_PRINTS + 2))
    assert known["new-york"][Face.OUCH] == (b"same",) * MOST_PRINTS


SIZE = (1280, 720)
TRAY = ((0.2, 0.25), (0.75, 0.2), (0.9, 0.85), (0.1, 0.9))


def test_the_page_fills_the_corners_and_they_come_back() -> None:
    sheet = sheet_of_tray(SIZE, TRAY)
    page = Calibration(sheet).millimetres(np.array(TRAY) * SIZE)
    width, height = PAGE_MM
    assert np.allclose(page, [(0, 0), (width, 0), (width, height), (0, height)], atol=1e-6)
    assert np.allclose(corners_of(sheet), TRAY)


def test_points_within_the_corners_are_on_the_page() -> None:
    found = Calibration(sheet_of_tray(SIZE, TRAY))
    inside = np.array([(0.5, 0.5), (0.21, 0.27), (0.88, 0.83)]) * SIZE
    outside = np.array([(0.05, 0.5), (0.5, 0.15), (0.95, 0.9), (0.12, 0.3)]) * SIZE
    assert found.contains(inside).all()
    assert not found.contains(outside).any()


@pytest.mark.parametrize(
    "corners",
    [
        (TRAY[0], TRAY[2], TRAY[1], TRAY[3]),
        (TRAY[0], TRAY[3], TRAY[2], TRAY[1]),
        (TRAY[0], TRAY[0], TRAY[2], TRAY[3]),
        ((0.2, 0.2), (0.8, 0.2), (0.3, 0.3), (0.2, 0.8)),
        ((0.5, 0.5), (0.55, 0.5), (0.55, 0.55), (0.5, 0.55)),
    ],
)
def test_corners_that_make_no_tray_are_refused(
    corners: tuple[tuple[float, float], ...],
) -> None:
    a, b, c, d = corners
    with pytest.raises(VisionError, match=r"error\.setup\.corners"):
        sheet_of_tray(SIZE, (a, b, c, d))
