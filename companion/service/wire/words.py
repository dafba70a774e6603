"""The base of every form, and sentences: a key and what fills its gaps."""

from __future__ import annotations

import msgspec

from companion.storage.notices import Args


class Wire(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A value on the wire."""


class Words(Wire, frozen=True):
    """One sentence: a catalogue key and what fills its gaps."""

    key: str
    args: Args = {}
