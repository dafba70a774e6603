"""The audit: a log's rolls replayed by the rules, compared with what was set by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest

from companion.engine import RULESETS, IllegalEvent, Outcome, Position, Setup, check, new_game
from companion.engine.events import (
    AnyEvent,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Moved,
    PutOff,
)
from companion.engine.queries.audit import Audit, Difference, DifferenceKind, audit
from companion.engine.questions import Choice
from companion.engine.values import Number, Seat
from companion.virtual import random_event
from tests.engine.tables import NEW_YORK, TOKYO, dice

HEALTH, STARS, ENERGY = Number.HEALTH, Number.STARS, Number.ENERGY
QUIET = {"move": "stay", "buy": "end", "flee": "stay"}


@dataclass
class Evening:
    """A game from its set-up, played from one event to the next; cards are not named."""

    setup: Setup
    events: list[AnyEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.outcome: Outcome[Position] = new_game(self.setup)
        for seat in range(self.setup.players):
            if self.asked == "place":
                self.apply(Chosen(Seat(seat), ("queens", "bronx", "brooklyn")[seat]))
        self.apply(PutOff())

    @property
    def asked(self) -> str:
        return "over" if self.outcome.question is None else self.outcome.question.key

    def apply(self, event: AnyEvent) -> Evening:
        self.outcome = self.outcome.position.apply(event)
        self.events.append(event)
        assert check(self.outcome.game) == ()
        return self

    def turn(self, letters: str) -> Evening:
        """The whole turn of whoever rolls this: groups as they come, nobody flees or buys."""
        assert self.asked == "roll"
        self.apply(DiceRolled(dice(letters), final=True))
        while isinstance(asked := self.outcome.question, Choice):
            self.apply(Chosen(asked.seat, QUIET.get(asked.key, asked.open()[0].key)))
        return self

    def set(self, seat: int, what: Number, by: int) -> Evening:
        """The table turns a dial by so much, by hand."""
        value = self.number(seat, what) + by
        return self.apply(Corrected((Correction(Seat(seat), what, value),)))

    def put(self, seat: int, place: str) -> Evening:
        return self.apply(Corrected(places=(Moved(Seat(seat), place),)))

    def number(self, seat: int, what: Number) -> int:
        value: int = getattr(self.outcome.game.monsters[seat], what)
        return value

    def audit(self) -> Audit:
        return audit(Position.of(new_game(self.setup).game), self.events)

    def mended(self) -> Audit:
        """What is left after the one event that mends everything; what is asked stays."""
        found = self.audit()
        assert found.mend is not None
        before = self.asked, self.outcome.game.agenda
        self.apply(found.mend)
        assert (self.asked, self.outcome.game.agenda) == before
        return self.audit()


def tokyo(players: int = 3) -> Evening:
    return Evening(Setup(TOKYO, players))


def summary(one: Difference) -> tuple[object, ...]:
    """Who, what, by how much, when, and why."""
    because = one.reason.ability if one.reason is not None else None
    return (one.kind.value, one.seat, one.what or one.place, one.amount, one.turn, because)


def in_tokyo() -> Evening:
    """Seat 0 entered Tokyo in turn 1 and has just begun turn 4 there."""
    table = tokyo().turn("A11223").turn("112233").turn("112233")
    assert (table.number(0, STARS), table.outcome.game.turn.number) == (3, 4)
    return table


# -- what was forgotten -------------------------------------------------------------------------


@pytest.mark.clause("TK-9.3")
def test_a_star_dial_that_was_not_turned_for_starting_in_tokyo() -> None:
    table = in_tokyo().set(0, STARS, -2)
    found = table.audit()
    (one,) = found.differences
    assert summary(one) == ("forgotten", 0, STARS, -2, 4, "income")
    assert one.reason is not None
    assert one.reason.clause == "TK-9.3"
    assert one.mend == Corrected((Correction(Seat(0), STARS, 3),))
    assert (found.turns, found.uncaused, found.assumed) == (4, (), 0)
    assert table.mended().differences == ()


def test_two_taps_of_one_are_one_setting() -> None:
    (one,) = in_tokyo().set(0, STARS, -1).set(0, STARS, -1).audit().differences
    assert summary(one) == ("forgotten", 0, STARS, -2, 4, "income")


def test_it_may_be_noticed_a_few_turns_later_but_within_a_round() -> None:
    late = in_tokyo().turn("112233").turn("112233").set(0, STARS, -2)
    assert [summary(one)[:5] for one in late.audit().differences] == [
        ("forgotten", 0, STARS, -2, 4),
    ]
    later = in_tokyo().turn("HH1122").turn("112233").turn("112233").turn("H11223")
    found = later.set(0, STARS, -2).audit()
    assert [summary(one)[4] for one in found.differences] == [7], "that of turn 4 is too long ago"


@pytest.mark.parametrize("faces", ["EEE123", "1EE2E3"])
@pytest.mark.clause("TK-6.1")
def test_energy_of_a_roll_that_was_not_taken(faces: str) -> None:
    table = tokyo().turn(faces).set(0, ENERGY, -3)
    (one,) = table.audit().differences
    assert summary(one) == ("forgotten", 0, ENERGY, -3, 1, "score")
    assert one.mend == Corrected((Correction(Seat(0), ENERGY, 3),))
    assert table.mended() == Audit(turns=2, differences=(), uncaused=())


def test_a_part_of_it_was_taken() -> None:
    table = tokyo().turn("EEE123").set(0, ENERGY, -2)
    (one,) = table.audit().differences
    assert summary(one) == ("partly", 0, ENERGY, -2, 1, "score")
    assert one.reason is not None
    assert one.reason.delta == 3
    assert table.mended().differences == ()


@pytest.mark.clause("TK-8.1")
def test_a_heart_that_was_not_taken() -> None:
    table = tokyo().turn("A11223").turn("AA1122").turn("112233").turn("112233")
    assert table.number(1, HEALTH) == 10
    table = tokyo().turn("A11223").turn("112233").turn("112233").turn("AA1122")
    assert table.number(1, HEALTH) == 8
    table.turn("HH1122").set(1, HEALTH, -2)
    (one,) = table.audit().differences
    assert summary(one) == ("forgotten", 1, HEALTH, -2, 5, "score")
    assert table.mended().differences == ()
    assert table.number(1, HEALTH) == 10


def test_hearts_that_were_not_lost() -> None:
    table = tokyo().turn("A11223").turn("112233").turn("112233").turn("AA1122")
    found = table.set(2, HEALTH, 2).audit()
    assert [summary(one) for one in found.differences] == [
        ("forgotten", 2, HEALTH, 2, 4, "score"),
    ]
    assert found.mend == Corrected((Correction(Seat(2), HEALTH, 8),))


def test_several_things_at_once_are_told_one_by_one_and_mended_together() -> None:
    table = tokyo().turn("AEEE23").turn("112233").turn("112233")
    assert (table.number(0, STARS), table.number(0, ENERGY)) == (3, 3)
    table.set(0, STARS, -3).set(0, ENERGY, -3)
    found = table.audit()
    assert [summary(one) for one in found.differences] == [
        ("forgotten", 0, STARS, -1, 1, "entered"),
        ("forgotten", 0, ENERGY, -3, 1, "score"),
        ("forgotten", 0, STARS, -2, 4, "income"),
    ]
    stars, energy = Correction(Seat(0), STARS, 3), Correction(Seat(0), ENERGY, 3)
    assert found.mend == Corrected((stars, energy))
    assert [one.event for one in found.differences] == [len(table.events) - n for n in (1, 0, 1)]
    assert table.mended().differences == ()


def test_each_may_be_mended_alone_and_the_others_are_told_anew() -> None:
    table = in_tokyo().set(0, STARS, -3)
    first, second = table.audit().differences
    assert first.mend is not None
    table.apply(first.mend)
    (left,) = table.audit().differences
    assert (left.reason, left.mend) == (second.reason, Corrected((Correction(Seat(0), STARS, 3),)))
    assert table.mended().differences == ()


@pytest.mark.clause("NY-13.4")
def test_in_new_york_starting_in_manhattan_pays_twice() -> None:
    table = Evening(Setup(NEW_YORK, 2)).turn("HHHCCE").turn("HHHCCE")
    assert table.outcome.game.turn.number == 3
    found = table.set(0, STARS, -1).set(0, ENERGY, -1).audit()
    assert [summary(one)[:5] for one in found.differences] == [
        ("forgotten", 0, STARS, -1, 3),
        ("forgotten", 0, ENERGY, -1, 3),
    ]


# -- put right ----------------------------------------------------------------------------------


def test_a_wrong_number_that_was_put_right_at_once_is_no_difference() -> None:
    table = in_tokyo().set(0, STARS, 9).set(0, STARS, -9)
    assert table.audit() == Audit(turns=4, differences=(), uncaused=())


@pytest.mark.parametrize("by", [-2, -1, 5])
def test_nor_is_one_that_was_put_right_turns_later(by: int) -> None:
    table = in_tokyo().set(0, STARS, by).turn("112233").turn("112233").set(0, STARS, -by)
    assert table.audit() == Audit(turns=6, differences=(), uncaused=())


def test_half_put_right_the_rest_is_still_owed() -> None:
    table = in_tokyo().set(0, STARS, -2).turn("112233").set(0, STARS, 1)
    (one,) = table.audit().differences
    assert summary(one) == ("partly", 0, STARS, -1, 4, "income")
    assert table.mended().differences == ()


def test_more_than_put_right_leaves_what_no_rule_says() -> None:
    found = in_tokyo().set(0, STARS, -2).turn("112233").set(0, STARS, 3).audit()
    assert found.differences == ()
    assert [summary(one) for one in found.uncaused] == [("uncaused", 0, STARS, 1, 5, None)]


def test_a_roll_kept_by_hand_undone_and_entered_after_all() -> None:
    """The roll of turn 1 was undone and its energy counted by hand, one too few; then it was
    rolled in again, and what it gave once more was taken off."""
    table = tokyo().set(0, ENERGY, 2).turn("EEE123").set(0, ENERGY, -3)
    (one,) = table.audit().differences
    assert summary(one)[:5] == ("forgotten", 0, ENERGY, -3, 1)
    assert [summary(each)[:5] for each in table.audit().uncaused] == [("uncaused", 0, ENERGY, 2, 1)]


# -- no fault of the table ----------------------------------------------------------------------


@pytest.mark.parametrize(("what", "by"), [(ENERGY, 1), (STARS, 2), (HEALTH, -1)])
def test_a_correction_no_rule_explains_is_told_but_is_no_difference(what: Number, by: int) -> None:
    """A forgotten cube, a card carried out by hand, a house rule."""
    found = in_tokyo().set(1, what, by).audit()
    assert found.differences == ()
    assert found.mend is None
    assert [summary(one) for one in found.uncaused] == [("uncaused", 1, what, by, 4, None)]
    assert found.uncaused[0].mend is None


def test_something_uncaused_does_not_hide_what_was_forgotten_later() -> None:
    table = in_tokyo().set(0, ENERGY, 3).turn("EEE112").set(0, ENERGY, -3)
    found = table.audit()
    assert [summary(one)[:5] for one in found.differences] == [("forgotten", 0, ENERGY, -3, 4)]
    assert [summary(one)[:5] for one in found.uncaused] == [("uncaused", 0, ENERGY, 3, 4)]


def test_a_game_without_corrections_has_nothing_to_tell() -> None:
    assert in_tokyo().audit() == Audit(turns=4, differences=(), uncaused=())


@pytest.mark.parametrize("game", RULESETS)
def test_whatever_is_set_in_any_game_all_differences_can_be_mended(game: str) -> None:
    mended = 0
    for seed in range(4):
        chance, outcome = Random(seed), new_game(Setup(game, 3))
        start, events = outcome.game, list[AnyEvent]()
        while outcome.question is not None and len(events) < 150:
            event = random_event(outcome.position, chance, 0.3)
            alive = [m for m in outcome.game.monsters if m.alive and m.health > 3]
            if len(events) % 7 == 6 and alive:
                monster = chance.choice(alive)
                what = chance.choice((STARS, ENERGY))
                value = max(0, min(15, getattr(monster, what) + chance.choice((-2, -1, 1))))
                event = Corrected((Correction(monster.seat, what, value),))
            outcome = outcome.position.apply(event)
            events.append(event)
        found = audit(Position.of(start), events)
        before = outcome.position.digest()
        for one in found.differences:
            if one.mend is not None:
                assert check(outcome.position.apply(one.mend).game) == ()
        assert outcome.position.digest() == before
        if found.mend is not None:
            mended += 1
            assert audit(Position.of(start), [*events, found.mend]).mend is None
    assert mended


# -- places -------------------------------------------------------------------------------------


@pytest.mark.clause("TK-9.1")
def test_a_monster_put_into_the_city_by_hand_is_owed_its_star() -> None:
    table = tokyo().put(1, "tokyo_city")
    found = table.audit()
    assert [summary(one) for one in found.differences] == [
        ("forgotten", 1, STARS, -1, 1, "entered"),
    ]
    assert [summary(one) for one in found.uncaused] == [("uncaused", 1, "tokyo_city", 0, 1, None)]
    assert table.mended().differences == ()
    assert table.number(1, STARS) == 1


def test_not_when_the_star_was_given_by_hand_as_well() -> None:
    star, place = Correction(Seat(1), STARS, 1), Moved(Seat(1), "tokyo_city")
    found = tokyo().apply(Corrected((star,), (place,))).audit()
    assert found.differences == ()
    assert len(found.uncaused) == 1


@pytest.mark.parametrize("between", [(), ("112233",)])
def test_nor_when_it_was_put_back(between: tuple[str, ...]) -> None:
    table = tokyo().put(1, "tokyo_city")
    for letters in between:
        table.turn(letters)
    found = table.put(1, "outside").audit()
    assert (found.differences, found.uncaused) == ((), ())


@pytest.mark.clause("NY-13.2")
def test_moving_on_within_the_city_by_hand_owes_nothing() -> None:
    table = Evening(Setup(NEW_YORK, 2)).turn("HHHCCE").put(0, "midtown_2_4")
    assert table.audit().differences == ()
    assert len(table.audit().uncaused) == 1


@pytest.mark.clause("TK-3.2")
def test_a_monster_put_back_outside_did_not_enter() -> None:
    table = tokyo().turn("A11223").put(0, "outside").set(0, STARS, -1)
    found = table.audit()
    assert [summary(one) for one in found.differences] == [
        ("forgotten", 0, "tokyo_city", 0, 1, "enter"),
        ("forgotten", 0, STARS, -1, 1, "entered"),
    ]
    assert found.differences[0].mend == Corrected(places=(Moved(Seat(0), "tokyo_city"),))
    after = table.mended()
    assert (after.differences, after.uncaused) == ((), ())
    assert table.outcome.game.monsters[0].place == "tokyo_city"


def test_where_the_rules_have_moved_it_since_there_is_nothing_to_mend() -> None:
    table = tokyo().turn("A11223").put(0, "outside").turn("112233").turn("112233").turn("A11223")
    found = table.audit()
    assert [(summary(one)[0], one.mend) for one in found.differences] == [("forgotten", None)]


def test_a_place_that_is_taken_by_now_is_not_offered() -> None:
    table = tokyo().turn("A11223").put(0, "outside").turn("A11223")
    assert table.outcome.game.monsters[1].place == "tokyo_city"
    (one,) = table.audit().differences
    assert one.mend is None
    assert table.audit().mend is None


# -- who cannot be mended -----------------------------------------------------------------------


def test_the_dead_are_told_of_but_not_mended() -> None:
    table = tokyo().turn("A11223").turn("EE1122").set(1, ENERGY, -2).set(1, HEALTH, -9)
    table.turn("112233").turn("A11223")
    assert not table.outcome.game.monsters[1].alive
    (one,) = [each for each in table.audit().differences if each.what is ENERGY]
    assert (summary(one)[:5], one.mend) == (("forgotten", 1, ENERGY, -2, 2), None)


def test_after_the_end_there_is_nothing_to_mend() -> None:
    table = tokyo(2).turn("A11223").set(0, STARS, -1).set(1, HEALTH, -9).turn("112233")
    table.turn("A11223")
    assert table.asked == "over"
    found = table.audit()
    assert found.mend is None
    assert [one.mend for one in found.differences] == [None]


# -- rolls and corrections alone ----------------------------------------------------------------


def test_a_log_of_rolls_and_corrections_alone() -> None:
    """Nobody answered anything: groups go as most would, who is hurt stays, nothing is bought."""
    events: list[AnyEvent] = [
        DiceRolled(dice(letters), final=True)
        for letters in ("A11123", "EEE123", "112233", "112233")
    ]
    start = new_game(Setup(TOKYO, 3)).game
    found = audit(Position.of(start), events)
    assert (found.turns, found.differences, found.uncaused) == (4, (), ())
    assert found.assumed > 3
    forgot = audit(Position.of(start), [*events, Corrected((Correction(Seat(0), STARS, 2),))])
    assert [summary(one) for one in forgot.differences] == [
        ("forgotten", 0, STARS, -2, 4, "income")
    ]


def test_a_silence_that_would_change_something_is_refused() -> None:
    events: list[AnyEvent] = [DiceRolled(dice("DDDDDD"), final=True)]
    with pytest.raises(IllegalEvent, match="not_asked"):
        audit(Position.of(new_game(Setup(NEW_YORK, 2)).game), events)


def test_an_event_that_is_wrong_in_itself_is_refused_as_ever() -> None:
    with pytest.raises(IllegalEvent, match="dice_count"):
        audit(Position.of(new_game(Setup(TOKYO, 2)).game), [DiceRolled(dice("11"), final=True)])
    with pytest.raises(IllegalEvent, match="no_such_option"):
        audit(Position.of(new_game(Setup(NEW_YORK, 2)).game), [Chosen(Seat(0), "atlantis")])


def test_every_kind_is_told_somewhere_here() -> None:
    assert {kind.value for kind in DifferenceKind} == {"forgotten", "partly", "uncaused"}
    assert Position.of(in_tokyo().outcome.game).question is not None
