"""`InvariantTracker` finds planted errors: a repeated phase or question, a fall in good health."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine import Chosen, DiceRolled, InvariantTracker, Position, Seat
from tests.engine.tables import TOKYO, Scene, dice


def test_a_phase_that_comes_back_is_found() -> None:
    game = Scene(TOKYO, energy={0: 2}).begin().order("123").game
    outcome = Position.of(game).apply(DiceRolled(dice("112233"), final=True))
    tracker = InvariantTracker()
    assert tracker.follow(game, outcome) == ()
    again = tracker.follow(game, outcome)
    assert {line.partition(" ")[0] for line in again} >= {"ResolvePhase", "BuyPhase"}


def test_a_question_asked_again_by_what_asked_it_is_found() -> None:
    game = Scene(TOKYO).begin().order("AH").game
    asked = Position.of(game).apply(DiceRolled(dice("AHHHHH"), final=True))
    answered = Position.of(asked.game).apply(Chosen(Seat(1), "stay"))
    tracker = InvariantTracker()
    assert tracker.follow(game, asked) == ()
    assert tracker.follow(asked.game, answered) == ()
    back = Position.of(asked.game).apply(Chosen(Seat(1), "stay"))
    tracker = InvariantTracker()
    assert tracker.follow(asked.game, back) == ()
    (line,) = tracker.follow(asked.game, asked)[-1:]
    assert "asks again" in line


def test_a_fall_of_who_is_not_at_zero_is_found() -> None:
    game = Scene(TOKYO, health={1: 1}).begin().order("AH").game
    outcome = Position.of(game).apply(DiceRolled(dice("AHHHHH"), final=True))
    assert InvariantTracker().follow(game, outcome) == ()
    well = tuple(
        tuple(replace(m, health=10) if m.seat == 1 else m for m in monsters)
        for monsters in outcome.before
    )
    assert InvariantTracker().follow(game, replace(outcome, before=well)) == (
        "ReachedZero of seat 1 at 10 health",
        "Eliminate of seat 1 at 10 health",
    )
