"""The rows that `read` and `watch` print, encoded and decoded."""

from __future__ import annotations

import json

import msgspec

from companion.engine import Face
from companion.vision.readings import (
    Alternative,
    Colour,
    DiceReading,
    DieReading,
    ReadingProblem,
    ReadingRow,
    row_of,
)

READING = DiceReading(
    game="a-game",
    dice=(
        DieReading(
            face=Face.ATTACK,
            confidence=0.998,
            colour=Colour.BLACK,
            box=(412, 220, 71, 74),
            flat=True,
        ),
        DieReading(
            face=None,
            confidence=0.41,
            colour=Colour.GREEN,
            box=(0, 4, 60, 70),
            flat=True,
            problem=ReadingProblem.DOUBTFUL,
            alternatives=(Alternative(face=Face.OUCH, probability=0.41),),
        ),
    ),
    problems=(ReadingProblem.DOUBTFUL, ReadingProblem.COUNT),
    sure=False,
    frame=118,
    at_s=3.9333,
    size=(640, 360),
    picture=b"jpeg",
)


def test_a_row_has_what_was_read_and_no_time() -> None:
    row = json.loads(msgspec.json.encode(row_of(READING)))
    assert set(row) == {"game", "sure", "problems", "dice"}
    assert row["problems"] == ["die_doubtful", "count"]

    assert {"face", "confidence", "colour", "box", "flat"} <= set(row["dice"][0])
    assert row["dice"][0]["box"] == [412, 220, 71, 74]
    assert row["dice"][1]["face"] is None


def test_a_row_comes_back_as_it_went() -> None:
    row = row_of(READING)
    assert msgspec.json.decode(msgspec.json.encode(row), type=ReadingRow) == row


def test_a_row_put_right_by_hand_is_read_though_it_says_less_or_more() -> None:
    line = """{"image": "a.jpg", "game": "a-game", "sure": true, "problems": [], "note": "mine",
      "dice": [{"face": "heal", "confidence": 1, "colour": "black", "box": [1, 2, 3, 4],
      "flat": true}]}"""
    assert msgspec.json.decode(line, type=ReadingRow).dice[0].face is Face.HEAL
