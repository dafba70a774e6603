"""The connection to the broker where the service's own part fails; no broker is there."""

from __future__ import annotations

import threading

import pytest

from companion.mqtt.link import Link, Patience
from companion.mqtt.messages import Begin, Heard, LinkState, Outgoing
from tests.ports import free_port
from tests.waiting import WITHIN_S, wait_until

IMPATIENT = Patience(apart_s=0.01, again_s=0.01, longest_s=0.05, end_s=0.05)


class Service:
    """The service's part: its first `composes` and `reports` fail."""

    def __init__(self, composes: int = 0, reports: int = 0) -> None:
        self._left = {"compose": composes, "report": reports}
        self.composed, self.reported = threading.Event(), threading.Event()

    def compose(self) -> Outgoing:
        self._fail("compose")
        self.composed.set()
        return Outgoing({})

    def heard(self, _: Heard) -> None:
        raise AssertionError("there is no broker")

    def cleared(self, _: str) -> None:
        raise AssertionError("there is no broker")

    def report(self, _: LinkState) -> None:
        self._fail("report")
        self.reported.set()

    def _fail(self, what: str) -> None:
        if self._left[what]:
            self._left[what] -= 1
            raise LookupError(f"a fault in {what}")


@pytest.mark.parametrize("what", ["compose", "report"])
def test_an_unexpected_fault_is_logged_and_the_link_goes_on(
    caplog: pytest.LogCaptureFixture, what: str
) -> None:
    service = Service(**{f"{what}s": 2})
    begin = Begin("127.0.0.1", free_port(), tls=False, client="window", status="window/status")
    link = Link(begin, service.compose, service.heard, service.report, service.cleared, IMPATIENT)
    try:
        assert service.composed.wait(WITHIN_S)
        assert service.reported.wait(WITHIN_S)
    finally:
        link.close()
    assert caplog.text.count(f"a fault in {what}") == 2
    wait_until(lambda: link.pid is None)  # it is killed, where it does not end soon enough
