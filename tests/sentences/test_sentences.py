"""Every event of random games yields its sentence in every language, with its numbers explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.catalogues import catalogue, plural_form
from companion.engine import RULESETS
from companion.resources import LANGUAGES
from tests.sentences.play import Heard, play

GAMES = 6
SIGNS = Path(__file__).parents[2] / "webui" / "src" / "art" / "signs.tsx"


@pytest.fixture(scope="module", params=sorted(RULESETS))
def heard(request: pytest.FixtureRequest) -> Heard:
    heard = Heard()
    for seed in range(GAMES):
        play(request.param, seed, heard)
    return heard


def test_every_event_of_random_games_can_be_read_aloud(heard: Heard) -> None:
    assert heard.faults == []
    assert heard.events > 300
    assert heard.sentences > 3 * heard.events


def test_every_sign_of_what_happened_is_drawn(heard: Heard) -> None:
    drawn = set(re.findall(r'^  (\w+):\s+"', SIGNS.read_text("utf-8"), flags=re.MULTILINE))
    assert heard.signs
    assert heard.signs <= drawn


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [0, 1, 2, 5, 11, 21, 101, 1_000_000])
def test_every_number_has_its_plural_form(language: str, count: int) -> None:
    form = plural_form(language, count)
    entries = [one for one in catalogue(language).values() if isinstance(one, dict)]
    assert entries
    assert all(form in one for one in entries)


def test_every_verb_is_said_or_known_to_need_no_sentence(heard: Heard) -> None:
    assert heard.silent <= SILENT, heard.silent - SILENT


SILENT = frozenset(
    (
        "BeginTurn",
        "CardRevealed",
        "CopyCard",
        "DeckEmpty",
        "DieSpent",
        "DropCard",
        "LaySouvenir",
        "ReachedZero",
        "RethrowDie",
        "StackGone",
        "TileRevealed",
        "Under",
    )
)
"""Verbs, by their names in JSON, that people entered, that only lead to what is said, or whose card
was bought or copied in the same command.
"""
