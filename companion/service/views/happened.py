"""Outcomes of the newest events, one sentence each: who was hit, entered, left, fell, won.

These are for everybody at the table. Every change has its row in the log; tasks with the box are in
`todo.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from companion import engine
from companion.engine import (
    TABLE,
    Damage,
    Effect,
    Eliminate,
    EndGame,
    Game,
    How,
    LoseHealth,
    MoveTo,
    Seat,
    StartAgain,
)
from companion.service.wire import Args, Happened, Words
from companion.table import Entry, Snapshot

MOST = 6
"""How many outcomes a view has."""
HIT_AT_ONCE = range(1, 6)
"""How many Monsters one sentence may name as hit."""


def happened(snapshot: Snapshot) -> tuple[Happened, ...]:
    """Return the outcomes of the events since the last roll, newest first."""
    entries = snapshot.entries
    rows = (entries[seq - 1] for seq in reversed(snapshot.state.since_roll))
    found: list[Happened] = []
    for _, act in groupby(rows, lambda row: row.command_id):
        if len(found) >= MOST:
            break
        newest_first = tuple(act)
        first = _first_of_command(newest_first[-1], entries)
        found += tuple(_outcomes_of(newest_first[::-1], first))[::-1]
    return tuple(found[:MOST])


def _first_of_command(entry: Entry, entries: Sequence[Entry]) -> int:
    """Return the number of the first row of the entry's command."""
    seq = entry.seq
    while seq > 1 and entries[seq - 2].command_id == entry.command_id:
        seq -= 1
    return seq


def _outcomes_of(rows: Sequence[Entry], first: int) -> Iterator[Happened]:
    """Yield the outcomes of these rows of one command, oldest first; `first`: the number of its
    first row.
    """
    game = rows[-1].after.game
    if game is None:
        return
    effects = [effect for entry in rows for effect in entry.performed]
    hits = _hits(effects)
    for effect in effects:
        if isinstance(effect, Damage | LoseHealth):
            yield from (Happened(sign="attack", words=words, act=first) for words in hits)
            hits = ()
        elif (outcome := _outcome(effect, game)) is not None:
            sign, words = outcome
            yield Happened(sign=sign, words=words, act=first)


def _hits(effects: Sequence[Effect]) -> tuple[Words, ...]:
    """Return who was hurt by how much, summed up; seats hit alike share a sentence."""
    sums: dict[tuple[Seat, Seat], int] = {}
    for effect in effects:
        if isinstance(effect, Damage | LoseHealth) and effect.amount > 0:
            dealer = effect.dealer if isinstance(effect, Damage) else TABLE
            key = (TABLE if dealer == effect.seat else dealer, effect.seat)
            sums[key] = sums.get(key, 0) + effect.amount
    alike: dict[tuple[Seat, int], list[Seat]] = {}
    for (dealer, seat), amount in sums.items():
        alike.setdefault((dealer, amount), []).append(seat)
    return tuple(
        words
        for (dealer, count), seats in alike.items()
        for words in _hit_words(dealer, seats, count)
    )


def _hit_words(dealer: Seat, seats: list[Seat], count: int) -> Iterator[Words]:
    if dealer == TABLE:
        for seat in seats:
            yield Words(key="happened.hurt", args={"seat": seat, "count": count})
    elif len(seats) == 1:
        yield Words(key="happened.hit.1", args={"by": dealer, "seat": seats[0], "count": count})
    else:
        args: Args = {"by": dealer, "count": count}
        args |= {f"other_{n}": seat for n, seat in enumerate(seats, start=1)}
        yield Words(key=f"happened.hit.{len(seats)}", args=args)


def _outcome(effect: Effect, game: Game) -> tuple[str, Words] | None:
    """Return sign and sentence of an effect that is no damage; None where it has none."""
    seat: Args = {"seat": effect.seat}
    match effect:
        case MoveTo(how=How.ENTER, place=place):
            return "pin", Words(key="happened.enters", args={**seat, "place": place})
        case MoveTo(how=How.FLEE | How.LEAVE, place=place, former=former) if former is not None:
            places = engine.rules_of(game).places
            only = sum(not one.inside for one in places.values()) == 1
            key = "happened.leaves" if only else "happened.leaves_for"
            return "pin", Words(key=key, args={**seat, "from": former, "place": place})
        case Eliminate():
            return "skull", Words(key="happened.out", args=seat)
        case StartAgain():
            return "paw", Words(key="happened.again", args=seat)
        case EndGame(winners=winners, reason=reason):
            return "crown", _winner_words(game, winners, reason)
    return None


def _winner_words(game: Game, winners: tuple[Seat, ...], reason: str) -> Words:
    """Return the sentence of who won and how; several winners share it."""
    if not winners:
        return Words(key="happened.nobody")
    if len(winners) > 1:
        shared: Args = {f"winner_{n}": seat for n, seat in enumerate(winners[:2], start=1)}
        return Words(key="happened.shared", args=shared)
    stars = game.monsters[winners[0]].stars
    return Words(key=f"happened.wins.{reason}", args={"seat": winners[0], "count": stars})
