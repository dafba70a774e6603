"""City and Bay are hit by one attack: both may answer at once, the City's is recorded first."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.engine import Chosen, Roll, Seat
from companion.table import AnsweredEarly, Input, RefusedError, Submission, Undone, undoable
from tests.browser.evening import Evening
from tests.browser.scenes import tokyo

CITY, BAY = Seat(1), Seat(5)


def struck(folder: Path) -> Evening:
    evening = tokyo(folder).roll("1 attack 5 heal", "heal attack")
    assert evening.question.seat == CITY
    return evening


def answers(evening: Evening) -> list[tuple[Seat, str]]:
    snapshot = evening.table.snapshot()
    events = (snapshot.entries[seq - 1].event for seq in snapshot.state.since_roll)
    return [(one.seat, one.option) for one in events if isinstance(one, Chosen)][-2:]


def send(evening: Evening, rev: int, name: str, event: Input, who: int) -> None:
    evening.table.submit(Submission(f"{name}-answers", rev, (event,), who=str(who)))


@pytest.mark.clause("TK-11.8")
def test_the_bay_answers_first_and_is_recorded_second(tmp_path: Path) -> None:
    evening = struck(tmp_path).say(AnsweredEarly(BAY, "flee_outside"), who=BAY)
    assert evening.question.seat == CITY
    evening.choose("stay")
    snapshot = evening.table.snapshot()
    last = snapshot.entries[-1].event
    assert isinstance(last, Chosen)
    assert (last.seat, last.option, last.ahead) == (BAY, "flee_outside", True)
    assert snapshot.state.game is not None
    places = [monster.place for monster in snapshot.state.game.monsters]
    assert (places[0], places[CITY], places[BAY]) == ("tokyo_bay", "tokyo_city", "outside")
    assert snapshot.state.early == ()


@pytest.mark.parametrize("city", ["stay", "flee_outside"])
@pytest.mark.parametrize("bay", ["stay", "flee_outside"])
def test_either_order_leads_to_the_same_position(tmp_path: Path, city: str, bay: str) -> None:
    one = struck(tmp_path / "one").choose(city).choose(bay)
    other = struck(tmp_path / "other").say(AnsweredEarly(BAY, bay), who=BAY).choose(city)
    assert one.table.snapshot().state.game == other.table.snapshot().state.game


@pytest.mark.parametrize("bay_first", [True, False])
def test_both_phones_answer_at_the_same_moment(tmp_path: Path, bay_first: bool) -> None:
    evening = struck(tmp_path)
    rev = evening.rev
    sends: list[tuple[str, Input, int]] = [
        ("bay", AnsweredEarly(BAY, "stay"), BAY),
        ("city", Chosen(CITY, "flee_outside"), CITY),
    ]
    for name, event, who in sends if bay_first else reversed(sends):
        send(evening, rev, name, event, who)
    game = evening.table.snapshot().state.game
    assert game is not None
    assert [game.monsters[seat].place for seat in (CITY, BAY)] == ["outside", "tokyo_bay"]


def test_an_early_answer_is_undone_by_itself(tmp_path: Path) -> None:
    evening = struck(tmp_path).say(AnsweredEarly(BAY, "stay"), who=BAY)
    row = undoable(evening.table.snapshot())
    assert row is not None
    assert row.event == AnsweredEarly(BAY, "stay")
    evening.say(Undone(row.seq)).choose("stay")
    assert evening.question.seat == BAY


@pytest.mark.parametrize(
    ("seat", "option", "key"),
    [(2, "stay", "error.not_asked"), (BAY, "flee_city", "error.no_such_option")],
)
def test_who_is_not_asked_cannot_answer_early(
    tmp_path: Path, seat: int, option: str, key: str
) -> None:
    evening = struck(tmp_path)
    before = evening.rev
    with pytest.raises(RefusedError) as refused:
        evening.say(AnsweredEarly(seat, option), who=seat)
    assert refused.value.key == key
    assert evening.rev == before


def test_nobody_answers_early_where_one_alone_is_asked(tmp_path: Path) -> None:
    evening = struck(tmp_path).choose("stay").choose("stay")
    assert not isinstance(evening.question, Roll)
    with pytest.raises(RefusedError):
        evening.say(AnsweredEarly(BAY, "stay"), who=BAY)


def test_each_sees_what_the_others_answer_changes(tmp_path: Path) -> None:
    game = struck(tmp_path).update().view.game
    assert game is not None
    assert game.question is not None
    assert game.early is not None
    seen = {
        (option.key, one.flees): (one.mover, one.place)
        for option in game.question.options
        for one in option.by_other
    }
    assert seen == {
        ("stay", False): (None, None),
        ("stay", True): (0, "tokyo_bay"),
        ("flee_outside", False): (0, "tokyo_city"),
        ("flee_outside", True): (0, "tokyo_city"),
    }
    bay = {
        (option.key, one.flees): one.place
        for option in game.early.options
        for one in option.by_other
    }
    assert bay[("flee_outside", False)] == "tokyo_bay"
    assert bay[("stay", True)] == "tokyo_city"
    assert (game.early.seat, game.early.early, game.early.also[0].seat) == (BAY, True, CITY)


def test_once_the_other_has_answered_only_that_is_left(tmp_path: Path) -> None:
    evening = struck(tmp_path).say(AnsweredEarly(BAY, "stay"), who=BAY)
    game = evening.update().view.game
    assert game is not None
    assert game.question is not None
    assert game.early is None
    assert [[one.flees for one in each.by_other] for each in game.question.options] == [[False]] * 2
    assert game.question.also[0].answer is not None


def test_an_answer_that_comes_after_its_question_is_the_answer_itself(tmp_path: Path) -> None:
    evening = struck(tmp_path)
    rev = evening.rev
    send(evening, rev, "city", Chosen(CITY, "stay"), CITY)
    send(evening, rev, "bay", AnsweredEarly(BAY, "flee_outside"), BAY)
    snapshot = evening.table.snapshot()
    assert snapshot.entries[-1].event == Chosen(BAY, "flee_outside")
    shown = evening.update(BAY).view
    assert shown is not None
    assert shown.game is not None
    assert any(one.words.args.get("seat") == BAY for one in shown.game.happened)


def test_an_early_answer_is_used_up_once_its_seat_has_answered(tmp_path: Path) -> None:
    evening = struck(tmp_path).say(AnsweredEarly(BAY, "stay"), who=BAY).choose("stay")
    assert evening.table.snapshot().state.early == ()


def test_the_bay_sees_what_the_citys_answer_has_changed(tmp_path: Path) -> None:
    evening = struck(tmp_path).choose("flee_outside")
    game = evening.update(seat=BAY).view.game
    assert game is not None
    assert game.question is not None
    assert game.question.seat == BAY
    (also,) = game.question.also
    assert (also.seat, also.place) == (CITY, "tokyo_city")
    assert also.answer is not None
    for option in game.question.options:
        (one,) = option.by_other
        assert (one.other, one.flees, one.mover) == (CITY, True, 0)
        then = evening.table.snapshot().state.position
        assert then is not None
        assert one.place == then.apply(Chosen(BAY, option.key)).position.game.monsters[0].place


def test_an_answer_to_an_earlier_attack_is_none_to_this_one(tmp_path: Path) -> None:
    evening = struck(tmp_path).choose("stay").choose("stay").skip_to_roll()
    game = evening.update(seat=BAY).view.game
    assert game is not None
    assert game.question is not None
    assert game.question.also == ()
