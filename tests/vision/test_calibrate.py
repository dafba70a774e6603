"""`companion calibrate`: enrolment of dice from labelled stills of the project's own clips."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from companion.cli import main
from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.box import MOST_PRINTS, Profile, Sheet, load_profile, rules_of, save_profile
from companion.vision.networks.classify import Networks
from companion.vision.pictures import cv2, decode
from companion.vision.read.enrolling import (
    LabelledPrint,
    compare_prints,
    looks_like,
    select_prints,
)
from companion.vision.read.reader import FEWEST, Expected, Reader
from companion.vision.readings import VisionError
from companion.vision.sources.frames import video_frames
from models.evaluate_clips import Clip
from tests.vision.conftest import FOLDER
from tests.vision.looks import seen

SHEET = Sheet(size=(640, 360), to_page=((0.4, 0.0, 10.0), (0.0, 0.4, 10.0), (0.0, 0.0, 1.0)))
"""The whole picture shows it."""
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


def run(profile: Path, labels: Path, game: str = "new-york", partial: bool = True) -> Result:
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
    result = run(profile, stills / "labels.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "36 of 36 dice are seen well",
        "energy", "attack", "heal", "destruction", "celebrity", "ouch",
    ]  # fmt: skip
    assert "held out 12: right 12, alike 0.9" in lines[4]
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


def test_any_print_may_stand_for_any_face(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    assert run(profile, stills / "labels.jsonl").exit_code == 0
    dice = load_profile(profile).dice["new-york"]
    turned = {Face.ATTACK: dice[Face.HEAL], Face.HEAL: dice[Face.ATTACK]}
    save_profile(Profile(dice={"new-york": dice | turned}), profile)
    row = rows_of(stills)[0]
    words = [str(stills / row["image"]), "--game", "new-york", "--json"]
    found = json.loads(CliRunner().invoke(main, ["read", *words, "--profile", str(profile)]).stdout)
    swapped = {"attack": "heal", "heal": "attack"}
    shown = sorted(die["face"] for die in row["dice"])
    assert {"attack", "heal"} <= set(shown)
    assert sorted(swapped.get(die["face"], die["face"]) for die in found["dice"]) == shown


def test_only_rolls_of_known_faces_are_judged_by_their_own_bounds(
    stills: Path, tmp_path: Path
) -> None:
    profile = tmp_path / "profile.json"
    assert run(profile, stills / "labels.jsonl").exit_code == 0
    known = load_profile(profile).dice["new-york"]
    part = dict(known)
    del part[Face.HEAL]
    networks = Networks(resource_dir("models"))
    strict = replace(networks.contract.enrolment, sure=1.0)  # no roll is so sure
    networks = networks.with_contract(replace(networks.contract, enrolment=strict))
    still = rows_of(stills)[2]
    shown = {die["face"] for die in still["dice"]}
    assert Face.HEAL in shown <= known.keys()
    image = decode((stills / still["image"]).read_bytes())
    expected = Expected(rules_of("new-york"))
    by_part, by_all = (
        Reader(networks, Profile(dice={"new-york": faces})).read(image, expected)
        for faces in (part, known)
    )
    assert by_part.sure
    assert not by_all.sure


def test_wrong_labels_are_refused_and_the_profile_stays(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    save_profile(Profile(sheet=SHEET), profile)
    before = profile.read_bytes()
    rows = rows_of(stills)
    turned = {"attack": "heal", "heal": "attack", "destruction": "energy", "energy": "destruction"}
    for row in rows[::2]:
        for die in row["dice"]:
            die["face"] = turned.get(die["face"], die["face"])
    result = run(profile, relabelled(stills, rows))
    assert result.exit_code == 1
    assert str(profile) in result.stderr
    assert profile.read_bytes() == before


def test_the_sheet_stays_in_the_profile(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    save_profile(Profile(sheet=SHEET), profile)
    assert run(profile, stills / "labels.jsonl").exit_code == 0
    assert load_profile(profile).sheet == SHEET


def test_stills_of_another_game_and_dice_of_no_known_face_are_left_out(
    stills: Path, tmp_path: Path
) -> None:
    rows = rows_of(stills)
    rows[0]["game"] = "tokyo"
    rows[1]["dice"][0]["face"] = None
    rows[1]["dice"][1]["flat"] = False
    result = run(tmp_path / "profile.json", relabelled(stills, rows))
    assert result.exit_code == 0
    assert "28 of 30 dice are seen well" in result.stdout


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
    result = run(profile, relabelled(stills, rows))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not profile.exists()


def test_labels_that_are_not_there_and_an_unknown_game_are_refused(tmp_path: Path) -> None:
    assert run(tmp_path / "p.json", tmp_path / "none.jsonl").exit_code == 2
    assert run(tmp_path / "p.json", tmp_path / "none.jsonl", "chess").exit_code == 2


def prints(face: Face, place: int, count: int) -> list[LabelledPrint]:
    """Prints of a face, all near the axis of that number; no two are equal."""
    found = []
    for number in range(count):
        vector = np.zeros(64, np.float32)
        vector[place], vector[32 + number % 16] = 1.0, 0.25
        die = dataclasses.replace(seen(), embedding=vector / np.linalg.norm(vector))
        found.append(LabelledPrint(face, die, str(number).encode(), str(number)))
    return found


def test_faces_that_are_told_apart_are_enrolled_and_the_nearest_is_named() -> None:
    found = compare_prints(prints(Face.HEAL, 0, 5) + prints(Face.OUCH, 1, 5))
    assert found.keys() == {Face.HEAL, Face.OUCH}
    for face, other in ((Face.HEAL, Face.OUCH), (Face.OUCH, Face.HEAL)):
        assert (found[face].right, found[face].nearest) == (5, other)
        assert found[face].alike > 0.9 > found[face].nearest_alike
        assert found[face].is_enrolled()


def test_a_print_with_another_faces_label_is_set_aside_and_named() -> None:
    wrong = dataclasses.replace(prints(Face.OUCH, 1, 6)[5], face=Face.HEAL)
    found = compare_prints([*prints(Face.HEAL, 0, 5), *prints(Face.OUCH, 1, 5), wrong])
    assert found[Face.HEAL].odd == (wrong,)
    assert wrong not in found[Face.HEAL].kept
    assert looks_like(wrong, found) is Face.OUCH
    assert found[Face.HEAL].is_enrolled()


def test_a_face_of_which_half_is_mislabelled_is_not_enrolled() -> None:
    wrong = [dataclasses.replace(one, face=Face.HEAL) for one in prints(Face.OUCH, 1, 9)[5:]]
    found = compare_prints([*prints(Face.HEAL, 0, 4), *prints(Face.OUCH, 1, 5), *wrong])
    assert not found[Face.HEAL].is_enrolled()
    assert found[Face.OUCH].is_enrolled()


def test_faces_that_look_the_same_are_not_enrolled() -> None:
    found = compare_prints(prints(Face.HEAL, 0, 5) + prints(Face.OUCH, 0, 5))
    assert not any(face.is_enrolled() for face in found.values())


@pytest.mark.parametrize(("count", "left"), [(FEWEST, FEWEST), (99, MOST_PRINTS)])
def test_of_many_prints_some_are_kept_from_first_to_last(count: int, left: int) -> None:
    (face,) = compare_prints(prints(Face.HEAL, 0, count)).values()
    found = select_prints(face)
    assert len(set(found)) == len(found) == left
    assert (found[0], found[-1]) == (b"0", str(count - 1).encode())


def test_unless_all_faces_are_enrolled_nothing_is_changed(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    result = run(profile, stills / "labels.jsonl", partial=False)
    assert result.exit_code == 1
    assert "celebrity, ouch" in result.stderr
    assert "celebrity, ouch" in result.stderr
    assert not profile.exists()
    known = {Face.CELEBRITY: (PICTURE,) * FEWEST, Face.OUCH: (PICTURE,) * FEWEST}
    save_profile(Profile(dice={"new-york": known}), profile)
    assert run(profile, stills / "labels.jsonl", partial=False).exit_code == 0
    assert load_profile(profile).dice["new-york"].keys() == {*ENROLLED, *known}


def test_a_profile_that_cannot_be_written_is_as_it_was(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    save_profile(Profile(sheet=SHEET), profile)
    (tmp_path / "profile.json.new").mkdir()
    with pytest.raises(VisionError) as refusal:
        save_profile(Profile(), profile)
    assert refusal.value.key == "error.profile.unwritable"
    assert load_profile(profile).sheet == SHEET


def test_faces_enrolled_before_stay(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    assert run(profile, stills / "labels.jsonl").exit_code == 0
    attack = load_profile(profile).dice["new-york"][Face.ATTACK]
    save_profile(Profile(dice={"new-york": {Face.OUCH: attack}, "tokyo": {}}), profile)
    assert run(profile, stills / "labels.jsonl").exit_code == 0
    found = load_profile(profile).dice
    assert found["new-york"].keys() == {*ENROLLED, Face.OUCH}
    assert found["tokyo"] == {}
