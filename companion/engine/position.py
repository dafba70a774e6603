"""`Position`, a game with all queries, and how a game begins (NY-2, TK-2)."""

from __future__ import annotations

from hashlib import blake2b
from typing import Self

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from companion.engine import loop, play
from companion.engine.base_position import BasePosition
from companion.engine.effects.cards import OpenShop
from companion.engine.effects.turn import BeginTurn, ChooseStart
from companion.engine.events import IllegalEvent
from companion.engine.game import Game
from companion.engine.loop import Outcome, run
from companion.engine.queries import audit as audits
from companion.engine.queries import explain as reasons
from companion.engine.queries import odds
from companion.engine.queries import preview as previews
from companion.engine.questions import Question
from companion.engine.registry import rules_for, rules_of
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

# -- a position of a game: the one value the rest of the program holds and asks --------------------


_ENCODER = msgspec.json.Encoder()


class Position(BasePosition, frozen=True, gc=False, eq=False):
    """A game at one moment: an immutable value with its rules, the abilities in force and,
    once asked for, the open question. Positions of equal games are equal.
    """

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the position of a game; IllegalEvent if the engine does not know its rules."""
        return cls.build(game, rules_of(game))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game == other.game

    def __hash__(self) -> int:
        return hash(self.game)

    @property
    def question(self) -> Question | None:
        """What is asked; None if the game is over."""
        return loop.question(self)

    # Methods that other modules define: their first parameter is the position.
    apply = play.apply
    legal_events = play.legal_events
    offers = play.offers
    preview = previews.preview
    preview_throw = previews.preview_throw
    consequences = previews.consequences
    answer_ahead = previews.answer_ahead
    asked_next = previews.asked_next
    pairs = previews.pairs
    keeps = odds.keeps
    audit = audits.audit
    explain = reasons.explain
    explain_quantity = reasons.explain_quantity

    def digest(self) -> str:
        """Return a hash of the game, 32 hex digits; equal games have equal digests."""
        return blake2b(_ENCODER.encode(self.game), digest_size=16).hexdigest()


# -- starting a game (NY-2, TK-2) ------------------------------------------------------------------


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
