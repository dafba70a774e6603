"""Registration of games: what their rulesets must be, one sentence for each fault."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from typing import Any, Final, get_args

from companion.engine.abilities import Ability, Instead, Whenever
from companion.engine.checks import BROKEN, check
from companion.engine.effects import AnyEffect, Effect
from companion.engine.effects.cards import OpenShop
from companion.engine.effects.turn import (
    BeginTurn,
    ChooseStart,
    ResolveFace,
    ResolvePhase,
    RollPhase,
    TurnOver,
)
from companion.engine.events import MOST_SEATS, IllegalEvent
from companion.engine.position import Setup, new_game
from companion.engine.reading import in_one_line
from companion.engine.registry import EDITIONS, RULESETS, add, remove
from companion.engine.ruleset import Ruleset
from companion.engine.values import CardKind, Face, Number, Seat, Token

USUAL: Final = "first"
"""What the usual edition of every game is called: logs and positions that name none mean it."""
_GAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_ID: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_PREFIX: Final = re.compile(r"[A-Z]{2,4}")
_LONGEST: Final = 48
"""Letters of an id: the keys of options that carry it may have 64."""
_SIDES: Final = 6
_MOST_DICE: Final = 8
_MOST_NAMES: Final = 16
"""Places to start at, and house rules: more fit into no event."""
_MOST_STACKS: Final = 100
_EFFECTS: Final = frozenset(get_args(AnyEffect))
_ANSWERED: Final[Mapping[type[Effect], str]] = {
    ChooseStart: "MOVING",
    BeginTurn: "TURN",
    RollPhase: "TURN",
    ResolvePhase: "TURN",
    ResolveFace: "TURN",
    TurnOver: "TURN",
    OpenShop: "BUYING",
}
"""What some ability of the game has to answer, and the shared abilities that do."""


class RulesetError(ValueError):
    """A game cannot be registered; the message is one sentence that names the field."""

    def __init__(self, fault: str) -> None:
        super().__init__(in_one_line(fault))


def register(*editions: Ruleset) -> None:
    """Make a game known to the engine, and so to the commands and the service.

    All editions of the game are given, the usual one first. The same values once more change
    nothing. Meant for the start of a program. Raises RulesetError for the first fault: a name or
    clause prefix that another game has, an edition that is missing, something incomplete, ids that
    collide, a game that cannot be begun. Then nothing has changed.
    """
    for rules in editions:
        if not isinstance(rules, Ruleset):
            raise RulesetError(f"a game is given as Rulesets; this is a {type(rules).__name__}")
    if editions and all(EDITIONS.get((one.name, one.edition)) is one for one in editions):
        return
    _refuse(_together(editions))
    for rules in editions:
        _refuse(f"{_named(rules)}: {fault}" for fault in faults(rules))
    add(editions)
    begun = False
    try:
        for rules in editions:
            _refuse(f"{_named(rules)}: {fault}" for fault in _begun(rules))
        begun = True
    finally:
        if not begun:
            remove(editions)


@contextmanager
def registered(*editions: Ruleset) -> Iterator[None]:
    """Know a game inside a `with` block only: for tests of games. RulesetError as `register`."""
    register(*editions)
    try:
        yield
    finally:
        remove(editions)


def faults(rules: Ruleset) -> Iterator[str]:
    """Yield each fault of a ruleset by itself as one sentence; none if it can be played."""
    yield from _names(rules)
    yield from _numbers(rules)
    yield from _dice(rules)
    yield from _turn(rules)
    yield from _places(rules)
    yield from _cards(rules)
    yield from _tiles(rules)
    yield from _abilities(rules)


def _refuse(found: Iterable[str]) -> None:
    for fault in found:
        raise RulesetError(fault)


def _named(rules: Ruleset) -> str:
    return rules.name if rules.edition == USUAL else f"{rules.name}, edition {rules.edition}"


# -- the editions of a game and the games beside it ---------------------------------------------


def _together(editions: tuple[Ruleset, ...]) -> Iterator[str]:
    """Check the editions of a game against each other and against the games already known."""
    if not editions:
        yield "no ruleset is given; a game has at least one"
        return
    usual = editions[0]
    names = tuple(rules.edition for rules in editions)
    if len({(rules.name, rules.prefix, rules.editions) for rules in editions}) > 1:
        yield f"{usual.name}: its editions differ in name, prefix or editions; these are one game's"
    if usual.name in RULESETS:
        yield f"{usual.name}: there is a game of this name already; choose another name"
    for other in RULESETS.values():
        if other.prefix == usual.prefix:
            yield f"{usual.name}: prefix {usual.prefix} is that of {other.name}; choose another one"
    if names != usual.editions:
        given, wanted = ", ".join(names), ", ".join(usual.editions)
        yield f"{usual.name}: editions is {wanted}, given are {given}; give each one once, in order"
    if names[0] != USUAL:
        yield f"{usual.name}: the usual edition is called {names[0]}; call it {USUAL}"


def _begun(rules: Ruleset) -> Iterator[str]:
    """Yield what is wrong with the first position, for few and many players and each house rule."""
    houses = ((), *((switch,) for switch in rules.house))
    for players, house in product({rules.players_min, rules.players_max}, houses):
        by = f" by {house[0]}" if house else ""
        setup = Setup(rules.name, players, Seat(0), rules.edition, house)
        for line in _unfit(rules, setup):
            yield f"a game of {players}{by} cannot begin: {line}"


def _unfit(rules: Ruleset, setup: Setup) -> tuple[str, ...]:
    try:
        made = rules.house[setup.house[0]](rules) if setup.house else rules
        if not isinstance(made, Ruleset):
            return (f"the house rule makes a {type(made).__name__} of it",)
        return tuple(faults(made)) or check(new_game(setup).game)
    except (*BROKEN, IllegalEvent) as broken:
        return (f"{type(broken).__name__}: {broken}",)


# -- one ruleset ----------------------------------------------------------------------------------


def _names(rules: Ruleset) -> Iterator[str]:
    """Check the names and ids of a ruleset."""
    if not _GAME.fullmatch(rules.name) or len(rules.name) > _LONGEST:
        yield f"name {rules.name!r} is no id; it is made of a–z, 0–9 and - (lantern-fair)"
    if not _PREFIX.fullmatch(rules.prefix):
        yield f"prefix {rules.prefix!r} is none; it is two to four capitals (LF)"
    for about, clause in rules.clauses.items():
        if not clause.startswith(f"{rules.prefix}-"):
            yield f"clauses: {about} is {clause}, which is no clause of {rules.prefix}"
    ids: dict[str, Iterable[str]] = {
        "edition": rules.editions,
        "place": rules.places,
        "area": (*rules.areas, *(place.area for place in rules.places.values())),
        "card": rules.cards,
        "tile": rules.tiles,
        "condition": rules.conditions,
        "house rule": rules.house,
        "Monster": rules.monsters,
    }
    for kind, names in ids.items():
        for name in names:
            if not _ID.fullmatch(name) or len(name) > _LONGEST:
                yield f"{kind} {str(name)!r} is no id; it is made of a–z, 0–9 and _"
    if len(rules.house) > _MOST_NAMES:
        yield f"house has {len(rules.house)} house rules; {_MOST_NAMES} at most"
    tables: tuple[tuple[str, Mapping[str, Any]], ...] = (
        ("places", rules.places),
        ("cards", rules.cards),
        ("tiles", rules.tiles),
    )
    for field, table in tables:
        for name, one in table.items():
            if one.name != name:
                yield f"{field}: {name} is called {one.name} itself; both must be the same"


def _numbers(rules: Ruleset) -> Iterator[str]:
    for number in (Number.HEALTH, Number.STARS):
        if number not in rules.numbers:
            yield f"numbers lacks {number}; it decides who lives or wins"
    for field, least, most in (
        ("players_max", 2, MOST_SEATS),
        ("players_min", 2, rules.players_max),
        ("health", 1, 99),
        ("goal_stars", 1, 99),
        ("rolls", 1, 99),
        ("entering_stars", 0, 99),
        ("sweep_cost", 0, 99),
        ("dice_max", 1, _MOST_DICE),
        ("dice", 1, rules.dice_max),
        ("dice_min", 1, rules.dice),
        ("first_roll_dice", 1, _MOST_DICE),
        ("bgg_id", 0, 1 << 31),
    ):
        if not least <= getattr(rules, field) <= most:
            yield f"{field} is {getattr(rules, field)}; it may be {least} to {most}"


def _dice(rules: Ruleset) -> Iterator[str]:
    if len(rules.faces) != _SIDES or len(set(rules.faces)) != _SIDES:
        yield f"faces has {', '.join(rules.faces)}; a die has {_SIDES} different ones"
    if not all(isinstance(face, Face) for face in rules.faces):
        yield f"faces has {', '.join(rules.faces)}; there is {', '.join(Face)}"
    if Counter(rules.sensible) != Counter(rules.faces):
        yield "sensible is not every face once"
    for face in rules.faces:
        if face not in rules.scoring:
            yield f"scoring says nothing of {face}"


def _turn(rules: Ruleset) -> Iterator[str]:
    kinds = [_phase(phase) for phase in rules.phases]
    if not kinds or kinds[0] is not RollPhase:
        yield "phases does not begin with RollPhase; a turn begins with the roll"
    for kind, count in Counter(kinds).items():
        if kind not in _EFFECTS:
            yield f"phases has {kind.__name__}, which is no effect of the engine"
        if count > 1:
            yield f"phases has {kind.__name__} more than once"
    if _phase(rules.entering) not in kinds:
        yield f"entering is {_phase(rules.entering).__name__}, which is no phase of the turn"


def _phase(make: Any) -> type[Effect]:
    """Return the effect that a phase of a turn is."""
    return make if isinstance(make, type) else type(make(Seat(0)))


def _places(rules: Ruleset) -> Iterator[str]:
    if not rules.start_places or len(rules.start_places) > _MOST_NAMES:
        yield f"start_places has {len(rules.start_places)} places; 1 to {_MOST_NAMES} are needed"
    for name in rules.start_places:
        place = rules.places.get(name)
        if place is None:
            yield f"start_places has {name}, which is no place"
        elif place.inside or place.needs_alive:
            yield f"start_places has {name}, where not everybody may stand at any time"
    room = sum(rules.places[name].room for name in rules.start_places if name in rules.places)
    if room < rules.players_max:
        yield f"start_places has room for {room}; {rules.players_max} may play"
    for place in rules.places.values():
        if place.room < 1 or min(place.stars, place.energy, place.needs_alive) < 0:
            yield f"place {place.name}: room is at least 1, the other numbers at least 0"
        if place.entry and not place.inside:
            yield f"place {place.name}: entry leads into the city, so inside must be set too"
        for field in ("onward", "slides_to", "falls_back_to"):
            to = getattr(place, field)
            if to is not None and to not in rules.places:
                yield f"place {place.name}: {field} is {to}, which is no place"


def _cards(rules: Ruleset) -> Iterator[str]:
    for card in rules.cards.values():
        if card.cost < 0 or card.copies < 1 or card.tokens < 0:
            yield f"card {card.name}: cost and tokens are at least 0, copies at least 1"
        if (card.kind is CardKind.GOAL) is not (card.name in rules.goals):
            yield f"card {card.name}: goals has it, or its kind is goal, but not both"
        strange = [area for area in card.district if area not in rules.areas]
        if strange:
            yield f"card {card.name}: district has {strange[0]}, which is none of areas"
    for name in rules.goals:
        if name not in rules.cards:
            yield f"goals has {name}, which is no card"


def _tiles(rules: Ruleset) -> Iterator[str]:
    stacks = len(rules.areas) * rules.stacks_per_area
    if not 0 <= stacks <= _MOST_STACKS:
        yield f"stacks_per_area makes {stacks} stacks; {_MOST_STACKS} at most"
    needed = stacks * rules.tiles_per_stack
    there = sum(tile.count for tile in rules.tiles.values())
    if needed != there:
        yield f"tiles has {there} buildings; the stacks take {needed}"
    for tile in rules.tiles.values():
        if tile.count and (tile.unit is None or tile.unit not in rules.tiles):
            yield f"tile {tile.name}: its back must be a Unit that tiles has"


def _abilities(rules: Ruleset) -> Iterator[str]:
    """Check the abilities of a ruleset: carriers, names, and that all phases are answered."""
    yield from (f"tokens has {one}, no Token" for one in rules.tokens if not isinstance(one, Token))
    for carrier, abilities in _carried(rules):
        yield from (f"{carrier}: {fault}" for fault in _of_carrier(abilities))
    own = {ability.name for ability in rules.abilities}
    for carried in (*rules.tokens.values(), *rules.conditions.values()):
        for name in own & {ability.name for ability in carried}:
            yield f"abilities: a token or condition has an ability {name} too; rename one of them"
    answered = {one.on for one in rules.abilities if isinstance(one, Whenever)}
    for effect, shared in _ANSWERED.items():
        if effect not in answered:
            yield f"abilities: nothing answers {effect.__name__}; {shared} has what does"
    if not any(one.name == "roll" and isinstance(one, Whenever) for one in rules.abilities):
        yield "abilities: none is called roll; positions that leave the agenda out begin with it"


def _carried(rules: Ruleset) -> Iterator[tuple[str, tuple[Ability, ...]]]:
    """Yield everything that has abilities, and which."""
    yield "abilities", rules.abilities
    yield from ((f"card {card.name}", card.abilities) for card in rules.cards.values())
    yield from ((f"token {token}", abilities) for token, abilities in rules.tokens.items())
    yield from ((f"condition {kind}", abilities) for kind, abilities in rules.conditions.items())


def _of_carrier(abilities: tuple[Ability, ...]) -> Iterator[str]:
    for name, count in Counter(ability.name for ability in abilities).items():
        if count > 1:
            yield f"two abilities are called {name}; a position tells them apart by name"
    for ability in abilities:
        if isinstance(ability, Instead | Whenever) and ability.on not in _EFFECTS:
            yield f"{ability.name} answers {ability.on.__name__}, which is no effect of the engine"
