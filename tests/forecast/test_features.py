"""What a network sees of a position."""

from __future__ import annotations

import numpy as np
import pytest
from lantern_fair import LANTERN_FAIR
from msgspec.structs import replace

from companion.engine import EDITIONS, Position, Setup, Token, new_game
from companion.engine.authoring import registered
from companion.forecast.features import (
    SEAT_NUMBERS,
    TABLE_NUMBERS,
    Encoder,
    editions_of,
    seat_features,
    table_features,
)
from tests.forecast.networks import GAMES, positions
from tests.pairs.rotation import rotated

HIGHEST = 4.5
"""No feature of a random game is larger, after its division."""


def encoder(game: str) -> Encoder:
    editions = editions_of(game)
    return Encoder(seat_features(editions), table_features(editions))


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("game", GAMES)
def test_features_are_bounded_and_those_of_the_dead_are_zero(game: str, players: int) -> None:
    found = encoder(game).encode(positions(game, players))
    for array in (found.seats, found.table, found.living):
        assert array.dtype == np.float32
        assert np.isfinite(array).all()
        assert 0 <= array.min() <= array.max() <= HIGHEST
    assert not found.seats[found.living == 0].any()
    assert found.seats[found.living == 1].any(axis=1).all()


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("game", GAMES)
def test_moving_all_seats_by_one_moves_their_features_by_one(game: str, players: int) -> None:
    here = positions(game, players)
    there = [Position.of(rotated(position.game)) for position in here]
    one, other = encoder(game).encode(here), encoder(game).encode(there)
    assert np.array_equal(np.roll(one.seats, 1, axis=1), other.seats)
    assert np.array_equal(np.roll(one.living, 1, axis=1), other.living)
    assert np.array_equal(one.table, other.table)


@pytest.mark.parametrize("game", GAMES)
def test_every_card_place_and_switch_of_every_edition_is_a_feature(game: str) -> None:
    seat, table = seat_features(editions_of(game)), table_features(editions_of(game))
    assert tuple(seat)[: len(SEAT_NUMBERS)] == tuple(SEAT_NUMBERS)
    assert tuple(table)[: len(TABLE_NUMBERS)] == tuple(TABLE_NUMBERS)
    for (name, edition), rules in EDITIONS.items():
        if name == game:
            assert seat.keys() >= {f"card:{card}" for card in rules.cards}
            assert seat.keys() >= {f"place:{place}" for place in rules.places}
            assert seat.keys() >= {f"token:{token}" for token in Token}
            assert table.keys() >= {f"shop:{card}" for card in rules.cards}
            assert table.keys() >= {f"face:{face}" for face in rules.faces}
            assert table.keys() >= {f"house:{switch}" for switch in rules.house}
            assert f"edition:{edition}" in table


@pytest.mark.parametrize(
    ("change", "feature", "value"),
    [
        ({"health": 4}, "health", 0.4),
        ({"health": 2}, "health_left_of_three", 2 / 3),
        ({"stars": 15}, "stars_left", 0.25),
        ({"stars": 18}, "stars_left_of_six", 1 / 3),
        ({"energy": 7}, "energy", 0.7),
        ({"energy": 99}, "energy", 3.0),
    ],
)
@pytest.mark.parametrize("game", GAMES)
def test_a_number_of_a_monster_is_the_feature_of_its_seat_alone(
    game: str, change: dict[str, int], feature: str, value: float
) -> None:
    position = new_game(Setup(game, 3)).position
    first = position.game.monsters[0]
    changed = replace(
        position.game, monsters=(replace(first, **change), *position.game.monsters[1:])
    )
    known = encoder(game)
    before, after = known.encode([position, Position.of(changed)]).seats
    assert after[0, known.seat_column(feature)] == pytest.approx(value)
    assert np.array_equal(before[1:], after[1:])


def test_a_contract_with_other_numbers_or_an_impossible_divisor_is_refused() -> None:
    seat, table = seat_features(editions_of(GAMES[0])), table_features(editions_of(GAMES[0]))
    swapped = dict(reversed(list(seat.items())))
    for wrong in (swapped, seat | {"health": 0.0}, seat | {"energy": float("nan")}):
        with pytest.raises(ValueError, match="number"):
            Encoder(wrong, table)
    with pytest.raises(ValueError, match="number"):
        Encoder(seat, {})


def test_what_a_contract_does_not_name_counts_for_nothing() -> None:
    game = GAMES[0]
    known = Encoder(dict(SEAT_NUMBERS) | {f"token:{token}": 3.0 for token in Token}, TABLE_NUMBERS)
    here = positions(game, 4)
    few, all_of_them = known.encode(here), encoder(game).encode(here)
    assert np.array_equal(few.table, all_of_them.table[:, : len(TABLE_NUMBERS)])
    assert few.seats.shape[2] == len(SEAT_NUMBERS) + len(Token)


def test_a_game_of_another_package_has_features_as_well() -> None:
    with registered(LANTERN_FAIR):
        position = new_game(Setup(LANTERN_FAIR.name, 3)).position
        found = encoder(LANTERN_FAIR.name).encode([position])
    assert found.living.tolist() == [[1, 1, 1]]
