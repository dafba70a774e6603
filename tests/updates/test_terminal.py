"""The package's command `companion`: what a release gets of root's terminal, and who runs it."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
from box_paths import Box, ReleaseError
from box_releases import OF_PACKAGE, link, switch
from box_terminal import command_for, passed_on, run_apart

from tests.updates.boxes import ELSEWHERE, HERE, machine, release

HELPER = Path(__file__).parent.parent.parent / "packaging" / "helper"
SOMEBODY = 54321

RUN_APART = """
import os, sys
from box_terminal import run_apart
sys.exit(run_apart([sys.executable, "-c", *sys.argv[1:]], {"PATH": os.environ["PATH"]}))
"""
LOOKS = """
import fcntl, json, os, termios
def opened(path):
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
names = [os.ttyname(one) if os.isatty(one) else "" for one in (0, 1, 2)]
size = tuple(termios.tcgetwinsize(0)) if names[0] else ()
seen = {"names": names, "session": os.getsid(0), "own": opened("/dev/tty"), "size": size}
print(json.dumps(seen))
"""


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return machine(tmp_path)


class Terminal:
    """A terminal with somebody's session at it, in which a program runs apart."""

    def __init__(self, program: str, **streams: int) -> None:
        self.ours, theirs = pty.openpty()
        self.name = os.ttyname(theirs)
        termios.tcsetwinsize(theirs, (31, 77))
        three = {"stdin": theirs, "stdout": theirs, "stderr": theirs} | streams
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN_APART, program],
            env={"PYTHONPATH": str(HELPER), "PATH": os.environ["PATH"], "SECRET": "1"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
            stdin=three["stdin"],
            stdout=three["stdout"],
            stderr=three["stderr"],
        )
        os.close(theirs)

    def until(self, pattern: str) -> str:
        """Read what is shown until it holds this."""
        seen = ""
        while not re.search(pattern, seen):
            seen += os.read(self.ours, 4096).decode()
        return seen

    def ended(self) -> tuple[int, str]:
        """Return the exit status, and all that is shown."""
        seen = ""
        try:
            while block := os.read(self.ours, 4096):
                seen += block.decode()
        except OSError:
            pass
        os.close(self.ours)
        return self.process.wait(), seen


def found(shown: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(shown.strip())
    return read


def test_a_release_has_another_terminal_than_root() -> None:
    terminal = Terminal(LOOKS)
    status, shown = terminal.ended()
    seen = found(shown)
    assert status == 0
    assert len({*seen["names"]}) == 1
    assert terminal.name not in seen["names"]
    assert seen["session"] != terminal.process.pid
    assert seen["size"] == [31, 77]


def test_what_a_release_types_is_not_typed_into_that_of_root() -> None:
    types = (
        "import fcntl, termios\n"
        "try:\n"
        "    [fcntl.ioctl(0, termios.TIOCSTI, bytes([one])) for one in b'rm x\\n']\n"
        "except OSError: pass\n"
    )
    terminal = Terminal(types)
    root_s = os.open(terminal.name, os.O_RDWR | os.O_NOCTTY)
    terminal.process.wait()
    assert fcntl.ioctl(root_s, termios.FIONREAD, b"\0" * 4) == b"\0" * 4
    os.close(root_s)
    terminal.ended()


@pytest.mark.parametrize(
    ("stream", "own"), [("stdin", (False, True, True)), ("stdout", (False, False, True))]
)
def test_a_stream_that_is_no_terminal_stays_what_it_is(
    stream: str, own: tuple[bool, ...], tmp_path: Path
) -> None:
    with (tmp_path / "stream").open("w+b") as file:
        terminal = Terminal(LOOKS, **{stream: file.fileno()})
        status, shown = terminal.ended()
        file.seek(0)
        seen = found(file.read().decode() or shown)
    assert status == 0
    assert tuple(bool(name) for name in seen["names"]) == own
    assert terminal.name not in seen["names"]


def test_a_pager_that_shows_the_output_keeps_the_keyboard() -> None:
    reads, writes = os.pipe()
    program = (
        "import time; print('runs', flush=True); print([*open(0)], flush=True); time.sleep(600)"
    )
    terminal = Terminal(program, stdout=writes)
    os.close(writes)
    with os.fdopen(reads, "rb") as shown:
        assert shown.readline() == b"runs\n"
        os.write(terminal.ours, b"q\n\x04")
        assert shown.readline() == b"[]\n"
    assert termios.tcgetattr(terminal.ours)[3] & termios.ICANON
    terminal.process.terminate()
    assert terminal.ended()[0] == 128 + signal.SIGTERM


def test_without_a_terminal_a_release_cannot_open_that_of_its_caller() -> None:
    looks = [sys.executable, "-c", RUN_APART, LOOKS]
    ours, theirs = pty.openpty()
    done = subprocess.run(
        looks,
        env={"PYTHONPATH": str(HELPER), "PATH": os.environ["PATH"]},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    os.close(ours)
    os.close(theirs)
    assert found(done.stdout.decode())["own"] is False


def test_what_is_typed_arrives() -> None:
    terminal = Terminal("print('heard', input('name? '))")
    terminal.until(r"name\? ")
    os.write(terminal.ours, "Eyjólfur\r".encode())
    assert "heard Eyjólfur" in terminal.ended()[1]


def test_an_interrupt_ends_the_program_and_leaves_the_terminal_as_it_was() -> None:
    terminal = Terminal("import time; print('runs', flush=True); time.sleep(600)")
    terminal.until("runs")
    os.write(terminal.ours, b"\x03")
    assert terminal.ended()[0] == 128 + signal.SIGINT


def test_a_signal_to_the_command_reaches_the_program() -> None:
    terminal = Terminal("import time; print('runs', flush=True); time.sleep(600)")
    terminal.until("runs")
    terminal.process.terminate()
    assert terminal.ended()[0] == 128 + signal.SIGTERM


def test_a_process_that_is_left_behind_does_not_hold_the_command() -> None:
    leaves = "import subprocess; subprocess.Popen(['sleep', '600']); print('done')"
    status, shown = Terminal(leaves).ended()
    assert (status, shown.strip()) == (0, "done")


def test_a_program_s_exit_status_is_the_command_s() -> None:
    variables = {"PATH": os.environ["PATH"]}
    assert run_apart([sys.executable, "-c", "raise SystemExit(7)"], variables) == 7


def test_root_hands_on_few_of_its_variables(box: Box) -> None:
    given = {
        "SECRET": "1",
        "SSH_AUTH_SOCK": "/x",
        "PYTHONPATH": "/x",
        "PATH": "/x",
        "HOME": "/root",
    }
    own = {
        "MONSTER_TABLE_DATA": str(box.state),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(box.state),
    }
    assert passed_on(box, given) == own
    chosen = {
        "LC_ALL": "is_IS.UTF-8",
        "TERM": "xterm",
        "SUDO_USER": "ann",
        "MONSTER_TABLE_DATA": "/elsewhere",
    }
    assert passed_on(box, given | chosen) == own | chosen


def test_anybody_runs_a_release_that_came_by_dpkg(box: Box) -> None:
    now = release(box, "now")
    switch(box, now)
    with pytest.raises(
        ReleaseError, match=r"not known that apt brought this release.*: use sudo companion"
    ):
        command_for(box, ["cards"], SOMEBODY)
    (now / OF_PACKAGE).touch()
    assert command_for(box, ["cards"], SOMEBODY) == [str(now / "bin/companion"), "cards"]


def test_root_and_the_service_run_any_release(box: Box) -> None:
    now = release(box, "now")
    switch(box, now)
    assert command_for(box, ["cards"], 0) == [str(now / "bin/companion"), "cards"]


@pytest.mark.parametrize(
    ("arguments", "serving"),
    [
        (("update", "--back"), "old"),
        (("update", "--json", "--back"), "old"),
        (("update", "x.deb"), "new"),
        (("doctor", "--back"), "new"),
    ],
)
def test_a_step_back_is_asked_for_by_the_release_before(
    box: Box, arguments: tuple[str, ...], serving: str
) -> None:
    link(box, release(box, "new", "2.0"), release(box, "old"))
    program = str(box.releases / f"{serving}{HERE}" / "bin/companion")
    assert command_for(box, arguments, 0) == [program, *arguments]


def test_a_step_back_is_asked_for_by_a_release_that_starts(box: Box) -> None:
    now = release(box, "new", "2.0")
    link(box, now, release(box, "old", python=ELSEWHERE))
    assert command_for(box, ["update", "--back"], 0)[0] == str(now / "bin/companion")


def test_without_an_earlier_release_the_one_that_serves_is_asked(box: Box) -> None:
    now = release(box, "now")
    switch(box, now)
    assert command_for(box, ["update", "--back"], 0)[0] == str(now / "bin/companion")


def test_without_a_release_the_command_says_what_to_do(box: Box) -> None:
    with pytest.raises(ReleaseError, match=r"sudo apt install --reinstall /tmp/\S+\.deb"):
        command_for(box, [], 0)
