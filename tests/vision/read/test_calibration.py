"""The printed sheet: drawing it, detecting it, and limiting the reader to the dice on it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from calibration import sheet
from calibration.captures import FOLDER, page
from calibration.measure import calibrate
from calibration.measure import main as measure
from companion.cli import main
from companion.vision.box import PAGE_MM, Sheet, load_profile
from companion.vision.pictures import Frame, cv2, decode
from companion.vision.read.geometry import (
    MARKER_MM,
    MARKERS,
    Calibration,
    detect_markers,
)
from companion.vision.readings import ReadingRow, VisionError
from companion.vision.watch.motion import Motion, MotionState

ROWS = [
    msgspec.json.decode(line, type=ReadingRow)
    for line in (FOLDER / "labels.jsonl").read_bytes().splitlines()
]


def test_the_sheet_that_lies_there_is_the_one_the_script_draws() -> None:
    assert (sheet.FOLDER / "sheet.svg").read_text() == sheet.svg()
    assert (sheet.FOLDER / "sheet.pdf").read_bytes() == sheet.pdf()


def test_every_marker_of_the_printed_page_is_found_where_it_was_drawn() -> None:
    printed = page()
    scale = printed.shape[1] / PAGE_MM[0]
    found = {marker.number: marker.corners[0] / scale for marker in detect_markers(printed)}
    assert found.keys() == MARKERS.keys()
    for number, corner in found.items():
        assert corner == pytest.approx(np.array(MARKERS[number]), abs=0.3)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.image))
def test_a_capture_is_measured_and_only_dice_on_the_sheet_are_read(
    row: ReadingRow, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = FOLDER / str(row.image)
    assert measure(picture) == 0
    profile = tmp_path / "profile.json"
    profile.write_text(capsys.readouterr().out)
    words = [str(picture), "--game", row.game, "--json", "--profile", str(profile)]
    result = CliRunner().invoke(main, ["read", *words])
    output = msgspec.json.decode(result.stdout, type=ReadingRow)
    truth = {die.centre: die.face for die in row.dice}
    assert len(output.dice) == len(truth), "the die beside the sheet does not count"
    for die in output.dice:
        nearest = min(truth, key=lambda c: abs(c[0] - die.centre[0]) + abs(c[1] - die.centre[1]))
        assert die.face in {truth[nearest], None}


def test_a_sheet_fits_pictures_of_another_size_but_not_of_another_shape() -> None:
    sheet = calibrate(decode((FOLDER / str(ROWS[0].image)).read_bytes()))
    assert sheet is not None
    seen = Calibration(sheet)
    middle = np.array([[480.0, 270.0]])
    smaller = seen.scaled_to((480, 270))
    assert smaller.millimetres(middle / 2) == pytest.approx(seen.millimetres(middle))
    with pytest.raises(VisionError) as refusal:
        seen.scaled_to((640, 480))
    assert refusal.value.key == "error.profile.size"


def test_a_marker_with_something_upon_it_may_hide_a_die() -> None:
    at_once = Calibration(Sheet((594, 420), ((0.5, 0, 0), (0, 0.5, 0), (0, 0, 1))))
    first = 2 * (np.array([MARKERS[0]]) + MARKER_MM / 2)
    assert at_once.on_markers(first, {0}).all()
    assert not at_once.on_markers(first, {1}).any()


def test_movement_beside_the_sheet_is_none() -> None:
    half = Calibration(Sheet((594, 420), ((0.5, 0, -140), (0, 0.5, 0), (0, 0, 1))))
    motion = Motion(sheet=half)
    still = np.full((420, 594, 3), 120, np.uint8)
    beside, upon = still.copy(), still.copy()
    beside[100:200, 20:120] = 20
    upon[100:200, 400:500] = 20
    for index in range(10):
        motion.see(Frame(still, index / 20, index))
    assert motion.see(Frame(beside, 0.5, 10)).state is MotionState.STILL
    assert motion.see(Frame(upon, 0.55, 11)).state is MotionState.MOVING


def test_no_sheet_is_no_calibration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blank = tmp_path / "blank.png"
    cv2.imwrite(str(blank), np.full((200, 300, 3), 200, np.uint8))
    assert measure(blank) == 1
    assert measure(tmp_path / "none.png") == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("content", "key", "named"),
    [
        (None, "unreadable", "path"),
        (b"{", "profile.form", "profile"),
        (b'{"size": [1, 2]}', "profile.form", "profile"),
    ],
)
def test_a_profile_that_is_none_is_named(
    tmp_path: Path, content: bytes | None, key: str, named: str
) -> None:
    path = tmp_path / "profile.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VisionError) as refusal:
        load_profile(path)
    assert refusal.value.key == f"error.{key}"
    assert refusal.value.params[named] == str(path)
