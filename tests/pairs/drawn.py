"""Random positions at a turn's first roll: two to four cards for each Monster, two of them given.

The same seed gives the same position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from companion.engine import EDITIONS, RULESETS, CardKind, Game, Ruleset, Token, UnitKind
from tests.engine.tables import NEW_YORK, TOKYO, Scene

Pair = tuple[str, str]

OFFERED = 0.4
"""How likely a power that is offered is used."""
MIMIC = "mimic"

_COUNTERS = {"smoke_cloud": (1, 3), "monster_batteries": (2, 6), "carapace": (0, 4)}
_ENERGY, _HEALTH, _STARS = 12, 10, 19


@dataclass(frozen=True)
class Drawn:
    """A position at a turn's first roll, and the pair that it was drawn for."""

    game: Game
    seed: str
    pair: Pair

    def __str__(self) -> str:
        hands = {
            monster.seat: [c.name for c in self.game.in_play.cards if c.owner == monster.seat]
            for monster in self.game.monsters
        }
        return f"seed {self.seed}, {' and '.join(self.pair)}, {hands}"


def positions(game: str, seed: int, pairs: Sequence[Pair]) -> Iterator[Drawn]:
    """Yield positions of a game without end, each with one of the pairs in turn."""
    for number in count():
        pair, name = pairs[number % len(pairs)], f"{seed}/{game}/{number}"
        yield Drawn(scene(game, pair, Random(name)).begin().game, name, pair)


def scene(game: str, pair: Pair, chance: Random) -> Scene:
    """Draw a table with those two cards in play or for sale, all else at random."""
    rules = _edition(game, chance)
    players = chance.randint(2, 6)
    active = chance.randrange(players)
    hands, shop = dealt(rules, players, pair, chance)
    energy = {seat: chance.randint(0, _ENERGY) for seat in range(players)}
    if not shop.isdisjoint(pair):
        energy[active] = chance.randint(_ENERGY, 2 * _ENERGY)
    frail = chance.choice((3, _HEALTH, _HEALTH))
    wares = [name for name in rules.cards if _is_spare(rules, name, hands, shop)]
    return Scene(
        game,
        players,
        active,
        places(game, players, chance),
        health={seat: chance.randint(1, frail) for seat in range(players)},
        stars={seat: chance.randint(0, _STARS) for seat in range(players)},
        energy=energy,
        cards=hands,
        copies=copies(rules, hands, pair, chance),
        counters={name: chance.randint(*bounds) for name, bounds in _COUNTERS.items()},
        tokens=tokens(rules, players, chance),
        goals={goal: chance.randrange(-1, players) for goal in rules.goals},
        shop=(*sorted(shop), *chance.sample(wares, 3 - len(shop))),
        tops=_tops(rules, chance),
        units=_units(rules, chance),
        edition=rules.edition,
    )


def _edition(game: str, chance: Random) -> Ruleset:
    """Draw an edition, mostly the usual one."""
    usual = RULESETS[game]
    year = usual.editions[-1] if chance.random() < 0.25 else usual.edition
    return EDITIONS[game, year]


def _is_spare(
    rules: Ruleset, name: str, hands: Mapping[int, tuple[str, ...]], shop: set[str]
) -> bool:
    taken = name in shop or any(name in hand for hand in hands.values())
    return not taken and rules.cards[name].kind is not CardKind.GOAL


def dealt(
    rules: Ruleset, players: int, pair: Pair, chance: Random
) -> tuple[dict[int, tuple[str, ...]], set[str]]:
    """Draw two to four Keep cards for each Monster, and the cards of the pair for sale."""
    keeps = [card.name for card in rules.cards.values() if card.kind is CardKind.KEEP]
    wanted = [name for name in dict.fromkeys(pair) if name in keeps]
    twin = pair[0] == pair[1]
    if twin and MIMIC in keeps and pair[0] != MIMIC:
        wanted.append(MIMIC)
    rest = [name for name in keeps if name not in wanted]
    chance.shuffle(rest)
    sizes = [chance.randint(2, 4) for _ in range(players)]
    hands: dict[int, list[str]] = {seat: [] for seat in range(players)}
    for name in wanted:
        seat = chance.choice([s for s in hands if len(hands[s]) < sizes[s]])
        hands[seat].append(name)
    for seat, hand in hands.items():
        while len(hand) < sizes[seat]:
            hand.append(rest.pop())
        chance.shuffle(hand)
    shop = {name for name in pair if rules.cards[name].kind is CardKind.DISCARD}
    return {seat: tuple(hand) for seat, hand in hands.items()}, shop


def copies(
    rules: Ruleset, hands: Mapping[int, tuple[str, ...]], pair: Pair, chance: Random
) -> dict[str, str]:
    """Draw the card that a copier counts as, if it does."""
    names = [name for hand in hands.values() for name in hand if not rules.cards[name].copier]
    copier = next((n for hand in hands.values() for n in hand if rules.cards[n].copier), None)
    if copier is None or not names:
        return {}
    if pair[0] == pair[1] and pair[0] in names:
        return {copier: pair[0]}
    return {copier: chance.choice(names)} if chance.random() < 0.8 else {}


def places(game: str, players: int, chance: Random) -> tuple[str, ...]:
    """Draw the Monsters' places."""
    if game == TOKYO:
        at = ["outside"] * players
        inside = [
            place
            for place in ("tokyo_city", "tokyo_bay")[: 2 if players >= 5 else 1]
            if chance.random() < 0.8
        ]
    else:
        outer = ["staten_island", "bronx", "queens", "brooklyn"] * 2
        at = chance.sample(outer, players)
        zones = ("lower", "midtown", "upper")
        tracks = ("2_4", "5_6")[
            : chance.choice((0, 1, 1, 2)) if players >= 5 else chance.choice((0, 1, 1))
        ]
        inside = [f"{chance.choice(zones)}_{track}" for track in tracks]
    for seat, place in zip(chance.sample(range(players), len(inside)), inside, strict=True):
        at[seat] = place
    return tuple(at)


def tokens(rules: Ruleset, players: int, chance: Random) -> dict[int, dict[Token, int]]:
    """Draw a few tokens, in their order."""
    found: dict[int, dict[Token, int]] = {}
    for seat in range(players):
        mine = {t: chance.randint(1, 3) for t in sorted(rules.tokens) if chance.random() < 0.15}
        if mine:
            found[seat] = mine
    return found


def _tops(rules: Ruleset, chance: Random) -> dict[str, tuple[str, ...]]:
    """Draw tops of stacks, at most as many of each tile as the box has besides those of
    the Units.
    """
    left = {"skyscraper_1": 8, "skyscraper_2": 8, "hospital_2": 3, "power_plant_2": 3}
    found: dict[str, tuple[str, ...]] = {}
    for area in rules.areas:
        tops = chance.sample([n for n in left for _ in range(left[n])], chance.randint(0, 3))
        found[area] = tuple(tops)
        for name in tops:
            left[name] -= 1
    return found


def _units(rules: Ruleset, chance: Random) -> dict[str, tuple[UnitKind, ...]]:
    """Draw Units, few enough for the box with any tops."""
    if rules.name != NEW_YORK:
        return {}
    return {
        area: (UnitKind.INFANTRY,) * chance.choice((0, 0, 1, 2, 3)) for area in rules.areas[:3]
    } | {rules.areas[-1]: (UnitKind.INFANTRY,) * chance.randint(0, 2)}
