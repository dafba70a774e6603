"""Sentences for the terminal, from the same catalogue as the phones'."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

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

FAMILIES = {"what": "number", "face": "face", "place": "place", "tile": "tile"}
"""Parameters that hold an id, and the family of keys that names it, as on the phones."""


def sentence(key: str, **params: str | int) -> str:
    """Return the English sentence of `key` with its parameters filled in; the key itself where
    there is none.
    """
    found = catalogue("en").get(key, key)
    if isinstance(found, dict):
        found = found["one" if params.get("count") == 1 else "other"]
    for name, value in params.items():
        found = found.replace(f"{{{name}}}", str(value))
    return found


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
    where it cannot be printed.
    """
    with suppress(*CANNOT_PRINT):
        click.echo(sentence(key, **params), err=True)
    raise SystemExit(WRONG_USAGE)
