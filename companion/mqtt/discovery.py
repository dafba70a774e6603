"""Discovery for Home Assistant: one retained message for the device with all of its entities.

Needs Home Assistant 2024.11 or later. Every seat that a table may have is announced from the start,
so automations keep working; seats that nobody plays are unavailable.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib.metadata import version
from typing import Any, Final

from companion.engine import MOST_SEATS
from companion.mqtt.settings import MqttSettings
from companion.mqtt.status import words
from companion.vision.readings import CameraState

MAKER: Final = "Monster Table"
NUMBERS: Final = {"health": "heart", "stars": "star", "energy": "lightning-bolt"}
"""The numbers shown for each seat, with their icons."""
Json = dict[str, Any]
_Entity = tuple[str, Json]
"""An entity: its id and its configuration."""


class Press(StrEnum):
    """What a button may request."""

    UNDO = "undo"
    READ_AGAIN = "read-again"


def discovery_topic(settings: MqttSettings) -> str:
    """Return the topic of the message about this table's device."""
    return f"{settings.file.discovery}/device/{_device_id(settings)}/config"


def discovery_message(settings: MqttSettings, title: str, address: str) -> Json:
    """Return the message about this table's device. `address`: where phones open the table."""
    own_version, device_id = version("monster-table"), _device_id(settings)
    entities = (*_sensors(settings), *_seat_sensors(settings), *_buttons(settings))
    return {
        "device": {
            "identifiers": [device_id],
            "name": title,
            "manufacturer": MAKER,
            "model": settings.table,
            "sw_version": own_version,
            "configuration_url": address,
        },
        "origin": {"name": MAKER, "sw_version": own_version},
        "state_topic": settings.topic("state"),
        "availability": _available(settings),
        "availability_mode": "all",
        "components": dict(entities),
    }


def _device_id(settings: MqttSettings) -> str:
    return f"monster_table_{settings.table}".replace("-", "_")


def _available(settings: MqttSettings, condition: str = "") -> list[Json]:
    """Return when an entity is available: while the table is, and its state meets the condition."""
    found: list[Json] = [{"topic": settings.topic("status")}]
    if condition:
        template = f"{{{{ 'online' if {condition} else 'offline' }}}}"
        found.append({"topic": settings.topic("state"), "value_template": template})
    return found


def _entity(
    settings: MqttSettings, platform: str, entity_id: str, name: str, icon: str, **more: Any
) -> _Entity:
    own = f"{_device_id(settings)}_{entity_id}"
    config = {"platform": platform, "unique_id": own, "name": name, "icon": f"mdi:{icon}", **more}
    return entity_id, config


def _shown(settings: MqttSettings, value: str, attributes: str) -> Json:
    """Return what a sensor shows of the state: two expressions in Jinja."""
    return {
        "value_template": f"{{{{ {value} }}}}",
        "json_attributes_topic": settings.topic("state"),
        "json_attributes_template": f"{{{{ ({attributes}) | tojson }}}}",
    }


def _sensors(settings: MqttSettings) -> Iterator[_Entity]:
    def sensor(
        entity_id: str, icon: str, value: str, attributes: str = "{}", **more: Any
    ) -> _Entity:
        name = words(settings.file.language, f"home.{entity_id}")
        shown = _shown(settings, value, attributes)
        return _entity(settings, "sensor", entity_id, name, icon, **shown, **more)

    whose = "value_json.whose.name if value_json.whose else None"
    yield sensor("turn", "account-arrow-right", whose, "value_json.whose or {}")
    roll = "value_json.roll.text if value_json.roll else None"
    yield sensor("roll", "dice-multiple", roll, "value_json.roll or {}")
    yield sensor("winner", "trophy", "value_json.winner")
    more: Json = {
        "device_class": "enum",
        "options": [*CameraState],
        "entity_category": "diagnostic",
    }
    yield sensor("camera", "camera", "value_json.camera", **more)


def _seat_sensors(settings: MqttSettings) -> Iterator[_Entity]:
    language = settings.file.language
    for seat in range(MOST_SEATS):
        number = words(language, "home.seat", number=seat + 1)
        is_played, its = f"value_json.seats | length > {seat}", f"value_json.seats[{seat}]"
        for what, icon in NUMBERS.items():
            value = f"{its}.{what} if {is_played} else None"
            yield _entity(
                settings,
                "sensor",
                f"seat_{seat + 1}_{what}",
                f"{number} {words(language, f'number.{what}').lower()}",
                icon,
                **_shown(settings, value, f"{its} if {is_played} else {{}}"),
                state_class="measurement",
                availability=_available(settings, is_played),
            )


def _buttons(settings: MqttSettings) -> Iterator[_Entity]:
    for press, icon in ((Press.UNDO, "undo"), (Press.READ_AGAIN, "camera-retake")):
        entity_id = press.name.lower()
        yield _entity(
            settings,
            "button",
            entity_id,
            words(settings.file.language, f"home.{entity_id}"),
            icon,
            command_topic=settings.topic("press"),
            payload_press=press.value,
            availability=_available(settings, f"value_json.{entity_id}"),
        )
