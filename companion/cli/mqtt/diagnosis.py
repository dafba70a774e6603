"""Diagnoses about MQTT: is it on, are its settings good, does the broker answer?"""

from __future__ import annotations

import ssl
import time
import tomllib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis
from companion.cli.doctor.targets import Target
from companion.cli.mqtt.serving import SETTINGS
from companion.cli.words import sentence
from companion.service.workers import Workers
from companion.storage.files import is_there, open_regular

if TYPE_CHECKING:
    from companion.mqtt.settings import Broker

ABOUT = "mqtt"
LONGEST_SETTINGS: Final = 64 * 1024
"""As of `companion.mqtt.settings`, which is not imported while MQTT is off."""
ANSWER_S: Final = 5
"""Longest time for the broker's answer, and for the beginning of TLS."""
ATTEMPT_S: Final = 10.0
"""Longest time for all of an attempt: looking up the name, connecting, the answer."""
LONGEST_REASON: Final = 200
DENIED: Final = frozenset({"Bad user name or password", "Not authorized"})


def mqtt(target: Target) -> Diagnosis:
    """Read the settings and connect once, if MQTT is on; else import none of its code."""
    path = _settings_of(target)
    if path != target.at.settings_of_mqtt and not is_there(path):
        return diagnosis(ABOUT, Verdict.OK, "mqtt_off", path=str(path))
    if find_spec("paho") is None:
        return Diagnosis(ABOUT, Verdict.BAD, sentence("error.mqtt.missing"))
    from companion.mqtt.settings import MqttError, read_settings

    try:
        broker = read_settings(path, target.folder).broker
    except MqttError as wrong:
        found = sentence(wrong.key, **wrong.params)
        return Diagnosis(ABOUT, Verdict.BAD, found, sentence("doctor.do.mqtt_settings"))
    outcome, reason = try_broker(broker)
    verdict = Verdict.OK if outcome == "connected" else Verdict.BAD
    return diagnosis(
        ABOUT, verdict, f"mqtt_{outcome}", host=broker.host, port=broker.port, reason=reason
    )


def try_broker(broker: Broker, patience_s: float = ATTEMPT_S) -> tuple[str, str]:
    """Connect once, and return what came of it, and the reason that the system or the broker gave:
    `connected`, `unreachable`, `untrusted` (TLS failed), `denied` (user or password), `refused`, or
    `silent` if whatever is there does not answer as a broker does.
    """
    workers = Workers("broker", 1)
    attempt = workers.submit(_connect, broker)
    workers.shutdown()
    with suppress(TimeoutError):
        if attempt.exception(patience_s) is None:
            return attempt.result()
    return "silent", ""  # too late, or nonsense


def _connect(broker: Broker) -> tuple[str, str]:
    from companion.mqtt.client import new_client

    codes: list[Any] = []
    client = new_client("doctor", broker)
    client.on_connect = lambda _, __, ___, code, *____: codes.append(code)
    try:
        client.connect(broker.host, broker.port, ANSWER_S)
    except ssl.SSLError as wrong:
        reason = getattr(wrong, "verify_message", "") or wrong.reason or ""
        return "untrusted", str(reason)[:LONGEST_REASON]
    except OSError as wrong:
        return "unreachable", (wrong.strerror or str(wrong))[:LONGEST_REASON]
    until = time.monotonic() + ANSWER_S
    while not codes and (left := until - time.monotonic()) > 0:
        if client.loop(left) != 0:
            break
    client.disconnect()
    if not codes:
        return "silent", ""
    if not codes[0].is_failure:
        return "connected", ""
    reason = str(codes[0])
    return ("denied" if reason in DENIED else "refused"), reason


def broker_hosts(target: Target) -> frozenset[str]:
    """Return the hosts of the brokers that are named, in settings that may be wrong otherwise."""
    try:
        with open_regular(_settings_of(target)) as file:
            found = tomllib.loads(file.read(LONGEST_SETTINGS).decode())
        return frozenset(filter(None, (urlsplit(str(found.get("broker", ""))).hostname,)))
    except (OSError, ValueError, RecursionError):
        return frozenset()


def _settings_of(target: Target) -> Path:
    """Return the file that a running service was given, else that in its folder."""
    return target.at.settings_of_mqtt or target.folder / SETTINGS
