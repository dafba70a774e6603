"""The event stream of one browser: whole views, the newest only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from companion.service.app_state import AppState
from companion.service.http.bodies import Message, RequestBody
from companion.service.hub import Listener
from companion.service.refusals import ANSWER_HEADERS
from companion.service.views.update import EncodedView, encoded_update
from companion.service.wire import Role, StreamEvent, You

Send = Callable[[Message], Awaitable[None]]

HEADERS = {
    **ANSWER_HEADERS,
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
}


async def no_stream(send: Send, why: StreamEvent) -> None:
    """Answer with a stream that says why it ends, and when to try again. Never 503: a browser would
    not reconnect.
    """
    await _start(send)
    await _say(send, b"retry: 15000\n" + _named(why), more=False)


async def stream(
    app_state: AppState, secret: str, address: str, incoming: RequestBody, send: Send
) -> None:
    """Send every newest view to the browser until it goes."""
    listener = app_state.hub.open(secret, address)
    if listener is None:
        await no_stream(send, StreamEvent.FULL)
        return
    watch = asyncio.create_task(_until_gone(incoming, listener, app_state))
    app_state.listening(secret, 1, address)
    try:
        await _start(send)
        await _tell(app_state, secret, listener, send)
    finally:
        watch.cancel()
        app_state.hub.close(listener)
        app_state.listening(secret, -1)


async def _tell(app_state: AppState, secret: str, listener: Listener, send: Send) -> None:
    """Send every newest view to the listener until it goes."""
    await _say(send, b"retry: 1000\n\n")
    sent: tuple[str, You] | None = None
    while True:
        await listener.wake.wait()
        listener.wake.clear()
        if listener.gone:
            break
        you = app_state.browsers.you(secret)
        end = StreamEvent.STRANGER if you.role is Role.STRANGER else listener.end
        if end is not None:
            await _say(send, _named(end), more=False)
            return
        newest = app_state.hub.newest
        if (newest.id, you) != sent:
            sent = (newest.id, you)
            listener.beat = False
            await _say(send, _message(you, newest))
        elif listener.beat:
            listener.beat = False
            await _say(send, b"event: beat\ndata: {}\n\n")
    await _say(send, b"", more=False)


async def _until_gone(incoming: RequestBody, listener: Listener, app_state: AppState) -> None:
    """Close the listener once its browser has hung up."""
    await incoming.gone()
    app_state.hub.close(listener)


def _message(you: You, newest: EncodedView) -> bytes:
    return b"".join((f"id: {newest.id}\ndata: ".encode(), encoded_update(you, newest), b"\n\n"))


def _named(event: StreamEvent) -> bytes:
    return f"event: {event}\ndata: {{}}\n\n".encode()


async def _start(send: Send) -> None:
    pairs = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": 200, "headers": pairs})


async def _say(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
