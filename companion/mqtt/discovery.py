"""Discovery for Home Assistant: one retained message for the device with all of its entities.

Needs Home Assistant 2024.11 or later. Every seat that a table may have is announced from the start,
so automations keep working; seats that nobody plays are unavailable.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib.metadata import version
from typing import Any, Final

from companion.catalogues import sentence
from companion.engine import MOST_SEATS
from companion.mqtt.messages import kinds
from companion.mqtt.settings import MqttSettings
from companion.vision.readings import CameraState

MAKER: Final = "Monster Table"
NUMBERS: Final = {"health": "heart", "stars": "star", "energy": "lightning-bolt"}
"""The numbers shown for each seat, with their icons."""
Json = dict[str, Any]


class Press(StrEnum):
    """What a button may request."""

    UNDO = "undo"
    READ_AGAIN = "read-again"


def discovery_topic(settings: MqttSettings) -> str:
    """Return the topic of the message about this table's device."""
    return f"{settings.file.discovery}/device/{_device_id(settings)}/config"


def discovery_message(settings: MqttSettings, title: str, address: str) -> Json:
    """Return the message about this table's device. `address`: where phones open the table."""
    own_version = version("monster-table")
    return {
        "device": {
            "identifiers": [_device_id(settings)],
            "name": title,
            "manufacturer": MAKER,
            "model": settings.table,
            "sw_version": own_version,
            "configuration_url": address,
        },
        "origin": {"name": MAKER, "sw_version": own_version},
        "state_topic": settings.topic("state"),
        "availability": [{"topic": settings.topic("status")}],
        "availability_mode": "all",
        "components": dict(_entities(settings)),
    }


def _device_id(settings: MqttSettings) -> str:
    return f"monster_table_{settings.table}".replace("-", "_")


def _entities(settings: MqttSettings) -> Iterator[tuple[str, Json]]:
    """Yield each entity: its id and its configuration. Values, attributes and conditions are
    expressions in Jinja over the state.
    """
    language, state = settings.file.language, settings.topic("state")

    def entity(platform: str, id_: str, icon: str, name: str = "", **more: Any) -> tuple[str, Json]:
        return id_, {
            "platform": platform,
            "unique_id": f"{_device_id(settings)}_{id_}",
            "name": name or sentence(language, f"home.{id_}"),
            "icon": f"mdi:{icon}",
            **more,
        }

    def shown(value: str, attributes: str = "{}") -> Json:
        return {
            "value_template": f"{{{{ {value} }}}}",
            "json_attributes_topic": state,
            "json_attributes_template": f"{{{{ ({attributes}) | tojson }}}}",
        }

    def available(condition: str) -> list[Json]:
        template = f"{{{{ 'online' if {condition} else 'offline' }}}}"
        return [
            {"topic": settings.topic("status")},
            {"topic": state, "value_template": template},
        ]

    whose = shown("value_json.whose.name if value_json.whose else None", "value_json.whose or {}")
    yield entity("sensor", "turn", "account-arrow-right", **whose)
    roll = shown("value_json.roll.text if value_json.roll else None", "value_json.roll or {}")
    yield entity("sensor", "roll", "dice-multiple", **roll)
    yield entity("sensor", "winner", "trophy", **shown("value_json.winner"))
    states: Json = {
        "device_class": "enum",
        "options": [*CameraState],
        "entity_category": "diagnostic",
    }
    yield entity("sensor", "camera", "camera", **shown("value_json.camera"), **states)
    for seat in range(MOST_SEATS):
        its, is_played = f"value_json.seats[{seat}]", f"value_json.seats | length > {seat}"
        for what, icon in NUMBERS.items():
            number = sentence(language, f"number.{what}").lower()
            yield entity(
                "sensor",
                f"seat_{seat + 1}_{what}",
                icon,
                f"{sentence(language, 'home.seat', {'number': seat + 1})} {number}",
                **shown(
                    f"{its}.{what} if {is_played} else None", f"{its} if {is_played} else {{}}"
                ),
                state_class="measurement",
                availability=available(is_played),
            )
    said: Json = {"state_topic": settings.topic("said"), "event_types": [*kinds()]}
    yield entity("event", "said", "bullhorn", **said)
    for press, icon in ((Press.UNDO, "undo"), (Press.READ_AGAIN, "camera-retake")):
        id_ = press.name.lower()
        yield entity(
            "button",
            id_,
            icon,
            command_topic=settings.topic("press"),
            payload_press=press.value,
            availability=available(f"value_json.{id_}"),
        )
