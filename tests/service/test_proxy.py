"""Behind Debian's nginx as it comes, with TLS and `Host` passed on, as docs/install.md promises."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest

from companion.service import wire
from tests.mqtt.broker import certificates, reachable
from tests.ports import free_port
from tests.service.phone import table_set
from tests.service.served import loopback, serving
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.broker
NAME = "table.test"
GZIPS = {"as it comes": "gzip on;", "of everything": "gzip on; gzip_types *; gzip_min_length 0;"}
CHANGES = 8
AT_ONCE_S = 0.1
CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    {temporary}
    {gzip}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        location / {{
            proxy_pass http://127.0.0.1:{behind};
            proxy_set_header Host $host;
        }}
    }}
}}
"""
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@contextmanager
def nginx(folder: Path, port: int, behind: int, gzip: str) -> Iterator[None]:
    """Run nginx on a loopback port, in front of the service at the port `behind`."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    assert program, "the tests need a proxy: make nginx"
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in TEMPORARY)
    settings = {"folder": folder, "port": port, "behind": behind, "gzip": gzip}
    path = folder / "nginx.conf"
    path.write_text(CONFIGURATION.format(temporary=temporary, **settings))
    with subprocess.Popen([program, "-p", folder, "-e", "stderr", "-c", path]) as process:
        try:
            reachable(port)
            yield
        finally:
            os.kill(process.pid, signal.SIGTERM)
            process.wait(WITHIN_S)


def send(
    folder: Path, port: int, path: str, cookie: str = "", body: object = None
) -> http.client.HTTPResponse:
    """Send one request to the proxy; the connection is closed with its answer."""
    trust = ssl.create_default_context(cafile=str(folder / "cert.pem"))
    trust.check_hostname = False  # nothing resolves the name
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=WITHIN_S, context=trust)
    headers = {
        "Host": f"{NAME}:{port}",
        "Origin": f"https://{NAME}:{port}",
        "Accept-Encoding": "gzip",
        "Connection": "close",
        "Cookie": cookie,
        "X-Monster-Table": "1",
        "Content-Type": "application/json",
    }
    if body is None:
        connection.request("GET", path, headers=headers)
    else:
        connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    return answer


def updates(answer: http.client.HTTPResponse) -> Iterator[wire.Update]:
    """Yield the updates of a stream as they come."""
    unzip = zlib.decompressobj(wbits=31) if answer.getheader("Content-Encoding") == "gzip" else None
    text = b""
    while piece := answer.read1(65_536):
        text += piece if unzip is None else unzip.decompress(piece)
        *whole, text = text.split(b"\n\n")
        for message in whole:
            lines = dict(line.split(b": ", 1) for line in message.splitlines() if b": " in line)
            if b"data" in lines and b"event" not in lines:
                yield msgspec.json.decode(lines[b"data"], type=wire.Update)


@pytest.mark.parametrize("gzip", GZIPS)
def test_the_first_view_and_each_change_pass_a_proxy_at_once(tmp_path: Path, gzip: str) -> None:
    certificates(tmp_path, NAME)
    port, took = free_port(), list[float]()
    settings = loopback(tmp_path / "data", advertise=f"https://{NAME}:{port}")
    with serving(settings) as served, nginx(tmp_path, port, served.port, GZIPS[gzip]):
        token = {"token": served.app_state.browsers.invitation.terminal}
        with closing(send(tmp_path, port, "/api/join", body=token)) as joined:
            cookie = (joined.getheader("Set-Cookie") or "").split(";")[0]
        with closing(send(tmp_path, port, "/api/stream", cookie)) as answer:
            stream = updates(answer)
            next(stream)
            for rev in range(CHANGES):
                body = {"command_id": f"tap-number-{rev}", "base_rev": rev}
                body["events"] = [table_set(f"Ana {rev}", "Ben")]
                began = time.monotonic()
                send(tmp_path, port, "/api/commands", cookie, body).close()
                next(one for one in stream if one.view.rev > rev)
                took.append(time.monotonic() - began)
    print(f"changes {', '.join(f'{one:.3f}' for one in took)} s")
    # The machine may be busy meanwhile; a proxy that holds something back does so each time.
    assert min(took) < AT_ONCE_S
