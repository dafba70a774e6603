"""Starting a game (NY-2, TK-2)."""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from companion.engine.effects.cards import OpenShop
from companion.engine.effects.turn import BeginTurn, ChooseStart
from companion.engine.events import IllegalEvent
from companion.engine.game import Game
from companion.engine.games.registry import rules_for
from companion.engine.position import Position
from companion.engine.resolution.loop import Outcome, run
from companion.engine.ruleset import Ruleset
from companion.engine.values import (
    Borough,
    CardId,
    CardInPlay,
    InPlay,
    Monster,
    Seat,
    Stack,
    Turn,
    Value,
)


class Setup(Value, frozen=True):
    """What a new game needs: the box, its edition, the house rules switched on, how many play, and
    who starts (NY-2.5, TK-2.4).
    """

    game: str
    players: int
    first: Seat = Seat(0)
    edition: str = "first"
    house: tuple[str, ...] = ()
    monsters: tuple[str, ...] = ()
    """The Monster of each seat, by its id; those that the rules do not tell apart are ignored."""


def new_game(setup: Setup) -> Outcome[Position]:
    """Make a fresh game: Monsters unplaced, tiles and cards unknown, the first question open (NY-2,
    TK-2).

    Raises IllegalEvent for an unknown game, edition or house rule, a number of players the box does
    not allow, or a first seat that nobody sits in.
    """
    house = tuple(sorted(set(setup.house)))
    rules = rules_for(setup.game, setup.edition, house)
    if not rules.players_min <= setup.players <= rules.players_max:
        raise IllegalEvent("player_count", least=rules.players_min, most=rules.players_max)
    if not 0 <= setup.first < setup.players:
        raise IllegalEvent("no_such_seat", seat=setup.first)
    goals = tuple(CardInPlay(CardId(i + 1), name) for i, name in enumerate(rules.goals))
    stacks = rules.stacks_per_area
    game = Game(
        rules=rules.name,
        edition=setup.edition,
        monsters=tuple(
            Monster(Seat(s), rules.health, name=_name(setup, rules, s))
            for s in range(setup.players)
        ),
        turn=Turn(setup.first, 0),
        in_play=InPlay(cards=goals),
        deck=full_deck(rules),
        boroughs=tuple(
            Borough(
                area,
                tuple(Stack(a * stacks + k, None, rules.tiles_per_stack) for k in range(stacks)),
            )
            for a, area in enumerate(rules.areas)
        ),
        tile_pool=full_pool(rules),
        next_id=len(goals) + 1,
        house=house,
    )
    position = Position.of(game)
    order = position.clockwise(setup.first)
    steps = (*(ChooseStart(s) for s in order), OpenShop(setup.first), BeginTurn(setup.first))
    return run(position.moved_on(replace(game, agenda=tuple(reversed(steps)))))


def _name(setup: Setup, rules: Ruleset, seat: int) -> str | UnsetType:
    names = setup.monsters
    return names[seat] if seat < len(names) and names[seat] in rules.monsters else UNSET


def full_deck(rules: Ruleset) -> tuple[str, ...]:
    """Return every card that can turn up, sorted, copies repeated."""
    goals = set(rules.goals)
    return tuple(
        sorted(c.name for c in rules.cards.values() if c.name not in goals for _ in range(c.copies))
    )


def full_pool(rules: Ruleset) -> tuple[str, ...]:
    """Return every building tile in the box, sorted, copies repeated."""
    return tuple(sorted(t.name for t in rules.tiles.values() for _ in range(t.count)))
