"""Discovery for Home Assistant: one retained message for the device with all of its entities.

Needs Home Assistant 2024.11 or later. Every seat that a table may have is there from the start, so
that automations stay whole; seats that nobody plays are unavailable.
"""

from __future__ import annotations

from enum import StrEnum
from importlib.metadata import version
from typing import Any, Final

from companion.engine import MOST_SEATS
from companion.mqtt.home.state import words
from companion.mqtt.topics import Topics
from companion.vision.states import CameraState

MAKER: Final = "Monster Table"
Json = dict[str, Any]


class Press(StrEnum):
    """What a button may ask for."""

    UNDO = "undo"
    READ_AGAIN = "read-again"


NUMBERS: Final = {"health": "mdi:heart", "stars": "mdi:star", "energy": "mdi:lightning-bolt"}


def discovery_topic(prefix: str, table: str) -> str:
    """Return the topic of the message about this table's device."""
    return f"{prefix}/device/{_object_id(table)}/config"


def discovery(topics: Topics, table: str, title: str, address: str, language: str) -> Json:
    """Return the message about this table's device. `address`: where phones open the table."""
    return {
        "device": {
            "identifiers": [_object_id(table)],
            "name": title,
            "manufacturer": MAKER,
            "model": table,
            "sw_version": version("monster-table"),
            "configuration_url": address,
        },
        "origin": {"name": MAKER, "sw_version": version("monster-table")},
        "state_topic": topics.state,
        "availability": _available(topics),
        "availability_mode": "all",
        "components": {
            **_table_sensors(topics, table, language),
            **_seat_sensors(topics, table, language),
            **_buttons(topics, table, language),
        },
    }


def _object_id(table: str) -> str:
    return f"monster_table_{table}".replace("-", "_")


def _available(topics: Topics, condition: str | None = None) -> list[Json]:
    """Return when an entity is available: while the table is, and its state meets the condition."""
    found: list[Json] = [{"topic": topics.status}]
    if condition is not None:
        template = f"{{{{ 'online' if {condition} else 'offline' }}}}"
        found.append({"topic": topics.state, "value_template": template})
    return found


def _entity(table: str, ident: str, **more: Any) -> Json:
    return {"unique_id": f"{_object_id(table)}_{ident}", **more}


def _table_sensors(topics: Topics, table: str, language: str) -> Json:
    def sensor(name: str, icon: str, value: str, **more: Any) -> Json:
        return _entity(
            table,
            name,
            platform="sensor",
            name=words(language, f"home.{name}"),
            icon=icon,
            value_template=f"{{{{ {value} }}}}",
            **more,
        )

    def attributes(of: str) -> Json:
        return {
            "json_attributes_topic": topics.state,
            "json_attributes_template": f"{{{{ (value_json.{of} or {{}}) | tojson }}}}",
        }

    return {
        "turn": sensor(
            "turn",
            "mdi:account-arrow-right",
            "value_json.whose.name if value_json.whose else None",
            **attributes("whose"),
        ),
        "roll": sensor(
            "roll",
            "mdi:dice-multiple",
            "value_json.roll.text if value_json.roll else None",
            **attributes("roll"),
        ),
        "winner": sensor("winner", "mdi:trophy", "value_json.winner"),
        "camera": sensor(
            "camera",
            "mdi:camera",
            "value_json.camera",
            device_class="enum",
            options=list(CameraState),
            entity_category="diagnostic",
        ),
    }


def _seat_sensors(topics: Topics, table: str, language: str) -> Json:
    found: Json = {}
    for seat in range(MOST_SEATS):
        number = words(language, "home.seat").replace("{number}", str(seat + 1))
        for what, icon in NUMBERS.items():
            found[f"seat_{seat + 1}_{what}"] = _entity(
                table,
                f"seat_{seat + 1}_{what}",
                platform="sensor",
                name=f"{number} {words(language, f'number.{what}').lower()}",
                icon=icon,
                state_class="measurement",
                value_template=(
                    f"{{{{ value_json.seats[{seat}].{what} "
                    f"if value_json.seats | length > {seat} else None }}}}"
                ),
                json_attributes_topic=topics.state,
                json_attributes_template=(
                    f"{{{{ (value_json.seats[{seat}] if value_json.seats | length > {seat} "
                    "else {}) | tojson }}"
                ),
                availability=_available(topics, f"value_json.seats | length > {seat}"),
            )
    return found


def _buttons(topics: Topics, table: str, language: str) -> Json:
    def button(press: Press, icon: str, possible: str) -> Json:
        return _entity(
            table,
            press.name.lower(),
            platform="button",
            name=words(language, f"home.{press.name.lower()}"),
            icon=icon,
            command_topic=topics.press,
            payload_press=press.value,
            availability=_available(topics, f"value_json.{possible}"),
        )

    return {
        "undo": button(Press.UNDO, "mdi:undo", "undo"),
        "read_again": button(Press.READ_AGAIN, "mdi:camera-retake", "read_again"),
    }
