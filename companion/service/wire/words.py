"""The base class of all JSON forms; sentences as catalogue keys with placeholders' values."""

from __future__ import annotations

import msgspec

Args = dict[str, str | int]
"""Parameters of a sentence."""


class Wire(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base class of the values that phones and service exchange as JSON."""


class Words(Wire, frozen=True):
    """One sentence: a catalogue key and the values of its parameters."""

    key: str
    args: Args = {}


class Cause(Wire, frozen=True):
    """A short clause after a sentence: what led to it, or what it brought.

    `change`: its share of the sentence's number, with its sign where it needs one; "" for none.
    """

    words: Words
    change: str = ""
