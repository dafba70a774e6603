"""The ASGI shell: decides what is heard before a body is read, and which workers answer it.

In this order: Host, Origin, mark, content type, route, cookie and role; the length that is
announced; the sender's turn; one of the few photos; room in memory; the body; Flask.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from wsgiref.types import WSGIApplication

from werkzeug.http import parse_cookie

from companion.service.app_state import Desk
from companion.service.http.bodies import GoneError, Incoming, Receive, Room, TooLargeError
from companion.service.http.connections import Connections, Peer, Worth
from companion.service.http.guards import MARK, Admitted, Asked, Guard
from companion.service.http.routes import THREADS, Body, Work
from companion.service.http.stream import Send, no_stream, stream
from companion.service.http.turns import Allowance, Few, Turns
from companion.service.http.wsgi import Scope, answer
from companion.service.network.addresses import plain
from companion.service.refusals import Answer, NotHeardError
from companion.service.settings import Limits
from companion.service.wire import Role, StreamEvent
from companion.service.workers import Workers

PIECE = 65_536
"""Bytes of an answer that are handed on at once; the next ones wait for a reader that is slow."""
LINGER_BYTES, LINGER_S = 65_536, 2.0
"""So much of a body nobody wants is read, so that its sender gets to read why."""
LONGEST_COOKIE = 8_192
ALWAYS = 1e9
COSTS = {Work.COMPUTE: 3, Work.SEAT: 5, Work.STREAM: 5, Work.LOG: 10, Work.PAST: 10}
"""What takes the rules to answer, changes what everybody sees, or is long, counts as so many
requests.
"""


LONG = frozenset({Work.LOG, Work.PAST})
"""Answers of megabytes, where a game is long."""
ONE = Allowance(ALWAYS, ALWAYS, 1)


class Shell:
    """The application the server runs. `wsgi` answers everything but the stream."""

    def __init__(self, wsgi: WSGIApplication, desk: Desk) -> None:
        limits = desk.settings.limits
        self._wsgi, self._desk, self._limits = wsgi, desk, limits
        self._guard = Guard(desk)
        self._workers = {work: Workers(work, count) for work, count in THREADS.items()}
        self._turns = Turns(limits.turn_s)
        self._computed = Turns(limits.turn_s)
        self._long = Turns(limits.turn_s)
        self._room, self._json_room = _rooms(limits)
        self._photos = Few(limits.photos_at_once, "error.photo.busy")
        self.connections = Connections(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The request is answered."""
        if scope["type"] != "http":
            return
        peer: Peer = tuple(scope["client"][:2]) if scope["client"] else ("", 0)
        scope = {**scope, "client": _plain(scope["client"]), "server": _plain(scope["server"])}
        self.connections.mark(peer, Worth.ASKING)
        try:
            await self._respond(scope, Incoming(receive, _declared(scope)), send, peer)
        except GoneError:
            pass
        finally:
            self.connections.mark(peer, Worth.IDLE)

    def close(self) -> None:
        """No more requests will come; what is still being worked out is nobody's any more."""
        for each in self._workers.values():
            each.shutdown()

    async def _respond(self, scope: Scope, incoming: Incoming, send: Send, peer: Peer) -> None:
        asked = _asked(scope, self._desk.cookie)
        try:
            if not scope["query_string"].isascii() or not scope["path"].isprintable():
                raise NotHeardError(400)
            admitted = self._guard.admit(asked)
            if admitted.route.work is Work.STREAM:
                if asked.method != "GET":
                    raise NotHeardError(405)
                await self._stream(asked, admitted, scope, incoming, send, peer)
                return
            async with AsyncExitStack() as until_sent:
                said = await self._answered(asked, admitted, scope, incoming, until_sent, peer)
                await self._hand_over(send, said, peer)
        except NotHeardError as refused:
            with self.connections.while_connected(peer):
                over = await self._is_over_its_share(scope["client"][0])
            said = self._guard.refusal(asked, NotHeardError(429) if over else refused)
            await self._refuse(said, incoming, send, is_last=over)

    async def _hand_over(self, send: Send, said: Answer, peer: Peer) -> None:
        """Send the answer; cut a phone off that stops reading it, or takes too long in all."""
        try:
            async with asyncio.timeout(self._limits.answer_s):
                await _send(send, said, self._limits.stalled_s)
        except TimeoutError:
            await self.connections.drop(peer)

    async def _answered(
        self,
        request: Asked,
        admitted: Admitted,
        scope: Scope,
        incoming: Incoming,
        until_sent: AsyncExitStack,
        peer: Peer,
    ) -> Answer:
        """What Flask says. The whole body is read first, so that no worker waits for a phone.

        `until_sent` gets what the answer holds until it is sent.
        """
        route, most = admitted.route, _most_bytes(self._limits, admitted.route.body)
        size = most if incoming.declared is None else incoming.declared
        if size > most:
            raise _too_large(most)
        sender = _sender(request, admitted, scope)
        async with AsyncExitStack() as held:
            with self.connections.while_connected(peer):
                await held.enter_async_context(self._turn(sender, admitted))
                if route.work in LONG:
                    long = self._long_turn(sender, scope["client"][0])
                    await until_sent.enter_async_context(long)
                if route.work is Work.PHOTO:
                    held.enter_context(self._photos.take(sender))
                room = self._json_room if route.body is Body.JSON else self._room
                await held.enter_async_context(room.of(sender, scope["client"][0], size))
            body = await self._body(incoming, most)
            loop, pool = asyncio.get_running_loop(), self._workers[route.work]
            return await loop.run_in_executor(pool, answer, self._wsgi, scope, body)

    async def _body(self, incoming: Incoming, most: int) -> bytes:
        try:
            async with asyncio.timeout(self._limits.body_s):
                return await incoming.whole(most)
        except TooLargeError:
            raise _too_large(most) from None
        except TimeoutError:
            raise NotHeardError(408) from None

    @asynccontextmanager
    async def _turn(self, sender: str, admitted: Admitted) -> AsyncIterator[None]:
        """The sender's turn; of what is dear, it has few at once."""
        work = admitted.route.work
        async with AsyncExitStack() as held:
            role = admitted.you.role
            allowance, cost = _allowance(self._limits, role), COSTS.get(work, 1)
            await held.enter_async_context(self._turns.turn(sender, allowance, cost))
            if work is Work.COMPUTE:
                few = Allowance(ALWAYS, ALWAYS, self._limits.computed_at_once)
                await held.enter_async_context(self._computed.turn(sender, few))
            yield

    @asynccontextmanager
    async def _long_turn(self, sender: str, address: str) -> AsyncIterator[None]:
        """A place for a long answer, until it is sent: nobody has two of them in memory by asking
        and not reading.
        """
        all_there = Allowance(ALWAYS, ALWAYS, self._limits.long_answers_per_address)
        async with self._long.turn(sender, ONE), self._long.turn(f"all of {address}", all_there):
            yield

    async def _stream(
        self,
        request: Asked,
        admitted: Admitted,
        scope: Scope,
        incoming: Incoming,
        send: Send,
        peer: Peer,
    ) -> None:
        try:
            with self.connections.while_connected(peer):
                async with self._turn(_sender(request, admitted, scope), admitted):
                    pass
        except NotHeardError:
            await no_stream(send, StreamEvent.FULL)
            return
        if request.secret is None or admitted.you.role is Role.STRANGER:
            await no_stream(send, StreamEvent.STRANGER)
            return
        self.connections.watch(peer, partial(self._is_seated, request.secret))
        await stream(self._desk, request.secret, scope["client"][0], incoming, send)

    def _is_seated(self, secret: str) -> bool:
        return self._desk.browsers.you(secret).role in {Role.PLAYER, Role.HOST}

    async def _is_over_its_share(self, address: str) -> bool:
        """Whether the address is refused more often than strangers may ask; first it is refused
        later. What it may ask and get is counted apart: others may have the same address.
        """
        try:
            async with self._turns.turn(
                f"refused {address}", _allowance(self._limits, Role.STRANGER)
            ):
                return False
        except NotHeardError:
            return True

    async def _refuse(self, said: Answer, incoming: Incoming, send: Send, *, is_last: bool) -> None:
        """The refusal is sent, and what its sender still sends is read for a little while.

        `is_last`: the connection is closed after it.
        """
        if incoming.is_over and not is_last:
            await _send(send, said)
            return
        await _start(send, said, ("Connection", "close"))
        await send({"type": "http.response.body", "body": said.body, "more_body": True})
        try:
            async with asyncio.timeout(LINGER_S):
                await incoming.skip(LINGER_BYTES)
        except TimeoutError:
            pass
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _send(send: Send, said: Answer, stalled_s: float | None = None) -> None:
    """Send the answer; TimeoutError where its reader takes nothing for `stalled_s` seconds."""
    await _start(send, said)
    pieces = range(0, max(len(said.body), 1), PIECE)
    for start in pieces:
        body, more = said.body[start : start + PIECE], start + PIECE < len(said.body)
        async with asyncio.timeout(stalled_s):
            await send({"type": "http.response.body", "body": body, "more_body": more})


async def _start(send: Send, said: Answer, *more: tuple[str, str]) -> None:
    pairs = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in (*said.headers, *more)]
    await send({"type": "http.response.start", "status": said.status, "headers": pairs})


def _allowance(limits: Limits, role: Role) -> Allowance:
    """What a sender may have: the more it is known, the more."""
    if role is Role.STRANGER:
        each = (limits.stranger_per_s, limits.stranger_burst, limits.stranger_at_once)
    elif role is Role.SPECTATOR:
        each = (limits.spectator_per_s, limits.spectator_burst, limits.spectator_at_once)
    else:
        each = (limits.seated_per_s, limits.seated_burst, limits.seated_at_once)
    return Allowance(*each)


def _rooms(limits: Limits) -> tuple[Room, Room]:
    """Room for photos and files, and a room of its own for JSON: long bodies never keep commands
    waiting.
    """
    json = limits.json_bodies_bytes
    long, mine = limits.bodies_bytes - json, limits.bodies_per_sender_bytes
    return (
        Room(long, mine, limits.bodies_per_address_bytes, limits.turn_s),
        Room(json, json // 8, json // 2, limits.turn_s),
    )


def _most_bytes(limits: Limits, body: Body) -> int:
    """How long such a body may be."""
    match body:
        case Body.NONE:
            return 0
        case Body.JSON:
            return limits.json_bytes
        case Body.PHOTO:
            return limits.photo_bytes
        case Body.FILE:
            return limits.file_bytes


def _sender(request: Asked, admitted: Admitted, scope: Scope) -> str:
    """Whose turn a request takes: a browser's own, or that of all strangers of one address."""
    if admitted.you.role is Role.STRANGER or request.secret is None:
        return f"address {scope['client'][0]}"
    return f"browser {request.secret}"


def _too_large(most: int) -> NotHeardError:
    megabytes = most >> 20
    if megabytes:
        return NotHeardError(413, "error.too_large", most=megabytes)
    return NotHeardError(413)


def _declared(scope: Scope) -> int | None:
    """The body's announced length; 0: there is none, None: it comes in chunks."""
    if _header(scope, b"transfer-encoding") is not None:
        return None
    return int(_header(scope, b"content-length") or "0")


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _secret(scope: Scope, name: str) -> str | None:
    """The browser's cookie of that name."""
    return parse_cookie((_header(scope, b"cookie") or "")[:LONGEST_COOKIE]).get(name)


def _plain(end: tuple[str, int] | None) -> tuple[str, int]:
    """One end of the connection, its address in the form that everything counts and compares."""
    return (plain(end[0]), end[1]) if end else ("", 0)


def _asked(scope: Scope, cookie: str) -> Asked:
    return Asked(
        method=scope["method"],
        path=scope["path"],
        query=scope["query_string"].decode("latin-1"),
        host=_header(scope, b"host") or "",
        origin=_header(scope, b"origin"),
        content_type=_header(scope, b"content-type") or "",
        mark=_header(scope, MARK.lower().encode()),
        reached_at=scope["server"][0],
        secret=_secret(scope, cookie),
        accept=_header(scope, b"accept") or "",
        languages=_header(scope, b"accept-language") or "",
    )
