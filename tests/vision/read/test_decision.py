"""The decision from looks: which dice are doubted, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np
import pytest

from companion.engine import RULESETS, Face
from companion.resources import resource_dir
from companion.vision.box import DiceRules
from companion.vision.networks.contract import load_contract
from companion.vision.pictures import Floats
from companion.vision.read.decision import Decider, Verdict, log_odds
from companion.vision.read.seen import SeenDie
from companion.vision.readings import ReadingProblem
from models.terms import TERMS
from tests.vision.cubes import SIZE, SPOTS, Cube, corners, cubes
from tests.vision.looks import TILT, faces, roll, seen, shifted

OWN = RULESETS.keys()


@pytest.fixture(scope="module")
def decider() -> Decider:
    """A decider whose faces weigh as at the start of a calibration: what is asserted here must hold
    whatever the networks."""
    shipped = load_contract(resource_dir("models"))
    evidence = msgspec.structs.replace(shipped.evidence, face_weights=TERMS.evidence.face_weights)
    return Decider(
        msgspec.structs.replace(
            shipped,
            classifier=msgspec.structs.replace(shipped.classifier, sure=0.94),
            evidence=evidence,
            enrolment=TERMS.enrolment,
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
    Case(ReadingProblem.NOT_FLAT, replace(seen(), flat=0.002)),
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


def test_dice_are_reported_from_left_to_right_whatever_the_order_of_finds(
    decider: Decider,
) -> None:
    forth = decider.decide([roll()], rules(), SIZE)
    back = decider.decide([roll()[::-1]], rules(), SIZE)
    assert forth == back
    assert [die.box[0] for die in forth.dice] == sorted(die.box[0] for die in forth.dice)


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


def test_what_looks_showed_otherwise_or_not_at_all_no_closer_look_settles(decider: Decider) -> None:
    doubted, other = ((die, *roll()[1:]) for die in (unsure(), unsure(Face.HEAL)))
    assert decider.decide([doubted] * 5, rules(), SIZE).may_resolve
    foreign, none, dark, leaning = (
        (die, *roll()[1:])
        for die in (
            replace(LEANING, faces=faces(tuple(Face)[7], 0.9)),
            replace(LEANING, faces=faces(chance=0.05, reject=0.95), reject=0.95),
            replace(LEANING, contrast=2),
            LEANING,
        )
    )
    assert decider.decide([leaning] * 5, rules(), SIZE).may_resolve
    for spoiled in (foreign, none, dark):
        for times in (1, 2, 3, 4):
            looks = [spoiled] * times + [leaning] * (5 - times)
            assert not decider.decide(looks, rules(), SIZE).may_resolve
    assert not decider.decide([doubted] * 4 + [other], rules(), SIZE).may_resolve
    assert not decider.decide([doubted] * 4 + [doubted[1:]], rules(), SIZE).may_resolve
    assert not decider.decide([doubted], rules(), SIZE, 7).may_resolve


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


def test_a_closer_look_at_another_die_is_none(decider: Decider) -> None:
    doubted = verdict_of(decider, unsure())
    moved = (shifted(seen(), 40), *roll()[1:])
    assert decider.decide([moved], rules(), SIZE).sure
    assert not doubted.is_confirmed_by(decider.decide([moved], rules(), SIZE))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.problem))
def test_one_bad_die_is_named_with_its_reason_and_the_roll_is_not_sure(
    decider: Decider, case: Case
) -> None:
    verdict = decider.decide([(*roll()[1:], case.die)] * 5, rules(), SIZE)
    assert not verdict.sure
    assert of_problem(verdict) == [case.problem]
    assert verdict.problems == (case.problem,)
    bad = next(die for die in verdict.dice if die.problem is not None)
    assert bad.face is case.face
    assert bad.flat == (case.problem is not ReadingProblem.NOT_FLAT)


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


def test_what_flickers_up_in_few_looks_is_no_die(decider: Decider) -> None:
    ghost = seen(cubes(8)[7])
    looks = [(*roll(), ghost), roll(), roll(), roll(), roll()]
    assert decider.decide(looks, rules(), SIZE).sure


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
    classifier = msgspec.structs.replace(decider.contract.classifier, sure=bound)
    between = Decider(msgspec.structs.replace(decider.contract, classifier=classifier))
    assert between.decide([(fair[0], *roll(6)[1:])], rules(), SIZE).sure
    verdict = between.decide([tuple(fair)], rules(), SIZE)
    assert 0 < len(of_problem(verdict)) < 6


def test_a_roll_is_as_likely_right_as_all_of_its_dice_together(decider: Decider) -> None:
    clean = decider.decide([roll()], rules(), SIZE).chance
    assert clean < 1
    doubted = verdict_of(decider, unsure())
    face = next(die for die in doubted.dice if die.problem is not None).confidence
    # A face that is less likely is also a little less likely a die.
    assert clean - (1 - face) - 0.05 < doubted.chance < clean - (1 - face) + 0.01
    hopeless = tuple(marked(replace(d, faces=faces(chance=0.3)), 0.1) for d in roll())
    strange = [
        replace(d, embedding=np.eye(64, dtype=np.float32)[n]) for n, d in enumerate(hopeless)
    ]
    assert decider.decide([tuple(strange)], rules(), SIZE).chance == 0


def chance_of(decider: Decider, *dice: SeenDie) -> float:
    return decider.decide([dice], rules(), SIZE).chance


def test_a_die_unlike_the_others_with_its_face_is_less_likely_right(decider: Decider) -> None:
    """All dice of a box have one print; another game's sign differs from the face it is
    taken for."""
    like = [
        chance_of(decider, marked(seen(), cosine), *roll()[1:]) for cosine in (0.2, 0.6, 0.9, 1)
    ]
    assert like == sorted(like)
    assert like[0] < like[-1] - 0.03


def test_a_face_that_no_other_die_shows_is_less_likely_right(decider: Decider) -> None:
    """Another game's sign, taken for that face, could be compared with no other die."""
    heart = replace(seen(), faces=faces(Face.HEAL))
    alone, beside = (
        chance_of(decider, heart, *(replace(d, faces=faces(f)) for d in roll()[1:]))
        for f in (Face.ATTACK, Face.HEAL)
    )
    assert alone < beside


def taught(decider: Decider, *shown: Face, embedding: Floats | None = None) -> Decider:
    """Make a decider with prints of these faces, like the dice here or as given."""
    print_ = seen().embedding if embedding is None else embedding
    return replace(decider, prints={face: np.array([print_]) for face in shown})


@pytest.mark.parametrize(("known", "sure"), [(Face.HEAL, False), (Face.ATTACK, True)])
def test_a_die_alone_with_its_face_is_unlike_the_prints_of_that_face(
    decider: Decider, known: Face, sure: bool
) -> None:
    strange = replace(marked(seen(), 0.0), faces=faces(Face.HEAL))
    verdict = taught(decider, known).decide([(strange, *roll()[1:])], rules(), SIZE)
    assert verdict.sure is sure


def test_a_die_like_the_known_print_of_its_face_is_likelier_right(decider: Decider) -> None:
    strange = marked(replace(seen(), faces=faces(Face.HEAL)), 0.0)
    known = taught(decider, Face.HEAL, embedding=strange.embedding)
    unlike = replace(strange, embedding=marked(seen(), 0.5).embedding)
    like, other = (chance_of(known, die, *roll()[1:]) for die in (strange, unlike))
    assert like > other


def test_a_roll_of_known_faces_is_judged_by_a_bound_of_its_own(decider: Decider) -> None:
    strict = Decider(
        msgspec.structs.replace(
            decider.contract,
            enrolment=msgspec.structs.replace(decider.contract.enrolment, sure=1.0),
        )
    )
    assert strict.decide([roll()], rules(), SIZE).sure
    assert not taught(strict, Face.ATTACK).decide([roll()], rules(), SIZE).sure
    assert taught(strict, Face.HEAL).decide([roll()], rules(), SIZE).sure
    assert taught(strict, Face.ATTACK).has_prints(roll(), rules())
    assert not taught(strict, Face.HEAL).has_prints(roll(), rules())


@pytest.mark.parametrize(
    ("above", "expected", "count"), [(0.1, 6, 6), (-0.1, 6, 5), (0.1, None, 5), (0.1, 5, 5)]
)
def test_a_faint_die_is_reported_where_it_makes_up_the_known_number(
    decider: Decider, above: float, expected: int | None, count: int
) -> None:
    faint, *rest = roll()
    faint = replace(faint, score=0.3)
    (odds, *_) = log_odds(decider.contract.evidence.weights, decider.signs((faint, *rest), SIZE))
    bounds = msgspec.structs.replace(
        decider.contract.evidence,
        possible_if_counted=float(odds) - above,
        accept=float(odds) + 0.2,
        possible=float(odds) + 0.2,
    )
    decider = Decider(msgspec.structs.replace(decider.contract, evidence=bounds))
    verdict = decider.decide([(faint, *rest)], rules(), SIZE, expected)
    assert len(verdict.dice) == count
    assert (ReadingProblem.COUNT in verdict.problems) == (count == 5 and expected == 6)


@pytest.mark.parametrize(("away", "is_cut"), [(-0.015, True), (-0.005, False), (0.0, False)])
def test_a_die_with_more_than_a_hundredth_outside_is_cut(
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
    assert of_problem(verdict) == [ReadingProblem.NOT_FLAT]


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
    side = replace(low, quad=face, base=face, score=0.09, top=0.4, flat=0.01)
    verdict = decider.decide([(*roll()[1:], low, shifted(side, aside))], rules(), SIZE)
    assert len(verdict.dice) == count
    assert ReadingProblem.CUT in of_problem(verdict)
