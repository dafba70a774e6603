"""Switching on MQTT for `companion serve`: by an option, or by a file in the data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from companion.cli.output import CANNOT_PRINT
from companion.cli.words import refuse, sentence
from companion.service.app_state import AppState
from companion.storage.files import is_there

SETTINGS: Final = "mqtt.toml"
"""The file in the data folder that switches MQTT on."""


@contextmanager
def publishing(app_state: AppState, named: Path | None) -> Iterator[None]:
    """Publish the table by the settings in the file `named`, else by those in the data folder; by
    none, for most tables, and in safe mode.

    Settings that were named and are wrong end the command. A table does not fail to start over
    those in its folder: what is wrong is printed.
    """
    path = named or app_state.settings.data / SETTINGS
    if app_state.settings.safe or (named is None and not is_there(path)):
        yield
        return
    if find_spec("paho") is None:
        _refuse_or_print(named, "error.mqtt.missing")
        yield
        return
    from companion.mqtt.publisher import Publisher
    from companion.mqtt.settings import MqttError, read_settings

    try:
        settings = read_settings(path, app_state.settings.data, app_state.settings.title)
    except MqttError as wrong:
        _refuse_or_print(named, wrong.key, **wrong.params)
        yield
        return
    publisher = Publisher(app_state, settings, print_sentence)
    try:
        yield
    finally:
        publisher.close()


def _refuse_or_print(named: Path | None, key: str, **params: str | int) -> None:
    if named is not None:
        refuse(key, **params)
    print_sentence(key, **params)


def print_sentence(key: str, **params: str | int) -> None:
    """Print a sentence on standard error, if that can be printed to."""
    with suppress(*CANNOT_PRINT):
        click.echo(sentence(key, **params), err=True)
