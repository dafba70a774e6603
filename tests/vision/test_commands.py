"""`companion read`, `watch` and `calibrate`, called as commands; prints compared."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.engine import RULESETS, Face
from companion.vision.box import Profile, load_profile, save_profile
from companion.vision.pictures import cv2, jpeg
from companion.vision.read.enrolling import LabelledPrint, compare_prints, looks_like
from companion.vision.read.seen import FEWEST
from companion.vision.readings import VisionError
from companion.vision.sources.frames import video_frames
from models.evaluate_clips import Clip
from tests.vision.conftest import FOLDER
from tests.vision.fakes import grain, tray
from tests.vision.images import flat_png, scan_bomb
from tests.vision.looks import seen
from tests.vision.test_sources import served

GAME = next(iter(RULESETS))


def run(command: str, *words: str) -> Result:
    return CliRunner().invoke(main, [command, *words])


@pytest.fixture
def still(tmp_path: Path) -> str:
    path = tmp_path / "tray.jpg"
    path.write_bytes(jpeg(tray()))
    return str(path)


def test_read_prints_one_object_a_picture(still: str) -> None:
    result = run("read", still, still, "--game", GAME, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["image"] for row in rows] == [still, still]
    assert rows[0] == {
        "image": still,
        "game": GAME,
        "sure": False,
        "problems": ["count"],
        "dice": [],
    }


def test_read_is_readable_by_people_too(still: str) -> None:
    result = run("read", still, "--game", GAME, "--expect", "3")
    assert result.stdout == f"{still}: - (not sure) The number of dice is not the expected one.\n"


def test_a_folder_with_a_bad_still_is_watched_and_the_still_named_in_one_line(still: str) -> None:
    folder = Path(still).parent
    (folder / "a.png").write_bytes(flat_png(40_000, 8))
    (folder / "._tray.jpg").write_bytes(b"\0\5\x16\7")
    result = run("watch", str(folder), "--game", GAME, "--fast")
    assert result.exit_code == 0
    (line,) = [line for line in result.stderr.splitlines() if "a.png" in line]
    assert line.startswith(f"Cannot read {folder / 'a.png'}. The picture is 40000 × 8 pixels.")


@pytest.mark.parametrize("encoded", [flat_png(40_000, 8), scan_bomb(4000, 4000, 999)])
def test_a_picture_that_would_end_the_reader_is_one_line_and_exit_2(
    tmp_path: Path, encoded: bytes
) -> None:
    path = tmp_path / "bomb.jpg"
    path.write_bytes(encoded)
    refused("read", str(path), "--game", GAME, names="bomb.jpg")


def test_the_end_of_a_recording_is_said_and_no_failure(still: str) -> None:
    result = run("watch", str(Path(still).parent), "--game", GAME, "--fast")
    assert (result.exit_code, result.stderr) == (0, "The recording has ended.\n")


def test_a_lost_camera_ends_the_command_without_a_request_to_wait() -> None:
    with served("multipart/x-mixed-replace", [jpeg(grain(tray(), n)) for n in range(3)]) as at:
        result = run("watch", f"http://someone:secret@{at}", "--game", GAME)
    assert result.exit_code == 1
    assert "watching has ended" in result.stderr
    assert "tried" not in result.stderr
    assert "secret" not in result.output


def refused(*words: str, names: str) -> None:
    """Check that the command ends with 2 and one line that names the reason."""
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert names in result.stderr


TRAY = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
"""The whole picture."""
PICTURE = cv2.imencode(".png", np.full((64, 64, 3), 90, np.uint8))[1].tobytes()
ENROLLED = {Face.ATTACK, Face.DESTRUCTION, Face.ENERGY, Face.HEAL}
"""The clip's other two faces lie there once."""


@pytest.fixture(scope="module")
def stills(clip: Clip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two stills of each rest of the clip, labelled."""
    folder = tmp_path_factory.mktemp("stills")
    wanted = {throw.settled_frame + step: throw for throw in clip.throws for step in (10, 30)}
    rows = []
    for frame in video_frames(str(FOLDER / clip.clip)):
        if throw := wanted.get(frame.index):
            name = f"{frame.index}.png"
            cv2.imwrite(str(folder / name), frame.image)
            dice = [{"face": die.face, "box": die.box, "flat": die.flat} for die in throw.dice]
            rows.append({"image": name, "game": clip.game, "dice": dice})
    write(folder / "labels.jsonl", rows)
    return folder


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]


def calibrate(profile: Path, labels: Path, game: str = "new-york", partial: bool = True) -> Result:
    """Enrol; the clip shows two faces too seldom to enrol them."""
    words = [str(profile), "--game", game, "--from", str(labels)]
    return CliRunner().invoke(main, ["calibrate", *words, *["--partial"] * partial])


def relabelled(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Write these labels beside the stills."""
    path = folder / "others.jsonl"
    write(path, rows)
    return path


def test_the_dice_are_enrolled_and_read_by_their_prints(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    result = calibrate(profile, stills / "labels.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "36 of 36 dice are seen well",
        "energy", "attack", "heal", "destruction", "celebrity", "ouch",
    ]  # fmt: skip
    assert "held out 12: right 12; enrolled" in lines[4]
    assert lines[-1].endswith("not enrolled")  # there are only two prints of it
    found = load_profile(profile)
    assert found.dice["new-york"].keys() == ENROLLED
    assert [len(found.dice["new-york"][face]) for face in (Face.ENERGY, Face.DESTRUCTION)] == [
        4,
        12,
    ]
    words = [str(stills / rows_of(stills)[0]["image"]), "--game", "new-york", "--json"]
    plain, by_prints = (
        json.loads(CliRunner().invoke(main, ["read", *words, *more]).stdout)
        for more in ([], ["--profile", str(profile)])
    )
    assert [die["face"] for die in by_prints["dice"]] == [die["face"] for die in plain["dice"]]
    assert [die["box"] for die in by_prints["dice"]] == [die["box"] for die in plain["dice"]]
    assert by_prints["sure"]


def test_wrong_labels_are_refused_and_the_profile_stays(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    save_profile(Profile(tray=TRAY), profile)
    before = profile.read_bytes()
    rows = rows_of(stills)
    turned = {"attack": "heal", "heal": "attack", "destruction": "energy", "energy": "destruction"}
    for row in rows[::2]:
        for die in row["dice"]:
            die["face"] = turned.get(die["face"], die["face"])
    result = calibrate(profile, relabelled(stills, rows))
    assert result.exit_code == 1
    assert str(profile) in result.stderr
    assert profile.read_bytes() == before


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "holds no pictures of new-york"),
        ([{"image": "36.png", "game": "tokyo", "dice": []}], "holds no pictures of new-york"),
        ([{"image": "none.png", "dice": []}], "none.png"),
        (
            [{"image": "36.png", "dice": [{"face": "two", "box": [0, 0, 9, 9]}]}],
            "36.png: two is no face",
        ),
        ([{"image": "36.png", "dice": [{"face": "claw", "box": [0, 0, 9, 9]}]}], "Line 1"),
        ([{"image": "36.png"}], "Line 1"),
    ],
)
def test_labels_that_do_not_fit_are_one_line_and_exit_2(
    stills: Path, tmp_path: Path, rows: list[dict[str, Any]], message: str
) -> None:
    profile = tmp_path / "profile.json"
    result = calibrate(profile, relabelled(stills, rows))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not profile.exists()


def prints(face: Face, place: int, count: int) -> list[LabelledPrint]:
    """Prints of a face, all near the axis of that number; no two are equal."""
    found = []
    for number in range(count):
        vector = np.zeros(64, np.float32)
        vector[place], vector[32 + number % 16] = 1.0, 0.25
        die = dataclasses.replace(seen(), embedding=vector / np.linalg.norm(vector))
        found.append(LabelledPrint(face, die, str(number).encode(), str(number)))
    return found


def test_faces_that_are_told_apart_are_enrolled() -> None:
    found = compare_prints(prints(Face.HEAL, 0, 5) + prints(Face.OUCH, 1, 5))
    assert found.keys() == {Face.HEAL, Face.OUCH}
    assert [one.right for one in found.values()] == [5, 5]
    assert all(one.is_enrolled() for one in found.values())


def test_a_print_with_another_faces_label_is_set_aside_and_named() -> None:
    wrong = dataclasses.replace(prints(Face.OUCH, 1, 6)[5], face=Face.HEAL)
    found = compare_prints([*prints(Face.HEAL, 0, 5), *prints(Face.OUCH, 1, 5), wrong])
    assert found[Face.HEAL].odd == (wrong,)
    assert wrong not in found[Face.HEAL].kept
    assert looks_like(wrong, found) is Face.OUCH
    assert found[Face.HEAL].is_enrolled()


def test_unless_all_faces_are_enrolled_nothing_is_changed(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    result = calibrate(profile, stills / "labels.jsonl", partial=False)
    assert result.exit_code == 1
    assert "celebrity, ouch" in result.stderr
    assert not profile.exists()
    known = {Face.CELEBRITY: (PICTURE,) * FEWEST, Face.OUCH: (PICTURE,) * FEWEST}
    save_profile(Profile(dice={"new-york": known}), profile)
    assert calibrate(profile, stills / "labels.jsonl", partial=False).exit_code == 0
    assert load_profile(profile).dice["new-york"].keys() == {*ENROLLED, *known}


def test_a_profile_that_cannot_be_written_is_as_it_was(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    save_profile(Profile(tray=TRAY), profile)
    (tmp_path / "profile.json.new").mkdir()
    with pytest.raises(VisionError) as refusal:
        save_profile(Profile(), profile)
    assert refusal.value.key == "error.profile.unwritable"
    assert load_profile(profile).tray == TRAY
