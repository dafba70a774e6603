"""Every route of Flask's map refuses requests that do not come from our own page."""

from __future__ import annotations

import io
import json

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.service.machine.addresses import host_is_ours
from tests.service.phone import HEADERS, ORIGIN, GuardedClient, Phone, app_state_of

PARTS = {
    "<box>": "grandmas",
    "<clause>": "x",
    "<game>": "g1",
    "<int:die>": "0",
    "<int:seat>": "0",
    "<int:row>": "0",
    "<language>": "en",
    "<path:name>": "x.js",
    "<proposal>": "p",
    "<what>": "energy",
}
"""Variable parts of routes, and the values for tests."""
JSON = "application/json"


def routes(app: Flask) -> list[tuple[str, str]]:
    """Return method and path of every route, with variable parts filled."""
    found = []
    for rule in app.url_map.iter_rules():
        path = rule.rule
        for part, filled in PARTS.items():
            path = path.replace(part, filled)
        assert "<" not in path, path
        found += [(method, path) for method in sorted((rule.methods or set()) - {"OPTIONS"})]
    return found


def test_a_foreign_host_is_421_everywhere(app: Flask) -> None:
    client = GuardedClient(app)
    assert len(routes(app)) > 15
    for method, path in routes(app):
        for host in ("evil.example", "evil.example:8080", "192.168.9.9", "", "localhost:x"):
            answer = client.open(
                path, method=method, buffered=True, headers={**HEADERS, "Host": host}
            )
            assert answer.status_code == 421, (method, path, host)


def test_a_foreign_origin_is_403_everywhere(app: Flask) -> None:
    client = GuardedClient(app)
    for method, path in routes(app):
        for origin in ("http://evil.example", "null", "https://localhost", "http://localhost:1"):
            headers = {**HEADERS, "Origin": origin}
            assert (
                client.open(path, method=method, buffered=True, headers=headers).status_code == 403
            )


def test_whatever_changes_something_wants_origin_mark_and_json(app: Flask) -> None:
    client = GuardedClient(app)
    changing = [path for method, path in routes(app) if method not in {"GET", "HEAD"}]
    assert changing
    for path in changing:
        for missing in HEADERS:
            kept = {name: value for name, value in HEADERS.items() if name != missing}
            assert client.post(path, json={}, headers=kept).status_code == 403
        for form in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            answer = client.post(path, data="{}", headers={**HEADERS, "Content-Type": form})
            assert answer.status_code == 415, (path, form)


def test_every_answer_carries_the_headers_that_bind_a_browser(app: Flask) -> None:
    client = GuardedClient(app)
    for method, path in routes(app):
        headers = client.open(path, method=method, buffered=True, headers=HEADERS).headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"


def test_a_stranger_gets_the_page_and_nothing_else(app: Flask) -> None:
    client = GuardedClient(app)
    public = {
        "/",
        "/j",
        "/tv",
        "/overlay",
        "/assets/x.js",
        "/locales/en.json",
        "/favicon.ico",
        "/icon.svg",
        "/api/health",
        "/api/join",
        "/api/tv/join",
        "/api/overlay/join",
    }
    types = {"/api/photo": "image/jpeg", "/api/boxes/file": "application/octet-stream"}
    for method, path in routes(app):
        if path not in public:
            headers = {**HEADERS, "Content-Type": types.get(path, JSON)}
            answer = client.open(path, method=method, buffered=True, headers=headers)
            assert answer.status_code == 403, (method, path, answer.text)


def test_no_get_changes_anything(app: Flask, host: Phone) -> None:
    before = app_state_of(app).table.snapshot()
    for method, path in routes(app):
        if method == "GET":
            host.client.get(path, buffered=True)
    assert app_state_of(app).table.snapshot() == before


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(app: Flask) -> None:
    token = app_state_of(app).browsers.invitation.token
    answer = GuardedClient(app).post("/api/join", json={"token": token}, headers=HEADERS)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"monster_table_{app_state_of(app).settings.port}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_the_cookie_lasts_thirty_days_from_the_last_time_the_page_was_opened(
    app: Flask, host: Phone
) -> None:
    known = host.client.get_cookie(app_state_of(app).cookie).value
    cookie = host.get("/api/state").headers["Set-Cookie"]
    assert known in cookie
    assert f"Max-Age={30 * 24 * 3600}" in cookie


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("LOCALHOST:8080", True),
        ("127.0.0.1:8080", True),
        ("[::1]:8080", True),
        ("192.168.1.5:8080", True),
        ("192.168.1.6:8080", False),
        ("localhost.evil.example", False),
        ("table.test", True),
        ("table.test.", True),
        ("table.test:80:80", False),
        ("table.test/", False),
        ("", False),
        (":8080", False),
    ],
)
def test_which_hosts_are_ours(host: str, ours: bool) -> None:
    names = frozenset({"localhost", "table.test"})
    assert host_is_ours(host, names, "192.168.1.5") is ours


POSTS = (
    *("/api/join", "/api/seat", "/api/withdraw", "/api/claim", "/api/leave", "/api/host"),
    *("/api/sign-out", "/api/code", "/api/address", "/api/commands", "/api/preview"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "events", "seat", "faces", "command_id", "base_rev", "token"])
            | st.sampled_from(["by", "give", "open", "to", "who"])
            | st.text(max_size=5),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("path", POSTS)
def test_no_json_whatever_breaks_the_service_or_changes_the_table(
    app: Flask, host: Phone, path: str
) -> None:
    before = app_state_of(app).table.snapshot()

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(VALUES)
    def hold(value: object) -> None:
        assert host.client.post(path, json=value, headers=HEADERS).status_code < 500

    hold()
    assert app_state_of(app).table.snapshot() == before


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"[" * 60_000, b'{"seat":' + b"9" * 5000 + b"}", b"NaN", b"null"],
    ids=["empty", "torn", "bytes", "deep", "huge", "nan", "null"],
)
def test_malformed_json_is_400_and_says_where(app: Flask, host: Phone, body: bytes) -> None:
    for path in (*POSTS, "/api/read-again"):
        headers = {**HEADERS, "Content-Type": "application/json"}
        answer = host.client.post(path, data=body, headers=headers)
        assert answer.status_code == 400, (path, answer.text)
        assert json.loads(answer.data)["error"]["key"].startswith("error.form.")


def test_what_is_too_large_is_413(app: Flask, host: Phone) -> None:
    headers = {**HEADERS, "Content-Type": "image/jpeg"}
    picture = io.BytesIO(b"x" * (8 * 1024 * 1024 + 1))
    assert host.client.post("/api/photo", data=picture, headers=headers).status_code == 413


def test_an_unknown_path_is_404_in_the_same_form(app: Flask) -> None:
    answer = GuardedClient(app).get("/api/nothing", headers={"Origin": ORIGIN})
    assert answer.status_code == 404
    assert (answer.json or {})["error"]["key"] == "error.not_found"
