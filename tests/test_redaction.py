"""No log holds what lets somebody in: by pattern, and in the log of a real service."""

from __future__ import annotations

import http.client
import json
import logging
import os
import re
import secrets
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from companion.redaction import LEFT_OUT, RedactingFormatter, redacted, shown_source
from companion.service.machine.invitation_file import read_invitation
from companion.service.machine.logs import is_journal
from companion.service.machine.settings_file import StoredSettings
from companion.service.people.gate import new_code
from companion.service.settings import Wifi
from tests.service.machine.supervised import Supervised, supervised
from tests.waiting import WITHIN_S

HOLDERS = [
    "GET /j#{} HTTP/1.1",
    "http://192.168.1.20:8080/tv#{}",
    "GET /api/state?token={}&more=1",
    "Cookie: monster_table_8080={}; other=1",
    "(b'cookie', b'monster_table_8080_viewer={}')",
    '{{"token": "{}", "code": null}}',
    "{{'secret': '{}'}}",
    "password={}",
    "Authorization: Bearer {}",
    "Authorization: Bearer.{}",
    "ValueError: {}",
    "nothing but {} by itself",
]


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_token_is_left_out_wherever_it_is(holder: str) -> None:
    for _ in range(2000):
        token = secrets.token_urlsafe(16)
        text = redacted(holder.format(token))
        assert token not in text
        assert LEFT_OUT in text


@pytest.mark.parametrize(
    "holder", ['{{"code": "{}"}}', "code={}", "with the code {} (each", "'code': '{}'"]
)
def test_a_code_is_left_out_where_it_is_called_one(holder: str) -> None:
    for length in (6, 12):
        for _ in range(200):
            code = new_code(length)
            assert code not in redacted(holder.format(code))


PASSWORDS = [
    "pa55w0rd",
    "correct horse, battery; staple",
    "pa@ss:w0rd@x",
    "p'a\"s\\s",
    "hush=hush&more",
    "x" * 700,
    "Zürich#1",
]
CALLED = [
    *(
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "wifi_pw",
        "psk",
        "passphrase",
        "wifi_password",
        "wifi-sec.psk",
    ),
    *("access_token", "accessToken", "x-auth-token", "X-API-Key", "api_key", "client_secret"),
    *("loginpas", "wpa_passphrase", "sae_password", "wep_key0", "plain_text_passwd", "Set-Cookie"),
    *("Authorization", "Proxy-Authorization", "HTTP_AUTHORIZATION", "credentials", "PASSWORD"),
]
LINES = ["{}={}", "{}: {}", "{} = {}", "failed with {}={}", "wifi: {{{}: {}}}"]


@pytest.mark.parametrize("called", CALLED)
def test_what_is_called_a_secret_is_left_out_whole(called: str) -> None:
    for password in PASSWORDS:
        texts = [line.format(called, password) for line in LINES]
        texts += [json.dumps({called: password}), json.dumps(json.dumps({called: password}))]
        texts += [repr({called: password}), repr((called, password)), f"{called}={password!r}"]
        texts += [
            repr((called.encode(), password.encode())),
            json.dumps({"x": f"{called}={password}"}),
        ]
        for text in texts:
            assert_left_out(text, password)


def assert_left_out(text: str, password: str) -> None:
    """Nothing of the password stays in the text, however it is written there."""
    left = redacted(f"begin {text}\nnext line")
    parts = {password, *re.findall(r"\w{4,}", password)}
    assert [part for part in parts if part in left] == [], left
    assert LEFT_OUT in left
    assert left.startswith("begin ")
    assert left.endswith("\nnext line")
    assert redacted(left) == left


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Basic YWRtaW46c2VjcmV0Nzc=",
        "Proxy-Authorization: Digest username=YWRtaW46c2VjcmV0Nzc, response=c2VjcmV0Nzc",
        "sent Basic YWRtaW46c2VjcmV0Nzc= to it",
        "sent Bearer eyJhbGciOi.YWRtaW46c2VjcmV0Nzc to it",
        "(b'authorization', b'Basic YWRtaW46c2VjcmV0Nzc=')",
        "b'GET / HTTP/1.1\\r\\nAuthorization: Basic YWRtaW46c2VjcmV0Nzc=\\r\\nHost: x'",
        "Cookie: session=YWRtaW46c2VjcmV0Nzc; theme=night",
        "passwd: $6$salt$YWRtaW46c2VjcmV0Nzc/x.",
        "pi:$y$j9T$salt$YWRtaW46c2VjcmV0Nzc:19000:0",
        "companion x --password YWRtaW46c2VjcmV0Nzc --port 1",
        "companion x --wifi-password 'YWRtaW46c2VjcmV0Nzc horse' --port 1",
        "WIFI:T:WPA;S:Den;P:YWRtaW46c2VjcmV0Nzc\\;horse;;",
        repr(Wifi("Den", "YWRtaW46c2VjcmV0Nzc")),
        repr(StoredSettings(wifi=Wifi("Den", "YWRtaW46c2VjcmV0Nzc horse"))),
        "http://cam/videostream.cgi?user=admin&key=YWRtaW46c2VjcmV0Nzc",
        "opening 'rtsp://cam:554/user=admin_password=YWRtaW46c2VjcmV0Nzc_channel=1.sdp'",
        "GET /proxy?url=rtsp%3A%2F%2Fann%3AYWRtaW46c2VjcmV0Nzc%40cam%2F1 HTTP/1.1",
        "GET /x?a=1&loginpas=YWRtaW46c2VjcmV0Nzc&b=2 HTTP/1.1",
    ],
)
def test_forms_that_have_a_secret(text: str) -> None:
    left = redacted(text)
    assert LEFT_OUT in left
    for part in ("YWRtaW46", "c2VjcmV0Nzc", "horse"):
        assert part not in left


@pytest.mark.parametrize(
    "password", ["pa55w0rd", "pa@55w0rd@x", "pa/55w0rd", "pa55 w0rd!", "p'a?5", "p#a5"]
)
@pytest.mark.parametrize(
    "address", ["http://ann:{}@cam/x", "mqtts://ann:{}@cam:8883", "RTSP://ann:{}@y failed"]
)
def test_user_and_password_of_an_address_are_left_out(address: str, password: str) -> None:
    left = redacted(f"opening {address.format(password)}, then more")
    assert left.startswith("opening ")
    assert "more" in left
    for part in ("ann", password, *re.findall(r"[\w']{3,}", password)):
        assert part not in left.removeprefix("opening ")
    assert LEFT_OUT in redacted(json.dumps({"camera": address.format(password)}))


@pytest.mark.parametrize(
    "password", ["pa55w0rd", "pa@55w0rd@x", "pa/55w0rd", "pa:55w0rd&x", "p'a5"]
)
@pytest.mark.parametrize(
    "address",
    ["ann:{}@cam/x", "http:/ann:{}@cam/x", "http:ann:{}@cam", "//ann:{}@cam", "ht!tp://ann:{}@cam"],
)
@pytest.mark.parametrize(
    "holder",
    [
        "opening {}, then more",
        "camera={} more",
        "('{}', 'more')",
        "WARNING:a.b:{} more",
        '"{}" more',
    ],
)
def test_user_and_password_of_a_broken_address_are_left_out(
    holder: str, address: str, password: str
) -> None:
    left = redacted(holder.format(address.format(password)))
    assert f"{LEFT_OUT}@cam" in left
    assert left.startswith(holder.partition("{")[0])
    assert "more" in left
    for part in ("ann", password, *re.findall(r"[\w']{3,}", password)):
        assert part not in left
    assert redacted(left) == left


@pytest.mark.parametrize(
    "text", ["a:", "a@", "(a:", "a:a@", "a" * 63 + ":", "/a:b", "pw", "INFO:a:"]
)
def test_a_long_text_is_looked_through_once(text: str) -> None:
    """Each sign is looked at a bounded number of times: in the square of these it takes an hour."""
    long = text * (200_000 // len(text))
    assert redacted(f"begin {long} ann:pa55w0rd@cam").endswith(f"{LEFT_OUT}@cam")


def test_a_query_goes_on_behind_a_secret() -> None:
    left = redacted("GET /api/state?token=abc&more=1 HTTP/1.1")
    assert left == f"GET /api/state?token={LEFT_OUT}&more=1 HTTP/1.1"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("http://ann:pw@cam/x", "http://cam/x"),
        ("http://ann:p@w/x?y@cam:80/x?pwd=z", "http://cam:80/x"),
        ("rtsp://cam/user=admin_password=pw_channel=1", "rtsp://cam/user"),
        ("http://cam/x?mail=a@b&pwd=pw", "http://b"),
        ("rtsps:/ann:pw@cam", "rtsps:/cam"),
        ("ann:pw@cam/x", "cam/x"),
        ("cam/x?pwd=pw", "cam/x"),
        ("http://[fe80::1]:80/x", "http://[fe80::1]:80/x"),
        ("/films/a@b?.mp4", "/films/a@b?.mp4"),
        ("my film=1.mp4", "my film=1.mp4"),
        ("csi:1", "csi:1"),
        ("none", "none"),
    ],
)
def test_a_source_is_shown_without_user_password_and_query(source: str, shown: str) -> None:
    assert shown_source(source) == shown


@pytest.mark.parametrize(
    "text",
    [
        "http://ann:pa55w0rd@192.168.1.20/stream",
        "rtsp://ann:pa55w0rd@camera.local:554/h264",
        "opening HTTP://x:pa55w0rd@y failed",
    ],
)
def test_a_password_in_an_address_is_left_out(text: str) -> None:
    assert "pa55w0rd" not in redacted(text)
    assert text[-3:] in redacted(text)


@pytest.mark.parametrize(
    "text",
    [
        "Serving at http://192.168.1.20:8080",
        "exit code: 200 after 3 s, code 404",
        "digest 0123456789abcdef0123456789abcdef of row 17",
        "a_name_of_twenty_two_l in companion/service/http/asgi.py, line 12",
        "INFO: 127.0.0.1 - GET /api/state HTTP/1.1 200",
        "/dev/v4l/by-id/usb-046d_HD_Pro_Webcam-video-index0 gives 640x480, not 1280x720",
        "ann@example",
        "INFO:companion.service:ann@example said: b@c",
        "to: ann@example, at 12:30, by git@example:path and monster-table@1.service: done",
        '{"to":"ann@example","at":"12:30"}',
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text


def test_a_traceback_is_redacted_too() -> None:
    token = secrets.token_urlsafe(16)
    try:
        raise ValueError(token)
    except ValueError as failure:
        record = logging.LogRecord(
            "any", logging.ERROR, "here", 1, "failed: %s", (token,), (ValueError, failure, None)
        )
    text = RedactingFormatter().format(record)
    assert "ValueError" in text
    assert token not in text


BREAKS = """
import logging, warnings
from companion.service.people.browsers import Browsers
first = Browsers.you
def you(browsers, secret):
    if secret and secret.startswith("break"):
        logging.getLogger("uvicorn.access").error("seen: %r", {"cookie": secret[5:]})
        logging.getLogger("somebody.else").error("seen: %s", secret[5:])
        raise RuntimeError(f"failed for {secret[5:]}")
    return first(browsers, secret)
Browsers.you = you
"""
"""A service that fails for one cookie, with its secret in the message."""


class Client:
    """Sends requests with secrets in every place, and remembers the secrets."""

    def __init__(self, service: Supervised) -> None:
        self.port, self.secrets = service.port, list[str]()

    def ask(self, method: str, path: str, headers: dict[str, str], body: Any = None) -> str:
        """Send one request; return the cookie that the answer sets."""
        origin = f"http://127.0.0.1:{self.port}"
        sent = {"X-Monster-Table": "1", "Origin": origin, **headers}
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        with closing(connection):
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            answer.read()
            return (answer.getheader("Set-Cookie") or "").partition(";")[0]

    def fresh(self) -> str:
        """Return a new secret, as long as the service's."""
        self.secrets.append(secrets.token_urlsafe(16))
        return self.secrets[-1]


def ask_everywhere(client: Client, joining: dict[str, Any]) -> None:
    """Join with the real token, and send real and invented ones in every place of a request."""
    token = joining["join"].partition("#")[2]
    client.secrets += [token, joining["code"]]
    cookie = client.ask("POST", "/api/join", {}, {"token": token})
    client.secrets.append(cookie.partition("=")[2])
    assert client.secrets[-1]
    client.ask("GET", "/api/state", {"Cookie": cookie})
    client.ask("GET", f"/api/state?token={token}&secret={client.fresh()}", {"Cookie": cookie})
    client.ask("GET", f"/j%23{client.fresh()}", {})
    client.ask("GET", f"/assets/{client.fresh()}", {})
    client.ask("POST", "/api/join", {}, {"token": client.fresh()})
    client.ask("POST", "/api/join", {}, {"code": joining["code"], "token": client.fresh()})
    client.ask("POST", "/api/join", {"Host": f"{client.fresh()}.example"}, {"token": token})
    client.ask("POST", "/api/join", {"Origin": f"http://x/{client.fresh()}"}, {"token": token})
    client.ask("POST", "/api/join", {"Authorization": f"Bearer {client.fresh()}"}, {"a": 1})
    client.ask("POST", "/api/tv/join", {}, {"token": client.fresh()})
    name = cookie.partition("=")[0]
    client.ask("GET", "/api/state", {"Cookie": f"{name}=break{client.fresh()}"})
    with socket.create_connection(("127.0.0.1", client.port), timeout=WITHIN_S) as raw:
        raw.sendall(f"GET /{client.fresh()} HTTP/1.1\r\nBad {client.fresh()}\r\n\r\n".encode())
        while raw.recv(4096):
            continue


@pytest.fixture(params=["plain", "verbose"])
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, list[str], str]]:
    """What a service logged, the secrets that it was sent, and how verbose it was."""
    options = ("--verbose",) if request.param == "verbose" else ()
    with supervised(tmp_path / "data", f"{tmp_path}/n", *options, before=BREAKS) as service:
        client = Client(service)
        ask_everywhere(client, service.info)
        yield service.end(signal.SIGTERM), client.secrets, request.param


def test_the_log_of_a_real_service_holds_no_secret(asked: tuple[str, list[str], str]) -> None:
    shown, sent, how = asked
    token, code = sent[:2]
    logged = [
        line for line in shown.splitlines() if token not in line or not line.startswith("Join: ")
    ]
    assert len(shown.splitlines()) - len(logged) == 1  # what the terminal shows, and no log
    text = "\n".join(logged)
    leaks = [line for line in logged if any(one in line for one in sent)]
    assert leaks == []
    assert code not in text
    assert "RuntimeError: failed for" in text
    assert f"seen: {LEFT_OUT}" in text
    assert ("GET /api/state" in text) == (how == "verbose")


JOURNAL = """
import os
found = os.fstat(2)
os.environ["JOURNAL_STREAM"] = f"{found.st_dev}:{found.st_ino}"
"""
"""A service whose standard error is kept by systemd."""


def test_a_journal_gets_no_token_and_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    with supervised(tmp_path / "data", f"{tmp_path}/n", before=JOURNAL) as service:
        file = tmp_path / "data" / "invitation"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        joining = read_invitation(tmp_path / "data")
        assert joining is not None
        assert (joining.links, joining.code) == ((service.info["join"],), service.info["code"])
        shown = service.end(signal.SIGTERM)
    assert "companion setup shows it" in shown
    assert service.info["url"] in shown
    assert redacted(shown) == shown
    assert service.info["code"] not in shown
    assert "█" not in shown
    assert not file.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b'{"links": [], "code": ""}', bytes(5000),
        b'{"links": ["\xff"], "code": ""}', b'{"links": ["a"], "code": "", "x": ' + b"[" * 4000,
    ],
)  # fmt: skip
def test_a_file_that_is_no_invitation_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "invitation").write_bytes(content)
    assert read_invitation(tmp_path) is None


def test_only_the_stream_that_systemd_names_is_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "journal").open("w+") as journal, (tmp_path / "other").open("w") as other:
        assert not is_journal(journal)
        found = os.fstat(journal.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        assert is_journal(journal)
        assert not is_journal(other)
        assert not is_journal(None)
