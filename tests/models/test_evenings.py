"""Evenings of rolls, read by a reader that learns from the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.networks.classify import Networks
from models.dataset import Picture
from models.measure.boxes import box_lines, read_boxes
from models.measure.counting import Still, still_of
from models.measure.evenings import PARTS, read_evenings
from models.measure.mislabelled import exchanged, mislabelled_lines, read_mislabelled
from models.measure.report import evening_lines, of_evenings
from models.scene.camera import compressed
from models.scene.mixes import ROLL
from models.scene.render import arrange, draw, throw_again
from tests.models.scenes import own_assets

ROLLS = 7


@pytest.fixture(scope="module")
def stills() -> list[Still]:
    """Render the first rolls of an evening, a little out of focus, so that their faces
    are doubted.
    """
    rng = np.random.default_rng(3)
    scene = arrange(own_assets(), rng, (960, 540), (40, 44), ROLL)
    found = []
    for number in range(ROLLS):
        done = draw(throw_again(scene, rng, ROLL), rng)
        shot, labels = done.photograph(rng, 2.0)
        jpeg = np.frombuffer(compressed(shot, rng), np.uint8)
        found.append(still_of(Picture(jpeg, labels, ("fit", "tilt:0-9")), f"roll-{number}"))
    return found


@pytest.fixture(scope="module")
def networks() -> Networks:
    return Networks(resource_dir("models"))


def test_a_roll_is_known_when_the_second_after_it_is_read(
    stills: list[Still], networks: Networks
) -> None:
    found = read_evenings(stills, networks)
    for tallies in (found.learning, found.not_learning):
        assert [results.rolls.fit for results in tallies] == [ROLLS, 2, ROLLS - 2, 0]
    learning, plain = (
        [results.chances for results in part] for part in (found.learning, found.not_learning)
    )
    assert len(learning[0]) == len(plain[0]) == sum(len(still.dice) for still in stills)
    assert learning[1] == plain[1]
    assert learning[2] != plain[2]
    assert of_evenings(found)["evening_rolls"] == ROLLS


def test_what_is_not_fit_and_not_sure_teaches_nothing(
    stills: list[Still], networks: Networks
) -> None:
    unfit = [replace(still, is_fit=False, thrown=(still.thrown or 0) + 1) for still in stills[:-2]]
    found = read_evenings([*unfit, *stills[-2:]], networks)
    rolls = found.learning[0].rolls
    assert (rolls.others, rolls.others_sure) == (len(unfit), 0)
    assert found.learning[0].chances == found.not_learning[0].chances


def test_an_enrolled_box_is_read_by_its_prints_but_not_where_these_are_from(
    stills: list[Still], networks: Networks
) -> None:
    found = read_boxes(stills, networks, (3,))
    none, some = found.enrolled[0], found.enrolled[3]
    assert found.boxes == 1
    assert 0 < none.rolls.total == some.rolls.total < ROLLS
    assert some.rolls.top >= none.rolls.top
    assert some.chances != none.chances
    lines = list(box_lines(found))
    assert lines[0].startswith("1 boxes")
    assert sum(line.endswith("views of each face:") for line in lines) == 2


def test_wrong_labels_among_the_views_of_a_box_are_counted_as_named_or_not(
    stills: list[Still], networks: Networks
) -> None:
    found = read_mislabelled(stills, networks, 3)
    assert found.boxes == 1
    assert found.exchanged == round(0.1 * found.labels) > 0
    assert 0 <= found.named <= found.exchanged
    assert 0 < found.right.rolls.total == found.wrong.rolls.total < ROLLS
    lines = list(mislabelled_lines(found))
    assert f"/{found.exchanged} = " in lines[1]
    assert lines[3] == "all labels right:"


def test_a_tenth_of_the_labels_is_exchanged_for_other_faces_of_the_box() -> None:
    faces = [Face.HEAL, Face.ATTACK, Face.ENERGY] * 10
    wrong = exchanged(faces, np.random.default_rng(4))
    assert sum(one is not other for one, other in zip(faces, wrong, strict=True)) == 3
    assert set(wrong) == set(faces)


def test_the_report_has_two_rows_for_each_part(stills: list[Still], networks: Networks) -> None:
    lines = list(evening_lines(read_evenings(stills[:3], networks)))
    rows = [line for line in lines if "| taught |" in line or "| nothing learnt |" in line]
    assert len(rows) == 2 * len(PARTS)
    assert rows[0].startswith("| 1 to 50 | taught | 3/3 = 100.0%")
    assert rows[3].startswith("| 1 to 2 | nothing learnt | 2/2 = 100.0%")
    assert lines[-1] == "Silent errors: none."
