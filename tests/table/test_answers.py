"""Answers that nobody is asked for: set ahead, given early, and those without an alternative."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.engine import (
    Ahead,
    Choice,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Number,
    OrderChosen,
    Position,
    PutOff,
    Seat,
)
from companion.service.views.logbook import entry_words
from companion.table import (
    AheadSaid,
    AnsweredEarly,
    GameStarted,
    Input,
    RefusedError,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    Undone,
    set_ahead,
    undoable,
)
from companion.table.log import EventLog
from tests.browser.evening import Evening
from tests.browser.scenes import tokyo
from tests.engine.tables import NEW_YORK, TOKYO, Scene, dice
from tests.engine.tables import Table as Played
from tests.table.test_table import say


def hit(scene: Scene, claws: int = 2) -> Played:
    """The Monster of seat 1 was hit in the city, and is asked."""
    table = scene.begin().order("AH").roll("A" * claws + "H" * (6 - claws))
    assert table.asked.endswith("@1"), table.asked
    return table


def answer(table: Played, ahead: Ahead, seat: int = 1) -> str | None:
    answer = Position.of(table.game).answer_ahead(Seat(seat), ahead)
    assert answer is None or answer.ahead
    return answer.option if answer is not None else None


@pytest.mark.clause("TK-10.1")
@pytest.mark.parametrize(
    ("health", "ahead", "option"),
    [
        (6, Ahead(flee_below=5), "flee_outside"),  # 4 are left
        (7, Ahead(flee_below=5), None),
        (7, Ahead(stay_above=4), "stay"),
        (6, Ahead(stay_above=4), None),
        (6, Ahead(flee_below=3, stay_above=5), None),
        (4, Ahead(flee_below=3, stay_above=5), "flee_outside"),
        (8, Ahead(flee_below=3, stay_above=5), "stay"),
        (8, Ahead(), None),
    ],
)
def test_below_it_flees_above_it_stays_between_it_is_asked(
    health: int, ahead: Ahead, option: str | None
) -> None:
    assert answer(hit(Scene(TOKYO, health={1: health})), ahead) == option


@pytest.mark.clause("TK-10.2")
def test_who_is_asked_before_the_hurt_counts_what_staying_leaves() -> None:
    table = hit(Scene(TOKYO, cards={1: ("jets",)}, health={1: 6}))
    assert table.asked == "flee_unhurt@1"
    assert table.health(1) == 6
    assert answer(table, Ahead(flee_below=5)) == "flee_outside"
    assert answer(table, Ahead(stay_above=4)) is None


@pytest.mark.clause("NY-13.6")
def test_it_flees_to_the_first_place_with_room_and_nowhere_unsaid() -> None:
    at = ("brooklyn", "lower_2_4", "queens", "queens")
    table = hit(Scene(NEW_YORK, players=4, at=at))
    assert answer(table, Ahead(flee_below=20, to=("queens", "bronx", "brooklyn"))) == "flee_bronx"
    assert answer(table, Ahead(flee_below=20)) is None
    assert answer(table, Ahead(flee_below=20, to=("queens",))) is None


def test_nothing_else_is_answered_and_for_nobody_else() -> None:
    table = hit(Scene(TOKYO))
    assert answer(table, Ahead(stay_above=0), seat=0) is None
    table.choose("stay")
    assert answer(table, Ahead(stay_above=0), seat=table.game.turn.active) is None


# -- at the table ---------------------------------------------------------------------------------


def attack(table: Table) -> int:
    """The second Monster attacks the first, which is in Tokyo."""
    return say(
        table,
        OrderChosen(Seat(1), dice("AH")),
        DiceRolled(dice("AAHHHH"), final=True),
    )


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """The first Monster has entered Tokyo; the second is about to roll."""
    table = Table(EventLog(tmp_path))
    seats = (SeatSetup("Ana", "puffin_rex"), SeatSetup("Ben", "old_scree"))
    say(table, TableSet(TOKYO, "first", seats), GameStarted(0))
    say(table, PutOff())
    say(table, OrderChosen(Seat(0), dice("AH")), DiceRolled(dice("AHHHHH"), final=True))
    assert place(table, 0) == "tokyo_city"
    return table


def place(table: Table, seat: int) -> str | None:
    game = table.snapshot().state.game
    assert game is not None
    return game.monsters[seat].place


def asked(table: Table) -> str:
    question = table.snapshot().state.question
    return "over" if question is None else f"{question.key}@{question.seat}"


def newest(table: Table) -> Input:
    return table.snapshot().entries[-1].event


def test_the_answer_is_a_row_of_its_own_and_play_goes_on(table: Table) -> None:
    say(table, AheadSaid(0, Ahead(flee_below=9)))
    attack(table)
    assert newest(table) == Chosen(Seat(0), "flee_outside", ahead=True)
    assert (place(table, 0), place(table, 1)) == ("outside", "tokyo_city")
    assert asked(table) == "roll@0"
    row = table.snapshot().entries[-1]
    assert (row.who, row.at) == ("", table.snapshot().entries[-2].at)


def test_it_can_be_undone_alone_and_is_then_asked_by_hand(table: Table) -> None:
    say(table, AheadSaid(0, Ahead(stay_above=0)))
    attack(table)
    act = undoable(table.snapshot())
    assert act is not None
    assert act.event == Chosen(Seat(0), "stay", ahead=True)
    say(table, Undone(act.seq))
    assert asked(table) == "flee@0"
    say(table, Corrected((Correction(Seat(1), Number.ENERGY, 3),)))
    assert asked(table) == "flee@0"  # it came back, it did not come
    say(table, Chosen(Seat(0), "flee_outside"))
    assert place(table, 1) == "tokyo_city"


def test_the_same_command_twice_is_answered_alike_before_and_after_a_start(
    table: Table, tmp_path: Path
) -> None:
    say(table, AheadSaid(0, Ahead(stay_above=0)))
    rev = table.snapshot().rev
    roll = Submission("the-roll", rev, (DiceRolled(dice("AAAAAA"), final=True),))
    rev = table.submit(roll)
    assert newest(table) == Chosen(Seat(0), "stay", ahead=True)
    assert table.submit(roll) == rev
    table.close()
    assert Table(EventLog(tmp_path)).submit(roll) == rev


def test_it_may_be_set_while_others_play(table: Table) -> None:
    rev = table.snapshot().rev
    say(table, Corrected((Correction(Seat(1), Number.ENERGY, 3),)))
    table.submit(Submission("set-ahead", rev, (AheadSaid(0, Ahead(stay_above=3)),)))
    with pytest.raises(RefusedError, match="stale"):
        table.submit(Submission("set-again", rev, (AheadSaid(0, Ahead(stay_above=5)),)))


def test_set_while_it_is_asked_it_waits_for_the_next_time(table: Table) -> None:
    attack(table)
    say(table, AheadSaid(0, Ahead(stay_above=0)))
    assert asked(table) == "flee@0"


def test_undoing_what_was_set_takes_it_back(table: Table) -> None:
    say(table, AheadSaid(0, Ahead(stay_above=3)))
    say(table, AheadSaid(0, Ahead(stay_above=5)))
    last = undoable(table.snapshot())
    assert last is not None
    say(table, Undone(last.seq))
    assert set_ahead(table.whole(table.snapshot()).entries) == {0: Ahead(stay_above=3)}


@pytest.mark.parametrize(
    ("event", "key"),
    [
        (AheadSaid(7, Ahead()), "no_such_seat"),
        (AheadSaid(0, Ahead(flee_below=6, stay_above=3)), "ahead_contradicts"),
        (AheadSaid(0, Ahead(flee_below=6, to=("bronx",))), "no_such_place"),
        (Chosen(Seat(0), "stay", ahead=True), "only_the_table"),
    ],
)
def test_what_makes_no_sense_is_refused(table: Table, event: Input, key: str) -> None:
    rev = table.snapshot().rev
    with pytest.raises(RefusedError, match=key):
        say(table, event)
    assert table.snapshot().rev == rev


def test_who_is_out_sets_nothing_ahead(tmp_path: Path) -> None:
    evening = tokyo(tmp_path).say(Corrected((Correction(Seat(2), Number.HEALTH, 0),)))
    with pytest.raises(RefusedError, match="out_of_the_game"):
        evening.say(AheadSaid(2, Ahead(stay_above=3)), who=2)


CITY, BAY = Seat(1), Seat(5)


def struck(folder: Path) -> Evening:
    evening = tokyo(folder).roll("1 attack 5 heal", "heal attack")
    assert evening.question.seat == CITY
    return evening


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


def test_both_phones_answer_at_the_same_moment(tmp_path: Path) -> None:
    evening = struck(tmp_path)
    rev = evening.rev
    send(evening, rev, "bay", AnsweredEarly(BAY, "stay"), BAY)
    send(evening, rev, "city", Chosen(CITY, "flee_outside"), CITY)
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


def test_an_answer_that_comes_after_its_question_is_the_answer_itself(tmp_path: Path) -> None:
    evening = struck(tmp_path)
    rev = evening.rev
    send(evening, rev, "city", Chosen(CITY, "stay"), CITY)
    send(evening, rev, "bay", AnsweredEarly(BAY, "flee_outside"), BAY)
    snapshot = evening.table.snapshot()
    assert snapshot.entries[-1].event == Chosen(BAY, "flee_outside")
    again = Table(EventLog(evening.table._log.path.parent))  # after a power cut
    assert again.rev_of("bay-answers", (AnsweredEarly(BAY, "flee_outside"),)) == snapshot.rev
    again.close()
    shown = evening.update(BAY).view
    assert shown is not None
    assert shown.game is not None
    assert any(one.words.args.get("seat") == BAY for one in shown.game.happened)


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


WARES = ("monster_batteries", "corner_store", "wings")


def batteries_bought(folder: Path, energy: int) -> Evening:
    """Ana has bought Monster Batteries; the card in its place is not named yet."""
    evening = Evening(folder, "tokyo").seats().begin(cards=WARES).numbers(0, 8, 3, energy)
    return evening.roll("6 heal").buy("monster_batteries")


def test_the_only_answer_is_given_by_the_table_in_a_row_of_its_own(tmp_path: Path) -> None:
    evening = batteries_bought(tmp_path, 2)
    assert evening.question.key != "batteries"
    row = undoable(evening.table.snapshot())
    assert row is not None
    assert row.event == Chosen(Seat(0), "use_0")
    assert entry_words(row).key == "choice.batteries.use"
    evening.say(Undone(row.seq))
    assert evening.question.key == "batteries"


def test_the_last_word_is_asked_where_a_power_may_be_used(tmp_path: Path) -> None:
    evening = Evening(tmp_path, "tokyo").seats().begin(cards=("psychic_probe", *WARES[1:]))
    evening.numbers(0, 5, 3, 9).roll("6 heal").buy("psychic_probe").skip_to_roll()
    evening.roll("3 three 3 two")
    question = evening.question
    assert isinstance(question, Choice)
    assert (question.key, question.seat, len(question.open())) == ("last_word", 0, 1)
    position = evening.table.snapshot().state.position
    assert position is not None
    assert [offer.seat for offer in position.offers()] == [0]
