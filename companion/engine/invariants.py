"""What must hold in every position, and from one position to the next.

Names what does not, for tests, `simulate` and hand-written positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.engine.effects import (
    AnyEffect,
    BeginTurn,
    CardRevealed,
    Eliminate,
    TurnOver,
    TurnStarted,
)
from companion.engine.game import Game, Reaction
from companion.engine.known import unknown
from companion.engine.questions import Choice, Question
from companion.engine.resolution import Outcome, run
from companion.engine.setup import full_deck, full_pool, rules_of
from companion.engine.standing import Standing
from companion.engine.values import TABLE


def check(game: Game) -> tuple[str, ...]:
    """Each broken invariant as one line; nothing for a sound position."""
    strange = tuple(unknown(game))
    if strange:  # nothing else can be asked of such a position
        return strange
    now = Standing.of(game, rules_of(game))
    return (
        *_numbers(now),
        *_places(now),
        *_cards(now),
        *_tiles(now),
        *_question(now),
    )


_GAME = "@game"
"""How the source of what the game itself does ends."""


class Course:
    """What must hold on the way through one game; it is told of every event, in order.

    A turn has each of its phases once, and what asked a question and was answered does not ask it
    again: no number of a position shows either.
    """

    def __init__(self) -> None:
        self._had: set[tuple[type[AnyEffect], str]] = set()
        self._answered: list[Reaction] = []

    def follow(self, before: Game, outcome: Outcome) -> tuple[str, ...]:
        """What the event that led from `before` to this outcome broke, one line each."""
        return (*self._phases(outcome), *self._questions(before, outcome.game))

    def _phases(self, outcome: Outcome) -> Iterator[str]:
        """An ability may bring a phase forward; nothing brings it back."""
        seat = outcome.game.turn.active
        phases = {type(phase(seat)) for phase in rules_of(outcome.game).phases}
        for effect in outcome.performed:
            kind = type(effect)
            if isinstance(effect, BeginTurn):
                self._had.clear()
                self._answered.clear()
            elif kind in phases or isinstance(effect, TurnStarted | TurnOver):
                if {(kind, effect.source), (kind, _GAME)} & self._had:
                    yield f"{kind.__name__} again in turn {outcome.game.turn.number}"
                by_game = effect.source.endswith(_GAME)
                self._had.add((kind, _GAME if by_game else effect.source))

    def _questions(self, before: Game, after: Game) -> Iterator[str]:
        asked, asks = (game.agenda[-1:] for game in (before, after))
        for each in asked:
            if isinstance(each, Reaction) and not any(each is step for step in after.agenda):
                self._answered.append(each)
        for each in asks:
            if isinstance(each, Reaction) and any(_same(each, old) for old in self._answered):
                yield f"{each.ref} asks again about {each.effect}"


def _same(one: Reaction, other: Reaction) -> bool:
    """Whether it is the same ability, about the same happening; which of several abilities comes
    first is another question than what that one asks.
    """
    if (one.ref, one.chosen) != (other.ref, other.chosen):
        return False
    if isinstance(one.effect, CardRevealed) and isinstance(other.effect, CardRevealed):
        return one.effect.card == other.effect.card  # a card turns up once
    return one.effect is other.effect


def _numbers(now: Standing) -> Iterator[str]:
    for monster in now.game.monsters:
        seat = monster.seat
        if monster.alive and not 0 <= monster.health <= now.health_max(seat):
            yield f"seat {seat}: health {monster.health} of {now.health_max(seat)}"
        if monster.alive and monster.health == 0:
            yield f"seat {seat}: alive at 0 health"
        if not 0 <= monster.stars <= now.rules.goal_stars:
            yield f"seat {seat}: stars {monster.stars}"
        if monster.energy < 0:
            yield f"seat {seat}: energy {monster.energy}"
        if monster.alive and (monster.reached is not None) != (
            monster.stars >= now.rules.goal_stars
        ):
            yield f"seat {seat}: reached the goal and does not know"
        if not monster.alive:
            yield from _dead(now, seat)


def _dead(now: Standing, seat: int) -> Iterator[str]:
    monster = now.game.monsters[seat]
    in_play = now.game.in_play
    if monster.energy or monster.place is not None:
        yield f"seat {seat}: out of the game, yet with energy or a place"
    owned = (
        *(c.name for c in in_play.cards if c.owner == seat),
        *(p.token.value for p in in_play.tokens if p.seat == seat),
        *(c.kind for c in in_play.conditions if c.seat == seat),
        *("another turn" for e in now.game.extra if e.seat == seat),
    )
    for name in owned:
        yield f"seat {seat}: out of the game, yet owns {name}"


def _places(now: Standing) -> Iterator[str]:
    standing = Counter(m.place for m in now.game.monsters if m.place is not None)
    for name, count in standing.items():
        if count > now.rules.places[name].room:
            yield f"{name}: {count} Monsters"
    tracks = Counter(p.track for s in now.inside() if (p := now.place(s)) is not None)
    if any(count > 1 for count in tracks.values()):
        yield "two Monsters on one track"
    city = [p for s in now.inside() if (p := now.place(s)) is not None]
    leaving = any(
        isinstance(s, Reaction) and isinstance(s.effect, Eliminate) for s in now.game.agenda
    )
    if not leaving and any(not now.is_usable(place) for place in city):
        yield "a Monster on a space that left the game"


def _cards(now: Standing) -> Iterator[str]:
    game = now.game
    seen = (
        *game.deck,
        *game.discards,
        *(c.name for c in game.in_play.shop if c is not None),
        *(c.name for c in game.in_play.cards if c.name not in now.rules.goals),
    )
    if game.deck != tuple(sorted(game.deck)):
        yield "the unseen cards are not sorted"
    short = game.put_off and not game.deck  # the table said that the deck is empty
    there, box = Counter(seen), Counter(full_deck(now.rules))
    for name in dict.fromkeys((*there, *box)):
        if there[name] > box[name] or (there[name] < box[name] and not short):
            yield f"{name} is there {there[name]} times, in the box {box[name]}"
    ids = [c.id for c in (*game.in_play.cards, *game.in_play.shop) if c is not None]
    if len(set(ids)) != len(ids) or any(card >= game.next_id for card in ids):
        yield "two cards share an id, or one is still to be given (next_id)"
    for card in game.in_play.cards:
        if card.owner == TABLE and card.name not in now.rules.goals:
            yield f"nobody owns {card.name}"
        if card.copies is not None and now.card(card.copies) is None:
            yield f"{card.name} copies a card that is gone"


def _tiles(now: Standing) -> Iterator[str]:
    stacks = [s for b in now.game.boroughs for s in b.stacks]
    on_top = tuple(s.top for s in stacks if s.top is not None)
    smashed_or_unseen = Counter(full_pool(now.rules))
    smashed_or_unseen.subtract(on_top)
    smashed_or_unseen.subtract(now.game.tile_pool)
    if any(count < 0 for count in smashed_or_unseen.values()):
        yield "more tiles than the box holds"
    if any(s.left < 0 or (s.top is not None and not s.left) for s in stacks):
        yield "a stack with fewer than no tiles"


def _question(now: Standing) -> Iterator[str]:
    game = now.game
    asked: Question | None = run(game, now.rules).question
    if (game.ended is None) != (asked is not None):
        yield "an open game asks nothing, or an ended one asks"
    if asked is None:
        return
    if not game.agenda or not isinstance(game.agenda[-1], Reaction):
        yield "a question without its Reaction on top"
    if not now.is_alive(asked.seat):
        yield f"{asked.key} is asked of the dead"
    if isinstance(asked, Choice):
        keys = [option.key for option in asked.options]
        if len(set(keys)) != len(keys):
            yield f"{asked.key}: two options share a key"
        if not asked.open():
            yield f"{asked.key}: no way out"
