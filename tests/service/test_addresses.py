"""Which address goes on the QR code, and how addresses and names are written and compared."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from ipaddress import ip_address, ip_interface
from pathlib import Path
from types import SimpleNamespace

import ifaddr
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
    outgoing,
    own_addresses,
    own_names,
)
from companion.service.settings import Settings
from companion.table.log import EventLog
from tests.service.phone import HEADERS, GuardedClient, Phone, Start, app_state_of, key_of
from tests.service.served import Browser, loopback, serving


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


def test_without_a_route_no_address_leads_out(monkeypatch: pytest.MonkeyPatch) -> None:
    # A socket is not connected to all machines at once.
    monkeypatch.setattr("companion.service.machine.addresses.TEST_NET", "255.255.255.255")
    assert outgoing() is None


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


class Network:
    """What the kernel lists of this machine's interfaces."""

    def __init__(self) -> None:
        self.numbers: list[str] = []

    def adapters(self) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(name=f"none{n}", ips=[self._listed(number)])
            for n, number in enumerate(("127.0.0.1/8", *self.numbers))
        ]

    def _listed(self, number: str) -> SimpleNamespace:
        found = ip_interface(number)
        ip = (str(found.ip), 0, 0) if found.version == 6 else str(found.ip)
        return SimpleNamespace(ip=ip, network_prefix=found.network.prefixlen)


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    network = Network()
    monkeypatch.setattr(ifaddr, "get_adapters", network.adapters)
    return network


MANY = [f"10.0.{n}.1" for n in range(2 * MOST)]


@pytest.mark.parametrize(
    ("host", "numbers", "announced"),
    [
        ("0.0.0.0", ["192.168.4.1/24"], ["192.168.4.1"]),
        ("::", ["fd00:4::1/64", "192.168.1.20/24"], ["192.168.1.20", "[fd00:4::1]"]),
        ("::", ["2a02:4::1/64", "fd00:4::1/64"], ["[fd00:4::1]", "[2a02:4::1]"]),
        ("0.0.0.0", [f"{number}/24" for number in MANY], MANY[:MOST]),
        ("0.0.0.0", ["fd00:4::1/64"], []),
        ("0.0.0.0", [], []),
    ],
    ids=["a hotspot", "both forms", "IPv6 alone", "many", "another form", "none"],
)
def test_of_all_addresses_those_that_it_listens_at_are_announced(
    tmp_path: Path, network: Network, host: str, numbers: list[str], announced: list[str]
) -> None:
    network.numbers = numbers
    addresses = PhoneAddresses(Settings(tmp_path, host=host))
    shown = announced or ["127.0.0.1"]
    assert addresses.urls == tuple(f"http://{number}:8080" for number in shown)
    assert addresses.is_out_of_reach is (not announced)


def test_a_page_served_over_https_by_a_proxy_may_post(start: Start) -> None:
    app = start(advertise="https://table.example")
    token = {"token": app_state_of(app).browsers.invitation.token}
    for origin, status in (("https://table.example", 200), ("https://evil.example", 403)):
        headers = {**HEADERS, "Host": "table.example", "Origin": origin}
        answer = GuardedClient(app).post("/api/join", json=token, headers=headers)
        assert answer.status_code == status


def test_the_host_chooses_only_what_exists(app: Flask, host: Phone) -> None:
    addresses = app_state_of(app).addresses
    for chosen in ("http://192.0.2.77:8080", "", "http://evil.example"):
        before = addresses.urls
        answer = host.post("/api/address", {"address": chosen})
        assert (answer.status_code, key_of(answer)) == (409, "error.no_such_address")
        assert addresses.urls == before
    assert host.post("/api/address", {"address": addresses.urls[-1]}).status_code == 200
    assert host.post("/api/address", {"address": "x" * 301}).status_code == 400


def test_what_was_chosen_comes_first_for_as_long_as_it_exists(
    tmp_path: Path, network: Network
) -> None:
    first, second = "http://192.168.4.1:8080", "http://192.168.5.1:8080"
    network.numbers = ["192.168.4.1/24", "192.168.5.1/24"]
    with closing(EventLog(tmp_path)) as log:
        addresses = PhoneAddresses(Settings(tmp_path), log)
        assert addresses.urls == (first, second)
        assert addresses.choose(second)
        assert PhoneAddresses(Settings(tmp_path), log).urls == (second, first)
        for numbers, urls in (
            (["192.168.4.1/24"], (first,)),
            (["192.168.4.1/24", "192.168.5.1/24"], (second, first)),
        ):
            network.numbers = numbers
            addresses.refresh()
            assert addresses.urls == urls
        for content in ("192.0.2.77", "", "x" * 5_000, ["a"]):
            log.put_state(KEY, content)
            assert PhoneAddresses(Settings(tmp_path), log).urls == (first, second)


def test_the_terminal_names_every_address_the_best_last_and_shows_another_one_once(
    start: Start,
    network: Network,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network.numbers = ["10.8.0.6/32", "192.168.4.1/24"]
    app_state = app_state_of(start())
    announce(app_state)
    first, hosts = capsys.readouterr(), ("192.168.4.1", "10.8.0.6")
    line, urls = json.loads(first.out), [f"http://{host}:8080" for host in hosts]
    assert (line["url"], line["addresses"]) == (urls[0], urls)
    token = line["join"].partition("#")[2]
    places = [first.err.index(f"{url}/j#{token}") for url in urls]
    assert places == sorted(places, reverse=True), "the best one is below the QR code"
    app_state.addresses.refresh()
    assert capsys.readouterr() == ("", "")
    network.numbers = ["192.168.5.1/24"]
    app_state.addresses.refresh()
    again = capsys.readouterr()
    assert (again.out, again.err.count("http://192.168.5.1:8080/j#")) == ("", 1)
    with (tmp_path / "closed").open("w") as closed:
        monkeypatch.setattr(sys, "stderr", closed)
    network.numbers = []
    app_state.addresses.refresh()
    assert app_state.addresses.is_out_of_reach


def test_another_address_reaches_every_phone_that_listens(tmp_path: Path, network: Network) -> None:
    network.numbers = ["192.168.4.1/24"]
    with serving(loopback(tmp_path, host="0.0.0.0")) as served:
        stream = Browser(served).join().stream()
        stream.next()
        network.numbers = ["192.168.5.1/24"]
        served.app_state.addresses.refresh()
        joins = (message.update().view.join for message in stream if message.data != "{}")
        shown = (join.address for join in joins if join is not None)
        moved_to = next(address for address in shown if "192.168.4.1" not in address)
        assert moved_to == f"http://192.168.5.1:{served.port}"
