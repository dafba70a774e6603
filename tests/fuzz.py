"""Drawn requests to a real service, as `docs/schema/openapi.json` describes them, and broken ones.

`python -m tests.fuzz [--cases N] [--seed S] [--seconds T]`: every answer must be one that the
document has, in its form, and none a fault of the service (5xx). Each fault is printed once, as
JSON, with the request; exit 1 where there is any. Streams are left out, since they do not end.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, fields
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import hypothesis
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from companion.engine import RULESETS
from companion.service.settings import Limits, Settings
from companion.service.views.view import MONSTERS
from tests.service.served import Browser, Served, serving
from tests.waiting import WITHIN_S
from tools.schemas import FOLDER, OPENAPI

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    allow_header_conformance,
    unsupported_method,
]
MANY = 1_000_000
BOUNDED_BY_TIME = ("_per_s", "_burst", "_at_once", "_per_minute", "_in_all")
AS_GIVEN = 10
"""One of so many requests keeps the `Origin` that was drawn for it."""


@dataclass
class Fuzzer:
    """One run against one service; `stranger` and `host` are browsers."""

    served: Served
    host: Browser
    chance: Random
    cases: int
    until: float
    """When to stop, by `time.monotonic`."""
    sent: Counter[str] = field(default_factory=Counter)
    """Requests by operation."""
    statuses: Counter[int] = field(default_factory=Counter)
    faults: dict[tuple[str, str], Any] = field(default_factory=dict)
    session: requests.Session = field(default_factory=requests.Session)

    def run(self, seed: int) -> None:
        """Send requests, positive and negative ones, in rounds over all operations."""
        schema = schemathesis.openapi.from_dict(json.loads((FOLDER / OPENAPI).read_text("utf-8")))
        schema.config.update(base_url=self.host.origin)
        operations = [found.ok() for found in schema.get_all_operations()]
        operations = [each for each in operations if not each.path.endswith("/stream")]
        each = max(1, self.cases // (2 * len(operations)))
        for turn in count():
            for operation in operations:
                for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                    if self.is_over:
                        return
                    self._draw(operation, mode, min(each, 200), seed + turn)

    @property
    def is_over(self) -> bool:
        return self.sent.total() >= self.cases or time.monotonic() > self.until

    def _draw(self, operation: Any, mode: GenerationMode, most: int, seed: int) -> None:
        @hypothesis.seed(seed)
        @settings(
            max_examples=most,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(operation.as_strategy(generation_mode=mode))
        def send(case: Any) -> None:
            self._send(case)

        try:
            send()
        except hypothesis.errors.Unsatisfiable:
            self.sent[f"{operation.label}: {mode.value} cannot be drawn"] += 0

    def _send(self, case: Any) -> None:
        if self.is_over:
            return
        headers = {"Origin": self.host.origin, "X-Monster-Table": "1"}
        if self.chance.randrange(AS_GIVEN) == 0:
            headers = {}
        if self.chance.random() < 0.8:
            headers["Cookie"] = self.host.cookie
        if case.operation.path == "/api/commands" and isinstance(case.body, dict):
            rev = self.served.app_state.table.snapshot().rev
            case.body |= {"base_rev": rev, "table": None, "command_id": f"fuzz-{self.sent.total()}"}
        self.sent[case.operation.label] += 1
        try:
            answer = case.call(session=self.session, headers=headers, timeout=WITHIN_S)
        except (requests.exceptions.InvalidHeader, UnicodeError):
            self.sent[case.operation.label] -= 1
            return
        self.statuses[answer.status_code] += 1
        try:
            case.validate_response(answer, checks=CHECKS)
        except FailureGroup as found:
            for failure in found.exceptions:
                self._note(case, answer, failure)

    def _note(self, case: Any, answer: Any, failure: Any) -> None:
        label, title = case.operation.label, getattr(failure, "title", type(failure).__name__)
        self.faults.setdefault(
            (label, title),
            {
                "fault": title,
                "operation": label,
                "status": answer.status_code,
                "says": str(failure)[:1_000],
                "request": case.as_curl_command()[:1_000],
                "answer": answer.text[:300],
            },
        )


def limits() -> Limits:
    """The limits of the service, but as many requests as can be sent."""
    names = [each.name for each in fields(Limits)]
    return Limits(**{name: MANY for name in names if name.endswith(BOUNDED_BY_TIME)})


def started(host: Browser) -> None:
    """Start a game, so that there is something to ask about."""
    game = next(iter(RULESETS))
    seats = [{"player": f"P{n}", "monster": MONSTERS[n]} for n in range(3)]
    host.say(
        {"type": "TableSet", "game": game, "edition": "first", "seats": seats},
        {"type": "GameStarted", "first": 0},
        command_id="fuzz-begin",
    )
    assert host.ask("POST", "/api/seat", {"seat": 0})[0] == 200


def main(arguments: list[str]) -> int:
    """Run, print what was seen, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3_600, help="stop after so long")
    given_words = parser.parse_args(arguments)
    logging.basicConfig(level=logging.ERROR)
    with TemporaryDirectory() as folder:
        quick = Settings(Path(folder), host="127.0.0.1", port=0, limits=limits())
        with serving(quick) as served:
            host = Browser(served).join()
            started(host)
            fuzzer = Fuzzer(
                served,
                host,
                Random(given_words.seed),
                given_words.cases,
                time.monotonic() + given_words.seconds,
            )
            fuzzer.run(given_words.seed)
    for fault in fuzzer.faults.values():
        print(json.dumps(fault, ensure_ascii=False))
    seen = {
        "cases": fuzzer.statuses.total(),
        "operations": len(fuzzer.sent),
        "5xx": sum(n for status, n in fuzzer.statuses.items() if status >= 500),
        "faults": len(fuzzer.faults),
        "statuses": {str(status): n for status, n in sorted(fuzzer.statuses.items())},
    }
    print(json.dumps(seen))
    return 1 if fuzzer.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
