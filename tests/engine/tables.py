"""A table to play scenarios at: set it up, apply events, read every number that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec.structs import replace

from companion.engine import IllegalEvent, Position, Setup, check, new_game, rules_of
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.turn import BeginTurn
from companion.engine.events import (
    AnyEvent,
    CardShown,
    Chosen,
    Corrected,
    Correction,
    DiceRolled,
    Moved,
    OrderChosen,
    PowerUsed,
    PutOff,
    TileShown,
)
from companion.engine.game import Game, Step
from companion.engine.loop import Outcome, run
from companion.engine.position import full_pool
from companion.engine.questions import Choice, Question, Roll
from companion.engine.registry import RULESETS
from companion.engine.values import (
    Borough,
    CardId,
    CardInPlay,
    Condition,
    Face,
    InPlay,
    Number,
    Seat,
    Stack,
    Token,
    TokenPile,
    Turn,
    Unit,
    UnitKind,
)
from tests.engine.consequences import check_all_consequences

NEW_YORK = "new-york"
TOKYO = "tokyo"

FACES = {
    "E": Face.ENERGY,
    "A": Face.ATTACK,
    "H": Face.HEAL,
    "D": Face.DESTRUCTION,
    "C": Face.CELEBRITY,
    "O": Face.OUCH,
    "1": Face.ONE,
    "2": Face.TWO,
    "3": Face.THREE,
}

PLACES = {
    NEW_YORK: ("brooklyn", "lower_2_4", "queens", "bronx", "staten_island", "queens"),
    TOKYO: ("outside", "tokyo_city", "outside", "outside", "outside", "outside"),
}
SHOPS = {
    NEW_YORK: ("towering_titan", "holland_tunnel", "yankee_stadium"),
    TOKYO: ("energize", "nova_breath", "frenzy"),
}

BUILDING_OF = {
    UnitKind.INFANTRY: "skyscraper_1",
    UnitKind.JET: "skyscraper_2",
    UnitKind.TANK: "skyscraper_3",
}
"""Whose back each Unit of a scene is."""

E = TypeVar("E", bound=Effect)

Changes = dict[int, dict[str, int | str | bool]]


def dice(letters: str) -> tuple[Face, ...]:
    """Return the faces for these letters: Energy, Attack, Heal, Destruction, Celebrity, Ouch, 1, 2,
    3.
    """
    return tuple(FACES[letter] for letter in letters)


@dataclass
class Table:
    """One game being played. Every event is checked: invariants after it, and what it changed.

    `since()` tells all that changed since the last look: seat -> number -> difference (or the new
    place, or alive False). A seat that is not named did not change.
    """

    game: Game
    performed: list[AnyEffect] = field(default_factory=list)
    log: list[AnyEvent] = field(default_factory=list)
    _looked: Game | None = None

    def __post_init__(self) -> None:
        self.start = self.game
        self._looked = self.game

    # -- what is there ------------------------------------------------------------------------

    @property
    def question(self) -> Question | None:
        return Position.of(self.game).question

    @property
    def asked(self) -> str:
        """The question and its seat: "roll@0"; "over" after the game."""
        asked = self.question
        return "over" if asked is None else f"{asked.key}@{asked.seat}"

    @property
    def open_roll(self) -> Roll:
        asked = self.question
        assert isinstance(asked, Roll), self.asked
        return asked

    @property
    def options(self) -> dict[str, str]:
        """The options of the open choice, each with the reason that bars it ("" for none)."""
        asked = self.question
        assert isinstance(asked, Choice), self.asked
        return {option.key: option.barred for option in asked.options}

    @property
    def open(self) -> list[str]:
        """The options that may be taken."""
        return [key for key, barred in self.options.items() if not barred]

    def stars(self, seat: int) -> int:
        return self.game.monsters[seat].stars

    def energy(self, seat: int) -> int:
        return self.game.monsters[seat].energy

    def health(self, seat: int) -> int:
        return self.game.monsters[seat].health

    def place(self, seat: int) -> str | None:
        return self.game.monsters[seat].place

    def cards(self, seat: int) -> list[str]:
        """Return the names of a Monster's cards, oldest first."""
        return [card.name for card in self.game.in_play.cards if card.owner == seat]

    def card(self, name: str, owner: int | None = None) -> CardInPlay:
        """The card of that name in front of a Monster, or for sale."""
        lying = (*self.game.in_play.cards, *self.game.in_play.shop)
        return next(
            card
            for card in lying
            if card is not None and card.name == name and owner in (None, card.owner)
        )

    def tokens(self, seat: int) -> dict[str, int]:
        piles = self.game.in_play.tokens
        return {pile.token.value: pile.count for pile in piles if pile.seat == seat}

    def shop(self) -> list[str | None]:
        return [None if card is None else card.name for card in self.game.in_play.shop]

    def borough(self, area: str) -> Borough:
        return next(b for b in self.game.boroughs if b.area == area)

    def tops(self, area: str) -> list[str | None]:
        return [stack.top for stack in self.borough(area).stacks]

    def units(self, area: str) -> list[str]:
        return [unit.kind.value for unit in self.borough(area).units]

    def offered(self, seat: int) -> list[str]:
        """Names of the powers a seat may use now."""
        return [offer.name for offer in Position.of(self.game).offers() if offer.seat == seat]

    def happened(self, *kinds: type[E]) -> list[E]:
        """Return the effects of these kinds since the last call of `since`."""
        return [effect for effect in self.performed if isinstance(effect, kinds)]

    def since(self) -> Changes:
        """Return all that changed since the last call."""
        assert self._looked is not None
        before, after = self._looked, self.game
        self._looked, self.performed = after, []
        changes: Changes = {}
        for old, new in zip(before.monsters, after.monsters, strict=True):
            row: dict[str, int | str | bool] = {
                what.value: getattr(new, what) - getattr(old, what)
                for what in Number
                if getattr(new, what) != getattr(old, what)
            }
            if new.place != old.place and new.place is not None:
                row["place"] = new.place
            if new.alive != old.alive:
                row["alive"] = new.alive
            if row:
                changes[new.seat] = row
        return changes

    # -- what happens -------------------------------------------------------------------------

    def apply(self, event: AnyEvent) -> Table:
        """Apply the event, after checking all consequences, and check the invariants after it."""
        check_all_consequences(self.game)
        return self._take(Position.of(self.game).apply(event), event)

    def _take(self, outcome: Outcome[Position], event: AnyEvent) -> Table:
        self.game = outcome.game
        self.performed += outcome.performed
        self.log.append(event)
        assert check(self.game) == (), f"after {event}"
        return self

    def roll(self, letters: str, rethrown: Sequence[int] = (), final: bool = True) -> Table:
        return self.apply(DiceRolled(dice(letters), tuple(rethrown), final))

    def order(self, letters: str) -> Table:
        return self.apply(OrderChosen(self.game.turn.active, dice(letters)))

    def choose(self, option: str, seat: int | None = None) -> Table:
        """Let the seat that is asked choose this option."""
        asked = self.question
        assert asked is not None
        return self.apply(Chosen(asked.seat if seat is None else Seat(seat), option))

    def power(self, name: str, seat: int) -> Table:
        """Let a seat use a power that is offered to it."""
        offer = next(o for o in Position.of(self.game).offers() if (o.seat, o.name) == (seat, name))
        return self.apply(PowerUsed(offer.seat, offer.ref))

    def buy(self, name: str) -> Table:
        return self.choose(f"buy_{self.card(name).id}")

    def first(self, name: str) -> Table:
        """Of several cards of the seat that is asked, this one comes first."""
        asked = self.question
        assert asked is not None
        return self.choose(f"card_{self.card(name, asked.seat).id}")

    def show(self, *names: str | None) -> Table:
        """Reveal these cards, one after the other, as they are asked for."""
        for name in names:
            self.apply(CardShown(name))
        return self

    def tile(self, *names: str | None) -> Table:
        """Name these buildings, one after the other, as they are asked for."""
        for name in names:
            self.apply(TileShown(name))
        return self

    def put_off(self) -> Table:
        return self.apply(PutOff())

    def smash(self, name: str) -> Table:
        """Destroy the building or Unit of that name in the active Monster's borough."""
        area = rules_of(self.game).area_of(self.place(self.game.turn.active))
        assert area is not None
        borough = self.borough(area)
        open_now = self.open
        keys = [f"stack_{s.id}" for s in borough.stacks if s.top == name]
        keys += [f"unit_{u.id}" for u in borough.units if u.kind == name]
        return self.choose(next(key for key in keys if key in open_now))

    def correct(self, seat: int, what: Number, value: int) -> Table:
        return self.apply(Corrected((Correction(Seat(seat), what, value),)))

    def put(self, seat: int, place: str) -> Table:
        return self.apply(Corrected(places=(Moved(Seat(seat), place),)))

    def refuses(self, event: AnyEvent) -> str:
        """The key of the refusal; nothing has changed."""
        before = Position.of(self.game).digest()
        try:
            Position.of(self.game).apply(event)
        except IllegalEvent as refusal:
            assert Position.of(self.game).digest() == before
            return refusal.key
        return "accepted"

    def end_turn(self) -> Table:
        """Nobody uses, buys or moves anything more; a turn's first roll is asked for."""
        quiet = {"move": "stay", "buy": "end", "last_word": "go"}
        while (asked := self.question) is not None and asked.key in quiet:
            self.choose(quiet[asked.key])
        assert asked is None or (asked.key == "roll" and not self.game.turn.faces), self.asked
        return self


# -- setting a table ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Scene:
    """A table as it stands when a turn begins; `begin` gives the first roll of that turn.

    Maps go from seat to value; what is not said is as after the set-up. `cards`: in front of
    Monsters, oldest first; `copies`: a card and the one it counts as; `tops`: by borough, the rest
    unknown; `units`: by borough, from an earlier turn; `under`: conditions of the turn that begins.
    """

    game: str = NEW_YORK
    players: int = 3
    active: int = 0
    at: tuple[str, ...] = ()
    health: Mapping[int, int] = field(default_factory=dict)
    stars: Mapping[int, int] = field(default_factory=dict)
    energy: Mapping[int, int] = field(default_factory=dict)
    cards: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    copies: Mapping[str, str] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    tokens: Mapping[int, Mapping[Token, int]] = field(default_factory=dict)
    under: Mapping[int, str] = field(default_factory=dict)
    goals: Mapping[str, int] = field(default_factory=dict)
    shop: tuple[str | None, ...] | None = None
    tops: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    units: Mapping[str, tuple[UnitKind, ...]] = field(default_factory=dict)
    edition: str = "first"
    house: tuple[str, ...] = ()

    def begin(self) -> Table:
        """The table at the turn's first roll; its start-of-turn income is part of `since()`."""
        game = new_game(
            Setup(self.game, self.players, Seat(self.active), self.edition, self.house)
        ).game
        game = self._tiles(self._dealt(self._monsters(game)))
        before = replace(game, turn=Turn(Seat((self.active - 1) % self.players), 3), agenda=())
        conditions = tuple(Condition(kind, Seat(s), 4) for s, kind in self.under.items())
        before = replace(before, in_play=replace(before.in_play, conditions=conditions))
        return after(before, BeginTurn(Seat(self.active)))

    def _monsters(self, game: Game) -> Game:
        places = self.at or PLACES[self.game]
        numbers = {"health": self.health, "stars": self.stars, "energy": self.energy}
        monsters = []
        for monster in game.monsters:
            seat = monster.seat
            mine = {what: by_seat[seat] for what, by_seat in numbers.items() if seat in by_seat}
            reached = 0 if mine.get("stars", 0) >= RULESETS[self.game].goal_stars else None
            monsters.append(replace(monster, place=places[seat], reached=reached, **mine))
        return replace(game, monsters=tuple(monsters))

    def _dealt(self, game: Game) -> Game:
        """Cards, goals and tokens where the scene wants them; the deck is without them."""
        ids, deck = iter(range(game.next_id, 1000)), list(game.deck)
        goals = [
            replace(goal, owner=Seat(self.goals.get(goal.name, goal.owner)))
            for goal in game.in_play.cards
        ]
        owned = [
            CardInPlay(CardId(next(ids)), name, Seat(seat), self.counters.get(name, 0))
            for seat, names in self.cards.items()
            for name in names
        ]
        by_name = {each.name: each.id for each in owned}
        owned = [
            replace(each, copies=by_name[self.copies[each.name]])
            if each.name in self.copies
            else each
            for each in owned
        ]
        shop = [
            None if name is None else CardInPlay(CardId(next(ids)), name)
            for name in (self.shop if self.shop is not None else SHOPS[self.game])
        ]
        for each in (*owned, *shop):
            if each is not None:
                deck.remove(each.name)
        piles = tuple(
            TokenPile(token, Seat(seat), count)
            for seat, mine in self.tokens.items()
            for token, count in mine.items()
        )
        in_play = InPlay(cards=(*goals, *owned), shop=tuple(shop), tokens=piles)
        return replace(
            game, in_play=in_play, deck=tuple(deck), next_id=next(ids), put_off=None in shop
        )

    def _tiles(self, game: Game) -> Game:
        """Known tops and Units; a Unit's tile has left its stack and the unseen ones."""
        pool, number, boroughs = list(full_pool(RULESETS[self.game])), game.next_id, []
        for borough in game.boroughs:
            stacks = list(borough.stacks)
            for i, name in enumerate(self.tops.get(borough.area, ())):
                pool.remove(name)
                stacks[i] = Stack(stacks[i].id, name, stacks[i].left)
            units = []
            for i, kind in enumerate(self.units.get(borough.area, ())):
                pool.remove(BUILDING_OF[kind])
                stack = stacks[-1 - i % 3]
                stacks[-1 - i % 3] = replace(stack, left=stack.left - 1)
                units.append(Unit(number, kind, 1))
                number += 1
            boroughs.append(Borough(borough.area, tuple(stacks), tuple(units)))
        return replace(game, boroughs=tuple(boroughs), tile_pool=tuple(pool), next_id=number)


def after(game: Game, *steps: Step) -> Table:
    """A table at that position after these steps happened, on top of whatever is open."""
    outcome = run(Position.of(replace(game, agenda=(*game.agenda, *reversed(steps)))))
    started = Table(game)
    started.game = outcome.game
    started.performed += outcome.performed
    assert check(started.game) == ()
    return started
