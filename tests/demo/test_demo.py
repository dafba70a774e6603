"""Demo dice at a running table: thrown by a tap, read by the networks, applied as any others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.cli.words import sentence
from companion.demo.source import DemoTray
from companion.engine import RULESETS, CardShown, Face
from companion.service import wire
from companion.service.settings import Settings
from companion.service.wire import QuestionKind, Role
from companion.vision.box import Profile
from companion.vision.readings import CameraState, TrayState
from tests.service.person import Person
from tests.service.phone import START, table_set
from tests.service.served import Browser, Served, Stream, loopback, serving
from tests.service.test_camera import open_question, start, to_next_roll
from tests.waiting import wait_until

DEMO = [sys.executable, "-c", "from companion.cli import main; main()", "demo"]
DICE = DemoTray(seed=6)
"""The same throws each time: a die in a thousand is doubted."""


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Served]:
    with serving(at(tmp_path, "tokyo"), DICE) as served:
        yield served


def at(folder: Path, game: str, **more: Any) -> Settings:
    return loopback(folder, game=game, camera="none", **more)


def with_demo(served: Served) -> Browser:
    """Return the host of a demo game in which a roll is awaited."""
    host = Browser(served).join()
    assert host.ask("POST", "/api/demo", {"on": True})[0] == 200
    to_next_roll(host, "start")
    return host


def refused(browser: Browser, path: str, body: object) -> tuple[int, str]:
    """Return the status and the reason of a refusal."""
    status, answer = browser.ask("POST", path, body)
    return status, answer["error"]["key"]


def proposal_after(stream: Stream, before: wire.Proposal | None = None) -> wire.Proposal:
    """Wait for another proposal than the one before."""
    for message in stream:
        if message.event == "message":
            found = message.update().view.tray.proposal
            if found is not None and (before is None or found.id != before.id):
                return found
    raise AssertionError("the stream has ended")


def is_sure(proposal: wire.Proposal) -> bool:
    return not proposal.problems and all(die.sure for die in proposal.dice)


def test_a_host_throws_demo_dice_keeps_some_clears_the_tray_and_applies_the_roll(
    table: Served,
) -> None:
    host = with_demo(table)
    with closing(host.stream()) as stream:
        assert host.ask("POST", "/api/demo/throw", {"proposal": None, "keep": []})[0] == 200
        first = proposal_after(stream)
        assert is_sure(first)
        assert len(first.dice) == 6
        keep = [0, 3]
        body = {"proposal": first.id, "keep": keep}
        assert host.ask("POST", "/api/demo/throw", body)[0] == 200
        second = proposal_after(stream, first)
        assert is_sure(second)
        assert [second.dice[n].face for n in keep] == [first.dice[n].face for n in keep]
        assert host.ask("POST", "/api/demo/clear", {})[0] == 200
        wait_until(lambda: host.view().tray.state is TrayState.EMPTY)
    faces = [die.face for die in second.dice]
    roll = {"type": "DiceRolled", "faces": faces, "final": True}
    told = {"command_id": "apply-the-roll", "base_rev": host.view().rev, "events": [roll]}
    assert host.ask("POST", "/api/commands", {**told, "proposal_id": second.id})[0] == 200


def test_a_host_tries_demo_dice_and_has_the_camera_of_before_again(tmp_path: Path) -> None:
    with serving(at(tmp_path, "new-york")) as served:
        host = Browser(served).join()
        assert host.view().tray.camera is CameraState.NONE
        assert host.ask("POST", "/api/demo", {"on": True})[0] == 200
        update = served.app_state.update(host.cookie.partition("=")[2])
        assert (update.you.role, update.you.seat) == (Role.HOST, 0)
        assert update.view.tray.demo
        assert update.view.game is not None
        assert [seat.player for seat in update.view.game.seats] == ["", ""]
        to_next_roll(host, "start")
        with closing(host.stream()) as stream:
            host.ask("POST", "/api/demo/throw", {})
            assert proposal_after(stream).picture
        assert host.ask("POST", "/api/demo", {"on": False})[0] == 200
        wait_until(lambda: host.view().tray.camera is CameraState.NONE)
        assert not host.view().tray.demo
        assert refused(host, "/api/demo/throw", {}) == (409, "error.demo.off")


def test_without_demo_dice_none_are_thrown_and_guests_cannot_put_them_into_the_tray(
    tmp_path: Path,
) -> None:
    with serving(at(tmp_path, "tokyo")) as served:
        host, guest = Browser(served).join(), Browser(served).join()
        assert refused(host, "/api/demo/throw", {}) == (409, "error.demo.off")
        assert refused(host, "/api/demo/clear", {}) == (409, "error.demo.off")
        assert refused(guest, "/api/demo", {"on": True}) == (403, "error.not_yours")
        assert refused(guest, "/api/demo/throw", {}) == (403, "error.only_watching")
        assert host.ask("POST", "/api/demo", {"on": False})[0] == 200
        assert not host.view().tray.demo


def test_dice_are_thrown_only_when_a_roll_is_awaited(tmp_path: Path) -> None:
    with serving(at(tmp_path, "tokyo"), DICE) as served:
        host = with_demo(served)
        unknown = {"proposal": "g1-77", "keep": []}
        assert refused(host, "/api/demo/throw", unknown) == (409, "error.outdated_proposal")
        with closing(host.stream()) as stream:
            host.ask("POST", "/api/demo/throw", {})
            thrown = proposal_after(stream)
        seventh = {"proposal": thrown.id, "keep": [6]}
        assert refused(host, "/api/demo/throw", seventh) == (400, "error.no_such_die")
        faces = ["heal", "heal", "heal", "attack", "attack", "attack"]
        host.say({"type": "DiceRolled", "faces": faces, "final": True}, command_id="apply-the-roll")
        assert open_question(host).kind is not QuestionKind.ROLL
        assert refused(host, "/api/demo/throw", {}) == (409, "error.no_roll_awaited")


def test_cards_of_a_demo_game_are_turned_up_by_chance_and_an_undone_one_is_asked_for(
    table: Served,
) -> None:
    host = Browser(table).join()
    host.ask("POST", "/api/demo", {"on": True})
    game = host.view().game
    assert game is not None
    assert len([card for card in game.shop.cards if card.card]) == 3
    entries = table.app_state.table.snapshot().entries
    last = max(entry.seq for entry in entries if isinstance(entry.event, CardShown))
    host.say({"type": "Undone", "seq": last}, command_id="undo-the-card")
    assert open_question(host).kind is QuestionKind.REVEAL_CARD


def test_a_game_under_way_goes_on_with_demo_dice_and_its_cards_are_not_drawn(
    tmp_path: Path,
) -> None:
    with serving(at(tmp_path, "tokyo")) as served:
        host = Browser(served).join()
        table = table_set("A", "B", game="tokyo")
        rev = host.say(table, START, command_id="start-the-game")
        host.ask("POST", "/api/demo", {"on": True})
        view = host.view()
        assert (view.tray.demo, view.rev) == (True, rev)
        assert open_question(host).kind is QuestionKind.REVEAL_CARD


def test_dice_of_the_box_that_is_played_next_are_thrown(tmp_path: Path) -> None:
    with serving(at(tmp_path, "tokyo"), DICE) as served:
        host = with_demo(served)
        with closing(host.stream()) as stream:
            host.ask("POST", "/api/demo/throw", {})
            first = proposal_after(stream)
            start(host, "new-york")
            wait_until(lambda: host.view().tray.state is TrayState.EMPTY)
            host.ask("POST", "/api/demo/throw", {})
            second = proposal_after(stream, first)
        assert is_sure(second)
        assert {die.face for die in second.dice} <= set(RULESETS["new-york"].faces)


def test_a_set_up_sees_the_demo_tray_and_rolls_are_read_after_it(tmp_path: Path) -> None:
    with serving(at(tmp_path, "tokyo"), DICE) as served:
        host = with_demo(served)
        wait_until(lambda: host.view().tray.camera is CameraState.OK)
        assert host.ask("POST", "/api/setup", {"act": "begin"})[0] == 200
        wait_until(lambda: host.send("GET", "/api/camera.jpg", {}, None)[1].startswith(b"\xff\xd8"))
        assert host.ask("POST", "/api/setup", {"act": "end"})[0] == 200
        with closing(host.stream()) as stream:
            host.ask("POST", "/api/demo/throw", {})
            assert is_sure(proposal_after(stream))


def test_demo_dice_are_of_no_box_and_teach_the_table_nothing(tmp_path: Path) -> None:
    profile = Profile(dice={"tokyo": {Face.HEAL: (b"a print",)}})
    with serving(at(tmp_path, "tokyo", profile=profile)) as served:
        camera = served.app_state.tray.camera
        host = with_demo(served)
        assert camera.setup.profile == Profile()
        with closing(host.stream()) as stream:
            host.ask("POST", "/api/demo/throw", {})
            proposal_after(stream)
        host.ask("POST", "/api/demo", {"on": False})
        assert camera.setup.profile == profile


def test_the_link_leads_to_the_first_seat_and_nothing_is_left_behind(tmp_path: Path) -> None:
    game = "tokyo"
    with subprocess.Popen(
        [*DEMO, "--game", game, "--host", "127.0.0.1", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "TMPDIR": str(tmp_path)},
    ) as service:
        try:
            assert service.stdout is not None
            assert service.stderr is not None
            url, _, token = json.loads(service.stdout.readline())["join"].partition("/j#")
            assert len(list(tmp_path.iterdir())) == 1
            first, second = Person(), Person()
            status, content = first.ask(url, "/api/join", {"token": token})
            assert status == 200
            joined = msgspec.json.decode(content, type=wire.Update)
            assert (joined.you.role, joined.you.seat) == (Role.HOST, 0)
            assert joined.view.tray.demo
            assert joined.view.join is not None
            assert second.ask(url, "/api/join", {"code": joined.view.join.code})[0] == 200
            assert second.ask(url, "/api/seat", {"seat": 1})[0] == 200
            asked = joined.view.game
            assert asked is not None
            assert asked.question is not None
            assert (asked.game, asked.question.kind) == (game, QuestionKind.ROLL)
            demo = sentence("serve.demo", command="companion serve")
            assert any(line.rstrip() == demo for line in service.stderr)
            assert next(service.stderr).rstrip() == sentence("serve.games_gone")
        finally:
            service.terminate()
    assert service.returncode == 0
    assert list(tmp_path.iterdir()) == []
