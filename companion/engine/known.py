"""Whether a position speaks only of what its game has: names, seats, ids, abilities.

Where it does not, nothing else can be asked of it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from companion.engine.abilities import Ability, Instead, Whenever
from companion.engine.effects import AnyEffect, TakeGoal
from companion.engine.game import AnyStep, Game, Part, Reaction, Together
from companion.engine.resolution import IllegalEvent
from companion.engine.ruleset import Ruleset
from companion.engine.setup import rules_of
from companion.engine.values import TABLE, Face

Known = Mapping[str, Container[object]]
_SEATS: Final = frozenset({"seat", "dealer", "to", "by"})
_FACES: Final = frozenset({"face", "faces"})


def unknown(game: Game) -> Iterator[str]:
    """Each name, seat or id that the game does not have, as one line."""
    try:
        rules = rules_of(game)
    except IllegalEvent:
        house = ", ".join(game.house) or "none"
        yield f"no rules of {game.rules}, edition {game.edition}, house rules {house}"
        return
    players, seats = len(game.monsters), [m.seat for m in game.monsters]
    if not 1 <= players <= rules.players_max:
        yield f"{players} Monsters; this box is for {rules.players_min} to {rules.players_max}"
        return
    if seats != list(range(players)):
        yield f"seats are {seats}, not counted from 0"
        return
    yield from _names(game, rules)
    yield from _faces(game, rules)
    yield from _seats(game)
    known = _known(game, rules)
    for at, step in enumerate(game.agenda):
        for line in _step(game, rules, known, step):
            yield f"agenda[{at}]: {line}"


def _names(game: Game, rules: Ruleset) -> Iterator[str]:
    in_play = game.in_play
    shown = (c.name for c in (*in_play.cards, *in_play.shop) if c is not None)
    tops = (s.top for b in game.boroughs for s in b.stacks if s.top is not None)
    places = (m.place for m in game.monsters if m.place is not None)
    conditions = (c.kind for c in in_play.conditions)
    extra = (e.condition for e in game.extra if e.condition)
    for kind, names, known in (
        ("card", (*game.deck, *game.discards, *shown), rules.cards),
        ("tile", (*game.tile_pool, *tops), rules.tiles),
        ("place", places, rules.places),
        ("token", (p.token for p in in_play.tokens), rules.tokens),
        ("condition", (*conditions, *extra), rules.conditions),
        ("borough", (b.area for b in game.boroughs), rules.areas),
    ):
        yield from (f"no {kind} {name}" for name in dict.fromkeys(names) if name not in known)
    areas = [b.area for b in game.boroughs]
    if len(areas) != len(set(areas)) or set(areas) < set(rules.areas):
        yield f"the boroughs are {areas}, not each of {list(rules.areas)} once"


def _faces(game: Game, rules: Ruleset) -> Iterator[str]:
    turn = game.turn
    for face in (*turn.faces, *turn.added, *turn.order, *turn.resolved):
        if face not in rules.faces:
            yield f"these dice have no {face}"
    for die in turn.spent:
        if not 0 <= die < len(turn.faces):
            yield f"turn: no die {die} to be spent; {len(turn.faces)} lie there"


def _seats(game: Game) -> Iterator[str]:
    in_play, turn = game.in_play, game.turn
    owners = [card.owner for card in in_play.cards if card.owner != TABLE]
    tallied = (s for t in turn.tally for s in (t.by, t.seat) if s != TABLE)
    ended = game.ended.winners if game.ended is not None else ()
    follows = () if turn.follows is None else (turn.follows,)
    for where, seats in (
        ("turn", (turn.active, *follows, *tallied)),
        ("cards", owners),
        ("tokens", (p.seat for p in in_play.tokens)),
        ("conditions", (c.seat for c in in_play.conditions)),
        ("extra", (e.seat for e in game.extra)),
        ("ended", ended),
    ):
        yield from (f"{where}: no seat {seat}" for seat in seats if not _is_seat(game, seat))
    if any(card is not None and card.owner != TABLE for card in in_play.shop):
        yield "a card for sale has an owner"


def _is_seat(game: Game, seat: int) -> bool:
    return 0 <= seat < len(game.monsters)


def _known(game: Game, rules: Ruleset) -> Known:
    """What each field of an effect may hold."""
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
    }


def _step(game: Game, rules: Ruleset, known: Known, step: AnyStep) -> Iterator[str]:
    effects: tuple[AnyEffect, ...]
    match step:
        case Together(waiting=waiting, ready=ready, first=first):
            effects = (*waiting, *ready, *first)
        case Part(effect):
            effects = (effect,)
        case Reaction(ref=ref, effect=effect, instead=instead):
            if not _is_ability(rules, ref, Instead if instead else Whenever):
                yield f"no ability {ref} that answers {'before' if instead else 'after'} an effect"
            effects = (effect,)
        case effect:
            effects = (effect,)
    for each in effects:
        yield from _effect(game, rules, known, each)


def _effect(game: Game, rules: Ruleset, known: Known, effect: AnyEffect) -> Iterator[str]:
    """What an effect names, by the names of its fields."""
    kind = type(effect).__name__
    for field in effect.__struct_fields__:
        value = getattr(effect, field)
        if field in _SEATS and value != TABLE and not _is_seat(game, value):
            yield f"{kind} of no seat {value}"
        elif field in _FACES:
            faces = (value,) if isinstance(value, Face) else value
            yield from (f"{kind}: these dice have no {f}" for f in faces if f not in rules.faces)
        elif field in known and value not in known[field]:
            yield f"{kind}: no {field} {value}"
    if effect.seat == TABLE:
        yield f"{kind} happens to nobody"
    if isinstance(effect, TakeGoal) and effect.card not in {c.id for c in game.in_play.cards}:
        yield f"{kind}: no card {effect.card}"


def _is_ability(rules: Ruleset, ref: str, kind: type[Ability]) -> bool:
    """Whether any carrier of the game may have an ability of that name and kind."""
    carrier, _, name = ref.partition("/")
    return (carrier.partition(".")[0], name, kind) in _abilities(rules)


@lru_cache(maxsize=8)
def _abilities(rules: Ruleset) -> frozenset[tuple[str, str, type[Ability]]]:
    """Each ability: the kind of its carrier, as refs begin, its name and its kind."""
    carried: dict[str, Iterable[tuple[Ability, ...]]] = {
        "game": (rules.abilities,),
        "card": (card.abilities for card in rules.cards.values()),
        "token": rules.tokens.values(),
        "condition": rules.conditions.values(),
    }
    return frozenset(
        (carrier, ability.name, type(ability))
        for carrier, tables in carried.items()
        for abilities in tables
        for ability in abilities
    )
