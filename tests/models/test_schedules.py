"""Training schedules: learning rates, continuation and scaling."""

from dataclasses import replace

import pytest

from models.training.schedules import (
    COOLED,
    LOWEST_SHARE,
    NAMES,
    WARM_STEPS,
    Schedule,
    TrainConfig,
    has_halves,
)

SCHEDULE = Schedule(steps=4000, batch=16, rate=2e-3)


def test_the_rate_rises_from_almost_nothing_stays_and_falls_to_a_hundredth() -> None:
    rates = [SCHEDULE.rate_at(step) for step in range(SCHEDULE.steps)]
    top = rates.index(max(rates))
    assert rates[0] == pytest.approx(SCHEDULE.rate / WARM_STEPS, rel=1e-3)
    assert top == WARM_STEPS - 1
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    cooling = round((1 - COOLED) * SCHEDULE.steps)
    assert set(rates[top : cooling + 1]) == {SCHEDULE.rate}
    assert rates[(cooling + SCHEDULE.steps) // 2] == pytest.approx(SCHEDULE.rate / 2)
    assert rates[-1] == pytest.approx(LOWEST_SHARE * SCHEDULE.rate)


def test_a_course_is_made_longer_or_shorter_only_while_nothing_depends_on_its_length() -> None:
    longer = replace(SCHEDULE, steps=2 * SCHEDULE.steps)
    plain = round((1 - COOLED) * SCHEDULE.steps)
    assert longer.continues(SCHEDULE, plain)
    assert not longer.continues(SCHEDULE, plain + 1)
    assert SCHEDULE.continues(longer, plain)
    assert not SCHEDULE.continues(longer, plain + 1)
    assert SCHEDULE.continues(SCHEDULE, SCHEDULE.steps)


def test_a_course_of_which_more_is_cooled_is_made_longer_for_less_of_it() -> None:
    begun = replace(SCHEDULE, cooled=0.7)
    longer = replace(begun, steps=2 * begun.steps)
    plain = round(0.3 * begun.steps)
    assert begun.rate_at(plain) == begun.rate > begun.rate_at(plain + 1)
    assert longer.continues(begun, plain)
    assert not longer.continues(begun, plain + 1)


def test_another_rate_batch_or_cooling_is_another_course() -> None:
    assert not replace(SCHEDULE, rate=1e-3).continues(SCHEDULE, 1)
    assert not replace(SCHEDULE, cooled=0.5).continues(SCHEDULE, 1)
    assert not replace(SCHEDULE, batch=32).continues(SCHEDULE, 1)


def test_a_part_of_the_recipe_has_that_part_of_every_picture_and_step() -> None:
    whole, tenth = TrainConfig(), TrainConfig().scaled(0.1)
    assert {kind: 10 * n for kind, n in tenth.renders().items()} == whole.renders()
    for stage, part in zip(whole.stages(), tenth.stages(), strict=True):
        assert stage.keys() == part.keys()
        for name, schedule in stage.items():
            assert 10 * part[name].steps == schedule.steps
            assert replace(part[name], steps=schedule.steps) == schedule


def test_every_network_is_trained_in_each_stage_after_the_first() -> None:
    first, *others = TrainConfig().stages()
    assert list(first) == ["detector"]
    assert all(set(stage) == set(NAMES) for stage in others)


@pytest.mark.parametrize(
    ("capabilities", "has"),
    [
        ({"amx_bf16": True, "avx512_bf16": True}, True),
        ({"avx512_bf16": True, "amx_bf16": False}, True),
        ({"bf16": True, "neon": True}, True),
        ({"avx2": True, "amx_bf16": False, "avx512_bf16": False}, False),
        ({}, False),
    ],
)
def test_halves_are_used_only_where_the_processor_multiplies_them(
    capabilities: dict[str, bool], has: bool
) -> None:
    assert has_halves(capabilities) == has
