"""The choice of bounds: the most sure rolls with no more errors than allowed."""

from dataclasses import replace
from itertools import product

import msgspec
import numpy as np
import pytest

from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.box.rules import rules_of
from companion.vision.networks.contract import Contract, load_contract
from companion.vision.read.decision import Decider
from companion.vision.read.prints import Prints
from companion.vision.read.seen import SeenDie
from models.measure.bounds import (
    LEAST_SURE,
    WIDE_OPEN,
    Bounds,
    Margins,
    StillLooks,
    best_bounds,
    candidate_bounds,
    choose_bounds,
    measure_margins,
)
from models.measure.counting import Still, TrueDie
from models.measure.risk import Curve
from models.terms import TERMS
from tests.vision.cubes import SIZE
from tests.vision.looks import faces, roll, seen

ROLLS = [(0.999, False), (0.99, True), (0.98, False), (0.97, True), (0.95, False), (0.5, False)]
FOUND = Margins(
    Curve.of(ROLLS),
    rolls=np.arange(6),
    flat=np.array([3.0, 1.0, 3.0, 3.0, 3.0, 3.0]),
    look=np.ones(6),
    contrast=np.array([90.0, 90.0, 60.0, 40.0, 80.0, 90.0]),
    side=np.array([60.0, 60, 60, 60, 29, 60]),
    alike=np.array([1.0, 1.0, 0.9, 1.0, 1.0, 0.99]),
    no_doubt=np.array([5.0, 4.0, 5.0, 5.0, 5.0, 2.0]),
)


def test_wide_open_all_rolls_are_left_and_stay_in_order() -> None:
    left = FOUND.under(WIDE_OPEN)
    assert left.chances.tolist() == [chance for chance, _ in ROLLS]
    assert left.silent.tolist() == [silent for _, silent in ROLLS]


def test_a_roll_counts_once_and_is_as_sure_as_its_surest_way_that_is_left() -> None:
    """The first and the third outcome are one roll's look and its closer one."""
    twice = replace(FOUND, rolls=np.array([0, 1, 0, 2, 3, 4]))
    left = twice.under(WIDE_OPEN)
    assert left.chances.tolist() == [0.999, 0.99, 0.97, 0.95, 0.5]
    assert left.silent.tolist() == [False, True, True, False, False]
    left = twice.under(replace(WIDE_OPEN, contrast=85.0))
    assert left.chances.tolist() == [0.999, 0.99, 0.5]
    closer = replace(twice, contrast=np.array([10.0, 90, 90, 90, 90, 90]))
    left = closer.under(replace(WIDE_OPEN, contrast=85.0))
    assert left.chances.tolist() == [0.99, 0.98, 0.97, 0.95, 0.5]


def test_a_roll_is_a_silent_error_if_either_of_its_ways_is_one() -> None:
    twice = replace(FOUND, rolls=np.array([0, 0, 1, 2, 3, 4]))
    assert twice.under(WIDE_OPEN).silent.tolist() == [True, False, True, False, False]
    assert twice.under(replace(WIDE_OPEN, flat=2.0)).silent.tolist() == [
        False, False, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bounds", "left"),
    [
        (replace(WIDE_OPEN, flat=1.0), 6),
        (replace(WIDE_OPEN, flat=1.1), 5),
        (replace(WIDE_OPEN, contrast=60.0), 5),
        (replace(WIDE_OPEN, contrast=60.1), 4),
        (replace(WIDE_OPEN, contrast=90.1), 0),
        (replace(WIDE_OPEN, side=29.5), 5),
        (replace(WIDE_OPEN, look=1.1), 0),
        (replace(WIDE_OPEN, alike=0.95), 5),
        (replace(WIDE_OPEN, no_doubt=2.1), 5),
        (replace(WIDE_OPEN, no_doubt=4.5), 4),
    ],
)
def test_a_roll_at_a_bound_is_left_and_one_beyond_it_is_not(bounds: Bounds, left: int) -> None:
    assert len(FOUND.under(bounds).chances) == left


def test_bounds_that_take_out_the_errors_together_win() -> None:
    choices = [
        WIDE_OPEN,
        replace(WIDE_OPEN, flat=2.0),
        replace(WIDE_OPEN, contrast=50.0),
        replace(WIDE_OPEN, flat=2.0, contrast=50.0),
    ]
    covered, sure, chosen = best_bounds(FOUND, choices, 0)
    assert covered == 3
    assert chosen == choices[3]
    assert LEAST_SURE <= sure <= 0.95


def test_of_equally_good_choices_the_first_is_taken_and_few_errors_may_be_allowed() -> None:
    same = [replace(WIDE_OPEN, side=20.0), WIDE_OPEN]
    covered, sure, chosen = best_bounds(FOUND, same, 0)
    assert (covered, chosen) == (1, same[0])
    assert 0.99 < sure <= 0.999
    assert best_bounds(FOUND, same, 1)[0] == 2
    assert best_bounds(FOUND, same, 2)[0] == 3


def test_nothing_less_likely_than_the_least_is_ever_sure() -> None:
    assert best_bounds(FOUND, [WIDE_OPEN], 6)[1] == LEAST_SURE


def test_without_a_choice_there_is_no_best() -> None:
    with pytest.raises(ValueError, match="no bounds"):
        best_bounds(FOUND, [], 0)


def test_the_terms_take_every_bound() -> None:
    terms = Bounds(1.5, 0.03, 30.0, 29.0, 0.93, 1.2).of(TERMS)
    assert (terms.evidence.flat, terms.corners.flat, terms.evidence.no_doubt) == (1.5, 0.03, 1.2)
    die_limits = terms.die_limits
    assert (die_limits.dark, die_limits.smallest_px, die_limits.alike) == (30.0, 29.0, 0.93)


def test_of_every_bound_the_strictest_is_tried_first() -> None:
    """The first of equally good choices is kept."""
    signs = np.random.default_rng(2).normal(size=(400, 6))
    choices = list(candidate_bounds(TERMS.evidence, signs))
    assert len(set(choices)) == len(choices)
    for bound in ("flat", "look", "contrast", "side", "alike", "no_doubt"):
        values = [getattr(choice, bound) for choice in choices]
        assert values[0] == max(values)
        assert values[-1] == min(values)
        assert len(set(values)) > 1


TURNED = np.array([0.92, np.sqrt(1 - 0.92**2), *[0.0] * 62], np.float32)
SPOILED: dict[str, SeenDie] = {
    "clean": seen(),
    "likely": replace(seen(), faces=faces(chance=0.97)),
    "doubtful": replace(seen(), faces=faces(chance=0.6)),
    "unnamed": replace(seen(), faces=faces(chance=0.3)),
    "another": replace(seen(), faces=faces(Face.HEAL, 0.6)),
    "leaning": replace(seen(), flat=0.02),
    "perhaps leaning": replace(seen(), flat=0.6),
    "faint": replace(seen(), contrast=28.0),
    "blurred": replace(seen(), sharpness=0.0),
    "unlike": replace(seen(), embedding=TURNED),
    "leaning and faint": replace(seen(), flat=0.02, contrast=28.0),
    "leaning and blurred": replace(seen(), flat=0.02, sharpness=0.0),
    "hardly a die": replace(seen(), score=0.05, top=0.5),
}
CLOSER = ("clean", "likely", "another", "perhaps leaning", "faint", "unlike")
CHOICES = [
    WIDE_OPEN,
    Bounds(1.8, 0.03, 26.0, 30.5, 0.93, 1.4),
    Bounds(1.8, 0.03, 32.0, 30.5, 0.91, 1.4),
    Bounds(3.5, 0.06, 26.0, 28.5, -1.0, 3.0),
]


def _row(look: str, again: str) -> StillLooks:
    still = Still("roll", np.zeros((1, 1, 3), np.uint8), "new-york", (), False, (), 6)
    first, closer = ((SPOILED[name], *roll()[1:]) for name in (look, again))
    return StillLooks(still, (), first, closer, SIZE)


def _is_sure(terms: Contract, row: StillLooks) -> bool:
    """Whether the roll is sure, as `Reader.decide` decides it."""
    decider, rules = Decider(terms), rules_of(row.still.game)
    first, closer = (decider.decide([look], rules, SIZE, 6) for look in (row.look, row.closer))
    return first.sure or (first.may_resolve and first.is_confirmed_by(closer))


def test_of_a_box_whose_prints_are_known_a_face_is_not_alone() -> None:
    terms = _alone(8.0)
    doubt = replace(seen(), faces=faces(Face.HEAL, 0.99, reject=0.01), reject=0.01)
    still = Still("roll", np.zeros((1, 1, 3), np.uint8), "new-york", (), False, (), 6)
    look = (doubt, *roll()[1:])
    row = StillLooks(still, (), look, look, SIZE)
    known: list[Prints] = [{}, {Face.HEAL: np.array([doubt.embedding])}]
    plain, knowing = (measure_margins([row], terms, [box]).curve.chances.max() for box in known)
    assert plain == measure_margins([row], terms).curve.chances.max()
    assert knowing - plain == pytest.approx(7 * 0.01)


def _alone(factor: float) -> Contract:
    terms = load_contract(resource_dir("models"))
    classifier = msgspec.structs.replace(terms.classifier, singleton=factor)
    return msgspec.structs.replace(terms, classifier=classifier)


def _heart_among_claws(chance: float, *, is_one: bool) -> StillLooks:
    """Make a roll with one heart of this probability: a fit one, or one of a foreign sign."""
    reject = 1 - chance
    heart = replace(seen(), faces=faces(Face.HEAL, chance, reject=reject), reject=reject)
    look = (heart, *roll()[1:])
    names = ("heal" if is_one else "foreign", *["attack"] * 5)
    dice = tuple(
        TrueDie(name, None, die.box(), countable=name != "foreign")
        for name, die in zip(names, look, strict=True)
    )
    still = Still("roll", np.zeros((1, 1, 3), np.uint8), "new-york", (), is_one, dice, 6)
    return StillLooks(still, (), look, look, SIZE)


@pytest.mark.parametrize(
    ("fit", "sign", "alone"),
    [(0.999, 0.98, 8.0), (0.985, 0.96, 4.0), (0.97, 0.94, 2.0), (0.94, 0.92, 1.0)],
)
def test_a_face_alone_is_doubted_as_much_as_leaves_most_rolls_sure(
    fit: float, sign: float, alone: float
) -> None:
    """The sign is less likely than the hearts at any doubt; at more than this the hearts are not
    sure, and a smaller one gains nothing. The bound is a little above the least sure of them."""
    rows = [_heart_among_claws(fit + 0.0003 * n, is_one=True) for n in range(4)]
    rows.append(_heart_among_claws(sign, is_one=False))
    signs = np.random.default_rng(2).normal(size=(400, 6))
    chosen = choose_bounds(rows, _alone(8.0), signs)
    assert chosen.classifier.singleton == alone
    assert [_is_sure(chosen, row) for row in rows] == [False, True, True, True, False]


def _two_hearts_among_claws(chance: float) -> StillLooks:
    """Make a fit roll of two hearts and four claws; each heart has this probability."""
    lone = _heart_among_claws(chance, is_one=True)
    heart, claw = lone.look[:2]
    look = (heart, replace(heart, quad=claw.quad, base=claw.base), *lone.look[2:])
    dice = (lone.still.dice[0], replace(lone.still.dice[1], face="heal"), *lone.still.dice[2:])
    return replace(lone, look=look, closer=look, still=replace(lone.still, dice=dice))


def test_a_face_alone_is_doubted_most_where_only_that_brings_a_sign_below_the_rolls() -> None:
    """The fit rolls hold no face alone: their chance is 0.927 and more at any doubt. The sign's is
    0.908 with eight times the doubt, 0.954 with four. The least sure roll is below the bound."""
    rows = [_two_hearts_among_claws(0.9635 + 0.0003 * n) for n in range(4)]
    rows.append(_heart_among_claws(0.9885, is_one=False))
    signs = np.random.default_rng(2).normal(size=(400, 6))
    chosen = choose_bounds(rows, _alone(1.0), signs)
    assert chosen.classifier.singleton == 8.0
    assert [_is_sure(chosen, row) for row in rows] == [False, True, True, True, False]


def test_what_is_left_under_bounds_is_what_the_reader_calls_sure_under_them() -> None:
    terms = load_contract(resource_dir("models"))
    rows = {pair: _row(*pair) for pair in product(SPOILED, CLOSER)}
    found = measure_margins(list(rows.values()), terms)
    outcomes = set()
    for (roll_number, (pair, row)), bounds, sure in product(
        enumerate(rows.items()), CHOICES, (0.9, 0.99)
    ):
        mine = found.rolls == roll_number
        ways = (getattr(found, name)[mine] for name in Margins.__slots__[1:])
        left = Margins(Curve(found.curve.chances[mine], found.curve.silent[mine]), *ways)
        is_left = bool((left.under(bounds).chances >= sure).any())
        chosen = bounds.of(terms)
        classifier = msgspec.structs.replace(chosen.classifier, sure=sure)
        chosen = msgspec.structs.replace(chosen, classifier=classifier)
        assert is_left == _is_sure(chosen, row), (pair, bounds, sure)
        outcomes.add((pair[0], is_left))
    assert {("leaning", True), ("leaning", False), ("leaning and blurred", False)} <= outcomes
    assert ("blurred", True) not in outcomes
    assert ("leaning and blurred", True) not in outcomes
