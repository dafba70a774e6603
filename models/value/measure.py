"""What the networks are worth: Brier score and calibration on games apart, and games against
random players.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from companion.engine import Seat, Setup
from companion.forecast.features import Encoded, Encoder
from companion.forecast.network import Forecaster
from companion.intervals import wilson
from models.arrays import Floats
from models.value.play import SEED, Data, Follower, Player, play, play_at_random

BINS: Final = 10
RESAMPLED: Final = 1000
"""Bootstrap samples of games."""
RULE: Final = ("stars_left", "health")
"""What the stars-and-health rule looks at."""
NEWTON_STEPS: Final = 12

Forecast = Callable[[Data], Floats]
"""The chances of each seat, (positions, seats)."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Forecasts of about the same chance: their mean, and how often such a seat won."""

    count: int
    mean: float
    won: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Score:
    """Brier score of a forecast with its 95 % interval (bootstrap by game), its log loss, and the
    mean distance of its bins from what came (one position a game)."""

    brier: float
    low: float
    high: float
    log_loss: float
    calibration_error: float
    bins: list[Bin]


def constant(data: Data) -> Floats:
    """Every living seat is as likely to win."""
    return _softmax(np.zeros_like(data.living), data.living)


def network_of(session: Forecaster) -> Forecast:
    """The network as it is shipped."""

    def chances(data: Data) -> Floats:
        parts = np.array_split(np.arange(len(data.game)), len(data.game) // 4096 + 1)
        inputs = (data.of(part)[:3] for part in parts)
        found = (Encoded(*(one.astype(np.float32) for one in three)) for three in inputs)
        return np.concatenate([session.judge(encoded) for encoded in found])

    return chances


def rule_of(data: Data, encoder: Encoder) -> Forecast:
    """The stars-and-health rule: a softmax over the living of a weighted sum of the stars that are
    missing and of health, fitted on these positions (Newton's method)."""
    columns = [encoder.seat_column(name) for name in RULE]
    weights = np.zeros(len(columns))
    numbers, won = data.seats[:, :, columns].astype(np.float64), data.won()
    for _ in range(NEWTON_STEPS):
        chances = _softmax(numbers @ weights, data.living)
        means = (chances[:, :, None] * numbers).sum(axis=1)
        slope = ((chances - won)[:, :, None] * numbers).sum(axis=(0, 1))
        curve = np.einsum("ps,psi,psj->ij", chances, numbers, numbers) - means.T @ means
        weights -= np.linalg.solve(curve, slope)
    return lambda data: _softmax(data.seats[:, :, columns] @ weights, data.living)


def _softmax(scores: Floats, living: Floats) -> Floats:
    """Return the chances of the living by their scores."""
    scores = np.where(living > 0, scores, -np.inf).astype(np.float64)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def score(forecast: Forecast, data: Data) -> Score:
    """Score a forecast on positions of games apart, seat by seat of the living."""
    chances, won, living = forecast(data).astype(np.float64), data.won(), data.living > 0
    squares = np.where(living, (chances - won) ** 2, 0).sum(axis=1) / living.sum(axis=1)
    logs = -(won * np.log(np.maximum(chances, 1e-6))).sum(axis=1)
    games, place = np.unique(data.game, return_inverse=True)
    sums = np.bincount(place, squares), np.bincount(place)
    rng = np.random.default_rng(SEED)
    draws = rng.integers(0, len(games), (RESAMPLED, len(games)))
    resampled = sums[0][draws].sum(axis=1) / sums[1][draws].sum(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    # One position of each game, so that they are independent.
    order = rng.permutation(len(data.game))
    alone = order[np.unique(data.game[order], return_index=True)[1]]
    bins = list(_bins(chances[alone][living[alone]], won[alone][living[alone]]))
    error = np.average([abs(b.mean - b.won) for b in bins], weights=[b.count for b in bins])
    mean, loss = float(squares.mean()), float(logs.mean())
    return Score(mean, float(low), float(high), loss, float(error), bins)


def _bins(chances: Floats, won: Floats) -> Iterator[Bin]:
    place = np.minimum((chances * BINS).astype(int), BINS - 1)
    for here in (place == number for number in np.unique(place)):
        count, share = int(here.sum()), float(won[here].mean())
        mean = float(chances[here].mean())
        yield Bin(count, mean, share, *wilson(round(share * count), count))


def match(game: str, network: Forecaster, games: int) -> int:
    """Play two-player games of the follower against a random player; return how many it won (a
    shared win is none). Its seat and who begins change from game to game."""
    won = 0
    for number in range(games):
        mine, first = number % 2, number // 2 % 2
        seats: list[Player] = [play_at_random] * 2
        seats[mine] = Follower(network)
        chance = Random(f"{SEED}/match/{game}/2/{number}")
        done = play(Setup(game, 2, Seat(first)), seats, chance)
        won += done is not None and done.shares[mine] == 1
    return won
