"""Calls of Flask through WSGI: with a body that is already read, for an answer in one piece."""

from __future__ import annotations

import io
import sys
from collections.abc import MutableMapping
from typing import Any
from wsgiref.types import WSGIApplication

from werkzeug.test import run_wsgi_app

from companion.service.refusals import Answer

Scope = MutableMapping[str, Any]
Environ = dict[str, Any]
OWN_NAMES = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


def call(app: WSGIApplication, environ: Environ, body: bytes) -> Answer:
    """Return the application's whole answer, so that no slow reader holds a worker.

    `environ` gets the body, and the length it turned out to have.
    """
    whole = {**environ, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
    chunks, status, headers = run_wsgi_app(app, whole, buffered=True)
    return Answer(int(status.partition(" ")[0]), b"".join(chunks), tuple(headers.items()))


def environ_of(scope: Scope) -> Environ:
    """Return the request's head as an environment of PEP 3333, without its body."""
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
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": reached_at,
        "SERVER_PORT": str(port or 0),
        "REMOTE_ADDR": came_from,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


def _name(header: str) -> str:
    return OWN_NAMES.get(header) or f"HTTP_{header}".upper().replace("-", "_")
