"""Drawn requests to a real service, as the OpenAPI document describes them, and broken ones.

`python -m tests.fuzz [--cases N] [--seed S]`: every answer must be one that the
document has, in its form, and none a fault of the service (5xx). Half of the requests name what
there is (games, rows, tokens, an event that is legal now), so that they succeed. Each fault is
printed once, as JSON, with the request; exit 1 if there is any, or if in a run of some
thousand cases an operation never succeeded that can. Streams are left out, since they do not end.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
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
from companion.resources import resource_dir
from companion.service.settings import Limits, Settings
from companion.service.views.words import clauses
from companion.service.wire import QuestionKind
from tests.service.phone import START, Json, next_event, table_set
from tests.service.served import Browser, Served, serving
from tests.waiting import WITHIN_S
from tools.schemas import document as interface

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    allow_header_conformance,
    unsupported_method,
]
SEATS = 3
MANY = 1_000_000
CLAUSES = tuple(sorted(clauses()))
ASSETS = tuple(sorted(path.name for path in (resource_dir("webui") / "assets").iterdir()))
BOUNDED_BY_TIME = ("per_s", "burst", "at_once", "_per_minute")
AS_GIVEN = 10
"""One of so many requests keeps the `Origin` that was drawn for it."""


NEEDS = {
    *("GET /api/boxes/{box}", "POST /api/boxes/file", "POST /api/boxes"),
    *("GET /api/crop/{proposal}/{die}.jpg", "GET /api/misread/{proposal}.zip", "POST /api/fuse"),
    *("GET /api/setup", "POST /api/setup", "GET /api/camera.jpg", "GET /api/tray.jpg"),
    *("POST /api/drift", "POST /api/photo", "POST /api/read-again", "POST /api/camera"),
    *("POST /api/wifi", "GET /api/wifi.svg", "POST /api/take-up", "POST /api/claim"),
    *("POST /api/host", "GET /api/tv/story", "GET /api/tv/wifi.svg"),
}
"""Operations that need a camera, a box of dice, a Wi-Fi of the table's, another person or the end
of the game, and are refused here."""
ENOUGH = 4_000
"""In so many cases every operation that can succeed has."""
ADVICE = ("/api/keeps", "/api/coach")
"""Succeed only if the phone's own seat decides about dice."""
LEAD_AT_MOST = 500
"""Answers until the host's seat throws."""


@dataclass
class Real:
    """What there is at the table: values with which a request succeeds."""

    served: Served
    host: Browser
    chance: Random

    def path(self, name: str) -> str | None:
        """Return a value for a part of the path; None if there is nothing."""
        table = self.served.app_state.table.snapshot()
        match name:
            case "game":
                return self.chance.choice(("g1", "g2", table.game_id))
            case "row":
                return str(self.chance.randint(1, max(1, table.rev)))
            case "seat":
                return str(self.chance.randrange(SEATS))
            case "what":
                return self.chance.choice(("health", "stars", "energy"))
            case "clause":
                return self.chance.choice(CLAUSES)
            case "language":
                return self.chance.choice(("en", "is"))
            case "name":
                return self.chance.choice(ASSETS)
        return None

    def body(self, path: str) -> object:
        """Return a body with which this request succeeds; None if any may."""
        app_state = self.served.app_state
        viewers = app_state.view_tokens.shown()
        match path:
            case "/api/join":
                return {"token": app_state.browsers.invitation.token}
            case "/api/tv/join":
                return {"token": viewers.tv}
            case "/api/overlay/join":
                return {"token": viewers.overlay}
            case "/api/commands":
                return {"events": self.events()}
            case "/api/preview" | "/api/keeps" | "/api/coach":
                game = self.host.view().game
                question = game.question if game is not None else None
                dice = question.dice if question is not None else 0
                faces = game.faces if game is not None else ()
                return {"faces": [self.chance.choice(faces) for _ in range(dice)]}
            case "/api/address":
                return {"address": app_state.base_url}
            case "/api/names":
                return {"name": "Q1", "into": self.chance.choice(("P1", None))}
            case "/api/card-names":
                return {"card": "extra_head", "name": "Cabeza"}
        return None

    def events(self) -> list[Json]:
        game = self.host.view().game
        event = next_event(game, self.chance) if game is not None else None
        return [event] if event is not None else new_game()


@dataclass
class Fuzzer:
    """One run against one service, by its host, by televisions and by strangers."""

    served: Served
    host: Browser
    real: Real
    chance: Random
    cases: int
    sent: Counter[str] = field(default_factory=Counter)
    """Requests by operation."""
    undrawn: set[str] = field(default_factory=set)
    """Operations of which a mode has no requests."""
    statuses: Counter[int] = field(default_factory=Counter)
    succeeded: set[str] = field(default_factory=set)
    """Operations that answered with 2xx."""
    faults: dict[tuple[str, str], Any] = field(default_factory=dict)
    session: requests.Session = field(default_factory=requests.Session)

    def run(self, seed: int) -> None:
        """Send requests, positive and negative ones, in rounds over all operations."""
        schema = schemathesis.openapi.from_dict(interface())
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
        return self.sent.total() >= self.cases

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
            if mode is GenerationMode.POSITIVE and self.chance.random() < 0.5:
                self._make_real(case)
            self._send(case)

        self._be_host()
        if operation.path in ADVICE:
            self._lead_to_own_roll()
        try:
            send()
        except hypothesis.errors.Unsatisfiable:
            self.undrawn.add(f"{operation.label}: {mode.value}")

    def _be_host(self) -> None:
        """Join again if a request has made the host leave, or another the host; let others join
        if one has shut them out.
        """
        browsers = self.served.app_state.browsers
        if not browsers.invitation.open:
            browsers.renew_invitation(is_open=True)
        if self._you().get("role") != "host":
            self.host.cookie = ""
            self.host.join()
        self._sit()

    def _you(self) -> Json:
        """Return who the host is now; empty if it has not joined."""
        you: Json = self.host.ask("GET", "/api/state")[1].get("you", {})
        return you

    def _sit(self) -> int | None:
        """Sit down if there is no seat; return the seat."""
        if self._you().get("seat") is None:
            self.host.ask("POST", "/api/seat", {"seat": 0, "take_over": True})
        seat: int | None = self._you().get("seat")
        return seat

    def _lead_to_own_roll(self) -> None:
        """Play on until the host's seat has dice to throw."""
        for n in range(LEAD_AT_MOST):
            game = self.host.view().game
            asked = game.question if game is not None else None
            if (
                asked is not None
                and asked.kind is QuestionKind.ROLL
                and asked.seat == self._sit()  # a new game takes away the seats that it lacks
            ):
                return
            self.host.say(*self.real.events(), command_id=f"fuzz-lead-{self.sent.total()}-{n}")

    def _make_real(self, case: Any) -> None:
        for name in case.path_parameters or {}:
            case.path_parameters[name] = self.real.path(name) or case.path_parameters[name]
        body = self.real.body(case.operation.path)
        if body is not None:
            case.body = body

    def _cookie(self, path: str) -> str:
        """Return the cookie of whoever asks for this, mostly of the right one."""
        if not path.startswith(("/api/tv/", "/api/overlay/")):
            return self.host.cookie
        viewer, kind = Browser(self.served), path.split("/")[2]
        token = getattr(self.served.app_state.view_tokens.shown(), kind)
        viewer.ask("POST", f"/api/{kind}/join", {"token": token})
        return viewer.cookie

    def _send(self, case: Any) -> None:
        if self.is_over:
            return
        headers = {"Origin": self.host.origin, "X-Monster-Table": "1"}
        if self.chance.randrange(AS_GIVEN) == 0:
            headers = {}
        if self.chance.random() < 0.8:
            headers["Cookie"] = self._cookie(case.operation.path)
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
        if answer.status_code < 300:
            self.succeeded.add(case.operation.label)
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


def new_game(initial: str = "Q") -> list[Json]:
    """Return the events that start a game of three."""
    players = (f"{initial}{n}" for n in range(SEATS))
    return [table_set(*players, game=min(RULESETS)), START]


def started(host: Browser, chance: Random) -> None:
    """Play two games to their ends and start a third, so that there is something to ask about."""
    numbers = count()
    for initial in "PQ":
        host.say(*new_game(initial), command_id=f"fuzz-game-{initial}")
        while (game := host.view().game) is not None and game.ended is None:
            event = next_event(game, chance)
            assert event is not None
            host.say(event, command_id=f"fuzz-play-{next(numbers)}")
    host.say(*new_game(), command_id="fuzz-game-third")
    assert host.ask("POST", "/api/seat", {"seat": 0})[0] == 200


def main(arguments: list[str]) -> int:
    """Run, print what was seen, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    given_words = parser.parse_args(arguments)
    logging.basicConfig(level=logging.ERROR)
    with TemporaryDirectory() as folder:
        quick = Settings(Path(folder), host="127.0.0.1", port=0, limits=limits())
        with serving(quick) as served:
            host, chance = Browser(served).join(), Random(given_words.seed)
            started(host, chance)
            fuzzer = Fuzzer(served, host, Real(served, host, chance), chance, given_words.cases)
            fuzzer.run(given_words.seed)
    never = sorted({label for label, n in fuzzer.sent.items() if n} - fuzzer.succeeded - NEEDS)
    for fault in fuzzer.faults.values():
        print(json.dumps(fault, ensure_ascii=False))
    seen = {
        "cases": fuzzer.statuses.total(),
        "operations": len(fuzzer.sent),
        "undrawn": len(fuzzer.undrawn),
        "5xx": sum(n for status, n in fuzzer.statuses.items() if status >= 500),
        "faults": len(fuzzer.faults),
        "never_succeeded": never,
        "statuses": {str(status): n for status, n in sorted(fuzzer.statuses.items())},
    }
    print(json.dumps(seen))
    short = given_words.cases < ENOUGH
    return 1 if fuzzer.faults or (never and not short) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
