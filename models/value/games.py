"""Games of a round, played in chunks that are kept: an interrupted run goes on after the last one.

A chunk is a file with the positions of its games as the network takes them, padded to six seats.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from companion.engine import MOST_SEATS
from companion.forecast.features import Encoder, editions_of, seat_features, table_features
from companion.forecast.network import Forecaster
from models.arrays import Floats
from models.value.places import SEED, WORK, Ints
from models.value.play import Follower, Played, Player, draw_setup, play, play_at_random

CHUNK: Final = 50
"""Games of a file."""
EXPLORING: Final = (0.05, 0.15, 0.4)
"""How often all players of a game play at random; one of these, drawn for each game."""

DRAWS: Final = 1
"""The sample of final throws in games to learn from: smaller than at a table, for more games."""


@dataclass(frozen=True, slots=True)
class Round:
    """Games to be played: by random players where `network` is None, else by followers of the
    networks in that folder."""

    name: str
    games: int
    network: Path | None = None


@dataclass(frozen=True, slots=True)
class Data:
    """Positions of many games: inputs, each seat's share of its game, and the game's number."""

    seats: Floats
    table: Floats
    living: Floats
    shares: Floats
    game: Ints

    def of(self, chosen: Ints) -> "Data":
        """Return the positions of these indices, or of a mask."""
        return Data(*(getattr(self, name)[chosen] for name in self.__slots__))


def encoder_of(game: str) -> Encoder:
    """Return an encoder with the features of today's rules."""
    editions = editions_of(game)
    return Encoder(seat_features(editions), table_features(editions))


def ensure(game: str, wanted: Round, workers: int) -> list[Path]:
    """Play the games of a round that are missing; return its files."""
    chunks = range(-(-wanted.games // CHUNK))
    paths = [WORK / wanted.name / f"{game}-{number:04}.npz" for number in chunks]
    missing = [number for number, path in enumerate(paths) if not path.exists()]
    todo = [(game, wanted, number, paths[number]) for number in missing]
    if workers > 1 and len(todo) > 1:
        with ProcessPoolExecutor(workers) as pool:
            list(pool.map(_play_chunk, todo))
    else:
        for one in todo:
            _play_chunk(one)
    return paths


def _play_chunk(todo: tuple[str, Round, int, Path]) -> None:
    game, wanted, number, path = todo
    encoder = encoder_of(game)
    network = None if wanted.network is None else Forecaster.load(wanted.network, game)
    numbers = range(number * CHUNK, min((number + 1) * CHUNK, wanted.games))
    played = [(one, _played(game, wanted.name, network, one)) for one in numbers]
    data = _encoded(encoder, [(one, done) for one, done in played if done is not None])
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez_compressed(file, **{name: getattr(data, name) for name in Data.__slots__})
    part.rename(path)
    print(f"{wanted.name} {path.name}: {len(played)} games", flush=True)


def _played(game: str, name: str, network: Forecaster | None, number: int) -> Played | None:
    chance = Random(f"{SEED}/{name}/{game}/{number}")
    setup = draw_setup(game, chance)
    exploring = chance.choice(EXPLORING)
    player: Player = play_at_random if network is None else Follower(network, exploring, DRAWS)
    return play(setup, [player] * setup.players, chance)


def _encoded(encoder: Encoder, played: Sequence[tuple[int, Played]]) -> Data:
    """Encode the positions kept of these games."""
    parts = []
    for number, done in played:
        found, count = encoder.encode(done.kept), len(done.kept)
        shares = np.broadcast_to(np.array(done.shares, np.float32), found.living.shape)
        parts.append(
            Data(
                _padded(found.seats).astype(np.float16),
                found.table.astype(np.float16),
                _padded(found.living).astype(np.float16),
                _padded(shares).astype(np.float16),
                np.full(count, number, np.int32),
            )
        )
    return joined(parts)


def _padded(array: Floats) -> Floats:
    """Return the array with six seats; those that are not there are dead."""
    missing = MOST_SEATS - array.shape[1]
    return np.pad(array, [(0, 0), (0, missing), *[(0, 0)] * (array.ndim - 2)])


def joined(parts: Iterable[Data]) -> Data:
    """Return all positions of several parts."""
    found = list(parts)
    return Data(*(np.concatenate([getattr(o, name) for o in found]) for name in Data.__slots__))


def load(paths: Iterable[Path], first: int = 0) -> Data:
    """Load the files of a round; `first` is added to the numbers of its games."""
    parts = []
    for path in paths:
        with np.load(path) as file:
            parts.append(Data(*(file[name] for name in Data.__slots__)))
    data = joined(parts)
    return Data(data.seats, data.table, data.living, data.shares, data.game + first)
