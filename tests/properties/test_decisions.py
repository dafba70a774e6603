"""Questions: each has one owner and one set of options, each option does what it says, and there is
always one.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from companion.engine import (
    RULESETS,
    AnyEvent,
    CardShown,
    Change,
    Choice,
    Chosen,
    DiceRolled,
    Game,
    IllegalEvent,
    Number,
    Position,
    PowerUsed,
    PutOff,
    Reveal,
    Roll,
    Seat,
    TileShown,
    check,
)
from tests.engine.consequences import matches_its_consequence
from tests.engine.tables import TOKYO, Scene
from tests.properties.games import steps_of

SOME_GAMES = [
    pytest.param(game, players, cards, id=f"{game}-{players}-{cards}")
    for game in RULESETS
    for players, cards in [(2, 4), (5, 0), (4, 4), (6, 4)]
]
EVERY = pytest.mark.parametrize(("game", "players", "cards"), SOME_GAMES)
SEED = 23
"""Of games in which cards that were dealt bring powers."""


def positions(game: str, players: int, cards: int) -> list[Game]:
    """Yield those of a random game that can be continued."""
    return [step.game for step in steps_of(game, players, SEED, cards)]


@EVERY
def test_every_answer_does_what_it_says(game: str, players: int, cards: int) -> None:
    chance, seen = Random(1), Counter[str]()
    for position in positions(game, players, cards):
        asked = Position.of(position).question
        if not isinstance(asked, Choice):
            continue
        options = asked.open()
        for option in options if len(options) < 6 else chance.sample(options, 5):
            seen[matches_its_consequence(position, Chosen(asked.seat, option.key))] += 1
    assert seen["alone"] > 50
    assert seen["flee"]


@EVERY
def test_every_power_does_what_it_says(game: str, players: int, cards: int) -> None:
    used = 0
    for position in positions(game, players, cards)[::2]:
        for event in Position.of(position).legal_events():
            if isinstance(event, PowerUsed):
                used += 1
                assert matches_its_consequence(position, event) == "alone"
    assert used or not cards


def test_an_answer_before_the_damage_says_what_it_costs() -> None:
    """It is not asked again by itself, and the other parts of the packet are not its doing."""
    cards, places = {1: ("wings",)}, ("tokyo_city", "outside", "outside")
    table = Scene(TOKYO, cards=cards, energy={1: 3}, at=places).begin().order("AE").roll("AAEEEE")
    assert table.asked == "take_wing@1"
    wing = Seat(1)
    assert Position.of(table.game).consequences(Chosen(wing, "pass")) == (
        Change(wing, Number.HEALTH, 10, 8),
    )
    assert Position.of(table.game).consequences(Chosen(wing, "use")) == (
        Change(wing, Number.ENERGY, 3, 1),
    )


@EVERY
def test_every_legal_event_applies_and_the_question_handed_out_is_the_one_derived(
    game: str, players: int, cards: int
) -> None:
    for step in steps_of(game, players, SEED, cards)[::5]:
        for event in Position.of(step.game).legal_events():
            Position.of(step.game).apply(event)
        handed, derived = step.outcome.question, Position.of(step.outcome.game).question
        assert (handed and (handed.key, handed.seat, handed.window)) == (
            derived and (derived.key, derived.seat, derived.window)
        )


def ways_on(position: Game) -> list[AnyEvent]:
    """Return plain events that answer the open question, derived from the question alone."""
    asked = Position.of(position).question
    match asked:
        case Choice(seat=seat):
            return [Chosen(seat, option.key) for option in asked.open()]
        case Reveal(names=names, slot=slot, skip=skip):
            shown = TileShown if slot is None else CardShown
            asides: list[AnyEvent] = [PutOff()] if skip is not None else []
            return [*(shown(name) for name in (*names[:1], *names[-1:], None)), *asides]
        case Roll(dice=dice, showing=(), owed=owed):
            faces = RULESETS[position.rules].faces[:1] * dice
            return [DiceRolled(faces, final=owed <= 1)]
        case Roll(showing=lying, owed=0):
            return [DiceRolled(lying, final=True)]
        case Roll(showing=lying, free=free):
            return [DiceRolled(lying, (die,)) for die in free]
        case None:
            return []


@EVERY
def test_there_is_always_something_to_say_or_the_game_is_over(
    game: str, players: int, cards: int
) -> None:
    """Every answer leads on; of throws that are owed, one that can be paid for."""
    for position in positions(game, players, cards)[::3]:
        ways, legal = ways_on(position), 0
        for event in ways:
            try:
                outcome = Position.of(position).apply(event)
            except IllegalEvent:
                assert isinstance(event, DiceRolled), event
                continue
            legal += 1
            assert check(outcome.game) == ()
            assert (outcome.question is None) == (outcome.game.ended is not None)
        assert legal
    last = steps_of(game, players, SEED, cards)[-1].outcome
    assert last.question is None
    assert ways_on(last.game) == []
    assert Position.of(last.game).legal_events() == ()
