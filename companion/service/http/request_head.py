"""The head of a request: what is known before its body, read once for ASGI and for Flask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.http import parse_cookie

MARK = "X-Monster-Table"
"""Our own header on every request that changes something. A page of another site cannot send it:
browsers ask first (a CORS preflight), and the service never allows it."""
LONGEST_COOKIE = 8_192


def viewer_cookie(cookie: str) -> str:
    """Return the name of a viewer's cookie; a browser may be a phone and a viewer at once."""
    return f"{cookie}_viewer"


@dataclass(frozen=True, slots=True)
class RequestHead:
    """What decides whether a request is admitted, and how a refusal may look."""

    method: str
    path: str
    query: str
    host: str
    origin: str | None
    content_type: str
    mark: str | None
    reached_at: str
    """Our address to which the connection was made."""
    secret: str | None
    """The browser's cookie."""
    viewer: str | None
    """The cookie of a television or an overlay."""
    accept: str
    languages: str

    @classmethod
    def read(cls, environ: Mapping[str, Any], cookie: str) -> RequestHead:
        """Read the head from the environment of PEP 3333; `cookie` is the name of our cookie."""
        cookies = parse_cookie(environ.get("HTTP_COOKIE", "")[:LONGEST_COOKIE])
        return cls(
            method=environ["REQUEST_METHOD"],
            path=environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace"),
            query=environ["QUERY_STRING"],
            host=environ.get("HTTP_HOST", ""),
            origin=environ.get("HTTP_ORIGIN"),
            content_type=environ.get("CONTENT_TYPE", ""),
            mark=environ.get(f"HTTP_{MARK.upper().replace('-', '_')}"),
            reached_at=str(environ["SERVER_NAME"]),
            secret=cookies.get(cookie),
            viewer=cookies.get(viewer_cookie(cookie)),
            accept=environ.get("HTTP_ACCEPT", ""),
            languages=environ.get("HTTP_ACCEPT_LANGUAGE", ""),
        )

    @property
    def media_type(self) -> str:
        """The content type without its parameters, in lower case."""
        return self.content_type.partition(";")[0].strip().lower()
