"""Reading positions: those of random play are all read back, and none with one field broken.

`python -m tests.properties.reading --positions 20000 --broken 200` checks as many as wanted.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec

from companion.engine import (
    EDITIONS,
    AnyEvent,
    CardShown,
    Corrected,
    Correction,
    Face,
    Game,
    IllegalEvent,
    Moved,
    Number,
    OrderChosen,
    Position,
    PositionError,
    PutOff,
    Seat,
    Setup,
    TileShown,
    check,
    new_game,
    read_position,
    rules_of,
)
from companion.virtual import deal_keep_cards, random_event

Json = dict[str, Any]

BOXES = [
    (name, edition, house)
    for (name, edition), rules in EDITIONS.items()
    for house in ((), tuple(sorted(rules.house)))
]
MOST_EVENTS = 3_000


# -- positions that play leads to -----------------------------------------------------------------


def played(seed: int) -> Iterator[Game]:
    """Yield every position of one random game, from its first question to its end, with set-up,
    corrections and other events that are allowed at any time.
    """
    chance = Random(f"reading/{seed}")
    name, edition, house = BOXES[seed % len(BOXES)]
    players = chance.randint(2, 6)
    first = Seat(chance.randrange(players))
    game = new_game(Setup(name, players, first, edition, house)).game
    if chance.random() < 0.7:
        game = deal_keep_cards(game, chance.randint(1, 5), chance)
    sudden, offered = chance.choice((0.0, 0.05, 0.2)), chance.choice((0.1, 0.3, 0.6))
    yield game
    for _ in range(MOST_EVENTS):
        asked = Position.of(game).question
        if asked is None:
            return
        event = random_event(Position.of(game), chance, offered)
        if chance.random() < sudden:
            event = said_any_time(game, chance)
        try:
            game = Position.of(game).apply(event).game
        except IllegalEvent:
            continue
        yield game


def said_any_time(game: Game, chance: Random) -> AnyEvent:
    """Draw an event that a table may send whatever is asked; not always legal."""
    number = chance.random()
    if number < 0.5:
        return _correction(game, chance)
    if number < 0.6:
        return PutOff()
    if number < 0.75:
        return CardShown(chance.choice(game.deck or game.discards or ("",)), chance.randrange(3))
    if number < 0.85:
        return TileShown(chance.choice((None, *game.tile_pool[:3])), chance.randrange(15))
    faces = list(rules_of(game).faces)
    return OrderChosen(game.turn.active, tuple(chance.sample(faces, len(faces))))


def _correction(game: Game, chance: Random) -> Corrected:
    now = Position.of(game)
    seat = chance.choice(now.alive())
    if chance.random() < 0.5:
        return Corrected(places=(Moved(seat, chance.choice(list(now.rules.places))),))
    what = chance.choice(list(Number))
    most = now.number_max(seat, what)
    value = chance.choice((0, 1, most, chance.randint(0, most)))
    return Corrected(numbers=(Correction(seat, what, value),))


# -- one field broken -----------------------------------------------------------------------------

Wrong = Callable[[Json, Any, Random], Any]
"""What to write there instead, of the whole position and what holds the field; SOUND if nothing
can be wrong here."""

SOUND = object()


def always(*values: Any) -> Wrong:
    """Return a mutation to one of these values, wrong in every position."""
    return lambda whole, holder, chance: chance.choice(values)


def more(by: str, what: Callable[[Any], Any]) -> Wrong:
    """Return a mutation that adds one element too many, made from one that is there."""
    return lambda whole, holder, chance: (
        [*holder[by], what(chance.choice(holder[by]))] if holder[by] else SOUND
    )


def when(holds: Callable[[Json, Any], bool], wrong: Wrong) -> Wrong:
    """Return the mutation where the condition holds, else none."""
    return lambda whole, holder, chance: (
        wrong(whole, holder, chance) if holds(whole, holder) else SOUND
    )


def _foreign(whole: Json, _: Any, chance: Random) -> str:
    return chance.choice([face.value for face in Face if face not in RULES[whole["rules"]].faces])


def _not_rolled(whole: Json, _: Any) -> bool:
    return not whole["turn"]["final"]


def _has_begun(whole: Json, _: Any) -> bool:
    return whole["ended"] is None and whole["turn"]["number"] > 0


def _lives(_: Json, monster: Any) -> bool:
    return bool(monster["alive"])


def _stands(_: Json, monster: Any) -> bool:
    return monster["place"] is not None


def _same(value: Any) -> Any:
    return value


RULES = {name: rules for (name, _), rules in EDITIONS.items()}
NO_SEAT = always(-2, 6, 99)

BREAKS: dict[str, Wrong] = {
    "rules": always("chess", ""),
    "edition": always("ninth", ""),
    "house": always(["flying"]),
    "monsters": lambda whole, holder, chance: holder["monsters"] * 4,
    "monsters.seat": always(-1, 9),
    "monsters.health": always(-1, 13, 99),
    "monsters.stars": always(-1, 21, 999),
    "monsters.energy": always(-1, 1000),
    "monsters.place": when(_stands, always("atlantis", "", None)),
    "monsters.alive": when(_lives, always(False)),
    "monsters.fallen": always(True),
    "monsters.died_turn": when(_lives, always(0, 3)),
    "monsters.reached": when(lambda w, m: m["stars"] < 20, always(0, 99)),
    "monsters.name": always("nobody", ""),
    "monsters.trophies": always(["tank"] * 60, ["jet"] * 15),
    "turn": always(5, []),
    "turn.active": NO_SEAT,
    "turn.number": always(-3, -1, 1 << 30),
    "turn.inside_at_start": always(-1, 3, 5),
    "turn.rolls_left": always(-1, -9, 1000),
    "turn.dice": always(-1, 9),
    "turn.faces": lambda whole, holder, chance: [RULES[whole["rules"]].faces[0].value] * 9,
    "turn.final": when(_has_begun, lambda whole, holder, chance: not holder["final"]),
    "turn.added": lambda whole, holder, chance: [_foreign(whole, holder, chance)],
    "turn.spent": always([8], [-1], [99]),
    "turn.order": lambda whole, holder, chance: [RULES[whole["rules"]].faces[0].value] * 2,
    "turn.resolved": lambda whole, holder, chance: [RULES[whole["rules"]].faces[0].value] * 2,
    "turn.claimed": when(_not_rolled, always(True)),
    "turn.destroyed": always(["castle"]),
    "turn.tally": more("tally", lambda row: {**row, "deed": "wonder"}),
    "turn.tally.deed": always("wonder"),
    "turn.tally.by": NO_SEAT,
    "turn.tally.seat": always(-1, 6),
    "turn.tally.amount": always(-1, 1000),
    "turn.used": always([5]),
    "turn.follows": NO_SEAT,
    "in_play": always(3, []),
    "in_play.cards": more("cards", lambda card: {**card, "name": "winks"}),
    "in_play.cards.id": always(0, -1, 1 << 20),
    "in_play.cards.name": always("winks", ""),
    "in_play.cards.owner": NO_SEAT,
    "in_play.cards.counters": always(-1, 1000),
    "in_play.cards.copies": always(0, 999),
    "in_play.shop": lambda whole, holder, chance: (
        [*holder["shop"], *chance.choice(([None], []))][: chance.choice((2, 4))]
        + [None] * chance.choice((2, 3))
    ),
    "in_play.shop.id": always(0, -1, 1 << 20),
    "in_play.shop.name": always("winks"),
    "in_play.shop.owner": always(0, 9),
    "in_play.shop.counters": always(1, -1),
    "in_play.shop.copies": always(1),
    "in_play.tokens": more("tokens", _same),
    "in_play.tokens.token": always("honey"),
    "in_play.tokens.seat": NO_SEAT,
    "in_play.tokens.count": always(0, -1, 99),
    "in_play.conditions": more("conditions", _same),
    "in_play.conditions.kind": always("weather"),
    "in_play.conditions.seat": NO_SEAT,
    "in_play.conditions.turn": lambda whole, holder, chance: whole["turn"]["number"] + 1,
    "deck": lambda whole, holder, chance: [*holder["deck"], "winks"],
    "discards": lambda whole, holder, chance: [*holder["discards"], "winks"],
    "boroughs": more("boroughs", _same),
    "boroughs.area": always("atlantis"),
    "boroughs.stacks": more("stacks", _same),
    "boroughs.stacks.id": lambda whole, holder, chance: holder["id"] + chance.choice((-1, 1, 99)),
    "boroughs.stacks.top": always("castle", "tank", ""),
    "boroughs.stacks.left": always(-1, 4, 9),
    "boroughs.units": lambda whole, holder, chance: [{"kind": "tank"}] * 60,
    "boroughs.units.id": always(0, -1, 1 << 20),
    "boroughs.units.kind": always("navy"),
    "boroughs.units.turn": lambda whole, holder, chance: whole["turn"]["number"] + 1,
    "boroughs.souvenir": always(7),
    "tile_pool": lambda whole, holder, chance: (
        [*holder["tile_pool"], chance.choice(("castle", "tank"))] if holder["boroughs"] else SOUND
    ),
    "agenda": when(_has_begun, lambda whole, holder, chance: []),
    "agenda.type": always("Nonsense"),
    "agenda.ref": always("game/fly", "card.999/wings", ""),
    "agenda.effect": always({"type": "DeckEmpty", "seat": 0}),
    "agenda.instead": lambda whole, holder, chance: not holder["instead"],
    "agenda.part": lambda whole, holder, chance: (
        SOUND if any(step["type"] == "Together" for step in whole["agenda"]) else not holder["part"]
    ),
    "agenda.chosen": always(2),
    "agenda.lying": lambda whole, holder, chance: [_foreign(whole, holder, chance)],
    "agenda.waiting": always([{"type": "Nonsense"}]),
    "agenda.ready": always([{"type": "Nonsense"}]),
    "agenda.first": always([{"type": "Nonsense"}]),
    "extra": always([{"seat": 9}], [{"seat": 0, "condition": "weather"}]),
    "extra.seat": NO_SEAT,
    "extra.condition": always("weather"),
    "put_off": always(2, "no"),
    "ended": always({"reason": "tired", "winners": []}, {"reason": "stars", "winners": [9]}),
    "ended.reason": always("tired", ""),
    "ended.winners": always([9], [0, 1, 2, 3, 4, 5, 6]),
    "clock": always(-1, -99, 1 << 30),
    "next_id": always(0, 1, 1 << 30),
}
"""For each field of a position what it can never be; the fields of effects stand in EFFECTS."""

EFFECTS: dict[str, Wrong] = {
    "seat": always(-1, 9),
    "dealer": NO_SEAT,
    "to": NO_SEAT,
    "by": NO_SEAT,
    "amount": always(-1, 1000),
    "number": always(-1, 1000),
    "shown": always("winks", ""),
    "used_up": always(["atlantis"]),
    "left": always(-1, 1000),
    "given": always([9], [-1]),
    "cost": always(-1, 1000),
    "card": always(0, -2, 1 << 20),
    "of": always(0, 1 << 20),
    "name": always("winks"),
    "kind": always("navy"),
    "area": always("atlantis"),
    "place": always("atlantis"),
    "token": always("honey"),
    "face": _foreign,
    "into": _foreign,
    "faces": lambda whole, holder, chance: [_foreign(whole, holder, chance)],
    "die": always(-1, 9),
    "stack": always(-1, 99),
    "unit": always(-1, 1 << 20),
    "slot": always(-1, 3),
    "condition": always("weather"),
    "winners": always([9], [-1]),
    "final": always(2),
    "extra": always(2),
    "inside": always(2),
    "answered": always(2),
    "by_attack": always(2),
    "by_ouch": always(2),
    "topic": always(2),
}
"""The same of the fields of effects, whatever step of the agenda speaks of them."""


@dataclass(frozen=True)
class Broken:
    """A position with one field broken: where, and the wrong value."""

    path: str
    text: bytes
    value: Any

    @property
    def field(self) -> str:
        """The name of the field."""
        return self.path.rpartition(".")[2]


def breakable(whole: Json) -> dict[str, list[tuple[Any, str]]]:
    """Return each field of this position by its path, with what contains it, as often as it is
    there.
    """
    found: dict[str, list[tuple[Any, str]]] = {}

    def look(value: Any, path: str) -> None:
        for name, inner in value.items():
            below = f"{path}.{name}" if path else name
            found.setdefault(below, []).append((value, name))
            for each in inner if isinstance(inner, list) else [inner]:
                if isinstance(each, dict):
                    look(each, below)

    look(whole, "")
    return found


def rule_of(path: str) -> Wrong:
    """Return how the field is broken; an effect's by its name alone."""
    if path in BREAKS:
        return BREAKS[path]
    above, _, name = path.rpartition(".")
    if above.startswith("agenda") and name == "type":
        return BREAKS["agenda.type"]
    return EFFECTS.get(name, always(SOUND)) if above.startswith("agenda") else BREAKS[path]


def broken(game: Game, path: str, chance: Random) -> Broken | None:
    """Return this position with that field broken; None if it is absent or cannot be wrong."""
    whole = json.loads(msgspec.json.encode(game))
    places = breakable(whole).get(path)
    if not places:
        return None
    holder, name = chance.choice(places)
    value = rule_of(path)(whole, holder, chance)
    if value is SOUND or value == holder[name]:
        return None
    holder[name] = value
    return Broken(path, json.dumps(whole).encode(), value)


def says(each: Broken) -> str:
    """Return what is wrong with the refusal; "" if it is right."""
    try:
        read_position(each.text)
    except PositionError as refused:
        message = str(refused)
        if len(message.splitlines()) != 1:
            return f"{each.path}: more than one line: {message}"
        if not re.search(rf"(?<![a-z]){each.field}(?![a-z])", message):
            return f"{each.path} set to {each.value!r}: does not name the field: {message}"
        return ""
    return f"{each.path} set to {each.value!r}: accepted"


# -- the command ----------------------------------------------------------------------------------


@dataclass
class Tally:
    """What was tried, and each failure."""

    positions: int = 0
    fields: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def accepted(wanted: int, seed: int) -> Tally:
    """Check so many positions of random play: each is sound and read back the same."""
    tally = Tally()
    while True:
        for game in played(seed):
            tally.positions += 1
            tally.faults += check(game)
            try:
                if read_position(msgspec.json.encode(game)) != game:
                    tally.faults.append(f"game {seed}: read as another position")
            except PositionError as refused:
                tally.faults.append(f"game {seed}: {refused}")
            if tally.positions == wanted:
                return tally
        seed += 1


def refused(wanted: int, seed: int) -> Tally:
    """Check so many positions with one field broken, the fields in turn; each refusal names the
    field.
    """
    tally, chance = Tally(), Random(f"broken/{seed}")
    turn: Counter[str] = Counter()
    for game in _spread(seed):
        paths = sorted(breakable(json.loads(msgspec.json.encode(game))))
        for path in sorted(paths, key=lambda path: (turn[path], path))[:4]:
            turn[path] += 1
            each = broken(game, path, chance)
            if each is None:
                continue
            tally.positions += 1
            tally.fields[path] += 1
            tally.faults += filter(None, [says(each)])
            if tally.positions == wanted:
                return tally
    return tally


def _spread(seed: int) -> Iterator[Game]:
    """Yield positions far apart, of one game after the other."""
    while True:
        yield from list(played(seed))[::-17]
        seed += 1


def main(arguments: Sequence[str]) -> int:
    """Print what was tried, and each failure (exit 1)."""
    made = argparse.ArgumentParser(prog="python -m tests.properties.reading", description=__doc__)
    made.add_argument("--positions", type=int, default=20_000, help="of random play, to be read")
    made.add_argument(
        "--broken", type=int, default=200, help="with one field broken, to be refused"
    )
    made.add_argument("--seed", type=int, default=1, help="of the first game")
    wanted = made.parse_args(arguments)
    read, not_read = accepted(wanted.positions, wanted.seed), refused(wanted.broken, wanted.seed)
    print(
        f"{read.positions} positions of random play read back, {len(read.faults)} not; "
        f"{not_read.positions} broken in {len(not_read.fields)} fields, "
        f"{len(not_read.faults)} not refused by the name of the field (seed {wanted.seed})"
    )
    for fault in (*read.faults, *not_read.faults):
        print(fault, file=sys.stderr)
    return 1 if read.faults or not_read.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
