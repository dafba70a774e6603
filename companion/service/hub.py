"""The newest view, in JSON for each browser and viewer, and the streams that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

import msgspec
from msgspec.structs import replace

from companion.engine import Ahead
from companion.service.wire import (
    GameView,
    People,
    Phone,
    PreviewAnswer,
    Question,
    Role,
    StreamEvent,
    Tray,
    Update,
    View,
    ViewerKind,
    ViewerView,
    You,
)

MOST_VIEWERS: Final = 8
"""Streams of televisions and overlays."""


@dataclass(frozen=True, slots=True)
class NumberedView:
    """A view and its number in one run: a higher one shows a later moment, however it comes."""

    run: str
    number: int
    view: View
    people_since: int = 0
    """The number of the first view with this list of people."""
    question: Question | None = None
    """The open question as its seat alone may read it; None if the view has all of it."""
    ahead: Mapping[int, Ahead] = field(default_factory=dict)
    """What seats have set ahead, for their own phones."""


@dataclass(frozen=True, slots=True)
class EncodedView:
    """A published view; its update in JSON is encoded once for all browsers, but for `you`."""

    numbered: NumberedView
    id: str
    """The name of this view in the stream."""
    before_you: bytes
    after_you: bytes
    same_people: bytes
    """What follows `you` for a browser that has this list of people."""


def encode(numbered: NumberedView) -> EncodedView:
    """Encode the view in JSON."""
    head = msgspec.json.encode({"run": numbered.run, "number": numbered.number})
    views = (numbered.view, replace(numbered.view, people=None))
    whole, same_people = (b',"view":%b}' % msgspec.json.encode(view) for view in views)
    return EncodedView(
        numbered=numbered,
        id=f"{numbered.run}-{numbered.number}",
        before_you=head[:-1] + b',"you":',
        after_you=whole,
        same_people=same_people,
    )


def _with_own(you: You, numbered: NumberedView) -> You:
    """Return the browser with what it alone may know: a question to its own seat, or to one
    without a phone if it is the host's, and what its seat has set ahead.
    """
    question, ahead = numbered.question, None if you.seat is None else numbered.ahead.get(you.seat)
    if question is not None and you.seat != question.seat:
        persons = (numbered.view.people or People()).persons
        held = any(one.seat == question.seat and one.phone is not Phone.LOST for one in persons)
        question = None if held or you.role is not Role.HOST else question
    return replace(you, question=question, ahead=ahead)


def update_for(you: You, numbered: NumberedView) -> Update:
    """Return the update of this browser."""
    own = _with_own(you, numbered)
    return Update(run=numbered.run, number=numbered.number, you=own, view=numbered.view)


def encoded_update(you: You, view: EncodedView, *, has_people: bool = False) -> bytes:
    """Return the update of a browser in JSON. `has_people`: it has the list of people already."""
    own = msgspec.json.encode(_with_own(you, view.numbered))
    return b"".join((view.before_you, own, view.same_people if has_people else view.after_you))


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
    )


def _public_game(game: GameView) -> GameView:
    """Return the game without what only phones need: answers, powers, tasks, reminders."""
    return replace(
        game,
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
        proposal = replace(proposal, dice=dice, picture="", preview=PreviewAnswer())
    return replace(tray, proposal=proposal, box=None, misread="")


@dataclass(eq=False, slots=True)
class Listener:
    """One open stream. `wake` is set when there is something to send: a newer view or its `end`.
    Views that are replaced before they are sent are skipped.
    """

    key: str
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    end: StreamEvent | None = None
    gone: bool = False
    viewer: ViewerKind | None = None


class Hub:
    """Keeps the newest view and wakes listeners. `publish` may be called from any thread, one call
    at a time; all else on the server's loop.
    """

    def __init__(self, view: NumberedView) -> None:
        self._viewer_names = count(1)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listeners: list[Listener] = []
        self.newest = encode(view)
        """The newest view that was published."""
        self._followers: tuple[Callable[[], None], ...] = ()

    def subscribe(self, follower: Callable[[], None]) -> None:
        """Have `follower` called after each published view, on its thread; it must not wait."""
        self._followers = (*self._followers, follower)

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the event loop on which listeners are woken."""
        self._loop = loop

    def publish(self, view: NumberedView) -> None:
        """Replace the newest view, and wake every listener."""
        self.newest = encode(view)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake)
        for follower in self._followers:
            follower()

    def open(self, key: str) -> Listener:
        """Open a stream for the browser `key`, and end its older one."""
        for other in self._listeners:
            if other.key == key:
                self._end(other, StreamEvent.REPLACED)
        listener = Listener(key)
        listener.wake.set()
        self._listeners.append(listener)
        return listener

    def open_viewer(self, kind: ViewerKind) -> Listener | None:
        """Open a stream for one more viewer; None if there are too many.

        Viewers of one kind share a token, so none of them ends the stream of another.
        """
        if sum(each.viewer is not None for each in self._listeners) >= MOST_VIEWERS:
            return None
        listener = self.open(f"{kind} {next(self._viewer_names)}")
        listener.viewer = kind
        return listener

    def viewers(self, kind: ViewerKind) -> int:
        """Return how many viewers of this kind listen."""
        return sum(each.viewer is kind for each in tuple(self._listeners))

    def close(self, listener: Listener) -> None:
        """End the stream without a last event."""
        listener.gone = True
        listener.wake.set()
        if listener in self._listeners:
            self._listeners.remove(listener)

    def stop(self) -> None:
        """End every stream."""
        for listener in tuple(self._listeners):
            self.close(listener)

    def _wake(self) -> None:
        for listener in self._listeners:
            listener.wake.set()

    def _end(self, listener: Listener, why: StreamEvent) -> None:
        listener.end = why
        listener.wake.set()
