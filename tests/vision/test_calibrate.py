"""`companion calibrate`: enrolment of dice from labelled stills of the project's own clips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from companion.cli.calibrate import calibrate
from companion.cli.vision import read
from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.box.profile import MOST_PRINTS, Profile, Sheet, load_profile, save_profile
from companion.vision.box.rules import rules_of
from companion.vision.errors import VisionError
from companion.vision.networks.classify import Networks
from companion.vision.opencv import cv2
from companion.vision.pictures.decoding import decode
from companion.vision.pictures.frames import video_frames
from companion.vision.read.enrolled import FEWEST
from companion.vision.read.enrolling import HeldOutResult, LabelledPrint, load_labels, select_prints
from companion.vision.read.reader import Expected, Reader
from models.evaluate_clips import Clip
from tests.vision.conftest import FOLDER
from tests.vision.looks import seen

SHEET = Sheet(size=(640, 360), to_page=((0.4, 0.0, 10.0), (0.0, 0.4, 10.0), (0.0, 0.0, 1.0)))
"""The whole picture shows it."""
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


def run(profile: Path, labels: Path, game: str = "new-york") -> Result:
    return CliRunner().invoke(calibrate, [str(profile), "--game", game, "--from", str(labels)])


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
    assert "held out 12: right 12 before, 12 after" in lines[4]
    assert lines[-1].endswith("not enrolled")  # there are only two prints of it
    found = load_profile(profile)
    assert found.dice["new-york"].keys() == ENROLLED
    assert [len(found.dice["new-york"][face]) for face in (Face.ENERGY, Face.DESTRUCTION)] == [
        4,
        12,
    ]
    words = [str(stills / rows_of(stills)[0]["image"]), "--game", "new-york", "--json"]
    plain, by_prints = (
        json.loads(CliRunner().invoke(read, [*words, *more]).stdout)
        for more in ([], ["--profile", str(profile)])
    )
    assert [die["face"] for die in by_prints["dice"]] == [die["face"] for die in plain["dice"]]
    assert [die["box"] for die in by_prints["dice"]] == [die["box"] for die in plain["dice"]]
    assert by_prints["sure"]


def test_prints_of_other_faces_make_dice_doubtful(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    assert run(profile, stills / "labels.jsonl").exit_code == 0
    dice = load_profile(profile).dice["new-york"]
    turned = {Face.ATTACK: dice[Face.HEAL], Face.HEAL: dice[Face.ATTACK]}
    save_profile(Profile(dice={"new-york": dice | turned}), profile)
    words = [str(stills / rows_of(stills)[0]["image"]), "--game", "new-york", "--json"]
    found = json.loads(CliRunner().invoke(read, [*words, "--profile", str(profile)]).stdout)
    assert not found["sure"]
    assert found["problems"] == ["die_doubtful"]


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


def test_prints_of_one_box_say_nothing_of_the_other_game(stills: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    assert run(profile, stills / "labels.jsonl").exit_code == 0
    words = [str(stills / rows_of(stills)[0]["image"]), "--game", "tokyo", "--json"]
    plain, by_prints = (
        CliRunner().invoke(read, [*words, *more]).stdout
        for more in ([], ["--profile", str(profile)])
    )
    assert plain == by_prints


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
        ([], "no stills of new-york"),
        ([{"image": "36.png", "game": "tokyo", "dice": []}], "no stills of new-york"),
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


def test_empty_lines_are_skipped_and_a_row_without_a_game_counts(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('\n{"image": "a.jpg", "dice": []}\n\n{"image": "b", "game": "x", "dice": []}\n')
    assert [row.image for row in load_labels(path, "new-york")] == ["a.jpg"]


def test_labels_in_another_encoding_are_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_bytes('{"image": "Würfel.png", "dice": []}'.encode("latin-1"))
    with pytest.raises(VisionError) as refusal:
        load_labels(path, "new-york")
    assert refusal.value.key == "error.labels.form"


@pytest.mark.parametrize(
    ("right", "loss", "helps"),
    [
        ((10, 10), (0.2, 0.1), True),
        ((10, 10), (0.2, 0.205), True),
        ((10, 10), (0.2, 0.22), False),
        ((10, 9), (0.2, 0.1), False),
        ((3, 8), (0.9, 0.3), True),
        ((3, 7), (0.9, 0.3), False),
    ],
)
def test_prints_help_that_make_reading_no_worse_and_good(
    right: tuple[int, int], loss: tuple[float, float], helps: bool
) -> None:
    assert HeldOutResult(10, right, loss).helps() == helps


def test_prints_that_do_not_help_are_not_kept() -> None:
    prints = [
        LabelledPrint(str(n), face, seen(), b"")
        for n in range(5)
        for face in (Face.HEAL, Face.OUCH)
    ]
    found = {
        Face.HEAL: HeldOutResult(5, (5, 5), (0, 0)),
        Face.OUCH: HeldOutResult(5, (5, 4), (0, 0)),
    }
    assert select_prints(prints, found).keys() == {Face.HEAL}


@pytest.mark.parametrize(("count", "left"), [(FEWEST - 1, 0), (FEWEST, FEWEST), (99, MOST_PRINTS)])
def test_few_prints_are_none_and_of_many_some_from_first_to_last(count: int, left: int) -> None:
    prints = [LabelledPrint(str(n), Face.HEAL, seen(), str(n).encode()) for n in range(count)]
    helps = {Face.HEAL: HeldOutResult(count, (count, count), (0.0, 0.0))}
    found = select_prints(prints, helps).get(Face.HEAL, ())
    assert len(found) == left
    assert len(set(found)) == left
    assert not found or (found[0], found[-1]) == (b"0", str(count - 1).encode())


def test_a_print_that_is_no_picture_is_named() -> None:
    with pytest.raises(VisionError) as refusal:
        Reader.shipped(Profile(dice={"new-york": {Face.OUCH: (b"no picture",)}}))
    assert (refusal.value.key, refusal.value.params) == ("error.profile.print", {"face": "ouch"})


def test_a_profile_that_cannot_be_written_is_as_it_was(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    save_profile(Profile(sheet=SHEET), profile)
    (tmp_path / "profile.json.part").mkdir()
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
