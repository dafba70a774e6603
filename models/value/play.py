"""Games of players that follow a network, and of random players, and what is kept of them: a file
for each round and game, with positions as the network takes them, padded to six seats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.engine import (
    MOST_SEATS,
    RULESETS,
    AnyEvent,
    Choice,
    DiceRolled,
    Position,
    PowerUsed,
    Roll,
    Seat,
    Setup,
    new_game,
)
from companion.forecast.advice import DRAWS, ThrowValues, advise, advise_dice, values_of_throws
from companion.forecast.features import Encoder, editions_of, seat_features, table_features
from companion.forecast.network import Forecaster, forecaster
from companion.virtual import random_event
from models.arrays import Floats
from models.places import CACHE, TARGET

SEED: Final = 1
WORK: Final = CACHE / "value"
"""Games played and networks of each round."""
SHIPPED: Final = TARGET / "value"
"""The networks that are shipped, and their contract."""
Ints = NDArray[Any]
"""int32."""


POSITIONS: Final = 32
"""Positions kept of a game, drawn alike from all in which something was asked."""
MOST_EVENTS: Final = 4000
"""A longer game is given up, and its positions are not kept."""
POWER_MARGIN: Final = 0.002
"""A power is used if it leaves so much more than the best answer: else one could go on."""

Player = Callable[[Position, Random], AnyEvent]
"""Draws or chooses the event of the seat that is asked."""


def play_at_random(position: Position, chance: Random) -> AnyEvent:
    """Return a legal event at random; a power on offer is used in one of five cases."""
    return random_event(position, chance, 0.2)


@dataclass(slots=True)
class Follower:
    """A player that does what the advice puts first; `exploring`: how often it plays at random;
    `draws`: how large its sample of final throws is."""

    forecaster: Forecaster
    exploring: float = 0.0
    draws: int = DRAWS
    _turn: tuple[object, ...] = ()
    _values: ThrowValues | None = field(default=None)

    def __call__(self, position: Position, chance: Random) -> AnyEvent:
        """Return the event of the seat that is asked; what is thrown or shown is drawn."""
        asked = position.question
        if self.exploring and chance.random() < self.exploring:
            return play_at_random(position, chance)
        if isinstance(asked, Choice):
            return self._answer(position)
        if isinstance(asked, Roll) and asked.main:
            return self._throw(position, asked, chance)
        return random_event(position, chance, 0.0)

    def _answer(self, position: Position) -> AnyEvent:
        advice = advise(self.forecaster, position)
        assert advice is not None  # a Choice is asked
        plain = next(one for one in advice.answers if not isinstance(one.event, PowerUsed))
        best = advice.answers[0]
        taken = best if best.chance > plain.chance + POWER_MARGIN else plain
        assert taken.event is not None  # only of dice there is none
        return taken.event

    def _throw(self, position: Position, asked: Roll, chance: Random) -> AnyEvent:
        faces = position.rules.faces
        if not asked.showing:
            return DiceRolled(tuple(chance.choices(faces, k=asked.dice)))
        turn = (position.game.turn.number, position.game.in_play, asked.dice)
        if self._values is None or self._turn != turn:
            self._turn = turn
            self._values = values_of_throws(self.forecaster, position, self.draws)
        values = self._values
        advice = None if values is None else advise_dice(self.forecaster, position, values)
        if advice is None:
            return random_event(position, chance, 0.0)
        best = advice.answers[0]
        if best.event is not None:
            return best.event
        thrown = tuple(i for i in range(asked.dice) if i not in best.keep)
        showing = [chance.choice(faces) if i in thrown else f for i, f in enumerate(asked.showing)]
        return DiceRolled(tuple(showing), thrown)


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played to its end: the positions kept of it, and each seat's share of it."""

    kept: tuple[Position, ...]
    shares: tuple[float, ...]
    turns: int


def draw_setup(game: str, chance: Random, players: int | None = None) -> Setup:
    """Draw what a game begins with: two players as often as all other numbers together are, the
    usual edition in four of five games, a house rule in one of ten."""
    usual = RULESETS[game]
    least, most = usual.players_min, usual.players_max
    seats = players or (least if chance.random() < 0.35 else chance.randint(least, most))
    edition = usual.edition
    if len(usual.editions) > 1 and chance.random() < 0.2:
        edition = chance.choice(usual.editions[1:])
    house = tuple(switch for switch in sorted(usual.house) if chance.random() < 0.1)
    return Setup(game, seats, Seat(chance.randrange(seats)), edition, house)


def play(setup: Setup, players: Sequence[Player], chance: Random) -> Played | None:
    """Play a game to its end, `players` by seat; None if it goes on for too long."""
    outcome = new_game(setup)
    kept: list[Position] = []
    for seen in range(MOST_EVENTS):
        position = outcome.position
        asked = position.question
        if asked is None:
            return Played(tuple(kept), _shares(position), position.game.turn.number)
        # Each of those seen so far is kept with the same probability (reservoir sampling).
        place = len(kept) if len(kept) < POSITIONS else chance.randrange(seen + 1)
        if place < POSITIONS:
            kept[place : place + 1] = [position]
        player = players[max(0, asked.seat)]
        outcome = position.apply(player(position, chance))
    return None


def _shares(position: Position) -> tuple[float, ...]:
    """Return each seat's share of the game: winners share it, all do if nobody won."""
    ended, seats = position.game.ended, range(len(position.game.monsters))
    winners = (ended.winners if ended is not None else ()) or seats
    return tuple((seat in winners) / len(winners) for seat in seats)


EXPLORING: Final = (0.05, 0.15, 0.4)
"""How often all players of a game play at random; one of these, drawn for each game."""

DRAWS_TO_LEARN: Final = 1
"""The sample of final throws in games to learn from: smaller than at a table, for more games."""


@dataclass(frozen=True, slots=True)
class Round:
    """Games to be played: by random players if `network` is None, else by followers of the
    networks in that folder."""

    name: str
    games: int
    network: Path | None = None


class Data(NamedTuple):
    """Positions of many games: inputs, each seat's share of its game, and the game's number."""

    seats: Floats
    table: Floats
    living: Floats
    shares: Floats
    game: Ints

    def of(self, chosen: Ints) -> Data:
        """Return the positions of these indices, or of a mask."""
        return Data(*(one[chosen] for one in self))

    def won(self) -> Floats:
        """Return the shares of the living: of games that nobody won they share all."""
        shares = self.shares.astype(np.float64) * self.living
        return np.asarray(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-6))


@cache
def encoder_of(game: str) -> Encoder:
    """Return an encoder with the features of today's rules."""
    editions = editions_of(game)
    return Encoder(seat_features(editions), table_features(editions))


def ensure(game: str, wanted: Round, workers: int) -> Data:
    """Load what is kept of a round's games, which are played first if they were not yet."""
    path = WORK / wanted.name / f"{game}-{wanted.games}.npz"
    if not path.exists():
        with ProcessPoolExecutor(workers) as pool:
            run = pool.map if workers > 1 else map
            parts = run(partial(_played, game, wanted), range(wanted.games))
            data = joined(part for part in parts if part is not None)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, **data._asdict())
        part.rename(path)
    with np.load(path) as file:
        return Data(**file)


def _played(game: str, wanted: Round, number: int) -> Data | None:
    """Play a game and encode the positions kept, with six seats: those that are not there are dead.
    None if the game was given up.
    """
    chance = Random(f"{SEED}/{wanted.name}/{game}/{number}")
    setup, exploring = draw_setup(game, chance), chance.choice(EXPLORING)
    player: Player = play_at_random
    if wanted.network is not None:
        player = Follower(forecaster(wanted.network, game), exploring, DRAWS_TO_LEARN)
    done = play(setup, [player] * setup.players, chance)
    if done is None:
        return None
    found, missing = encoder_of(game).encode(done.kept), (0, MOST_SEATS - setup.players)
    seats = np.pad(found.seats, [(0, 0), missing, (0, 0)])
    living = np.pad(found.living, [(0, 0), missing])
    each = np.tile(np.pad(np.array(done.shares), missing), (len(done.kept), 1))
    inputs = [one.astype(np.float16) for one in (seats, found.table, living, each)]
    return Data._make([*inputs, np.full(len(done.kept), number, np.int32)])


def joined(parts: Iterable[Data]) -> Data:
    """Return all positions of several parts."""
    return Data(*map(np.concatenate, zip(*parts, strict=True)))
