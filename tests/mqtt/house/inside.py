"""Home Assistant with its own MQTT integration and nothing else; runs in an environment of its own.

    python inside.py FOLDER BROKER_PORT AUTOMATION.yaml

Prints all states as one JSON object a line whenever one changes, and each call of `light.turn_on`
and `tts.speak`; a line on standard input names a button to press. It imports nothing of this
project.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from pathlib import Path
from typing import Any

from homeassistant import auth, bootstrap, config_entries, loader
from homeassistant.core import CoreState, HomeAssistant, ServiceCall, callback
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import load_yaml


def entry(port: int) -> dict[str, Any]:
    """The store of config entries, as the dialogue for MQTT writes it."""
    mqtt: dict[str, Any] = {
        "entry_id": "mqtt", "domain": "mqtt", "title": "broker", "source": "user",
        "unique_id": None, "version": 1, "minor_version": 2, "disabled_by": None,
        "pref_disable_new_entities": False, "pref_disable_polling": False, "options": {},
        "discovery_keys": {}, "subentries": [],
        "created_at": "2026-01-01T00:00:00+00:00", "modified_at": "2026-01-01T00:00:00+00:00",
        "data": {"broker": "127.0.0.1", "port": port, "discovery": True},
    }  # fmt: skip
    return {
        "version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [mqtt]},
    }  # fmt: skip


def say(**what: Any) -> None:
    print(json.dumps(what, default=str), flush=True)


async def run(folder: Path, port: int, automation: Path) -> None:
    (folder / ".storage").mkdir()
    (folder / ".storage" / "core.config_entries").write_text(json.dumps(entry(port)))
    (folder / "configuration.yaml").write_text("")
    hass = HomeAssistant(str(folder))
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await loader.async_get_custom_components(hass)
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [{"type": "homeassistant"}], [])
    lamps: list[dict[str, Any]] = []
    spoken: list[dict[str, Any]] = []

    def show(_: object) -> None:
        say(
            states={
                one.entity_id: {"state": one.state, **one.attributes}
                for one in hass.states.async_all()
            },
            lamps=lamps,
            spoken=spoken,
        )

    async def light(call: ServiceCall) -> None:
        lamps.append(dict(call.data))
        show(None)

    async def speak(call: ServiceCall) -> None:
        spoken.append(dict(call.data))
        show(None)

    async def ignore(_: ServiceCall) -> None:
        pass

    hass.services.async_register("light", "turn_on", light)
    hass.services.async_register("tts", "speak", speak)
    for service in ("create", "turn_on"):
        hass.services.async_register("scene", service, ignore)
    hass.bus.async_listen("state_changed", callback(show))
    assert await async_setup_component(hass, "homeassistant", {})
    with socket.create_server(("127.0.0.1", 0)) as free:
        web = {"http": {"server_host": "127.0.0.1", "server_port": free.getsockname()[1]}}
    assert await async_setup_component(hass, "http", web)
    assert await async_setup_component(hass, "mqtt", {})
    inputs = {
        "news": "event.monster_table_news",
        "voice": "tts.voice",
        "speaker": "media_player.speaker",
        "lamp": ["light.above_the_table"],
    }
    speaks = {"path": "monster_table/monster_table_speaks.yaml", "input": inputs}
    rules = {"automation": [load_yaml(str(automation)), {"use_blueprint": speaks}]}
    assert await async_setup_component(hass, "automation", rules)
    hass.set_state(CoreState.running)
    hass.bus.async_fire("homeassistant_started")
    show(None)
    while line := await asyncio.to_thread(sys.stdin.readline):
        await hass.services.async_call("button", "press", {"entity_id": line.strip()})
    await hass.async_stop(force=True)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])))
