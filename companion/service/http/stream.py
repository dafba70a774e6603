"""The event stream of one browser or viewer (server-sent events): whole views, only the newest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from companion.service.app_state import AppState
from companion.service.hub import Listener, encoded_update, viewer_view
from companion.service.requests import ANSWER_HEADERS
from companion.service.wire import Role, StreamEvent, ViewerKind

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HEADERS = {
    **ANSWER_HEADERS,
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
}
"""A proxy must pass on each piece at once, and compress nothing: nginx heeds the last."""


async def no_stream(send: Send, why: StreamEvent) -> None:
    """Answer with a stream of one event: why it ends, and when to try again. A browser would not
    reconnect after a 503.
    """
    await _start(send)
    await _send_part(send, b"retry: 15000\n" + _event_message(why), more=False)


@dataclass(frozen=True, slots=True)
class Pending:
    """What a stream would send now: `mark` differs wherever the message does; `people` is the list
    of people that a browser has from now on.
    """

    mark: object
    message: Callable[[], bytes]
    people: int = 0


Feed = Callable[[int | None], Pending | None]
"""Returns what a listener is to get now that has this list of people, or none; None if it no longer
counts.
"""


async def stream(
    app_state: AppState, secret: str, address: str, receive: Receive, send: Send
) -> None:
    """Answer with the browser's event stream, until it hangs up or its stream ends.

    `tick` publishes who listens, so streams that come and go within a second cause no traffic.
    """
    listener = app_state.hub.open(secret)
    app_state.browsers.count_stream(secret, 1, address)
    app_state.arrivals.arrived(address)
    try:
        await _listen(app_state, listener, partial(_for_browser, app_state, secret), receive, send)
    finally:
        app_state.browsers.count_stream(secret, -1)


async def viewer_stream(
    app_state: AppState, token: str, kind: ViewerKind, receive: Receive, send: Send
) -> None:
    """Answer with the event stream of a television or an overlay."""
    listener = app_state.hub.open_viewer(kind)
    if listener is None:
        await no_stream(send, StreamEvent.FULL)
        return
    feed = partial(_for_viewer, app_state, token, kind)
    await _listen(app_state, listener, feed, receive, send)


async def _listen(
    app_state: AppState, listener: Listener, feed: Feed, receive: Receive, send: Send
) -> None:
    watch = asyncio.create_task(_until_gone(receive, listener, app_state))
    try:
        await _start(send)
        await _send_updates(feed, listener, app_state.settings.limits.heartbeat_s, send)
    finally:
        watch.cancel()
        app_state.hub.close(listener)


async def _send_updates(feed: Feed, listener: Listener, heartbeat_s: float, send: Send) -> None:
    """Send an update for every newer view until the stream ends, and heartbeats between them, so
    that phones notice when it is lost.
    """
    await _send_part(send, b"retry: 1000\n\n")
    sent: object = None
    people: int | None = None
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(heartbeat_s) as time:
                await listener.wake.wait()
        listener.wake.clear()
        if listener.gone:
            break
        pending = feed(people)
        if pending is None or listener.end is not None:
            end = listener.end if pending is not None else StreamEvent.STRANGER
            assert end is not None
            await _send_part(send, _event_message(end), more=False)
            return
        if pending.mark != sent:
            sent, people = pending.mark, pending.people
            await _send_part(send, pending.message())
        elif time.expired():
            await _send_part(send, b"event: beat\ndata: {}\n\n")
    await _send_part(send, b"", more=False)


def _for_browser(app_state: AppState, secret: str, people: int | None) -> Pending | None:
    you, newest = app_state.browsers.you(secret), app_state.hub.newest
    if you.role is Role.STRANGER:
        return None
    since = newest.numbered.people_since
    update = partial(encoded_update, you, newest, has_people=people == since)
    return Pending((newest.id, you), lambda: _message(newest.id, update()), since)


def _for_viewer(app_state: AppState, token: str, kind: ViewerKind, _: int | None) -> Pending | None:
    if app_state.view_tokens.kind(token) is not kind:
        return None
    newest, language = app_state.hub.newest, app_state.view_tokens.language
    view = partial(viewer_view, kind, language, newest.numbered)
    return Pending((newest.id, language), lambda: _message(newest.id, msgspec.json.encode(view())))


async def _until_gone(receive: Receive, listener: Listener, app_state: AppState) -> None:
    """Close the listener once its browser has hung up."""
    while (await receive())["type"] != "http.disconnect":
        continue
    app_state.hub.close(listener)


def _message(id_: str, data: bytes) -> bytes:
    return b"".join((b"id: ", id_.encode(), b"\ndata: ", data, b"\n\n"))


def _event_message(event: StreamEvent) -> bytes:
    return f"event: {event}\ndata: {{}}\n\n".encode()


async def _start(send: Send) -> None:
    pairs = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": 200, "headers": pairs})


async def _send_part(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
