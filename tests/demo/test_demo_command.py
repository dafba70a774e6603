"""`companion demo`, as a process of its own: from its link to an applied roll."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from companion.cli import main
from companion.cli.words import sentence
from companion.engine import RULESETS
from companion.service import wire
from companion.service.wire import QuestionKind, Role
from companion.table.log import FILE_NAME, saved_tables
from tests.service.person import Person
from tests.waiting import WITHIN_S

Started = tuple[str, subprocess.Popen[str]]


@contextmanager
def demo(temporary: Path, *options: str) -> Iterator[Started]:
    """Run `companion demo`; give the link that it prints, and the process."""
    command = [sys.executable, "-c", "from companion.cli import main; main()", "demo"]
    with subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LC_ALL": "C.UTF-8", "TMPDIR": str(temporary)},
    ) as service:
        assert service.stdout is not None
        try:
            yield json.loads(service.stdout.readline())["join"], service
        finally:
            service.send_signal(signal.SIGTERM)
            assert service.wait(WITHIN_S) == 0


def proposal_of(person: Person, url: str) -> wire.Update:
    """Wait until a roll is read."""
    with person.stream(url) as updates:
        for update in updates:
            found = msgspec.json.decode(update, type=wire.Update)
            if found.view.tray.proposal is not None:
                return found
    raise AssertionError("the stream has ended")


@pytest.mark.parametrize("game", RULESETS)
def test_the_link_leads_to_the_first_seat_and_a_throw_is_read_and_applied(
    game: str, tmp_path: Path
) -> None:
    with demo(tmp_path, "--game", game) as (link, _):
        assert len(list(tmp_path.iterdir())) == 1
        url, _, token = link.partition("/j#")
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
        assert first.ask(url, "/api/demo/throw", {})[0] == 200
        read = proposal_of(first, url).view
        assert read.tray.proposal is not None
        assert read.tray.proposal.sure
        faces = [die.face for die in read.tray.proposal.dice]
        roll = {"type": "DiceRolled", "faces": faces, "final": True}
        first.say(url, "apply-the-roll", roll)
    assert list(tmp_path.iterdir()) == []


def test_the_terminal_says_that_these_are_demo_dice_and_how_to_play_for_real(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    with demo(tmp_path, "--data", str(kept)) as (_, service):
        lines = printed(service)
        assert sentence("serve.demo", command="companion serve") in lines
        assert sentence("serve.games", path=str(kept)) in lines
    assert kept.is_dir()
    with demo(tmp_path, "--data", str(kept)) as (_, service):
        assert sentence("serve.games", path=str(kept)) in printed(service)
    assert len(saved_tables(kept / FILE_NAME)) == 1
    with demo(tmp_path) as (_, service):
        assert sentence("serve.games_gone") in printed(service)


def printed(service: subprocess.Popen[str]) -> list[str]:
    """Return the lines on standard error until the last of the start."""
    assert service.stderr is not None
    lines = []
    for line in service.stderr:
        lines.append(line.rstrip("\n"))
        if lines[-1] == sentence("serve.stop"):
            break
    return lines


def test_a_box_without_demo_dice_is_refused_in_one_line(tmp_path: Path) -> None:
    ran = CliRunner().invoke(main, ["demo", "--game", "chess"], env={"TMPDIR": str(tmp_path)})
    assert (ran.exit_code, ran.output.count("\n")) == (2, 1)
