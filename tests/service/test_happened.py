"""What came of an act, in one sentence each; and what would come of dice, before Apply."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.service import wire
from companion.service.views.preview import preview_answer
from companion.table import Undone
from tests.browser.evening import Evening, named
from tests.browser.scenes import TOKYO_WARES, flee_asked, game_over, story, tokyo

Said = list[tuple[str, dict[str, str | int]]]


def told(evening: Evening) -> tuple[wire.Happened, ...]:
    game = evening.update().view.game
    assert game is not None
    return game.happened


def said(evening: Evening) -> Said:
    return [(one.words.key, one.words.args) for one in told(evening)]


def outcomes(evening: Evening, faces: str, order: str = "") -> Said:
    position = evening.table.snapshot().state.position
    assert position is not None
    answer = preview_answer(position, named(faces), named(order))
    return [(words.key, words.args) for words in answer.outcomes]


def test_a_hit_and_what_it_leads_to_are_told_newest_first(tmp_path: Path) -> None:
    evening = flee_asked(tmp_path)
    hit = ("happened.hit.1", {"by": 0, "seat": 2, "count": 2})
    assert said(evening) == [hit]
    evening.choose("flee_bronx")
    assert said(evening) == [
        ("happened.enters", {"seat": 0, "place": "lower_2_4"}),
        ("happened.leaves_for", {"seat": 2, "from": "midtown_2_4", "place": "bronx"}),
        hit,
    ]
    newest, before, first = told(evening)
    assert newest.act == before.act > first.act


def test_who_is_hit_alike_is_told_in_one_sentence(tmp_path: Path) -> None:
    evening = tokyo(tmp_path).roll("2 attack 4 heal", "heal attack")
    game = evening.table.snapshot().state.game
    assert game is not None
    inside = [monster.seat for monster in game.monsters if monster.place in {"tokyo_city"}]
    others = {name: seat for name, seat in said(evening)[-1][1].items() if name[:5] == "other"}
    assert said(evening)[-1][0] == "happened.hit.2"
    assert set(inside) < set(others.values())


def test_an_undone_hit_is_told_no_more_and_a_new_roll_begins_anew(tmp_path: Path) -> None:
    evening = flee_asked(tmp_path)
    undo = evening.update().view.undo
    assert undo is not None
    evening.say(Undone(undo.seq))
    assert all(key != "happened.hit.1" for key, _ in said(evening))
    evening.roll("6 heal")
    assert said(evening) == []


def test_falling_and_winning_are_told(tmp_path: Path) -> None:
    evening = story(tmp_path / "out")
    evening.numbers(2, 2, 13, 4)
    evening.roll("2 attack 4 energy", "energy attack")
    assert said(evening)[:2] == [
        ("happened.enters", {"seat": 0, "place": "lower_2_4"}),
        ("happened.out", {"seat": 2}),
    ]
    won = game_over(tmp_path / "won").evening
    assert said(won)[0] == ("happened.wins.stars", {"seat": 0, "count": 20})


def test_a_view_tells_only_so_much(tmp_path: Path) -> None:
    evening = flee_asked(tmp_path)
    for seat in (1, 3):
        for health in (1, 0):
            evening.numbers(seat, health, 3, 3)
    assert len(told(evening)) <= 6


def test_who_falls_is_foretold_before_apply(tmp_path: Path) -> None:
    evening = story(tmp_path)
    assert outcomes(evening, "2 attack 4 energy") == []
    evening.numbers(2, 2, 13, 4)
    assert outcomes(evening, "2 attack 4 energy") == [("outcome.falls", {"seat": 2})]
    assert outcomes(evening, "1 attack 5 energy") == []
    # Fewer dice cannot be applied, so nothing is said of them.
    assert outcomes(evening, "2 attack") == []


def test_behind_a_question_a_fall_is_foretold_as_possible(tmp_path: Path) -> None:
    evening = story(tmp_path)
    evening.numbers(2, 2, 13, 4)
    foretold = outcomes(evening, "2 attack 4 destruction", "destruction attack")
    assert foretold == [("outcome.may_fall", {"seat": 2})]


def test_a_win_is_foretold_before_apply(tmp_path: Path) -> None:
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
    evening.roll("2 one 2 two 2 three").on()
    evening.roll("1 attack 5 heal").on()
    evening.numbers(1, health, 3, 3)
    evening.numbers(0, 9, 3, 0)
    found = [name for name, _ in outcomes(evening, "1 attack 5 heal")]
    assert (key in found) is bool(key)
    assert ("outcome.falls" in found) is bool(key)
