"""Playthroughs: stretches of games kept as text and replayed line by line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from companion.engine import (
    EDITIONS,
    RULESETS,
    AnyEvent,
    Game,
    IllegalEvent,
    Outcome,
    Position,
    Setup,
    check,
    new_game,
)
from tests.playthroughs.__main__ import FOLDER, regenerated

FILES = sorted(FOLDER.glob("*.txt"))


def setup_of(path: Path) -> Setup:
    line = next(line for line in path.read_text("utf-8").splitlines() if line.startswith("new "))
    return msgspec.json.decode(line.removeprefix("new "), type=Setup)


def events_of(path: Path) -> list[AnyEvent]:
    lines = path.read_text("utf-8").splitlines()
    events = [line.removeprefix("> ") for line in lines if line.startswith("> ")]
    return [msgspec.json.decode(event, type=AnyEvent) for event in events]


def played(path: Path) -> Iterator[Outcome[Position]]:
    """Return the outcome of each event of a file."""
    outcome = new_game(setup_of(path))
    for event in events_of(path):
        outcome = outcome.position.apply(event)
        yield outcome


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_engine_plays_it_line_by_line_as_it_is_told(path: Path) -> None:
    text = path.read_text("utf-8")
    assert regenerated(text).splitlines() == text.splitlines()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_position_is_sound_and_survives_json(path: Path) -> None:
    for outcome in played(path):
        assert check(outcome.game) == ()
        written = msgspec.json.encode(outcome.game)
        assert msgspec.json.decode(written, type=Game) == outcome.game


@pytest.mark.parametrize("game", RULESETS)
@pytest.mark.parametrize("players", [2, 4, 6])
def test_each_game_has_one_for_few_and_many(game: str, players: int) -> None:
    assert any((s.game, s.players) == (game, players) for s in map(setup_of, FILES))


def test_each_edition_has_one() -> None:
    editions = {(s.game, s.edition) for s in map(setup_of, FILES)}
    assert editions == set(EDITIONS)


def test_everything_a_table_can_say_is_said_somewhere() -> None:
    kinds = {type(event) for path in FILES for event in events_of(path)}
    assert kinds == set(get_args(AnyEvent))


def test_positions_are_told_anew_from_events_alone() -> None:
    text = FILES[0].read_text("utf-8")
    bare = "\n".join(line for line in text.splitlines() if not line.startswith("="))
    assert regenerated(bare) == text


def test_an_event_that_is_not_allowed_is_refused() -> None:
    setup = 'new {"game":"tokyo","players":2}\n'
    with pytest.raises(IllegalEvent, match="not_asked"):
        regenerated(f'{setup}> {{"type":"Chosen","seat":0,"option":"stay"}}\n')
