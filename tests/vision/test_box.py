"""What the reader knows of a table: a box of dice, lessons, the drawn tray; its rows."""

from __future__ import annotations

from dataclasses import replace
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
    MOST_ROLLS,
    DiceSet,
    Lesson,
    Print,
    add_lesson,
    check_tray,
    decode_box,
    encode_box,
    lesson_of,
    load_box,
    load_profile,
)
from companion.vision.pictures import Frame
from companion.vision.read.geometry import in_tray
from companion.vision.readings import (
    Colour,
    DiceReading,
    DieReading,
    ReadingProblem,
    ReadingRow,
    VisionError,
)
from companion.vision.watch.motion import Motion, MotionState

HEART = Print(b"\x89PNG heart")
PLAYED = Lesson("tokyo", (b"\x89PNG two",), (Face.TWO,), "g1-7")
BOX = DiceSet("Grandma's", "tokyo", {Face.HEAL: (HEART,)}, "abc1234", (PLAYED,))


def test_a_box_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "box.json").write_bytes(encode_box(BOX))
    assert load_box(tmp_path / "box.json") == BOX


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


FACES = (Face.ATTACK, Face.HEAL)


def test_a_roll_teaches_all_its_dice_and_their_faces_or_nothing() -> None:
    die = DieReading(face=None, confidence=0.1, colour=Colour.BLACK, box=(0, 0, 9, 9), flat=True)
    reading = DiceReading(
        game="tokyo", dice=(die, die), problems=(), sure=False, frame=0, at_s=0.0, size=(640, 360),
        prints=(b"0", b"1"),
    )  # fmt: skip
    assert lesson_of(reading, FACES, "g1-7") == Lesson("tokyo", (b"0", b"1"), FACES, "g1-7")
    assert lesson_of(reading, FACES[:1]) is None, "one of the dice is not named"
    assert lesson_of(msgspec.structs.replace(reading, prints=(b"0", b"")), FACES) is None
    hidden = msgspec.structs.replace(die, problem=ReadingProblem.GLARE)
    assert lesson_of(msgspec.structs.replace(reading, dice=(die, hidden)), FACES) is None
    assert lesson_of(msgspec.structs.replace(reading, prints=()), ()) is None


def test_of_each_game_the_newest_lessons_are_kept_and_one_of_the_same_roll_replaces_the_other() -> (
    None
):
    tokyo = Lesson("tokyo", (b"0",), FACES[:1], "t")
    known: tuple[Lesson, ...] = (tokyo,)
    rolls = [Lesson("new-york", (b"0",), FACES[:1], str(n)) for n in range(MOST_ROLLS + 2)]
    for roll in rolls:
        known = add_lesson(known, roll)
    assert known == (tokyo, *rolls[2:])
    newer = replace(rolls[5], faces=FACES[1:])
    assert add_lesson(known, newer)[-1] == newer
    assert rolls[5] not in add_lesson(known, newer)
    taken_back = add_lesson(known, replace(rolls[5], faces=()))
    assert taken_back == tuple(one for one in known if one != rolls[5])


TRAY = ((0.2, 0.25), (0.75, 0.2), (0.9, 0.85), (0.1, 0.9))


def test_points_within_the_drawn_corners_are_in_the_tray_in_pictures_of_any_size() -> None:
    check_tray(TRAY)
    points = np.array([(0.5, 0.5), (0.21, 0.26), (0.2, 0.2), (0.95, 0.5), (0.5, 0.88)])
    for size in ((1280, 720), (480, 270), (640, 480)):
        found = in_tray(points * size, TRAY, size)
        assert found.tolist() == [True, True, False, False, False]


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
        check_tray((a, b, c, d))


def test_movement_beside_the_tray_is_none() -> None:
    motion = Motion(((0.5, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 1.0)))
    still = np.full((420, 594, 3), 120, np.uint8)
    beside, upon = still.copy(), still.copy()
    beside[100:200, 20:120] = 20
    upon[100:200, 400:500] = 20
    for index in range(10):
        motion.see(Frame(still, index / 20, index))
    assert motion.see(Frame(beside, 0.5, 10)).state is MotionState.STILL
    assert motion.see(Frame(upon, 0.55, 11)).state is MotionState.MOVING


@pytest.mark.parametrize(
    ("content", "key", "named"),
    [
        (None, "unreadable", "path"),
        (b"{", "profile.form", "profile"),
        (b'{"size": [1, 2]}', "profile.form", "profile"),
    ],
)
def test_a_profile_that_is_none_is_named(
    tmp_path: Path, content: bytes | None, key: str, named: str
) -> None:
    path = tmp_path / "profile.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VisionError) as refusal:
        load_profile(path)
    assert refusal.value.key == f"error.{key}"
    assert refusal.value.params[named] == str(path)


def test_a_row_put_right_by_hand_is_read_though_it_says_less_or_more() -> None:
    line = """{"image": "a.jpg", "game": "a-game", "sure": true, "problems": [], "note": "mine",
      "dice": [{"face": "heal", "confidence": 1, "colour": "black", "box": [1, 2, 3, 4],
      "flat": true}]}"""
    assert msgspec.json.decode(line, type=ReadingRow).dice[0].face is Face.HEAL
