"""Demo dice at a running table: thrown by a tap, read by the networks, applied as any others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companion.service import wire
from companion.service.settings import Settings
from companion.service.wire import Role
from companion.vision.states import CameraState, TrayState
from tests.service.served import Browser, Served, Stream, serving
from tests.service.test_camera import to_next_roll
from tests.waiting import wait_until


@pytest.fixture(params=["new-york", "tokyo"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game=request.param, camera="none")
    with serving(settings) as served:
        yield served


def proposal_after(stream: Stream, before: wire.Proposal | None = None) -> wire.Proposal:
    """Wait for another proposal than the one before."""
    for message in stream:
        if message.event == "message":
            found = message.update().view.tray.proposal
            if found is not None and (before is None or found.id != before.id):
                return found
    raise AssertionError("the stream has ended")


def test_a_host_tries_demo_dice_keeps_some_and_applies_the_roll(table: Served) -> None:
    host = Browser(table).join()
    assert host.view().tray.camera is CameraState.NONE
    assert host.ask("POST", "/api/demo", {"on": True})[0] == 200
    update = table.app_state.update(host.cookie.partition("=")[2])
    assert (update.you.role, update.you.seat) == (Role.HOST, 0)
    view = host.view()
    assert view.tray.demo
    assert view.game is not None
    assert [seat.player for seat in view.game.seats] == ["", ""]
    to_next_roll(host, "start")
    with closing(host.stream()) as stream:
        assert host.ask("POST", "/api/demo/throw", {"proposal": None, "keep": []})[0] == 200
        first = proposal_after(stream)
        assert first.sure
        assert len(first.dice) == 6
        keep = [0, 3]
        body = {"proposal": first.id, "keep": keep}
        assert host.ask("POST", "/api/demo/throw", body)[0] == 200
        second = proposal_after(stream, first)
        assert second.sure
        assert [second.dice[n].face for n in keep] == [first.dice[n].face for n in keep]
        assert host.ask("POST", "/api/demo/clear", {})[0] == 200
        wait_until(lambda: host.view().tray.state is TrayState.EMPTY)
    faces = [die.face for die in second.dice]
    roll = {"type": "DiceRolled", "faces": faces, "final": True}
    body = {"command_id": "apply-the-roll", "base_rev": host.view().rev, "events": [roll]}
    assert host.ask("POST", "/api/commands", {**body, "proposal_id": second.id})[0] == 200
    assert host.ask("POST", "/api/demo", {"on": False})[0] == 200
    wait_until(lambda: host.view().tray.camera is CameraState.NONE)
    assert not host.view().tray.demo
    assert host.ask("POST", "/api/demo/throw", {})[0] == 409


def test_dice_of_a_throw_that_was_told_can_be_kept(table: Served) -> None:
    host = Browser(table).join()
    host.ask("POST", "/api/demo", {"on": True})
    to_next_roll(host, "start")
    with closing(host.stream()) as stream:
        host.ask("POST", "/api/demo/throw", {"proposal": None, "keep": []})
        first = proposal_after(stream)
        roll = {
            "type": "DiceRolled",
            "faces": [die.face for die in first.dice],
            "final": False,
        }
        body = {"command_id": "tell-the-throw", "base_rev": host.view().rev, "events": [roll]}
        assert host.ask("POST", "/api/commands", {**body, "proposal_id": first.id})[0] == 200
        assert host.view().tray.proposal is None
        body = {"proposal": first.id, "keep": [1, 2, 3, 4, 5]}
        assert host.ask("POST", "/api/demo/throw", body)[0] == 200
        second = proposal_after(stream, first)
        kept = Counter(die.face for die in first.dice[1:])
        assert kept <= Counter(die.face for die in second.dice)
        assert host.ask("POST", "/api/demo/throw", body)[0] == 409
