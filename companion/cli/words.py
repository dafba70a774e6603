"""Sentences for the terminal, from the same catalogue as the phones'."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

import click

from companion.catalogues import catalogue
from companion.cli.output import CANNOT_PRINT

if TYPE_CHECKING:
    from companion.engine import Ruleset
    from companion.service.wire import Words

FAILED = 1
"""Exit status where the command or its check failed."""
WRONG_USAGE = 2
"""Exit status for wrong usage or unreadable input."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""What moves or colours a terminal: sentences quote files, programs and what was typed."""
_FIELD: Final = re.compile(r"(.*) - at `\$\.?([^`]+)`", re.DOTALL)
"""What msgspec says of a field, and its path."""
_DECODING: Final = (
    (r"Expected `(.+?)`, got `(.+?)`", r"{it} must be \1, not \2"),
    (r"Expected `(.+?)`", r"{it} must be \1"),
    (r"Object contains unknown field `(.+?)`", r"{it} has an unknown field \1"),
    (r"Object missing required field `(.+?)`", r"{it} lacks the field \1"),
    (r"Invalid (?:enum )?value ('.+)", r"{it} cannot be \1"),
    (r"JSON is malformed: ", r"{it} is no JSON, "),
    (r"Input data was truncated", r"{it} ends too early"),
    (r"'utf-8' codec can't decode .+", r"{it} is no text"),
)
"""What decoders say, and how it is said here."""
_TYPES: Final = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "null": "null",
    "object": "an object",
    "str": "text",
}
_GAP: Final = re.compile(r"\{(\w+)\}")

FAMILIES = {"what": "number", "face": "face", "place": "place", "tile": "tile"}
"""Parameters that hold an id, and the family of keys that names it, as on the phones."""


def sentence(key: str, **params: str | int) -> str:
    """Return the English sentence of `key` with its parameters filled in; the key itself where
    there is none.
    """
    found = catalogue("en").get(key, key)
    if isinstance(found, dict):
        found = found["one" if params.get("count") == 1 else "other"]
    return _GAP.sub(lambda gap: str(params.get(gap[1], gap[0])), found)


def plain_reason(reason: str) -> str:
    """Return what a decoder says of a file in plain words, the field first: `it` is the file."""
    at = _FIELD.fullmatch(reason)
    text, it = (at[1], at[2]) if at else (reason, "it")
    for said, plain in _DECODING:
        found = re.match(said, text, re.DOTALL)
        if found:
            parts = (_type_name(part) for part in found.groups())
            begin = plain.replace("{it}", it)
            for number, part in enumerate(parts, 1):
                begin = begin.replace(f"\\{number}", part)
            return begin + text[found.end() :]
    return f"{it}: {text}" if at else text


def _type_name(named: str) -> str:
    """Return the words for a type such as `int | null`; anything else as it is."""
    names = [name for name in named.split(" | ") if name != "null" or named == "null"]
    return " or ".join(_TYPES.get(name, name) for name in names)


def in_one_line(text: str) -> str:
    """Return the text without what would end a terminal's line, move its cursor or colour it."""
    return _CONTROL.sub(" ", text).strip()


def refusal(key: str, **params: str | int) -> str:
    """Return why the rules do not allow an event, worded for a script; `key` as in IllegalEvent."""
    here = f"script.{key}"
    return sentence(here if here in catalogue("en") else f"error.{key}", **params)


def render(words: Words, rules: Ruleset, seats: tuple[str, ...]) -> str:
    """Return the sentence with ids replaced by names, as on the phones; `seats` are the players'
    names.
    """
    named = dict(words.args)
    for gap, value in words.args.items():
        if gap == "seat":
            named[gap] = seats[int(value)]
        elif gap == "card":
            named[gap] = _card_name(rules, str(value))
        elif gap in FAMILIES:
            named[gap] = sentence(f"{FAMILIES[gap]}.{value}")
    own = f"{rules.name}/{words.key}"
    return sentence(own if own in catalogue("en") else words.key, **named)


def _card_name(rules: Ruleset, card: str) -> str:
    """Return the card's name in this edition."""
    box = f"{rules.name}.{rules.edition}" if f"{card}.name" in rules.reworded else rules.name
    return sentence(f"card.{box}.{card}.name")


def refuse(key: str, **params: str | int) -> NoReturn:
    """End the command with one line that says what is wrong and how to correct it (exit 2), even
    if it cannot be printed.
    """
    if "reason" in params:
        params["reason"] = plain_reason(str(params["reason"]))
    refuse_by(sentence(key, **params))


def refuse_by(text: str) -> NoReturn:
    """End the command with sentences that say what is wrong and how to correct it, as `refuse`."""
    with suppress(*CANNOT_PRINT):
        click.echo(in_one_line(text), err=True)
    raise SystemExit(WRONG_USAGE)
