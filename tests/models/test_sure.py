"""The choice of the probability from which a roll is sure."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import msgspec
import numpy as np
import pytest

from companion.engine import Face
from companion.resources import resource_dir
from companion.vision.box import rules_of
from companion.vision.networks.contract import Contract, load_contract
from companion.vision.read.decision import Decider
from companion.vision.read.seen import SeenDie
from models.measure.counting import Still, TrueDie
from models.measure.risk import Curve
from models.measure.sure import LEAST_SURE, StillLooks, outcomes, sure_from
from tests.vision.looks import SIZE, faces, roll, seen

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
CLOSER = ("clean", "likely", "another", "perhaps leaning")


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


def with_bound(terms: Contract, sure: float) -> Contract:
    return msgspec.structs.replace(
        terms, classifier=msgspec.structs.replace(terms.classifier, sure=sure)
    )


def is_sure(terms: Contract, row: StillLooks) -> bool:
    """Whether the roll is sure, as `Reader.decide` decides it."""
    decider, rules = Decider(terms), rules_of(row.still.game)
    first, closer = (decider.decide([look], rules, SIZE, 6) for look in (row.look, row.closer))
    return first.sure or (first.may_resolve and first.is_confirmed_by(closer))


def test_a_roll_is_sure_from_the_bound_that_its_outcome_tells() -> None:
    terms = load_contract(resource_dir("models"))
    told = set()
    for pair in product(SPOILED, CLOSER):
        row = a_row(*pair)
        curve = outcomes([row], terms)
        for bound in (0.9, 0.99, 0.9999):
            left = bool((curve.chances >= bound).any())
            assert left == is_sure(with_bound(terms, bound), row), (pair, bound)
            told.add((pair[0], left))
    assert {("leaning", True), ("leaning", False), ("clean", True)} <= told
    assert ("leaning and blurred", True) not in told


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


def test_nothing_less_likely_than_the_least_is_ever_sure() -> None:
    assert sure_from(Curve.of([(0.5, False)]), 1, 1.0) == LEAST_SURE
