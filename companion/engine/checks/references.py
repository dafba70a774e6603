"""Dangling references: names, seats, ids and abilities in a position that its game does not have.

A position with one cannot be computed with; every other check needs it to have none.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

from msgspec import UNSET

from companion.engine.abilities import Ability, Instead, Whenever
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.cards import TakeGoal
from companion.engine.effects.sources import Ref
from companion.engine.effects.turn import ShareHearts
from companion.engine.events import IllegalEvent
from companion.engine.game import AnyStep, Game, Part, Reaction, Together
from companion.engine.games.registry import rules_of
from companion.engine.ruleset import Ruleset
from companion.engine.values import TABLE, Face

Known = Mapping[str, Container[object]]
_SEATS: Final = frozenset({"seat", "dealer", "to", "by"})
_FACES: Final = frozenset({"face", "faces", "into"})
_EMPTY: Final = '""'
_FEW: Final = 20
"""How many names are listed whole."""


def dangling_references(game: Game) -> Iterator[str]:
    """Yield each name, seat or id that the game does not have, as one sentence."""
    try:
        rules = rules_of(game)
    except IllegalEvent:
        house = ", ".join(game.house) or "none"
        yield f"rules: no {game.rules}, edition {game.edition}, house rules {house}"
        return
    players, seats = len(game.monsters), [m.seat for m in game.monsters]
    if not 1 <= players <= rules.players_max:
        yield (
            f"monsters: {players} Monsters; this box is for "
            f"{rules.players_min} to {rules.players_max}"
        )
        return
    if seats != list(range(players)):
        at, seat = next((at, seat) for at, seat in enumerate(seats) if at != seat)
        yield f"monsters: seat is {seat}, not {at}: they stand in order, counted from 0"
        return
    yield from _names(game, rules)
    yield from _faces(game, rules)
    yield from _seats(game)
    known = _known(game, rules)
    for at, step in enumerate(game.agenda):
        for line in _step(game, rules, known, step):
            yield f"agenda[{at}]: {line}"


def _names(game: Game, rules: Ruleset) -> Iterator[str]:
    """Yield a sentence for each name that the game does not have, and for missing boroughs."""
    known: dict[str, Iterable[str]] = {
        "card": rules.cards,
        "tile": rules.tiles,
        "place": rules.places,
        "token": rules.tokens,
        "condition": rules.conditions,
        "borough": rules.areas,
        "Monster": rules.monsters,
    }
    sets = {kind: set(names) for kind, names in known.items()}
    for kind, where, names in _named(game):
        if not sets[kind].issuperset(names):
            for name in dict.fromkeys(each for each in names if each not in sets[kind]):
                yield f"{where}: no {kind} {name or _EMPTY}; {_nearest(name, known[kind])}"
    areas = [b.area for b in game.boroughs]
    if len(areas) != len(set(areas)) or set(areas) < set(rules.areas):
        yield f"boroughs: area is {', '.join(areas)}, not each of {', '.join(rules.areas)} once"


def _named(game: Game) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield what a position names: the kind, the field, the names."""
    in_play = game.in_play
    yield "card", "deck: name", game.deck
    yield "card", "discards: name", game.discards
    yield "card", "cards: name", [card.name for card in in_play.cards]
    yield "card", "shop: name", [card.name for card in in_play.shop if card is not None]
    yield "tile", "tile_pool", game.tile_pool
    for borough in game.boroughs:
        tops = [stack.top for stack in borough.stacks if stack.top is not None]
        yield "tile", f"{borough.area}: top", tops
    for monster in game.monsters:
        if monster.name is not UNSET:
            yield "Monster", f"seat {monster.seat}: name", (monster.name,)
        if monster.place is not None:
            yield "place", f"seat {monster.seat}: place", (monster.place,)
    yield "token", "tokens: token", [str(pile.token) for pile in in_play.tokens]
    yield "condition", "conditions: kind", [held.kind for held in in_play.conditions]
    yield "condition", "extra: condition", [e.condition for e in game.extra if e.condition]
    yield "borough", "boroughs: area", [borough.area for borough in game.boroughs]


def _nearest(name: str, known: Iterable[str]) -> str:
    """Suggest what was meant: the nearest names, or all of a few."""
    names = [str(each) for each in known]
    near = names if len(names) <= _FEW else get_close_matches(name, names)
    return f"there is {', '.join(near)}" if near else f"there are {len(names)} others"


def _faces(game: Game, rules: Ruleset) -> Iterator[str]:
    turn = game.turn
    for field in ("faces", "added", "order", "resolved"):
        for face in dict.fromkeys(getattr(turn, field)):
            if face not in rules.faces:
                yield f"turn: {field}: these dice have no {face}; there is {', '.join(rules.faces)}"
    for die in turn.spent:
        if not 0 <= die < len(turn.faces):
            yield f"turn: spent: no die {die}; {len(turn.faces)} lie there, counted from 0"


def _seats(game: Game) -> Iterator[str]:
    """Yield a sentence for each seat that nobody sits in."""
    in_play, turn = game.in_play, game.turn
    owners = [card.owner for card in in_play.cards if card.owner != TABLE]
    tally = [t for t in turn.tally if t.by != TABLE]
    ended = game.ended.winners if game.ended is not None else ()
    for where, seats in (
        ("turn: active", (turn.active,)),
        ("turn: follows", () if turn.follows is None else (turn.follows,)),
        ("turn: tally: by", (t.by for t in tally)),
        ("turn: tally: seat", (t.seat for t in turn.tally if t.seat != TABLE)),
        ("cards: owner", owners),
        ("tokens: seat", (p.seat for p in in_play.tokens)),
        ("conditions: seat", (c.seat for c in in_play.conditions)),
        ("extra: seat", (e.seat for e in game.extra)),
        ("ended: winners", ended),
    ):
        last = len(game.monsters) - 1
        yield from (
            f"{where}: no seat {seat}; there is 0 to {last}"
            for seat in seats
            if not _is_seat(game, seat)
        )
    for card in in_play.shop:
        if card is not None and card.owner != TABLE:
            yield f"shop: owner of {card.name} is {card.owner}, not {TABLE} while it is for sale"


def _is_seat(game: Game, seat: int) -> bool:
    return 0 <= seat < len(game.monsters)


def _known(game: Game, rules: Ruleset) -> Known:
    """Return the names that each field of an effect may have."""
    return {
        "area": frozenset(("", *rules.areas)),
        "place": rules.places.keys(),
        "token": rules.tokens.keys(),
        "stack": frozenset(s.id for b in game.boroughs for s in b.stacks),
        "unit": frozenset(u.id for b in game.boroughs for u in b.units),
        "die": range(rules.dice_max),
        "slot": range(len(game.in_play.shop)),
        "condition": frozenset(("", *rules.conditions)),
        "name": frozenset(("", *rules.cards, *rules.tiles)),
        "shown": frozenset((UNSET, *rules.cards)),
    }


def _step(game: Game, rules: Ruleset, known: Known, step: AnyStep) -> Iterator[str]:
    """Yield a sentence for each unknown ability, face or name in a step of the agenda."""
    effects: tuple[AnyEffect, ...]
    match step:
        case Together(waiting=waiting, ready=ready, first=first):
            effects = (*waiting, *ready, *first)
        case Part(effect):
            effects = (effect,)
        case Reaction(ref=ref, effect=effect, instead=instead):
            yield from _answers(rules, ref, effect, Instead if instead else Whenever)
            yield from (
                f"lying: these dice have no {face}; there is {', '.join(rules.faces)}"
                for face in step.lying
                if face not in rules.faces
            )
            effects = (effect,)
        case effect:
            effects = (effect,)
    for each in effects:
        yield from _effect(game, rules, known, each)


def _effect(game: Game, rules: Ruleset, known: Known, effect: AnyEffect) -> Iterator[str]:
    """Yield each field of an effect that names something unknown."""
    kind = effect.tag()
    for field in effect.__struct_fields__:
        value = getattr(effect, field)
        if field in _SEATS and value != TABLE and not _is_seat(game, value):
            yield f"{kind}: {field}: no seat {value}; there is 0 to {len(game.monsters) - 1}"
        elif field in _FACES:
            faces = (value,) if isinstance(value, Face) else value
            yield from (
                f"{kind}: {field}: these dice have no {face}; there is {', '.join(rules.faces)}"
                for face in faces
                if face not in rules.faces
            )
        elif field in known and value not in known[field]:
            yield f"{kind}: no {field} {value}"
        elif field == "used_up" and not {*(value or ())} <= {*rules.areas}:
            yield f"{kind}: used_up is {', '.join(value)}, not of {', '.join(rules.areas)}"
    if isinstance(effect, ShareHearts):
        last = len(game.monsters) - 1
        strange = (seat for seat in effect.given if not _is_seat(game, seat))
        yield from (f"{kind}: given: no seat {seat}; there is 0 to {last}" for seat in strange)
    if effect.seat == TABLE:
        yield f"{kind}: seat is {TABLE}: it happens to nobody"
    if isinstance(effect, TakeGoal) and effect.card not in {c.id for c in game.in_play.cards}:
        yield f"{kind}: no card {effect.card}"


def _answers(rules: Ruleset, ref: str, effect: AnyEffect, kind: type[Ability]) -> Iterator[str]:
    """Check that some carrier of the game may have this ability, and that it answers
    this effect.
    """
    found = Ref.read(ref)
    answered = _abilities(rules).get((found.kind, found.ability, kind)) if found else None
    if answered is None:
        when = "before (instead is true)" if kind is Instead else "after (instead is false)"
        yield f"ref: no ability {ref} that answers {when} an effect"
    elif type(effect) not in answered:
        wanted = " or ".join(sorted(each.tag() for each in answered))
        yield f"effect: {ref} answers {wanted}, not {effect.tag()}"


@lru_cache(maxsize=8)
def _abilities(rules: Ruleset) -> Mapping[tuple[str, str, type[Ability]], frozenset[type[Effect]]]:
    """Return the effects that each ability answers, by the kind of its carrier, its name and its
    kind.
    """
    carried: dict[str, Iterable[tuple[Ability, ...]]] = {
        "game": (rules.abilities,),
        "card": (card.abilities for card in rules.cards.values()),
        "token": rules.tokens.values(),
        "condition": rules.conditions.values(),
    }
    found: dict[tuple[str, str, type[Ability]], frozenset[type[Effect]]] = {}
    for carrier, tables in carried.items():
        for ability in (each for abilities in tables for each in abilities):
            if isinstance(ability, Instead | Whenever):
                key = (carrier, ability.name, type(ability))
                found[key] = found.get(key, frozenset()) | {ability.on}
    return found
