"""Whether the service answers on this machine, asked by HTTP at its own address."""

from __future__ import annotations

import http.client
import time
from contextlib import closing

import msgspec

from companion.cli.doctor.findings import Finding, Verdict, finding
from companion.service.requests import HealthAnswer

ASK_S = 5.0
PAUSE_S = 0.5
LONGEST = 4096


def ask_health(port: int, timeout_s: float = ASK_S) -> HealthAnswer | None:
    """Ask the service on this port; None where none of ours answers."""
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_s)) as asking:
            asking.request("GET", "/api/health")
            answer = asking.getresponse()
            if answer.status != 200:
                return None
            return msgspec.json.decode(answer.read(LONGEST), type=HealthAnswer)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError):
        return None


def wait_for_health(port: int, patience_s: float) -> Finding:
    """Ask until the service answers, at most for so long."""
    until = time.monotonic() + patience_s
    while (answer := ask_health(port)) is None:
        if time.monotonic() >= until:
            return finding("service", Verdict.BAD, "no_service", port=port)
        time.sleep(PAUSE_S)
    return service_finding(answer, port)


def service_finding(answer: HealthAnswer, port: int) -> Finding:
    """Return what the service's answer comes to."""
    if answer.safe:
        return finding("service", Verdict.LOOK, "service_safe", version=answer.version, port=port)
    if not answer.saved:
        return finding("service", Verdict.BAD, "service_unsaved", version=answer.version, port=port)
    return finding("service", Verdict.OK, "service", version=answer.version, port=port)
