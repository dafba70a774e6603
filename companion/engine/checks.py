"""Checks of positions: one sentence for each fault, with the field and the right value.

A fault is anything that neither play nor corrections by the table can lead to. `check` looks for
all of them, `InvariantTracker` at what leads from one position to the next; `uncomputable` only
asks whether the rules can go on from a position.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import msgspec
from msgspec import UNSET

from companion.engine.abilities import Ability, Instead, Whenever
from companion.engine.base_position import BasePosition
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.cards import BuyCard, DropCard, TakeGoal
from companion.engine.effects.numbers import Eliminate, Heal
from companion.engine.effects.sources import Ref
from companion.engine.effects.turn import Ask, BeginTurn, ChooseStart, RollPhase, TurnOver
from companion.engine.events import IllegalEvent
from companion.engine.game import AnyStep, Game, Part, Reaction, Together
from companion.engine.loop import question
from companion.engine.position import Position, full_deck, full_pool
from companion.engine.questions import Choice
from companion.engine.registry import rules_of
from companion.engine.ruleset import Ruleset
from companion.engine.shared.turn import first_to_goal
from companion.engine.values import (
    LASTING,
    TABLE,
    Borough,
    CardInPlay,
    CardKind,
    Condition,
    Deed,
    Ended,
    ExtraTurn,
    InPlay,
    Monster,
    Seat,
    Stack,
    Tally,
    TokenPile,
    Turn,
    UnitKind,
    Value,
)

MOST: Final = 999
"""More than play brings together of anything that no rule limits: energy, rolls, amounts."""
MOST_TOKENS: Final = 50
"""More tokens of one kind than a Monster survives being given."""
REASONS: Final = ("stars", "survival", "all_dead", "card")
"""How a game may end (NY-17, TK-14): `card` by a card that says so."""
_AMOUNTS: Final = ("amount", "number", "left", "cost")
"""The fields of effects that say how much."""
SLOTS: Final = len(InPlay().shop)
"""How many cards are for sale (NY-2.1, TK-2.3)."""
BROKEN: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What the rules may raise on a position that no rule has led to."""
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
    "face": "face", "faces": "face", "into": "face", "die": "thrown", "area": "area or none",
    "place": "place", "token": "token", "stack": "stack", "unit": "unit", "slot": "slot",
    "condition": "condition or none", "name": "card or tile", "shown": "card", "used_up": "area",
    "kind": "condition or Unit", "winners": "seat",
}  # fmt: skip
"""The same of every effect."""


def check(game: Game) -> tuple[str, ...]:
    """Return each broken invariant as one line; none for a sound position."""
    strange = tuple(dangling_references(game))
    if strange:  # nothing else can be asked of such a position
        return strange
    position = BasePosition.build(game, rules_of(game))
    return (*faults(position, at_rest=True), *_question(position))


def uncomputable(game: Game) -> str | None:
    """Return why the rules cannot go on from a position, as one line: unknown names, ids that
    dangle or collide, numbers outside their type; None if they can.

    For positions read from a log: refusing an implausible one would end a game that people play.
    """
    try:
        if found := next(dangling_references(game), None):
            return found
        position = Position.of(game)
        if re.search(rb"\d{11}", msgspec.json.encode(game)):
            return "a number has more than ten digits"
        if found := next(chain(_counters(position), _dice_in_the_box(position)), None):
            return found
        if game.ended is None:
            position.legal_events()
    except BROKEN as broken:
        return f"{type(broken).__name__}: {broken}"
    return None


def faults(position: BasePosition, *, at_rest: bool) -> Iterator[str]:
    """Yield each fault of a position without dangling references as one sentence.

    `at_rest`: everything on the agenda has happened up to a question, as after each event; a
    position written by hand may still have steps to take.
    """
    yield from _boroughs(position)
    yield from _counters(position)
    yield from _monsters(position, at_rest)
    yield from _places(position)
    yield from _turn(position)
    yield from _dice(position, at_rest)
    yield from _result(position)
    yield from _cards(position)
    yield from _tokens_and_conditions(position)
    yield from _agenda(position, at_rest)


def _range(where: str, field: str, value: int, least: int, most: int) -> Iterator[str]:
    """Report a number outside its range."""
    if not least <= value <= most:
        right = f"{least} to {most}" if least < most else f"{least}"
        yield f"{where}: {field} is {value}, not {right}"


# -- names ----------------------------------------------------------------------------------------


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
    """Return the values of each kind that a field may name."""
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
        "card": rules.cards,
        "tile": rules.tiles,
        "card or tile": dict.fromkeys(("", *rules.cards, *rules.tiles)),
        "place": rules.places,
        "token": rules.tokens,
        "condition": rules.conditions,
        "condition or none": ("", *rules.conditions),
        "condition or Unit": (*rules.conditions, *UnitKind),
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
    """Return the effects that each ability answers, by its carrier's kind, name and own kind."""
    found: dict[tuple[str, str, type[Ability]], frozenset[type[Effect]]] = {}
    for carrier, tables in _carried(rules).items():
        for ability in chain.from_iterable(tables):
            if isinstance(ability, Instead | Whenever):
                key = (carrier, ability.name, type(ability))
                found[key] = found.get(key, frozenset()) | {ability.on}
    return found


def _carried(rules: Ruleset) -> Mapping[str, Iterable[tuple[Ability, ...]]]:
    """Return all abilities of a game by the kind of their carrier."""
    return {
        "game": (rules.abilities,),
        "card": (card.abilities for card in rules.cards.values()),
        "token": rules.tokens.values(),
        "condition": rules.conditions.values(),
    }


# -- numbers and ids ------------------------------------------------------------------------------


def _counters(position: BasePosition) -> Iterator[str]:
    """Check what only grows: turns, the clock, and ids, which cards and Units share."""
    game = position.game
    least = 0 if any(coming(game, BeginTurn)) else 1
    yield from _range("turn", "number", game.turn.number, least, LASTING - 1)
    if not 0 <= game.clock < LASTING:
        yield f"clock is {game.clock}, not 0 to {LASTING - 1}"
    ids = [card.id for card in (*game.in_play.cards, *game.in_play.shop) if card is not None]
    units = [unit.id for borough in game.boroughs for unit in borough.units]
    largest = max((0, *ids, *units))
    if game.next_id <= largest:
        yield f"next_id is {game.next_id}, not {largest + 1} or more: above every id"
    elif game.next_id >= LASTING:
        yield f"next_id is {game.next_id}, not at most {LASTING - 1}"
    for one, count in Counter((*ids, *units)).items():
        if one < 1:
            yield f"cards and units: id is {one}, not 1 or more"
        elif count > 1:
            yield f"cards and units: id {one} is there twice, not once"
    for borough in game.boroughs:
        for unit in borough.units:  # it came up in this turn or an earlier one (NY-10.5)
            where = f"{borough.area}, {unit.kind} {unit.id}"
            yield from _range(where, "turn", unit.turn, 0, game.turn.number)


# -- Monsters, and where they stand ---------------------------------------------------------------


def _monsters(position: BasePosition, at_rest: bool) -> Iterator[str]:
    game, rules = position.game, position.rules
    if len(game.monsters) < rules.players_min:
        least, most = rules.players_min, rules.players_max
        yield f"monsters: {len(game.monsters)} of them, not {least} to {most}"
    for monster in game.monsters:
        where = f"seat {monster.seat}"
        yield from _range(where, "stars", monster.stars, 0, rules.goal_stars)
        if monster.alive:
            yield from _living(position, monster, where, at_rest)
        else:
            yield from _dead(position, monster, where)
    alive, number = position.alive(), game.turn.number
    if len(alive) > 1 or game.ended is not None:
        return
    first = 0 if number == 1 else number  # who died before the first turn
    # A game ends with the turn in which all others died (NY-17.3, TK-14.1).
    if not any(m.died_turn in (first, number) for m in game.monsters if not m.alive):
        who = f"seat {alive[0]} alone is alive" if alive else "nobody is alive"
        yield (
            f"ended is null, yet {who}; write how the game ended, or died_turn "
            f"{number} of who died this turn"
        )


def _living(position: BasePosition, monster: Monster, where: str, at_rest: bool) -> Iterator[str]:
    goal = position.rules.goal_stars
    if monster.health or at_rest:  # at 0 somebody may be about to fall
        yield from _range(where, "health", monster.health, 1, position.health_max(monster.seat))
    yield from _range(where, "energy", monster.energy, 0, MOST)
    if monster.fallen and monster.health:
        yield f"{where}: fallen is true, not false at health {monster.health}"
    if monster.died_turn is not None:
        yield f"{where}: died_turn is {monster.died_turn}, not null for a living Monster"
    if monster.stars >= goal and monster.reached is None:
        yield f"{where}: reached is null, not the clock's number when it came to {goal} stars"
    elif monster.stars < goal and monster.reached is not None:
        yield f"{where}: reached is {monster.reached}, not null below {goal} stars"
    elif monster.reached is not None:
        yield from _range(where, "reached", monster.reached, 0, position.game.clock)
    if monster.trophies and not position.rules.trophies:
        yield f"{where}: trophies are {len(monster.trophies)}, not 0: this game keeps none"


def _dead(position: BasePosition, monster: Monster, where: str) -> Iterator[str]:
    """Check that the dead have nothing but the stars they died with (NY-16.2, TK-13.3)."""
    nothing = Monster(monster.seat, 0)
    for field in ("health", "energy", "place", "fallen", "reached", "trophies"):
        value, right = getattr(monster, field), getattr(nothing, field)
        if value != right:
            yield f"{where}: {field} is {shown(value)}, not {shown(right)} if alive is false"
    if monster.died_turn is not None:
        yield from _range(where, "died_turn", monster.died_turn, 0, position.game.turn.number)
    in_play, seat = position.game.in_play, monster.seat
    owned = (
        *((c.name, "owner") for c in in_play.cards if c.owner == seat),
        *((f"{p.token} tokens", "seat") for p in in_play.tokens if p.seat == seat),
        *((c.kind, "seat") for c in in_play.conditions if c.seat == seat),
        *(("another turn", "seat") for e in position.game.extra if e.seat == seat),
    )
    for name, field in owned:
        yield f"{where}: out of the game, yet {field} of {name}; it owns nothing any more"


def _places(position: BasePosition) -> Iterator[str]:
    """Check that each living Monster stands somewhere, except one that is about to choose a first
    place (NY-2.6, TK-2.1), if there is room, on one space of a track (NY-18.5), and on a space
    that is in the game, unless an elimination is pending.
    """
    game, rules = position.game, position.rules
    choosing = {effect.seat for effect in coming(game, ChooseStart)}
    for monster in game.monsters:
        if monster.alive and monster.place is None and monster.seat not in choosing:
            yield f"seat {monster.seat}: place is null, not one of {', '.join(rules.places)}"
    for name, count in Counter(m.place for m in game.monsters if m.place is not None).items():
        if count > (room := rules.places[name].room):
            yield f"{name}: the place of {count} Monsters, not of at most {room}"
    tracks: dict[int, str] = {}
    falling = any(coming(game, Eliminate))
    for seat in position.inside():
        place = position.place(seat)
        assert place is not None  # it stands in the city
        where = f"seat {seat}: place is {place.name}"
        other = tracks.setdefault(place.track, place.name)
        if other != place.name:
            yield f"{where}, on a track that is full with {other}"
        if not falling and not position.is_usable(place):
            least, alive = place.needs_alive, len(position.alive())
            yield f"{where}, which is in the game while {least} Monsters live, not {alive}"


# -- the turn and its dice ------------------------------------------------------------------------


def _turn(position: BasePosition) -> Iterator[str]:
    """Check who plays, and what the turn remembers."""
    game, turn = position.game, position.game.turn
    active = game.monsters[turn.active]
    if not active.alive and active.died_turn != turn.number and game.ended is None:
        living = ", ".join(map(str, position.alive()))
        yield f"turn: active is {turn.active}, who is out of the game, not one of {living}"
    at_start = sum(m.alive or m.died_turn in (None, turn.number) for m in game.monsters)
    entries = (place for place in position.rules.places.values() if place.entry)
    most = sum(place.needs_alive <= at_start for place in entries)
    yield from _range("turn", "inside_at_start", turn.inside_at_start, 0, most)
    for name in turn.destroyed:
        if name not in position.rules.tiles:
            yield f"turn: destroyed has {name}, which is no tile"
    for row in turn.tally:
        where = f"turn: tally of {row.deed}"
        yield from _range(where, "amount", row.amount, 0, MOST)
        yield from _range(where, "seat", row.seat, 0, len(game.monsters) - 1)
        if row.deed is Deed.ENERGY_GAINED and row.by != row.seat:
            yield f"{where}: by is {row.by}, not {row.seat} like its seat"
    for field in ("spent", "order", "resolved"):
        if len(set(values := getattr(turn, field))) < len(values):
            yield f"turn: {field} holds something twice, not once"


def _dice_in_the_box(position: BasePosition) -> Iterator[str]:
    turn, most = position.game.turn, position.rules.dice_max
    if len(turn.faces) > most:
        yield f"turn: faces are {len(turn.faces)}, not 0 to {most}"
    yield from _range("turn", "dice", turn.dice, 0, most)


def _dice(position: BasePosition, at_rest: bool) -> Iterator[str]:
    """Check the dice, and that they are final exactly when the roll is over (NY-5.5)."""
    game, turn, thrown = position.game, position.game.turn, len(position.game.turn.faces)
    yield from _dice_in_the_box(position)
    yield from _range("turn", "rolls_left", turn.rolls_left, 0, MOST)
    if thrown and thrown != turn.dice:
        yield f"turn: faces are {thrown}, not {turn.dice} like its dice"
    if turn.final and thrown != turn.dice:
        yield f"turn: final is true, not false before all {turn.dice} dice are thrown"
    for field in ("added", "spent", "resolved", "claimed"):
        if getattr(turn, field) and not turn.final:
            yield f"turn: {field} is set, not empty before the dice are final"
    asks = game.agenda and (at_rest or isinstance(game.agenda[-1], Reaction))
    if not asks or game.ended is not None or not position.is_alive(turn.active):
        return
    begins, rolls = any(coming(game, BeginTurn)), any(coming(game, RollPhase))
    if turn.final and (rolls or begins):
        yield "turn: final is true, not false while the roll is to come"
    if not turn.final and not rolls and not begins:
        yield "turn: final is false, not true after the roll"


def _result(position: BasePosition) -> Iterator[str]:
    """Check that the game is over for a reason that its Monsters show."""
    ended, alive = position.game.ended, position.alive()
    if ended is None:
        return
    if position.game.agenda:
        yield f"agenda: {len(position.game.agenda)} steps, not none in a game that has ended"
    if ended.reason not in REASONS:
        yield f"ended: reason is {shown(ended.reason)}, not {listed(REASONS)}"
        return
    right = first_to_goal(position) if ended.reason == "stars" else alive
    if ended.reason == "card":
        if len(ended.winners) != 1 or ended.winners[0] not in right:
            yield f"ended: winners are {_seats(ended.winners)}, not one of {_seats(right)}"
    elif ended.winners != right:
        yield f"ended: winners are {_seats(ended.winners)}, not {_seats(right)}"


def _seats(seats: tuple[Seat, ...]) -> str:
    return ", ".join(map(str, seats)) or "nobody"


# -- tiles, cards, tokens and conditions ----------------------------------------------------------


def _boroughs(position: BasePosition) -> Iterator[str]:
    """Check each borough with its stacks, numbered through all boroughs in order (NY-2.4), and all
    tiles together against the box.
    """
    game, rules = position.game, position.rules
    areas = [borough.area for borough in game.boroughs]
    if areas != list(rules.areas):
        yield f"boroughs: area is {', '.join(areas)}, not {', '.join(rules.areas)} in order"
        return
    for at, borough in enumerate(game.boroughs):
        area, count = borough.area, rules.stacks_per_area
        if len(borough.stacks) != count:
            yield f"{area}: stacks are {len(borough.stacks)}, not {count}"
        for k, stack in enumerate(borough.stacks):
            where, right = f"{area}, stack {stack.id}", at * count + k
            if stack.id != right and k < count:
                yield f"{area}: id of stack {k + 1} is {stack.id}, not {right}"
            yield from _range(where, "left", stack.left, 0, rules.tiles_per_stack)
            if stack.top is not None and not stack.left:
                yield f"{where}: top is {stack.top}, not null if left is 0"
            if stack.top is not None and rules.tiles[stack.top].unit is None:
                yield f"{where}: top is {stack.top}, not a building"
    yield from _tiles(position)


def _tiles(position: BasePosition) -> Iterator[str]:
    """Check that no tile, nor a Unit as its back, is there too often (NY-3.1, NY-3.6)."""
    game, tiles, box = position.game, position.rules.tiles, _tiles_in_the_box(position.rules)
    if game.tile_pool != tuple(sorted(game.tile_pool)):
        yield "tile_pool: its tiles are not sorted"
    tops = [s.top for b in game.boroughs for s in b.stacks if s.top is not None]
    for name, count in Counter((*tops, *game.tile_pool)).items():
        if tiles[name].unit is None:
            yield f"tile_pool: {name} is no building"
        elif count > box[name]:
            yield f"tile_pool and top: {name} is there {count} times, not at most {box[name]}"
    unseen = sum(s.left for b in game.boroughs for s in b.stacks) - len(tops)
    if unseen > len(game.tile_pool):
        yield f"tile_pool: {len(game.tile_pool)} tiles, not at least the {unseen} that are left"
    units = Counter(str(unit.kind) for b in game.boroughs for unit in b.units)
    units.update(str(kind) for m in game.monsters for kind in m.trophies)
    units.update(str(tiles[top].unit) for top in tops if tiles[top].unit is not None)
    for kind, count in units.items():
        if count > box[kind]:
            yield f"units, trophies and top: {count} {kind} tiles, not at most {box[kind]}"


@lru_cache(maxsize=64)
def _tiles_in_the_box(rules: Ruleset) -> Mapping[str, int]:
    """Return how often the box has each building, and each Unit as the back of one."""
    found = Counter(full_pool(rules))
    for tile in rules.tiles.values():
        if tile.unit is not None:
            found[str(tile.unit)] += tile.count
    return found


@lru_cache(maxsize=64)
def _cards_in_the_box(rules: Ruleset) -> Mapping[str, int]:
    return dict(Counter(full_deck(rules)))


def _cards(position: BasePosition) -> Iterator[str]:
    """Check that no card is there more often than in the box, and each card where it is. One may be
    there less often: the table may have said that none is left when some were."""
    game, in_play, box = position.game, position.game.in_play, _cards_in_the_box(position.rules)
    for field in ("deck", "discards"):
        names = getattr(game, field)
        if names != tuple(sorted(names)):
            yield f"{field}: its cards are not sorted"
    there = Counter((*game.deck, *game.discards))
    there.update(card.name for card in in_play.shop if card is not None)
    there.update(card.name for card in in_play.cards if card.name not in position.rules.goals)
    for name, count in there.items():
        if count > (right := box.get(name, 0)):
            where = "in deck, discards, shop and cards"
            yield f"{name}: {count} cards of this name {where}, not {right}"
    if len(in_play.shop) != SLOTS:
        yield f"in_play: shop has {len(in_play.shop)} slots, not {SLOTS}"
    for card in in_play.shop:
        for field, none in (("owner", TABLE), ("counters", 0), ("copies", None)):
            if card is not None and (value := getattr(card, field)) != none:
                where = f"shop, {card.name}: {field}"
                yield f"{where} is {shown(value)}, not {shown(none)} while it is for sale"
    held = [card.name for card in in_play.cards]
    for goal in position.rules.goals:  # in front of a Monster or beside the deck (NY-2.1)
        if held.count(goal) != 1:
            yield f"in_play: cards hold the goal {goal} {held.count(goal)} times, not once"
    for card in in_play.cards:
        yield from _owned(position, card)


def _owned(position: BasePosition, card: CardInPlay) -> Iterator[str]:
    """Check a card in play; a copy points at another Keep card in front of a Monster (TK-16.9)."""
    rows, where = position.rules.cards, f"{card.name} (id {card.id})"
    row = rows[card.name]
    if card.owner == TABLE and row.kind is not CardKind.GOAL:
        most = len(position.game.monsters) - 1
        yield f"{where}: owner is {TABLE}, not a seat from 0 to {most}: nobody owns it"
    # A Discard card may have just been bought and be on its way to the discards.
    passing = (effect.card for effect in coming(position.game, BuyCard, DropCard))
    if row.kind is CardKind.DISCARD and card.id not in passing:
        yield f"{where}: owner is {card.owner}, but a Discard card stays in front of nobody"
    original = None if card.copies is None else position.card(card.copies)
    if card.copies is not None:
        if not row.copier:
            yield f"{where}: copies is {card.copies}, not null: it copies nothing"
        elif original is None:
            yield f"{where}: copies is {card.copies}, not the id of a card in play"
        elif original.id == card.id or rows[original.name].kind is not CardKind.KEEP:
            yield f"{where}: copies is {card.copies}, not the id of another Keep card"
    tokens = row.tokens if original is None else max(row.tokens, rows[original.name].tokens)
    yield from _range(where, "counters", card.counters, 0, tokens)


def _tokens_and_conditions(position: BasePosition) -> Iterator[str]:
    """Check token piles and conditions, each of a kind and seat once."""
    in_play, number = position.game.in_play, position.game.turn.number
    piles = Counter((pile.seat, pile.token) for pile in in_play.tokens)
    for pile in in_play.tokens:
        where, count = f"seat {pile.seat}, {pile.token} tokens", piles[pile.seat, pile.token]
        yield from _range(where, "count", pile.count, 1, MOST_TOKENS)
        if count > 1:
            yield f"{where}: {count} piles, not one with their count"
    kinds = Counter((condition.seat, condition.kind) for condition in in_play.conditions)
    for condition in in_play.conditions:
        where = f"seat {condition.seat}, condition {condition.kind}"
        if condition.turn not in (number, LASTING):
            yield f"{where}: turn is {condition.turn}, not {number} (or {LASTING}: until used)"
        if kinds[condition.seat, condition.kind] > 1:
            yield f"{where}: conditions have it twice, not once"


# -- the agenda -----------------------------------------------------------------------------------


def _agenda(position: BasePosition, at_rest: bool) -> Iterator[str]:
    """Check each step of the agenda, and the order of all."""
    packet = False
    for at, step in enumerate(position.game.agenda):
        packet = packet or isinstance(step, Together)
        for line in _step(position, step, packet):
            yield f"agenda[{at}]: {line}"
    if at_rest and position.game.ended is None and position.game.agenda:
        yield from _order(position)


def _order(position: BasePosition) -> Iterator[str]:
    """Check the order: at the bottom the end of the turn, or before the first turn its beginning;
    above it the phases to come, the last one first, all of the active Monster.
    """
    steps, active = position.game.agenda, position.game.turn.active
    bottom: type[Effect] = TurnOver if position.game.turn.number else BeginTurn
    if type(steps[0]) is not bottom or effects_of(steps[0])[0].seat != active:
        yield f"agenda[0]: type is not {bottom.__name__} of seat {active}, the active Monster"
    phases: list[type[object]] = [type(phase(active)) for phase in position.rules.phases]
    above = len(phases)
    for at, step in enumerate(steps[1:], 1):
        where, name = f"agenda[{at}]", type(step).__name__
        for effect in effects_of(step):
            if isinstance(effect, TurnOver | BeginTurn):
                yield f"{where}: type is {effect.tag()}, which only agenda[0] may be"
            elif type(effect) in phases and effect.seat != active:
                yield f"{where}: seat of {effect.tag()} is {effect.seat}, not {active}"
        if type(step) in phases:
            if phases.index(type(step)) >= above:
                yield f"{where}: type is {name}, a phase that does not come before the one below"
            above = phases.index(type(step))


def _step(position: BasePosition, step: AnyStep, packet: bool) -> Iterator[str]:
    """Check one step: that a Reaction's ability may exist, of its card or seat, and the fields of
    its effects.
    """
    if isinstance(step, Reaction):
        entry, seat = position.index.by_ref.get(step.ref), step.effect.seat
        if entry is not None and entry.ability.mine and entry.seat != seat:
            yield f"effect: seat is {seat}, not {entry.seat} like the owner of {step.ref}"
    if (isinstance(step, Part) or (isinstance(step, Reaction) and step.part)) and not packet:
        yield "part of a packet, but no Together lies below it"
    for effect in effects_of(step):
        for field in _AMOUNTS:
            yield from _range(effect.tag(), field, getattr(effect, field, 0), 0, MOST)
        for field in ("card", "of"):
            value = getattr(effect, field, None)
            if value is None or (value == -1 and isinstance(effect, Ask | Heal)):
                continue
            if not 1 <= value <= position.game.next_id:
                yield f"{effect.tag()}: {field} is {value}, not an id below the next one"


def _question(position: BasePosition) -> Iterator[str]:
    """Check that a game in play asks something, of a living seat, with a way to answer."""
    game = position.game
    if game.ended is not None:
        return
    asked = question(position)
    if asked is None:
        yield "agenda: it leads to no question, yet the game has not ended (ended is null)"
        return
    if not game.agenda or not isinstance(game.agenda[-1], Reaction):
        yield "a question without its Reaction on top"
    if not position.is_alive(asked.seat):
        yield f"{asked.key} is asked of the dead"
    if isinstance(asked, Choice):
        keys = [option.key for option in asked.options]
        if len(set(keys)) != len(keys):
            yield f"{asked.key}: two options share a key"
        if not asked.open():
            yield f"{asked.key}: no way out"


# -- sentences and steps ---------------------------------------------------------------------------


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
