"""`InvariantTracker` finds planted errors: a repeated phase or question, a fall in good health."""

from __future__ import annotations

from msgspec.structs import replace

from companion.engine import Chosen, DiceRolled, InvariantTracker, Position, PowerUsed, Seat
from tests.engine.tables import NEW_YORK, TOKYO, Scene, dice


def test_a_phase_that_comes_back_is_found() -> None:
    game = Scene(TOKYO, energy={0: 2}).begin().order("123").game
    outcome = Position.of(game).apply(DiceRolled(dice("112233"), final=True))
    tracker = InvariantTracker()
    assert tracker.follow(game, outcome) == ()
    again = tracker.follow(game, outcome)
    assert {line.partition(" ")[0] for line in again} >= {"ResolvePhase", "BuyPhase"}


def test_a_phase_brought_forward_is_none_too_many() -> None:
    tracker, table = InvariantTracker(), Scene(NEW_YORK, cards={0: ("super_speed",)}).begin()
    (offer,) = Position.of(table.game).offers()
    for event in (
        PowerUsed(offer.seat, offer.ref),
        Chosen(Seat(0), "move_bronx"),
        DiceRolled(dice("HHHHHH"), final=True),
    ):
        outcome = Position.of(table.game).apply(event)
        assert tracker.follow(table.game, outcome) == ()
        table.apply(event)
    assert table.asked == "move@0"


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


def test_a_card_is_offered_once_to_each_whatever_became_of_the_reveal() -> None:
    """Another value that says the same reveal is the same happening: a card turns up once."""
    table = Scene(
        TOKYO, energy={0: 9, 2: 9}, cards={2: ("opportunist",)}, shop=("heal", "energize", "frenzy")
    ).begin()
    table.order("123").roll("112233").buy("heal")
    before = table.game
    table.show("jets")
    assert table.asked == "buy_at_once@2"
    asked = table.game
    passed = Position.of(asked).apply(Chosen(Seat(2), "pass"))
    tracker = InvariantTracker()
    assert tracker.follow(asked, passed) == ()
    shown = Position.of(before).apply(table.log[-1])  # a new value of the same reveal
    assert any("asks again" in line for line in tracker.follow(before, shown))


def test_what_is_put_first_may_then_ask_its_own_question() -> None:
    cards = {1: ("camouflage", "jets")}
    table = Scene(TOKYO, cards=cards).begin().order("AH").roll("AHHHHH")
    tracker = InvariantTracker()
    for event in (Chosen(Seat(1), f"card_{table.card('camouflage').id}"), DiceRolled(dice("1"))):
        outcome = Position.of(table.game).apply(event)
        assert tracker.follow(table.game, outcome) == ()
        table.apply(event)
    assert table.asked == "flee_unhurt@1"


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
