"""Whether the service answers on this machine, asked by HTTP at its own address."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
from contextlib import closing

import msgspec

from companion.cli.doctor.diagnoses import Diagnosis, Verdict, diagnosis
from companion.service.network.listening import Listening
from companion.service.requests import HealthAnswer

ASK_S = 5.0
PAUSE_S = 0.5
LONGEST = 4096


def ask_health(at: Listening, timeout_s: float = ASK_S) -> HealthAnswer | None:
    """Ask the service that listens there; None where none of ours answers."""
    host = at.reached_at
    try:
        with closing(http.client.HTTPConnection(host, at.port, timeout=timeout_s)) as asking:
            asking.request("GET", "/api/health")
            answer = asking.getresponse()
            if answer.status != 200:
                return None
            return msgspec.json.decode(answer.read(LONGEST), type=HealthAnswer)
    except (OSError, ValueError, http.client.HTTPException, msgspec.MsgspecError):
        return None


def wait_for_health(find: Callable[[], Listening], patience_s: float) -> Diagnosis:
    """Ask until the service answers, at most for so long. `find` is called each time: a service
    that starts writes down where it listens only then.
    """
    until = time.monotonic() + patience_s
    while (answer := ask_health(at := find())) is None:
        if time.monotonic() >= until:
            return diagnosis("service", Verdict.BAD, "no_service", port=at.port)
        time.sleep(PAUSE_S)
    return service_diagnosis(answer, at.port)


def service_diagnosis(answer: HealthAnswer, port: int) -> Diagnosis:
    """Return what the service's answer comes to."""
    if answer.safe:
        return diagnosis("service", Verdict.LOOK, "service_safe", version=answer.version, port=port)
    if not answer.saved:
        return diagnosis(
            "service", Verdict.BAD, "service_unsaved", version=answer.version, port=port
        )
    return diagnosis("service", Verdict.OK, "service", version=answer.version, port=port)
