"""A test finds its own reader among the other processes of a test run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.vision.camera import CHILD
from companion.vision.readings import CameraState
from tests.readers import Readers
from tests.vision.fakes import Scripted
from tests.vision.process.test_camera import camera, scripted
from tests.waiting import wait_until

__all__ = ["scripted"]


def test_the_children_of_other_tests_are_no_readers_of_this_one(
    scripted: Callable[..., Scripted],
) -> None:
    readers = Readers()
    with (
        subprocess.Popen(["cat"], stdin=subprocess.PIPE),
        subprocess.Popen(["true"]) as ended,
        camera(scripted("good")) as (_, reports),
    ):
        state = Path("/proc", str(ended.pid), "stat")
        wait_until(lambda: state.read_text().rpartition(")")[2].split()[0] == "Z")
        reports.camera(CameraState.OK)
        pid = readers.only()
        assert pid != ended.pid
        assert Readers().running() == set(), "it ran before"
    assert readers.running() == set()
    assert not Path("/proc", str(pid)).exists()


def test_none_and_two_readers_are_not_the_only_one(scripted: Callable[..., Scripted]) -> None:
    readers = Readers()
    with pytest.raises(ValueError, match="unpack"):
        readers.only()
    stand_in = ["sh", "-c", "cat; true", CHILD]
    with (
        subprocess.Popen(stand_in, stdin=subprocess.PIPE),
        camera(scripted("good")) as (_, reports),
    ):
        reports.camera(CameraState.OK)
        with pytest.raises(ValueError, match="unpack"):
            readers.only()
