"""The catalogues: every sentence in every language with the same parameters; none missing
or unused.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from companion.engine import EDITIONS
from companion.resources import resource_dir
from companion.service.views.view import MONSTERS
from tests.catalogue_keys import keys

LANGUAGES = ("en", "es", "fr", "is")
ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "webui" / "src"
GAP = re.compile(r"\{(\w+)\}")
RULES = {
    "en": {"one", "other"},
    "es": {"one", "many", "other"},
    "fr": {"one", "many", "other"},
    "is": {"one", "other"},
}
"""The plural forms of whole numbers (CLDR)."""

Catalogue = dict[str, str | dict[str, str]]


@cache
def catalogue(language: str) -> Catalogue:
    found: Catalogue = json.loads((resource_dir("locales") / f"{language}.json").read_bytes())
    return found


def forms(entry: str | dict[str, str]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


def gaps(entry: str | dict[str, str]) -> set[str]:
    return {gap for form in forms(entry) for gap in GAP.findall(form)}


def of_names() -> set[str]:
    """Return keys that follow from names in the rules."""
    found = {f"monster.{monster}" for monster in MONSTERS} | set(keys())
    for rules in EDITIONS.values():
        found.add(f"game.{rules.name}")
        found |= {f"edition.{edition}" for edition in rules.editions}
        found |= {f"house.{switch}" for switch in rules.house}
        found |= {f"card.{rules.name}.{rules.edition}.{one}" for one in rules.reworded}
        found |= {f"face.{face}" for face in rules.faces}
        found |= {f"place.{place}" for place in rules.places}
        found |= {f"place.{place.area}" for place in rules.places.values()}
        found |= {f"tile.{tile}" for tile in rules.tiles}
        for card in rules.cards:
            found |= {f"card.{rules.name}.{card}.{part}" for part in ("name", "text")}
    return found


@cache
def sources() -> str:
    """Return every file that may refer to a sentence: the page's sources and the package's."""
    page = [p for p in SOURCES.rglob("*.ts*") if p.name != "wire.ts"]
    package = [p for end in ("py", "html") for p in (ROOT / "companion").rglob(f"*.{end}")]
    return "\n".join(path.read_text("utf8") for path in (*page, *package))


def asked_by_the_page() -> set[str]:
    """Return keys that are literals in the page's sources."""
    found: set[str] = set()
    for path in (*SOURCES.rglob("*.ts"), *SOURCES.rglob("*.tsx")):
        text = path.read_text("utf8")
        found |= set(re.findall(r"\bt\(\s*\"([a-z_0-9.]+)\"", text))
        found |= set(re.findall(r"\bkey: \"([a-z_0-9]+\.[a-z_0-9.]+)\"", text))
    return found


def stems() -> list[re.Pattern[str]]:
    """Return prefixes of keys that the sources build: `face.${face}` refers to any `face.…`."""
    made = re.findall(r"`([a-z_]+\.[^`]*\$\{[^`]*)`", sources())
    made += [
        part for part in re.findall(r"f\"([a-z_]+\.[^\"]*\{[^\"]*)\"", sources()) if "{" in part
    ]
    return [re.compile(re.sub(r"\\?\$?\\\{.*?\\\}", r".+", re.escape(one))) for one in made]


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_says_the_same(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert sorted(english.keys() - other.keys()) == []
    assert sorted(other.keys() - english.keys()) == []
    differing = [key for key in english if gaps(english[key]) != gaps(other[key])]
    assert differing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_clean(language: str) -> None:
    for key, entry in catalogue(language).items():
        if isinstance(entry, dict):
            assert entry.keys() == RULES[language], key
        for form in forms(entry):
            assert form == form.strip(), key
            assert "  " not in form, key
            assert not re.search(r"[<>]|&\w+;", form), key
            assert form, key
            assert GAP.sub("", form).count("{") == 0, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_exclamation_marks_are_the_games_own(language: str) -> None:
    loud = [
        key
        for key, entry in catalogue(language).items()
        for form in forms(entry)
        if "!" in re.sub(r"Ouch\s?!|¡Ay!|Ái!", "", form)
    ]
    assert loud == []


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("es", r"\bcogid[oa]s?\b"),
        ("es", r"\bregistros?\b"),
        ("es", r"\brelanza|\b(Bajo|Alto) Manhattan\b"),
        ("fr", r"\bplateau\b"),
        ("fr", r"\bgratte-ciel\b|\bcartes? à garder\b|(?<!grosse )(?<!grosses )\bbaffe"),
        ("is", r"\beignarspil|^víkja$|eða víkja"),
    ],
)
def test_printed_terms_have_no_other_word_beside_them(language: str, word: str) -> None:
    """`effect.destroy_unit`: there it is the board, not the tray of dice."""
    found = [
        key
        for key, entry in catalogue(language).items()
        for form in forms(entry)
        if re.search(word, form, re.IGNORECASE) and key != "effect.destroy_unit"
    ]
    assert found == []


def test_no_french_mark_begins_a_line() -> None:
    """The space that French puts before a mark may not break."""
    orphans = [
        key
        for key, entry in catalogue("fr").items()
        for form in forms(entry)
        if re.search(" [?!:;%»]|« ", form)
    ]
    assert orphans == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_ending_is_spelt_out(language: str) -> None:
    """Plural forms and neutral words stand for "lancer(s)" and "sjálf(ur)"."""
    found = [
        key
        for key, entry in catalogue(language).items()
        for form in forms(entry)
        if re.search(r"\w\(\w", form)
    ]
    assert found == []


def test_whatever_is_asked_for_is_there() -> None:
    missing = (of_names() | asked_by_the_page()) - catalogue("en").keys()
    assert sorted(missing) == []


def test_nothing_is_there_that_nobody_asks_for() -> None:
    used = of_names() | asked_by_the_page()
    patterns = stems()
    text = sources()
    idle = [
        key
        for key in catalogue("en")
        if not any(
            one in used or f'"{one}"' in text or any(p.fullmatch(one) for p in patterns)
            for one in (key, key.removesuffix(".you"), key.removeprefix("tokyo/"))
        )
    ]
    assert idle == []


def test_every_way_a_game_ends_has_its_sentence() -> None:
    ends = re.findall(r"EndGame\([\w.]+, \"(\w+)\"", sources())
    assert set(ends) >= {"survival", "stars", "all_dead"}
    assert sorted({f"over.{reason}" for reason in ends} - catalogue("en").keys()) == []
