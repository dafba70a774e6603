"""A release on trial: whatever ends the trial, what served before serves again."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from box_paths import Box, locked
from box_releases import COMPLETE, link, make, prune, served, served_before, switch
from box_trial import NothingServesError, SteppedBackError, serve, settle
from box_update import settle_trial

from tests.updates.boxes import (
    ELSEWHERE,
    ID,
    ask_back,
    machine,
    release,
    script,
    status_of,
    systemctl,
    wheels,
)

HELPER = Path(__file__).parent.parent.parent / "packaging" / "helper"


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return machine(tmp_path)


@pytest.fixture
def two(box: Box) -> tuple[Path, Path]:
    """The release that serves, and the one before."""
    new, old = release(box, "new", "2.0"), release(box, "old", "1.0")
    link(box, new, old)
    return new, old


def test_an_update_goes_on_where_its_status_cannot_be_written(
    box: Box, two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = two
    replace = os.replace

    def full(source: object, target: object, **folders: int) -> None:
        if folders:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)  # type: ignore[arg-type]

    (box.spool / "status.json").write_text("{}")
    monkeypatch.setattr(os, "replace", full)
    assert ask_back(box) == {}
    assert (served(box), served_before(box)) == (old, new)
    assert not box.mark.exists()


def test_an_error_after_the_switch_leads_back(
    box: Box, two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.systemd.mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "without-systemctl"))
    assert not ask_back(box)["ok"]
    assert (served(box), served_before(box)) == two
    assert not box.mark.exists()


def test_a_signal_after_the_switch_leads_back(
    box: Box, two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = two
    called = tmp_path / "called"
    monkeypatch.setenv(
        "PATH",
        systemctl(
            box,
            tmp_path,
            f'echo "$*" >>{called}',
            '[ "$1" = restart ] && kill -INT $PPID',
        ),
    )
    with pytest.raises(KeyboardInterrupt):
        serve(box, old)
    assert (served(box), served_before(box)) == (new, old)
    assert not box.mark.exists()


KILLED = """
import sys
from pathlib import Path
from box_paths import Box
from box_trial import serve
folder = Path(sys.argv[1])
box = Box(folder / "home", folder / "state", folder / "spool", "root", "x", folder / "none")
serve(box, box.releases / sys.argv[2], asked="0123456789abcdef")
"""


def killed_in_the_trial_of(box: Box, release: Path, tmp_path: Path) -> None:
    """Begin a trial, and pull the plug once the service is restarted."""
    path = systemctl(box, tmp_path, "kill -KILL $PPID")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), release.name],
        env={"PATH": path, "PYTHONPATH": str(HELPER)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def test_a_trial_that_was_cut_off_is_stepped_back_from_at_the_next_start(
    box: Box, two: tuple[Path, Path], tmp_path: Path
) -> None:
    new, old = two
    killed_in_the_trial_of(box, old, tmp_path)
    assert served(box) == old
    prune(box)
    box.systemd.rmdir()
    settle_trial(box)
    assert (served(box), served_before(box)) == (new, old)
    status = status_of(box)
    assert (status["id"], status["step"], status["done"]) == (ID, "stepped-back", True)
    assert status["reason"] == "the trial of 1.0 was interrupted"


def test_a_step_back_brings_the_earlier_release_back_as_well(box: Box, tmp_path: Path) -> None:
    old, older = release(box, "old"), release(box, "older")
    tried = release(box, "tried", "2.0")
    link(box, old, older)
    killed_in_the_trial_of(box, tried, tmp_path)
    settle_trial(box)
    assert (served(box), served_before(box)) == (old, older)
    assert sorted(box.releases.iterdir()) == [old, older]


def test_a_first_update_that_is_stepped_back_from_leaves_no_earlier_release(
    box: Box, tmp_path: Path
) -> None:
    only, tried = release(box, "only"), release(box, "tried", "2.0")
    switch(box, only)
    killed_in_the_trial_of(box, tried, tmp_path)
    settle(box)
    assert (served(box), served_before(box)) == (only, None)


def test_a_plug_pulled_before_the_switch_changes_nothing(box: Box, two: tuple[Path, Path]) -> None:
    names = {"before": two[0].name, "earlier": two[1].name, "asked": ""}
    box.mark.write_text(json.dumps(names))
    settle(box)
    assert (served(box), served_before(box)) == two
    assert not box.mark.exists()


@pytest.mark.parametrize("content", ["", "{", "{}", '{"before": "gone"}'])
def test_a_mark_that_names_no_release_is_taken_away(
    box: Box, two: tuple[Path, Path], content: str
) -> None:
    box.mark.write_text(content)
    assert settle(box) is not None
    assert (served(box), served_before(box)) == two
    assert not box.mark.exists()


def test_without_a_trial_there_is_nothing_to_step_back_from(
    box: Box, two: tuple[Path, Path]
) -> None:
    settle_trial(box)
    assert (served(box), served_before(box)) == two
    assert list(box.spool.iterdir()) == []


def test_what_a_killed_helper_has_left_is_removed(box: Box, two: tuple[Path, Path]) -> None:
    left = box.releases / ".wheels-killed"
    left.mkdir()
    (left / "a.whl").touch()
    settle_trial(box)
    assert sorted(box.releases.iterdir()) == sorted(two)


def test_a_release_that_fails_its_test_is_not_stepped_back_to(
    box: Box, two: tuple[Path, Path]
) -> None:
    new, old = two
    script(old / "bin/companion", 'echo "the log is newer"', "exit 1")
    status = ask_back(box)
    assert (status["step"], status["reason"]) == (
        "refused",
        "the self-test failed: the log is newer",
    )
    assert (served(box), served_before(box)) == (new, old)


@pytest.mark.parametrize(
    "state",
    ["LoadState=loaded\nActiveState=inactive", "LoadState=masked\nActiveState=active"],
)
def test_a_service_that_was_stopped_is_not_started(
    box: Box,
    two: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    state: str,
) -> None:
    new, old = two
    called = tmp_path / "called"
    monkeypatch.setenv("PATH", systemctl(box, tmp_path, f'echo "$*" >>{called}', state=state))
    status = ask_back(box)
    assert (status["step"], status["done"], status["ok"]) == ("ready", True, True)
    assert (served(box), served_before(box)) == (old, new)
    assert not called.exists()
    assert not box.mark.exists()


@pytest.mark.parametrize("state", ["failed", "activating"])
def test_a_service_that_does_not_come_up_is_tried_with_another_release(
    box: Box,
    two: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    state: str,
) -> None:
    called = tmp_path / "called"
    path = systemctl(box, tmp_path, f'echo "$*" >>{called}', state=f"ActiveState={state}")
    monkeypatch.setenv("PATH", path)
    assert serve(box, two[1])
    assert called.read_text() == "restart no.service\n"


def test_a_release_that_does_not_answer_is_stepped_back_from(
    box: Box, two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = two
    monkeypatch.setenv("PATH", systemctl(box, tmp_path, "exit 0"))
    script(old / "bin/companion", '[ "$2" != --health ]')
    with pytest.raises(SteppedBackError, match=r"1\.0 was started and does not answer"):
        serve(box, old)
    assert (served(box), served_before(box)) == (new, old)


@pytest.fixture
def renewed(box: Box) -> Path:
    """A release made for the Python that Debian has now, beside what served with another one."""
    switch(box, release(box, "2.0", "2.0", python=ELSEWHERE))
    return release(box, "2.0", "2.0")


def test_no_trial_leads_back_to_a_release_of_another_python(
    box: Box, renewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", systemctl(box, tmp_path, "exit 0"))
    script(renewed / "bin/companion", '[ "$2" != --health ]')
    with pytest.raises(NothingServesError, match=r"2\.0 was started and does not answer"):
        serve(box, renewed)
    assert served(box) == renewed
    assert not box.mark.exists()


def test_a_plug_pulled_while_a_release_is_made_for_another_python_leaves_it(
    box: Box, renewed: Path, tmp_path: Path
) -> None:
    killed_in_the_trial_of(box, renewed, tmp_path)
    settle_trial(box)
    assert served(box) == renewed
    assert renewed.is_dir()
    status = status_of(box)
    assert (status["step"], status["done"], status["ok"]) == ("failed", True, False)
    assert status["reason"] == "the trial of 2.0 was interrupted; nothing before it starts"


def test_one_helper_works_at_a_time(box: Box, tmp_path: Path) -> None:
    waits = (
        "import sys; from pathlib import Path; from box_paths import Box, locked\n"
        "with locked(Box(Path(sys.argv[1]))) as ours: print('has it', ours)\n"
    )
    with locked(box) as ours:
        assert ours
        second = subprocess.Popen(
            [sys.executable, "-c", waits, str(box.home)],
            env={"PYTHONPATH": str(HELPER)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert second.stdout is not None
        assert second.stdout.readline() == "waiting for another update to end\n"
        with locked(box, wait=False) as third:
            assert not third
    assert second.communicate()[0] == "has it True\n"
    with locked(box, wait=False) as fourth:
        assert fourth


def test_a_release_is_marked_as_complete_once_it_is_on_the_disk(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[Path]] = []
    monkeypatch.setattr(os, "sync", lambda: seen.append(list(box.releases.glob(f"*/{COMPLETE}"))))
    made = make(box, wheels(tmp_path / "wheels", "2.0"), "2.0")
    assert seen == [[]]
    assert (made / COMPLETE).is_file()
