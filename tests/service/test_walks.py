"""What a request, a tap and a reading cost: each station once."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import MapAdapter
from werkzeug.routing.matcher import StateMachineMatcher

from companion.engine import Face, Position
from companion.service.http.guard import Guard, Head
from companion.service.hub import Hub
from companion.service.people import Browsers
from companion.service.wire import QuestionKind
from tests.service.phone import Phone, app_state_of, play_until, read_dice

TAPS = 40


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often these methods were called, as `Class.name`."""
    found: Counter[str] = Counter()

    def count(kind: type, name: str) -> None:
        called = getattr(kind, name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            found[f"{kind.__name__}.{name}"] += 1
            return called(*args, **kwargs)

        monkeypatch.setattr(kind, name, counted)

    count(MapAdapter, "match")
    count(StateMachineMatcher, "match")
    count(Head, "__init__")
    count(Guard, "admit")
    count(Browsers, "you")
    count(Hub, "publish")
    return found


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/log", None),
        ("GET", "/api/explain/0/energy", None),
        ("POST", "/api/preview", {"faces": ["energy"]}),
        ("POST", "/api/commands", {"command_id": "the-one-tap", "base_rev": 2}),
    ],
)
def test_a_request_is_matched_and_admitted_once(
    app: Flask, host: Phone, calls: Counter[str], method: str, path: str, body: Any
) -> None:
    host.set_up("tokyo")
    calls.clear()
    if path == "/api/commands":
        body["events"] = [{"type": "PutOff"}]
    answer = host.get(path) if method == "GET" else host.post(path, body)
    assert answer.status_code == 200, answer.text
    published = calls.pop("Hub.publish", 0)
    assert published == (path == "/api/commands")
    assert calls == {
        "MapAdapter.match": 1, "StateMachineMatcher.match": 1, "Head.__init__": 1,
        "Guard.admit": 1, "Browsers.you": 1,
    }  # fmt: skip


def test_the_rules_apply_each_row_of_a_tap_once(
    app: Flask, host: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.set_up("tokyo")
    table, chance = app_state_of(app).table, Random(1)
    applied: list[tuple[object, object]] = []
    apply = Position.apply

    def noted(position: Position, event: Any) -> Any:
        applied.append((position.game, event))
        return apply(position, event)

    monkeypatch.setattr(Position, "apply", noted)
    said = 0
    while (tap := host.next_event(chance)) is not None and said < TAPS:
        before = table.snapshot().rev
        applied.clear()
        host.say(tap)
        rows = table.snapshot().entries[before:]
        assert [applied.count((row.before.game, row.event)) for row in rows] == [1] * len(rows)
        said += any(row.seq == entry.seq for row in rows for entry in host.view().log)
    assert said == TAPS, "the view says what came of each"


def test_a_reading_is_published_once(app: Flask, host: Phone, calls: Counter[str]) -> None:
    host.set_up("tokyo")
    play_until(host, QuestionKind.ROLL, Random(4))
    faces = tuple([Face.HEAL] * host.dice())
    calls.clear()
    assert read_dice(app, faces).proposal is not None
    assert calls["Hub.publish"] == 1
