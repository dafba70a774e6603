"""The sentences of each language: the app's own, and those of games from other packages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

import msgspec

from companion.engine import RULESETS, Ruleset
from companion.resources import LANGUAGES, package_text, resource_dir

Catalogue = Mapping[str, str | dict[str, str]]
_DECODER: Final = msgspec.json.Decoder(dict[str, str | dict[str, str]])


def catalogue(language: str) -> Catalogue:
    """Return every sentence by its key; empty if the app's own file is missing.

    If a game's sentence has a key that is taken, it is under `<game>/<key>` and counts while
    that game is played. A game without this language falls back to English.
    """
    return _catalogue(language, tuple(RULESETS.values()))


def is_extended() -> bool:
    """Return whether any game has sentences of its own."""
    return _is_extended(tuple(RULESETS.values()))


def game_catalogue(rules: Ruleset, language: str) -> Catalogue:
    """Return a game's own sentences; empty if it has none. ValueError if its file is not a
    catalogue.
    """
    for name in dict.fromkeys((language, LANGUAGES[0])):
        text = package_text(rules.package, "locales", f"{name}.json")
        if text is not None:
            try:
                return _DECODER.decode(text)
            except msgspec.MsgspecError as wrong:
                raise ValueError(f"locales/{name}.json is no catalogue: {wrong}") from wrong
    return {}


@cache
def _catalogue(language: str, games: tuple[Ruleset, ...]) -> Catalogue:
    path = resource_dir("locales") / f"{language}.json"
    found = _DECODER.decode(path.read_bytes()) if path.is_file() else {}
    for rules in games:
        for key, words in _valid_game_catalogue(rules, language).items():
            if found.setdefault(key, words) != words:
                found[f"{rules.name}/{key}"] = words
    return MappingProxyType(found)


@cache
def _is_extended(games: tuple[Ruleset, ...]) -> bool:
    return any(_valid_game_catalogue(rules, LANGUAGES[0]) for rules in games)


def _valid_game_catalogue(rules: Ruleset, language: str) -> Catalogue:
    """Return a game's own sentences; empty if its file is not a catalogue."""
    try:
        return game_catalogue(rules, language)
    except ValueError:
        return {}
