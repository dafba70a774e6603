"""The event stream of one browser (server-sent events): whole views, only the newest."""

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
    """Answer with a stream of one event: why it ends, and when to try again. A browser would not
    reconnect after a 503.
    """
    await _start(send)
    await _send_part(send, b"retry: 15000\n" + _event_message(why), more=False)


async def stream(
    app_state: AppState, secret: str, address: str, incoming: RequestBody, send: Send
) -> None:
    """Answer with the browser's event stream, until it hangs up or its stream ends."""
    listener = app_state.hub.open(secret, address)
    if listener is None:
        await no_stream(send, StreamEvent.FULL)
        return
    watch = asyncio.create_task(_until_gone(incoming, listener, app_state))
    app_state.count_stream(secret, 1, address)
    try:
        await _start(send)
        await _send_updates(app_state, secret, listener, send)
    finally:
        watch.cancel()
        app_state.hub.close(listener)
        app_state.count_stream(secret, -1)


async def _send_updates(app_state: AppState, secret: str, listener: Listener, send: Send) -> None:
    """Send an update for every newer view, and heartbeats, until the stream ends."""
    await _send_part(send, b"retry: 1000\n\n")
    sent: tuple[str, You] | None = None
    while True:
        await listener.wake.wait()
        listener.wake.clear()
        if listener.gone:
            break
        you = app_state.browsers.you(secret)
        end = StreamEvent.STRANGER if you.role is Role.STRANGER else listener.end
        if end is not None:
            await _send_part(send, _event_message(end), more=False)
            return
        newest = app_state.hub.newest
        if (newest.id, you) != sent:
            sent = (newest.id, you)
            listener.beat = False
            await _send_part(send, _update_message(you, newest))
        elif listener.beat:
            listener.beat = False
            await _send_part(send, b"event: beat\ndata: {}\n\n")
    await _send_part(send, b"", more=False)


async def _until_gone(incoming: RequestBody, listener: Listener, app_state: AppState) -> None:
    """Close the listener once its browser has hung up."""
    await incoming.gone()
    app_state.hub.close(listener)


def _update_message(you: You, newest: EncodedView) -> bytes:
    update = encoded_update(you, newest)
    return b"".join((b"id: ", newest.id.encode(), b"\ndata: ", update, b"\n\n"))


def _event_message(event: StreamEvent) -> bytes:
    return f"event: {event}\ndata: {{}}\n\n".encode()


async def _start(send: Send) -> None:
    pairs = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
    await send({"type": "http.response.start", "status": 200, "headers": pairs})


async def _send_part(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
