"""Every screen, at both sizes: reading above, touching below; large, apart, nothing cut.

A page is opened once for all that is looked at in it. Of languages and of further sizes each
screen has one here, in turn; `make everyone` looks at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, cycle
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.everyone.bench import at_rest, misfits, opened, violations
from tests.browser.phone import SIZES, measured, play, wiped
from tests.browser.scenes import SCENES, Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

FORMS = frozenset(
    {"01-new-game", "01a-first-page", "01d-seat", "01f-edition", "01g-known-names"}
    | {"08b-new-card", "02b-stranger", "02l-stranger-window"}
)
"""Forms, and suggestions above the keyboard: thumbs reach up there."""
NOTICES = frozenset(
    {"01h-camera-found", "03d-drift", "17-claim", "17b-claim-for-host", "17c-host-lost"}
)
"""A notice is at the end of the head, where nothing else is tapped."""
PHONE = "390x844"
FOLD = 0.4
TARGET, LINK, APART = 48, 24, 8


def too_small(box: Any) -> bool:
    least = LINK if box["kind"] == "link" else TARGET
    return bool(min(box["width"], box["height"]) < least - 0.5)


def too_near(one: Any, other: Any) -> bool:
    """Nearer than eight pixels; parts of one bar may touch."""
    if one["kind"] == other["kind"] and one["kind"] in {"tab", "segment"}:
        return False
    if "link" in {one["kind"], other["kind"]}:
        return False
    across = max(one["left"], other["left"]) - min(one["right"], other["right"])
    down = max(one["top"], other["top"]) - min(one["bottom"], other["bottom"])
    return bool(max(across, down) < APART - 0.5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCENES)
def test_layout(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, size: str
) -> None:
    page = wiped(shared, stage, size)
    play(page, stage, scenes(name))
    seen = measured(page)
    boxes = seen["boxes"]
    assert seen["overflow"] <= 0
    assert seen["wide"] == []
    assert seen["cut"] == []
    assert seen["keys"] == []
    whole = [box for box in boxes if box["bottom"] - box["top"] >= box["height"] - 0.5]
    assert [box["name"] for box in whole if too_small(box)] == []
    near = [(a["name"], b["name"]) for a, b in combinations(boxes, 2) if too_near(a, b)]
    assert near == []
    if name not in FORMS | NOTICES:
        high = [b["name"] for b in boxes if b["top"] < FOLD * seen["height"] - 0.5]
        assert high == []
    assert misfits(at_rest(page)) == {}
    if size == PHONE:
        assert violations(page) == []


def in_turn(others: Sequence[str]) -> list[tuple[str, str]]:
    """Return each screen with one of these, by turns."""
    return list(zip(SCENES, cycle(others), strict=False))


@pytest.mark.parametrize(("name", "language"), in_turn(("es", "fr", "is")))
def test_words_fit(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, language: str
) -> None:
    page = wiped(shared, stage, "320x640", language)
    play(page, stage, scenes(name))
    seen = measured(page)
    assert seen["overflow"] <= 0
    assert seen["wide"] == []
    assert seen["cut"] == []
    assert seen["keys"] == []


@pytest.mark.parametrize(("name", "fit"), in_turn(("text-200", "landscape", "tablet")))
def test_everything_fits(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, fit: str
) -> None:
    assert misfits(opened(shared, stage, scenes(name), fit)) == {}


COVERED = """
() => {
  const mark = document.querySelector(".corner").getBoundingClientRect();
  const words = document.createRange();
  words.selectNodeContents(document.querySelector(".box-card.chosen > b"));
  return [...words.getClientRects()].some((line) =>
    line.right > mark.left && line.left < mark.right
      && line.top < mark.bottom && line.bottom > mark.top);
}
"""


@pytest.mark.parametrize("size", SIZES)
def test_the_mark_of_the_chosen_box_covers_no_word(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], size: str
) -> None:
    page = wiped(shared, stage, size)
    play(page, stage, scenes("01-new-game"))
    assert page.evaluate(COVERED) is False
