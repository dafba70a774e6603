"""Every event of random games yields its sentence in every language, with its numbers explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.catalogues import catalogue, plural_form
from companion.engine import RULESETS
from companion.resources import LANGUAGES
from companion.service.wire import Cause, Words
from tests.sentences.play import EmptyGapError, Heard, Reader, play

GAMES = 3
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


def test_the_games_bring_up_what_a_table_wants_to_hear(heard: Heard) -> None:
    wanted = {"hit.1", "hurt", "heals", "gains.energy", "enters", "buys", "out"}
    assert {f"happened.{one}" for one in wanted} <= heard.keys
    assert {
        "did.rolled.4",
        "did.undone_by",
        "did.corrected.energy",
        "effect.dial.health",
    } <= heard.keys


def test_singular_and_plural_are_read_in_every_language(heard: Heard) -> None:
    for language in LANGUAGES:
        forms = {form for one, _, form in heard.forms if one == language}
        assert forms >= {"one", "other"}


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


def test_a_missing_key_and_an_empty_gap_are_found() -> None:
    reader = Reader("en", "tokyo", "first", ("Ana", "Ben"))
    for words in (
        Words(key="happened.unheard_of"),
        Words(key="happened.out"),
        Words(key="happened.out", args={"seat": 2}),
        Words(key="happened.buys", args={"seat": 0, "card": "no_such_card", "count": 1}),
        Words(key="happened.buys", args={"seat": 0, "card": "", "count": 1}),
    ):
        with pytest.raises(EmptyGapError):
            reader.read(words)
    hit = Words(key="happened.hit.1", args={"by": 0, "seat": 1, "count": 2})
    with pytest.raises(EmptyGapError):
        reader.read(hit, (Cause(words=Words(key="why.card")),))
    assert reader.read(hit) == "Ana hit Ben for 2"


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
