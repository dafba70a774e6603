"""Phones that look for the internet in a hotspot of the table's own, and nobody else."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companion.service.settings import Settings
from tests.service.served import Served, serving
from tests.waiting import WITHIN_S

PROBES = [
    ("connectivitycheck.gstatic.com", "/generate_204", 204, ""),
    ("www.google.com", "/gen_204", 204, ""),
    ("captive.apple.com", "/hotspot-detect.html", 200, "<TITLE>Success</TITLE>"),
    ("captive.apple.com", "/", 200, "<BODY>Success</BODY>"),
    ("www.msftconnecttest.com", "/connecttest.txt", 200, "Microsoft Connect Test"),
    ("www.msftncsi.com", "/ncsi.txt", 200, "Microsoft NCSI"),
    ("detectportal.firefox.com", "/success.txt?ipv4", 200, "success\n"),
    ("detectportal.firefox.com", "/canonical.html", 200, "captive-portal"),
    ("nmcheck.gnome.org", "/check_network_status.txt", 200, "NetworkManager is online"),
]


def ask(served: Served, host: str, path: str, method: str = "GET") -> tuple[int, str, str]:
    """Return status, body and cookie of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WITHIN_S)
    with closing(connection):
        connection.request(method, path, headers={"Host": host, "Accept": "text/html"})
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


def test_without_the_option_a_probe_is_a_foreign_request(served: Served) -> None:
    for host, path, *_ in PROBES:
        assert ask(served, host, path)[0] == 421


@pytest.mark.parametrize(
    ("host", "path", "method"),
    [
        ("www.google.com", "/", "GET"),
        ("www.apple.com", "/", "GET"),
        ("captive.apple.com", "/api/state", "GET"),
        ("captive.apple.com.example", "/hotspot-detect.html", "GET"),
        ("www.google.com", "/generate_204", "POST"),
        ("evil.example", "/generate_204", "GET"),
        ("", "/generate_204", "GET"),
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
