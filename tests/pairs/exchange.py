"""Exchange symmetry: within one packet or one special throw it does not matter which of two seats
has a card and which its copy.

The positions are compared until that group is resolved. Positions are not drawn in which a card's
cost, its leaving play (TK-16.9) or the copier's own offer decides: nothing is bought, no turn
begins, and nobody is asked or hurt once one of the two cards has left.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from msgspec.structs import replace

from companion.engine import (
    RULESETS,
    AnyEffect,
    CardId,
    CardKind,
    Choice,
    Damage,
    Face,
    Game,
    Outcome,
    Position,
    Quantity,
    Question,
    Reveal,
    Roll,
    Seat,
    rules_of,
)
from companion.engine.authoring import (
    CardLeft,
    Modifies,
    ResolveFace,
    RethrowDie,
    Step,
    Together,
    run,
)
from companion.virtual import random_event
from tests.engine.tables import TOKYO
from tests.pairs.drawn import MIMIC, OFFERED, Pair, scene

MOST_EVENTS = 60
PROBE = "psychic_probe"


@dataclass(frozen=True)
class Twins:
    """A position in which a group is about to be resolved, and the same with the card and its copy
    exchanged.
    """

    here: Game
    there: Game
    card: str
    ids: tuple[CardId, CardId]
    seed: str

    def __str__(self) -> str:
        (step,) = self.here.agenda
        return f"seed {self.seed}, {self.card}, {step}"


def positions(seed: int, pairs: Sequence[Pair]) -> Iterator[Twins]:
    """Yield positions without end, each with one of the pairs in turn."""
    for number in count():
        twins = drawn(f"{seed}/exchange/{number}", pairs[number % len(pairs)])
        if twins is not None:
            yield twins


def drawn(seed: str, pair: Pair) -> Twins | None:
    """Draw a position with a Keep card of the pair before one seat, and its copy before another;
    None if neither card of the pair stays with its owner.
    """
    chance = Random(seed)
    cards = RULESETS[TOKYO].cards
    keeps = [n for n in pair if cards[n].kind is CardKind.KEEP and not cards[n].copier]
    if not keeps:
        return None
    card = chance.choice(keeps)
    table = scene(TOKYO, pair, chance)
    hands = {seat: [n for n in hand if n != MIMIC] for seat, hand in table.cards.items()}
    owner = next((seat for seat, hand in hands.items() if card in hand), None)
    if owner is None:
        return None
    if MIMIC in (table.shop or ()):
        return None
    other = chance.choice([seat for seat in hands if seat != owner])
    hands[other].append(MIMIC)
    held = {seat: tuple(hand) for seat, hand in hands.items()}
    counters = {**table.counters, MIMIC: table.counters.get(card, 0)}
    game = (
        dataclasses.replace(table, cards=held, copies={MIMIC: card}, counters=counters).begin().game
    )
    there = {each.name: each.id for each in game.in_play.cards}
    if not {card, MIMIC} <= there.keys():  # the start of the turn discarded it
        return None
    one, two = there[card], there[MIMIC]
    here = _before_a_group(game, chance)
    return Twins(here, exchanged(here, one, two), card, (one, two), seed)


def exchanged(game: Game, one: CardId, two: CardId) -> Game:
    """Exchange the card `one` and its copy `two`: the ids stay in place, so that every event and
    ability has the same name in both positions.
    """
    original = next(card for card in game.in_play.cards if card.id == one)
    copy = next(card for card in game.in_play.cards if card.id == two)
    turned = {
        one: replace(original, name=copy.name, copies=two),
        two: replace(copy, name=original.name, copies=None),
    }
    cards = tuple(turned.get(card.id, card) for card in game.in_play.cards)
    return replace(game, in_play=replace(game.in_play, cards=cards))


# -- what is about to happen ----------------------------------------------------------------------


def _before_a_group(game: Game, chance: Random) -> Game:
    """Make the dice final, with nothing on the agenda but one group, packet or throw."""
    faces = tuple(chance.choices(rules_of(game).faces, k=max(1, game.turn.dice)))
    turn = replace(game.turn, faces=faces, dice=len(faces), final=True)
    step, resolved = _group(game, faces, chance)
    return replace(game, turn=replace(turn, resolved=resolved), agenda=(step,))


def _group(game: Game, faces: tuple[Face, ...], chance: Random) -> tuple[Step, tuple[Face, ...]]:
    """Draw a group of the roll, damage by a card, or a die that Psychic Probe has rerolled."""
    seat, count = game.turn.active, len(game.monsters)
    what = chance.random()
    if what < 0.5:
        amount = chance.choice((1, 1, 2, 3, 4, 6))
        return ResolveFace(seat, amount, Face.ATTACK), (Face.ATTACK,)
    if what < 0.6:
        face = chance.choice([face for face in rules_of(game).faces if face is not Face.ATTACK])
        return ResolveFace(seat, chance.randint(1, 6), face), (face,)
    probes = [card for card in game.in_play.cards if card.name == PROBE and card.owner != seat]
    if what < 0.7 and probes:
        die = chance.randrange(len(faces))
        return RethrowDie(seat, die, probes[0].owner, probes[0].id), ()
    amount = chance.choice((1, 2, 3, 3, 9))
    hit = [Seat((seat + k) % count) for k in range(chance.choice((0, 1)), count)]
    return Together(tuple(Damage(each, amount, seat) for each in hit)), tuple(rules_of(game).faces)


# -- both played ----------------------------------------------------------------------------------


def difference(twins: Twins) -> str | None:
    """Return the difference after the group with the card and its copy exchanged; "" if there is
    none, None if the leaving of one of them decides: such a position is not drawn.
    """
    chance = Random(twins.seed)
    here, there = (run(Position.of(game)) for game in (twins.here, twins.there))
    happened: tuple[list[AnyEffect], list[AnyEffect]] = ([], [])
    for number in range(MOST_EVENTS):
        for before, outcome in zip(happened, (here, there), strict=True):
            before += outcome.performed
            if _leaving_decides(twins, before, outcome.question):
                return None
        wrong = _unlike(twins, here, there)
        if wrong:
            return f"after {number} events: {wrong}"
        if here.question is None:
            return ""
        event = random_event(Position.of(here.game), chance, OFFERED)
        here, there = (outcome.position.apply(event) for outcome in (here, there))
    return ""


def _leaving_decides(twins: Twins, happened: list[AnyEffect], asked: Question | None) -> bool:
    """Return whether one of the two cards has left, and somebody is asked, hurt, or loses something
    because of that. Checked in both positions: damage that the card prevents in one happens in the
    other alone.
    """
    left = next(
        (
            at
            for at, effect in enumerate(happened)
            if isinstance(effect, CardLeft) and effect.card in twins.ids
        ),
        None,
    )
    if left is None:
        return False
    card = RULESETS[TOKYO].cards[twins.card]
    changes_the_maximum = any(
        isinstance(ability, Modifies) and ability.quantity is Quantity.HEALTH_MAX
        for ability in card.abilities
    )
    later = any(isinstance(effect, Damage) for effect in happened[left:])
    return asked is not None or later or card.leaving is not None or changes_the_maximum


def _unlike(twins: Twins, here: Outcome[Position], there: Outcome[Position]) -> str:
    """Return the difference apart from which is the card and which the copy."""
    one, other = (_shown(twins, outcome) for outcome in (here, there))
    return next((f"{a} is not {b}" for a, b in zip(one, other, strict=True) if a != b), "")


def _shown(twins: Twins, outcome: Outcome[Position]) -> tuple[object, ...]:
    """Return everything except which is the card and which the copy; tokens on one go when the
    other leaves.
    """
    game, asked = outcome.game, outcome.question
    both = sum(card.id in twins.ids for card in game.in_play.cards) == len(twins.ids)
    cards = tuple(
        (card.id, card.owner)
        if card.id in twins.ids and not both
        else (card.id, card.owner, card.counters, "" if card.id in twins.ids else card.name)
        for card in game.in_play.cards
    )
    question = () if asked is None else (asked.key, asked.seat, _ways(asked))
    return (
        question,
        *(replace(each, reached=each.reached is not None) for each in game.monsters),
        game.turn,
        game.in_play.tokens,
        game.in_play.conditions,
        cards,
        game.extra,
        game.ended,
    )


def _ways(asked: Question) -> tuple[object, ...]:
    match asked:
        case Choice(options=options):
            return tuple((option.key, option.barred) for option in options)
        case Roll():
            return (asked.dice, asked.showing, asked.free, asked.loose)
        case Reveal(names=names):
            return names
