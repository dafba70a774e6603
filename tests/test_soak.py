"""What the soak takes for growth, and for a packet that leaves the network."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from tests.soak.__main__ import LASTING, Held, Sample, gone, growth, idle, means
from tests.soak.network import ARP, IPV4, IPV6, destination, leaves
from tests.soak.room import Room

BEFORE: Sample = {"serve": Held(60.0, 8.0, 14.0, 22.0, 1.0), "child": Held(120.0, 3, 2, 4, 1)}


def test_a_service_that_stays_as_it_is_has_not_grown() -> None:
    after = {"serve": Held(62.9, 8.4, 15.9, 22.4, 1.0), "story": Held(90.0, 3, 2, 4, 1)}
    assert growth(BEFORE, after) == []


@pytest.mark.parametrize(
    ("held", "grown"),
    [
        (Held(63.1, 8, 14, 22, 1), ["serve: memory"]),
        (Held(60, 8.6, 14, 22, 1), ["serve: files"]),
        (Held(60, 8, 16.1, 22, 1), ["serve: sockets"]),
        (Held(60, 8, 14, 22.6, 1), ["serve: threads"]),
        (Held(60, 8, 14, 22, 2.1), ["serve: 2.1 processes"]),
    ],
)
def test_each_figure_that_grows_is_named(held: Held, grown: list[str]) -> None:
    assert growth(BEFORE, {"serve": held}) == grown


def test_a_table_at_which_nobody_plays_has_not_passed() -> None:
    room = Room(8080, "", 8, 1.0)
    assert idle(room, 10) == ["no applied", "no from_the_camera", "no views", "0 turns"]
    room.applied = room.from_the_camera = room.views = 1
    room.turns = {("g1", turn) for turn in range(20)}
    assert idle(room, 10) == []


def test_a_camera_whose_process_ended_has_not_passed() -> None:
    before = {kind: Held(1, 1, 1, 1, 1) for kind in (*LASTING, "story")}
    assert gone(before, {"serve": before["serve"]}) == [f"{LASTING[1]}: gone"]
    assert gone(before, before) == []


def test_a_process_is_averaged_over_the_moments_at_which_it_ran() -> None:
    moments: list[Sample] = [{"a": Held(1, 2, 3, 4, 1)}, {}, {"a": Held(3, 2, 3, 6, 1)}]
    assert means(moments) == {"a": Held(2, 2, 3, 5, 1)}


@pytest.mark.parametrize(
    ("address", "outside"),
    [
        ("192.168.77.255", False),
        ("224.0.0.251", False),
        ("255.255.255.255", False),
        ("ff02::fb", False),
        ("fe80::1", False),
        ("192.168.78.1", True),
        ("10.255.255.53", True),
        ("239.255.255.250", True),
        ("2001:db8::1", True),
    ],
)
def test_a_packet_for_another_network_is_seen(address: str, outside: bool) -> None:
    assert leaves(ip_address(address)) is outside


def test_a_packet_is_for_its_destination_and_an_unreadable_one_is_not_for_the_network() -> None:
    four, six = ip_address("192.0.2.1").packed, ip_address("2001:db8::1").packed
    assert str(destination(IPV4, bytes(16) + four)) == "192.0.2.1"
    assert str(destination(IPV6, bytes(24) + six)) == "2001:db8::1"
    assert str(destination(ARP, bytes(24) + four)) == "192.0.2.1"
    assert leaves(destination(IPV4, bytes(19)))
    assert leaves(destination(0x88CC, bytes(64)))
