"""Diagnoses about MQTT: is it on, are its settings good, does the broker answer?"""

from __future__ import annotations

import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis
from companion.cli.doctor.targets import Target
from companion.cli.mqtt.start import SETTINGS
from companion.cli.words import sentence
from companion.storage.files import is_there, open_regular

ABOUT = "mqtt"
TOPICS: Final = "mqtt-topics.json"
"""The file of `companion.mqtt.retained`, which is not imported where MQTT is off."""
LONGEST: Final = 32 * 1024
LONGEST_SETTINGS: Final = 64 * 1024
"""As of `companion.mqtt.settings`, which is not imported where MQTT is off either."""


def mqtt(target: Target) -> Diagnosis:
    """Look at the settings: those that a running service was given, else those in the folder;
    without any, at what was left at a broker that no file names any more.
    """
    named = target.at.settings_of_mqtt
    path = named or target.folder / SETTINGS
    if named is None and not is_there(path) and is_retained(target.folder):
        return diagnosis(ABOUT, Verdict.LOOK, "mqtt_left", path=str(path))
    return diagnose(path, target)


def is_retained(folder: Path) -> bool:
    """Return whether a broker holds more of this table than that it is offline."""
    try:
        with open_regular(folder / TOPICS) as file:
            topics = msgspec.json.decode(file.read(LONGEST), type=list[str])
    except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return False
    return any(not topic.endswith("/status") for topic in topics)


def diagnose(path: Path, target: Target) -> Diagnosis:
    """Read the settings and connect once, where MQTT is on; else import none of its code."""
    if path != target.at.settings_of_mqtt and not is_there(path):
        return diagnosis(ABOUT, Verdict.OK, "mqtt_off", path=str(path))
    if find_spec("paho") is None:
        return Diagnosis(ABOUT, Verdict.BAD, sentence("error.mqtt.missing"))
    from companion.mqtt.attempt import Outcome, try_broker
    from companion.mqtt.settings import MqttError, read_settings

    try:
        broker = read_settings(path, target.folder).broker
    except MqttError as wrong:
        found = sentence(wrong.key, **wrong.params)
        return Diagnosis(ABOUT, Verdict.BAD, found, sentence("doctor.do.mqtt_settings"))
    tried = try_broker(broker)
    verdict = Verdict.OK if tried.outcome is Outcome.CONNECTED else Verdict.BAD
    return diagnosis(
        ABOUT, verdict, f"mqtt_{tried.outcome}",
        host=broker.host, port=broker.port, reason=tried.reason,
    )  # fmt: skip


def broker_hosts(target: Target) -> frozenset[str]:
    """Return the hosts of the brokers that are named, in settings that may be wrong otherwise."""
    own = target.folder / SETTINGS
    paths = {own, target.at.settings_of_mqtt or own}
    return frozenset(filter(None, map(_host, paths)))


def _host(path: Path) -> str | None:
    try:
        with open_regular(path) as file:
            found = tomllib.loads(file.read(LONGEST_SETTINGS).decode())
        return urlsplit(str(found.get("broker", ""))).hostname
    except (OSError, ValueError, RecursionError):
        return None
