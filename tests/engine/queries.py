"""The engine's answers about the positions of `tests/positions` and the newest golden logs.

`python -m tests.engine.queries` prints a line of JSON for each answer: the same bytes however
Python is started, as `test_same_answers.py` shows.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

from companion.cli.play import rule_entries
from companion.engine import (
    AnyEvent,
    IllegalEvent,
    Number,
    Position,
    Quantity,
    Seat,
    happenings,
    read_position,
    uncomputable,
)
from companion.engine.game import Game
from companion.engine.queries.explain import LOOKED_UP
from companion.table import RULES_VERSION, GameStarted
from tests import golden_logs as golden

ROOT: Final = Path(__file__).parent.parent
POSITIONS: Final = sorted((ROOT / "positions").glob("*.json"))
LOGS: Final = sorted((ROOT / "golden" / RULES_VERSION).glob("*_[46]_*.jsonl"))
BROKEN_ONES: Final = 6
"""So many steps of each position's agenda are left out, one at a time."""


def answers() -> Iterator[tuple[str, str, Any]]:
    """Name each thing that was asked, and of what, with its answer."""
    for path in POSITIONS:
        written = json.loads(path.read_text("utf-8"))
        game = read_position(json.dumps(written["position"]).encode())
        events = [msgspec.convert(event, AnyEvent) for event in written["events"]]
        yield from asked(path.stem, Position.of(game), events)
        yield from damaged(path.stem, game)
    for path in LOGS:
        entries = golden.replayed(path)
        begun = next(one for one in entries if isinstance(one.event, GameStarted))
        assert begun.after.position is not None
        events = [one.event for one in rule_entries(entries) if isinstance(one.event, AnyEvent)]
        yield from asked(path.stem, begun.after.position, events)


def asked(name: str, start: Position, events: list[AnyEvent]) -> Iterator[tuple[str, str, Any]]:
    """Ask everything about a game: of its first position what may come, of its last what came."""
    yield name, "audit", attempt(partial(start.audit, events))
    happened = attempt(lambda: tuple(happenings(start, events)))
    if isinstance(happened, str):
        yield name, "refused", happened
        happened = ()
    position = happened[-1].outcome.position if happened else start
    for seat in range(len(start.game.monsters)):
        for number in Number:
            yield name, f"explain {seat} {number}", start.explain(happened, Seat(seat), number)
        for quantity in LOOKED_UP:
            card = next(iter(position.rules.cards)) if quantity is Quantity.PRICE else ""
            why = position.explain_quantity(Seat(seat), quantity, card)
            yield name, f"explain {seat} {quantity}", why
    for one in (start, position):
        yield name, "digest", one.digest()
        yield name, "events", one.legal_events()
        faces = tuple(Random(name).choices(one.rules.faces, k=one.game.turn.dice or one.rules.dice))
        yield name, "preview", attempt(partial(one.preview, faces))
        yield name, "keeps", attempt(one.keeps)


def damaged(name: str, game: Game) -> Iterator[tuple[str, str, bool]]:
    """Whether the game can go on with one step of its agenda missing."""
    for at in range(min(BROKEN_ONES, len(game.agenda))):
        agenda = (*game.agenda[:at], *game.agenda[at + 1 :])
        broken = msgspec.structs.replace(game, agenda=agenda)
        yield name, f"without step {at}", uncomputable(broken) is None


def attempt(ask: Callable[[], Any]) -> Any:
    """Return the answer, or why there is none."""
    try:
        return ask()
    except IllegalEvent as refused:
        return f"{refused}"


def main() -> None:
    """Print the answers."""
    for name, what, answer in answers():
        sys.stdout.buffer.write(msgspec.json.encode([name, what, answer]) + b"\n")


if __name__ == "__main__":
    main()
