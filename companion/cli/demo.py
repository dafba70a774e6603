"""`companion demo`: a table with demo dice in its tray, to try it without a camera and dice."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from companion.cli.options.games import GAME
from companion.cli.options.sockets import listen
from companion.cli.options.values import Folder
from companion.cli.serve import (
    checked_host,
    closing_all,
    host_option,
    opened,
    port_option,
    run,
    stop_on_sigterm,
)
from companion.cli.words import refuse
from companion.demo.source import DemoTray
from companion.service.app_state import AppState
from companion.service.dice.cameras import NONE
from companion.service.machine.supervision import ServiceManager, Starts, start_log
from companion.service.settings import Settings
from companion.table import RefusedError

DESKTOPS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
"""The variables one of which a desktop sets."""


@click.command(epilog="Example: companion demo --game tokyo")
@click.option("--game", type=GAME, help="The game to try; by default the first of all.")
@host_option
@port_option
@click.option(
    "--data",
    type=Folder(),
    metavar="DIR",
    help="Where the game is kept; by default it is gone at the end.",
)
def demo(game: str | None, host: str, port: int, data: Path | None) -> None:
    """Try the table with demo dice: no camera needed. Two seats are ready."""
    start_log(sys.stderr, verbose=False)
    stop_on_sigterm()
    host = checked_host(host)
    with ExitStack() as stack:
        folder = data or Path(stack.enter_context(TemporaryDirectory(prefix="monster-table-demo-")))
        starts = Starts(folder)
        settings = Settings(data=folder, host=host, camera=NONE, is_passing=data is None)
        sock = listen(host, port, settings.limits, starts)
        settings = replace(settings, port=sock.getsockname()[1])
        app_state = opened(settings, DemoTray())
        stack.enter_context(closing_all(app_state))
        try:
            app_state.demo.begin(game)
        except RefusedError as refused:
            refuse(refused.key, **refused.params)
        run(app_state, sock, ServiceManager.of(os.environ), starts, open_browser)


def open_browser(app_state: AppState) -> None:
    """Open the page as the first player, if somebody at this machine's desktop typed the
    command.
    """
    if sys.stderr.isatty() and any(os.environ.get(name) for name in DESKTOPS):
        token = app_state.browsers.invitation.terminal
        url = f"http://localhost:{app_state.settings.port}/j#{token}"
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
