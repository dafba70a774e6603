"""The units: what runs a release reaches and sees no more, and no less, than the service does."""

from __future__ import annotations

import pytest

from tools.deb.build import PACKAGING

UNITS = PACKAGING / "root/usr/lib/systemd/system"


def values(unit: str, key: str) -> list[str]:
    """Return the values that a unit has for a key, a word each."""
    lines = (UNITS / unit).read_text("utf-8").splitlines()
    found = [line.removeprefix(f"{key}=") for line in lines if line.startswith(f"{key}=")]
    return [word for value in found for word in value.split()]


def test_an_update_asks_a_release_wherever_the_service_may_listen() -> None:
    key = "IPAddressAllow"
    service = {*values("monster-table.service", key)}
    assert {"localhost", "192.168.0.0/16", "fc00::/7"} <= service
    assert {*values("monster-table-update.service", key)} == service - {"multicast"}
    assert values("monster-table-update.service", "IPAddressDeny") == ["any"]


@pytest.mark.parametrize("unit", ["monster-table.service", "monster-table-update.service"])
def test_what_runs_a_release_shows_it_no_journal(unit: str) -> None:
    assert values(unit, "InaccessiblePaths") == ["-/var/log/journal", "-/run/log/journal"]


def test_a_fault_of_the_helper_keeps_no_table_from_starting() -> None:
    assert [
        one[0] for one in values("monster-table.service", "ExecStartPre") if "python3" in one
    ] == ["-"]
