"""A browser that came by an unknown host name gets a page with one link, to the right address."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from html.parser import HTMLParser

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from companion.service.http.unknown_host import page_of_unknown_host
from tests.service.phone import GuardedClient, Start, app_state_of
from tests.service.test_guard import BROWSER

REACHED = "192.168.1.20"


def opened(
    app: Flask, host: str, path: str = "/j", method: str = "GET", **headers: str
) -> TestResponse:
    """What a browser gets that opens the address at `host` and has come in at `REACHED`."""
    return GuardedClient(app).open(
        path,
        method=method,
        headers={**BROWSER, "Host": host, **headers},
        environ_overrides={"SERVER_NAME": REACHED},
    )


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


def test_what_is_advertised_is_what_it_leads_to(start: Start) -> None:
    advertised = start(advertise="https://table.example")
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


@pytest.fixture
def hotspot(start: Start) -> Flask:
    return start(hotspot=True)


def test_every_probe_gets_the_answer_of_a_good_network(hotspot: Flask) -> None:
    for host, path, status, text in PROBES:
        for written in (host, host.upper(), f"{host}:80", f"{host}."):
            answer = opened(hotspot, written, path)
            assert (answer.status_code, "Set-Cookie" in answer.headers) == (status, False), written
            assert text in answer.text
            assert status == 200 or answer.text == ""


def test_the_root_is_a_probe_unless_a_person_opens_it(hotspot: Flask) -> None:
    """NetworkManager asks for it at `connectivity-check.ubuntu.com`, with curl."""
    probe = opened(hotspot, "connectivity-check.ubuntu.com.", "/", Accept="*/*")
    assert (probe.status_code, probe.text) == (200, "NetworkManager is online\n")
    person = opened(hotspot, "connectivity-check.ubuntu.com", "/")
    assert (person.status_code, Page(person.text).links) == (421, [f"http://{REACHED}:8080"])


def test_without_the_option_a_probe_is_a_foreign_request(app: Flask) -> None:
    for host, path, *_ in PROBES:
        assert opened(app, host, path).status_code == 421


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
    hotspot: Flask, host: str, path: str, method: str
) -> None:
    answer = opened(hotspot, host, path, method)
    assert answer.status_code == 421
    if method == "GET" and not path.startswith("/api/"):
        assert Page(answer.text).links == [f"http://{REACHED}:8080"]


def test_the_table_itself_is_served_as_ever(hotspot: Flask) -> None:
    assert opened(hotspot, f"{REACHED}:8080", "/").status_code == 200
    assert opened(hotspot, f"{REACHED}:8080", "/generate_204").status_code == 404


def test_only_the_head_is_sent_where_only_that_is_asked_for(hotspot: Flask) -> None:
    answer = opened(hotspot, "captive.apple.com", "/hotspot-detect.html", "HEAD")
    assert (answer.status_code, answer.text) == (200, "")
