"""The three networks, and what is measured of their crops and solids."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from companion.onnx_runtime import onnxruntime
from companion.resources import resource_dir
from companion.vision.networks.classify import CropMeasures, Networks, measure_crops
from companion.vision.networks.contract import NAME, Network, load_contract
from companion.vision.networks.corners import Solids, leans
from companion.vision.networks.locate import sides, without_parts
from companion.vision.pictures import Image, Pyramid, cv2
from companion.vision.readings import Colour, ReaderError
from tests.vision.looks import SIZE, Cube, corners, cubes


@pytest.fixture(scope="module")
def networks() -> Networks:
    return Networks(resource_dir("models"))


def test_the_networks_are_small_enough_for_a_small_computer() -> None:
    files = list(resource_dir("models").glob("*.onnx"))
    assert len(files) == 3
    assert sum(file.stat().st_size for file in files) <= 3_000_000


def test_every_network_takes_and_gives_what_the_contract_says(networks: Networks) -> None:
    terms = networks.contract
    folder = resource_dir("models")
    maps = Network.load(folder / terms.detector.file, 1).run(np.zeros((2, 3, 96, 160), np.float32))
    assert maps[0].shape == (2, 7, 96 // terms.detector.stride, 160 // terms.detector.stride)
    size = terms.corners.input.width
    corners = Network.load(folder / terms.corners.file, 2).run(
        np.zeros((3, 3, size, size), np.float32)
    )
    assert [part.shape for part in corners] == [(3, 16), (3, 3)]
    size = terms.classifier.input.width
    read = Network.load(folder / terms.classifier.file, 2).run(
        np.zeros((3, 3, size, size), np.float32)
    )
    assert read[0].shape == (3, len(terms.classifier.classes))
    assert np.allclose(np.linalg.norm(read[1], axis=1), 1, atol=1e-4)
    assert read[1].shape == (3, terms.classifier.embedding)


@pytest.mark.parametrize(
    ("name", "shape", "most"), [("detector", (96, 160), 0.5), ("corners", (64, 64), 0.2),
                                ("classifier", (48, 48), 0.1)]
)  # fmt: skip
def test_eight_bits_give_what_they_stand_for_on_any_processor(
    name: str, shape: tuple[int, int], most: float
) -> None:
    """Without optimisation the same network computes in 32 bits; overflowing sums of eight-bit
    products would differ by 0.3 to 7.
    """
    path = resource_dir("models") / f"{name}.onnx"
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    batch = np.random.default_rng(3).normal(size=(4, 3, *shape)).astype(np.float32)
    meant = onnxruntime.InferenceSession(str(path), plain).run(None, {"image": batch})
    given = Network.load(path, len(meant)).run(batch)
    for one, other in zip(given, meant, strict=True):
        assert np.abs(one - other).max() < most


def test_a_network_with_too_few_outputs_is_an_error() -> None:
    folder = resource_dir("models")
    with pytest.raises(ReaderError) as failure:
        Network.load(folder / load_contract(folder).corners.file, 3)
    assert failure.value.key == "error.reader.network"


def test_no_dice_in_an_empty_picture(networks: Networks) -> None:
    empty = np.full((360, 640, 3), 90, np.uint8)
    none = np.zeros((0, 4, 2), np.float32)
    assert len(networks.locator.locate(empty)[0]) == 0
    assert len(networks.refiner.refine(Pyramid(empty), none).quads) == 0
    assert len(networks.classifier.classify(Pyramid(empty), none).probabilities) == 0


def test_a_large_die_is_found_whole(networks: Networks, lying: Image) -> None:
    small, _ = networks.locator.locate(lying)
    x, y = small[0].mean(axis=0).astype(int)
    reach = round(1.3 * float(sides(small[:1])[0]))
    near = lying[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]
    large = np.asarray(cv2.resize(near, (720, 720)), np.uint8)
    assert sides(networks.locator.locate(large)[0]).max() > 0.3 * 720


def test_parts_of_a_large_dies_print_are_no_dice_and_a_die_beside_it_is() -> None:
    square = np.array([[0, 0], [200, 0], [200, 200], [0, 200]], np.float32)
    pip, neighbour = square / 5 + 80, square / 5 + 220
    upper = square * 0.9 + 10
    tops = np.array([0.8, 0.99, 0.9, 0.95], np.float32)
    assert without_parts(np.stack([pip, square, neighbour, upper]), tops).tolist() == [1, 2, 3]
    assert without_parts(np.stack([pip, neighbour]), tops[:2]).tolist() == [0, 1]
    assert without_parts(np.zeros((0, 4, 2), np.float32), tops[:0]).tolist() == []


def test_a_heap_of_dice_goes_and_all_its_dice_stay() -> None:
    heap = np.array([[0, 0], [200, 0], [200, 200], [0, 200]], np.float32)
    sure, faint, printed = heap / 5 + 10, heap / 5 + 120, heap / 20 + 20
    found = np.stack([heap, sure, faint, printed])
    assert without_parts(found, np.array([0.9, 0.99, 0.5, 0.3], np.float32)).tolist() == [1, 2]


def test_a_folder_without_networks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReaderError) as failure:
        Networks(tmp_path)
    assert failure.value.key == "error.reader.missing"


def test_a_malformed_contract_is_an_error(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("{}")
    with pytest.raises(ReaderError) as failure:
        load_contract(tmp_path)
    assert failure.value.key == "error.reader.contract"


def test_a_file_that_is_no_network_is_an_error(tmp_path: Path) -> None:
    contract = load_contract(resource_dir("models"))
    (tmp_path / NAME).write_bytes(msgspec.json.encode(contract))
    (tmp_path / contract.detector.file).write_bytes(b"no network")
    with pytest.raises(ReaderError) as failure:
        Networks(tmp_path)
    assert failure.value.key == "error.reader.network"


CROP = 64


def face(ground: tuple[int, int, int], ink: tuple[int, int, int] | None = None) -> Image:
    """Draw a blank or a printed face, BGR: a ring and a bar, as thick as print is."""
    image = np.full((CROP, CROP, 3), ground, np.uint8)
    if ink is not None:
        cv2.circle(image, (32, 32), 14, ink, 5)
        cv2.line(image, (32, 22), (32, 42), ink, 5)
    return image


def look(image: Image) -> CropMeasures:
    """Measure one face."""
    return measure_crops(image[None])


def test_the_contrast_is_that_of_the_print() -> None:
    faint, clear = look(face((100,) * 3, (120,) * 3)), look(face((30,) * 3, (200,) * 3))
    assert faint.contrast[0] == pytest.approx(20, abs=8)
    assert clear.contrast[0] == pytest.approx(170, abs=30)


def test_light_that_falls_off_across_a_face_is_no_print() -> None:
    slope = np.linspace(60, 220, CROP)[None, :, None]
    image = np.broadcast_to(slope, (CROP, CROP, 3)).astype(np.uint8)
    assert look(image).contrast[0] < 25


def test_only_what_is_overexposed_in_every_colour_is_clipped() -> None:
    assert look(face((255, 255, 120))).clipped[0] == 0
    half = face((60,) * 3)
    half[: CROP // 2] = 255
    assert look(half).clipped[0] == pytest.approx(0.5, abs=0.02)


def test_what_is_out_of_focus_is_less_sharp() -> None:
    sharp = face((30,) * 3, (200,) * 3)
    blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 4), np.uint8)
    assert look(sharp).sharpness[0] > 3 * look(blurred).sharpness[0]


def test_a_green_body_is_distinguished_from_green_print() -> None:
    looks = measure_crops(
        np.stack([face((40, 160, 60), (20,) * 3), face((20,) * 3, (40, 200, 60))])
    )
    assert looks.colours == (Colour.GREEN, Colour.BLACK)


TILTS = [0.0, 20.0, 40.0]


def away(dice: list[Cube], tilt: float, spreads: list[float] | None = None) -> list[float]:
    """Compute the leans of these dice; `spreads` are 1 degree if none are given."""
    seen = [corners(die, tilt) for die in dice]
    quads, bases = (np.array(part, np.float32) for part in zip(*seen, strict=True))
    ones = np.ones(len(dice), np.float32)
    spread_deg = ones if spreads is None else np.array(spreads, np.float32)
    return [float(one) for one in leans(Solids(quads, bases, ones, ones, spread_deg), SIZE)]


@pytest.mark.parametrize("tilt", TILTS)
def test_dice_that_lie_flat_agree(tilt: float) -> None:
    assert max(away(cubes(6), tilt)) < 2


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("lean", [-25.0, 25.0])
def test_a_leaning_die_stands_out_the_more_the_less_it_leans_along_the_line_of_sight(
    tilt: float, lean: float
) -> None:
    dice = [replace(die, lean=lean) if place == 2 else die for place, die in enumerate(cubes(6))]
    found = away(dice, tilt)
    assert found[2] > 25 * np.cos(np.radians(tilt + 25))
    assert found[2] > 3 * max(found[:2] + found[3:])


def test_two_dice_cannot_tell_which_of_them_leans() -> None:
    assert away([cubes(1)[0], replace(cubes(2)[1], lean=25.0)], 20.0) == [0, 0]


READS = """
import sys
from pathlib import Path
from companion.forecast.network import forecaster
from companion.vision.networks.contract import load_session
load_session(Path(sys.argv[1]) / "detector.onnx", 1)
"""


def test_a_network_leaves_no_identifier_of_the_machine_in_the_home(tmp_path: Path) -> None:
    networks = resource_dir("models")
    # Where it believes to be tested the library keeps quiet by itself.
    watched = ("CI", "ORT_", "GITHUB_", "XDG_", "PYTEST_")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(watched)}
    variables |= {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", READS, str(networks)]
    subprocess.run(command, env=variables, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
