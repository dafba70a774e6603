"""The number of rolls that may be called sure."""

from models.measure.risk import Curve

ROLLS = [(0.9, False), (0.999, False), (0.95, True), (0.97, False), (0.8, True), (0.85, False)]


def test_without_errors_everything_surer_than_the_first_of_them_is_covered() -> None:
    sure, covered = Curve.of(ROLLS).best(0)
    assert covered == 2
    assert 0.95 < sure <= 0.97


def test_an_error_that_is_allowed_brings_what_lies_between_it_and_the_next() -> None:
    sure, covered = Curve.of(ROLLS).best(1)
    assert covered == 4
    assert 0.8 < sure <= 0.85


def test_where_no_more_errors_are_there_than_allowed_all_of_it_is_covered() -> None:
    assert Curve.of(ROLLS).best(2)[1] == 4
    assert Curve.of([(0.7, False)]).best(0)[1] == 1


def test_where_the_surest_is_wrong_nothing_is_covered() -> None:
    assert Curve.of([(0.99, True), (0.98, False)]).best(0) == (1.0, 0)
    assert Curve.of([]).best(0) == (1.0, 0)


def test_what_is_as_likely_as_an_error_too_many_is_not_covered() -> None:
    rolls = [(0.9, False), (0.8, False), (0.8, True), (0.8, False)]
    assert Curve.of(rolls).best(0) == (0.9, 1)
    assert Curve.of(rolls).best(1) == (0.8, 3)
    assert Curve.of(rolls[1:]).best(0) == (1.0, 0)


def test_from_a_chance_on_only_what_is_right_is_covered() -> None:
    curve = Curve.of(ROLLS)
    assert [curve.covered(sure) for sure in (0.98, 0.95, 0.9, 0.0)] == [1, 2, 3, 4]
