"""The address on the QR code works, with the service on one machine and a phone on another.

The machines are network namespaces with cables between them where the kernel lets the tests have
some, else loopback addresses of this machine. `WAY` says which, and is part of every test's name.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import signal
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from ipaddress import ip_interface
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import pytest
from flask import Flask

from companion.cli.serve import announce
from companion.service.app import ROUTES
from companion.service.http.guard import Guard
from companion.service.http.server import Connections
from companion.service.machine.addresses import MOST, InterfaceAddress, PhoneAddresses, for_phones
from companion.service.settings import Limits, Settings
from tests.service.networks import Namespace, allowed, namespaces
from tests.service.phone import HEADERS, app_state_of
from tests.service.served import Browser, Served, Stream, serving
from tests.waiting import WITHIN_S

P = ParamSpec("P")
T = TypeVar("T")
WAY = "namespaces" if allowed() else "loopback"
COMMAND = [sys.executable, "-c", "from companion.cli import main; main()", "serve"]


@dataclass
class Answer:
    """An answer to a phone."""

    status: int
    kind: str
    text: str


@dataclass
class Ground:
    """The service's machine and a phone; on loopback both are this one."""

    folder: Path
    pi: Namespace | None
    phone: Namespace | None
    found: list[InterfaceAddress] = field(default_factory=list)
    open: ExitStack = field(default_factory=ExitStack)
    served: Served = field(init=False)

    def join(self, interface: str, pi: str, phone: str | None = None) -> None:
        """The Pi has this address on an interface; a phone has the other at the cable's end."""
        number = ip_interface(pi)
        self.found.append(InterfaceAddress(number.ip, number.network.prefixlen, interface))
        if self.pi is None or self.phone is None:
            return
        nodad = " nodad" if number.version == 6 else ""
        cable = f"net{len(self.found)}"
        self.pi.link(interface, self.phone, cable)
        self.pi.ip(f"addr add {pi} dev {interface}{nodad}")
        if phone is not None:
            self.phone.ip(f"addr add {phone} dev {cable}{nodad}")

    def route(self, line: str) -> None:
        """A route of the Pi."""
        if self.pi is not None:
            self.pi.ip(f"route add {line}")

    def serve(self, host: str = "0.0.0.0", lone: str = "127.0.0.2", **settings: Any) -> Served:
        """The service, listening at `host`, on loopback at `lone`; every address is in the tests'
        own networks."""
        where = host if self.pi is not None else lone
        made = Settings(data=self.folder, host=where, port=0, **settings)
        enter = self.open.enter_context
        service = serving(made)
        self.served = enter(service) if self.pi is None else self.pi.run(enter, service)
        return self.served

    @property
    def hosts(self) -> list[str]:
        """Return the hosts of all addresses for phones; on loopback, those for such interfaces."""
        if self.pi is None:
            return [str(number) for number in for_phones(self.found)]
        return [urlsplit(url).hostname or "" for url in self.served.app_state.addresses.urls]

    def ask(self, url: str, path: str = "/j", **headers: str) -> Answer:
        """Send a GET request from the phone's machine."""
        if self.phone is not None:
            return self.phone.run(_get, url, path, headers)
        return _get(url, path, headers)

    def on_the_pi(self, what: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Call the function on the service's machine, and return its result."""
        return self.pi.run(what, *args, **named) if self.pi is not None else what(*args, **named)

    def scan(self) -> Answer:
        """Open the URL of the QR code from the phone."""
        return self.ask(self.served.app_state.base_url)


def _get(url: str, path: str, headers: dict[str, str]) -> Answer:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(
        place.hostname or "", place.port or 80, timeout=WITHIN_S
    )
    with closing(connection):
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return Answer(answer.status, answer.getheader("Content-Type", ""), answer.read().decode())


@contextmanager
def grounds(folder: Path) -> Iterator[Ground]:
    with ExitStack() as stack:
        pi, phone = stack.enter_context(namespaces(2)) if WAY == "namespaces" else (None, None)
        ground = Ground(folder, pi, phone)
        try:
            yield ground
        finally:
            ground.open.close()


@pytest.fixture(params=[WAY])
def ground(tmp_path: Path) -> Iterator[Ground]:
    with grounds(tmp_path) as ground:
        yield ground


def test_a_hotspot_of_its_own_needs_no_default_route(ground: Ground) -> None:
    ground.join("wlan0", "192.168.4.1/24", "192.168.4.7/24")
    ground.serve()
    assert ground.hosts == ["192.168.4.1"]
    assert ground.scan().status == 200


def test_a_route_of_a_vpn_takes_nothing_away(ground: Ground) -> None:
    ground.join("tun0", "10.8.0.6/24")
    ground.join("wlan0", "192.168.1.20/24", "192.168.1.7/24")
    ground.route("10.0.0.0/8 via 10.8.0.1")
    ground.route("default via 10.8.0.1")
    ground.serve()
    assert ground.hosts == ["192.168.1.20", "10.8.0.6"]
    assert ground.scan().status == 200


def test_the_networks_of_containers_come_last(ground: Ground) -> None:
    ground.join("docker0", "172.17.0.1/16")
    ground.join("br-0f3a", "10.0.0.1/24")
    ground.join("eth0", "10.0.1.20/24", "10.0.1.7/24")
    ground.serve()
    assert ground.hosts == ["10.0.1.20", "172.17.0.1", "10.0.0.1"]
    assert ground.scan().status == 200


def test_one_address_of_ipv6_is_announced_in_brackets(ground: Ground) -> None:
    ground.join("eth0", "fd00:4::1/64", "fd00:4::7/64")
    served = ground.serve(host="fd00:4::1", lone="::1")
    host = "fd00:4::1" if WAY == "namespaces" else "::1"
    assert served.app_state.base_url == f"http://[{host}]:{served.port}"
    assert ground.scan().status == 200


def test_loopback_of_ipv6_is_announced_in_brackets(tmp_path: Path) -> None:
    with serving(Settings(data=tmp_path, host="::1", port=0)) as served:
        assert served.app_state.base_url == f"http://[::1]:{served.port}"
        assert _get(served.app_state.base_url, "/j", {}).status == 200


def test_two_forms_of_ip_at_once(ground: Ground) -> None:
    ground.join("eth0", "192.168.1.20/24", "192.168.1.7/24")
    ground.join("eth1", "fd00:4::1/64", "fd00:4::7/64")
    ground.serve(host="::", lone="::ffff:127.0.0.1")
    assert ground.hosts == ["192.168.1.20", "fd00:4::1"]
    for url in ground.served.app_state.addresses.urls:
        assert ground.ask(url).status == 200, url


def test_on_a_socket_for_both_a_number_that_is_not_ours_is_refused(ground: Ground) -> None:
    ground.join("eth0", "192.168.1.20/24", "192.168.1.7/24")
    served = ground.serve(host="::", lone="::ffff:127.0.0.1")
    for host in ("192.168.1.21", "[::ffff:192.168.1.21]", "[fd00:4::1]", "evil.example"):
        assert ground.ask(served.app_state.base_url, Host=host).status == 421, host


def test_an_ipv4_phone_counts_as_one_by_whatever_socket_it_comes(app: Flask) -> None:
    app_state = app_state_of(app)
    limits = app_state.settings.limits
    guard, tries = Guard(app, ROUTES, app_state, Connections(limits)), limits.wrong_codes_per_minute
    peers = ["::ffff:10.0.0.5", "10.0.0.5"] * tries
    statuses = [asyncio.run(_joins_wrongly(guard, peer)) for peer in peers]
    guard.close()
    assert statuses == [403] * tries + [429] * tries


async def _joins_wrongly(guard: Guard, peer: str) -> int:
    """The status with which a wrong code from this peer is refused."""
    body = json.dumps({"code": "WRONG2"}).encode()
    headers = {**HEADERS, "Host": "localhost", "Content-Type": "application/json"}
    headers["Content-Length"] = str(len(body))
    asked = {
        **{"type": "http", "http_version": "1.1", "method": "POST", "scheme": "http"},
        **{"path": "/api/join", "raw_path": b"/api/join", "query_string": b"", "root_path": ""},
        **{"client": (peer, 50000), "server": ("::ffff:127.0.0.1", 8080)},
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    answered: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        answered.append(message)

    await guard(asked, receive, send)
    return int(answered[0]["status"])


def test_a_network_without_ipv4(ground: Ground) -> None:
    ground.join("eth0", "2a02:4::1/64")
    ground.join("wlan0", "fd00:4::1/64", "fd00:4::7/64")
    served = ground.serve(host="::", lone="::1")
    assert ground.hosts == ["fd00:4::1", "2a02:4::1"]
    assert not served.app_state.addresses.is_out_of_reach
    assert ground.scan().status == 200


def test_what_nobody_listens_at_is_not_announced_and_no_list_is_endless(ground: Ground) -> None:
    ground.join("eth0", "fd00:4::1/64")
    served = ground.serve()
    assert served.app_state.addresses.is_out_of_reach is (WAY == "namespaces")
    if ground.pi is None:
        assert len(served.app_state.addresses.urls) == 1
        return
    ground.pi.ip(*(f"addr add 10.0.{n}.1/24 dev eth0" for n in range(2 * MOST)))
    ground.pi.run(served.app_state.addresses.refresh)
    assert ground.hosts == [f"10.0.{n}.1" for n in range(MOST)]


def test_a_missing_network_is_reported(ground: Ground) -> None:
    served = ground.serve()
    nowhere = WAY == "namespaces"
    assert ground.hosts == (["127.0.0.1"] if nowhere else [])
    assert served.app_state.addresses.is_out_of_reach is nowhere
    assert ground.on_the_pi(_get, served.app_state.base_url, "/j", {}).status == 200


def test_a_name_that_the_router_made_up_leads_to_the_right_address(ground: Ground) -> None:
    ground.join("tun0", "10.8.0.6/24")
    ground.join("wlan0", "192.168.1.20/24", "192.168.1.7/24")
    served = ground.serve()
    headers = {"Host": f"raspberrypi.fritz.box:{served.port}", "Accept": "text/html"}
    refused = ground.ask(served.app_state.base_url, **headers)
    assert (refused.status, refused.kind) == (421, "text/html; charset=utf-8")
    assert re.findall(r'href="([^"]*)"', refused.text) == [served.app_state.base_url]
    assert "10.8.0.6" not in refused.text
    assert ground.scan().status == 200
    known = f"{socket.gethostname().partition('.')[0]}.lan"
    assert ground.ask(served.app_state.base_url, Host=known).status == 200


class Forwarder(socketserver.ThreadingTCPServer):
    """A published port: each connection is passed on to `target`, from this machine's address."""

    daemon_threads = True
    allow_reuse_address = True
    target: tuple[str, int]


class Forward(socketserver.BaseRequestHandler):
    """Both directions of one connection, until either side ends it."""

    server: Forwarder

    def handle(self) -> None:
        with socket.create_connection(self.server.target, timeout=WITHIN_S) as inside:
            back = threading.Thread(target=_copy, args=(inside, self.request))
            back.start()
            _copy(self.request, inside)
            back.join()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    while data := source.recv(65536):
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


@contextmanager
def published(at: tuple[str, int], target: tuple[str, int]) -> Iterator[int]:
    with Forwarder(at, Forward) as forwarder:
        forwarder.target = target
        thread = threading.Thread(target=forwarder.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield forwarder.server_address[1]
        finally:
            forwarder.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({}, 421),
        ({"names": ("192.168.1.20",)}, 200),
        ({"advertise": "http://192.168.1.20:8000"}, 200),
    ],
    ids=["nothing named", "named", "advertised"],
)
@pytest.mark.parametrize("way", [WAY])
def test_the_published_port_of_a_container(
    tmp_path: Path, way: str, settings: dict[str, Any], status: int
) -> None:
    with ExitStack() as stack:
        container = machine = phone = None
        if way == "namespaces":
            container, machine, phone = stack.enter_context(namespaces(3))
            container.link("eth0", machine, "docker0")
            container.ip("addr add 172.17.0.2/16 dev eth0")
            machine.link("eth0", phone)
            machine.ip("addr add 172.17.0.1/16 dev docker0", "addr add 192.168.1.20/24 dev eth0")
            phone.ip("addr add 192.168.1.7/24 dev wlan0")
        inside = Ground(tmp_path, container, phone)
        stack.callback(inside.open.close)
        served = inside.serve(**settings)
        target = ("172.17.0.2" if container else "127.0.0.2", served.port)
        outside = published(("192.168.1.20" if machine else "127.0.0.3", 0), target)
        enter = stack.enter_context
        port = machine.run(enter, outside) if machine else enter(outside)
        url = f"http://{'192.168.1.20' if machine else '127.0.0.3'}:{port}"
        answer = inside.ask(url, Host=f"192.168.1.20:{port}")
        assert answer.status == status
        if "advertise" in settings:
            assert served.app_state.addresses.urls == ("http://192.168.1.20:8000",)


def test_a_page_served_over_https_by_a_proxy_may_post(tmp_path: Path) -> None:
    advertise = "https://table.example"
    made = Settings(data=tmp_path, host="127.0.0.2", port=0, advertise=advertise)
    with serving(made) as served:
        token = json.dumps({"token": served.app_state.browsers.invitation.token}).encode()
        sent = {"Content-Type": "application/json", "X-Monster-Table": "1"}
        for origin, status in ((advertise, 200), ("https://evil.example", 403)):
            headers = {**sent, "Host": "table.example", "Origin": origin}
            made_ = http.client.HTTPConnection("127.0.0.2", served.port, timeout=WITHIN_S)
            with closing(made_):
                made_.request("POST", "/api/join", token, headers)
                assert made_.getresponse().status == status
        foreign = _get(f"http://127.0.0.2:{served.port}", "/api/state", {"Host": "evil.example"})
        assert foreign.status == 421


def test_the_host_chooses_the_address_for_as_long_as_it_exists(ground: Ground) -> None:
    ground.join("wlan0", "192.168.4.1/24", "192.168.4.7/24")
    ground.join("wlan1", "192.168.5.1/24", "192.168.5.7/24")
    served = ground.serve(lone="127.0.0.1")
    addresses, host = served.app_state.addresses, ground.on_the_pi(Browser(served).join)
    second = addresses.urls[-1]
    status, update = ground.on_the_pi(host.ask, "POST", "/api/address", {"address": second})
    assert status == 200
    assert addresses.best == second
    join = update["view"]["join"]
    assert (join["address"], join["url"].partition("/j#")[0]) == (second, second)
    again = ground.on_the_pi(PhoneAddresses, served.app_state.settings, served.app_state.log)
    assert again.urls == addresses.urls
    if ground.pi is None:
        return
    ground.pi.ip("addr del 192.168.5.1/24 dev wlan1")
    ground.pi.run(addresses.refresh)
    assert ground.hosts == ["192.168.4.1"]
    ground.pi.ip("addr add 192.168.5.1/24 dev wlan1")
    ground.pi.run(addresses.refresh)
    assert ground.hosts == ["192.168.5.1", "192.168.4.1"]


def test_the_terminal_shows_another_address_once_and_survives_its_end(
    ground: Ground, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.join("wlan0", "192.168.4.1/24")
    app_state = ground.serve(limits=Limits(look_s=WITHIN_S)).app_state
    announce(app_state)
    first = capsys.readouterr()
    assert json.loads(first.out)["url"] == app_state.base_url
    assert first.err.count(f"{app_state.base_url}/j#") == 1
    ground.on_the_pi(app_state.addresses.refresh)
    assert capsys.readouterr() == ("", "")
    if ground.pi is None:
        return
    ground.pi.ip("addr add 192.168.5.1/24 dev wlan0", "addr del 192.168.4.1/24 dev wlan0")
    ground.pi.run(app_state.addresses.refresh)
    again = capsys.readouterr()
    assert again.out == ""
    assert again.err.count(f"http://192.168.5.1:{app_state.settings.port}/j#") == 1
    with (ground.folder / "closed").open("w") as closed:
        monkeypatch.setattr(sys, "stderr", closed)
    ground.pi.ip("addr del 192.168.5.1/24 dev wlan0")
    ground.pi.run(app_state.addresses.refresh)
    assert app_state.addresses.is_out_of_reach


def test_another_address_reaches_every_phone_that_listens(ground: Ground) -> None:
    ground.join("wlan0", "192.168.4.1/24", "192.168.4.7/24")
    served = ground.serve(limits=Limits(look_s=0.1))
    if ground.pi is None:
        moved = [replace(ground.found[0], ip=ip_interface("192.168.5.1").ip)]
        assert [str(number) for number in for_phones(moved)] == ["192.168.5.1"]
        return
    assert ground.hosts == ["192.168.4.1"]
    stream = ground.pi.run(Stream, ground.pi.run(Browser(served).join))
    stream.next()
    ground.pi.ip("addr add 192.168.5.1/24 dev wlan0", "addr del 192.168.4.1/24 dev wlan0")
    moved_to = next(
        join.address
        for join in (message.update().view.join for message in stream if message.data != "{}")
        if join is not None and "192.168.4.1" not in join.address
    )
    assert moved_to == f"http://192.168.5.1:{served.port}"


@pytest.mark.parametrize("way", [WAY])
def test_the_terminal_names_every_address_the_best_last(tmp_path: Path, way: str) -> None:
    with ExitStack() as stack:
        host, pi = "127.0.0.2", None
        if way == "namespaces":
            host, (pi, phone) = "0.0.0.0", stack.enter_context(namespaces(2))
            pi.link("wg0", phone, "wg0")
            pi.link("wlan0", phone)
            pi.ip("addr add 10.8.0.6/24 dev wg0", "addr add 192.168.4.1/24 dev wlan0")

        def start() -> subprocess.Popen[str]:
            return subprocess.Popen(
                [*COMMAND, "--host", host, "--port", "0", "--data", str(tmp_path)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )

        with pi.run(start) if pi else start() as service:
            assert service.stdout is not None
            line = json.loads(service.stdout.readline())
            service.send_signal(signal.SIGTERM)
            _, shown = service.communicate(timeout=WITHIN_S)
    hosts = ["192.168.4.1", "10.8.0.6"] if pi else ["127.0.0.2"]
    assert [urlsplit(url).hostname for url in line["addresses"]] == hosts
    assert line["url"] == line["addresses"][0]
    token = line["join"].partition("#")[2]
    places = [shown.index(f"{url}/j#{token}") for url in line["addresses"]]
    assert places == sorted(places, reverse=True), "the best one is below the QR code"
    assert ("10.8.0.6" in shown) is (pi is not None)
