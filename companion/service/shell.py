"""The ASGI shell: the one native route (the stream) and a guard around the bodies of all others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

import msgspec
from a2wsgi import WSGIMiddleware

from companion.service.addresses import plain
from companion.service.desk import Desk
from companion.service.exchange import Problem
from companion.service.guards import ANSWER_HEADERS, MARK, Asked, verdict
from companion.service.hub import Listener
from companion.service.wire import Role, StreamEvent, Words, You

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

STREAM = "/api/stream"
WORKERS = 10
SEND_QUEUE = 1024
"""Chunks of an answer that may wait for a slow reader without holding a worker."""


class TooLargeError(Exception):
    """The body is longer than allowed."""


class Shell:
    """The application the server runs. `wsgi` answers everything but the stream."""

    def __init__(self, wsgi: Callable[..., Any], desk: Desk) -> None:
        self._wsgi = WSGIMiddleware(wsgi, workers=WORKERS, send_queue_size=SEND_QUEUE)
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The request is answered."""
        if scope["type"] != "http":
            return
        scope = {**scope, "client": _plain(scope["client"]), "server": _plain(scope["server"])}
        if scope["path"] == STREAM and scope["method"] == "GET":
            await self._stream(scope, receive, send)
        elif not scope["query_string"].isascii() or not scope["path"].isprintable():
            await _refuse(send, 400, "error.bad_request")
        else:
            await self._guarded(scope, receive, send)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The whole body is read first, so that no worker ever waits for a slow phone."""
        limits = self._desk.settings.limits
        try:
            if int(_header(scope, b"content-length") or "0") > limits.body_bytes:
                raise TooLargeError
            async with asyncio.timeout(limits.body_s):
                body = await _whole(receive, limits.body_bytes)
        except TooLargeError:
            await _refuse(send, 413, "error.too_large")
        except TimeoutError:
            await _refuse(send, 408, "error.too_slow")
        except ValueError:
            await _refuse(send, 400, "error.bad_request")
        else:
            if body is not None:
                await self._wsgi(_with_length(scope, len(body)), _once(body), send)  # type: ignore[arg-type]

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Whole views, newest only, until somebody goes. Never 503: a browser would not return."""
        desk = self._desk
        status = verdict(_asked(scope), desk.names, desk.settings.advertise)
        if status:
            await _refuse(send, status, "error.not_from_here")
            return
        headers = {
            **ANSWER_HEADERS,
            "Content-Type": "text/event-stream; charset=utf-8",
            "Cache-Control": "no-store",
        }
        await _start(send, 200, headers)
        secret = _cookie(scope, desk.cookie)
        if secret is None or desk.browsers.you(secret).role is Role.STRANGER:
            await _say(send, b"retry: 15000\n" + _named(StreamEvent.STRANGER), more=False)
            return
        address = scope["client"][0]
        listener = desk.hub.open(secret, address)
        if listener is None:
            await _say(send, b"retry: 15000\n" + _named(StreamEvent.FULL), more=False)
            return
        watch = asyncio.create_task(_until_gone(receive, listener, desk))
        try:
            await self._listening(secret, 1, address)
            await self._tell(secret, listener, send)
        finally:
            watch.cancel()
            desk.hub.close(listener)
            await self._listening(secret, -1)

    async def _tell(self, secret: str, listener: Listener, send: Send) -> None:
        """The listener hears every newest view until it goes."""
        await _say(send, b"retry: 1000\n\n")
        told: tuple[str, You] | None = None
        while True:
            await listener.wake.wait()
            listener.wake.clear()
            if listener.gone:
                break
            you = self._desk.browsers.you(secret)
            end = StreamEvent.STRANGER if you.role is Role.STRANGER else listener.end
            if end is not None:
                await _say(send, _named(end), more=False)
                return
            number, view = self._desk.hub.newest
            if (number, you) != told:
                told = (number, you)
                listener.beat = False
                await _say(send, _update(number, you, view))
            elif listener.beat:
                listener.beat = False
                await _say(send, b"event: beat\ndata: {}\n\n")
        await _say(send, b"", more=False)

    async def _listening(self, secret: str, change: int, address: str | None = None) -> None:
        """Everybody sees whether this browser listens."""
        before = self._desk.browsers.people()
        self._desk.browsers.listening(secret, change, address)
        if self._desk.browsers.people() != before:
            await asyncio.to_thread(self._desk.publish)


def _plain(end: tuple[str, int] | None) -> tuple[str, int]:
    """One end of the connection, its address in the one form in which addresses are compared."""
    address, port = end or ("", 0)
    return plain(address), port


def _update(number: str, you: You, view: bytes) -> bytes:
    """One message: the view was encoded once for all, `you` is this browser's."""
    head = f'id: {number}\ndata: {{"you":'.encode()
    return b"".join((head, msgspec.json.encode(you), b',"view":', view, b"}\n\n"))


def _named(event: StreamEvent) -> bytes:
    return f"event: {event}\ndata: {{}}\n\n".encode()


async def _until_gone(receive: Receive, listener: Listener, desk: Desk) -> None:
    """The listener is closed once its browser is gone."""
    while (await receive())["type"] != "http.disconnect":
        continue
    desk.hub.close(listener)


async def _whole(receive: Receive, limit: int) -> bytes | None:
    """The body; None: whoever sent it has gone. TooLargeError above `limit` bytes."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if len(body) > limit:
            raise TooLargeError
        if not message.get("more_body", False):
            return bytes(body)


def _once(body: bytes) -> Receive:
    """What hands the body out in one piece."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    return receive


def _with_length(scope: Scope, length: int) -> Scope:
    """The request with the length its body turned out to have; WSGI knows no other."""
    known = (b"transfer-encoding", b"content-length")
    headers = [(name, value) for name, value in scope["headers"] if name not in known]
    return {**scope, "headers": [*headers, (b"content-length", str(length).encode())]}


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _cookie(scope: Scope, name: str) -> str | None:
    try:
        cookies = SimpleCookie(_header(scope, b"cookie") or "")
    except CookieError:
        return None
    return cookies[name].value if name in cookies else None


def _asked(scope: Scope) -> Asked:
    return Asked(
        method=scope["method"],
        host=_header(scope, b"host") or "",
        origin=_header(scope, b"origin"),
        content_type=_header(scope, b"content-type") or "",
        mark=_header(scope, MARK.lower().encode()),
        reached_at=scope["server"][0],
    )


async def _refuse(send: Send, status: int, key: str) -> None:
    body = msgspec.json.encode(Problem(error=Words(key=key)))
    headers = {
        **ANSWER_HEADERS,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    await _start(send, status, headers)
    await _say(send, body, more=False)


async def _start(send: Send, status: int, headers: dict[str, str]) -> None:
    pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def _say(send: Send, body: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
