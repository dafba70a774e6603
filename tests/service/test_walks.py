"""How often a request is looked at on its way: once at each station."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import MapAdapter
from werkzeug.routing.matcher import StateMachineMatcher

from companion.service.http.guard import Guard, Head
from companion.service.people import Browsers
from tests.service.phone import Phone

Counted = Callable[[type, str], None]


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
    assert calls == {
        "MapAdapter.match": 1, "StateMachineMatcher.match": 1, "Head.__init__": 1,
        "Guard.admit": 1, "Browsers.you": 1,
    }  # fmt: skip
