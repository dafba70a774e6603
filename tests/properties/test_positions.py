"""Positions as values: replayed, written and read, unchanged by a refused event."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from companion.engine import (
    AnyEvent,
    CardShown,
    Chosen,
    DiceRolled,
    Ended,
    Face,
    Game,
    IllegalEvent,
    OrderChosen,
    Position,
    PowerUsed,
    PutOff,
    Roll,
    Seat,
    Setup,
    TileShown,
    check,
    new_game,
)
from companion.virtual import deal_keep_cards
from tests.properties.games import Step, steps_of

SOME_GAMES = [
    pytest.param(game, players, cards, id=f"{game}-{players}-{cards}")
    for game, players, cards in [
        ("new-york", 2, 0),
        ("new-york", 4, 4),
        ("new-york", 6, 2),
        ("tokyo", 2, 4),
        ("tokyo", 3, 0),
        ("tokyo", 6, 4),
    ]
]
EVERY = pytest.mark.parametrize(("game", "players", "cards"), SOME_GAMES)

DECODER = msgspec.json.Decoder(Game)
EVENT_DECODER: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


@EVERY
def test_replayed_from_a_json_log_the_game_is_the_same(game: str, players: int, cards: int) -> None:
    steps = steps_of(game, players, 1, cards)
    log = [msgspec.json.encode(step.event) for step in steps]
    position = new_game(Setup(game, players)).game
    if cards:
        position = deal_keep_cards(position, cards, Random(1))
    for line, step in zip(log, steps, strict=True):
        position = Position.of(position).apply(EVENT_DECODER.decode(line)).game
        assert Position.of(position).digest() == step.outcome.position.digest()
    assert isinstance(position.ended, Ended)


@EVERY
def test_every_position_survives_json_and_plays_on_from_the_copy(
    game: str, players: int, cards: int
) -> None:
    for step in steps_of(game, players, 2, cards):
        written = msgspec.json.encode(step.game)
        copy = DECODER.decode(written)
        assert copy == step.game
        assert hash(copy) == hash(step.game)
        assert msgspec.json.encode(copy) == written
        assert question_key(copy) == question_key(step.game)
        assert Position.of(copy).apply(step.event).game == step.outcome.game


def question_key(game: Game) -> object:
    asked = Position.of(game).question
    return asked and (asked.key, asked.seat, asked.window)


def strangers(step: Step, chance: Random) -> list[AnyEvent]:
    """Return events that are mostly illegal now."""
    players = len(step.game.monsters)
    seat = Seat(chance.randrange(-1, players + 1))
    face = chance.choice(list(Face))
    return [
        Chosen(seat, chance.choice(["end", "stay", "go", "use", "sweep", "buy_1", "energy", ""])),
        DiceRolled((face,) * chance.randrange(9), final=chance.random() < 0.5),
        DiceRolled((face,) * 6, (chance.randrange(-1, 8),)),
        CardShown(
            chance.choice([None, "mimic", "diva", "nothing"]), chance.choice([None, 0, 2, 5])
        ),
        TileShown(chance.choice([None, "skyscraper_1", "tank"]), chance.choice([None, 0, 14, 15])),
        OrderChosen(seat, (face, chance.choice(list(Face)))),
        PowerUsed(seat, chance.choice(["card.1/fly", "game/roll", ""])),
        PutOff(),
    ]


@EVERY
def test_an_event_that_is_refused_changes_nothing(game: str, players: int, cards: int) -> None:
    chance = Random(3)
    refused = 0
    for step in steps_of(game, players, 2, cards)[::3]:
        before = Position.of(step.game).digest()
        for event in strangers(step, chance):
            try:
                outcome = Position.of(step.game).apply(event)
            except IllegalEvent:
                refused += 1
            else:  # legal after all: then the position it leads to is sound
                assert check(outcome.game) == ()
        assert Position.of(step.game).digest() == before
        assert Position.of(step.game).apply(step.event).game == step.outcome.game
    assert refused > 100


@EVERY
def test_every_legal_event_applies(game: str, players: int, cards: int) -> None:
    for step in steps_of(game, players, 2, cards)[::5]:
        for event in Position.of(step.game).legal_events():
            Position.of(step.game).apply(event)
        assert Position.of(step.game).legal_events() or isinstance(
            Position.of(step.game).question, Roll
        )


@EVERY
def test_each_phase_happens_once_a_turn(game: str, players: int, cards: int) -> None:
    """What a second tick of the end of a turn would do, no number shows (trap 1)."""
    phases = ("RollPhase", "ResolvePhase", "BuyPhase", "EndPhase", "TurnOver")
    begun: dict[int, list[str]] = {}
    for step in steps_of(game, players, 1, cards):
        number = step.game.turn.number
        for effect in step.outcome.performed:
            name = type(effect).__name__
            if name == "BeginTurn":
                number += 1
            elif name in phases:
                begun.setdefault(number, []).append(name)
    for number, names in begun.items():
        assert len(names) == len(set(names)), f"turn {number}: {names}"


@EVERY
def test_the_question_handed_out_is_the_one_derived_later(
    game: str, players: int, cards: int
) -> None:
    for step in steps_of(game, players, 1, cards):
        handed, derived = step.outcome.question, step.outcome.position.question
        assert (handed is None) == (derived is None)
        if handed is not None and derived is not None:
            assert (handed.key, handed.seat, handed.window) == (
                derived.key,
                derived.seat,
                derived.window,
            )
