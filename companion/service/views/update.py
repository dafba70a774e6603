"""The update for one browser: who it is, and the newest view as far as its seat may see it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from companion.service.wire import Update, View, You


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest view, encoded once for all browsers; `id` names it in the stream."""

    id: str
    view: View
    encoded: bytes


def update_for(you: You, view: View) -> Update:
    """Return the update of this browser.

    Both games are played openly, so every seat sees the whole view. What a seat must not see of a
    game with hidden hands is left out here, and in `encoded_update`.
    """
    return Update(you=you, view=view)


def encoded_update(you: You, newest: Newest) -> bytes:
    """Return the update of this browser in JSON, without encoding the view again."""
    return b"".join((b'{"you":', msgspec.json.encode(you), b',"view":', newest.encoded, b"}"))
