"""What the networks are worth: Brier score and calibration on games apart, and games against
random players.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from companion.engine import RULESETS, Position, Seat, Setup, new_game
from companion.forecast.features import Encoded, Encoder
from companion.forecast.network import Forecaster
from companion.intervals import wilson
from companion.virtual import random_event
from models.arrays import Floats
from models.value.play import SEED, Data, Follower, Ints, Player, play, play_at_random

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

    positions: int
    games: int
    brier: float
    low: float
    high: float
    log_loss: float
    calibration_error: float
    bins: tuple[Bin, ...]


def constant(data: Data) -> Floats:
    """Every living seat is as likely to win."""
    living = data.living.astype(np.float64)
    found: Floats = living / living.sum(axis=1, keepdims=True)
    return found


def network_of(session: Forecaster) -> Forecast:
    """The network as it is shipped."""

    def chances(data: Data) -> Floats:
        parts = []
        for begin in range(0, len(data.game), 4096):
            part = slice(begin, begin + 4096)
            inputs = (data.seats[part], data.table[part], data.living[part])
            parts.append(session.judge(Encoded(*(one.astype(np.float32) for one in inputs))))
        return np.concatenate(parts)

    return chances


def rule_of(data: Data, encoder: Encoder) -> Forecast:
    """The stars-and-health rule: a softmax over the living of a weighted sum of the stars that are
    missing and of health, fitted on these positions (Newton's method)."""
    columns = [encoder.seat_column(name) for name in RULE]
    weights = np.zeros(len(columns))
    won = _of_living(data)
    numbers = data.seats[:, :, columns].astype(np.float64)
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
    found: Floats = powers / powers.sum(axis=1, keepdims=True)
    return found


def _of_living(data: Data) -> Floats:
    """Return the shares of the living: of games that nobody won they share all."""
    shares = data.shares.astype(np.float32) * data.living
    found: Floats = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-6)
    return found


def score(forecast: Forecast, data: Data) -> Score:
    """Score a forecast on positions of games apart, seat by seat of the living."""
    chances, won = forecast(data).astype(np.float64), _of_living(data).astype(np.float64)
    living = data.living > 0
    squares = np.where(living, (chances - won) ** 2, 0).sum(axis=1) / living.sum(axis=1)
    logs = -(won * np.log(np.maximum(chances, 1e-6))).sum(axis=1)
    games, place = np.unique(data.game, return_inverse=True)
    sums = np.bincount(place, squares), np.bincount(place)
    draws = np.random.default_rng(SEED).integers(0, len(games), (RESAMPLED, len(games)))
    resampled = sums[0][draws].sum(axis=1) / sums[1][draws].sum(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    alone = one_of_each_game(data)
    bins = _bins(chances[alone][living[alone]], won[alone][living[alone]])
    total = sum(one.count for one in bins)
    error = sum(one.count * abs(one.mean - one.won) for one in bins) / total
    return Score(
        len(squares), len(games), float(squares.mean()), float(low), float(high),
        float(logs.mean()), error, bins,
    )  # fmt: skip


def one_of_each_game(data: Data) -> Ints:
    """Return the index of one position of each game, so that they are independent."""
    order = np.random.default_rng(SEED).permutation(len(data.game))
    _, first = np.unique(data.game[order], return_index=True)
    found: Ints = order[first]
    return found


def _bins(chances: Floats, won: Floats) -> tuple[Bin, ...]:
    found = []
    for number in range(BINS):
        here = np.minimum((chances * BINS).astype(int), BINS - 1) == number
        count = int(here.sum())
        if count:
            share = float(won[here].mean())
            found.append(
                Bin(count, float(chances[here].mean()), share, *wilson(round(share * count), count))
            )
    return tuple(found)


def match(game: str, network: Forecaster, games: int, players: int = 2) -> tuple[int, int]:
    """Play the follower against random players; return games won (a shared win is none), and
    played. Its seat and who begins change from game to game."""
    won = 0
    for number in range(games):
        chance = Random(f"{SEED}/match/{game}/{players}/{number}")
        mine, first = number % players, (number // players) % players
        seats: list[Player] = [play_at_random] * players
        seats[mine] = Follower(network)
        done = play(Setup(game, players, Seat(first)), seats, chance)
        won += done is not None and done.shares[mine] == 1
    return won, games


def milliseconds(game: str, network: Forecaster, times: int = 400) -> float:
    """Return the median time of one evaluation, features included, in one thread."""
    chance = Random(SEED)
    outcome = new_game(Setup(game, RULESETS[game].players_max))
    positions: list[Position] = []
    while outcome.question is not None and len(positions) < times:
        positions.append(outcome.position)
        outcome = outcome.position.apply(random_event(outcome.position, chance, 0.2))
    taken = []
    for position in positions:
        begun = time.perf_counter()
        network.chances([position])
        taken.append(time.perf_counter() - begun)
    return 1000 * float(np.median(taken))
