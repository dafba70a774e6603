"""Games of players that follow a network, of random players, and what is kept of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from companion.engine import (
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
from companion.forecast.network import Forecaster
from companion.virtual import random_event

POSITIONS: Final = 32
"""Positions kept of a game, drawn alike from all in which something was asked."""
MOST_EVENTS: Final = 4000
"""A longer game is given up, and its positions are not kept."""
POWER_MARGIN: Final = 0.002
"""A power is used where it leaves so much more than the best answer: else one could go on."""

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
        if isinstance(asked, Roll):
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
        if not asked.main:
            return random_event(position, chance, 0.0)
        if not asked.showing:
            return DiceRolled(tuple(chance.choices(faces, k=asked.dice)))
        game = position.game
        turn = (game.turn.number, game.in_play, asked.dice)
        if self._turn != turn or self._values is None:
            self._turn = turn
            self._values = values_of_throws(self.forecaster, position, self.draws)
        advice = None
        if self._values is not None:
            advice = advise_dice(self.forecaster, position, self._values)
        if advice is None:
            return random_event(position, chance, 0.0)
        best = advice.answers[0]
        if best.event is not None:
            return best.event
        thrown = [i for i in range(asked.dice) if i not in best.keep]
        showing = list(asked.showing)
        for die in thrown:
            showing[die] = chance.choice(faces)
        return DiceRolled(tuple(showing), tuple(thrown))


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
        _keep(kept, position, seen, chance)
        player = players[max(0, asked.seat)]
        outcome = position.apply(player(position, chance))
    return None


def _keep(kept: list[Position], position: Position, seen: int, chance: Random) -> None:
    """Keep each of the positions seen so far with the same probability (reservoir sampling)."""
    if len(kept) < POSITIONS:
        kept.append(position)
        return
    place = chance.randrange(seen + 1)
    if place < POSITIONS:
        kept[place] = position


def _shares(position: Position) -> tuple[float, ...]:
    """Return each seat's share of the game: winners share it, all do where nobody won."""
    ended, seats = position.game.ended, range(len(position.game.monsters))
    winners = ended.winners if ended is not None else ()
    if not winners:
        return tuple(1 / len(seats) for _ in seats)
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in seats)
