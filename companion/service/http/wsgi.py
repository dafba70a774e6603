"""Flask, called with a request whose body is there already, and answered in one piece."""

from __future__ import annotations

import io
import sys
from collections.abc import MutableMapping
from typing import Any
from wsgiref.types import WSGIApplication

from werkzeug.test import run_wsgi_app

from companion.service.refusals import Answer

Scope = MutableMapping[str, Any]
OWN_NAMES = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


def answer(app: WSGIApplication, scope: Scope, body: bytes) -> Answer:
    """What the application says to the request. Waits until all of it is there, so that no worker
    is held by whoever reads slowly.
    """
    chunks, status, headers = run_wsgi_app(app, environ(scope, body), buffered=True)
    return Answer(int(status.partition(" ")[0]), b"".join(chunks), tuple(headers.items()))


def environ(scope: Scope, body: bytes) -> dict[str, Any]:
    """The request in the form of PEP 3333, with the length that its body turned out to have."""
    reached_at, port = scope.get("server") or ("localhost", 80)
    came_from, _ = scope.get("client") or ("", 0)
    headers: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = _name(raw.decode("latin-1"))
        text = value.decode("latin-1")
        headers[name] = f"{headers[name]},{text}" if name in headers else text
    headers.pop("HTTP_TRANSFER_ENCODING", None)
    return {
        **headers,
        "CONTENT_LENGTH": str(len(body)),
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("ascii"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": reached_at,
        "SERVER_PORT": str(port or 0),
        "REMOTE_ADDR": came_from,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def _name(header: str) -> str:
    return OWN_NAMES.get(header) or f"HTTP_{header}".upper().replace("-", "_")
