"""The worked question of `docs/simulation.md`: its commands, its query and its picture."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.intervals import wilson
from companion.simulation import Plan, SimulatedGame, play_game
from tools import card_strength
from tools.card_strength import PAGE, Strength, even_share, picture, query, strengths

QUESTION = PAGE.read_text("utf-8").partition("## A question")[2]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the page's command leaves."""
    folder = tmp_path_factory.mktemp("question")
    found = re.search(r"^companion (simulate .*--rows) games(.*)$", QUESTION, re.MULTILINE)
    assert found is not None
    words = [*shlex.split(found[1]), str(folder / "games"), *shlex.split(found[2])]
    assert CliRunner().invoke(main, words).exit_code == 0
    return folder / "games"


def test_the_query_counts_what_each_card_brought_to_who_was_dealt_it_alone(rows: Path) -> None:
    plan = msgspec.json.decode((rows / "plan.json").read_bytes())["plan"]
    games = [play_game(msgspec.convert(plan, Plan), number) for number in range(20)]
    wins: dict[str, list[bool]] = {}
    for game in games:
        for card, won in dealt_alone(game):
            wins.setdefault(card, []).append(won)
    found = strengths(rows)
    assert {row.card: row.games for row in found} == {c: len(won) for c, won in wins.items()}
    for row in found:
        assert row.share == pytest.approx(sum(wins[row.card]) / row.games)
        low, high = wilson(sum(wins[row.card]), row.games)
        assert row.low - 1e-9 <= low <= row.share <= high <= row.high + 1e-9
    assert [row.share for row in found] == sorted((row.share for row in found), reverse=True)
    winners = sum(seat.won for game in games for seat in game.seats)
    assert even_share(rows) == pytest.approx(winners / (4 * len(games)))


def dealt_alone(game: SimulatedGame) -> list[tuple[str, bool]]:
    names = [card for seat in game.seats for card in seat.dealt]
    return [(c, seat.won) for seat in game.seats for c in seat.dealt if names.count(c) == 1]


def test_the_picture_shows_every_card_and_which_differ(rows: Path, tmp_path: Path) -> None:
    target = tmp_path / "picture.svg"
    assert card_strength.main([str(rows), str(target)]) == 0
    drawing = ElementTree.fromstring(target.read_text("utf-8"))
    dots = [each for each in drawing if each.tag.endswith("circle")]
    assert len(dots) == len(strengths(rows))
    three = [
        Strength("strong", 900, 0.5, 0.4, 0.6),
        Strength("plain", 900, 0.25, 0.2, 0.3),
        Strength("weak", 900, 0.1, 0.05, 0.15),
    ]
    colours = re.findall(r'<circle [^>]*fill="(#\w+)"', picture(three, 0.25, "Wins"))
    assert len(set(colours)) == 3


def test_the_page_shows_the_picture_that_is_committed() -> None:
    names = re.findall(r"\]\((screens/[\w-]+\.svg)\)", QUESTION)
    assert names == ["screens/card-strength.svg"]
    assert (PAGE.parent / names[0]).read_text("utf-8").startswith("<svg ")
    assert "QUALIFY" in query()


def test_wrong_usage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert card_strength.main([]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
