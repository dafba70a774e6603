"""Games made of drawn decisions: what breaks one is cut down to the few that matter."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from companion.engine import RULESETS, Setup, apply, check, new_game, offers, question
from companion.engine.changes import Number
from companion.engine.events import (
    AnyEvent,
    CardShown,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Moved,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.engine.game import Game
from companion.engine.questions import Choice, Reveal, Roll
from companion.engine.resolution import IllegalEvent
from companion.engine.values import Seat
from companion.virtual import dealt

EVENTS = 40


def answer(data: DataObject, game: Game) -> AnyEvent:
    """A drawn answer to the open question."""
    asked = question(game)
    match asked:
        case Choice(seat=seat):
            return Chosen(seat, data.draw(st.sampled_from(asked.open())).key)
        case Reveal(names=names, slot=slot, skip=skip):
            if skip is not None and data.draw(st.integers(0, 4)) == 0:
                return PutOff()
            name = data.draw(st.sampled_from(names))
            return TileShown(name) if slot is None else CardShown(name)
        case Roll(dice=dice):
            face = st.sampled_from(RULESETS[game.rules].faces)
            faces = data.draw(st.lists(face, min_size=dice, max_size=dice))
            return DiceRolled(tuple(faces), final=data.draw(st.booleans()))
        case _:
            raise AssertionError("nothing is asked")


def aside(data: DataObject, game: Game) -> AnyEvent:
    """Something said beside the question: a power, or a correction, wild ones too."""
    powers = offers(game)
    seat = Seat(data.draw(st.integers(0, len(game.monsters) - 1)))
    if len(powers) > 0 and data.draw(st.booleans()):
        power = data.draw(st.sampled_from(powers))
        return PowerUsed(power.seat, power.ref)
    if data.draw(st.booleans()):
        place = data.draw(st.sampled_from(sorted(RULESETS[game.rules].places)))
        return Corrected(places=(Moved(seat, place),))
    what = data.draw(st.sampled_from(Number))
    return Corrected((Correction(seat, what, data.draw(st.integers(0, 12))),))


@given(
    game=st.sampled_from(sorted(RULESETS)),
    players=st.integers(2, 6),
    cards=st.integers(0, 5),
    seed=st.integers(0, 1000),
    data=st.data(),
)
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_whatever_is_said_the_position_stays_sound(
    game: str, players: int, cards: int, seed: int, data: DataObject
) -> None:
    position = dealt(new_game(Setup(game, players)).game, cards, Random(seed))
    for _ in range(EVENTS):
        if position.ended is not None:
            break
        beside = data.draw(st.integers(0, 4)) == 0
        event = aside(data, position) if beside else answer(data, position)
        try:
            position = apply(position, event).game
        except IllegalEvent:
            continue
        assert check(position) == ()
