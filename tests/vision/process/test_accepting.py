"""What the host decides about a drift reaches the camera's process, and those after it."""

from __future__ import annotations

from collections.abc import Callable

from companion.vision.readings import CameraState
from tests.readers import Readers
from tests.vision.fakes import Scripted
from tests.vision.process.test_camera import Reports, camera, scripted
from tests.waiting import WITHIN_S

__all__ = ["scripted"]


def seen_again(reports: Reports) -> None:
    """Wait until the camera has been opened anew."""
    reports.camera(CameraState.STARTING)
    reports.camera(CameraState.OK)


def test_a_camera_is_opened_again_by_another_process_without_being_lost(
    scripted: Callable[..., Scripted],
) -> None:
    readers = Readers()
    with camera(scripted("good", "good")) as (opened, reports):
        reports.camera(CameraState.OK)
        before = readers.only()
        opened.accept_scene(reopen=True)
        seen_again(reports)
        assert readers.only() != before
        assert opened.state is CameraState.OK
        assert not reports.is_lost()


def test_a_scene_is_accepted_by_the_same_process(scripted: Callable[..., Scripted]) -> None:
    readers = Readers()
    with camera(scripted("good")) as (opened, reports):
        reports.camera(CameraState.OK)
        before = readers.only()
        opened.accept_scene()
        opened.footage().result(WITHIN_S)  # what was sent before is done by then
        assert readers.only() == before
