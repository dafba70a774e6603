"""A browser that came by an unknown host name gets a page with one link, to the right address."""

from __future__ import annotations

import base64
import hashlib
import html
import http.client
import re
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from companion.service.app import create_app
from companion.service.http.unknown_host import page_of_unknown_host
from companion.service.settings import Settings
from tests.service.phone import HEADERS, GuardedClient, app_state_of
from tests.service.served import Served, serving
from tests.service.test_guard import routes
from tests.waiting import WITHIN_S

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
REACHED = "192.168.1.20"


def opened(app: Flask, host: str, path: str = "/j", **headers: str) -> TestResponse:
    """What a browser gets that opens the address at `host` and has come in at `REACHED`."""
    answer: TestResponse = GuardedClient(app).get(
        path,
        headers={**BROWSER, "Host": host, **headers},
        environ_overrides={"SERVER_NAME": REACHED},
    )
    return answer


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


@pytest.fixture
def advertised(tmp_path: Path) -> Iterator[Flask]:
    app = create_app(Settings(data=tmp_path, advertise="https://table.example"))
    yield app
    app_state_of(app).close()


@pytest.mark.parametrize("host", ["raspberrypi.fritz.box:8080", "evil.example", "x.local", ""])
def test_a_name_that_is_not_ours_leads_to_the_address_it_reached(app: Flask, host: str) -> None:
    answer = opened(app, host)
    assert answer.status_code == 421
    assert answer.mimetype == "text/html"
    assert Page(answer.text).links == [f"http://{REACHED}:8080"]


def test_a_number_that_is_not_ours_was_translated_and_leads_nowhere(app: Flask) -> None:
    for host in ("192.168.9.9:8080", "[fd00::9]"):
        answer = opened(app, host)
        assert answer.status_code == 421
        assert Page(answer.text).links == []
        assert "--advertise" in answer.text


def test_what_is_advertised_is_what_it_leads_to(advertised: Flask) -> None:
    for host in ("evil.example", "192.168.9.9:8080"):
        assert Page(opened(advertised, host).text).links == ["https://table.example"]


def test_a_foreign_host_learns_nothing_that_it_does_not_know(app: Flask) -> None:
    app_state = app_state_of(app)
    invitation = app_state.browsers.invitation
    for path in ("/", "/j", "/nothing", "/j?token=x", "/locales/en.json"):
        answer = opened(app, "evil.example", path, Cookie=f"{app_state.cookie}=x")
        text = answer.text + str(answer.headers)
        for secret in (invitation.terminal, invitation.token, invitation.code, "evil.example"):
            assert secret not in text
        others = {str(url) for url in app_state.addresses.urls} - {f"http://{REACHED}:8080"}
        assert not [url for url in others if url in text]
        assert "Set-Cookie" not in answer.headers
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"


def test_whatever_is_no_browser_opening_a_page_gets_the_usual_refusal(app: Flask) -> None:
    client = GuardedClient(app)
    for method, path in routes(app):
        for accept in ("*/*", "application/json", ""):
            headers = {**HEADERS, "Host": "evil.example", "Accept": accept}
            answer = client.open(path, method=method, buffered=True, headers=headers)
            assert answer.mimetype == "application/json", (method, path)
        if method != "GET" or path.startswith("/api/"):
            headers = {**HEADERS, "Host": "evil.example", **BROWSER}
            answer = client.open(path, method=method, buffered=True, headers=headers)
            assert answer.mimetype == "application/json", (method, path)
            assert answer.status_code == 421


def test_the_page_runs_nothing_and_its_style_is_the_one_that_is_allowed(app: Flask) -> None:
    answer = opened(app, "evil.example")
    page = Page(answer.text)
    assert set(page.tags) <= {
        *("html", "head", "meta", "title", "style", "body", "p", "h1", "a", "small", "br")
    }
    assert page.attributes <= {"lang", "charset", "name", "content", "href"}
    style = re.findall(r"<style>(.*?)</style>", answer.text)
    assert len(style) == 1
    digest = base64.b64encode(hashlib.sha256(style[0].encode()).digest()).decode()
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert policy[:2] == ["default-src 'none'", f"style-src 'sha256-{digest}'"]
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("is,en;q=0.5", "is"),
        ("fr-CA, en;q=0.3", "fr"),
        ("es-419", "es"),
        ("de, es;q=0.2", "es"),
        ("de", "en"),
        ("", "en"),
        ("\x7f;;q=nan,,", "en"),
        ("x," * 5000, "en"),
    ],
)
def test_the_page_speaks_the_browsers_language(app: Flask, asked: str, language: str) -> None:
    answer = opened(app, "evil.example", **{"Accept-Language": asked})
    assert answer.status_code == 421
    assert f'<html lang="{language}">' in answer.text
    heads = {
        "en": "The table has another address",
        "es": "La mesa tiene otra dirección",
        "fr": "La table a une autre adresse",
        "is": "Borðið er á öðru vistfangi",
    }
    assert heads[language] in html.unescape(answer.text)
    assert "unknown_host" not in answer.text
    assert "{" not in re.sub(r"<style>.*</style>", "", answer.text)


def test_what_an_address_holds_is_never_markup() -> None:
    assert b"<b>" not in page_of_unknown_host("", 'http://x"><b>').body


PROBES = [
    ("connectivitycheck.gstatic.com", "/generate_204", 204, ""),
    ("www.google.com", "/gen_204", 204, ""),
    ("connect.rom.miui.com", "/generate_204", 204, ""),
    ("a-maker-of-next-year.example", "/wifi/generate_204?x=1", 204, ""),
    ("captive.apple.com", "/hotspot-detect.html", 200, "<TITLE>Success</TITLE>"),
    ("www.apple.com", "/library/test/success.html", 200, "<BODY>Success</BODY>"),
    ("www.msftconnecttest.com", "/connecttest.txt", 200, "Microsoft Connect Test"),
    ("www.msftncsi.com", "/ncsi.txt", 200, "Microsoft NCSI"),
    ("detectportal.firefox.com", "/success.txt?ipv4", 200, "success\n"),
    ("detectportal.firefox.com", "/canonical.html", 200, "captive-portal"),
    ("nmcheck.gnome.org", "/check_network_status.txt", 200, "NetworkManager is online"),
    ("network-test.debian.org", "/nm", 200, "NetworkManager is online"),
    ("ping.archlinux.org", "/nm-check.txt", 200, "NetworkManager is online"),
    ("fedoraproject.org", "/static/hotspot.txt", 200, "OK"),
]
"""Paths that makers of phones and systems probe, at hosts of theirs; no list has all of those."""


def ask(
    served: Served, host: str, path: str, method: str = "GET", accept: str = "text/html"
) -> tuple[int, str, str]:
    """Return status, body and cookie of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WITHIN_S)
    with closing(connection):
        connection.request(method, path, headers={"Host": host, "Accept": accept})
        answer = connection.getresponse()
        body = answer.read().decode()
        return answer.status, body, answer.getheader("Set-Cookie") or ""


@pytest.fixture
def hotspot(tmp_path: Path) -> Iterator[Served]:
    with serving(Settings(data=tmp_path, host="127.0.0.1", port=0, hotspot=True)) as served:
        yield served


def test_every_probe_gets_the_answer_of_a_good_network(hotspot: Served) -> None:
    for host, path, status, text in PROBES:
        for written in (host, host.upper(), f"{host}:80", f"{host}."):
            found = ask(hotspot, written, path)
            assert (found[0], found[2]) == (status, ""), written
            assert text in found[1]
            assert status == 200 or found[1] == ""


def test_the_root_is_a_probe_unless_a_person_opens_it(hotspot: Served) -> None:
    """NetworkManager asks for it at `connectivity-check.ubuntu.com`, with curl."""
    status, body, _ = ask(hotspot, "connectivity-check.ubuntu.com.", "/", accept="*/*")
    assert (status, body) == (200, "NetworkManager is online\n")
    status, body, _ = ask(hotspot, "connectivity-check.ubuntu.com", "/")
    assert status == 421
    assert f"http://127.0.0.1:{hotspot.port}" in body


def test_without_the_option_a_probe_is_a_foreign_request(served: Served) -> None:
    for host, path, *_ in PROBES:
        assert ask(served, host, path)[0] == 421


@pytest.mark.parametrize(
    ("host", "path", "method"),
    [
        ("www.google.com", "/", "GET"),
        ("www.google.com", "/generate_204/", "GET"),
        ("www.google.com", "/search", "GET"),
        ("captive.apple.com", "/api/state", "GET"),
        ("evil.example", "/api/generate_204", "GET"),
        ("www.google.com", "/generate_204", "POST"),
    ],
)
def test_all_else_of_a_foreign_host_is_refused_as_ever(
    hotspot: Served, host: str, path: str, method: str
) -> None:
    status, body, _ = ask(hotspot, host, path, method)
    assert status == 421
    if method == "GET" and not path.startswith("/api/"):
        assert f"http://127.0.0.1:{hotspot.port}" in body  # the page that leads to the table


def test_the_table_itself_is_served_as_ever(hotspot: Served) -> None:
    assert ask(hotspot, f"127.0.0.1:{hotspot.port}", "/")[0] == 200
    assert ask(hotspot, f"127.0.0.1:{hotspot.port}", "/generate_204")[0] == 404


def test_only_the_head_is_sent_where_only_that_is_asked_for(hotspot: Served) -> None:
    assert ask(hotspot, "captive.apple.com", "/hotspot-detect.html", "HEAD")[:2] == (200, "")
