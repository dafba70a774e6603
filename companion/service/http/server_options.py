"""How each of our servers is served: the options of its socket, and uvicorn's settings."""

from __future__ import annotations

import logging
import socket
from typing import Any

import uvicorn

from companion.service.http.connections import Connections, protocol
from companion.service.settings import Limits

BACKLOG = 128
TICKS_A_SECOND = 10


def listening_socket(host: str, port: int, limits: Limits) -> socket.socket:
    """Return a bound socket whose options every accepted one inherits; OSError where that fails.

    Connections of vanished phones end soon, small answers leave at once, and the kernel does not
    buffer megabytes for a phone that sleeps.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where `proto` says TCP, which create_server leaves at 0.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, limits.send_buffer_bytes)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, limits.unanswered_ms)
        if family == socket.AF_INET6:
            # `::` accepts IPv4 phones too, whatever the machine's own default is.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def server_config(
    asgi_app: Any, connections: Connections, limits: Limits, *, verbose: bool
) -> uvicorn.Config:
    """Return how uvicorn serves an ASGI application: its connections counted, its times bounded."""
    logging.getLogger("asyncio").setLevel(logging.INFO if verbose else logging.ERROR)
    return uvicorn.Config(
        asgi_app,
        http=protocol(connections),
        loop="asyncio",
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        access_log=verbose,
        log_config=None,
        # strangers must not fill the journal
        log_level="debug" if verbose else "error",
        timeout_keep_alive=limits.keep_alive_s,
        timeout_graceful_shutdown=limits.stop_s,
        backlog=BACKLOG,
    )
