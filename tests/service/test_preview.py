"""What Apply would do: who falls, who wins, and why the groups are in this order."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.engine import Change, Face, Number, Seat
from companion.service.requests import PreviewAnswer
from companion.service.views.preview import preview_answer, with_reasons
from tests.browser.evening import Evening, named
from tests.browser.scenes import TOKYO_WARES, story


def explained(evening: Evening, dice: str, order: str = "") -> PreviewAnswer:
    position = evening.table.snapshot().state.position
    assert position is not None
    faces, wanted = named(dice), named(order)
    answer = preview_answer(position, faces, wanted)
    return with_reasons(answer, position, faces, wanted, ())


def with_units(folder: Path, health: int) -> Evening:
    """Ana in Queens with Units there, which Ouch! lets hit her."""
    evening = story(folder)
    evening.roll("3 destruction 3 heal", "heal destruction")
    evening.tiles("skyscraper_1", "power_plant_2", "hospital_3")
    while evening.question.key != "roll" or evening.question.seat != 0:
        evening.skip_to_roll()
        if evening.question.seat != 0:
            evening.roll("6 celebrity")
    return evening.numbers(0, health, 9, 0)


def test_heal_before_ouch_where_none_of_it_is_lost(tmp_path: Path) -> None:
    evening = with_units(tmp_path, 9)
    found = explained(evening, "2 heal 1 ouch 3 energy")
    (reason,) = found.reasons
    assert {reason.first, reason.then} == {Face.HEAL, Face.OUCH}
    (here,), (there,) = reason.changes, reason.instead
    assert (here.seat, here.what) == (there.seat, there.what) == (Seat(0), Number.HEALTH)
    assert here.after > there.after


def test_no_reason_where_any_order_comes_to_the_same(tmp_path: Path) -> None:
    assert explained(story(tmp_path), "3 energy 3 heal").reasons == ()
    assert explained(story(tmp_path / "two"), "3 energy 3 heal", "heal energy").reasons == ()


def test_an_order_of_ones_own_beside_the_suggested_one(tmp_path: Path) -> None:
    evening = with_units(tmp_path, 9)
    suggested = explained(evening, "2 heal 1 ouch 3 energy").order
    other = " ".join(face.value for face in reversed(suggested))
    (reason,) = explained(evening, "2 heal 1 ouch 3 energy", other).reasons
    assert (reason.first, reason.then) == (None, None)
    assert isinstance(reason.changes[0], Change)
    assert reason.changes[0].after < reason.instead[0].after


Sentences = list[tuple[str, dict[str, str | int]]]


def outcomes(evening: Evening, faces: str, order: str = "") -> Sentences:
    position = evening.table.snapshot().state.position
    assert position is not None
    answer = preview_answer(position, named(faces), named(order))
    return [(words.key, words.args) for words in answer.outcomes]


def test_the_preview_says_who_falls(tmp_path: Path) -> None:
    evening = story(tmp_path)
    assert outcomes(evening, "2 attack 4 energy") == []
    evening.numbers(2, 2, 13, 4)
    assert outcomes(evening, "2 attack 4 energy") == [("outcome.falls", {"seat": 2})]
    assert outcomes(evening, "1 attack 5 energy") == []
    # Fewer dice cannot be applied, so nobody falls by them.
    assert outcomes(evening, "2 attack") == []


def test_behind_a_question_the_preview_says_who_may_fall(tmp_path: Path) -> None:
    evening = story(tmp_path)
    evening.numbers(2, 2, 13, 4)
    found = outcomes(evening, "2 attack 4 destruction", "destruction attack")
    assert found == [("outcome.may_fall", {"seat": 2})]


def test_the_preview_says_who_wins(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "tokyo", 2).seats().begin(cards=("corner_store", "wings", "heal"))
    evening.numbers(0, 9, 19, 0)
    (words,) = outcomes(evening, "3 one 3 heal")
    assert words == ("outcome.wins", {"seat": 0})  # nothing can be bought: the turn ends with it
    evening.numbers(0, 9, 19, 9)
    (words,) = outcomes(evening, "3 one 3 heal")
    assert words == ("outcome.reaches", {"seat": 0})
    assert outcomes(evening, "2 one 4 heal") == []


@pytest.mark.parametrize(("health", "key"), [(1, "outcome.wins"), (2, "")])
def test_the_last_hit_of_two_wins(tmp_path: Path, health: int, key: str) -> None:
    evening = Evening(tmp_path, "tokyo", 2).seats().begin(cards=TOKYO_WARES)
    evening.roll("2 one 2 two 2 three").skip_to_roll()
    evening.roll("1 attack 5 heal").skip_to_roll()
    evening.numbers(1, health, 3, 3)
    evening.numbers(0, 9, 3, 0)
    found = [name for name, _ in outcomes(evening, "1 attack 5 heal")]
    assert (key in found) is bool(key)
    assert ("outcome.falls" in found) is bool(key)
