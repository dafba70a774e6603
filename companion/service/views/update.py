"""The update for one browser: who it is, and the newest view as far as its seat may see it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from companion.service.wire import Update, View, You


@dataclass(frozen=True, slots=True)
class NumberedView:
    """A view with its place in the order of all views of one run of the service.

    A view of a higher number shows a later moment, whichever way it comes to a phone.
    """

    run: str
    number: int
    view: View


@dataclass(frozen=True, slots=True)
class EncodedView:
    """A published view; its update in JSON is encoded once for all browsers, but for `you`."""

    id: str
    """The name of this view in the stream."""
    before_you: bytes
    after_you: bytes


def encode(numbered: NumberedView) -> EncodedView:
    """Encode the view in JSON."""
    head = msgspec.json.encode({"run": numbered.run, "number": numbered.number})
    view = msgspec.json.encode(numbered.view)
    return EncodedView(
        id=f"{numbered.run}-{numbered.number}",
        before_you=head[:-1] + b',"you":',
        after_you=b"".join((b',"view":', view, b"}")),
    )


def update_for(you: You, numbered: NumberedView) -> Update:
    """Return the update of this browser.

    Both games are played openly, so every seat sees the whole view. What a seat must not see of a
    game with hidden hands is left out here, and in `encoded_update`.
    """
    return Update(run=numbered.run, number=numbered.number, you=you, view=numbered.view)


def encoded_update(you: You, view: EncodedView) -> bytes:
    """Return the update of this browser in JSON, without encoding the view again."""
    return b"".join((view.before_you, msgspec.json.encode(you), view.after_you))
