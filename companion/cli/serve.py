"""`companion serve`: the service until it is told to stop."""

from __future__ import annotations

import errno
import gc
import logging
import os
import signal
import socket
import sys
from pathlib import Path
from types import FrameType
from typing import TypedDict, Unpack

import click
import msgspec

from companion.cli.words import refuse, sentence
from companion.engine import RULESETS
from companion.eventlog import CannotOpenError
from companion.service import create_app
from companion.service.addresses import qr_terminal
from companion.service.desk import DataInUseError, Desk
from companion.service.server import TableServer, listening_socket
from companion.service.settings import Limits, Settings
from companion.service.shell import Shell
from companion.vision.errors import SourceError, VisionError
from companion.vision.profile import Profile, load_profile

SWITCH_S = 0.001
"""The stream's thread waits no longer than this for one that answers a request."""


class Given(TypedDict):
    """The options as given."""

    host: str
    port: int
    data: Path | None
    camera: str
    profile: Path | None
    game: str | None
    names: tuple[str, ...]


def default_data() -> Path:
    """`$XDG_DATA_HOME/monster-table`."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "monster-table"


@click.command()
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0: any free one.",
)
@click.option(
    "--data", type=click.Path(path_type=Path), help="Folder of the log and of who has joined."
)
@click.option(
    "--camera",
    default="none",
    show_default=True,
    help="A device (index or /dev/v4l/by-id/…), csi, a file, a folder of stills, an address, none.",
)
@click.option(
    "--profile", type=click.Path(path_type=Path), help="What is known of the camera and the dice."
)
@click.option("--game", help="The box that lies on the table at first.")
@click.option(
    "--name", "names", multiple=True, help="A further name by which phones call this machine."
)
def serve(**given: Unpack[Given]) -> None:
    """Serve the table to every phone in the network, and print how they join."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    signal.signal(signal.SIGTERM, _stop)
    if given["game"] is not None and given["game"] not in RULESETS:
        refuse("error.unknown_game", game=given["game"], known=", ".join(RULESETS))
    profile = _profile(given["profile"])
    limits = Limits()
    sock = _bound(given["host"], given["port"], limits)
    settings = Settings(
        data=given["data"] or default_data(),
        host=given["host"],
        port=sock.getsockname()[1],
        camera=given["camera"],
        profile=profile,
        game=given["game"],
        names=given["names"],
        limits=limits,
    )
    desk = _desk(settings)
    try:
        run(desk, sock)
    except KeyboardInterrupt:
        sys.exit(0)
    finally:
        desk.close()


def run(desk: Desk, sock: socket.socket) -> None:
    """The desk is served on the socket until a signal ends it."""
    sys.setswitchinterval(SWITCH_S)
    shell = Shell(create_app(desk), desk)
    server = TableServer(shell, desk, lambda: _announce(desk))
    desk.tray.start()
    _spare_the_collector()
    server.run(sockets=[sock])


def _spare_the_collector() -> None:
    """What stands since the start is never looked at again by the garbage collector.

    A full look at all modules takes 40 ms on a desktop machine, and no phone is answered meanwhile.
    """
    gc.collect()
    gc.freeze()


def _bound(host: str, port: int, limits: Limits) -> socket.socket:
    try:
        return listening_socket(host, port, limits)
    except OSError as refusal:
        if refusal.errno == errno.EADDRINUSE:
            refuse("error.port_in_use", port=port, other=port + 1)
        if refusal.errno == errno.EACCES:
            refuse("error.port_forbidden", port=port)
        refuse("error.cannot_listen", host=host, port=port, reason=refusal.strerror or "")


def _profile(path: Path | None) -> Profile:
    try:
        return load_profile(path) if path is not None else Profile()
    except VisionError as error:
        refuse(error.key, **error.params)


def _desk(settings: Settings) -> Desk:
    try:
        return Desk(settings)
    except CannotOpenError as refusal:
        refuse("error.cannot_write", path=str(refusal.path.parent), reason=refusal.reason)
    except DataInUseError:
        refuse("error.data_in_use", path=str(settings.data))
    except SourceError as unknown:
        refuse(unknown.key, **unknown.params)


def _announce(desk: Desk) -> None:
    """The terminal shows how to join; a script gets the same as one line of JSON."""
    invitation = desk.browsers.invitation
    url = desk.join_url(invitation.terminal)
    for loss in desk.log.losses:
        said = sentence("serve.rows_lost", path=str(loss.aside), kept=loss.kept, count=loss.lost)
        click.echo(said, err=True)
    click.echo(qr_terminal(url), err=True)
    click.echo(sentence("serve.join", url=url, code=invitation.code), err=True)
    if not sys.stdout.isatty():
        line = {"url": desk.base_url, "join": url, "code": invitation.code}
        click.echo(msgspec.json.encode(line).decode())
        sys.stdout.flush()


def _stop(_: int, __: FrameType | None) -> None:
    sys.exit(0)
