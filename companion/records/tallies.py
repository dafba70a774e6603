"""What each seat did in one game, added up over the rows of its log that count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from companion.engine import (
    BeginTurn,
    BuyCard,
    Damage,
    DiceRolled,
    Effect,
    Face,
    GainEnergy,
    GainStars,
    Game,
    Heal,
    Roll,
    rules_of,
)
from companion.records.names import Names
from companion.records.results import GameResult, result_of
from companion.table import Entry


class SeatTally(msgspec.Struct, frozen=True):
    """What one seat did and suffered.

    `thrown`: by face the dice of throws that had to be entered whatever they showed (the last ones
    possible, and all if each has its price): people enter other throws, or keep dice of them, as
    they like what they show. `kept`: by face the dice that counted.
    """

    seat: int
    turns: int = 0
    turns_inside: int = 0
    """How many of its turns began in the city."""
    dealt: int = 0
    taken: int = 0
    healed: int = 0
    stars: int = 0
    energy: int = 0
    best_turn: int = 0
    """The most stars it gained in one turn of its own."""
    best_hit: int = 0
    """The most damage it dealt to one Monster at once."""
    places: dict[str, int] = {}
    """By place, how many of its turns began there."""
    bought: tuple[str, ...] = ()
    thrown: dict[Face, int] = {}
    kept: dict[Face, int] = {}


class GameTally(msgspec.Struct, frozen=True):
    """A game's result, and what each seat did."""

    result: GameResult
    seats: tuple[SeatTally, ...]


def named(tally: GameTally, names: Names) -> GameTally:
    """Return the tally under the names that are merged."""
    return replace(tally, result=names.applied(tally.result))


def tally_of(table: str, entries: Sequence[Entry]) -> GameTally | None:
    """Return the tally of a table's game; None if none has started."""
    result = result_of(table, entries)
    if result is None:
        return None
    found = [_Seat() for _ in result.players]
    for seq in entries[-1].after.active:
        _add(found, entries[seq - 1])
    return GameTally(result, tuple(one.tally(seat) for seat, one in enumerate(found)))


@dataclass(slots=True)
class _Seat:
    """A tally while it is added up."""

    counts: Counter[str] = field(default_factory=Counter)
    places: Counter[str] = field(default_factory=Counter)
    turn_stars: int = 0
    """Stars gained since its turn began."""
    best_turn: int = 0
    best_hit: int = 0
    bought: list[str] = field(default_factory=list)
    thrown: Counter[Face] = field(default_factory=Counter)
    kept: Counter[Face] = field(default_factory=Counter)

    def tally(self, seat: int) -> SeatTally:
        return SeatTally(
            seat=seat,
            **self.counts,
            best_turn=self.best_turn,
            best_hit=self.best_hit,
            places=dict(self.places),
            bought=tuple(self.bought),
            thrown=dict(self.thrown),
            kept=dict(self.kept),
        )


def _add(found: list[_Seat], row: Entry) -> None:
    """Add what a row did."""
    before, after = row.before.game, row.after.game
    if any(game is not None and len(game.monsters) != len(found) for game in (before, after)):
        return  # before rows were lost there were other seats
    active = before.turn.active if before is not None else None
    for effect in row.performed:
        if isinstance(effect, BeginTurn) and effect.seat in range(len(found)):
            active, found[effect.seat].turn_stars = effect.seat, 0
        _add_effect(found, effect, own_turn=effect.seat == active)
    if isinstance(row.event, DiceRolled):
        _add_dice(found, row, row.event)
    if after is not None and after.turn.number > (before.turn.number if before else 0):
        _add_turn(found, after)


def _add_effect(found: list[_Seat], effect: Effect, *, own_turn: bool) -> None:
    if effect.seat not in range(len(found)):
        return
    mine = found[effect.seat]
    match effect:
        case Damage(amount=amount, dealer=dealer):
            mine.counts["taken"] += amount
            if dealer != effect.seat and dealer in range(len(found)):
                found[dealer].counts["dealt"] += amount
                found[dealer].best_hit = max(found[dealer].best_hit, amount)
        case Heal(amount=amount):
            mine.counts["healed"] += amount
        case GainStars(amount=amount):
            mine.counts["stars"] += amount
            if own_turn:
                mine.turn_stars += amount
                mine.best_turn = max(mine.best_turn, mine.turn_stars)
        case GainEnergy(amount=amount):
            mine.counts["energy"] += amount
        case BuyCard(name=name):
            mine.bought.append(name)


def _add_turn(found: list[_Seat], game: Game) -> None:
    active = game.turn.active
    place = game.monsters[active].place
    mine = found[active]
    mine.counts["turns"] += 1
    if place is not None:
        mine.places[place] += 1
        mine.counts["turns_inside"] += rules_of(game).places[place].inside


def _add_dice(found: list[_Seat], row: Entry, rolled: DiceRolled) -> None:
    """Add the dice of a throw: those that fell as reported, and at its end those that count."""
    position = row.before.position
    asked = position.question if position is not None else None
    if not isinstance(asked, Roll):
        return
    mine = found[asked.seat]
    mine.thrown.update(_as_they_fell(asked, rolled))
    if asked.main and rolled.final:
        mine.kept.update(rolled.faces)


def _as_they_fell(asked: Roll, rolled: DiceRolled) -> Iterator[Face]:
    """Yield the faces of the dice of a throw that had to be entered whatever it showed."""
    is_last = asked.left <= 1 and not asked.more if asked.main else not asked.loose
    if not (is_last or asked.counted):
        return
    fell = rolled.rethrown if asked.showing else range(len(rolled.faces))
    for die in fell:
        if die < len(rolled.faces):
            yield rolled.faces[die]
