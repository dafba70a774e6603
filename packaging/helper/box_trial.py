"""A release on trial: until it has answered, a mark on the disk says what serves without it.

The mark is written before the links are changed and taken away after the release has answered. So
whatever ends the trial, be it a failure, a signal or the plug, leads back to the release before:
at once, or by `settle` at the next start.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from box_command import as_service, last_line, run
from box_paths import Box, ReleaseError, sync_folder
from box_releases import COMPLETE, fits, link, served, served_before, switch, version_of

SELF_TEST_S = 180.0
HEALTH_S = 60.0
RESTART_S = 180.0
AGAIN_S = 30.0
ASK_S = 30.0
STOPPED = frozenset({"LoadState=masked", "ActiveState=inactive", "ActiveState=deactivating"})
"""What systemd says of a service that nobody wants now. Between two starts it is activating."""


class SteppedBackError(ReleaseError):
    """The release was switched to and does not serve; the one before serves again."""


class NothingServesError(ReleaseError):
    """Neither the release nor the one before serves."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What served when a trial began, and the request that it answers."""

    before: Path | None
    earlier: Path | None
    asked: str = ""

    @property
    def leads_back(self) -> bool:
        """True where what served before starts; not where Debian has another Python since."""
        return fits(self.before)


def serve(
    box: Box, release: Path, step: Callable[[str], None] = lambda _: None, asked: str = ""
) -> bool:
    """Test a release, let it serve, and step back where it does not. False where the service was
    stopped: then the release serves once somebody starts it.

    ReleaseError where its test fails and nothing was changed, else one of the two above.
    """
    self_test(box, release)
    step("tested")
    before = served(box)
    if before == release:
        return True
    if not is_wanted(box):
        switch(box, release)
        return False
    trial = Trial(before, served_before(box), asked)
    _write_mark(box, trial)
    try:
        switch(box, release)
        step("switched")
        reason = try_out(box, release)
        if not reason:
            _remove_mark(box)
            return True
    except Exception as broken:
        reason = f"{type(broken).__name__}: {broken}"
    except BaseException:
        step_back(box)
        start_again(box)
        raise
    try:
        step_back(box)
    except OSError as stuck:
        raise NothingServesError(f"{reason}; the releases cannot be changed: {stuck}") from stuck
    if before is None or not trial.leads_back:
        raise NothingServesError(reason)
    if worse := try_out(box, before):
        raise NothingServesError(worse)
    raise SteppedBackError(reason)


def settle(box: Box) -> Trial | None:
    """Step back from a trial that was interrupted, and return it; None where there was none.

    Only who holds the lock may ask: a trial that goes on has a mark as well.
    """
    trial = _read_mark(box)
    if trial is not None:
        step_back(box)
    return trial


def step_back(box: Box) -> None:
    """Let what served before the trial serve again, if it starts."""
    trial = _read_mark(box)
    if trial is not None and trial.before is not None and trial.leads_back:
        link(box, trial.before, trial.earlier)
    _remove_mark(box)


def _write_mark(box: Box, trial: Trial) -> None:
    names = {"before": trial.before, "earlier": trial.earlier}
    content: dict[str, str] = {key: path.name for key, path in names.items() if path is not None}
    new = box.mark.with_suffix(".new")
    with new.open("w", encoding="utf-8") as file:
        json.dump(content | {"asked": trial.asked}, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(box.mark)
    sync_folder(box.home)


def _read_mark(box: Box) -> Trial | None:
    try:
        content = json.loads(box.mark.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        content = {}

    def named(key: str) -> Path | None:
        release = box.releases / content.get(key, ".")
        return release if (release / COMPLETE).is_file() else None

    return Trial(named("before"), named("earlier"), content.get("asked", ""))


def _remove_mark(box: Box) -> None:
    box.mark.unlink(missing_ok=True)
    sync_folder(box.home)


def is_wanted(box: Box) -> bool:
    """False where somebody has stopped or masked the service. One that has failed is wanted."""
    if not box.systemd.is_dir():
        return True
    command = ["systemctl", "show", box.unit, "--property=LoadState,ActiveState"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return True  # its start will not succeed either, which is reported
    return not STOPPED & {*done.stdout.splitlines()}


def self_test(box: Box, release: Path) -> None:
    """Try a release beside the one that serves; ReleaseError with why it does not work."""
    companion = str(release / "bin" / "companion")
    test = [companion, "doctor", "--self-test", "--data", str(box.state)]
    done = as_service(box, test, SELF_TEST_S)
    if done.status:
        raise ReleaseError(f"the self-test failed: {last_line(done.output)}")


def try_out(box: Box, release: Path) -> str:
    """Start the release and ask whether it answers; return what is wrong, empty where nothing."""
    if not box.systemd.is_dir():
        return ""
    try:
        _restart(box)
        if _is_healthy(box, release):
            return ""
    except ReleaseError as failed:
        return str(failed)
    return f"{version_of(release)} was started and does not answer"


def _is_healthy(box: Box, release: Path) -> bool:
    companion = str(release / "bin" / "companion")
    ask = [companion, "doctor", "--health", "--data", str(box.state)]
    return as_service(box, ask, HEALTH_S).status == 0


def _restart(box: Box) -> None:
    """Restart the service; ReleaseError where it does not come up."""
    command = ["systemctl", "restart", box.unit]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=RESTART_S, check=False
        )
    except subprocess.TimeoutExpired as slow:
        raise ReleaseError(f"the service did not start within {RESTART_S:.0f} s") from slow
    if done.returncode:
        reason = last_line(done.stderr.partition("\n")[0])
        raise ReleaseError(f"the service does not start: {reason}")


def start_again(box: Box) -> None:
    """Restart the service if it runs, without waiting: it may be about to start after this."""
    if box.systemd.is_dir():
        with suppress(ReleaseError):
            run(["systemctl", "--no-block", "try-restart", box.unit], AGAIN_S)
