"""Golden logs: whole games under older rules, replayed to the same digests."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from companion.engine import Position
from companion.records import row_of
from companion.table import RULES_VERSION, Entry, replay_all
from tests import golden_logs as golden

LOGS = sorted(golden.FOLDER.glob("*/*.jsonl"))
TODAYS = [path for path in LOGS if path.parent.name == RULES_VERSION]


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", LOGS, ids=name_of)
def test_it_ends_as_it_ended(path: Path) -> None:
    """By the rules it was played by; with a position the log holds if they have changed."""
    last = golden.replayed(path)[-1].after.game
    written = golden.read(path)[-1]
    assert last is not None
    assert last.ended is not None
    assert last == written.position
    if path.parent.name == RULES_VERSION:
        assert Position.of(last).digest() == written.digest


def turn_ends(entries: tuple[Entry, ...]) -> list[tuple[int, str]]:
    """Return the row that ended each turn that counts, and the digest after it."""
    ends: dict[int, tuple[int, str]] = {}
    for one in (entries[seq - 1] for seq in entries[-1].after.active):
        before, after = one.before.game, one.after.game
        if after is None:
            continue
        turn = before.turn.number if before is not None else -1
        if after.turn.number != turn or after.ended is not None:
            ends[turn] = (one.seq, Position.of(after).digest())
    return list(ends.values())


@pytest.mark.parametrize("path", TODAYS, ids=name_of)
def test_by_its_own_rules_every_turn_leads_where_it_led(path: Path) -> None:
    """A change of the rules raises RULES_VERSION (companion/table/history.py); then `make golden`
    writes new logs, and these stay as they are."""
    assert golden.differs(path) == ""
    entries = golden.replayed(path)
    claimed = {line.row: line.digest for line in golden.read(path) if line.digest}
    ends = turn_ends(entries)
    assert len(ends) > 10
    assert all(claimed[row] == digest for row, digest in ends)
    assert {line.rules_version for line in golden.read(path) if line.digest} == {RULES_VERSION}


@pytest.mark.parametrize("path", TODAYS, ids=name_of)
def test_other_rules_go_on_from_the_positions_it_holds(path: Path) -> None:
    """As an old log would look to the rules of today: nothing that it claims is what they say."""
    strange = [
        msgspec.structs.replace(line, digest="0" * 32 if line.digest else "")
        for line in golden.read(path)
    ]
    entries = replay_all(map(row_of, strange))
    assert entries[-1].after.pinned
    assert entries[-1].after.game == golden.read(path)[-1].position


def test_every_evening_has_its_log() -> None:
    assert sorted(path.stem for path in TODAYS) == sorted(golden.EVENINGS)
