"""The wait before a start that follows failed ones."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

MAIN = Path(__file__).parent.parent.parent / "packaging" / "helper" / "__main__.py"


@pytest.mark.parametrize(
    ("starts", "pauses"),
    [
        (None, []),
        (b"0", []),
        (b"no", []),
        (b"1", [1]),
        (b"3", [4]),
        (b"7", [60]),
        (b"9999", [60]),
        (b"\xff" * 9, []),
    ],
)
def test_pauses_grow_to_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starts: bytes | None, pauses: list[int]
) -> None:
    slept: list[int] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    if starts is not None:
        (tmp_path / "starts").write_bytes(starts)
    runpy.run_path(str(MAIN))["back_off"](tmp_path)
    assert slept == pauses


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "starts")
    runpy.run_path(str(MAIN))["back_off"](tmp_path)


def test_a_start_needs_nothing_of_a_helper_that_is_half_unpacked(tmp_path: Path) -> None:
    shutil.copy(MAIN, tmp_path)
    command = [sys.executable, "-IB", str(tmp_path)]
    assert subprocess.run([*command, "back-off"], check=False).returncode == 0
    other = subprocess.run([*command, "settle"], capture_output=True, check=False)
    assert b"No module named 'box_main'" in other.stderr
