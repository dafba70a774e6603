"""What the camera notices between rolls: shown to all, answered by the host."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.service.settings import Settings
from companion.vision.camera import Timeouts, Watchdog
from companion.vision.messages import TrayChanged
from companion.vision.readings import CameraState, Drift, TrayReading, TrayState
from tests.service.served import Browser, Served, serving
from tests.vision.fakes import Scripted
from tests.waiting import WITHIN_S


def answered(browser: Browser, act: str) -> tuple[int, str]:
    status, body = browser.ask("POST", "/api/drift", {"act": act})
    return status, body.get("error", {}).get("key", "")


@pytest.mark.parametrize("act", ["accept", "adjust"])
def test_only_the_host_answers_and_only_where_there_is_a_camera(served: Served, act: str) -> None:
    host = Browser(served).join()
    guest = Browser(served).join()
    assert guest.ask("POST", "/api/seat", {"seat": 0})[0] == 200
    assert answered(guest, act)[0] == 403
    assert answered(host, act) == (400, "error.no_camera")


def test_an_unknown_answer_is_refused(served: Served) -> None:
    assert answered(Browser(served).join(), "ignore")[0] == 400


def test_a_drift_is_in_the_view_while_the_camera_sees_it(tmp_path: Path) -> None:
    source = Scripted(str(tmp_path), ("good", "good"))
    source.node.touch()
    settings = Settings(tmp_path / "data", host="127.0.0.1", port=0)
    with serving(settings, source) as served:
        host = Browser(served).join()
        trays = (m.update().view.tray for m in host.stream() if m.event == "message")
        assert next(tray for tray in trays if tray.camera is CameraState.OK).drift is None
        for act in ("accept", "adjust"):
            assert answered(host, act) == (200, "")
        camera = served.app_state.tray._camera
        assert camera.footage().result(WITHIN_S) is None
        changed = TrayReading(state=TrayState.EMPTY, drift=Drift.MOVED)
        camera._receive(TrayChanged(changed), Watchdog(0.0, Timeouts()))
        assert next(tray for tray in trays if tray.drift is not None).drift is Drift.MOVED
