"""Positions as people write them: what the rules can tell may be left out, all else is checked."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, replace

from companion.engine.answering import ask
from companion.engine.base_position import BasePosition
from companion.engine.checks import BROKEN, check, dangling_references, faults, shown
from companion.engine.effects.turn import RollPhase, TurnOver
from companion.engine.game import AnyStep, Game, Reaction
from companion.engine.loop import Outcome, run
from companion.engine.play import is_turn_end, run_to_turn_end
from companion.engine.position import Position, full_deck, full_pool
from companion.engine.registry import RULESETS, rules_for
from companion.engine.ruleset import Ruleset
from companion.engine.shared.turn import roll
from companion.engine.values import TABLE, Value

Json = dict[str, Any]
LONGEST_WORD: Final = 80
"""How many characters of a word a sentence about it repeats."""

_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class PositionError(ValueError):
    """The text is no position; its message is one line: what is wrong, and where."""

    def __init__(self, reason: str) -> None:
        super().__init__(in_one_line(reason))


class _InPlay(Value, frozen=True):
    """`in_play` as it may be written."""

    cards: tuple[Json, ...] = ()
    shop: tuple[Json | None, ...] = ()
    tokens: tuple[Json, ...] = ()
    conditions: tuple[Json, ...] = ()


class _Tiles(Value, frozen=True):
    """A borough as it may be written."""

    area: str
    stacks: tuple[Json, ...] = ()
    units: tuple[Json, ...] = ()
    souvenir: bool = False


class _Written(Value, frozen=True):
    """A position as it may be written: the fields of a Game, and what its inner ones must look like
    before defaults can be filled in. `asked` helps human readers and is ignored.
    """

    rules: str
    monsters: tuple[Json, ...]
    edition: str | None = None
    turn: Json | None = None
    in_play: _InPlay = _InPlay()
    deck: tuple[str, ...] | None = None
    discards: tuple[str, ...] = ()
    boroughs: tuple[_Tiles, ...] = ()
    tile_pool: tuple[str, ...] | None = None
    agenda: tuple[Json, ...] | None = None
    extra: tuple[Json, ...] = ()
    put_off: bool | None = None
    ended: Json | None = None
    clock: int = 0
    next_id: int | None = None
    house: tuple[str, ...] = ()
    asked: Any = None


def read_position(text: bytes) -> Game:
    """Return the game of this JSON, played on to the question that it asks (`read_outcome`)."""
    return read_outcome(text).game


def read_outcome(text: bytes, *, to_turn_end: bool = False) -> Outcome[Position]:
    """Play the position of this JSON on to the question that it asks, or with `to_turn_end` at most
    to the end of its turn.

    What the rules can tell may be left out (`docs/positions.md`): numbers a Monster begins with,
    the cards and tiles nobody has seen, ids, goals beside the deck, boroughs; and the agenda, if
    the active Monster is about to roll. Raises PositionError if it is no position, or one that
    cannot be.
    """
    if wrong_text := json_mistake(text):
        raise PositionError(wrong_text)
    try:
        written = msgspec.json.decode(text, type=_Written)
        rules = _rules(written)
        game = _ordered(rules, written, msgspec.convert(_completed(rules, written), Game))
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise PositionError(str(wrong)) from wrong
    except RecursionError as deep:
        raise PositionError("it is nested too deeply") from deep
    _raise_first(dangling_references(game))
    if written.agenda is None and game.ended is None:
        game = replace(game, agenda=about_to_roll(game, rules))
    position = Position.of(game)
    _raise_first(faults(position, at_rest=False))
    try:
        _raise_first(_unanswered(position))
        outcome = run_to_turn_end(position) if to_turn_end else run(position)
    except PositionError:
        raise
    except BROKEN as broken:
        raise PositionError(f"agenda: its steps cannot happen: {broken}") from broken
    if to_turn_end and is_turn_end(outcome.game):
        _raise_first(faults(outcome.position, at_rest=False))
    else:
        _raise_first(check(outcome.game))
    return outcome


def _unanswered(position: BasePosition) -> Iterator[str]:
    """Yield a fault if the last step is an ability that does not answer its effect."""
    step = position.game.agenda[-1] if position.game.agenda else None
    if not isinstance(step, Reaction):
        return
    entry = position.index.by_ref.get(step.ref)
    where = f"agenda[{len(position.game.agenda) - 1}]: ref {step.ref}"
    if entry is None:
        yield f"{where}: its card, token or condition is not in play, so nothing is asked"
    elif not position.is_alive(entry.seat):
        yield f"{where}: seat {entry.seat} is out of the game, so nothing is asked"
    elif ask(position, entry, step.effect) is None:
        fields = ", ".join(
            f"{each.name} {shown(getattr(step.effect, each.name))}"
            for each in msgspec.structs.fields(step.effect)
            if getattr(step.effect, each.name) != each.default
        )
        yield f"{where} says nothing to {step.effect.tag()} of {fields}: nothing is asked"


def _rules(written: _Written) -> Ruleset:
    usual = RULESETS.get(written.rules)
    if usual is None:
        raise PositionError(f"rules: no game {written.rules}; known: {', '.join(RULESETS)}")
    edition = usual.edition if written.edition is None else written.edition
    if edition not in usual.editions:
        raise PositionError(f"edition: no edition {edition}; known: {', '.join(usual.editions)}")
    strange = next((switch for switch in written.house if switch not in usual.house), None)
    if strange is not None:
        raise PositionError(f"house: no house rule {strange}; known: {', '.join(usual.house)}")
    return rules_for(written.rules, edition, written.house)


def about_to_roll(game: Game, rules: Ruleset) -> tuple[AnyStep, ...]:
    """Return the agenda of a turn whose income has been paid: dice with faces may be thrown again,
    final ones are resolved.
    """
    seat, turn = game.turn.active, game.turn
    steps: list[AnyStep] = [TurnOver(seat), *(phase(seat) for phase in reversed(rules.phases))]
    if turn.final:
        steps.pop()
    elif turn.faces:
        rolling = steps.pop()
        assert isinstance(rolling, RollPhase)  # both games begin with it
        steps.append(Reaction(f"game/{roll.name}", rolling))
    return tuple(steps)


def _raise_first(broken: Iterable[str]) -> None:
    for line in broken:
        raise PositionError(line)


# -- what may be left out ---------------------------------------------------------------------


def _completed(rules: Ruleset, written: _Written) -> Json:
    """Return the whole position, still unchecked."""
    monsters = [_monster(rules, seat, one) for seat, one in enumerate(written.monsters)]
    in_play, boroughs = _in_play(rules, written.in_play), _boroughs(rules, written.boroughs)
    for_sale = [one for one in in_play["shop"] if one is not None]
    units = [unit for borough in boroughs for unit in borough["units"]]
    next_id = _number([*in_play["cards"], *for_sale, *units])
    _as_written(in_play, boroughs, written)
    shown = [one.get("name") for one in (*in_play["cards"], *for_sale)]
    tops = [stack.get("top") for borough in boroughs for stack in borough["stacks"]]
    defaults: Json = {
        "edition": rules.edition,
        "deck": _rest(full_deck(rules), [*shown, *written.discards]),
        "tile_pool": _rest(full_pool(rules), tops),
        "agenda": [],
        "put_off": None in in_play["shop"],
        "next_id": next_id,
    }
    given = asdict(written)
    del given["asked"]
    return {
        **{name: defaults.get(name) if value is None else value for name, value in given.items()},
        "monsters": monsters,
        "turn": _turn(rules, monsters, written.turn or {}),
        "in_play": in_play,
        "boroughs": boroughs,
        "house": sorted(set(written.house)),
    }


def _monster(rules: Ruleset, seat: int, written: Json) -> Json:
    """Return a Monster as it begins, with the numbers given; one that is out has nothing."""
    if written.get("alive") is False:
        return {"seat": seat, "health": 0, "place": None, **written}
    only = rules.start_places[0] if len(rules.start_places) == 1 else None
    full = {"seat": seat, "health": rules.health, "place": only, **written}
    stars = full.get("stars")
    if isinstance(stars, int) and stars >= rules.goal_stars:
        full.setdefault("reached", 0)
    return full


def _turn(rules: Ruleset, monsters: list[Json], written: Json) -> Json:
    inside = [name for name, place in rules.places.items() if place.inside]
    there = sum(one["place"] in inside for one in monsters)
    dice = len(written["faces"]) if isinstance(written.get("faces"), list) else 0
    living = (seat for seat, one in enumerate(monsters) if one.get("alive") is not False)
    return {
        "active": next(living, 0),
        "number": 1,
        "inside_at_start": there,
        "dice": dice,
        **written,
    }


def _in_play(rules: Ruleset, written: _InPlay) -> Json:
    """Return the cards in play, with unheld goals beside the deck."""
    held = [one.get("name") for one in written.cards]
    goals = [{"name": name, "owner": int(TABLE)} for name in rules.goals if name not in held]
    return {
        "cards": [*goals, *(dict(one) for one in written.cards)],
        "shop": [one and dict(one) for one in written.shop] or [None, None, None],
        "tokens": [{"count": 1, **one} for one in written.tokens],
        "conditions": written.conditions,
    }


def _boroughs(rules: Ruleset, written: tuple[_Tiles, ...]) -> list[Json]:
    """Return every borough with all its stacks, as they begin if nothing is given."""
    by_area = {one.area: one for one in written}
    strange = [area for area in by_area if area not in rules.areas]
    strange += (Counter(one.area for one in written) - Counter(by_area.keys())).elements()
    full = []
    for at, area in enumerate((*rules.areas, *strange)):
        one = by_area.get(area, _Tiles(area))
        count, first = max(rules.stacks_per_area, len(one.stacks)), at * rules.stacks_per_area
        stacks = [*one.stacks, *({} for _ in range(count - len(one.stacks)))]
        beginning = {"top": None, "left": rules.tiles_per_stack}
        full.append(
            {
                "area": area,
                "stacks": [{"id": first + k, **beginning, **s} for k, s in enumerate(stacks)],
                "units": [{"turn": 0, **unit} for unit in one.units],
                "souvenir": one.souvenir,
            }
        )
    return full


def _as_written(in_play: Json, boroughs: list[Json], written: _Written) -> None:
    """Reorder as the writer had it, so that messages count as the writer does."""
    added = len(in_play["cards"]) - len(written.in_play.cards)
    in_play["cards"] = in_play["cards"][added:] + in_play["cards"][:added]
    areas = [one.area for one in written.boroughs]
    boroughs.sort(key=lambda one: areas.index(one["area"]) if one["area"] in areas else len(areas))


def _ordered(rules: Ruleset, written: _Written, game: Game) -> Game:
    """Return the position in the order that play has: goals first, boroughs as on the board, and
    sorted what has no order.
    """
    in_play, areas = game.in_play, rules.areas
    count = len(written.in_play.cards)
    boroughs = sorted(
        game.boroughs, key=lambda b: areas.index(b.area) if b.area in areas else len(areas)
    )
    cards = (*in_play.cards[count:], *in_play.cards[:count])
    return replace(
        game,
        in_play=replace(in_play, cards=cards),
        discards=tuple(sorted(game.discards)),
        boroughs=tuple(boroughs),
        tile_pool=tuple(sorted(game.tile_pool)),
    )


def _number(things: list[Json]) -> int:
    """Give cards and Units without an id the next ids."""
    last = max((one["id"] for one in things if isinstance(one.get("id"), int)), default=0)
    for one in things:
        if "id" not in one:
            one["id"] = last = last + 1
    return last + 1


def _rest(all_of_them: tuple[str, ...], seen: list[object]) -> list[str]:
    """Return what is left of them, sorted."""
    left = Counter(all_of_them)
    left.subtract(name for name in seen if isinstance(name, str))
    return sorted(left.elements())


# -- mistakes in the text ----------------------------------------------------------------------


class _TwiceError(ValueError):
    """A field is given twice in one object."""


def json_mistake(text: bytes) -> str:
    """Return a mistake that the decoder accepts or does not explain, in one sentence: no text, not
    UTF-8, or a field given twice; "" if there is none.
    """
    if not text.strip():
        return "it is empty"
    if text.startswith(_MARKS):
        return "it begins with a byte order mark; save it as UTF-8 without one"
    try:
        json.loads(text.decode(), object_pairs_hook=_each_once)
    except _TwiceError as twice:
        return str(twice)
    except UnicodeDecodeError as wrong:
        return f"byte {wrong.start} is no UTF-8; save it as UTF-8"
    except RecursionError:
        return "it is nested too deeply"
    except ValueError:
        return ""  # the decoder reports it
    return ""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise _TwiceError(f"{twice} stands twice in one object, not once")
    return dict(pairs)


def in_one_line(text: str) -> str:
    """Return the sentence on one line: control characters are escaped, very long words cut."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return re.sub(rf"(\S{{{LONGEST_WORD}}})\S+", r"\1…", shown)
