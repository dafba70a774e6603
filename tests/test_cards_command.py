"""`companion cards`: every card of both boxes is listed, and none is missing."""

from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main


def listing(*words: str) -> tuple[list[str], str]:
    """The lines on standard output, and standard error."""
    done = CliRunner().invoke(main, ["cards", *words])
    assert done.exit_code == 0
    return done.stdout.splitlines(), done.stderr


def test_nothing_is_missing() -> None:
    assert listing("--missing") == ([], "")


@pytest.mark.parametrize(
    ("game", "ids", "cards", "counted"),
    [
        ("new-york", 66, 66, "64 ids of 64 cards and 2 goals; 46 Keep, 18 Discard; 0 missing."),
        ("tokyo", 64, 66, "64 ids of 66 cards and 0 goals; 48 Keep, 18 Discard; 0 missing."),
    ],
)
def test_a_box_has_its_cards(game: str, ids: int, cards: int, counted: str) -> None:
    lines, note = listing("--game", game)
    assert len(lines) == ids
    assert note == f"{game}: {counted}\n"
    rows = [msgspec.json.decode(line) for line in listing("--game", game, "--json")[0]]
    assert sum(row["copies"] for row in rows) == cards
    assert sorted(row["name"] for row in rows) == [line.split()[1] for line in lines]


def test_the_other_edition_has_as_many() -> None:
    lines, note = listing("--edition", "2016")
    assert len(lines) == 64
    assert "64 ids of 66 cards" in note
