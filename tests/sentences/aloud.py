"""Sentences as a phone shows them: gaps filled, plural forms chosen, lists joined. It raises where
a key is missing or a gap stays empty, which a phone would hide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.catalogues import catalogue
from companion.service.wire import Cause, Words

GAP = re.compile(r"\{(\w+)\}")
SEATS = frozenset(("seat", "by", "other", "winner"))
FAMILIES = {
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


class EmptyGapError(Exception):
    """A sentence that cannot be read: no such key, or a gap that nothing fills."""


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


@dataclass(slots=True)
class Reader:
    """Reads sentences of one game to one seat, in one language; `forms` are the plural forms read,
    by key.
    """

    language: str
    game: str
    edition: str
    players: Sequence[str]
    mine: int | None = None
    forms: set[tuple[str, str]] = field(default_factory=set)

    def read(self, words: Words, why: Sequence[Cause] = ()) -> str:
        """Return the sentence with its clauses."""
        line = self._sentence(words)
        if not why:
            return line
        clauses = ", ".join(self._clause(one) for one in why)
        return self._filled("cause.after", {"line": line, "why": clauses})

    def _clause(self, cause: Cause) -> str:
        said = self._sentence(cause.words)
        if not cause.change:
            return said
        return self._filled("cause.share", {"cause": said, "change": cause.change})

    def _sentence(self, words: Words) -> str:
        return self._filled(words.key, words.args)

    def _filled(self, key: str, args: dict[str, str | int]) -> str:
        known = catalogue(self.language)
        names = [f"{self.game}/{key}", key]
        if self.mine is not None and args.get("seat") == self.mine:
            names = [f"{names[0]}.you", names[0], f"{key}.you", key]
        name = next((one for one in names if one in known), None)
        if name is None:
            raise EmptyGapError(f"{self.language}: no sentence {key}")
        entry = known[name]
        if isinstance(entry, dict):
            numbers = (value for value in args.values() if isinstance(value, int))
            count = args.get("count", next(numbers, 0))
            form = plural_form(self.language, int(count))
            self.forms.add((name, form))
            entry = entry[form]
        text = GAP.sub(lambda gap: self._value(key, gap[1], args), entry)
        if not text.strip() or "  " in text:
            raise EmptyGapError(f"{self.language}: {key} reads {text!r}")
        return text

    def _value(self, key: str, gap: str, args: dict[str, str | int]) -> str:
        value = args.get(gap, args.get("seat") if gap == "monster" else None)
        plain = re.sub(r"_?\d+$", "", gap)
        if value is None or value == "":
            raise EmptyGapError(f"{self.language}: nothing fills {{{gap}}} of {key}")
        if isinstance(value, int):
            if plain in SEATS or plain == "monster":
                if not 0 <= value < len(self.players):
                    raise EmptyGapError(f"{self.language}: {{{gap}}} of {key} is seat {value}")
                return self.players[value]
            return str(value)
        if plain == "card":
            own = f"card.{self.game}.{self.edition}.{value}.name"
            card = f"card.{self.game}.{value}.name"
            return self._filled(own if own in catalogue(self.language) else card, {})
        family = FAMILIES.get(plain)
        return self._filled(f"{family}.{value}", {}) if family else value
