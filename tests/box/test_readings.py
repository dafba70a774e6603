"""Two machines' readings, compared: what may differ, and what must not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.box.machine import MachineError
from tests.box.readings import Comparison

DIE = {
    "face": "two", "colour": "black", "flat": True, "problem": None,
    "confidence": 1.0, "box": [10, 20, 30, 40],
}  # fmt: skip


def printed(*, dice: int = 2, **other: Any) -> str:
    """Return the line of one still; `other` is what its second die, or the still, has else."""
    of_still = {"game": "tokyo", "sure": True, "problems": []}
    row: dict[str, Any] = {key: other.pop(key, value) for key, value in of_still.items()}
    return json.dumps(row | {"dice": [DIE, DIE | other][:dice]}) + "\n"


def compared(one: str, other: str) -> Comparison:
    found = Comparison()
    found.add(one, other)
    found.check()
    return found


def test_the_last_digits_may_differ() -> None:
    found = compared(printed(), printed(box=[10, 20, 31, 40], confidence=0.995))
    assert (found.stills, found.dice, found.same, found.exact, found.pixels) == (1, 2, 1, 0, 1)
    assert found.confidence == pytest.approx(0.005)


def test_two_edges_of_a_box_may_each_be_a_pixel_apart() -> None:
    assert compared(printed(), printed(box=[11, 19, 28, 42])).pixels == 1


@pytest.mark.parametrize(
    "other",
    [
        {"face": "one"},
        {"colour": "green"},
        {"flat": False},
        {"problem": "stacked"},
        {"box": [10, 20, 30, 42]},
        {"box": [12, 20, 28, 40]},
        {"box": [10, 18, 30, 40]},
        {"confidence": 0.98},
        {"game": "new-york"},
        {"sure": False},
        {"problems": ["blurred"]},
        {"dice": 1},
    ],
)
def test_what_is_read_must_not(other: dict[str, Any]) -> None:
    with pytest.raises(MachineError):
        compared(printed(), printed(**other))


def test_nothing_read_shows_nothing() -> None:
    for nothing in ("", printed(dice=0)):
        with pytest.raises(MachineError):
            compared(nothing, nothing)


def test_a_still_without_its_twin_is_told() -> None:
    with pytest.raises(ValueError, match="shorter"):
        compared(printed() * 2, printed())
