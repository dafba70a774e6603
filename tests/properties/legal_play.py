"""Games of drawn decisions, and the properties checked on the way: `python -m tests.properties`.

Hypothesis shrinks a failing game to the few decisions that matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from companion.engine import (
    RULESETS,
    AnyEvent,
    CardShown,
    Choice,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Game,
    IllegalEvent,
    InvariantTracker,
    Moved,
    Number,
    Position,
    PowerUsed,
    PutOff,
    Reveal,
    Roll,
    Seat,
    Setup,
    TileShown,
    check,
    new_game,
)
from companion.table import (
    GameStarted,
    Input,
    Redone,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    Undone,
)
from companion.virtual import deal_keep_cards

EVENTS = 40
"""Decisions drawn for one game."""

UNDONE = 5
"""Points of a game at which all since the last of them is undone and done again."""

DECODER = msgspec.json.Decoder(Game)
EVENT_DECODER: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


@dataclass
class Played:
    """How much was played: events that happened, and events that were refused."""

    games: int = 0
    events: int = 0
    refused: int = 0
    undone: int = 0


@dataclass
class Line:
    """A game as it was played: its first position, and the position after each event."""

    positions: list[Game]
    events: list[AnyEvent] = field(default_factory=list)


def property_of(
    examples: int, played: Played, table: Table, derandomize: bool = True
) -> Callable[[], None]:
    """Return the property to be called: so many games of drawn decisions keep all invariants. Those
    without dealt cards are played on a table too.
    """

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=derandomize,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        game=st.sampled_from(sorted(RULESETS)),
        players=st.integers(2, 6),
        cards=st.integers(0, 5),
        chance=st.integers(0, 1000),
        data=st.data(),
    )
    def keeps_every_promise(
        game: str, players: int, cards: int, chance: int, data: DataObject
    ) -> None:
        setup = Setup(game, players)
        dealing = cards if chance % 2 else 0
        start = deal_keep_cards(new_game(setup).game, dealing, Random(chance)) if dealing else None
        line = drawn(data, start or new_game(setup).game, played)
        replayed_from_json(line)
        if start is None:
            undone_and_redone(table, setup, line, Random(chance), played)
        played.games += 1

    return keeps_every_promise


# -- what is drawn --------------------------------------------------------------------------------


def drawn(data: DataObject, position: Game, played: Played) -> Line:
    """Play drawn events. An accepted event leaves a sound position that survives JSON; a refused
    one changes nothing.
    """
    line, tracker = Line([position]), InvariantTracker()
    for _ in range(EVENTS):
        if position.ended is not None:
            break
        beside = data.draw(st.integers(0, 4)) == 0
        event = aside(data, position) if beside else answer(data, position)
        before = Position.of(position).digest()
        try:
            outcome = Position.of(position).apply(event)
        except IllegalEvent:
            played.refused += 1
            assert Position.of(position).digest() == before
            continue
        assert check(outcome.game) == ()
        assert tracker.follow(position, outcome) == ()
        survives_json(outcome.game)
        position = outcome.game
        line.positions.append(position)
        line.events.append(event)
        played.events += 1
    return line


def answer(data: DataObject, game: Game) -> AnyEvent:
    """Draw an answer to the open question."""
    asked = Position.of(game).question
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
    """Draw an event beside the question: a power, or a correction, extreme ones too; or an answer
    to another question.
    """
    powers = Position.of(game).offers()
    seat = Seat(data.draw(st.integers(0, len(game.monsters) - 1)))
    if len(powers) > 0 and data.draw(st.booleans()):
        power = data.draw(st.sampled_from(powers))
        return PowerUsed(power.seat, power.ref)
    match data.draw(st.integers(0, 3)):
        case 0:
            place = data.draw(st.sampled_from(sorted(RULESETS[game.rules].places)))
            return Corrected(places=(Moved(seat, place),))
        case 1:
            return Chosen(seat, data.draw(st.sampled_from(["end", "stay", "sweep", "use", "go"])))
        case 2:
            return CardShown(data.draw(st.sampled_from(["mimic", "diva", "wings"])))
        case _:
            what = data.draw(st.sampled_from(Number))
            return Corrected((Correction(seat, what, data.draw(st.integers(0, 12))),))


# -- what is promised -----------------------------------------------------------------------------


def survives_json(position: Game) -> None:
    """Assert that it is the same value with the same bytes and question after JSON."""
    written = msgspec.json.encode(position)
    copy = DECODER.decode(written)
    assert copy == position
    assert msgspec.json.encode(copy) == written
    asked, derived = Position.of(position).question, Position.of(copy).question
    assert (asked is None) == (derived is None)
    if asked is not None and derived is not None:
        assert (asked.key, asked.seat, asked.window) == (derived.key, derived.seat, derived.window)


def replayed_from_json(line: Line) -> None:
    """Assert that the events after JSON lead from the first position after JSON to each
    position.
    """
    position = DECODER.decode(msgspec.json.encode(line.positions[0]))
    for event, live in zip(line.events, line.positions[1:], strict=True):
        position = (
            Position.of(position).apply(EVENT_DECODER.decode(msgspec.json.encode(event))).game
        )
        assert Position.of(position).digest() == Position.of(live).digest()


def undone_and_redone(
    table: Table, setup: Setup, line: Line, chance: Random, played: Played
) -> None:
    """Assert that a table with the same events, undone and redone at five points, is in the same
    state.

    All of it is one command; the rows tell what counted after each.
    """
    seats = tuple(SeatSetup(f"p{s}", f"m{s}") for s in range(setup.players))
    inputs: list[Input] = [
        TableSet(setup.game, setup.edition, seats),
        GameStarted(setup.first),
    ]
    count = len(line.events)
    marks = sorted(chance.sample(range(1, count + 1), min(UNDONE, count)))
    stands: list[tuple[int, Game]] = []  # after the row of that number, this position counts
    done = 0
    for mark in marks:
        first = len(inputs) + 1
        inputs += line.events[done:mark]
        undone = len(inputs) + 1
        inputs += (Undone(first), Redone(undone))
        before, after = line.positions[done], line.positions[mark]
        stands += ((undone - 1, after), (undone, before), (undone + 1, after))
        done = mark
        played.undone += 1
    rev = table.snapshot().rev
    table.submit(Submission(f"{played.events}-{played.undone}", rev, tuple(inputs)))
    entries = table.snapshot().entries
    for seq, position in stands:
        game = entries[seq - 1].after.game
        assert game is not None
        assert Position.of(game).digest() == Position.of(position).digest(), (
            f"row {seq} of {inputs}"
        )
