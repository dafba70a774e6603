"""Every number, at every step, is the sum of its reasons."""

from __future__ import annotations

from random import Random

import pytest

from companion.engine import RULESETS, Setup, apply, new_game
from companion.engine.changes import Number
from companion.engine.events import AnyEvent, Chosen, Corrected, Correction, DiceRolled, PutOff
from companion.engine.explain import CORRECTION, explain, start_value
from companion.engine.values import Face, Seat
from companion.virtual import random_event

F = Face
NEW_YORK, TOKYO = RULESETS


def random_events(setup: Setup, seed: int, most: int) -> list[AnyEvent]:
    chance, outcome = Random(seed), new_game(setup)
    events: list[AnyEvent] = []
    while outcome.question is not None and len(events) < most:
        event = random_event(outcome.game, outcome.question, chance, 0.3)
        outcome = apply(outcome.game, event)
        events.append(event)
    return events


@pytest.mark.parametrize("game", RULESETS)
@pytest.mark.parametrize("seed", range(3))
def test_reasons_add_up_at_every_step(game: str, seed: int) -> None:
    setup = Setup(game, 3)
    events = random_events(setup, seed, 160)
    games = [new_game(setup).game]
    for event in events:
        games.append(apply(games[-1], event).game)
    for monster in games[0].monsters:
        for number in Number:
            reasons = explain(setup, events, monster.seat, number)
            total = start_value(setup, number)
            for step, position in enumerate(games):
                total += sum(r.delta for r in reasons if r.event == step)
                assert total == getattr(position.monsters[monster.seat], number)


@pytest.mark.clause("NY-13.2")
@pytest.mark.clause("NY-13.4")
def test_a_star_says_where_it_came_from() -> None:
    places = ("queens", "bronx")
    events: list[AnyEvent] = [Chosen(Seat(s), place) for s, place in enumerate(places)]
    blank = DiceRolled((F.HEAL,) * 6, final=True)
    events += [PutOff(), blank, Chosen(Seat(0), "end")]
    events += [blank, Chosen(Seat(1), "stay"), Chosen(Seat(1), "end")]
    first = explain(Setup(NEW_YORK, 2), events, Seat(0), Number.STARS)
    assert [(r.delta, r.ability, r.clause, r.total) for r in first] == [
        (1, "entered", "NY-13.2", 1),
        (1, "income", "NY-13.4", 2),
    ]
    assert [r.turn for r in first] == [1, 3], "the event that ends turn 2 brings it"
    energy = explain(Setup(NEW_YORK, 2), events, Seat(0), Number.ENERGY)
    assert [(r.delta, r.ability) for r in energy] == [(1, "income")]


@pytest.mark.clause("TK-5.1")
def test_a_group_names_its_face_and_a_correction_itself() -> None:
    dice = DiceRolled((F.TWO, F.TWO, F.TWO, F.HEAL, F.HEAL, F.HEAL), final=True)
    ordered = [Chosen(Seat(0), "two")]
    mended = Corrected((Correction(Seat(0), Number.STARS, 5),))
    found = explain(Setup(TOKYO, 2), [PutOff(), dice, *ordered, mended], Seat(0), Number.STARS)
    assert [(r.delta, r.effect, r.face, r.clause) for r in found] == [
        (2, "GainStars", F.TWO, "TK-5.1"),
        (3, CORRECTION, None, ""),
    ]
