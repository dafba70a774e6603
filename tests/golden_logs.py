"""Golden logs: whole games in `tests/golden/VERSION/*.jsonl`, with the digest after each turn.

`make golden` writes those that are missing for the rules of today (`RULES_VERSION`), and plays the
others again. It never rewrites one. If the rules of today give another result than a log of
their own version, they are other rules: raise `RULES_VERSION`, and `make golden` writes new logs
beside the old ones, which from then on show that an old table can still be opened.

A log is an exported one: a row a line, as `companion replay` reads it. Rows that end a turn carry
their digest, every tenth of them and the last one the position as well.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import msgspec

from companion.engine import (
    RULESETS,
    AnyEvent,
    Corrected,
    Correction,
    IllegalEvent,
    Moved,
    Number,
    Position,
    Seat,
)
from companion.records import LogLine, log_lines, row_of
from companion.table import (
    RULES_VERSION,
    Entry,
    GameStarted,
    Input,
    Redone,
    SeatSetup,
    Submission,
    Table,
    TableSet,
    Undone,
    replay_all,
    undoable,
)
from companion.table.log import EventLog
from companion.virtual import random_event

FOLDER = Path(__file__).parent / "golden"
HELD_EVERY = 10
"""The number of turns after which a log keeps the position."""
OFFERED = 0.3
"""The probability that an offered power is used."""


@dataclass(frozen=True, slots=True)
class Evening:
    """A game to be played. `wealth`: the energy that everybody starts with, so that cards are
    bought; `slips`: how likely something is corrected, or taken back, instead of played on.
    """

    game: str
    players: int
    edition: str = "first"
    wealth: int = 0
    slips: float = 0.0


NEW_YORK, TOKYO = RULESETS
EVENINGS = {
    "new_york_2": Evening(NEW_YORK, 2),
    "new_york_4_cards": Evening(NEW_YORK, 4, wealth=20),
    "new_york_6_slips": Evening(NEW_YORK, 6, wealth=12, slips=0.08),
    "tokyo_2": Evening(TOKYO, 2),
    "tokyo_3_later_edition": Evening(TOKYO, 3, RULESETS[TOKYO].editions[-1], wealth=20),
    "tokyo_4_cards": Evening(TOKYO, 4, wealth=20),
    "tokyo_6_slips": Evening(TOKYO, 6, wealth=12, slips=0.08),
}


# -- playing one ------------------------------------------------------------------------------


def played(name: str, evening: Evening) -> bytes:
    """Play the evening and return its log; a name always gives the same game under the
    same rules.
    """
    chance = Random(name)
    with tempfile.TemporaryDirectory() as folder:
        log = EventLog(Path(folder))
        table = Table(log, now=lambda: datetime(2026, 1, 1, tzinfo=UTC))
        seats = tuple(SeatSetup(f"P{n}", f"M{n}") for n in range(evening.players))
        first = chance.randrange(evening.players)
        _say(table, TableSet(evening.game, evening.edition, seats), GameStarted(first))
        if evening.wealth:
            given = range(evening.players)
            _say(table, Corrected(tuple(_energy(seat, evening.wealth) for seat in given)))
        while table.snapshot().state.question is not None:
            _say(table, *_next(table, evening, chance))
        rows = tuple(log.read(table.snapshot().game_id))
        table.close()
    lines = [msgspec.json.decode(line, type=LogLine) for line in log_lines(rows)]
    return b"".join(_thinned(lines))


def _say(table: Table, *events: Input) -> None:
    """Submit the events at the newest revision."""
    rev = table.snapshot().rev
    table.submit(Submission(f"row-{rev}", rev, events))


def _energy(seat: int, value: int) -> Correction:
    return Correction(Seat(seat), Number.ENERGY, value)


def _next(table: Table, evening: Evening, chance: Random) -> tuple[Input, ...]:
    """Choose the next events: played on, corrected, taken back, or taken back and brought back."""
    position = table.snapshot().state.position
    assert position is not None
    slip = chance.random() < evening.slips
    if slip and chance.random() < 0.5:
        correction = _correction(position, chance)
        if correction is not None:
            return (correction,)
    last = undoable(table.snapshot()) if slip else None
    if last is not None and not isinstance(last.event, GameStarted):
        undone = Undone(last.seq)
        regretted = chance.random() < 0.4
        return (undone, Redone(table.snapshot().rev + 1)) if regretted else (undone,)
    return (random_event(position, chance, OFFERED),)


def _correction(now: Position, chance: Random) -> AnyEvent | None:
    """Choose a number or a place to correct, if the rules of corrections allow it."""
    monster = chance.choice([each for each in now.game.monsters if each.alive])
    event = Corrected()
    if chance.random() < 0.2:
        place = chance.choice(now.rules.start_places)
        event = Corrected(places=(Moved(monster.seat, place),), reason="moved")
    else:
        what = chance.choice(tuple(Number))
        value = max(1, getattr(monster, what) + chance.choice((-2, -1, 1, 2)))
        number = Correction(monster.seat, what, min(value, now.number_max(monster.seat, what) - 1))
        event = Corrected((number,), reason="forgotten")
    try:
        now.apply(event)
    except IllegalEvent:
        return None
    return event


def _thinned(lines: list[LogLine]) -> Iterator[bytes]:
    """Yields the lines with the parts that a golden log keeps."""
    ends = [line.row for line in lines if line.position is not None]
    held = {*ends[::HELD_EVERY], ends[-1]}
    for line in lines:
        kept = LogLine(line.event)
        if line.row in ends:
            position = line.position if line.row in held else None
            kept = LogLine(
                line.event,
                row=line.row,
                rules_version=line.rules_version,
                digest=line.digest,
                position=position,
            )
        yield msgspec.json.encode(kept) + b"\n"


# -- playing them again -----------------------------------------------------------------------


def read(path: Path) -> tuple[LogLine, ...]:
    """Read the rows of a golden log."""
    return tuple(msgspec.json.decode(line, type=LogLine) for line in path.read_bytes().splitlines())


def replayed(path: Path) -> tuple[Entry, ...]:
    """Replay a golden log by the rules of today."""
    return tuple(replay_all(map(row_of, read(path))))


def differs(path: Path) -> str:
    """Describe where the rules of today differ from the log; "" if they do not."""
    one = next((entry for entry in replayed(path) if entry.refused is not None), None)
    return "" if one is None else f"row {one.seq}: {one.refused}"


def main() -> int:
    """Write what is missing, and compare the rest; return the exit status."""
    mine = FOLDER / RULES_VERSION
    mine.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for name, evening in EVENINGS.items():
        path = mine / f"{name}.jsonl"
        if not path.exists():
            print(f"written: {path.name}", file=sys.stderr)
            path.write_bytes(played(name, evening))
        elif difference := differs(path):
            wrong = 1
            print(f"{RULES_VERSION}/{path.name}, {difference}", file=sys.stderr)
    if wrong:
        print("Other rules: raise RULES_VERSION in companion/table/history.py.", file=sys.stderr)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
