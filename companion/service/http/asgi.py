"""The ASGI application: admits a request by its head, reads its body, and has a worker answer it.

In this order: Host, Origin, mark, content type, route, cookie and role; the declared length; the
sender's turn; one of the few places for photos; memory for the body; the body; Flask.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from wsgiref.types import WSGIApplication

from companion.service.app_state import AppState
from companion.service.http.bodies import (
    BodyTooLargeError,
    DisconnectedError,
    MemoryBudget,
    Receive,
    RequestBody,
)
from companion.service.http.connections import Connections, Peer, Priority
from companion.service.http.guards import Admitted, Guard
from companion.service.http.rate_limits import Allowance, RateLimiter, SenderSlots
from companion.service.http.request_head import RequestHead
from companion.service.http.routes import THREADS, Body, Work
from companion.service.http.stream import Send, no_stream, stream, viewer_stream
from companion.service.http.wsgi import Environ, Scope, call, environ_of
from companion.service.network.addresses import canonical_address
from companion.service.network.probes import probe_answer
from companion.service.refusals import Answer, HttpError, wrong_method
from companion.service.settings import Limits
from companion.service.wire import Role, StreamEvent, ViewerKind
from companion.service.workers import Workers

PIECE = 65_536
"""Bytes of an answer that are sent at once; the next ones wait for a slow reader."""
LINGER_BYTES, LINGER_S = 65_536, 2.0
"""How much of a refused body is read, and how long, so that its sender can read the refusal."""
UNLIMITED = 1e9
COSTS = {
    Work.COMPUTE: 3,
    Work.SEAT: 5,
    Work.STREAM: 5,
    Work.LOG: 10,
    Work.RECORDS: 3,
    Work.PAST: 10,
    Work.FORECAST: 5,
    Work.REPORT: 10,
}
"""Costly work counts as so many requests."""
LONG = frozenset({Work.LOG, Work.PAST, Work.REPORT})
"""Answers of megabytes, where a game is long."""
ONE_AT_ONCE = Allowance(UNLIMITED, UNLIMITED, 1)


class AsgiApp:
    """The application the server runs. `wsgi` answers everything but the stream."""

    def __init__(self, wsgi: WSGIApplication, app_state: AppState) -> None:
        limits = app_state.settings.limits
        self._wsgi, self._app_state, self._limits = wsgi, app_state, limits
        self._guard = Guard(app_state)
        self._workers = {work: Workers(work, count) for work, count in THREADS.items()}
        self._rates = RateLimiter(limits.delay_s)
        self._compute_limiter = RateLimiter(limits.delay_s)
        self._long_answers = RateLimiter(limits.delay_s)
        self._memory, self._json_memory = _memory_budgets(limits)
        self._photos = SenderSlots(limits.photos_at_once, "error.photo.busy")
        self.connections = Connections(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        peer: Peer = tuple(scope["client"][:2]) if scope["client"] else ("", 0)
        scope = {
            **scope,
            "client": _canonical_end(scope["client"]),
            "server": _canonical_end(scope["server"]),
        }
        self.connections.set_priority(peer, Priority.ASKING)
        try:
            await self._respond(scope, RequestBody(receive, _declared(scope)), send, peer)
        except DisconnectedError:
            pass
        finally:
            self.connections.set_priority(peer, Priority.IDLE)

    def close(self) -> None:
        """End the workers; nobody waits for what they still compute."""
        for each in self._workers.values():
            each.shutdown()

    async def _respond(self, scope: Scope, body: RequestBody, send: Send, peer: Peer) -> None:
        """Admit the request by its head, and answer it: by the stream, by Flask, or
        with an error.
        """
        environ = environ_of(scope)
        head = RequestHead.read(environ, self._app_state.cookie)
        try:
            if not scope["query_string"].isascii() or not scope["path"].isprintable():
                raise HttpError(400)
            if await self._answer_probe(head, scope, send):
                return
            admitted = self._guard.admit(head)
            if admitted.route.work is Work.STREAM:
                if head.method != "GET":
                    raise wrong_method("GET")
                await self._stream(head, admitted, scope, body, send, peer)
                return
            async with AsyncExitStack() as until_sent:
                answer = await self._flask_answer(head, admitted, environ, body, until_sent, peer)
                await self._send_in_time(send, answer, peer)
        except HttpError as refused:
            with self.connections.while_connected(peer):
                over = await self._refused_too_often(scope["client"][0])
            answer = self._guard.refusal(head, HttpError(429) if over else refused)
            await self._refuse(answer, body, send, is_last=over)

    async def _answer_probe(self, head: RequestHead, scope: Scope, send: Send) -> bool:
        """Answer a phone that looks for the internet, in a hotspot of the table's own; return
        whether it was one. Counted as what is refused: its host is not ours.
        """
        if not self._app_state.settings.hotspot:
            return False
        answer = probe_answer(head.method, head.host, head.path)
        if answer is None:
            return False
        if await self._refused_too_often(scope["client"][0]):
            raise HttpError(429)
        await _send(send, answer, self._limits.stalled_s)
        return True

    async def _send_in_time(self, send: Send, answer: Answer, peer: Peer) -> None:
        """Send the answer; disconnect a phone that stops reading it or takes too long."""
        try:
            async with asyncio.timeout(self._limits.answer_s):
                await _send(send, answer, self._limits.stalled_s)
        except TimeoutError:
            await self.connections.drop(peer)

    async def _flask_answer(
        self,
        head: RequestHead,
        admitted: Admitted,
        environ: Environ,
        body: RequestBody,
        until_sent: AsyncExitStack,
        peer: Peer,
    ) -> Answer:
        """Return Flask's answer. The whole body is read first, so that no worker waits for a phone.

        `until_sent` takes what the answer holds until it is sent.
        """
        route, most = admitted.route, _most_bytes(self._limits, admitted.route.body)
        size = most if body.declared is None else body.declared
        if size > most:
            raise _too_large(most)
        address = environ["REMOTE_ADDR"]
        sender = _sender(head, admitted, address)
        async with AsyncExitStack() as held:
            with self.connections.while_connected(peer):
                await held.enter_async_context(self._rate_limited(sender, admitted))
                if route.work in LONG:
                    long = self._long_answer_slot(sender, address)
                    await until_sent.enter_async_context(long)
                if route.work is Work.PHOTO:
                    held.enter_context(self._photos.take(sender))
                memory = self._json_memory if route.body is Body.JSON else self._memory
                await held.enter_async_context(memory.reserve(sender, address, size))
            content = await self._read(body, most)
            loop, pool = asyncio.get_running_loop(), self._workers[route.work]
            return await loop.run_in_executor(pool, call, self._wsgi, environ, content)

    async def _read(self, body: RequestBody, most: int) -> bytes:
        """Read the whole body; HttpError where it is too long or too slow."""
        try:
            async with asyncio.timeout(self._limits.body_s):
                return await body.whole(most)
        except BodyTooLargeError:
            raise _too_large(most) from None
        except TimeoutError:
            raise HttpError(408) from None

    @asynccontextmanager
    async def _rate_limited(self, sender: str, admitted: Admitted) -> AsyncIterator[None]:
        """Delay the request where the sender exceeds its rate, or runs too much costly work."""
        work = admitted.route.work
        async with AsyncExitStack() as held:
            role = admitted.you.role
            allowance, cost = _allowance(self._limits, role), COSTS.get(work, 1)
            await held.enter_async_context(self._rates.acquire(sender, allowance, cost))
            if work in {Work.COMPUTE, Work.FORECAST}:
                few = Allowance(UNLIMITED, UNLIMITED, self._limits.computed_at_once)
                await held.enter_async_context(self._compute_limiter.acquire(sender, few))
            yield

    @asynccontextmanager
    async def _long_answer_slot(self, sender: str, address: str) -> AsyncIterator[None]:
        """Take a place for a long answer until it is sent, so that a sender who asks and does not
        read never has two in memory.
        """
        per_address = Allowance(UNLIMITED, UNLIMITED, self._limits.long_answers_per_address)
        limiter = self._long_answers
        async with (
            limiter.acquire(sender, ONE_AT_ONCE),
            limiter.acquire(f"all of {address}", per_address),
        ):
            yield

    async def _stream(
        self,
        head: RequestHead,
        admitted: Admitted,
        scope: Scope,
        body: RequestBody,
        send: Send,
        peer: Peer,
    ) -> None:
        """Open the browser's event stream, as far as its rate and role allow."""
        address = scope["client"][0]
        try:
            with self.connections.while_connected(peer):
                async with self._rate_limited(_sender(head, admitted, address), admitted):
                    pass
        except HttpError:
            await no_stream(send, StreamEvent.FULL)
            return
        kind = admitted.route.viewer
        if kind is not None:
            await self._viewer_stream(head, kind, address, body, send, peer)
            return
        if head.secret is None or admitted.you.role is Role.STRANGER:
            await no_stream(send, StreamEvent.STRANGER)
            return
        self.connections.watch(peer, partial(self._is_seated, head.secret))
        await stream(self._app_state, head.secret, address, body, send)

    async def _viewer_stream(
        self,
        head: RequestHead,
        kind: ViewerKind,
        address: str,
        body: RequestBody,
        send: Send,
        peer: Peer,
    ) -> None:
        """Open the stream of a television or an overlay."""
        if head.viewer is None or self._guard.viewer(head) is not kind:
            await no_stream(send, StreamEvent.STRANGER)
            return
        self.connections.watch(peer, lambda: False)
        await viewer_stream(self._app_state, head.viewer, kind, address, body, send)

    def _is_seated(self, secret: str) -> bool:
        return self._app_state.browsers.you(secret).role in {Role.PLAYER, Role.HOST}

    async def _refused_too_often(self, address: str) -> bool:
        """Whether the address is refused more often than strangers may ask; refusals below that are
        only delayed. Answers are counted apart: other browsers may share the address.
        """
        try:
            async with self._rates.acquire(
                f"refused {address}", _allowance(self._limits, Role.STRANGER)
            ):
                return False
        except HttpError:
            return True

    async def _refuse(
        self, answer: Answer, body: RequestBody, send: Send, *, is_last: bool
    ) -> None:
        """Send the refusal, and read for a little while what its sender still sends.

        `is_last`: the connection is closed after it.
        """
        if body.is_over and not is_last:
            await _send(send, answer)
            return
        await _start(send, answer, ("Connection", "close"))
        await send({"type": "http.response.body", "body": answer.body, "more_body": True})
        try:
            async with asyncio.timeout(LINGER_S):
                await body.skip(LINGER_BYTES)
        except TimeoutError:
            pass
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send(send: Send, answer: Answer, stalled_s: float | None = None) -> None:
    """Send the answer; TimeoutError where its reader takes nothing for `stalled_s` seconds."""
    await _start(send, answer)
    pieces = range(0, max(len(answer.body), 1), PIECE)
    for start in pieces:
        body, more = answer.body[start : start + PIECE], start + PIECE < len(answer.body)
        async with asyncio.timeout(stalled_s):
            await send({"type": "http.response.body", "body": body, "more_body": more})


async def _start(send: Send, answer: Answer, *more: tuple[str, str]) -> None:
    pairs = [
        (n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in (*answer.headers, *more)
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": pairs})


def _allowance(limits: Limits, role: Role) -> Allowance:
    """Return how much a sender of this role may ask."""
    if role is Role.STRANGER:
        each = (limits.stranger_per_s, limits.stranger_burst, limits.stranger_at_once)
    elif role is Role.SPECTATOR:
        each = (limits.spectator_per_s, limits.spectator_burst, limits.spectator_at_once)
    else:
        each = (limits.seated_per_s, limits.seated_burst, limits.seated_at_once)
    return Allowance(*each)


def _memory_budgets(limits: Limits) -> tuple[MemoryBudget, MemoryBudget]:
    """Memory for photos and files, and memory apart for JSON: long bodies never keep commands
    waiting.
    """
    json = limits.json_bodies_bytes
    long, mine = limits.bodies_bytes - json, limits.bodies_per_sender_bytes
    return (
        MemoryBudget(long, mine, limits.bodies_per_address_bytes, limits.delay_s),
        MemoryBudget(json, json // 8, json // 2, limits.delay_s),
    )


def _most_bytes(limits: Limits, body: Body) -> int:
    """Return how many bytes such a body may have."""
    match body:
        case Body.NONE:
            return 0
        case Body.JSON:
            return limits.json_bytes
        case Body.PHOTO:
            return limits.photo_bytes
        case Body.FILE:
            return limits.file_bytes


def _sender(head: RequestHead, admitted: Admitted, address: str) -> str:
    """Name whose turn a request takes: a browser's own, or that of all strangers of an address."""
    if admitted.you.role is Role.STRANGER or head.secret is None:
        return f"address {address}"
    return f"browser {head.secret}"


def _too_large(most: int) -> HttpError:
    megabytes = most >> 20
    if megabytes:
        return HttpError(413, "error.too_large", most=megabytes)
    return HttpError(413)


def _declared(scope: Scope) -> int | None:
    """Return the body's declared length in bytes; 0 without a body, None where it is chunked."""
    if _header(scope, b"transfer-encoding") is not None:
        return None
    return int(_header(scope, b"content-length") or "0")


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _canonical_end(end: tuple[str, int] | None) -> tuple[str, int]:
    """Return one end of the connection, its address in the form that is counted and compared."""
    return (canonical_address(end[0]), end[1]) if end else ("", 0)
