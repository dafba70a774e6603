"""Which acts are said in the room, and when: what stands for two seconds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.engine import Corrected, Correction, Number, Seat
from companion.mqtt.messages import SETTLED_S, Said, Speaker
from companion.mqtt.settings import MqttFile
from companion.table import Redone, Undone
from tests.engine.tables import TOKYO, Scene
from tests.sentences.play import Evening
from tests.sentences.test_kinds import rolled
from tests.waiting import Clock

FILE = MqttFile(broker="mqtt://broker.lan", names=("*",))


class Room:
    """Hears of each change of an evening; `later` is what is said after a while."""

    def __init__(self, evening: Evening) -> None:
        self.evening, self.clock = evening, Clock()
        self.speaker = Speaker(FILE, evening.snapshot(), self.clock)

    def heard(self) -> list[Said]:
        return list(self.speaker.hear(self.evening.snapshot()))

    def later(self, seconds: float = SETTLED_S) -> list[str]:
        assert self.heard() == []
        self.clock.move(seconds)
        return [one.text for one in self.heard()]


@pytest.fixture
def room() -> Room:
    return Room(Evening.at(Scene(TOKYO).begin().game))


def corrected(seat: int, stars: int) -> Corrected:
    return Corrected((Correction(Seat(seat), Number.STARS, stars),))


ROLL = "Ana takes 2 energy."


def test_an_act_is_said_once_it_has_stood_for_two_seconds(room: Room) -> None:
    rolled(room.evening, "EE")
    assert room.later(SETTLED_S - 0.1) == []
    assert room.later(0.1) == [ROLL]
    assert room.later() == []


def test_what_was_there_before_is_not_said(room: Room) -> None:
    rolled(room.evening, "EE")
    assert Room(room.evening).later() == []


def test_an_act_undone_within_moments_is_never_said_nor_is_its_undo(room: Room) -> None:
    rolled(room.evening, "EE")
    assert room.later(1.0) == []
    room.evening.say(Undone(1))
    assert room.later() == []


def test_an_undo_of_what_was_said_is_said_unless_it_is_taken_back_at_once(room: Room) -> None:
    rolled(room.evening, "EE")
    assert room.later() == [ROLL]
    undo = len(room.evening.entries) + 1
    room.evening.say(Undone(1))
    assert room.later(1.0) == []
    room.evening.say(Redone(undo))
    assert room.later() == []
    room.evening.say(Undone(1))
    (said,) = room.later()
    assert said.startswith("Ana undid 2 steps: ")


def test_a_redo_of_what_was_never_said_is_said(room: Room) -> None:
    rolled(room.evening, "EE")
    room.evening.say(Undone(1))
    assert room.later() == []
    room.evening.say(Redone(len(room.evening.entries)))
    (said,) = room.later()
    assert said.startswith("Ana redid 2 steps: ")


def test_a_number_corrected_within_moments_is_said_as_it_stands(room: Room) -> None:
    """The last roll had three 1s: the star is one too many, and the dial is turned twice."""
    rolled(room.evening, "111")
    room.heard()
    for stars in (5, 6):
        room.evening.say(corrected(0, stars))
        room.heard()
    room.clock.move(SETTLED_S)
    (said,) = room.heard()
    assert said.event_type == "corrected"
    assert "6" in said.text


def test_a_correction_of_another_number_leaves_an_act_to_be_said(room: Room) -> None:
    rolled(room.evening, "EE")
    room.evening.say(corrected(1, 6))
    first, second = room.later()
    assert first == ROLL
    assert "Ben" in second


def test_what_was_done_in_a_game_is_said_of_it_though_another_one_is_begun_at_once(
    room: Room,
) -> None:
    rolled(room.evening, "EE")
    room.evening.say(corrected(1, 6))
    assert room.heard() == []
    left = room.evening.snapshot()
    other = Evening.at(Scene(TOKYO).begin().game)
    begun = replace(other.snapshot(), game_id="g2")
    first, second = room.speaker.hear(begun)
    assert (first.text, first.table, second.table) == (ROLL, left.game_id, left.game_id)
    assert "Ben" in second.text
