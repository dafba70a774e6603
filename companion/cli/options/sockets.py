"""The socket of a server, or one sentence why there is none."""

from __future__ import annotations

import errno
import socket
from typing import Final

from companion.cli.words import refuse
from companion.service.http.server import Door, listening_socket
from companion.service.machine.supervision import Starts
from companion.service.settings import Limits

LAST_PORT: Final = 65535


def listen(host: str, port: int, limits: Limits, starts: Starts | None = None) -> Door:
    """Return a socket that listens there; end the command if that is not possible."""
    try:
        return listening_socket(host, port, limits)
    except OSError as refusal:
        if refusal.errno == errno.EADDRINUSE:
            refuse("error.port_in_use", port=port, other=port + 1 if port < LAST_PORT else 8080)
        if refusal.errno == errno.EACCES:
            refuse("error.port_forbidden", port=port)
        is_unknown = refusal.errno == errno.EADDRNOTAVAIL or isinstance(refusal, socket.gaierror)
        if starts is not None and is_unknown:
            starts.wait_for_network()
        if is_unknown:
            refuse("error.no_such_host", host=host)
        refuse("error.cannot_listen", host=host, port=port, reason=refusal.strerror or "")
