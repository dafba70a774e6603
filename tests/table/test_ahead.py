"""Answers set ahead: sent for a seat when its question comes, visibly, and undone alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.engine import (
    Ahead,
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
from companion.table import (
    AheadSaid,
    GameStarted,
    Input,
    RefusedError,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    Undone,
    undoable,
)
from companion.table.log import EventLog
from tests.engine.tables import NEW_YORK, TOKYO, Scene, dice
from tests.engine.tables import Table as Played


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


def test_a_contradiction_knows_itself() -> None:
    assert Ahead(flee_below=6, stay_above=4).contradicts_itself
    assert not Ahead(flee_below=6, stay_above=5).contradicts_itself
    assert not Ahead(flee_below=6).contradicts_itself


# -- at the table ---------------------------------------------------------------------------------


def say(table: Table, *events: Input) -> int:
    rev = table.snapshot().rev
    return table.submit(Submission(f"say-{rev}-{len(events)}", rev, events))


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


def test_taken_back_it_is_asked_again(table: Table) -> None:
    say(table, AheadSaid(0, Ahead(stay_above=0)))
    say(table, AheadSaid(0))
    assert table.snapshot().state.ahead == ()
    attack(table)
    assert asked(table) == "flee@0"


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
    assert [one.ahead for one in table.snapshot().state.ahead] == [Ahead(stay_above=3)]


def test_it_is_in_the_log_and_replays_to_the_same(table: Table, tmp_path: Path) -> None:
    say(table, AheadSaid(0, Ahead(flee_below=9)))
    attack(table)
    before = table.snapshot()
    table.close()
    again = Table(EventLog(tmp_path))
    after = again.snapshot()
    assert [e.event for e in after.entries] == [e.event for e in before.entries]
    assert (after.state.game, after.state.ahead) == (before.state.game, before.state.ahead)
    assert not after.state.pinned
    again.close()


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


def test_who_is_out_sets_nothing_ahead(table: Table) -> None:
    say(table, Corrected((Correction(Seat(0), Number.HEALTH, 0),)))
    with pytest.raises(RefusedError):
        say(table, AheadSaid(0, Ahead(stay_above=3)))
