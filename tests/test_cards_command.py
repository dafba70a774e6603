"""`companion cards`: every card of both boxes is there, and none is missing."""

from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main


def told(*words: str) -> tuple[list[str], str]:
    """The lines that go on, and what only the reader is told."""
    done = CliRunner().invoke(main, ["cards", *words])
    assert done.exit_code == 0
    return done.stdout.splitlines(), done.stderr


def test_nothing_is_missing() -> None:
    assert told("--missing") == ([], "")


@pytest.mark.parametrize(
    ("game", "ids", "cards", "counted"),
    [
        ("new-york", 66, 66, "64 ids of 64 cards and 2 goals; 46 Keep, 18 Discard; 0 missing."),
        ("tokyo", 64, 66, "64 ids of 66 cards and 0 goals; 48 Keep, 18 Discard; 0 missing."),
    ],
)
def test_a_box_has_its_cards(game: str, ids: int, cards: int, counted: str) -> None:
    lines, said = told("--game", game)
    assert len(lines) == ids
    assert said == f"{game}: {counted}\n"
    rows = [msgspec.json.decode(line) for line in told("--game", game, "--json")[0]]
    assert sum(row["copies"] for row in rows) == cards
    assert sorted(row["name"] for row in rows) == [line.split()[1] for line in lines]


def test_the_other_edition_has_as_many() -> None:
    lines, said = told("--edition", "2016")
    assert len(lines) == 64
    assert "64 ids of 66 cards" in said
