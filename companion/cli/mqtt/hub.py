"""`companion hub`: all tables of a broker on one page."""

from __future__ import annotations

import logging
import signal
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import click

from companion.cli.mqtt.start import print_sentence
from companion.cli.options.folders import default_data
from companion.cli.options.sockets import listen
from companion.cli.options.values import Folder, InputFile, Number
from companion.cli.output import CANNOT_PRINT
from companion.cli.words import refuse, sentence
from companion.service.network.addresses import url_of
from companion.service.network.interfaces import outgoing
from companion.service.settings import Limits
from companion.table.log import DataInUseError

MOST_MEMORY = 256 * 1024 * 1024
"""Bytes of data: a broker that sends endless messages ends the hub alone."""


@click.command("hub", epilog="Example: companion hub --mqtt mqtt.toml")
@click.option(
    "--mqtt", required=True, type=InputFile(), help="Settings of your MQTT broker, as for serve."
)
@click.option("--data", type=Folder(), metavar="DIR", help="Where the results are kept.")
@click.option(
    "--host", metavar="ADDRESS", default="0.0.0.0", show_default=True, help="Address to listen on."
)
@click.option(
    "--port",
    default=8090,
    show_default=True,
    type=Number(0, 65535),
    help="Port to listen on; 0 for any free one.",
)
def hub(mqtt: Path, data: Path | None, host: str, port: int) -> None:
    """Show all tables of an MQTT broker on one page."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    signal.signal(signal.SIGTERM, _stop)
    if find_spec("paho") is None:
        refuse("error.mqtt.missing")
    from companion.mqtt.bounds import bound_process
    from companion.mqtt.hub.run import Hub
    from companion.mqtt.settings import MqttError, read_settings

    folder = data or default_data() / "hub"
    try:
        settings = read_settings(mqtt, folder)
    except MqttError as wrong:
        refuse(wrong.key, **wrong.params)
    bound_process(MOST_MEMORY)
    limits = Limits()
    sock = listen(host.strip("[] ") or "0.0.0.0", port, limits)
    try:
        running = Hub(settings, folder, limits, print_sentence)
    except DataInUseError:
        refuse("error.data_in_use", path=str(folder))
    except OSError as refusal:
        refuse("error.cannot_write", path=str(folder), reason=refusal.strerror or str(refusal))
    with suppress(KeyboardInterrupt):
        running.run(sock, lambda: _announce(sock.getsockname()[1]))


def _announce(port: int) -> None:
    with suppress(*CANNOT_PRINT):
        url = url_of(outgoing() or "localhost", port)
        click.echo(sentence("hub.open_at", url=url), err=True)


def _stop(_: int, __: FrameType | None) -> None:
    sys.exit(0)
