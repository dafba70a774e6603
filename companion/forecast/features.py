"""What a network sees of a position: numbers of each seat, and numbers of the table.

Which features there are follows from the rulesets; their order and divisors are in the contract.
Nothing here judges a position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.engine import (
    EDITIONS,
    Choice,
    Face,
    Monster,
    Position,
    Question,
    Reveal,
    Roll,
    Ruleset,
    Seat,
    Token,
)

Floats = NDArray[np.float32]

SEAT_NUMBERS: Final[Mapping[str, float]] = {
    "health": 10,
    "health_left_of_three": 3,
    "health_max": 10,
    "stars_left": 20,
    "stars_left_of_six": 6,
    "energy": 10,
    "reached": 1,
    "fallen": 1,
    "active": 1,
    "asked": 1,
    "order": 5,
    "extra_turn": 1,
    "inside": 1,
    "income_stars": 2,
    "income_energy": 2,
    "counters": 6,
    "cards": 5,
    "conditions": 1,
    "units": 4,
    "tile_stars": 4,
    "tile_energy": 4,
    "tile_health": 4,
}
"""The numbers of a seat that every game has, each with its divisor."""
TABLE_NUMBERS: Final[Mapping[str, float]] = {
    "players": 6,
    "living": 6,
    "turn": 30,
    "inside": 2,
    "open_entry": 1,
    "rolls_left": 3,
    "final": 1,
    "roll": 1,
    "choice": 1,
    "reveal": 1,
    "amount": 3,
    "deck": 60,
    "tiles_left": 45,
}
"""The numbers of the table that every game has, each with its divisor."""


def seat_features(rules: Iterable[Ruleset]) -> dict[str, float]:
    """Return the features of a seat for the editions of one game: name to divisor, in order."""
    editions = tuple(rules)
    return {
        **SEAT_NUMBERS,
        **{f"token:{token}": 3.0 for token in Token},
        **_names("place", (place for one in editions for place in one.places)),
        **_names("card", (card for one in editions for card in one.cards)),
    }


def table_features(rules: Iterable[Ruleset]) -> dict[str, float]:
    """Return the features of the table for the editions of one game: name to divisor, in order."""
    editions = tuple(rules)
    return {
        **TABLE_NUMBERS,
        **{f"face:{face}": 3.0 for face in dict.fromkeys(f for one in editions for f in one.faces)},
        **_names("edition", (one.edition for one in editions)),
        **_names("house", (switch for one in editions for switch in one.house)),
        **_names("shop", (card for one in editions for card in one.cards)),
    }


def editions_of(game: str) -> tuple[Ruleset, ...]:
    """Return the ruleset of every edition of a game, the usual one first."""
    return tuple(rules for (name, _), rules in EDITIONS.items() if name == game)


def _names(family: str, names: Iterable[str]) -> dict[str, float]:
    return {f"{family}:{name}": 1.0 for name in sorted(set(names))}


@dataclass(frozen=True, slots=True)
class Encoded:
    """Positions as a network takes them, float32.

    `seats`: (positions, seats, seat features); `table`: (positions, table features); `living`:
    (positions, seats), 1 for a seat that is alive.
    """

    seats: Floats
    table: Floats
    living: Floats


class Encoder:
    """Encodes positions of one game, with the features that its contract names.

    ValueError if the contract's plain numbers are not those of this module. A card, place or
    edition that the contract lacks counts for nothing.
    """

    def __init__(self, seat: Mapping[str, float], table: Mapping[str, float]) -> None:
        for given, known in ((seat, SEAT_NUMBERS), (table, TABLE_NUMBERS)):
            if tuple(given)[: len(known)] != tuple(known):
                raise ValueError("the numbers are not those of this version")
            if not all(0 < divisor < float("inf") for divisor in given.values()):
                raise ValueError("a divisor is not a positive number")
        self._seat = {name: index for index, name in enumerate(seat)}
        self._table = {name: index for index, name in enumerate(table)}
        self._seat_factors = np.array([1 / one for one in seat.values()], np.float32)
        self._table_factors = np.array([1 / one for one in table.values()], np.float32)

    def seat_column(self, name: str) -> int:
        """Return where a feature of a seat is."""
        return self._seat[name]

    def encode(self, positions: Sequence[Position]) -> Encoded:
        """Encode positions of one game with equally many seats."""
        count = len(positions[0].game.monsters)
        seats = np.zeros((len(positions), count, len(self._seat)), np.float32)
        table = np.zeros((len(positions), len(self._table)), np.float32)
        living = np.zeros((len(positions), count), np.float32)
        for index, position in enumerate(positions):
            self._fill_seats(position, seats[index])
            self._fill_table(position, table[index])
            living[index] = [monster.alive for monster in position.game.monsters]
        seats *= self._seat_factors
        table *= self._table_factors
        return Encoded(seats, table, living)

    def _fill_seats(self, position: Position, rows: Floats) -> None:
        game, question = position.game, position.question
        asked = -1 if question is None else question.seat
        order = [seat for seat in position.clockwise(game.turn.active) if position.is_alive(seat)]
        for monster in game.monsters:
            if monster.alive:
                numbers = _seat_numbers(position, monster, asked, order)
                rows[monster.seat, : len(SEAT_NUMBERS)] = numbers
                self._mark(rows[monster.seat], f"place:{monster.place}")
        columns = self._seat
        for card in game.in_play.cards:
            if card.owner >= 0 and (column := columns.get(f"card:{card.name}")) is not None:
                rows[card.owner, column] += 1
                rows[card.owner, columns["counters"]] += card.counters
                rows[card.owner, columns["cards"]] += 1
        for pile in game.in_play.tokens:
            rows[pile.seat, columns[f"token:{pile.token}"]] += pile.count
        for condition in game.in_play.conditions:
            if condition.seat >= 0:
                rows[condition.seat, columns["conditions"]] += 1

    def _mark(self, row: Floats, name: str) -> None:
        column = self._seat.get(name)
        if column is not None:
            row[column] = 1

    def _fill_table(self, position: Position, row: Floats) -> None:
        game, turn = position.game, position.game.turn
        row[: len(TABLE_NUMBERS)] = _table_numbers(position)
        done = frozenset(turn.resolved) if turn.final else frozenset[Face]()
        names = [f"face:{face}" for face in turn.faces if face not in done]
        names += [f"shop:{card.name}" for card in game.in_play.shop if card is not None]
        names += [f"house:{switch}" for switch in game.house]
        for name in (f"edition:{game.edition}", *names):
            column = self._table.get(name)
            if column is not None:
                row[column] += 1


def _seat_numbers(
    position: Position, monster: Monster, asked: int, order: Sequence[Seat]
) -> tuple[float, ...]:
    """Return the values of `SEAT_NUMBERS`; what cards and conditions add to is 0."""
    rules, game, seat = position.rules, position.game, monster.seat
    place = position.place(seat)
    left = max(0, rules.goal_stars - monster.stars)
    return (
        monster.health,
        min(monster.health, 3),
        position.health_max(seat),
        left,
        min(left, 6),
        min(monster.energy, 30),
        monster.reached is not None,
        monster.fallen,
        seat == game.turn.active,
        seat == asked,
        order.index(seat),
        sum(extra.seat == seat for extra in game.extra),
        place is not None and place.inside,
        place.stars if place is not None else 0,
        place.energy if place is not None else 0,
        0,
        0,
        0,
        *_beside(position, seat),
    )


def _beside(position: Position, seat: Seat) -> tuple[float, float, float, float]:
    """Return the Units beside a Monster, and what the tiles there that can be seen would give."""
    borough = position.borough(position.area(seat)) if position.game.boroughs else None
    if borough is None:
        return 0, 0, 0, 0
    tiles = position.rules.tiles
    names = [stack.top for stack in borough.stacks if stack.top is not None]
    names += [unit.kind for unit in borough.units]
    rewards = [tiles[name].reward for name in names]
    return (
        len(borough.units),
        sum(reward.stars for reward in rewards),
        sum(reward.energy for reward in rewards),
        sum(reward.health for reward in rewards),
    )


def _table_numbers(position: Position) -> tuple[float, ...]:
    """Return the values of `TABLE_NUMBERS`."""
    game, turn, question = position.game, position.game.turn, position.question
    return (
        len(game.monsters),
        len(position.alive()),
        min(turn.number, 90),
        len(position.inside()),
        position.free_entry() is not None,
        turn.rolls_left,
        turn.final,
        isinstance(question, Roll),
        isinstance(question, Choice),
        isinstance(question, Reveal),
        _amount(question),
        len(game.deck),
        sum(stack.left for borough in game.boroughs for stack in borough.stacks),
    )


def _amount(question: Question | None) -> int:
    """Return the number that the open question is about; 0 if it names none."""
    about = dict(question.about) if isinstance(question, Choice) else {}
    amount = about.get("amount", 0)
    return min(amount, 9) if isinstance(amount, int) else 0
