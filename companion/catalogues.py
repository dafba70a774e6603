"""The sentences of each language: the app's own, and those of games from other packages; and how
they are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Protocol

import msgspec

from companion.engine import RULESETS, Ruleset
from companion.resources import LANGUAGES, package_text, resource_dir

Catalogue = Mapping[str, str | dict[str, str]]
Args = Mapping[str, str | int]
"""Parameters of a sentence."""
_DECODER: Final = msgspec.json.Decoder(dict[str, str | dict[str, str]])
_GAP: Final = re.compile(r"\{(\w+)\}")
_ELIDED: Final = re.compile(r"\bde (?=[aeiouàáâéèêëíîïóôúûœ]|hô)", re.IGNORECASE)
"""French "de" before a vowel."""
_NUMBERS: Final = frozenset({"one", "two", "three"})
"""Faces with a number."""
_SEATS: Final = frozenset(("seat", "by", "other", "winner", "monster"))
_FAMILIES: Final = {
    "place": "place",
    "from": "place",
    "face": "face",
    "into": "face",
    "tile": "tile",
    "unit": "tile",
    "token": "token",
    "what": "number",
}
"""Parameters that hold an id, and the family of keys that names it."""


def catalogue(language: str) -> Catalogue:
    """Return every sentence by its key; empty if the app's own file is missing.

    If a game's sentence has a key that is taken, it is under `<game>/<key>` and counts while
    that game is played. A game without this language falls back to English.
    """
    return _catalogue(language, tuple(RULESETS.values()))


class _Words(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def args(self) -> Args: ...


class _Cause(Protocol):
    @property
    def words(self) -> _Words: ...
    @property
    def change(self) -> str: ...


def sentence(language: str, key: str, args: Args = MappingProxyType({}), game: str = "") -> str:
    """Return the sentence of a key with its gaps filled; the key itself if there is none. `game`:
    the one that is played.
    """
    text = _text_of(language, key, args, game)
    return _filled(language, text, lambda gap: str(args.get(gap, f"{{{gap}}}")))


@dataclass
class Reader:
    """Reads the sentences of one game in one language, as phones show them
    (`webui/src/store/words.ts`). `players`: what each seat is called.
    """

    language: str
    game: str
    edition: str
    players: Sequence[str]

    def say(self, key: str, args: Args = MappingProxyType({})) -> str:
        """Return the sentence of a key; seats and ids in it have their names."""
        text = _text_of(self.language, key, args, self.game)
        return _filled(self.language, text, lambda gap: self.value(gap, args))

    def read(self, words: _Words, why: Sequence[_Cause] = ()) -> str:
        """Return a sentence with its clauses."""
        line = self.say(words.key, words.args)
        if not why:
            return line
        clauses = ", ".join(self._clause(one) for one in why)
        return self.say("cause.after", {"line": line, "why": clauses})

    def _clause(self, one: _Cause) -> str:
        cause = self.say(one.words.key, one.words.args)
        return (
            self.say("cause.share", {"cause": cause, "change": one.change}) if one.change else cause
        )

    def _alike(self, end: str, args: Args) -> str:
        """Return dice of one face in words: "three 2s"; the arguments `face` and `count` with this
        end say which and how many."""
        face, count = args[f"face{end}"], int(args[f"count{end}"])
        kind = "number" if face in _NUMBERS else "symbol"
        key = f"count.{kind}.{count}"
        words = self.say(key) if key in catalogue(self.language) else count
        return self.say(f"rolled.{face}", {"count": count, "words": words})

    def value(self, gap: str, args: Args) -> str:
        """Return the text for a gap."""
        if gap.startswith("dice") and gap not in args:
            return self._alike(gap.removeprefix("dice"), args)
        value = args.get("seat" if gap == "monster" and gap not in args else gap, f"{{{gap}}}")
        plain = gap.rstrip("0123456789").rstrip("_")
        if isinstance(value, int):
            return self.players[value] if plain in _SEATS else str(value)
        if plain == "card":
            own = f"card.{self.game}.{self.edition}.{value}.name"
            is_own = own in catalogue(self.language)
            return self.say(own if is_own else f"card.{self.game}.{value}.name")
        family = _FAMILIES.get(plain)
        return value if family is None else self.say(f"{family}.{value}")


def plural_form(language: str, count: int) -> str:
    """Return the plural form of a whole number (CLDR)."""
    single = {
        "fr": count in (0, 1),
        "is": count % 10 == 1 and count % 100 != 11,
    }.get(language, count == 1)
    if single:
        return "one"
    millions = language in {"es", "fr"} and count and count % 1_000_000 == 0
    return "many" if millions else "other"


def _filled(language: str, text: str, value: Callable[[str], str]) -> str:
    """Return a sentence with its gaps filled; in French, "de Ana" becomes "d’Ana"."""
    filled = _GAP.sub(lambda gap: value(gap[1]), text)
    return _ELIDED.sub("d’", filled) if language == "fr" else filled


def _text_of(language: str, key: str, args: Args, game: str) -> str:
    """Return a key's sentence with its gaps, in the plural form of its count."""
    known = catalogue(language)
    found = known.get(f"{game}/{key}", known.get(key, key))
    if isinstance(found, str):
        return found
    numbers = (value for value in args.values() if isinstance(value, int))
    form = plural_form(language, int(args.get("count", next(numbers, 0))))
    return found.get(form, found["other"])


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


def _valid_game_catalogue(rules: Ruleset, language: str) -> Catalogue:
    """Return a game's own sentences; empty if its file is not a catalogue."""
    try:
        return game_catalogue(rules, language)
    except ValueError:
        return {}
