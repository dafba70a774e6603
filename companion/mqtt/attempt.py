"""One attempt to connect to a broker, for `companion doctor`: nothing is published or heard.

`python -m companion.mqtt.attempt` makes it in a process of its own. It reads the broker from
standard input, since a password may be in it, and prints what came of it.
"""

from __future__ import annotations

import secrets
import ssl
import subprocess
import sys
import time
from enum import StrEnum
from typing import Any, Final

import msgspec

from companion.mqtt.bounds import bound_process
from companion.mqtt.settings import Broker

ANSWER_S: Final = 5
"""Longest time for the broker's answer, and for the beginning of TLS."""
ATTEMPT_S: Final = 10.0
"""Longest time for all of it: looking up the name, connecting, the answer."""
MOST_MEMORY: Final = 192 * 1024 * 1024
"""Bytes of data; a broker that sends endless messages ends the attempt."""
LONGEST_REASON: Final = 200
_BROKER: Final = msgspec.json.Decoder(Broker)
DENIED: Final = frozenset({"Bad user name or password", "Not authorized"})


class Outcome(StrEnum):
    """What came of an attempt."""

    CONNECTED = "connected"
    UNREACHABLE = "unreachable"
    UNTRUSTED = "untrusted"
    """TLS failed: another certificate than expected, or none."""
    DENIED = "denied"
    """The broker refused user or password."""
    REFUSED = "refused"
    """The broker refused for another reason."""
    SILENT = "silent"
    """What is there does not answer as a broker does."""


class Attempt(msgspec.Struct, frozen=True):
    """What came of an attempt, and the reason that the system or the broker gave."""

    outcome: Outcome
    reason: str = ""


_ATTEMPT: Final = msgspec.json.Decoder(Attempt)


def try_broker(broker: Broker, patience_s: float = ATTEMPT_S) -> Attempt:
    """Connect once, in a process of its own: a name may be looked up for long, and a broker may
    send without end.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__],
            input=msgspec.json.encode(broker),
            capture_output=True,
            timeout=patience_s,
            check=True,
        )
        return _ATTEMPT.decode(done.stdout)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError):
        return Attempt(Outcome.SILENT)


def connect(broker: Broker) -> Attempt:
    """Connect once in this process, and disconnect."""
    from companion.mqtt.client import new_client

    came: list[Any] = []
    name = f"monster-doctor-{secrets.token_hex(4)}"
    client = new_client(name, broker.user, broker.password, tls=broker.tls, ca_file=broker.ca_file)
    client.on_connect = lambda _, __, ___, code, *____: came.append(code)
    try:
        client.connect(broker.host, broker.port, ANSWER_S)
    except ssl.SSLError as wrong:
        reason = getattr(wrong, "verify_message", "") or wrong.reason or ""
        return Attempt(Outcome.UNTRUSTED, str(reason)[:LONGEST_REASON])
    except (OSError, ValueError) as wrong:
        reason = getattr(wrong, "strerror", None) or str(wrong)
        return Attempt(Outcome.UNREACHABLE, str(reason)[:LONGEST_REASON])
    until = time.monotonic() + ANSWER_S
    while not came and (left := until - time.monotonic()) > 0:
        if client.loop(left) != 0:
            break
    client.disconnect()
    if not came:
        return Attempt(Outcome.SILENT)
    if not came[0].is_failure:
        return Attempt(Outcome.CONNECTED)
    reason = str(came[0])
    return Attempt(Outcome.DENIED if reason in DENIED else Outcome.REFUSED, reason)


if __name__ == "__main__":
    bound_process(MOST_MEMORY)
    print(msgspec.json.encode(connect(_BROKER.decode(sys.stdin.buffer.read()))).decode())
