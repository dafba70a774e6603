"""Positions written by hand, in `tests/positions/*.json` and the docs: read, asked, played on, by
the engine and by the command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.engine import Position, check
from companion.engine.events import AnyEvent
from companion.engine.game import Game
from companion.engine.questions import Choice
from companion.engine.reading import PositionError, read_position
from tests.playthroughs.__main__ import summary
from tools import ids

TWO = '"monsters": [{}, {"place": "tokyo_city"}]'
ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "tests" / "positions").glob("*.json"))
PAGE = (ROOT / "docs" / "positions.md").read_text("utf-8")
BLOCKS = re.findall(
    r"```json(| events)\n(.*?)```\n\nAsks `(\w+@\d)`(?: \(([^)]*)\))?", PAGE, re.DOTALL
)
EXAMPLES = [block[1:] for block in BLOCKS if not block[0]]
REFUSED = re.findall(r"```json refused\n(.*?)```\n\n> ([^\n]*)\n", PAGE, re.DOTALL)


def written(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def start(path: Path) -> Game:
    return read_position(json.dumps(written(path)["position"]).encode())


def events(path: Path) -> list[AnyEvent]:
    return [msgspec.convert(event, AnyEvent) for event in written(path)["events"]]


def line(game: Game) -> str:
    return summary(game, Position.of(game).question).removeprefix("= ")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_read_played_and_ends_as_it_says(path: Path) -> None:
    game, scene = start(path), written(path)
    assert line(game) == scene["begins"]
    for event in events(path):
        game = Position.of(game).apply(event).game
        assert check(game) == ()
    assert line(game) == scene["then"]


@pytest.mark.parametrize("line", [b'{"type":"Chosen","seat":0,"option":"\xff"}', b"[" * 9000])
def test_a_line_that_is_no_event_is_one_sentence(tmp_path: Path, line: bytes) -> None:
    position, events_file = tmp_path / "position.json", tmp_path / "events.jsonl"
    position.write_text('{"rules": "tokyo", "monsters": [{}, {}]}', "utf-8")
    events_file.write_bytes(line)
    ran = CliRunner().invoke(main, ["play", str(position), str(events_file)])
    assert (ran.exit_code, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)


def test_a_step_that_cannot_happen_is_one_sentence(tmp_path: Path) -> None:
    """It lies below the question, so it is met by what the events lead to."""
    position, events_file = tmp_path / "position.json", tmp_path / "events.jsonl"
    salvage = {"type": "SalvageCard", "seat": 0, "card": 60, "name": "wings"}
    agenda = [{"type": "TurnOver", "seat": 0}, salvage, {"type": "BuyPhase", "seat": 0}]
    written = {"rules": "tokyo", "monsters": [{"energy": 9}, {}], "turn": {"final": True}}
    position.write_text(json.dumps(written | {"agenda": agenda}), "utf-8")
    events_file.write_text('{"type": "Chosen", "seat": 0, "option": "done"}', "utf-8")
    ran = CliRunner().invoke(main, ["play", str(position), str(events_file)])
    assert (ran.exit_code, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert "agenda" in ran.stderr


def test_what_a_printed_position_says_of_its_question_is_not_looked_at() -> None:
    plain = f'{{"rules": "tokyo", {TWO}'
    aid = ', "asked": {"key": "buy", "seat": 3}}'
    assert read_position(f"{plain}{aid}".encode()) == read_position(f"{plain}}}".encode())


def test_an_edition_and_house_rules_can_be_written() -> None:
    game = read_position(f'{{"rules": "tokyo", "edition": "2016", {TWO}}}'.encode())
    assert (game.edition, game.house) == ("2016", ())
    home = read_position(f'{{"rules": "tokyo", "house": ["no_bay"], {TWO}}}'.encode())
    assert (home.edition, home.house) == ("first", ("no_bay",))
    twice = read_position(f'{{"rules": "tokyo", "house": ["no_bay", "no_bay"], {TWO}}}'.encode())
    assert twice == home


# -- the documents --------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "asks", "options"), EXAMPLES, ids=lambda text: text[:40])
def test_an_example_of_the_documents_asks_what_they_say(text: str, asks: str, options: str) -> None:
    asks_what_it_says(read_position(text.encode()), asks, options)


def asks_what_it_says(game: Game, asks: str, options: str) -> None:
    asked = Position.of(game).question
    assert asked is not None
    assert f"{asked.key}@{asked.seat}" == asks
    if options:
        assert isinstance(asked, Choice)
        assert re.findall(r"`(\w+)`", options) == [option.key for option in asked.open()]


def after_events() -> Iterator[tuple[str, str, str, str]]:
    """Each list of events of the page, with the position above it."""
    above = ""
    for kind, text, asks, options in BLOCKS:
        if kind:
            yield above, text, asks, options
        else:
            above = text


@pytest.mark.parametrize(
    ("above", "text", "asks", "options"), [*after_events()], ids=lambda text: text[:60]
)
def test_the_events_of_the_documents_lead_where_they_say(
    above: str, text: str, asks: str, options: str
) -> None:
    game = read_position(above.encode())
    for each in text.splitlines():
        game = Position.of(game).apply(msgspec.json.decode(each, type=AnyEvent)).game
        assert check(game) == ()
    asks_what_it_says(game, asks, options)


def test_the_income_that_the_documents_speak_of_is_paid() -> None:
    text = next(text for text, asks, _ in EXAMPLES if "BeginTurn" in text)
    game = read_position(text.encode())
    assert (game.turn.number, game.monsters[0].stars) == (9, 6)


def test_the_ids_of_the_documents_are_those_of_the_games() -> None:
    assert f"\n\n{ids.table()}\n\n" in PAGE, "python -m tools.ids prints what belongs there"


def test_the_documents_show_every_kind_of_pending_decision() -> None:
    blocks = len(re.findall(r"```json", PAGE))
    assert blocks == len(BLOCKS) + len(REFUSED)
    assert len(EXAMPLES) >= 6
    assert len(REFUSED) >= 5


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=lambda text: text[:40])
def test_what_the_documents_refuse_is_refused_in_those_words(text: str, why: str) -> None:
    with pytest.raises(PositionError) as refused:
        read_position(text.encode())
    assert str(refused.value) == why
