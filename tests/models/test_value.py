"""The network that judges positions: games it learns from, and what it is worth."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

from companion.engine import RULESETS, Choice, DiceRolled, Roll, Seat, Setup, new_game
from companion.forecast.network import Forecaster
from models.value.measure import constant, network_of, rule_of, score
from models.value.play import (
    POSITIONS,
    SHIPPED,
    Data,
    Follower,
    Played,
    Round,
    draw_setup,
    encoder_of,
    ensure,
    play,
    play_at_random,
)

GAMES = tuple(RULESETS)


def network(game: str) -> Forecaster:
    return Forecaster.load(SHIPPED, game)


def played(game: str, seed: int, players: int = 3) -> Played:
    done = play(Setup(game, players), [play_at_random] * players, Random(seed))
    assert done is not None
    return done


def two_seats(chances: list[float], shares: list[float], games: list[int]) -> Data:
    """Positions of two living seats; the health of the first is its chance."""
    count = len(chances)
    seats = np.zeros((count, 2, 1), np.float32)
    seats[:, 0, 0] = chances
    won = np.array(shares, np.float32)
    return Data(
        seats,
        np.zeros((count, 1), np.float32),
        np.ones((count, 2), np.float32),
        np.stack([won, 1 - won], axis=1),
        np.array(games, np.int32),
    )


def first_seat(data: Data) -> np.ndarray:
    return np.stack([data.seats[:, 0, 0], 1 - data.seats[:, 0, 0]], axis=1)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_kept_by_positions_spread_over_it_and_its_shares(game: str) -> None:
    done = played(game, 3)
    assert len(done.kept) == POSITIONS
    assert sum(done.shares) == pytest.approx(1)
    turns = [position.game.turn.number for position in done.kept]
    assert min(turns) < done.turns / 3 < done.turns * 2 / 3 < max(turns)
    assert all(position.question is not None for position in done.kept)


@pytest.mark.parametrize("game", GAMES)
def test_followers_play_whole_games_by_the_rules(game: str) -> None:
    for players in (2, 4, 6):
        seats = [Follower(network(game), 0.1, draws=1)] * players
        done = play(Setup(game, players), seats, Random(players))
        assert done is not None
        assert sum(done.shares) == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES)
def test_a_follower_answers_as_the_best_advice_and_throws_all_dice_first(game: str) -> None:
    follower, chance = Follower(network(game)), Random(1)
    position = new_game(Setup(game, 2)).position
    seen = set()
    while position.question is not None and position.game.turn.number < 4:
        event = follower(position, chance)
        question = position.question
        seen.add(type(question))
        if isinstance(question, Roll) and not question.showing:
            assert isinstance(event, DiceRolled)
            assert (event.rethrown, event.final) == ((), False)
        position = position.apply(event).position
    assert {Roll, Choice} <= seen


def test_games_are_drawn_of_every_number_of_players_and_edition() -> None:
    for game in GAMES:
        drawn = [draw_setup(game, Random(seed)) for seed in range(300)]
        rules = RULESETS[game]
        assert {one.players for one in drawn} == set(
            range(rules.players_min, rules.players_max + 1)
        )
        assert {one.edition for one in drawn} == set(rules.editions)
        assert {one.first for one in drawn} == {Seat(seat) for seat in range(rules.players_max)}
        assert {house for one in drawn for house in one.house} == set(rules.house)


def test_a_round_is_kept_in_a_file_and_not_played_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.value.play.WORK", tmp_path)
    wanted = Round("random", 3)
    data = ensure(GAMES[0], wanted, 1)
    (path,) = tmp_path.rglob("*.*")
    before = path.stat()
    assert np.array_equal(ensure(GAMES[0], wanted, 1).seats, data.seats)
    assert path.stat() == before
    assert sorted(set(data.game.tolist())) == [0, 1, 2]
    assert len(data.game) == 3 * POSITIONS
    path.unlink()
    assert np.array_equal(ensure(GAMES[0], wanted, 1).seats, data.seats)
    total = data.shares.astype(float).sum(axis=1)
    assert total == pytest.approx(np.ones(len(total)), abs=1e-2)


def test_forecasts_that_come_true_as_often_as_they_say_are_calibrated() -> None:
    rng = np.random.default_rng(1)
    chances = rng.random(4000)
    won = (rng.random(4000) < chances).astype(float)
    good = score(first_seat, two_seats(list(chances), list(won), list(range(4000))))
    assert good.calibration_error < 0.03
    bold = score(
        lambda data: np.round(first_seat(data)),
        two_seats(list(chances), list(won), list(range(4000))),
    )
    assert bold.calibration_error > 0.1
    assert bold.brier > good.brier
    for one in good.bins:
        assert one.low <= one.won <= one.high


@pytest.mark.parametrize("game", GAMES)
def test_the_rule_finds_that_stars_and_health_are_good(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.value.play.WORK", tmp_path)
    data = ensure(game, Round("random", 60), 1)
    rule = rule_of(data, encoder_of(game))
    assert score(rule, data).log_loss < score(constant, data).log_loss
    one = data.of(np.array([0]))
    column = encoder_of(game).seat_column("health")
    before = rule(one)[0, 0]
    one.seats[0, 0, column] += 0.3
    assert rule(one)[0, 0] > before
    assert network_of(network(game))(data).sum(axis=1) == pytest.approx(
        np.ones(len(data.game)), abs=1e-3
    )
