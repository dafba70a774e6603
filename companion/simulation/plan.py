"""A plan of random games, and the row that each of them leaves.

Game `number` of a plan depends on the plan and its number alone, so any process of any machine may
play it.
"""

from __future__ import annotations

from random import Random
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from companion.engine import RULESETS, Position, Seat, Setup
from companion.games import load_games
from companion.table import RULES_VERSION
from companion.virtual import GameResult, SimulationOptions, play_random

FORM: Final = 1
"""The version of the rows; a change of their columns raises it."""
MOST_SEED: Final = 2**63 - 1


class Plan(Struct, frozen=True):
    """Which games are played, and how. `cards` to `explain`: as in `SimulationOptions`."""

    game: str
    players: int
    seed: int
    edition: str = "first"
    house: tuple[str, ...] = ()
    cards: int = 0
    offers: float = 0.2
    checks: bool = True
    explain: bool = False


Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Names = tuple[str, ...]


class SimulatedSeat(Struct, frozen=True, forbid_unknown_fields=True):
    """One seat of a simulated game, with its numbers at the end.

    `dealt`: the Keep cards that it began with; `bought`: every card that it bought, in order;
    `held`: the cards before it at the end.
    """

    seat: Count
    won: bool
    died_turn: Count | None
    stars: Count
    health: Count
    energy: Count
    dealt: Names
    bought: Names
    held: Names


class SimulatedGame(Struct, frozen=True, forbid_unknown_fields=True):
    """One simulated game: a row of `companion simulate --rows`.

    `number`: the game's number among those of its seed, from 0; `first`: the seat that began;
    `cards` and `offers`: as the options of the command; `rules`: the version of the rules;
    `ended`: how it ended, or `broken`, where `broken` names the invariants; `digest`: of the last
    position.
    """

    form: Literal[1]
    rules: str
    game: str
    edition: str
    house: Names
    players: Count
    seed: Annotated[int, Meta(ge=-MOST_SEED, le=MOST_SEED)]
    number: Count
    first: Count
    cards: Count
    offers: float
    events: Count
    powers: Count
    turns: Count
    ended: str
    broken: Names
    digest: str
    seats: tuple[SimulatedSeat, ...]


def play_game(plan: Plan, number: int) -> SimulatedGame:
    """Play one game of the plan."""
    first = number % plan.players
    setup = Setup(plan.game, plan.players, Seat(first), plan.edition, plan.house)
    options = SimulationOptions(plan.cards, plan.offers, plan.checks, plan.explain)
    played = play_random(setup, Random(f"{plan.seed}/{number}"), options)
    return SimulatedGame(
        form=FORM,
        rules=RULES_VERSION,
        game=plan.game,
        edition=plan.edition,
        house=plan.house,
        players=plan.players,
        seed=plan.seed,
        number=number,
        first=first,
        cards=plan.cards,
        offers=plan.offers,
        events=played.events,
        powers=played.powers,
        turns=played.turns,
        ended=played.reason,
        broken=played.broken,
        digest=Position.of(played.final).digest(),
        seats=tuple(_seat(played, seat) for seat in range(plan.players)),
    )


def _seat(played: GameResult, seat: int) -> SimulatedSeat:
    game = played.final
    monster = game.monsters[seat]
    return SimulatedSeat(
        seat=seat,
        won=game.ended is not None and seat in game.ended.winners,
        died_turn=monster.died_turn,
        stars=monster.stars,
        health=monster.health,
        energy=monster.energy,
        dealt=played.dealt[seat],
        bought=played.bought[seat],
        held=tuple(card.name for card in game.in_play.cards if card.owner == seat),
    )


def play_batch(plan: Plan, start: int, stop: int) -> tuple[SimulatedGame, ...]:
    """Play the games from `start` up to `stop`, in a process that may be a fresh one; end after a
    broken one.
    """
    if plan.game not in RULESETS:
        load_games()
    rows: list[SimulatedGame] = []
    for number in range(start, stop):
        rows.append(play_game(plan, number))
        if rows[-1].broken:
            break
    return tuple(rows)
