"""Safe mode: after three failed starts the service does without camera, reader and networks."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from companion.service.app import create_app
from companion.service.machine.supervision import HEALTHY_S, ServiceManager, Starts, Supervision
from companion.service.settings import Safe, Settings
from tests.service.machine.supervised import Supervised, supervised
from tests.service.phone import app_state_of
from tests.service.served import Browser, serving
from tests.service.test_advice import seated, until_roll
from tests.service.test_commands import key_of
from tests.waiting import WITHIN_S


def status(service: Supervised) -> str:
    ready, shown = service.message()
    assert ready == "READY=1"
    return shown.removeprefix("STATUS=")


def test_the_fourth_start_after_three_failed_is_safe_and_the_one_after_it_is_not(
    tmp_path: Path,
) -> None:
    data, stills = tmp_path / "data", tmp_path / "stills"
    stills.mkdir()
    options = ("--camera", str(stills))
    for n in range(3):
        with supervised(data, f"{tmp_path}/{n}", *options) as service:
            assert status(service) == f"Serving at {service.info['url']}"
            shown = service.end(signal.SIGKILL)
            assert "Safe mode" not in shown
    with supervised(data, f"{tmp_path}/safe", *options) as service:
        assert status(service) == f"Safe mode, serving at {service.info['url']}"
        shown = service.end(signal.SIGTERM)
    assert "Safe mode after three failed starts" in shown
    assert "To leave it, restart" in shown
    with supervised(data, f"{tmp_path}/then", *options) as service:
        assert status(service) == f"Serving at {service.info['url']}"


def test_safe_mode_can_be_asked_for_and_forbidden(tmp_path: Path) -> None:
    with supervised(tmp_path / "data", f"{tmp_path}/asked", "--safe") as service:
        assert status(service).startswith("Safe mode")
        assert "start the service without --safe" in service.end(signal.SIGTERM)
    (tmp_path / "data" / "starts").write_text("7")
    with supervised(tmp_path / "data", f"{tmp_path}/forbidden", "--no-safe") as service:
        assert status(service).startswith("Serving")


def test_the_table_says_so_until_the_host_has_seen_it(tmp_path: Path) -> None:
    stills = tmp_path / "stills"
    stills.mkdir()
    settings = Settings(
        data=tmp_path / "data", host="127.0.0.1", port=0, camera=str(stills), safe=Safe.FAILED
    )
    with serving(settings) as served:
        host = Browser(served).join()
        view = host.ask("GET", "/api/state")[1]["view"]
        assert [one["words"]["key"] for one in view["notices"]] == ["machine.safe_mode"]
        assert view["tray"]["camera"] == "none"
        status, answer = host.ask("POST", "/api/seen", {"notice": view["notices"][0]["id"]})
        assert (status, answer["view"]["notices"]) == (200, [])


def test_no_process_is_started_for_photos_and_win_chances(tmp_path: Path) -> None:
    app = create_app(Settings(data=tmp_path, safe=Safe.ASKED))
    until_roll(app, "tokyo")
    ana = seated(app, 0)
    dice = {"faces": ["heal"] * 6}
    assert ana.post("/api/keeps", dice).status_code == 200
    coached = ana.post("/api/coach", dice)
    assert (coached.status_code, key_of(coached)) == (400, "error.safe_mode")
    headers = {"X-Monster-Table": "1", "Origin": "http://localhost", "Content-Type": "image/jpeg"}
    photo = ana.client.post("/api/photo", data=b"no picture", headers=headers)
    assert (photo.status_code, key_of(photo)) == (400, "error.safe_mode")
    assert app_state_of(app).forecasts.pid is None
    app_state_of(app).close()


@pytest.mark.parametrize(
    ("written", "failed"),
    [("", 0), ("0", 0), ("2", 2), ("3", 3), ("x", 0)],
)
def test_only_a_number_is_a_count(tmp_path: Path, written: str, failed: int) -> None:
    (tmp_path / "starts").write_text(written)
    starts = Starts(tmp_path)
    assert (starts.failed, starts.should_be_safe) == (failed, failed >= 3)
    starts.begin()
    assert Starts(tmp_path).failed == failed + 1


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_start(tmp_path: Path) -> None:
    starts = Starts(tmp_path / "nowhere")
    starts.begin()
    starts.went_well()
    assert not (tmp_path / "nowhere").exists()


class Heard(Starts):
    """Starts that wake a loop once they are forgotten."""

    def __init__(self, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(folder)
        self.loop, self.well = loop, asyncio.Event()

    def went_well(self) -> None:
        super().went_well()
        self.loop.call_soon_threadsafe(self.well.set)


def test_after_a_healthy_while_a_kill_counts_no_more(tmp_path: Path) -> None:
    async def run() -> int:
        starts = Heard(tmp_path, asyncio.get_running_loop())
        with Supervision(ServiceManager(), starts, (), healthy_s=0.01) as supervision:
            begun = Starts(tmp_path).failed
            supervision.ready("Serving")
            async with asyncio.timeout(WITHIN_S):
                await starts.well.wait()
            assert Starts(tmp_path).failed == 0  # a kill now leaves no trace
        return begun

    assert asyncio.run(run()) == 1
    assert HEALTHY_S == 60.0


def test_a_run_that_broke_or_never_was_ready_counts_as_failed(tmp_path: Path) -> None:
    with (
        pytest.raises(RuntimeError),
        Supervision(ServiceManager(), Starts(tmp_path), ()),
    ):
        raise RuntimeError
    assert Starts(tmp_path).failed == 1
    with (
        pytest.raises(SystemExit),
        Supervision(ServiceManager(), Starts(tmp_path), ()),
    ):
        raise SystemExit
    assert Starts(tmp_path).failed == 2
