"""From looks at dice to a verdict: features, geometry, prints, the decision, the closer look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from companion.engine import RULESETS, Face
from companion.resources import resource_dir
from companion.vision.box import DiceRules, Lesson, Profile, rules_of
from companion.vision.networks.classify import Networks
from companion.vision.networks.contract import Enrolment, Evidence, SureFrom, load_contract
from companion.vision.networks.locate import Locator, sides
from companion.vision.pictures import Floats, Frame, Image, cv2, png
from companion.vision.read.decision import (
    DIE_FEATURES,
    FLAT_FEATURES,
    Decider,
    Shape,
    Verdict,
    choose_dice,
    die_features,
    log_odds,
)
from companion.vision.read.geometry import misfits
from companion.vision.read.reader import (
    Expected,
    Reader,
    fuse_with_prints,
    reading_of,
)
from companion.vision.read.seen import FEWEST, FacePrints, SeenDie, Views, prints_of
from companion.vision.readings import ReadingProblem
from models.evaluate_clips import Clip
from models.terms import TERMS
from tests.vision.looks import SIZE, SPOTS, TILT, Cube, corners, cubes, faces, roll, seen, shifted


@pytest.fixture(scope="module")
def decider() -> Decider:
    """A decider whose faces weigh as at the start of a calibration: what is asserted here must hold
    whatever the networks."""
    shipped = load_contract(resource_dir("models"))
    evidence = msgspec.structs.replace(shipped.evidence, face_weights=TERMS.evidence.face_weights)
    return Decider(
        msgspec.structs.replace(
            shipped,
            evidence=evidence,
            enrolment=TERMS.enrolment,
            sure_from=SureFrom(unknown=0.94, known=0.94, strange=0.94),
        )
    )


def rules(fewest: int = 1, most: int = 8) -> DiceRules:
    """Make a game of the first six faces."""
    return DiceRules("a-game", tuple(Face)[:6], fewest, most)


def marked(die: SeenDie, cosine: float) -> SeenDie:
    """Make a die with a print of this similarity to that of the others."""
    away = np.eye(64, dtype=np.float32)[1] * np.sqrt(1 - cosine**2)
    return replace(die, embedding=np.asarray(cosine * die.embedding + away, np.float32))


def unsure(face: Face = Face.ATTACK, chance: float = 0.97) -> SeenDie:
    """Make a die that is named, but a little unlike the others with its face."""
    return marked(replace(seen(), faces=faces(face, chance)), 0.7)


def unnamed(face: Face = Face.ATTACK) -> SeenDie:
    """Make a die whose likeliest face is hardly likelier than the next."""
    return marked(replace(seen(), faces=faces(face, 0.3)), 0.3)


@dataclass(frozen=True)
class Case:
    """A die with a fault, and the expected problem."""

    problem: ReadingProblem
    die: SeenDie
    face: Face | None = Face.ATTACK


CASES = [
    Case(ReadingProblem.DOUBTFUL, unnamed(), None),
    Case(ReadingProblem.DOUBTFUL, unsure()),
    Case(
        ReadingProblem.DOUBTFUL, replace(seen(), faces=faces(Face.HEAL, 0.2, 0.7), reject=0.7), None
    ),
    Case(ReadingProblem.SMALL, seen(Cube(SPOTS[0], size=0.4))),
    Case(ReadingProblem.CUT, shifted(seen(), -400), None),
    Case(ReadingProblem.CUT, shifted(seen(), 900), None),
    Case(ReadingProblem.CUT, shifted(seen(), 0, 170)),
    Case(ReadingProblem.GLARE, replace(unsure(), contrast=2, clipped=0.1)),
    Case(ReadingProblem.TOO_DARK, replace(unsure(), contrast=2)),
    Case(ReadingProblem.BLURRED, replace(unsure(), sharpness=0.0)),
    Case(ReadingProblem.WRONG_GAME, replace(seen(), faces=faces(tuple(Face)[7], 0.9)), None),
    Case(ReadingProblem.DOUBTFUL, replace(seen(), faces=faces(chance=0.7) | {tuple(Face)[7]: 0.3})),
]


def of_problem(verdict: Verdict) -> list[ReadingProblem | None]:
    return [die.problem for die in verdict.dice if die.problem is not None]


def test_a_clean_roll_is_sure(decider: Decider) -> None:
    verdict = decider.decide([roll()] * 5, rules(), SIZE)
    assert verdict.sure
    assert [die.face for die in verdict.dice] == [Face.ATTACK] * 6
    assert verdict.dice[0].confidence > 0.95
    low = np.concatenate(corners(cubes(1)[0], TILT)).min(axis=0)
    assert verdict.dice[0].box[:2] == tuple(np.floor(low))


LEANING = replace(seen(), flat=0.002)


@pytest.mark.parametrize(
    ("die", "may_resolve"),
    [
        (LEANING, True),
        (unsure(), True),
        (unnamed(), True),
        (replace(unsure(), flat=0.002), True),
        (shifted(seen(cubes(2)[1]), 20), True),  # half upon another
        (replace(LEANING, contrast=2), False),
        (replace(LEANING, contrast=2, clipped=0.1), False),
        (replace(LEANING, sharpness=0.0), False),
        (replace(LEANING, faces=faces(tuple(Face)[7], 0.9)), False),
        (replace(unsure(), contrast=2), False),
        (replace(unsure(), sharpness=0.0), False),
        (replace(seen(), faces=faces(tuple(Face)[7], 0.9)), False),
        (seen(Cube(SPOTS[0], size=0.4)), False),
        (shifted(seen(), 0, 170), False),
        (seen(), False),
    ],
)
def test_a_closer_look_may_lift_a_lean_or_an_unsure_face_and_hide_nothing_else(
    decider: Decider, die: SeenDie, may_resolve: bool
) -> None:
    assert decider.decide([(die, *roll()[1:])], rules(), SIZE).may_resolve == may_resolve


def verdict_of(decider: Decider, die: SeenDie) -> Verdict:
    return decider.decide([(die, *roll()[1:])], rules(), SIZE)


def test_a_closer_look_is_believed_where_it_is_sure_of_the_same(decider: Decider) -> None:
    clean = decider.decide([roll()], rules(), SIZE)
    doubted, without = verdict_of(decider, unsure()), verdict_of(decider, unnamed())
    assert doubted.is_confirmed_by(clean)
    assert without.dice[0].face is None
    assert without.is_confirmed_by(clean)
    for other in (unsure(Face.HEAL), unnamed(Face.HEAL)):
        assert not verdict_of(decider, other).is_confirmed_by(clean)
    assert not doubted.is_confirmed_by(doubted)
    assert not doubted.is_confirmed_by(decider.decide([roll()[:-1]], rules(), SIZE))
    assert not doubted.is_confirmed_by(decider.decide([roll(7)], rules(), SIZE))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.problem))
def test_one_bad_die_is_named_with_its_reason_and_the_roll_is_not_sure(
    decider: Decider, case: Case
) -> None:
    verdict = decider.decide([(*roll()[1:], case.die)] * 5, rules(), SIZE)
    assert not verdict.sure
    assert of_problem(verdict) == [case.problem]
    assert {case.problem} == {*verdict.problems} - {ReadingProblem.NOT_FLAT}
    bad = next(die for die in verdict.dice if die.problem is not None)
    assert bad.face is case.face


def test_a_die_that_leans_is_a_hint_and_no_doubt(decider: Decider) -> None:
    verdict = verdict_of(decider, LEANING)
    assert verdict.sure
    assert verdict.problems == (ReadingProblem.NOT_FLAT,)
    assert [die.flat for die in verdict.dice].count(False) == 1
    doubted = verdict_of(decider, replace(unsure(), flat=0.002))
    assert not doubted.sure
    assert doubted.problems == (ReadingProblem.NOT_FLAT, ReadingProblem.DOUBTFUL)
    assert of_problem(doubted) == [ReadingProblem.DOUBTFUL]


def test_the_more_a_die_leans_the_less_certain_is_its_upper_side(decider: Decider) -> None:
    """Two sides of a die that leans by half a right angle are equally high."""
    chances = []
    for lean in (0, 8, 20, 45):
        dice = [seen(cube) for cube in (replace(cubes(1)[0], lean=lean), *cubes(6)[1:])]
        chances.append(decider.chances(dice, Shape.of(dice, SIZE), rules())[1][0])
    flat, hardly, much, most = chances
    assert flat == hardly > much > most
    assert most < 0.9


@pytest.mark.parametrize(
    ("count", "expected", "sure"),
    [
        (6, None, True),
        (5, None, False),
        (8, None, True),
        (5, 5, True),
        (6, 5, False),
        (0, 6, False),
    ],
)
def test_the_count_must_be_the_one_expected(
    decider: Decider, count: int, expected: int | None, sure: bool
) -> None:
    verdict = decider.decide([roll(count)], rules(fewest=6), SIZE, expected)
    assert verdict.sure == sure
    assert (ReadingProblem.COUNT in verdict.problems) == (not sure)


def test_a_die_missing_from_some_looks_is_doubtful(decider: Decider) -> None:
    looks = [roll(), roll(), roll(), roll()[1:], roll()[1:]]
    assert of_problem(decider.decide(looks, rules(), SIZE)) == [ReadingProblem.DOUBTFUL]


def test_looks_that_disagree_are_no_certainty(decider: Decider) -> None:
    wavering = [
        (*roll()[1:], replace(seen(), faces=faces(face, 0.99)))
        for face in (Face.ATTACK, Face.ATTACK, Face.ATTACK, Face.HEAL, Face.HEAL)
    ]
    assert of_problem(decider.decide(wavering, rules(), SIZE)) == [ReadingProblem.DOUBTFUL]


def test_dice_that_are_each_likely_right_may_be_doubtful_together(decider: Decider) -> None:
    """The surest dice use up what doubt a roll may hold."""
    alone = verdict_of(decider, seen()).chance
    fair = [replace(die, faces=faces(chance=0.97)) for die in roll(6)]
    one, all_ = (decider.decide([(*fair[:few], *roll(6)[few:])], rules(), SIZE) for few in (1, 6))
    bound = (one.chance + all_.chance) / 2
    assert alone > one.chance > bound > all_.chance
    sure_from = SureFrom(unknown=bound, known=1.0, strange=1.0)
    between = Decider(msgspec.structs.replace(decider.contract, sure_from=sure_from))
    assert between.decide([(fair[0], *roll(6)[1:])], rules(), SIZE).sure
    verdict = between.decide([tuple(fair)], rules(), SIZE)
    assert 0 < len(of_problem(verdict)) < 6


def taught(decider: Decider, *shown: Face, embedding: Floats | None = None) -> Decider:
    """Make a decider with prints of these faces, like the dice here or as given."""
    print_ = seen().embedding if embedding is None else embedding
    return replace(decider, prints={face: FacePrints(np.array([print_])) for face in shown})


@pytest.mark.parametrize(("known", "sure"), [(Face.HEAL, False), (Face.ATTACK, True)])
def test_a_die_alone_with_its_face_is_unlike_the_prints_of_that_face(
    decider: Decider, known: Face, sure: bool
) -> None:
    strange = replace(marked(seen(), 0.0), faces=faces(Face.HEAL))
    verdict = taught(decider, known).decide([(strange, *roll()[1:])], rules(), SIZE)
    assert verdict.sure is sure


@pytest.mark.parametrize("kind", ["unknown", "known", "strange"])
def test_each_kind_of_box_has_a_bound_of_its_own(decider: Decider, kind: str) -> None:
    one = FacePrints(seen().embedding[None], is_strange=kind == "strange")
    shown = tuple(Face)[: 5 if kind == "unknown" else 6]
    for sure in (True, False):
        bounds = {name: float((name == kind) is not sure) for name in SureFrom.__struct_fields__}
        contract = msgspec.structs.replace(decider.contract, sure_from=SureFrom(**bounds))
        of_box = Decider(contract, dict.fromkeys(shown, one))
        assert of_box.decide([roll()], rules(), SIZE).sure is sure


def test_no_roll_is_sure_while_strange_symbols_are_only_half_known(decider: Decider) -> None:
    prints = {face: FacePrints(seen().embedding[None], 1.0, True) for face in tuple(Face)[:6]}
    half = {face: prints[face] for face in (Face.ATTACK, Face.HEAL)}
    assert replace(decider, prints=prints).decide([roll()], rules(), SIZE).sure
    assert not replace(decider, prints=half).decide([roll()], rules(), SIZE).sure
    unproven = replace(decider, prints=prints, is_confirmed=False)
    verdict = unproven.decide([roll()], rules(), SIZE)
    assert not verdict.sure
    assert all(die.problem is None for die in verdict.dice), "one tap applies them"
    known = {face: replace(one, is_strange=False) for face, one in half.items()}
    assert replace(decider, prints=known).decide([roll()], rules(), SIZE).sure


@pytest.mark.parametrize(
    ("above", "expected", "count"), [(0.1, 6, 6), (-0.1, 6, 5), (0.1, None, 5), (0.1, 5, 5)]
)
def test_a_faint_die_is_reported_where_it_makes_up_the_known_number(
    decider: Decider, above: float, expected: int | None, count: int
) -> None:
    faint, *rest = roll()
    dice = [replace(faint, score=0.3), *rest]
    seen = die_features(dice, Shape.of(dice, SIZE))
    (odds, *_) = log_odds(decider.contract.evidence.weights, seen)
    bounds = msgspec.structs.replace(
        decider.contract.evidence,
        possible_if_counted=float(odds) - above,
        accept=float(odds) + 0.2,
        possible=float(odds) + 0.2,
    )
    decider = Decider(msgspec.structs.replace(decider.contract, evidence=bounds))
    verdict = decider.decide([tuple(dice)], rules(), SIZE, expected)
    assert len(verdict.dice) == count
    assert (ReadingProblem.COUNT in verdict.problems) == (count == 5 and expected == 6)


@pytest.mark.parametrize(("away", "is_cut"), [(-0.06, True), (-0.04, False), (0.0, False)])
def test_a_die_with_more_than_a_twentieth_outside_is_cut(
    decider: Decider, away: float, is_cut: bool
) -> None:
    points = np.concatenate(corners(cubes(1)[0], TILT))
    low, high = points.min(axis=0), points.max(axis=0)
    die = shifted(seen(), away * float(high[0] - low[0]) - float(low[0]), 200 - float(low[1]))
    (read,) = decider.decide([(die,)], rules(), SIZE).dice
    assert (read.problem is ReadingProblem.CUT) == is_cut


def test_a_face_found_twice_is_one_die(decider: Decider) -> None:
    twin = shifted(seen(), 4, 3)
    assert len(decider.decide([(*roll(), twin)], rules(), SIZE).dice) == 6


def test_a_die_upon_another_is_stacked(decider: Decider) -> None:
    upon = shifted(seen(), 17, 12)
    verdict = decider.decide([(*roll(), upon)], rules(), SIZE)
    assert of_problem(verdict) == [ReadingProblem.STACKED, ReadingProblem.STACKED]


def test_a_side_taken_for_a_top_is_stacked(decider: Decider) -> None:
    dice = [seen(cube, 50.0) for cube in cubes(6)]
    down = 0.85 * (dice[0].base - dice[0].quad)
    side = replace(dice[0], quad=dice[0].quad + down, base=dice[0].base + down)
    verdict = decider.decide([(*dice, side)], rules(), SIZE)
    assert of_problem(verdict) == [ReadingProblem.STACKED, ReadingProblem.STACKED]


@pytest.mark.parametrize("tilt", [0.0, 20.0, 35.0, 45.0])
def test_dice_that_touch_in_a_row_are_not_stacked(decider: Decider, tilt: float) -> None:
    row = [Cube((x, y)) for x in (-40.0, 40.0) for y in (-17.0, 0.0, 17.0)]
    verdict = decider.decide([tuple(seen(cube, tilt) for cube in row)], rules(), SIZE)
    assert ReadingProblem.STACKED not in verdict.problems


def test_a_die_of_another_size_is_not_flat_among_the_others(decider: Decider) -> None:
    verdict = decider.decide([(*roll()[1:], seen(Cube(SPOTS[0], size=1.5)))], rules(), SIZE)
    assert ReadingProblem.NOT_FLAT in verdict.problems
    assert [die.flat for die in verdict.dice].count(False) == 1


def test_likely_other_faces_are_offered_the_likeliest_first(decider: Decider) -> None:
    unsure = {Face.ATTACK: 0.5, Face.HEAL: 0.3, Face.ENERGY: 0.15, Face.OUCH: 0.001}
    die = replace(seen(), faces={f: unsure.get(f, 0.0) for f in Face})
    read = next(
        d for d in decider.decide([(*roll()[1:], die)], rules(), SIZE).dice if d.problem is not None
    )
    offered = [read.face, *(a.face for a in read.alternatives)]
    assert [f for f in offered if f is not None] == [Face.ATTACK, Face.HEAL, Face.ENERGY]


@pytest.mark.parametrize(("aside", "count"), [(0.0, 6), (300.0, 7)])
def test_the_side_of_a_die_at_the_edge_is_no_die_that_is_cut_off(
    decider: Decider, aside: float, count: int
) -> None:
    low = seen()
    low = shifted(low, 0.0, SIZE[1] + 4 - float(low.base[:, 1].max()))
    front = np.argsort(low.quad[:, 1])[-2:]
    face = np.concatenate((low.quad[front], low.base[front][::-1]))
    side = replace(low, quad=face, base=face, score=0.4, top=0.9)
    verdict = decider.decide([(*roll()[1:], low, shifted(side, aside))], rules(), SIZE)
    assert len(verdict.dice) == count
    assert ReadingProblem.CUT in of_problem(verdict)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_contract(resource_dir("models")).evidence


def test_the_contract_weighs_every_feature(evidence: Evidence) -> None:
    assert len(evidence.weights) == len(DIE_FEATURES)
    assert len(evidence.flat_weights) == len(FLAT_FEATURES)
    assert evidence.possible <= evidence.accept


def test_an_uncertain_die_is_reported_only_where_the_count_shows_one_missing(
    evidence: Evidence,
) -> None:
    assert evidence.possible_if_counted < evidence.possible < evidence.accept
    between = (evidence.possible_if_counted + evidence.possible) / 2
    odds = [
        evidence.accept,
        between,
        evidence.possible_if_counted - 0.1,
        evidence.possible,
        evidence.possible_if_counted,
    ]
    assert choose_dice(evidence, odds, None) == [0, 3]
    assert choose_dice(evidence, odds, 1) == [0]
    assert choose_dice(evidence, odds, 3) == [0, 3, 1]
    assert choose_dice(evidence, odds, 5) == [0, 3, 1, 4]


Doubles = npt.NDArray[np.float64]


def tops(count: int, tilt: float, lean: float = 0.0, size: float = 1.0) -> Doubles:
    """(count, 4, 2) px: the top faces of dice; the first leans or has another size."""
    first, *others = cubes(count)
    dice = [replace(first, lean=lean, size=size), *others]
    return np.array([corners(die, tilt)[0] for die in dice])


@pytest.mark.parametrize("count", [4, 5, 6, 8])
@pytest.mark.parametrize("tilt", [0, 20, 45])
def test_dice_that_lie_flat_fit_from_wherever_they_are_seen(count: int, tilt: float) -> None:
    misfit = misfits(tops(count, tilt))
    assert misfit is not None
    assert misfit.max() < 0.06


@pytest.mark.parametrize("count", [4, 6, 8])
def test_a_die_that_leans_does_not_fit_and_the_others_do(count: int) -> None:
    misfit = misfits(tops(count, tilt=45, lean=30))
    assert misfit is not None
    assert misfit[0] > 0.2
    assert misfit[1:].max() < 0.1


@pytest.mark.parametrize("size", [0.7, 1.4])
def test_a_die_of_another_size_does_not_fit(size: float) -> None:
    misfit = misfits(tops(6, tilt=20, size=size))
    assert misfit is not None
    assert misfit[0] > 0.2
    assert misfit[1:].max() < 0.1


def test_three_dice_say_nothing_of_a_plane() -> None:
    assert misfits(tops(3, tilt=20)) is None


CONTRACT = msgspec.structs.replace(
    TERMS,
    enrolment=Enrolment(
        prints_weight=3.0,
        without_prints=0.6,
        face_weights=TERMS.enrolment.face_weights,
    ),
)


def towards(place: int, cosine: float = 1.0) -> Floats:
    """Make a (64,) unit vector near the axis of that number."""
    vector = np.zeros(64, np.float32)
    vector[place], vector[63] = cosine, np.sqrt(1 - cosine**2)
    return vector


PRINTS = {
    face: FacePrints(np.array([towards(n), towards(n, 0.95)]))
    for n, face in enumerate(tuple(Face)[:6])
}
ATTACK = tuple(PRINTS).index(Face.ATTACK)


def maybe_attack(embedding: Floats) -> SeenDie:
    """Make a die that may be an attack, or no face at all."""
    return replace(
        seen(), faces=faces(Face.ATTACK, 0.6, reject=0.35), reject=0.35, embedding=embedding
    )


def total(die: SeenDie) -> float:
    return sum(die.faces.values()) + die.reject


def named(die: SeenDie, prints: dict[Face, FacePrints]) -> SeenDie:
    """Name a die by these prints."""
    return fuse_with_prints([(die,)], prints, CONTRACT)[0][0]


def test_a_doubted_face_that_is_like_its_prints_is_surer() -> None:
    die = named(maybe_attack(towards(ATTACK, 0.97)), PRINTS)
    assert die.faces[Face.ATTACK] > 0.9
    assert die.reject < 0.1
    assert total(die) == pytest.approx(1)


def test_a_sign_that_is_like_no_print_is_rather_none() -> None:
    before = maybe_attack(towards(40))
    die = named(before, PRINTS)
    assert die.faces[Face.ATTACK] < before.faces[Face.ATTACK]
    assert die.reject > 0.5
    assert total(die) == pytest.approx(1)


def test_the_classifier_counts_as_far_as_prints_are_not_trusted() -> None:
    """Any dice may stand in: a heart that was enrolled as attack is an attack."""
    prints = FacePrints(np.array([towards(2)] * 3))
    heart = replace(seen(), faces=faces(Face.HEAL, 0.2), embedding=towards(2))
    same = replace(heart, faces=faces(Face.HEAL, 0.2, reject=heart.reject))
    found = named(heart, {Face.ATTACK: prints})
    assert max(found.faces, key=found.faces.__getitem__) is Face.ATTACK
    assert found.faces[Face.ATTACK] == named(same, {Face.ATTACK: prints}).faces[Face.ATTACK]
    doubted = named(heart, {Face.ATTACK: replace(prints, trust=0.5)})
    assert doubted.faces[Face.ATTACK] < found.faces[Face.ATTACK]


@pytest.mark.parametrize(("contrast", "chance"), [(20.0, 0.2), (39.0, 0.6), (90.0, 0.98)])
def test_a_face_that_can_hardly_be_seen_must_be_what_the_classifier_finds_too(
    contrast: float, chance: float
) -> None:
    """Under glare all faces look alike, and like a print that was taken there."""
    die = replace(seen(), faces=faces(Face.ATTACK, 0.2), embedding=towards(ATTACK))
    found = named(replace(die, contrast=contrast), PRINTS)
    assert found.faces[Face.ATTACK] == pytest.approx(chance, abs=0.05)
    assert total(found) == pytest.approx(1)


def test_a_face_that_can_hardly_be_seen_is_named_if_prints_and_classifier_agree() -> None:
    die = replace(seen(), faces=faces(Face.ATTACK, 0.97), embedding=towards(ATTACK))
    assert named(replace(die, contrast=20.0), PRINTS).faces[Face.ATTACK] > 0.95


def test_a_known_face_that_can_hardly_be_seen_is_asked_about_for_the_light(
    decider: Decider,
) -> None:
    die = replace(seen(), faces=faces(Face.HEAL, 0.97), embedding=towards(ATTACK), contrast=30.0)
    (look,) = fuse_with_prints([(die,)], PRINTS, CONTRACT)
    (read,) = replace(decider, prints=PRINTS).decide([look], rules(), SIZE).dice
    assert (read.face, read.problem) == (None, ReadingProblem.TOO_DARK)
    assert read.alternatives[0].face is Face.ATTACK


def test_a_symbol_that_the_classifier_does_not_know_is_named_by_its_prints_alone() -> None:
    """It takes the symbol that stands in for attack for a heart, in any light."""
    prints = {face: replace(one, is_strange=True) for face, one in PRINTS.items()}
    die = replace(seen(), faces=faces(Face.HEAL, 0.97), embedding=towards(ATTACK), contrast=30.0)
    assert named(die, prints).faces[Face.ATTACK] > 0.9


def test_if_all_faces_of_a_game_are_known_no_face_of_the_other_game_counts() -> None:
    """A symbol that stands in for a claw may look like a face that the box does not have."""
    mine = RULESETS["tokyo"].faces
    whole = {face: FacePrints(np.array([towards(n)] * 3)) for n, face in enumerate(mine)}
    other = next(face for face in RULESETS["new-york"].faces if face not in mine)
    die = replace(seen(), faces=faces(other), embedding=towards(1, 0.9))
    found = named(die, whole)
    assert found.faces[other] == 0
    assert max(found.faces, key=found.faces.__getitem__) is mine[1]
    parted = {face: one for face, one in whole.items() if face is not mine[5]}
    assert named(die, parted).faces[other] > 0.1


def views(place: int, count: int, chance: float, cosine: float = 0.9) -> Views:
    """Make views of a face, all as alike, that the classifier names with this probability."""
    axes = [np.sqrt(cosine) * np.eye(64)[place] + np.sqrt(1 - cosine) * np.eye(64)[40 + n]
            for n in range(count)]  # fmt: skip
    return Views(np.array(axes, np.float32), np.full(count, chance, np.float32))


def test_few_prints_or_ones_that_disagree_leave_a_share_to_what_names_them() -> None:
    """Of symbols that the reader does not know, it names none: then prints decide alone."""

    def trust(count: int, chance: float, cosine: float = 0.9) -> float:
        box = {Face.HEAL: views(0, count, chance, cosine), Face.OUCH: views(1, 5, 0.0)}
        return prints_of(box)[Face.HEAL].trust

    assert trust(5, 1.0) == pytest.approx(1)
    assert trust(5, 0.0, 0.1) == pytest.approx(1)
    assert trust(FEWEST, 1.0) < 0.8
    assert trust(5, 1.0, 0.1) < 0.5
    assert trust(FEWEST, 0.0) == pytest.approx(1)


def test_a_face_is_known_from_the_third_print_on_and_strange_if_it_is_not_named() -> None:
    """Fewer prints do not show how they vary."""
    box = {
        Face.HEAL: views(0, FEWEST, 0.9),
        Face.OUCH: views(1, FEWEST, 0.1),
        Face.ATTACK: views(2, FEWEST - 1, 0.9),
    }
    found = prints_of(box)
    assert {face: one.is_strange for face, one in found.items()} == {
        Face.HEAL: False, Face.OUCH: True,
    }  # fmt: skip


@pytest.fixture(scope="module")
def awaited(clip: Clip) -> Expected:
    return Expected(rules_of(clip.game), len(clip.throws[0].dice))


@pytest.fixture(scope="module")
def look(reader: Reader, lying: Image) -> tuple[SeenDie, ...]:
    return reader.look(lying)


def doubtful(die: SeenDie, face: Face | None = None) -> SeenDie:
    """Make the die's own face, or the given one, only likely, and its print like no other."""
    face = face or max(die.faces, key=lambda f: die.faces[f])
    chances = {f: 0.6 if f is face else 0.05 for f in die.faces}
    return replace(die, faces=chances, reject=0.0, embedding=-die.embedding)


def test_the_same_dice_are_seen_again_where_they_lay(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...]
) -> None:
    again = reader.look_closely(lying, look)
    assert len(again) == len(look) > 3
    for die, closer in zip(look, again, strict=True):
        off = np.abs(closer.quad - die.quad).max()
        assert 0 < off < 0.15 * sides(die.quad[None])[0]
        assert max(closer.faces, key=closer.faces.__getitem__) == max(
            die.faces, key=die.faces.__getitem__
        )
        assert closer.score == die.score
    assert reader.look_closely(lying, ()) == ()


def test_a_doubt_is_lifted_by_a_closer_look_only_where_it_is_asked_for(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], awaited: Expected
) -> None:
    looks = [(doubtful(look[0]), *look[1:])]
    first = reader.decide(looks, awaited, lying, closely=False)
    assert first.problems == (ReadingProblem.DOUBTFUL,)
    closer = reader.decide(looks, awaited, lying)
    assert closer.sure
    assert sorted(die.face or "" for die in closer.dice) == sorted(likeliest(look))


class Overlooking(Reader):
    """The shipped networks, which see the first die in a finer look alone."""

    def look(
        self, image: Image, before: Sequence[tuple[SeenDie, ...]] = (), *, finer: bool = False
    ) -> tuple[SeenDie, ...]:
        found = super().look(image, before, finer=finer)
        return found if finer else found[1:]


def test_a_die_that_the_count_misses_is_looked_for_in_a_larger_picture(
    lying: Image, awaited: Expected
) -> None:
    reader = Overlooking(Networks(resource_dir("models")))
    reading = reader.read(lying, awaited)
    assert reading.sure
    assert len(reading.dice) == awaited.count
    uncounted = reader.read(lying, replace(awaited, count=None))
    assert len(uncounted.dice) == len(reading.dice) - 1


def test_a_finer_look_that_says_another_face_completes_nothing(decider: Decider) -> None:
    short = decider.decide([roll()[1:]], rules(), SIZE, 6)
    assert short.missing == 1
    whole = decider.decide([roll()], rules(), SIZE, 6)
    assert short.is_completed_by(whole)
    other = replace(seen(cubes(2)[1]), faces=faces(Face.HEAL))
    assert not short.is_completed_by(
        decider.decide([(roll()[0], other, *roll()[2:])], rules(), SIZE, 6)
    )


def test_a_finer_look_is_at_a_larger_picture(lying: Image) -> None:
    terms = load_contract(resource_dir("models")).detector
    locator = Locator(resource_dir("models"), terms)
    larger = msgspec.structs.replace(
        terms, input=msgspec.structs.replace(terms.input, width=terms.finer)
    )
    finer, _ = locator.locate(lying, finer=True)
    assert np.array_equal(finer, Locator(resource_dir("models"), larger).locate(lying)[0])
    assert not np.array_equal(finer, locator.locate(lying)[0])


def test_a_closer_look_that_says_another_face_lifts_no_doubt(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], awaited: Expected
) -> None:
    seen = max(look[0].faces, key=look[0].faces.__getitem__)
    face = next(face for face in awaited.rules.faces if face is not seen)
    looks = [(doubtful(look[0], face), *look[1:])]
    verdict = reader.decide(looks, awaited, lying)
    assert verdict == reader.decide(looks, awaited, lying, closely=False)
    assert verdict.problems == (ReadingProblem.DOUBTFUL,)


def test_a_die_that_is_too_dark_is_so_however_closely_it_is_looked_at(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], awaited: Expected
) -> None:
    dark = replace(doubtful(look[0]), contrast=2.0)
    verdict = reader.decide([(dark, *look[1:])], awaited, lying)
    assert verdict.problems == (ReadingProblem.TOO_DARK,)


def likeliest(look: tuple[SeenDie, ...]) -> list[Face]:
    return [max(die.faces, key=die.faces.__getitem__) for die in look]


def test_what_was_taught_lifts_a_doubt_and_can_be_taken_back(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], awaited: Expected
) -> None:
    taught = Reader(Networks(resource_dir("models")))
    photos = taught.without_tray()
    looks = [tuple(replace(doubtful(die), embedding=die.embedding) for die in look)]
    assert not taught.decide(looks, awaited, lying, closely=False).sure
    prints = tuple(png(one) for one in reader.prints(lying, look))
    for n in range(FEWEST):
        taught.learn(Lesson("new-york", prints, tuple(sorted(likeliest(look))), f"{n}"))
    assert taught.known("new-york") == set(likeliest(look))
    for knowing in (taught, photos):
        verdict = knowing.decide(looks, awaited, lying, closely=False)
        assert verdict.sure
        assert sorted(die.face or "" for die in verdict.dice) == sorted(likeliest(look))
    assert not reader.decide(looks, awaited, lying, closely=False).sure
    taught.learn(Lesson("new-york", prints, (), "0"))
    assert taught.known("new-york") != set(likeliest(look))
    dim = tuple(png(np.uint8(120) + one // 8) for one in reader.prints(lying, look))
    unseen = reader.with_profile(Profile())
    unseen.learn(*(Lesson("new-york", dim, tuple(sorted(likeliest(look))), f"{n}") for n in "012"))
    assert not unseen.known("new-york")


def test_dice_of_another_box_are_recognised_by_the_only_reader_that_is_sure_of_them(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], awaited: Expected
) -> None:
    looks = [tuple(replace(doubtful(die), embedding=die.embedding) for die in look)]
    prints = tuple(png(one) for one in reader.prints(lying, look))

    def box(shown: Sequence[Face], of: Sequence[bytes]) -> Reader:
        faces = {face: (one,) * FEWEST for face, one in zip(shown, of, strict=True)}
        return reader.with_profile(Profile(dice={"new-york": faces}))

    shown = likeliest(look)
    turned = [*shown[1:], shown[0]]
    other = tuple(png(np.roll(cv2.resize(lying, (48, 48)), 8 * n, 0)) for n in range(6))
    boxes = {"": reader.with_profile(Profile()), "other": box(shown, other)}
    assert reader.recognise(boxes, looks, awaited, lying) is None
    boxes["own"] = box(shown, prints)
    assert reader.recognise(boxes, looks, awaited, lying) == "own"
    boxes["turned"] = box(turned, prints)
    assert reader.recognise(boxes, looks, awaited, lying) is None, "who is right is not known"


def test_a_reading_has_the_print_of_each_of_its_dice(
    reader: Reader, lying: Image, look: tuple[SeenDie, ...], awaited: Expected
) -> None:
    reading = reading_of(reader.decide([look], awaited, lying), "new-york", Frame(lying, 0.0, 0))
    complete = reader.with_pictures(reading, lying, look)
    assert len(complete.prints) == len(complete.crops) == len(complete.dice) == len(look)
    cut = {png(one) for one in reader.prints(lying, look)}
    assert set(complete.prints) == cut
    assert all(reader.with_pictures(reading, lying, look[1:]).prints), "a finer look finds it"
    empty = np.zeros_like(lying)
    assert reader.with_pictures(reading, empty, ()).prints == (b"",) * len(look)
