"""The guard: the one ASGI middleware, which admits a request once and passes on what it found.

In this order: Host, Origin, own header, route, content type, cookie and role; the sender's rate;
the body, within its limit; the sender's turn; Flask, on a worker; the answer, in pieces. Comparing
Origin with Host alone is no defence against DNS rebinding: both are the attacker's.
"""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from typing import Any, Final, cast
from weakref import WeakValueDictionary

from a2wsgi.wsgi import build_environ
from flask import Flask, request
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.http import parse_cookie
from werkzeug.routing import RequestRedirect, Rule

from companion.service.app_state import AppState
from companion.service.http.routes import CONTENT_TYPES, COSTS, RANKS, THREADS, Body, Route, Work
from companion.service.http.server import Connections
from companion.service.http.stream import Message, Receive, Send, no_stream, stream, viewer_stream
from companion.service.http.unknown_host import page_of_unknown_host, probe_answer, wants_page
from companion.service.machine.addresses import canonical_address, host_is_ours
from companion.service.requests import Answer, HttpError, error_answer
from companion.service.settings import Limits
from companion.service.wire import Role, StreamEvent, ViewerKind, You
from companion.service.workers import Workers

CSRF_HEADER: Final = "X-Monster-Table"
"""Our own header on every request that changes something. A page of another site cannot send it:
browsers ask first (a CORS preflight), and the service never allows it."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
LONGEST_PATH: Final = 300
LONGEST_QUERY: Final = 300
LONGEST_COOKIE: Final = 8_192
PIECE: Final = 65_536
"""Bytes of an answer that are sent at once; the next ones wait for a slow reader."""
LINGER_BYTES, LINGER_S = 65_536, 2.0
"""How much of a refused body is read, and how long, so that its sender can read the refusal."""
PAUSE_S: Final = 1.0
"""How long a sender waits for its refusal that asks far too often."""
ANSWER_S: Final = 60.0
"""Longest time for making and sending an answer; then the phone is disconnected."""
WATCHERS_COST: Final = 4
"""A request of somebody who watches counts as this many of a player."""
STRANGERS_AT_ONCE: Final = 64
"""Requests of one kind that are answered at once of all of an address that have not joined: many
phones may open the page together."""
FILES_AT_ONCE: Final = 8
"""Files of the page that one browser gets at once; browsers open six connections."""
LARGE_AT_ONCE: Final = 2
"""Photos and files that are received or read at once, of all browsers together."""
LONG_AT_ONCE: Final = 4
"""Long answers of one address that are made or sent at once."""
IDLE_S: Final = 10.0
"""How long a worker waits for the next request before it ends."""
MINUTE_S: Final = 60.0
ADMITTED: Final = "companion.admitted"
"""Where Flask finds what was admitted, in the environment of its request."""


class DisconnectedError(Exception):
    """The sender has hung up."""


def viewer_cookie(cookie: str) -> str:
    """Return the name of a viewer's cookie; a browser may be a phone and a viewer at once."""
    return f"{cookie}_viewer"


class Head:
    """The head of a request; `cookie` is the name of our cookie."""

    def __init__(self, scope: Message, cookie: str) -> None:
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        cookies = parse_cookie(headers.get("cookie", "")[:LONGEST_COOKIE])
        self.headers: Mapping[str, str] = headers
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: bytes = scope["query_string"]
        self.host = headers.get("host", "")
        self.media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        self.address: str = scope["client"][0]
        """Whoever sent it."""
        self.reached_at: str = scope["server"][0]
        """Our address to which the connection was made."""
        self.secret = cookies.get(cookie)
        """The browser's cookie."""
        self.viewer = cookies.get(viewer_cookie(cookie))
        """The cookie of a television or an overlay."""

    @property
    def length(self) -> int | None:
        """The body's declared length in bytes; 0 without a body, None if it comes in chunks."""
        if "transfer-encoding" in self.headers:
            return None
        return int(self.headers.get("content-length") or 0)


@dataclass(frozen=True, slots=True)
class Admitted:
    """An admitted request: its route, and the browser that sent it.

    `rule` and `parts` are Flask's route and the variable parts of the path; a stream has none.
    """

    route: Route
    rule: Rule | None
    parts: Mapping[str, Any]
    you: You
    secret: str | None


def admitted() -> Admitted:
    """Return what was admitted of the request that Flask answers."""
    found: Admitted = request.environ[ADMITTED]
    return found


class Limiter:
    """Limits how often, and how many at once, a sender is answered; for the server's loop alone."""

    def __init__(self, limits: Limits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._now = limits, now
        self._left: dict[str, tuple[float, float]] = {}
        """How many requests each may send at once, as of a time."""
        self._lines = WeakValueDictionary[str, asyncio.Semaphore]()
        """The places of each name, for as long as somebody has one of them or waits for it."""
        self._forgot = now()

    async def pay(self, name: str, cost: float = 1) -> None:
        """Wait as long as the sender exceeds its rate; HttpError (429) if that is too long."""
        limits, now = self._limits, self._now()
        if now - self._forgot > MINUTE_S:
            self._forget(now)
        left, at = self._left.get(name, (limits.burst, now))
        left = min(limits.burst, left + (now - at) * limits.per_s) - cost
        delay = -left / limits.per_s
        if delay > limits.delay_s:
            raise HttpError(429)
        self._left[name] = (left, now)
        if delay > 0:
            await asyncio.sleep(delay)

    @asynccontextmanager
    async def turn(self, name: str, at_once: int, key: str = "") -> AsyncIterator[None]:
        """Wait for a place among those of this name, and hold it within the block; HttpError (429,
        with `key`) if that takes too long.
        """
        places = self._lines.setdefault(name, asyncio.Semaphore(at_once))
        try:
            async with asyncio.timeout(self._limits.delay_s):
                await places.acquire()
        except TimeoutError:
            raise HttpError(429, key) from None
        try:
            yield
        finally:
            places.release()

    def _forget(self, now: float) -> None:
        """Forget senders that may ask as much as new ones."""
        self._forgot, full = now, self._limits.burst
        self._left = {
            name: (left, at)
            for name, (left, at) in self._left.items()
            if left + (now - at) * self._limits.per_s < full
        }


class Guard:
    """The application the server runs; `app` answers all of its `routes` but the streams."""

    def __init__(
        self,
        app: Flask,
        routes: Iterable[Route],
        app_state: AppState,
        connections: Connections,
    ) -> None:
        self._routes = {(route.method, route.path): route for route in routes}
        self._app_state, self._limits = app_state, app_state.settings.limits
        self._connections, self._limiter = connections, Limiter(self._limits)
        self._app, self._urls = app, app.url_map.bind("")
        self._workers = {work: Workers(work, count, IDLE_S) for work, count in THREADS.items()}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        peer = scope["client"] or ("", 0)
        ends = {name: _canonical(scope[name]) for name in ("client", "server")}
        scope = {**scope, **ends}
        self._connections.set_in_use(peer, False)
        try:
            await self._respond(scope, receive, send, peer)
        except DisconnectedError:
            pass
        except TimeoutError:
            self._connections.drop(peer)
        finally:
            self._connections.set_in_use(peer, False)

    def admit(self, head: Head) -> Admitted:
        """Return the route and the sender; raise HttpError if the request is refused."""
        self._refuse_foreign(head)
        if len(head.path) > LONGEST_PATH or len(head.query) > LONGEST_QUERY:
            raise HttpError(414)
        route, rule, parts = self._route(head)
        wanted = CONTENT_TYPES[route.body]
        if wanted and head.media_type not in wanted:
            raise HttpError(415)
        you = self._app_state.browsers.recognize(head.secret)
        if RANKS.index(you.role) < RANKS.index(route.least):
            raise HttpError(403, _missing_role_key(you.role, route.least))
        # A stream says why it ends; a browser would not reconnect after a 403.
        if route.viewer not in {None, self._viewer(head)} and route.work is not Work.STREAM:
            raise HttpError(403, "error.no_viewer")
        return Admitted(route, rule, parts, you, head.secret)

    def _is_ours(self, head: Head) -> bool:
        """Whether the request names this machine."""
        return host_is_ours(head.host, self._app_state.names, head.reached_at)

    def _refuse_foreign(self, head: Head) -> None:
        """Raise HttpError for a foreign request: 421 for a host name that is not ours, 403 for
        another page's request.

        The advertised origin is ours beside the one that `Host` makes: a proxy may answer https.
        """
        if not self._is_ours(head):
            raise HttpError(421)
        origin, own = head.headers.get("origin"), f"http://{head.host}"
        # Browsers leave out the default port, whatever `Host` says.
        ours = {None, own, own.removesuffix(":80"), self._app_state.settings.advertise}
        changes = head.method not in SAFE_METHODS
        if origin not in ours or (changes and origin is None):
            raise HttpError(403)
        if changes and CSRF_HEADER.lower() not in head.headers:
            raise HttpError(403)

    def _route(self, head: Head) -> tuple[Route, Rule | None, Mapping[str, Any]]:
        """Find the route; HttpError if there is no such path (404) or method (405)."""
        found = self._routes.get(("GET", head.path))
        if found is not None and found.work is Work.STREAM:
            if head.method != "GET":
                raise HttpError(405, allow=("GET",))
            return found, None, {}
        try:
            rule, parts = self._urls.match(head.path, method=head.method, return_rule=True)
        except MethodNotAllowed as wrong:
            raise HttpError(405, allow=sorted(wrong.valid_methods or ())) from wrong
        except (NotFound, RequestRedirect) as unknown:
            raise HttpError(404) from unknown
        method = "GET" if head.method == "HEAD" else head.method
        return self._routes[method, rule.rule], rule, parts

    def _viewer(self, head: Head) -> ViewerKind | None:
        """Return the kind of viewer that sent the request; None if its token is not valid."""
        return self._app_state.view_tokens.kind(head.viewer)

    async def _respond(self, scope: Message, receive: Receive, send: Send, peer: Any) -> None:
        """Admit the request by its head, and answer it: by a stream, by Flask, or with an error."""
        head = Head(scope, self._app_state.cookie)
        try:
            if not head.query.isascii() or not head.path.isprintable():
                raise HttpError(400)
            if self._app_state.settings.hotspot and not self._is_ours(head):
                probed = probe_answer(head.method, head.path, head.headers.get("accept", ""))
                if probed:
                    await self._limiter.pay(f"refused {head.address}")
                    await _send(send, probed)
                    return
            found = self.admit(head)
            if found.route.work is Work.STREAM:
                await self._stream(head, found, receive, send, peer)
                return
            async with AsyncExitStack() as held:
                body = await self._body(head, found, receive, held)
                self._connections.set_in_use(peer, True)
                async with asyncio.timeout(ANSWER_S):
                    worker = self._workers[found.route.work]
                    made = worker.submit(_call, self._app, scope, found, body)
                    answer = await asyncio.wrap_future(made)
                    await _send(send, answer, stalled_s=self._limits.stalled_s)
        except HttpError as refused:
            await self._refuse(head, refused, receive, send)

    async def _body(
        self, head: Head, found: Admitted, receive: Receive, held: AsyncExitStack
    ) -> bytes:
        """Return the whole body once it is the sender's turn, so that no worker waits for a phone.

        `held` takes what the sender holds until its answer is sent.
        """
        route, sender, limiter = found.route, _sender(head, found), self._limiter
        most = _most_bytes(self._limits, route.body)
        if head.length is not None and head.length > most:
            raise _too_large(most)
        await limiter.pay(sender, _cost(found))
        if route.body in {Body.PHOTO, Body.FILE}:
            turn = limiter.turn("large", LARGE_AT_ONCE, "error.photo.busy")
            await held.enter_async_context(turn)
        body = b"" if head.length == 0 else await _read(receive, most)
        turn = limiter.turn(f"{sender} {route.work}", _places(self._limits, found))
        await held.enter_async_context(turn)
        if route.work is Work.LONG:
            turn = limiter.turn(f"long {head.address}", LONG_AT_ONCE)
            await held.enter_async_context(turn)
        return body

    async def _stream(
        self, head: Head, found: Admitted, receive: Receive, send: Send, peer: Any
    ) -> None:
        """Open the event stream of a browser or a viewer, as far as its rate and role allow."""
        try:
            await self._limiter.pay(_sender(head, found), _cost(found))
        except HttpError:
            await asyncio.sleep(PAUSE_S)
            await no_stream(send, StreamEvent.FULL)
            return
        kind = found.route.viewer
        if kind is None:
            token = None if found.you.role is Role.STRANGER else head.secret
        else:
            token = head.viewer if self._viewer(head) is kind else None
        if token is None:
            await no_stream(send, StreamEvent.STRANGER)
            return
        self._connections.set_in_use(peer, True)
        if kind is None:
            await stream(self._app_state, token, head.address, receive, send)
        else:
            await viewer_stream(self._app_state, token, kind, receive, send)

    async def _refuse(self, head: Head, refused: HttpError, receive: Receive, send: Send) -> None:
        """Send the refusal, and read for a little while what its sender still sends. An address
        that is refused too often waits, then its connection is closed.
        """
        is_last = refused.status == 429
        try:
            await self._limiter.pay(f"refused {head.address}")
        except HttpError as too_often:
            refused, is_last = too_often, True
            await asyncio.sleep(PAUSE_S)
        answer = self._refusal(head, refused)
        if head.length == 0 and not is_last:
            await _send(send, answer)
            return
        await _send(send, answer, ("Connection", "close"), more=True)
        try:
            async with asyncio.timeout(LINGER_S):
                if head.length != 0:
                    await _read(receive, LINGER_BYTES)
        except (TimeoutError, HttpError):
            pass
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _refusal(self, head: Head, refused: HttpError) -> Answer:
        """Return the refusal as the sender can read it: a page with a link, or JSON."""
        get = head.headers.get
        if refused.status == 421 and wants_page(head.method, head.path, get("accept", "")):
            url = self._app_state.addresses.for_stranger(head.host, head.reached_at)
            return page_of_unknown_host(get("accept-language", ""), url)
        return error_answer(refused)


def _call(app: Flask, scope: Message, found: Admitted, body: bytes) -> Answer:
    """Return Flask's whole answer, so that no slow reader holds a worker."""
    environ: Any = build_environ(cast(Any, scope), cast(Any, io.BytesIO(body)))
    environ |= {ADMITTED: found, "CONTENT_LENGTH": str(len(body))}
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    started: list[Any] = []
    pieces = app(environ, lambda *start: started.extend(start))  # type: ignore[arg-type]
    with closing(cast(Any, pieces)):
        whole = b"".join(pieces)
    status, headers = started[:2]
    return Answer(int(status[:3]), whole, tuple(headers))


async def _read(receive: Receive, most: int) -> bytes:
    """Read the whole body; HttpError (413) above `most` bytes."""
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > most:
            raise _too_large(most)
    return bytes(body)


async def _send(
    send: Send,
    answer: Answer,
    *added: tuple[str, str],
    stalled_s: float | None = None,
    more: bool = False,
) -> None:
    """Send the answer in pieces; TimeoutError if its reader takes nothing for `stalled_s`.
    `more`: something follows.
    """
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in (*answer.headers, *added)
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    for start in range(0, max(len(answer.body), 1), PIECE):
        is_last = start + PIECE >= len(answer.body)
        piece = answer.body[start : start + PIECE]
        async with asyncio.timeout(stalled_s):
            await send(
                {"type": "http.response.body", "body": piece, "more_body": more or not is_last}
            )


def _most_bytes(limits: Limits, body: Body) -> int:
    """Return how many bytes such a body may have."""
    match body:
        case Body.NONE:
            return 0
        case Body.JSON:
            return limits.json_bytes
        case Body.PHOTO | Body.FILE:
            return limits.photo_bytes


def _sender(head: Head, found: Admitted) -> str:
    """Name whose turn a request takes: a browser's own, or that of all strangers of an address."""
    if found.you.role is Role.STRANGER or head.secret is None:
        return f"address {head.address}"
    return f"browser {head.secret}"


def _cost(found: Admitted) -> int:
    """Return how many plain requests of a player this one counts as."""
    return COSTS[found.route.work] * (WATCHERS_COST if found.you.role is Role.SPECTATOR else 1)


def _places(limits: Limits, found: Admitted) -> int:
    """Return how many requests of this kind the sender has answered at once."""
    if found.you.role is Role.STRANGER:
        return STRANGERS_AT_ONCE
    return FILES_AT_ONCE if found.route.work is Work.FILE else limits.at_once


def _too_large(most: int) -> HttpError:
    megabytes = most >> 20
    if megabytes:
        return HttpError(413, "error.too_large", most=megabytes)
    return HttpError(413)


def _missing_role_key(role: Role, least: Role) -> str:
    """Return why the role is not enough, as a catalogue key."""
    if role is Role.STRANGER:
        return "error.not_joined"
    return "error.not_yours" if least is Role.HOST else "error.only_watching"


def _canonical(end: tuple[str, int] | None) -> tuple[str, int]:
    """Return one end of the connection, its address in the form that is counted and compared."""
    return (canonical_address(end[0]), end[1]) if end else ("", 0)
