"""The decision from looks: which dice are doubted, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np
import pytest

from companion.engine import RULESETS, Face
from companion.resources import resource_dir
from companion.vision.box.rules import DiceRules, rules_of
from companion.vision.networks.contract import load_contract
from companion.vision.read.decision import Decider
from companion.vision.read.evidence import log_odds
from companion.vision.read.seen import Floats, SeenDie
from companion.vision.read.verdict import Verdict
from companion.vision.states import ReadingProblem
from tests.vision.cubes import SIZE, SPOTS, Cube, corners, cubes
from tests.vision.looks import TILT, faces, roll, seen, shifted

OWN = RULESETS.keys()


@pytest.fixture(scope="module")
def decider() -> Decider:
    return Decider(load_contract(resource_dir("models")))


def rules(fewest: int = 1, most: int = 8) -> DiceRules:
    """Make a game of the first six faces."""
    return DiceRules("a-game", tuple(Face)[:6], fewest, most)


@dataclass(frozen=True)
class Case:
    """A die with a fault, and the expected problem."""

    problem: ReadingProblem
    die: SeenDie
    face: Face | None = Face.ATTACK


CASES = [
    Case(ReadingProblem.NOT_FLAT, replace(seen(), flat=0.002)),
    Case(ReadingProblem.DOUBTFUL, replace(seen(), faces=faces(chance=0.3)), None),
    Case(ReadingProblem.DOUBTFUL, replace(seen(), faces=faces(chance=0.6))),
    Case(
        ReadingProblem.DOUBTFUL, replace(seen(), faces=faces(Face.HEAL, 0.2, 0.7), reject=0.7), None
    ),
    Case(ReadingProblem.SMALL, seen(Cube(SPOTS[0], size=0.4))),
    Case(ReadingProblem.CUT, shifted(seen(), -400), None),
    Case(ReadingProblem.CUT, shifted(seen(), 900), None),
    Case(ReadingProblem.CUT, shifted(seen(), 0, 170)),
    Case(ReadingProblem.GLARE, replace(seen(), contrast=2, clipped=0.1)),
    Case(ReadingProblem.TOO_DARK, replace(seen(), contrast=2)),
    Case(ReadingProblem.BLURRED, replace(seen(), sharpness=0.0)),
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
        (replace(seen(), faces=faces(chance=0.6)), True),
        (replace(seen(), faces=faces(chance=0.3)), True),
        (replace(LEANING, faces=faces(chance=0.6)), True),
        (shifted(seen(cubes(2)[1]), 20), True),  # half upon another
        (replace(LEANING, contrast=2), False),
        (replace(LEANING, contrast=2, clipped=0.1), False),
        (replace(LEANING, sharpness=0.0), False),
        (replace(LEANING, faces=faces(tuple(Face)[7], 0.9)), False),
        (replace(seen(), contrast=2), False),
        (replace(seen(), sharpness=0.0), False),
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
    unsure, other = (
        (replace(seen(), faces=chances), *roll()[1:])
        for chances in (faces(chance=0.6), faces(Face.HEAL, 0.6))
    )
    assert decider.decide([unsure] * 5, rules(), SIZE).may_resolve
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
    assert not decider.decide([unsure] * 4 + [other], rules(), SIZE).may_resolve
    assert not decider.decide([unsure] * 4 + [unsure[1:]], rules(), SIZE).may_resolve
    assert not decider.decide([unsure], rules(), SIZE, 7).may_resolve


def unsure_of(decider: Decider, chances: dict[Face, float]) -> Verdict:
    return decider.decide([(replace(seen(), faces=chances), *roll()[1:])], rules(), SIZE)


def test_a_closer_look_is_believed_where_it_is_sure_of_the_same(decider: Decider) -> None:
    clean = decider.decide([roll()], rules(), SIZE)
    unsure, unnamed = (unsure_of(decider, faces(chance=chance)) for chance in (0.6, 0.3))
    assert unsure.is_confirmed_by(clean)
    assert unnamed.dice[0].face is None
    assert unnamed.is_confirmed_by(clean)
    for chance in (0.6, 0.3):
        assert not unsure_of(decider, faces(Face.HEAL, chance)).is_confirmed_by(clean)
    assert not unsure.is_confirmed_by(unsure)
    assert not unsure.is_confirmed_by(decider.decide([roll()[:-1]], rules(), SIZE))
    assert not unsure.is_confirmed_by(decider.decide([roll(7)], rules(), SIZE))


def test_a_closer_look_at_another_die_is_none(decider: Decider) -> None:
    unsure = unsure_of(decider, faces(chance=0.6))
    moved = (shifted(seen(), 40), *roll()[1:])
    assert decider.decide([moved], rules(), SIZE).sure
    assert not unsure.is_confirmed_by(decider.decide([moved], rules(), SIZE))


@pytest.mark.parametrize("by", [-0.5, 0.5])
def test_dice_one_above_the_other_are_matched_by_place(decider: Decider, by: float) -> None:
    """Half a pixel changes which of them is the first from the left."""
    upper = seen(Cube((0, -70)))
    lower = replace(seen(Cube((0, 50))), faces=faces(Face.HEAL))
    middles = [die.quad[:, 0].mean() for die in (upper, lower)]
    lower = shifted(lower, float(middles[0] - middles[1]) + by)
    others = roll()[2:]
    heal = replace(upper, faces=faces(Face.HEAL, 0.6))
    first = decider.decide([(heal, shifted(lower, -2 * by), *others)], rules(), SIZE)
    assert not first.is_confirmed_by(decider.decide([(upper, lower, *others)], rules(), SIZE))
    unsure = replace(upper, faces=faces(Face.HEAL, 0.6))
    either = replace(lower, faces=faces(Face.ATTACK, 0.3))
    first = decider.decide([(unsure, shifted(either, -2 * by), *others)], rules(), SIZE)
    swapped = (replace(upper, faces=faces(Face.ATTACK)), lower)
    assert not first.is_confirmed_by(decider.decide([(*swapped, *others)], rules(), SIZE))
    unnamed = replace(upper, faces=faces(chance=0.3))
    first = decider.decide([(unnamed, shifted(lower, -2 * by), *others)], rules(), SIZE)
    assert first.may_resolve
    assert first.is_confirmed_by(decider.decide([(upper, lower, *others)], rules(), SIZE))


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


@pytest.mark.parametrize("game", OWN)
def test_each_game_says_how_many_dice_may_lie_there(decider: Decider, game: str) -> None:
    dice_rules = rules_of(game)
    assert dice_rules.allow(6, None)
    assert dice_rules.allow(8, None)
    assert not dice_rules.allow(9, None)
    assert not dice_rules.allow(0, None)
    assert len(dice_rules.faces) == 6


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
    surer = (1 - decider.contract.classifier.sure) / 3.5
    fair = replace(seen(), faces=faces(chance=1 - surer, reject=0.0), reject=0.0)
    same = [replace(fair, quad=die.quad, base=die.base) for die in roll(6)]
    assert decider.decide([tuple(same[:2])], rules(), SIZE).sure
    verdict = decider.decide([tuple(same)], rules(), SIZE)
    assert len(of_problem(verdict)) == 3
    assert set(verdict.problems) == {ReadingProblem.DOUBTFUL}


def test_a_roll_is_as_likely_right_as_all_of_its_dice_together(decider: Decider) -> None:
    dice = roll(6)
    unsure = replace(dice[0], faces=faces(chance=0.9, reject=0.0), reject=0.0)
    alone = decider.decide([dice], rules(), SIZE).chance
    assert alone < 1
    assert decider.decide([(unsure, *dice[1:])], rules(), SIZE).chance < alone - 0.08
    hopeless = [replace(die, faces=faces(chance=0.4)) for die in dice]
    assert decider.decide([tuple(hopeless)], rules(), SIZE).chance == 0


def marked(die: SeenDie, cosine: float) -> SeenDie:
    """Make a die with a print of this similarity to that of the others."""
    away = np.eye(64, dtype=np.float32)[1] * np.sqrt(1 - cosine**2)
    return replace(die, embedding=np.asarray(cosine * die.embedding + away, np.float32))


@pytest.mark.parametrize(("off", "odd"), [(0.03, 0), (-0.03, 1)])
def test_a_die_unlike_the_others_with_its_face_is_doubtful(
    decider: Decider, off: float, odd: int
) -> None:
    """All dice of a box have one print; another game's sign differs from the face it is
    taken for.
    """
    strange = marked(seen(), decider.contract.die_limits.alike + off)
    verdict = decider.decide([(strange, *roll()[1:])], rules(), SIZE)
    assert of_problem(verdict) == [ReadingProblem.DOUBTFUL] * odd


def test_where_a_face_is_unsure_two_dice_may_be_more_unlike(decider: Decider) -> None:
    """A badly seen die differs from its own kind, so neither is doubted for it."""
    near = decider.contract.die_limits.alike - 0.01
    unsure = [marked(replace(seen(), faces=faces(chance=c)), near) for c in (0.9999, 0.99, 0.9)]
    likeness = [decider.similarities((die, roll()[1]), rules()) for die in unsure]
    assert [one for one, _ in likeness] == sorted(one for one, _ in likeness)
    assert all(one == other for one, other in likeness)
    assert likeness[0][0] == pytest.approx(near, abs=1e-6)
    assert likeness[1][0] > decider.contract.die_limits.alike


@pytest.mark.parametrize("mates", [0, 1])
def test_a_face_that_no_other_die_shows_is_doubted_more(decider: Decider, mates: int) -> None:
    """Another game's sign, taken for that face, could be compared with no other die."""
    doubt = 0.004
    fair = replace(seen(), faces=faces(Face.HEAL, 1 - doubt, reject=0.0), reject=0.0)
    certain = [
        replace(die, faces=faces(Face.HEAL if n < mates else Face.ATTACK, 1.0, 0.0), reject=0.0)
        for n, die in enumerate(roll()[1:])
    ]
    verdict = decider.decide([(fair, *certain)], rules(), SIZE)
    times = 1 if mates else decider.contract.classifier.singleton
    assert verdict.chance == pytest.approx(1 - times * doubt, abs=1e-6)


def test_looks_of_one_die_have_a_print_between_theirs(decider: Decider) -> None:
    first, second = marked(seen(), 0.6), marked(seen(), 1.0)
    ((die, _),) = decider.dice_and_odds([(first,), (second,)], SIZE)
    between = first.embedding + second.embedding
    assert die.embedding == pytest.approx(between / np.linalg.norm(between), abs=1e-6)


def test_of_two_unlike_dice_with_one_face_neither_is_sure(decider: Decider) -> None:
    one, other, *rest = roll()
    strange = marked(one, decider.contract.die_limits.alike - 0.03)
    others = [replace(die, faces=faces(Face.HEAL)) for die in rest]
    verdict = decider.decide([(strange, other, *others)], rules(), SIZE)
    assert of_problem(verdict) == [ReadingProblem.DOUBTFUL] * 2


def test_a_die_alone_with_its_face_is_unlike_nothing(decider: Decider) -> None:
    strange = replace(marked(seen(), 0.0), faces=faces(Face.HEAL))
    assert decider.decide([(strange, *roll()[1:])], rules(), SIZE).sure


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


def test_a_face_of_which_there_are_prints_is_not_alone(decider: Decider) -> None:
    doubt = 0.004
    fair = replace(seen(), faces=faces(Face.HEAL, 1 - doubt, reject=0.0), reject=0.0)
    certain = [replace(die, faces=faces(Face.ATTACK, 1.0, 0.0), reject=0.0) for die in roll()[1:]]
    times = decider.contract.classifier.singleton
    for knowing, factor in ((taught(decider, Face.OUCH), times), (taught(decider, Face.HEAL), 1)):
        verdict = knowing.decide([(fair, *certain)], rules(), SIZE)
        assert verdict.chance == pytest.approx(1 - factor * doubt, abs=1e-6)


def test_a_die_is_as_like_its_face_as_the_likest_of_dice_and_prints(decider: Decider) -> None:
    dice = (marked(seen(), 0.5), *roll()[1:])
    own = taught(decider, Face.ATTACK, embedding=dice[0].embedding)
    found = own.similarities(dice, rules())
    assert found == pytest.approx(np.ones(6), abs=1e-3)


def test_a_roll_of_known_faces_is_judged_by_bounds_of_its_own(decider: Decider) -> None:
    contract = msgspec.structs.replace(
        decider.contract,
        enrolment=msgspec.structs.replace(decider.contract.enrolment, sure=1.0, alike=-1.0),
    )
    strict = Decider(contract)
    flatter = msgspec.structs.replace(decider.contract.enrolment, flat=1e3)
    flat = taught(
        Decider(msgspec.structs.replace(decider.contract, enrolment=flatter)), Face.ATTACK
    ).decide([roll()], rules(), SIZE)
    assert of_problem(flat) == [ReadingProblem.NOT_FLAT] * 6
    assert strict.decide([roll()], rules(), SIZE).sure
    assert not taught(strict, Face.ATTACK).decide([roll()], rules(), SIZE).sure
    assert taught(strict, Face.HEAL).decide([roll()], rules(), SIZE).sure
    assert taught(strict, Face.ATTACK).has_prints(roll(), rules())
    assert not taught(strict, Face.HEAL).has_prints(roll(), rules())


@pytest.mark.parametrize(
    ("above", "expected", "problems"),
    [
        (0.1, 6, set()),
        (-0.1, 6, {ReadingProblem.DOUBTFUL}),
        (0.1, None, {ReadingProblem.DOUBTFUL}),
        (0.1, 7, {ReadingProblem.COUNT}),
    ],
)
def test_a_faint_die_is_not_doubted_where_it_makes_up_the_known_number(
    decider: Decider, above: float, expected: int | None, problems: set[ReadingProblem]
) -> None:
    faint, *rest = roll()
    faint = replace(faint, score=0.3)
    (odds, *_) = log_odds(decider.contract.evidence, decider.signs((faint, *rest), SIZE))
    bounds = msgspec.structs.replace(
        decider.contract.evidence,
        no_doubt=float(odds) - above,
        accept=float(odds) + 0.2,
        possible=-9.0,
    )
    decider = Decider(msgspec.structs.replace(decider.contract, evidence=bounds))
    assert set(decider.decide([(faint, *rest)], rules(), SIZE, expected).problems) == problems


@pytest.mark.parametrize(("away", "is_cut"), [(-0.015, True), (-0.005, False), (0.0, False)])
def test_a_die_with_more_than_a_hundredth_outside_is_cut(
    decider: Decider, away: float, is_cut: bool
) -> None:
    points = np.concatenate(corners(cubes(1)[0], TILT))
    low, high = points.min(axis=0), points.max(axis=0)
    die = shifted(seen(), away * float(high[0] - low[0]) - float(low[0]), 200 - float(low[1]))
    (read,) = decider.decide([(die,)], rules(), SIZE).dice
    assert (read.problem is ReadingProblem.CUT) == is_cut


def test_the_least_likely_die_is_the_doubtful_one(decider: Decider) -> None:
    worst = replace(roll(6)[3], faces=faces(Face.HEAL, 0.9), reject=0.001)
    dice = (*roll(6)[:3], worst, *roll(6)[4:])
    verdict = decider.decide([dice], rules(), SIZE)
    assert [die.face for die in verdict.dice if die.problem is ReadingProblem.DOUBTFUL] == [
        Face.HEAL
    ]


def test_repeating_a_look_makes_it_no_surer(decider: Decider) -> None:
    unsure = (*roll()[1:], replace(seen(), faces=faces(chance=0.6)))
    once = decider.decide([unsure], rules(), SIZE)
    often = decider.decide([unsure] * 9, rules(), SIZE)
    assert [d.confidence for d in often.dice] == pytest.approx([d.confidence for d in once.dice])


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


def test_corners_in_another_order_are_the_same_corners(decider: Decider) -> None:
    def turned(die: SeenDie, by: int) -> SeenDie:
        return replace(die, quad=np.roll(die.quad, by, axis=0), base=np.roll(die.base, by, axis=0))

    looks = [tuple(turned(die, n) for die in roll()) for n in range(5)]
    assert decider.decide(looks, rules(), SIZE).sure


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
