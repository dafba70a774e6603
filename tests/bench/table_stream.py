"""The service with its limits raised, for a load from one machine: `python -m … FOLDER`."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from companion.cli.serve import run
from companion.service.app_state import AppState
from companion.service.http.server import listening_socket
from companion.service.machine.supervision import ServiceManager, Starts
from companion.service.settings import Limits, Settings


def main(folder: Path) -> None:
    """Serve until ended; print the address, and the token for joining."""
    limits = replace(Limits(), browsers=200, per_s=1e6, burst=1e6)
    sock = listening_socket("127.0.0.1", 0, limits)
    port = sock.getsockname()[1]
    app_state = AppState(Settings(folder, host="127.0.0.1", port=port, limits=limits))
    token = app_state.browsers.invitation.token
    print(json.dumps({"port": port, "token": token}), flush=True)
    run(app_state, sock, ServiceManager(), Starts(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
