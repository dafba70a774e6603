"""The audit: a log's rolls replayed by the rules, compared with what was set by hand."""

from __future__ import annotations

import re
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
from companion.engine.queries.audit import Audit, Difference, audit
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

    def play(self, script: str) -> Evening:
        """Whole turns by their dice; `0.stars-2`: a dial is turned by hand; `1>outside`: moved."""
        for word in script.split():
            if dial := re.fullmatch(r"(\d)\.(\w+?)([+-]\d+)", word):
                self.set(int(dial[1]), Number(dial[2]), int(dial[3]))
            elif ">" in word:
                self.put(int(word[0]), word[2:])
            else:
                self.turn(word)
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


IN_TOKYO = "A11223 112233 112233"
"""Seat 0 entered Tokyo in turn 1 and has just begun turn 4 there."""


def tokyo(script: str, players: int = 3) -> Evening:
    return Evening(Setup(TOKYO, players)).play(script)


def summary(one: Difference) -> str:
    """How, who, what, by how much, when, and why."""
    because = f" by {one.reason.ability}" if one.reason is not None else ""
    return f"{one.kind} {one.seat} {one.what or one.place} {one.amount:+} in {one.turn}{because}"


FOUND: dict[str, tuple[str, list[str]]] = {
    "a star dial that was not turned": (
        f"{IN_TOKYO} 0.stars-2",
        ["forgotten 0 stars -2 in 4 by income"],
    ),
    "two taps of one are one setting": (
        f"{IN_TOKYO} 0.stars-1 0.stars-1",
        ["forgotten 0 stars -2 in 4 by income"],
    ),
    "noticed two turns later": (
        f"{IN_TOKYO} 112233 112233 0.stars-2",
        ["forgotten 0 stars -2 in 4 by income"],
    ),
    "noticed after more than a round: that of turn 4 is too long ago": (
        f"{IN_TOKYO} HH1122 112233 112233 H11223 0.stars-2",
        ["forgotten 0 stars -2 in 7 by income"],
    ),
    "energy that was not taken": ("EEE123 0.energy-3", ["forgotten 0 energy -3 in 1 by score"]),
    "energy taken in part": ("EEE123 0.energy-2", ["partly 0 energy -2 in 1 by score"]),
    "a heart that was not taken": (
        f"{IN_TOKYO} AA1122 HH1122 1.health-2",
        ["forgotten 1 health -2 in 5 by score"],
    ),
    "hearts that were not lost": (
        f"{IN_TOKYO} AA1122 2.health+2",
        ["forgotten 2 health +2 in 4 by score"],
    ),
    "several things at once": (
        "AEEE23 112233 112233 0.stars-3 0.energy-3",
        [
            "forgotten 0 stars -1 in 1 by entered",
            "forgotten 0 energy -3 in 1 by score",
            "forgotten 0 stars -2 in 4 by income",
        ],
    ),
    "put right at once": (f"{IN_TOKYO} 0.stars+9 0.stars-9", []),
    "put right turns later": (f"{IN_TOKYO} 0.stars-1 112233 112233 0.stars+1", []),
    "half put right: the rest is still owed": (
        f"{IN_TOKYO} 0.stars-2 112233 0.stars+1",
        ["partly 0 stars -1 in 4 by income"],
    ),
    "more than put right": (
        f"{IN_TOKYO} 0.stars-2 112233 0.stars+3",
        ["uncaused 0 stars +1 in 5"],
    ),
    "a roll kept by hand, and entered after all": (
        "0.energy+2 EEE123 0.energy-3",
        ["forgotten 0 energy -3 in 1 by score", "uncaused 0 energy +2 in 1"],
    ),
    "a card carried out by hand": (f"{IN_TOKYO} 1.energy+1", ["uncaused 1 energy +1 in 4"]),
    "something uncaused, then something forgotten": (
        f"{IN_TOKYO} 0.energy+3 EEE112 0.energy-3",
        ["forgotten 0 energy -3 in 4 by score", "uncaused 0 energy +3 in 4"],
    ),
    "a game without corrections": (IN_TOKYO, []),
    "who is put into the city is owed its star": (
        "1>tokyo_city",
        ["forgotten 1 stars -1 in 1 by entered", "uncaused 1 tokyo_city +0 in 1"],
    ),
    "who is put back is not": ("1>tokyo_city 112233 1>outside", []),
    "who is put back outside did not enter": (
        "A11223 0>outside 0.stars-1",
        ["forgotten 0 tokyo_city +0 in 1 by enter", "forgotten 0 stars -1 in 1 by entered"],
    ),
}
"""What was played, and what differs from the rules."""


@pytest.mark.clause("TK-9.3", "TK-6.1", "TK-8.1", "TK-9.1", "TK-3.2")
@pytest.mark.parametrize("what", FOUND)
def test_each_difference_is_found_and_mended(what: str) -> None:
    script, differences = FOUND[what]
    table = tokyo(script)
    found = table.audit()
    assert [*map(summary, (*found.differences, *found.uncaused))] == differences
    assert {one.mend for one in found.uncaused} <= {None}
    assert (found.mend is None) is (found.differences == ())
    if found.mend is not None:
        assert table.mended().differences == ()


UNMENDED = {
    "the rules have moved it since": "A11223 0>outside 112233 112233 A11223",
    "the place is taken by now": "A11223 0>outside A11223",
}


@pytest.mark.parametrize("what", UNMENDED)
def test_a_move_that_cannot_be_mended_is_told(what: str) -> None:
    found = tokyo(UNMENDED[what]).audit()
    assert [*map(summary, found.differences)] == ["forgotten 0 tokyo_city +0 in 1 by enter"]
    assert (found.differences[0].mend, found.mend) == (None, None)


def test_a_difference_names_its_clause_and_is_mended_alone() -> None:
    table = tokyo(f"{IN_TOKYO} 0.stars-3")
    first, second = table.audit().differences
    assert second.reason is not None
    assert second.reason.clause == "TK-9.3"
    assert first.mend is not None
    table.apply(first.mend)
    (left,) = table.audit().differences
    assert (left.reason, left.mend) == (second.reason, Corrected((Correction(Seat(0), STARS, 3),)))


@pytest.mark.clause("NY-13.2", "NY-13.4")
def test_in_new_york_manhattan_pays_twice_and_moving_on_there_owes_nothing() -> None:
    table = Evening(Setup(NEW_YORK, 2)).play("HHHCCE 0>midtown_2_4")
    assert [*map(summary, table.audit().differences)] == []
    table = Evening(Setup(NEW_YORK, 2)).play("HHHCCE HHHCCE 0.stars-1 0.energy-1")
    assert [*map(summary, table.audit().differences)] == [
        "forgotten 0 stars -1 in 3 by income",
        "forgotten 0 energy -1 in 3 by income",
    ]


def test_who_is_put_into_the_city_with_its_star_is_owed_none() -> None:
    star, place = Correction(Seat(1), STARS, 1), Moved(Seat(1), "tokyo_city")
    found = tokyo("").apply(Corrected((star,), (place,))).audit()
    assert (found.differences, len(found.uncaused)) == ((), 1)


def test_the_dead_and_a_game_that_is_over_are_told_of_but_not_mended() -> None:
    table = tokyo("A11223 EE1122 1.energy-2 1.health-9 112233 A11223")
    assert not table.outcome.game.monsters[1].alive
    (one,) = [each for each in table.audit().differences if each.what is ENERGY]
    assert (one.turn, one.mend) == (2, None)
    over = tokyo("A11223 0.stars-1 1.health-9 112233 A11223", 2)
    assert over.asked == "over"
    assert [one.mend for one in over.audit().differences] == [None]


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


@pytest.mark.parametrize(
    ("event", "key"),
    [
        (DiceRolled(dice("11"), final=True), "dice_count"),
        (Chosen(Seat(0), "atlantis"), "not_asked"),
    ],
)
def test_an_event_that_the_rules_do_not_allow_is_refused(event: AnyEvent, key: str) -> None:
    table = tokyo("112233")
    table.events.append(event)
    with pytest.raises(IllegalEvent, match=key) as refused:
        table.audit()
    assert refused.value.params["event"] == len(table.events)
