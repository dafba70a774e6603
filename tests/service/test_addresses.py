"""Which address goes on the QR code, and how addresses and names are written and compared."""

from __future__ import annotations

import ctypes
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import pytest
from flask import Flask

from companion.cli.serve import announce
from companion.service.machine.addresses import (
    KEY,
    MOST,
    POINT_TO_POINT,
    RUNNING,
    InterfaceAddress,
    PhoneAddresses,
    advertised,
    canonical_address,
    for_phones,
    host_is_ours,
    host_name,
    own_addresses,
    own_names,
)
from companion.service.settings import Limits, Settings
from companion.table.log import EventLog
from tests.service.phone import Phone, app_state_of
from tests.service.served import Browser, Served, Stream, serving
from tests.service.test_commands import key_of
from tests.waiting import WITHIN_S


def at(interface: str, number: str, flags: int = RUNNING) -> InterfaceAddress:
    bare, _, prefix = number.partition("/")
    return InterfaceAddress(ip_address(bare), int(prefix or 24), interface, flags)


LOOPBACK = (at("lo", "127.0.0.1/8"), at("lo", "::1/128"))


@pytest.mark.parametrize(
    ("found", "best_first"),
    [
        ([], []),
        ([at("wlan0", "192.168.4.1")], ["192.168.4.1"]),
        (
            [at("docker0", "172.17.0.1/16"), at("eth0", "192.168.1.20")],
            ["192.168.1.20", "172.17.0.1"],
        ),
        ([at("br-3f2a", "172.18.0.1"), at("br0", "10.0.0.2")], ["10.0.0.2", "172.18.0.1"]),
        (
            [at("home", "10.8.0.6", RUNNING | POINT_TO_POINT), at("wlan0", "192.168.1.20")],
            ["192.168.1.20", "10.8.0.6"],
        ),
        ([at("wg0", "10.8.0.6/32"), at("eth0", "203.0.113.7")], ["203.0.113.7", "10.8.0.6"]),
        ([at("eth0", "10.0.0.9/32"), at("wlan0", "10.0.1.2")], ["10.0.1.2", "10.0.0.9"]),
        ([at("eth0", "192.168.1.20", 0), at("wlan0", "10.42.0.1")], ["10.42.0.1", "192.168.1.20"]),
        ([at("eth0", "8.8.4.4"), at("wlan0", "10.42.0.1")], ["10.42.0.1", "8.8.4.4"]),
        ([at("eth0", "169.254.3.4/16"), at("wlan0", "8.8.4.4")], ["8.8.4.4", "169.254.3.4"]),
        ([at("eth0", "169.254.3.4/16"), at("eth0", "fd00::2/64")], ["fd00::2", "169.254.3.4"]),
        ([at("eth0", "2001:db8::2/64"), at("eth0", "fd00::2/64")], ["2001:db8::2", "fd00::2"]),
        ([at("eth0", "2a02::2/64"), at("eth0", "fd00::2/64")], ["fd00::2", "2a02::2"]),
        ([at("eth0", "fd00::2/64"), at("eth0", "192.168.1.2")], ["192.168.1.2", "fd00::2"]),
        ([at("docker0", "172.17.0.1"), at("eth0", "fd00::2/128")], ["fd00::2", "172.17.0.1"]),
        ([at("eth0", "fe80::2/64")], []),
        ([at("eth0", "10.0.0.2"), at("eth0:1", "10.0.0.2")], ["10.0.0.2"]),
    ],
)
def test_the_address_that_phones_can_reach_comes_first(
    found: list[InterfaceAddress], best_first: list[str]
) -> None:
    assert [str(number) for number in for_phones([*LOOPBACK, *found])] == best_first


def test_of_two_alike_the_one_the_default_route_leaves_by_comes_first() -> None:
    found = [at("wlan0", "10.42.0.1"), at("eth0", "192.168.1.20")]
    assert str(for_phones(found)[0]) == "10.42.0.1"
    assert str(for_phones(found, ip_address("192.168.1.20"))[0]) == "192.168.1.20"


def test_a_vpn_that_has_the_default_route_stays_last() -> None:
    found = [at("tun0", "10.8.0.6"), at("eth0", "192.168.1.20")]
    assert str(for_phones(found, ip_address("10.8.0.6"))[0]) == "192.168.1.20"


def test_this_machine_has_a_loopback_interface_that_is_up() -> None:
    mine = {str(one.ip): one for one in own_addresses()}
    assert mine["127.0.0.1"].interface == "lo"
    assert not mine["127.0.0.1"].is_idle
    assert not mine["127.0.0.1"].is_virtual


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("http://192.168.1.20:8080", "http://192.168.1.20:8080"),
        (" HTTP://Table.Example/ ", "http://table.example"),
        ("http://x.lan:80", "http://x.lan"),
        ("https://table.example:443", "https://table.example"),
        ("https://table.example:80", "https://table.example:80"),
        ("http://[FD00:0::1]:8080", "http://[fd00::1]:8080"),
        ("http://[::ffff:192.168.1.20]", "http://192.168.1.20"),
    ],
)
def test_an_advertised_address_is_written_in_one_form(given: str, written: str) -> None:
    assert advertised(given) == written
    assert advertised(written) == written


@pytest.mark.parametrize(
    "given",
    [
        *("", " ", "x", "192.168.1.20:8080", "ftp://x", "http://", "http://:8080", "//x"),
        *("http://a b", "http://a\nb", "http://x:0", "http://x:65536", "http://x:a", "http://[::1"),
        *("http://x/table", "http://x?", "http://x#", "http://x/?a", "http://u@x", "http://u:p@x"),
        *("http://0.0.0.0", "http://[::]", "http://[fe80::1]", "http://[fe80::1%25eth0]"),
        *("http://1.2.3", "http://1.2.3.4.5", "http://0x7f.1", "http://x..y", "http://-x"),
        *("http://[v1.x]", "http://224.0.0.1", "http://" + "x" * 64, "http://" + "x." * 127 + "xx"),
        "http://tävla.example",
    ],
)
def test_what_no_phone_could_open_is_not_advertised(given: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        advertised(given)


@pytest.mark.parametrize(
    "name", ["http://x", "x:8080", "x/", "", "a b", "*", "*.lan", "1.2", "0.0.0.0"]
)
def test_a_name_is_a_name_or_a_number_alone(name: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        host_name(name)
    assert host_name("Table.Test.") == "table.test"
    assert host_name("[FD00::1]") == "fd00::1"
    assert host_name("::ffff:10.0.0.1") == "10.0.0.1"


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        ("::ffff:192.168.1.5", "192.168.1.5"),
        ("192.168.1.5", "192.168.1.5"),
        ("fe80::1%eth0", "fe80::1"),
        ("FD00:0:0::1", "fd00::1"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_a_peer_counts_as_one_whatever_socket_it_came_by(peer: str, counted: str) -> None:
    assert canonical_address(peer) == counted


@pytest.mark.parametrize(
    ("host", "reached_at", "ours"),
    [
        ("192.168.1.5:8080", "::ffff:192.168.1.5", True),
        ("[::ffff:c0a8:105]:8080", "192.168.1.5", True),
        ("192.168.1.6:8080", "::ffff:192.168.1.5", False),
        ("[fd00::5]:8080", "fd00::5", True),
        ("[FD00:0::5]", "fd00::5", True),
        ("[fd00::6]", "fd00::5", False),
        ("fd00::5", "fd00::5", False),
        ("[fe80::5]:8080", "fe80::5%eth0", True),
        ("[::1", "::1", False),
        ("[::1]x", "::1", False),
        ("[]:8080", "", False),
        ("0.0.0.0:8080", "127.0.0.1", False),
        ("[::]:8080", "::1", False),
        ("10.0.0.7", "172.17.0.2", True),
        ("[fd00::7]:80", "172.17.0.2", True),
        ("10.0.0.8", "172.17.0.2", False),
        ("010.0.0.7", "172.17.0.2", False),
        ("2130706433", "127.0.0.1", False),
    ],
)
def test_numbers_are_compared_as_numbers(host: str, reached_at: str, ours: bool) -> None:
    names = own_names(("10.0.0.7", "fd00::7"))
    assert host_is_ours(host, names, reached_at) is ours


def test_our_own_name_is_known_in_networks_that_nobody_can_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "RaspberryPi.lan")
    names = own_names()
    for suffix in ("local", "lan", "home", "home.arpa", "internal", "localdomain"):
        assert host_is_ours(f"raspberrypi.{suffix}:8080", names, "192.168.1.5")
        assert not host_is_ours(f"evil.{suffix}:8080", names, "192.168.1.5")
        assert not host_is_ours(f"x.raspberrypi.{suffix}", names, "192.168.1.5")
        assert not host_is_ours(f"raspberrypi.{suffix}.evil.example", names, "192.168.1.5")
        assert not host_is_ours(suffix, names, "192.168.1.5")
    for foreign in ("com", "box", "fritz.box", "evil.example", "arpa", "localhost"):
        assert not host_is_ours(f"raspberrypi.{foreign}", names, "192.168.1.5")


@pytest.mark.parametrize(
    ("host", "port", "url"),
    [
        ("127.0.0.1", 8080, "http://127.0.0.1:8080"),
        ("::1", 8080, "http://[::1]:8080"),
        ("fd00::2", 80, "http://[fd00::2]"),
        ("::ffff:127.0.0.1", 8080, "http://127.0.0.1:8080"),
        ("table", 8080, "http://table:8080"),
    ],
)
def test_where_it_listens_at_one_address_that_is_announced(
    tmp_path: Path, host: str, port: int, url: str
) -> None:
    announced = PhoneAddresses(Settings(data=tmp_path, host=host, port=port))
    assert announced.urls == (url,)
    assert not announced.is_out_of_reach


def test_what_is_advertised_is_all_that_is_announced(tmp_path: Path) -> None:
    announced = PhoneAddresses(Settings(data=tmp_path, advertise="https://table.example"))
    assert announced.urls == ("https://table.example",)
    assert not announced.choose("https://table.example")


def test_the_host_chooses_only_what_exists(app: Flask, host: Phone) -> None:
    addresses = app_state_of(app).addresses
    for chosen in ("http://192.0.2.77:8080", "", "http://evil.example"):
        before = addresses.urls
        answer = host.post("/api/address", {"address": chosen})
        assert (answer.status_code, key_of(answer)) == (409, "error.no_such_address")
        assert addresses.urls == before
    assert host.post("/api/address", {"address": addresses.urls[-1]}).status_code == 200
    assert host.post("/api/address", {"address": "x" * 301}).status_code == 400


def test_what_was_chosen_is_kept_and_one_that_is_no_address_is_no_choice(tmp_path: Path) -> None:
    with closing(EventLog(tmp_path)) as log:
        before = PhoneAddresses(Settings(data=tmp_path)).urls
        announced = PhoneAddresses(Settings(data=tmp_path), log)
        assert announced.choose(announced.urls[-1])
        assert PhoneAddresses(Settings(data=tmp_path), log).best == before[-1]
        for content in ("192.0.2.77", "", "x" * 5_000, ["a"]):
            log.put_state(KEY, content)
            assert PhoneAddresses(Settings(data=tmp_path), log).urls == before


P = ParamSpec("P")
T = TypeVar("T")
NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of Linux."""


def _leave() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


class Namespace:
    """One machine of a test: it has a loopback, and the links that a test gives it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self.run(_leave)
        self.task = self.run(threading.get_native_id)
        self.ip("link set dev lo up")

    def run(
        self,
        what: Callable[P, T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """Call the function within this namespace, and return its result."""
        return self._thread.submit(what, *args, **named).result()

    def ip(self, *lines: str) -> None:
        """Run these commands of `ip` within this namespace."""
        self.run(
            subprocess.run, ["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True
        )

    def link(self, name: str, other: Namespace, theirs: str = "wlan0") -> None:
        """Connect an interface of this machine with one of the other; both are up."""
        self.ip(f"link add {name} type veth peer name {theirs} netns {other.task}")
        self.ip(f"link set dev {name} up")
        other.ip(f"link set dev {theirs} up")

    def close(self) -> None:
        self._thread.shutdown()


@contextmanager
def namespaces(count: int) -> Iterator[tuple[Namespace, ...]]:
    """Make so many machines without links."""
    made = [Namespace() for _ in range(count)]
    try:
        yield tuple(made)
    finally:
        for one in made:
            one.close()


def allowed() -> bool:
    """Whether this user may make namespaces and links between them."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    try:
        with namespaces(2) as (one, other):
            one.link("probe", other, "probe")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


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


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    with ExitStack() as stack:
        pi, phone = stack.enter_context(namespaces(2)) if WAY == "namespaces" else (None, None)
        ground = Ground(tmp_path, pi, phone)
        stack.callback(ground.open.close)
        yield ground


def test_a_hotspot_of_its_own_needs_no_default_route(ground: Ground) -> None:
    ground.join("wlan0", "192.168.4.1/24", "192.168.4.7/24")
    ground.serve()
    assert ground.hosts == ["192.168.4.1"]
    assert ground.scan().status == 200


def test_one_address_of_ipv6_is_announced_in_brackets(ground: Ground) -> None:
    ground.join("eth0", "fd00:4::1/64", "fd00:4::7/64")
    served = ground.serve(host="fd00:4::1", lone="::1")
    host = "fd00:4::1" if WAY == "namespaces" else "::1"
    assert served.app_state.base_url == f"http://[{host}]:{served.port}"
    assert ground.scan().status == 200


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


def test_the_terminal_names_every_address_the_best_last(tmp_path: Path) -> None:
    with ExitStack() as stack:
        host, pi = "127.0.0.2", None
        if WAY == "namespaces":
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
