"""Dangling references: names, seats, ids and abilities in a position that its game does not have.

A position with one cannot be computed with; every other check needs it to have none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from msgspec import UNSET

from companion.engine.abilities import Ability, Instead, Whenever
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.cards import TakeGoal
from companion.engine.effects.sources import Ref
from companion.engine.events import IllegalEvent
from companion.engine.game import AnyStep, Game, Part, Reaction, Together
from companion.engine.registry import rules_of
from companion.engine.ruleset import Ruleset
from companion.engine.values import (
    TABLE,
    Borough,
    CardInPlay,
    Condition,
    Ended,
    ExtraTurn,
    Monster,
    Stack,
    Tally,
    TokenPile,
    Turn,
    Value,
)

_FEW: Final = 20
"""How many names are listed whole."""

_NAMES: Final[Mapping[type, Mapping[str, str]]] = {
    Game: {"deck": "card", "discards": "card", "tile_pool": "tile"},
    Monster: {"name": "monster", "place": "place"},
    Turn: {
        "active": "seat", "follows": "seat", "faces": "face", "added": "face", "order": "face",
        "resolved": "face", "spent": "thrown",
    },
    Tally: {"by": "owner", "seat": "owner"},
    CardInPlay: {"name": "card", "owner": "owner"},
    TokenPile: {"token": "token", "seat": "seat"},
    Condition: {"kind": "condition", "seat": "seat"},
    ExtraTurn: {"seat": "seat", "condition": "condition or none"},
    Borough: {"area": "area"},
    Stack: {"top": "tile"},
    Ended: {"winners": "seat"},
    Reaction: {"lying": "face"},
}  # fmt: skip
"""What the fields of each part of a position name."""
_NAMES_OF_EFFECTS: Final[Mapping[str, str]] = {
    "seat": "seat", "dealer": "owner", "to": "owner", "by": "owner", "given": "seat",
    "face": "face", "faces": "face", "into": "face", "die": "die", "area": "area or none",
    "place": "place", "token": "token", "stack": "stack", "unit": "unit", "slot": "slot",
    "condition": "condition or none", "name": "card or tile", "shown": "card", "used_up": "area",
}  # fmt: skip
"""The same of every effect."""


def dangling_references(game: Game) -> Iterator[str]:
    """Yield each name, seat, id or ability that the game does not have, as one sentence. A position
    with one cannot be computed with; every other check needs it to have none.
    """
    try:
        rules = rules_of(game)
    except IllegalEvent:
        house = ", ".join(game.house) or "none"
        yield f"rules: no {game.rules}, edition {game.edition}, house rules {house}"
        return
    players, seats = len(game.monsters), [m.seat for m in game.monsters]
    if not 1 <= players <= rules.players_max:
        least, most = rules.players_min, rules.players_max
        yield f"monsters: {players} Monsters; this box is for {least} to {most}"
        return
    if seats != list(range(players)):
        at, seat = next((at, seat) for at, seat in enumerate(seats) if at != seat)
        yield f"monsters: seat is {seat}, not {at}: they stand in order, counted from 0"
        return
    areas, known = [borough.area for borough in game.boroughs], _known(game, rules)
    if len(areas) != len(set(areas)) or set(areas) < set(rules.areas):
        yield f"boroughs: area is {', '.join(areas)}, not each of {', '.join(rules.areas)} once"
    for where, part in _parts(game):
        for field, kind in _names_in(type(part)):
            value, names = getattr(part, field), known[kind]
            for each in value if type(value) is tuple else (value,):
                if each not in names and each is not None and each is not UNSET:
                    yield f"{where}{field} is {shown(each)}, not {_nearest(each, names)}"
    for at, step in enumerate(game.agenda):
        if isinstance(step, Reaction):
            yield from (f"agenda[{at}]: {line}" for line in _answers(rules, step))
    for effect in coming(game, TakeGoal):
        if effect.card not in {card.id for card in game.in_play.cards}:
            yield f"agenda: {effect.tag()}: card is {effect.card}, not one in play"


def _parts(game: Game) -> Iterator[tuple[str, Value]]:
    """Yield every part of a position that names something, and where it is."""
    in_play = game.in_play
    yield "", game
    yield "turn: ", game.turn
    yield from (("turn: tally: ", row) for row in game.turn.tally)
    yield from ((f"seat {monster.seat}: ", monster) for monster in game.monsters)
    yield from (("cards: ", card) for card in in_play.cards)
    yield from (("shop: ", card) for card in in_play.shop if card is not None)
    yield from (("tokens: ", pile) for pile in in_play.tokens)
    yield from (("conditions: ", condition) for condition in in_play.conditions)
    yield from (("extra: ", turn) for turn in game.extra)
    for borough in game.boroughs:
        yield "boroughs: ", borough
        yield from ((f"{borough.area}: ", stack) for stack in borough.stacks)
    if game.ended is not None:
        yield "ended: ", game.ended
    for at, step in enumerate(game.agenda):
        if isinstance(step, Reaction):
            yield f"agenda[{at}]: ", step
        yield from ((f"agenda[{at}]: {effect.tag()}: ", effect) for effect in effects_of(step))


@lru_cache(maxsize=256)
def _names_in(part: type[Value]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a part that name something, each with what."""
    named = _NAMES_OF_EFFECTS if issubclass(part, Effect) else _NAMES[part]
    return tuple((field, named[field]) for field in part.__struct_fields__ if field in named)


def _known(game: Game, rules: Ruleset) -> dict[str, Collection[object]]:
    """Return what there is of each kind that a field may name."""
    players = len(game.monsters)
    return {
        "seat": range(players),
        "owner": range(TABLE, players),
        "thrown": range(len(game.turn.faces)),
        "slot": range(len(game.in_play.shop)),
        "stack": frozenset(s.id for b in game.boroughs for s in b.stacks),
        "unit": frozenset(u.id for b in game.boroughs for u in b.units),
        **_printed(rules),
    }


@lru_cache(maxsize=64)
def _printed(rules: Ruleset) -> Mapping[str, Collection[object]]:
    """The same of what every game of these rules has."""
    return {
        "face": rules.faces,
        "die": range(rules.dice_max),
        "card": rules.cards,
        "tile": rules.tiles,
        "card or tile": dict.fromkeys(("", *rules.cards, *rules.tiles)),
        "place": rules.places,
        "token": rules.tokens,
        "condition": rules.conditions,
        "condition or none": ("", *rules.conditions),
        "area": rules.areas,
        "area or none": ("", *rules.areas),
        "monster": rules.monsters,
    }


def _nearest(name: object, known: Collection[object]) -> str:
    """Suggest what was meant: the nearest names, or all of a few."""
    if isinstance(known, range):
        return f"{known[0]} to {known[-1]}" if known else "there: no die is"
    few = len(known) <= _FEW
    near = [*known] if few else get_close_matches(str(name), map(str, known))
    return listed(near) if few or near else f"one of {len(known)} others"


def _answers(rules: Ruleset, step: Reaction) -> Iterator[str]:
    """Check that some carrier of the game may have this ability, and that it answers the effect."""
    ref, kind = Ref.read(step.ref), Instead if step.instead else Whenever
    answered = _abilities(rules).get((ref.kind, ref.ability, kind)) if ref else None
    if answered is None:
        when = "before (instead is true)" if step.instead else "after (instead is false)"
        yield f"ref: no ability {step.ref} that answers {when} an effect"
    elif type(step.effect) not in answered:
        wanted = " or ".join(sorted(each.tag() for each in answered))
        yield f"effect: {step.ref} answers {wanted}, not {step.effect.tag()}"


@lru_cache(maxsize=64)
def _abilities(rules: Ruleset) -> Mapping[tuple[str, str, type[Ability]], frozenset[type[Effect]]]:
    """Return the effects that each ability answers, by its carrier's kind, its name and its own
    kind.
    """
    found: dict[tuple[str, str, type[Ability]], frozenset[type[Effect]]] = {}
    for carrier, tables in _carried(rules).items():
        for ability in chain.from_iterable(tables):
            if isinstance(ability, Instead | Whenever):
                key = (carrier, ability.name, type(ability))
                found[key] = found.get(key, frozenset()) | {ability.on}
    return found


@lru_cache(maxsize=64)
def words(rules: Ruleset) -> frozenset[str]:
    """Return the names of all abilities of a game, and its own words for marks."""
    tables = chain.from_iterable(_carried(rules).values())
    return rules.marks | {ability.name for ability in chain.from_iterable(tables)}


def _carried(rules: Ruleset) -> Mapping[str, Iterable[tuple[Ability, ...]]]:
    """Return all abilities of a game by the kind of their carrier."""
    return {
        "game": (rules.abilities,),
        "card": (card.abilities for card in rules.cards.values()),
        "token": rules.tokens.values(),
        "condition": rules.conditions.values(),
    }


# -- sentences and steps --------------------------------------------------------------------------


def shown(value: object) -> str:
    """Write a value as JSON does, words without quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def listed(words: Collection[object]) -> str:
    """List the right values for a sentence."""
    if not words:
        return "there: this game has none"
    return ("one of " if len(words) > 1 else "") + ", ".join(map(shown, words))


def effects_of(step: AnyStep) -> tuple[AnyEffect, ...]:
    """Return the effects in a step of the agenda."""
    if isinstance(step, Together):
        return (*step.waiting, *step.ready, *step.first)
    return (step.effect,) if isinstance(step, Part | Reaction) else (step,)


def coming(game: Game, *kinds: type[Effect]) -> Iterator[Any]:
    """Yield all effects of these kinds on the agenda, from the bottom up."""
    for step in game.agenda:
        yield from (effect for effect in effects_of(step) if isinstance(effect, kinds))
