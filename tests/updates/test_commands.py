"""How the helper runs commands: bounded in time and output, without rights, and never for good."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import box_command
import pytest
from box_command import OUTPUT_BYTES, as_service, last_line, run, without_rights
from box_paths import Box, ReleaseError

from tests.updates.boxes import machine, script
from tests.waiting import wait_until


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return machine(tmp_path)


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def is_running(number: str) -> bool:
    """True as long as the process has a command line; one that has ended has none."""
    try:
        return bool(Path("/proc", number, "cmdline").read_bytes())
    except FileNotFoundError:
        return False


def test_of_endless_output_the_end_is_kept() -> None:
    much = "for n in range(200_000): print(n, '-' * 60)\nprint('why'); raise SystemExit(1)"
    ended = run(python(much), 60)
    assert ended.status == 1
    assert len(ended.output) <= OUTPUT_BYTES
    assert last_line(ended.output) == "why"


def test_a_command_that_does_not_end_is_ended() -> None:
    with pytest.raises(ReleaseError, match="was not done after 0 s"):
        run(python("import time; time.sleep(600)"), 0.3)


def test_a_command_that_prints_without_end_is_ended() -> None:
    with pytest.raises(ReleaseError, match="was not done after 0 s"):
        run(python("while True: print('x' * 10_000)"), 0.3)


def test_what_a_command_leaves_behind_ends_with_it() -> None:
    leaves = "import subprocess as s; print(s.Popen(['sleep', '600']).pid)"
    ended = run(python(leaves), 60)
    assert ended.status == 0
    wait_until(lambda: not is_running(ended.output.strip()))


def test_a_command_that_closes_its_output_is_waited_for(tmp_path: Path) -> None:
    works = f"import os, time; os.close(1); os.close(2); open({str(tmp_path / 'done')!r}, 'w')"
    assert run(python(works), 60).status == 0
    assert (tmp_path / "done").exists()


def test_a_command_of_a_release_has_no_terminal_and_cannot_gain_rights(box: Box) -> None:
    looks = (
        "import os; print(os.getsid(0) == os.getpid());"
        "print([line for line in open('/proc/self/status') if 'NoNewPrivs' in line])"
    )
    seen = as_service(box, python(looks), 60).output.splitlines()
    assert seen[0] == "True"
    assert os.geteuid() or seen[1] == "['NoNewPrivs:\\t1\\n']"


def test_what_a_release_prints_does_nothing_to_a_terminal() -> None:
    assert last_line("a reason\x1b]0;x\x07\x1b[2J\n\x1b\n") == "a reason]0;x[2J"
    assert len(last_line("x" * 5000)) == 300
    assert last_line("\n \n") == "no reason was given"


def test_a_command_that_is_not_there_is_a_reason() -> None:
    with pytest.raises(ReleaseError, match="/nowhere does not start: No such file"):
        run(["/nowhere"], 1)


def test_a_release_is_in_no_group_unless_root_asks_for_it_at_a_terminal(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "setpriv", 'echo "$*"')
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setitem(box_command.VARIABLES, "PATH", f"{tmp_path}:/usr/bin:/bin")
    asked = as_service(box, ["true"], 60).output.split()
    assert "--clear-groups" in asked
    assert "--init-groups" not in asked
    assert "--init-groups" in without_rights(box, ["true"], in_groups=True)
