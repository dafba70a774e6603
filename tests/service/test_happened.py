"""Outcomes of an act, one sentence each; and outcomes of dice in the preview."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.engine import Ahead, DiceRolled
from companion.service import wire
from companion.service.views.news.causes import happenings_before
from companion.service.views.news.happened import MOST
from companion.service.views.preview import preview_answer
from companion.table import AheadSaid, Undone
from tests.browser.evening import Evening, named
from tests.browser.scenes import TOKYO_WARES, flee_asked, game_over, story, tokyo

Sentences = list[tuple[str, dict[str, str | int]]]


def happened(evening: Evening) -> tuple[wire.Happened, ...]:
    game = evening.update().view.game
    assert game is not None
    return game.happened


def sentences(evening: Evening) -> Sentences:
    return [(one.words.key, one.words.args) for one in happened(evening)]


def outcomes(evening: Evening, faces: str, order: str = "") -> Sentences:
    position = evening.table.snapshot().state.position
    assert position is not None
    answer = preview_answer(position, named(faces), named(order))
    return [(words.key, words.args) for words in answer.outcomes]


def test_a_hit_and_what_follows_from_it_are_listed_newest_first(tmp_path: Path) -> None:
    evening = flee_asked(tmp_path)
    roll = [
        ("happened.hit.1", {"by": 0, "seat": 2, "count": 2}),
        ("happened.gains.energy", {"seat": 0, "count": 3}),
        ("happened.heals", {"seat": 0, "count": 1}),
    ]
    assert sentences(evening) == roll
    evening.choose("flee_bronx")
    assert sentences(evening) == [
        ("happened.enters", {"seat": 0, "place": "lower_2_4"}),
        ("happened.flees_to", {"seat": 2, "from": "midtown_2_4", "place": "bronx"}),
        *roll,
    ]
    newest, before, first, *_ = happened(evening)
    assert newest.act == before.act > first.act


def test_monsters_hit_alike_share_one_sentence(tmp_path: Path) -> None:
    evening = tokyo(tmp_path).roll("2 attack 4 heal", "heal attack")
    game = evening.table.snapshot().state.game
    assert game is not None
    inside = [monster.seat for monster in game.monsters if monster.place in {"tokyo_city"}]
    (hit,) = [args for key, args in sentences(evening) if key == "happened.hit.2"]
    others = {seat for name, seat in hit.items() if name.startswith("other")}
    assert set(inside) < others


def test_an_undone_hit_is_not_listed_and_a_new_roll_empties_the_list(tmp_path: Path) -> None:
    evening = flee_asked(tmp_path)
    undo = evening.update().view.undo
    assert undo is not None
    evening.say(Undone(undo.seq))
    heard = [key for key, _ in sentences(evening)]
    assert heard[0] == "did.undone_by"
    assert "happened.hit.1" not in heard
    evening.roll("6 celebrity")
    assert not {"did.undone_by", "happened.hit.1"} & {key for key, _ in sentences(evening)}


def test_what_came_before_is_found_past_rows_that_are_no_events_of_the_rules(
    tmp_path: Path,
) -> None:
    evening = flee_asked(tmp_path)
    evening.say(AheadSaid(1, Ahead(flee_below=3)), who=1).choose("flee_bronx")
    entries = evening.table.snapshot().entries
    before = [one.event for one in happenings_before(entries[-1], entries)]
    rolled = max(one.seq for one in entries if isinstance(one.event, DiceRolled))
    assert before[0] == rolled
    assert isinstance(entries[rolled].event, AheadSaid)


def test_falling_and_winning_are_listed(tmp_path: Path) -> None:
    evening = story(tmp_path / "out")
    evening.numbers(2, 2, 13, 4)
    evening.roll("2 attack 4 energy", "energy attack")
    assert sentences(evening)[0] == ("happened.out", {"seat": 2})
    assert ("happened.enters", {"seat": 0, "place": "lower_2_4"}) in sentences(evening)
    won = game_over(tmp_path / "won").evening
    assert sentences(won)[0] == ("happened.wins.stars", {"seat": 0, "count": 20})


def test_the_list_is_bounded(tmp_path: Path) -> None:
    evening = flee_asked(tmp_path)
    for seat in (1, 3):
        for health in (1, 0):
            evening.numbers(seat, health, 3, 3)
    assert len(happened(evening)) <= MOST


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
