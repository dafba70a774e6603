"""A table that is published to a broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from companion.mqtt.publisher import Publisher
from companion.mqtt.settings import read_settings
from companion.service.app import create_app
from companion.service.app_state import AppState
from companion.service.settings import Settings
from tests.mqtt.broker import Broker
from tests.service.phone import Phone, app_state_of


@dataclass
class Table:
    """One table, the phone of its host, and its connection to the broker."""

    app_state: AppState
    phone: Phone
    publisher: Publisher
    reported: list[str] = field(default_factory=list)
    """The keys of all that was reported, in order."""

    state = "monster-table/window/state"
    status = "monster-table/window/status"
    said = "monster-table/window/said"
    press = "monster-table/window/press"
    config = "homeassistant/device/monster_table_window/config"


@contextmanager
def published(folder: Path, broker: Broker, *lines: str, title: str = "") -> Iterator[Table]:
    """Publish a table as `window`; `lines` are further settings."""
    path = folder / "mqtt.toml"
    address = f'broker = "mqtt://127.0.0.1:{broker.port}"'
    if any(line.startswith("broker") for line in lines):
        address = ""
    name = "" if any(line.startswith("table") for line in lines) else 'table = "window"'
    path.write_text("\n".join((address, name, *lines)))
    app = create_app(Settings(data=folder / "data", title=title))
    app_state, reported = app_state_of(app), []  # type: AppState, list[str]
    try:
        phone = Phone(app).join()
        settings = read_settings(path, app_state.settings.data)
        publisher = Publisher(app_state, settings, lambda key, **_: reported.append(key))
        try:
            yield Table(app_state, phone, publisher, reported)
        finally:
            publisher.close()
    finally:
        app_state.close()
