"""Simulation: random legal games, with dice, cards and tiles drawn from a random source."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from msgspec.structs import replace

from companion.engine import (
    AnyEvent,
    BuyCard,
    CardId,
    CardInPlay,
    CardKind,
    CardShown,
    Choice,
    Chosen,
    DiceRolled,
    Face,
    Game,
    Happening,
    IllegalEvent,
    InvariantTracker,
    Outcome,
    Position,
    PowerUsed,
    Reveal,
    Roll,
    Setup,
    TileShown,
    check,
    misexplained,
    new_game,
    rules_of,
)


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """How a random game is played and checked.

    `cards`: Keep cards that everyone starts with; `offers`: the probability of using a power;
    `checks`: check invariants after every event; `explain`: also ask after every event why each
    number is what it is.
    """

    cards: int = 0
    offers: float = 0.2
    checks: bool = True
    explain: bool = False
    most_events: int = 20_000


@dataclass(frozen=True, slots=True)
class GameResult:
    """A simulated game. `powers`: how many events used a power; `reason`: how it ended, or
    `broken`; `broken`: the invariants that failed; `dealt` and `bought`: by seat, the Keep cards at
    the start and the cards bought, in order.
    """

    events: int
    powers: int
    turns: int
    reason: str
    broken: tuple[str, ...]
    final: Game
    dealt: tuple[tuple[str, ...], ...]
    bought: tuple[tuple[str, ...], ...]


def random_event(position: Position, chance: Random, offered: float) -> AnyEvent:
    """Draw a legal event for a game that is not over; `offered`: the probability of using
    a power.
    """
    asked = position.question
    assert asked is not None  # somebody is asked until the game is over
    powers = position.offers() if offered else ()
    if powers and chance.random() < offered:
        power = chance.choice(powers)
        return PowerUsed(power.seat, power.ref)
    match asked:
        case Choice(seat=seat):
            return Chosen(seat, chance.choice(asked.open()).key)
        case Reveal(slot=slot, names=names):
            return (TileShown if slot is None else CardShown)(
                _random_name(position.game, names, chance, slot)
            )
        case Roll():
            return _random_throw(position, asked, chance)


def _random_name(game: Game, names: tuple[str, ...], chance: Random, slot: int | None) -> str:
    """Draw a card's or tile's name, weighted by its unseen copies."""
    unseen = game.tile_pool if slot is None else game.deck or game.discards
    may_be_said = frozenset(names)
    if not may_be_said.issuperset(unseen):
        unseen = tuple([name for name in unseen if name in may_be_said])
    return chance.choice(unseen or names)


def _random_throw(position: Position, roll: Roll, chance: Random) -> DiceRolled:
    """Draw a throw that can be paid for and includes any reroll that is owed."""
    faces, stops = position.rules.faces, chance.random() < 0.3
    if not roll.showing:
        thrown = tuple(chance.choices(faces, k=roll.dice))
        last = not (roll.main or roll.loose)
        return DiceRolled(thrown, final=last or (stops and roll.owed <= 1))
    again = tuple([i for i in roll.free if chance.random() < 0.5])
    price = position.rethrow_price(roll.seat, tuple([roll.showing[i] for i in again]))
    if price > position.purse(roll.seat):
        again = ()
    if roll.owed and not again:
        cheap = min(roll.free, key=lambda i: position.rethrow_price(roll.seat, (roll.showing[i],)))
        again = (cheap,)
    if not again:
        return DiceRolled(roll.showing, final=True)
    lying: list[Face] = list(roll.showing)
    for i in again:
        lying[i] = chance.choice(faces)
    return DiceRolled(tuple(lying), again, final=stops and roll.owed <= 1)


def deal_keep_cards(game: Game, cards: int, chance: Random) -> Game:
    """Return the game with `cards` Keep cards from the deck dealt to everyone, and 12
    energy each.
    """
    rules = rules_of(game)
    keeps = [
        n for n in game.deck if rules.cards[n].kind is CardKind.KEEP and rules.cards[n].finished
    ]
    chance.shuffle(keeps)
    given: list[CardInPlay] = []
    for monster in game.monsters:
        for _ in range(min(cards, len(keeps))):
            card = CardInPlay(CardId(game.next_id + len(given)), keeps.pop(), monster.seat)
            given.append(card)
    deck = list(game.deck)
    for card in given:
        deck.remove(card.name)
    return replace(
        game,
        in_play=replace(game.in_play, cards=(*game.in_play.cards, *given)),
        deck=tuple(deck),
        monsters=tuple(replace(m, energy=12) for m in game.monsters),
        next_id=game.next_id + len(given),
    )


def play_random(setup: Setup, chance: Random, options: SimulationOptions) -> GameResult:
    """Play a game of random legal events; stop at the first invariant that fails."""
    outcome = new_game(setup)
    if options.cards:
        outcome = Outcome(Position.of(deal_keep_cards(outcome.game, options.cards, chance)))
    events = powers = 0
    broken: tuple[str, ...] = ()
    start, happened, tracker = outcome.position, list[Happening](), InvariantTracker()
    bought: list[list[str]] = [[] for _ in outcome.game.monsters]
    while outcome.question is not None and events < options.most_events and not broken:
        before = outcome.position
        event = random_event(before, chance, options.offers)
        try:
            outcome = before.apply(event)
        except IllegalEvent as refused:
            broken = (f"{event} is refused: {refused.key}",)
            break
        events += 1
        powers += isinstance(event, PowerUsed)
        for effect in outcome.performed:
            if isinstance(effect, BuyCard):
                bought[effect.seat].append(effect.name)
        if options.explain:
            happened.append(Happening(events, before, outcome))
        if options.checks:
            broken = (*check(outcome.game), *tracker.follow(before.game, outcome))
    if options.explain:
        broken = broken or misexplained(start, happened)
    ended = outcome.game.ended
    if ended is None and not broken:
        broken = ("stuck",)
    reason = ended.reason if ended is not None and not broken else "broken"
    return GameResult(
        events,
        powers,
        outcome.game.turn.number,
        reason,
        broken,
        outcome.game,
        _cards_of_each(start.game),
        tuple(map(tuple, bought)),
    )


def _cards_of_each(game: Game) -> tuple[tuple[str, ...], ...]:
    """Return the names of the cards before each seat."""
    return tuple(
        tuple(card.name for card in game.in_play.cards if card.owner == monster.seat)
        for monster in game.monsters
    )
