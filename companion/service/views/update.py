"""The update for one browser: who it is, and the newest view as far as its seat may see it; and
what viewers get, who have no seat.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from companion.service.wire import (
    GameView,
    People,
    Question,
    Tray,
    Update,
    View,
    ViewerKind,
    ViewerView,
    You,
)


@dataclass(frozen=True, slots=True)
class NumberedView:
    """A view with its place in the order of all views of one run of the service.

    A view of a higher number shows a later moment, whichever way it comes to a phone.
    """

    run: str
    number: int
    view: View
    people_since: int = 0
    """The number of the first view with this list of people."""


@dataclass(frozen=True, slots=True)
class EncodedView:
    """A published view; its update in JSON is encoded once for all browsers, but for `you`."""

    numbered: NumberedView
    id: str
    """The name of this view in the stream."""
    before_you: bytes
    after_you: bytes
    without_people: bytes
    """As `after_you`, for a browser that has this list of people."""


def encode(numbered: NumberedView) -> EncodedView:
    """Encode the view in JSON."""
    head = msgspec.json.encode({"run": numbered.run, "number": numbered.number})
    view = msgspec.json.encode(numbered.view)
    same_people = msgspec.json.encode(replace(numbered.view, people=None))
    return EncodedView(
        numbered=numbered,
        id=f"{numbered.run}-{numbered.number}",
        before_you=head[:-1] + b',"you":',
        after_you=b"".join((b',"view":', view, b"}")),
        without_people=b"".join((b',"view":', same_people, b"}")),
    )


def update_for(you: You, numbered: NumberedView) -> Update:
    """Return the update of this browser.

    Both games are played openly, so every seat sees the whole view. What a seat must not see of a
    game with hidden hands is left out here, and in `encoded_update`.
    """
    return Update(run=numbered.run, number=numbered.number, you=you, view=numbered.view)


def encoded_update(you: You, view: EncodedView, *, has_people: bool = False) -> bytes:
    """Return the update of this browser in JSON, without encoding the view again. `has_people`: it
    has the list of people already.
    """
    rest = view.without_people if has_people else view.after_you
    return b"".join((view.before_you, msgspec.json.encode(you), rest))


def viewer_view(kind: ViewerKind, language: str | None, numbered: NumberedView) -> ViewerView:
    """Return the public part of the view for a viewer of this kind."""
    view, people = numbered.view, numbered.view.people or People()
    on_tv = kind is ViewerKind.TV
    return ViewerView(
        run=numbered.run,
        number=numbered.number,
        language=language,
        saved=view.saved,
        lobby=view.lobby if on_tv else None,
        game=None if view.game is None else _public_game(view.game),
        tray=_public_tray(view.tray),
        join=view.join if on_tv else None,
        host=next((one.seat for one in people.persons if one.id == people.host), None),
        now=view.now,
    )


def _public_game(game: GameView) -> GameView:
    """Return the game without what seats alone need: answers, powers, tasks, reminders."""
    return replace(
        game,
        seats=tuple(replace(seat, ahead=None) for seat in game.seats),
        question=_public_question(game.question),
        early=_public_question(game.early),
        offers=(),
        hands=(),
        reminders=(),
    )


def _public_question(question: Question | None) -> Question | None:
    return None if question is None else replace(question, options=(), nameable=())


def _public_tray(tray: Tray) -> Tray:
    """Return the tray without pictures, which a viewer may not fetch."""
    proposal = tray.proposal
    if proposal is not None:
        dice = tuple(replace(die, crop="") for die in proposal.dice)
        proposal = replace(proposal, dice=dice, picture="", rows=(), entering=(), outcomes=())
    return replace(tray, proposal=proposal, box=None, misread="")
