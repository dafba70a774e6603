"""The front page of a machine: which tables there are, and where. It has no code of any table.

It is made by the process that keeps the tables running, so it is there while a table is not.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import uvicorn
from markupsafe import Markup

from companion.catalogues import catalogue
from companion.resources import resource_dir
from companion.service.http.connections import Connections, Priority
from companion.service.http.request_head import RequestHead
from companion.service.http.server_options import TICKS_A_SECOND, server_config
from companion.service.http.wsgi import Scope, environ_of
from companion.service.network.addresses import canonical_address, host_is_ours, without_port
from companion.service.network.phone_addresses import PhoneAddresses
from companion.service.network.probes import probe_answer
from companion.service.network.unknown_host import (
    HEADERS,
    RefusedRequest,
    UnknownHost,
    wanted_language,
)
from companion.service.refusals import ANSWER_HEADERS, Answer
from companion.service.requests import HealthAnswer
from companion.service.settings import Settings
from companion.tables.kept import State
from companion.vision.report import versions

if TYPE_CHECKING:
    from companion.service.http.stream import Send

STYLE = Markup(
    ":root{color-scheme:dark light;--ground:#14110f;--panel:#211c18;--text:#f4ead5;"
    "--muted:#c2b39a;--go:#b6d93a;--edge:#80705e}"
    "@media(prefers-color-scheme:light){:root{--ground:#efe3c8;--panel:#f9f2e2;--text:#14110f;"
    "--muted:#5a4d3b;--go:#4d6100;--edge:#857353}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;padding:16px;max-width:34rem;min-height:100vh;display:flex;"
    "flex-direction:column;background:var(--ground);color:var(--text);"
    "font:1.0625rem/1.35 system-ui,sans-serif;overflow-wrap:anywhere}"
    "header{min-height:38vh}"
    "p{margin:.25rem 0}"
    "h1{margin:.25rem 0;font:900 2.75rem/.95 'Arial Narrow','Roboto Condensed',sans-serif;"
    "font-stretch:condensed;text-transform:uppercase}"
    "ul{list-style:none;margin:0;padding:0;display:grid;gap:10px}"
    "li>*{display:block;min-height:68px;padding:12px 16px;border:2px solid var(--edge);"
    "border-radius:6px;background:var(--panel);color:inherit;text-decoration:none}"
    "li>a{border:3px solid var(--go)}"
    "a:focus-visible{outline:3px solid var(--text);outline-offset:2px}"
    "b{display:block;font-size:1.25rem}"
    "small{color:var(--muted);font-size:.9375rem}"
)
SCRIPT = Markup(
    "setInterval(async()=>{try{const r=await fetch('/state');"
    "if(r.ok&&await r.text()!==document.body.dataset.state)location.reload()}catch{}},3000)"
)
PAGE = Markup(
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    '<title>{title}</title><link rel="icon" href="/icon.svg"><style>{style}</style></head>'
    '<body data-state="{state}"><header><p>{title}</p><h1>{head}</h1><p>{how}</p></header>'
    "<main><ul>{rows}</ul></main><script>{script}</script></body></html>"
)
OPEN_ROW = Markup('<li><a href="{url}"><b>{name}</b><small>{about}</small></a></li>')
SHUT_ROW = Markup("<li><div><b>{name}</b><small>{about}</small></div></li>")


def _health() -> str:
    """Return that this process answers, in the form in which a table does."""
    answer = HealthAnswer(version=versions().package, saved=True, safe=False)
    return msgspec.json.encode(answer).decode()


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


PAGE_HEADERS = {
    **ANSWER_HEADERS,
    "Content-Security-Policy": (
        f"default-src 'none'; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)}; "
        "img-src 'self'; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class FrontRow:
    """A table as strangers may see it: nothing of its game, its players or its codes."""

    name: str
    port: int
    state: State
    advertise: str | None = None
    """The address that its phones are given, where it is not this page's with another port."""
    without_camera: str = ""
    """The table that has its camera."""
    refused: bool = False
    """Whether it cannot start as it is set up."""


class FrontPage:
    """Answers the requests for the front page; an ASGI application."""

    def __init__(
        self,
        rows: Callable[[], Sequence[FrontRow]],
        names: frozenset[str],
        addresses: PhoneAddresses,
        settings: Settings,
    ) -> None:
        self._hotspot = settings.hotspot
        self._rows, self._names, self._addresses = rows, names, addresses
        self._unknown_host = UnknownHost()
        icon = resource_dir("webui") / "icon.svg"
        self._icon = icon.read_text() if icon.is_file() else ""
        self.connections = Connections(settings.limits)

    async def __call__(self, scope: Scope, _: object, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        peer = tuple(scope["client"][:2]) if scope["client"] else ("", 0)
        self.connections.set_priority(peer, Priority.ASKING)
        answer = self._answer(RequestHead.read(environ_of(scope), ""))
        sent = {name.lower(): value for name, value in answer.headers}
        sent["content-length"] = str(len(answer.body))
        headers = [(name.encode(), value.encode()) for name, value in sent.items()]
        body = b"" if scope["method"] == "HEAD" else answer.body
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
        self.connections.set_priority(peer, Priority.IDLE)

    def _answer(self, head: RequestHead) -> Answer:
        reached_at = canonical_address(head.reached_at)
        if self._hotspot and (found := probe_answer(head.method, head.host, head.path)):
            return found
        if not host_is_ours(head.host, self._names, reached_at):
            return self._refusal(head, reached_at)
        if head.method not in {"GET", "HEAD"}:
            return _plain(405)
        match head.path:
            case "/":
                return self._page(head)
            case "/state":
                return _plain(200, self._state())
            case "/api/health":
                return _plain(200, _health(), "application/json")
            case "/icon.svg":
                return _plain(200, self._icon, "image/svg+xml")
            case "/favicon.ico":
                return _plain(204)
        return _plain(404)

    def _refusal(self, head: RequestHead, reached_at: str) -> Answer:
        """Refuse a host name that is not ours, as a table does."""
        request = RefusedRequest(head.method, head.path, head.accept, head.languages)
        if not request.wants_a_page:
            return _plain(421)
        url = self._addresses.for_stranger(head.host, reached_at)
        return Answer(421, self._unknown_host.page(request, url), tuple(HEADERS.items()))

    def _page(self, head: RequestHead) -> Answer:
        language = wanted_language(head.languages)
        host = without_port(head.host.strip().lower()) or ""
        rows = Markup("").join(_row(one, host, language) for one in self._rows())
        page = PAGE.format(
            language=language,
            title=_sentence(language, "title"),
            head=_sentence(language, "front.head"),
            how=_sentence(language, "front.how"),
            style=STYLE,
            script=SCRIPT,
            state=self._state(),
            rows=rows,
        )
        headers = {**PAGE_HEADERS, "Content-Type": "text/html; charset=utf-8"}
        return Answer(200, page.encode(), tuple(headers.items()))

    def _state(self) -> str:
        """Return what changes whenever the page does."""
        return hashlib.sha256(repr(tuple(self._rows())).encode()).hexdigest()[:16]


class FrontServer:
    """Serves the front page on its socket until a signal or `stop` ends it."""

    def __init__(self, page: FrontPage, settings: Settings) -> None:
        self._page = page
        config = server_config(page, page.connections, settings.limits, verbose=settings.verbose)
        self._server = uvicorn.Server(config)

    async def run(self, sock: socket.socket, on_ready: Callable[[], None]) -> None:
        """Serve; `on_ready` is called once requests are answered."""
        ticking = asyncio.create_task(self._tick(on_ready))
        try:
            await self._server.serve(sockets=[sock])
        finally:
            ticking.cancel()

    def stop(self) -> None:
        """Stop serving."""
        self._server.should_exit = True

    async def _tick(self, on_ready: Callable[[], None]) -> None:
        while not self._server.started:
            await asyncio.sleep(1 / TICKS_A_SECOND)
        on_ready()
        while True:
            self._page.connections.drop_the_slow()
            await asyncio.sleep(1 / TICKS_A_SECOND)


def _row(row: FrontRow, host: str, language: str) -> Markup:
    if row.state is not State.OPEN:
        key = "front.refused" if row.refused else f"front.{row.state}"
        return SHUT_ROW.format(name=row.name, about=_sentence(language, key))
    url = row.advertise or f"http://{host}:{row.port}"
    about = url
    if row.without_camera:
        about = _sentence(language, "front.no_camera", other=row.without_camera)
    return OPEN_ROW.format(url=f"{url}/", name=row.name, about=about)


def _sentence(language: str, key: str, **params: str) -> str:
    found = catalogue(language).get(key, key)
    assert isinstance(found, str)
    for name, value in params.items():
        found = found.replace(f"{{{name}}}", value)
    return found


def _plain(status: int, body: str = "", kind: str = "text/plain; charset=utf-8") -> Answer:
    headers = {**ANSWER_HEADERS, "Content-Type": kind, "Cache-Control": "no-store"}
    return Answer(status, body.encode(), tuple(headers.items()))
