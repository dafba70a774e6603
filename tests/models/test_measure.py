"""How readings are counted, and what the measured bounds let pass."""

from __future__ import annotations

from dataclasses import replace

import cv2
import msgspec
import numpy as np
import pytest

from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.networks.classify import Networks
from companion.vision.networks.contract import load_contract
from companion.vision.pictures import Floats
from companion.vision.read.reader import FEWEST
from companion.vision.read.seen import SeenDie
from companion.vision.readings import Colour, DiceReading, DieReading, ReadingProblem
from models.dataset import EVENING, Picture
from models.measure.boxes import box_lines, read_boxes
from models.measure.counting import (
    BLIND,
    ENROL,
    Curve,
    Results,
    Still,
    TrueDie,
    calibration_error,
    count,
    evenings_of,
    read_evenings,
    report,
    still_of,
    without_count,
)
from models.measure.enrolment import (
    enrolled_prints,
    fit_weights,
    known_prints,
    with_prints,
)
from models.measure.report import of_evenings
from models.measure.sure import LEAST_SURE, StillLooks, outcomes, sure_from
from models.scene.camera import compressed
from models.scene.mixes import ROLL
from models.scene.render import Label, arrange, draw, throw_again
from models.terms import TERMS
from tests.models.scenes import own_assets
from tests.vision.looks import SIZE, cubes, faces, roll, seen


def a_die(face: Face | None, x: int, confidence: float = 0.9) -> DieReading:
    return DieReading(
        face=face, confidence=confidence, colour=Colour.BLACK, box=(x, 0, 40, 40), flat=True
    )


def a_reading(*dice: DieReading, sure: bool) -> DiceReading:
    problems = () if sure else (ReadingProblem.DOUBTFUL,)
    return DiceReading(
        game="tokyo", dice=dice, problems=problems, sure=sure, frame=0, at_s=0.0, size=(400, 100)
    )


def a_still(*faces: str, is_fit: bool = True, leaning: int | None = None) -> Still:
    dice = tuple(
        TrueDie(face, (i * 80 + 20.0, 20.0), (i * 80.0, 0.0, 40.0, 40.0), True, flat=i != leaning)
        for i, face in enumerate(faces)
    )
    return Still("a.jpg", np.zeros((100, 400, 3), np.uint8), "tokyo", ("dim",), is_fit, dice)


def a_picture(count: int, contrast: float = 255.0) -> Picture:
    """Make a picture of this number of dice, 40 px wide, all flat and whole."""
    square = np.array([[0, 0], [40, 0], [40, 40], [0, 40]], np.float32)
    labels = tuple(
        Label("heal", "black", square + 60 * n, square + 60 * n, True, 1.0, 1.0, "", contrast)
        for n in range(count)
    )
    jpeg = cv2.imencode(".jpg", np.zeros((600, 600, 3), np.uint8))[1]
    return Picture(jpeg.tobytes(), labels)


def test_five_dice_are_a_roll_for_who_knows_that_five_were_thrown() -> None:
    five, six = still_of(a_picture(5), "five"), still_of(a_picture(6), "six")
    assert (five.thrown, five.is_fit) == (5, True)
    assert (without_count(five).thrown, without_count(five).is_fit) == (None, False)
    assert without_count(six).is_fit


def test_a_blinded_die_is_not_counted_and_its_roll_is_not_fit() -> None:
    just, under = (still_of(a_picture(6, BLIND - less), "roll") for less in (0, 0.1))
    assert just.is_fit
    assert all(die.countable for die in just.dice)
    assert not under.is_fit
    assert not any(die.countable for die in under.dice)
    assert under.tags == ("blinded",)


def test_each_true_die_is_right_doubtful_wrong_or_missed() -> None:
    results = Results()
    reading = a_reading(
        a_die(Face.HEAL, 2), a_die(None, 81), a_die(Face.ONE, 159), a_die(Face.TWO, 350), sure=False
    )
    count(results, a_still("heal", "energy", "two", "three"), reading)
    assert results.dice == {"right": 1, "doubtful": 1, "wrong": 1, "missed": 1}
    assert results.extra == 1
    assert results.silent == []


def test_a_wrong_face_called_sure_is_a_silent_error() -> None:
    results = Results()
    count(results, a_still("heal"), a_reading(a_die(Face.ONE, 0), sure=True))
    assert results.silent == ["a.jpg dim"]


def test_a_sure_roll_of_another_number_is_a_silent_error() -> None:
    results = Results()
    hidden = a_still("heal", "one", is_fit=False)
    count(results, hidden, a_reading(a_die(Face.HEAL, 0), sure=True))
    one = a_still("heal", is_fit=False)
    both = (a_die(Face.HEAL, 0), a_die(Face.ONE, 200))
    count(results, one, a_reading(*both, sure=True))
    assert len(results.silent) == 2


def test_a_sure_roll_with_a_die_that_must_be_thrown_again_is_a_silent_error() -> None:
    """Whatever its faces: it leans, or is another game's."""
    results = Results()
    dice = (a_die(Face.HEAL, 2), a_die(Face.ONE, 81))
    leaning = a_still("heal", "one", is_fit=False, leaning=1)
    count(results, leaning, a_reading(*dice, sure=True))
    foreign = a_still("heal", "foreign", is_fit=False)
    count(results, foreign, a_reading(*dice, sure=True))
    assert len(results.silent) == 2
    assert (results.rolls.refuse, results.rolls.refused) == (2, 0)


def test_a_roll_that_must_be_refused_counts_neither_for_nor_against_coverage() -> None:
    results = Results()
    leaning = a_still("heal", is_fit=False, leaning=0)
    count(results, leaning, a_reading(a_die(Face.HEAL, 0), sure=False))
    assert (results.rolls.fit, results.rolls.refuse, results.rolls.refused) == (0, 1, 1)
    assert results.rolls.silent == 0


def test_the_calibration_error_is_how_far_confidence_is_from_being_right() -> None:
    honest = [(0.75, place % 4 != 0) for place in range(400)]
    assert calibration_error(honest, bins=1) < 0.001
    assert abs(calibration_error([(0.9, False)] * 20) - 0.9) < 1e-9


def test_evenings_are_grouped_by_their_rolls_with_or_without_stills_to_enrol_from() -> None:
    box = [{ENROL}] * 10 + [set[str]()] * EVENING
    groups = list(evenings_of([*box, *box[10:], *box[:13]], lambda tags: tags))
    assert [len(group) for group in groups] == [EVENING + 10, EVENING, 13]
    assert sum(ENROL in tags for tags in groups[0]) == 10
    assert not any(ENROL in tags for tags in groups[1])


def test_another_games_dice_are_counted_by_what_they_are_read_as() -> None:
    still = a_still("foreign", "heal", "foreign", "foreign")
    dice = tuple(
        replace(die, countable=die.face == "heal", drawing=drawing)
        for die, drawing in zip(
            still.dice, ("icons:a:x", "own:round", "icons:b:y", "letters:tamil:k"), strict=True
        )
    )
    results = Results()
    read = a_reading(
        a_die(Face.HEAL, 0),
        a_die(Face.HEAL, 80),
        msgspec.structs.replace(a_die(Face.ATTACK, 160), problem=ReadingProblem.DOUBTFUL),
        a_die(None, 240),
        sure=False,
    )
    count(results, replace(still, dice=dice), read)
    assert results.strangers["icons"] == {"a face": 1, "a face with a problem": 1}
    assert results.strangers["letters"] == {"no face": 1}
    assert any("another game's read as a face: 1/3" in line for line in report(results))


FACES = tuple(Face)[:6]
BLANK = np.zeros((1, 1, 3), np.uint8)
STRANGE = (12, 30)
"""The rolls in which a die is another game's."""


def towards(*places: int) -> Floats:
    """Make a (64,) unit vector between the axes of these numbers."""
    vector = np.zeros(64, np.float32)
    vector[list(places)] = 1
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def row(number: int, foreign: int | None = None, doubt: float = 0.2) -> StillLooks:
    """Make a roll of six doubtful dice, each with another face; its prints vary a little with the
    roll. One may be a foreign die that is taken for the face.
    """
    dice: list[SeenDie] = []
    labels = []
    for place, (cube, face) in enumerate(zip(cubes(6), FACES, strict=True)):
        is_own = place != foreign
        chances = faces(face, 1 - doubt, reject=doubt)
        vector = towards(place if is_own else 30 + place) + 0.2 * towards(40 + number % 20)
        die = replace(
            seen(cube),
            faces=chances,
            reject=doubt,
            embedding=np.asarray(vector / np.linalg.norm(vector), np.float32),
        )
        dice.append(die)
        labels.append(
            Label(face if is_own else "foreign", "black", die.quad, die.base, True, 1.0, 1.0,
                  f"{face}-a", 90.0)
        )  # fmt: skip
    still = Still(f"roll-{number}", BLANK, "new-york", (), foreign is None, (), 6)
    return StillLooks(still, tuple(labels), tuple(dice), tuple(dice), SIZE)


ROWS = [row(n, foreign=n % 6 if n in STRANGE else None) for n in range(EVENING)]


def known(rows: list[StillLooks], face: Face) -> list[int]:
    """The number of known prints of the face when each roll is read."""
    return [len(box.get(face, ())) for box in known_prints(rows, TERMS)]


def test_a_roll_counts_when_the_second_after_it_is_read() -> None:
    """A face is known from FEWEST prints on."""
    assert known(ROWS[:6], Face.ATTACK) == [0, 0, 0, 0, FEWEST, FEWEST + 1]
    place = FACES.index(Face.ATTACK)
    first = known_prints(ROWS[:5], TERMS)[4][Face.ATTACK][0]
    assert first.tolist() == ROWS[0].look[place].embedding.tolist()


def test_a_die_that_cannot_be_seen_well_is_not_learnt() -> None:
    faint = replace(ROWS[0].look[0], contrast=5.0)
    dim = replace(ROWS[0], look=(faint, *ROWS[0].look[1:]))
    found = known_prints([dim, *ROWS[1:5]], TERMS)
    assert found[4].keys() == set(FACES[1:])


def test_what_prints_tell_apart_is_trusted() -> None:
    found = known_prints(ROWS, TERMS)
    terms = fit_weights(ROWS, found, TERMS)
    assert terms.enrolment.prints_weight > 0
    number = STRANGE[1]
    place = number % 6
    own = with_prints(ROWS[number - 1], found[number - 1], terms).look[place]
    strange = with_prints(ROWS[number], found[number], terms).look[place]
    assert own.faces[FACES[place]] > 0.95
    assert strange.faces[FACES[place]] < 0.2


def test_prints_that_are_all_alike_tell_a_strange_sign_from_nothing() -> None:
    blind = [
        replace(one, look=tuple(replace(die, embedding=towards(7)) for die in one.look))
        for one in ROWS
    ]
    found = known_prints(blind, TERMS)
    terms = fit_weights(blind, found, TERMS)
    number = STRANGE[1]
    place = number % 6
    own = with_prints(blind[number - 1], found[number - 1], terms).look[place]
    strange = with_prints(blind[number], found[number], terms).look[place]
    assert strange.faces[FACES[place]] == pytest.approx(own.faces[FACES[place]], abs=1e-3)


def test_an_enrolled_box_has_the_first_views_of_each_face_and_does_not_read_those_again() -> None:
    found = enrolled_prints(ROWS, TERMS, views=5)
    assert found[:5] == [None] * 5
    assert None not in found[5:]
    box = found[5]
    assert box is not None
    assert {len(prints) for prints in box.values()} == {5}
    assert box[FACES[0]][4].tolist() == ROWS[4].look[0].embedding.tolist()


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
        made = Picture(compressed(shot, rng), labels, ("fit", "tilt:0-9"))
        found.append(still_of(made, f"roll-{number}"))
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


CHANCES = [(0.9, False), (0.999, False), (0.95, True), (0.97, False), (0.8, True), (0.85, False)]


def test_without_errors_everything_surer_than_the_first_of_them_is_covered() -> None:
    sure, covered = Curve.of(CHANCES).best(0)
    assert covered == 2
    assert 0.95 < sure <= 0.97


def test_an_error_that_is_allowed_brings_what_lies_between_it_and_the_next() -> None:
    sure, covered = Curve.of(CHANCES).best(1)
    assert covered == 4
    assert 0.8 < sure <= 0.85


def test_from_a_chance_on_only_what_is_right_is_covered() -> None:
    curve = Curve.of(CHANCES)
    assert [curve.covered(sure) for sure in (0.98, 0.95, 0.9, 0.0)] == [1, 2, 3, 4]


SPOILED: dict[str, SeenDie] = {
    "clean": seen(),
    "likely": replace(seen(), faces=faces(chance=0.97)),
    "doubtful": replace(seen(), faces=faces(chance=0.6)),
    "another": replace(seen(), faces=faces(Face.HEAL, 0.6)),
    "leaning": replace(seen(), flat=0.02),
    "perhaps leaning": replace(seen(), flat=0.6),
    "blurred": replace(seen(), sharpness=0.0),
    "leaning and blurred": replace(seen(), flat=0.02, sharpness=0.0),
    "hardly a die": replace(seen(), score=0.05, top=0.5),
}


def a_row(look: str, again: str, first: str = "attack") -> StillLooks:
    """Make a roll of six claws, the first of them spoiled in a look and in the closer one; its
    labels say that die shows the face `first`."""
    looks = [(SPOILED[name], *roll()[1:]) for name in (look, again)]
    names = (first, *["attack"] * 5)
    dice = tuple(
        TrueDie(name, None, die.box(), countable=True)
        for name, die in zip(names, looks[0], strict=True)
    )
    still = Still("roll", np.zeros((1, 1, 3), np.uint8), "new-york", (), True, dice, 6)
    return StillLooks(still, (), looks[0], looks[1], SIZE)


def test_a_sure_roll_with_another_face_is_a_silent_error_by_either_look() -> None:
    terms = load_contract(resource_dir("models"))
    rows = [a_row("clean", "clean"), a_row("clean", "clean", first="heal")]
    assert sorted(outcomes(rows, terms).silent.tolist()) == [False, True]


@pytest.mark.parametrize(("allowed", "covered"), [(0.0, 1), (0.34, 2), (0.67, 3)])
def test_the_bound_lets_no_more_errors_pass_than_allowed(allowed: float, covered: int) -> None:
    curve = Curve.of([(0.999, False), (0.99, True), (0.98, False), (0.97, True), (0.95, False)])
    bound = sure_from(curve, 3, allowed)
    assert curve.covered(bound) == covered
    assert bound > LEAST_SURE
