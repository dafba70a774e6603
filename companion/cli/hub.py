"""A table at a broker, for `companion serve`, and all tables of one: `companion hub`.

`companion.mqtt` is imported only if it is switched on.
"""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Final

import click

from companion.cli.options.values import InputFile, Number
from companion.cli.output import CANNOT_PRINT
from companion.cli.words import refuse, sentence
from companion.files import is_there
from companion.service.app_state import AppState
from companion.service.machine.addresses import outgoing, url_of
from companion.service.settings import Limits

SETTINGS: Final = "mqtt.toml"
"""The file in the data folder that switches MQTT on."""


@contextmanager
def publishing(app_state: AppState, named: Path | None) -> Iterator[None]:
    """Publish the table by the settings in the file `named`, else by those in the data folder; not
    at all if there are none, or in safe mode.

    Settings that were named and are wrong end the command. A table does not fail to start over
    those in its folder: what is wrong is printed.
    """
    data, safe = app_state.settings.data, app_state.settings.safe
    path = named or data / SETTINGS
    if safe or (named is None and not is_there(path)):
        yield
        return
    if find_spec("paho") is None:
        _refuse_or_print(named, "error.mqtt.missing")
        yield
        return
    from companion.mqtt.publisher import Publisher
    from companion.mqtt.settings import MqttError, read_settings

    try:
        settings = read_settings(path, data)
    except MqttError as wrong:
        _refuse_or_print(named, wrong.key, **wrong.params)
        yield
        return
    publisher = Publisher(app_state, settings, print_sentence)
    try:
        yield
    finally:
        publisher.close()


@click.command("hub", epilog="Example: companion hub --mqtt mqtt.toml")
@click.option(
    "--mqtt", required=True, type=InputFile(), help="Settings of your MQTT broker, as for serve."
)
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
def hub(mqtt: Path, host: str, port: int) -> None:
    """Show all tables of an MQTT broker on one page."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    signal.signal(signal.SIGTERM, _stop)
    if find_spec("paho") is None:
        refuse("error.mqtt.missing")
    from companion.cli.options.sockets import listen  # doctor reads this module without a server
    from companion.mqtt.hub import Hub
    from companion.mqtt.settings import MqttError, read_settings

    try:
        settings = read_settings(mqtt, mqtt.parent)
    except MqttError as wrong:
        refuse(wrong.key, **wrong.params)
    sock = listen(host.strip("[] ") or "0.0.0.0", port, Limits())
    with suppress(KeyboardInterrupt):
        Hub(settings, print_sentence).run(sock, lambda: _announce(sock.getsockname()[1]))


def _announce(port: int) -> None:
    print_sentence("hub.open_at", url=url_of(outgoing() or "localhost", port))


def _stop(_: int, __: FrameType | None) -> None:
    sys.exit(0)


def _refuse_or_print(named: Path | None, key: str, **params: str) -> None:
    if named is not None:
        refuse(key, **params)
    print_sentence(key, **params)


def print_sentence(key: str, **params: str | int) -> None:
    """Print a sentence on standard error, if that can be printed to."""
    with suppress(*CANNOT_PRINT):
        click.echo(sentence(key, **params), err=True)
