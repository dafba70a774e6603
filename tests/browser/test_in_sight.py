"""While dice are entered or proposed, the own numbers and the keys are in sight, even scrolled."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.phone import SIZES, play, wiped
from tests.browser.scenes import Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

DICE = (
    "04-proposal",
    "04b-proposal-tokyo",
    "04d-proposal-extra",
    "06-by-hand",
    "06a-by-hand-empty",
    "06b-by-hand-tokyo",
    "06c-first-throw",
    "06d-roll-again",
    "06e-roll-again-by-hand",
    "06k-by-hand-lethal",
    "14b-camera-lost",
)
BY_KEYS = tuple(name for name in DICE if name in {"06-by-hand", "06b-by-hand-tokyo"})

WHOLE = """
(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const box = one.getBoundingClientRect();
  const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return box.top >= 0 && box.bottom <= window.innerHeight && (found === one || one.contains(found));
})
"""
TO_THE_END = "() => document.querySelector('.scroll').scrollTo(0, 10000)"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", DICE)
def test_own_numbers_are_in_sight_with_the_dice(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, size: str
) -> None:
    page = wiped(shared, stage, size)
    play(page, stage, scenes(name))
    page.wait_for_selector(".page:not(.settling)")
    assert page.evaluate(WHOLE, ".own-number") == [True] * 4
    page.evaluate(TO_THE_END)
    assert page.evaluate(WHOLE, ".own-number, .primary") == [True] * 5


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", BY_KEYS)
def test_keys_and_dice_are_above_the_fold(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, size: str
) -> None:
    page = wiped(shared, stage, size)
    play(page, stage, scenes(name))
    page.wait_for_selector(".page:not(.settling)")
    assert page.evaluate(WHOLE, ".key, .slots > *") == [True] * 12


def test_the_strip_says_what_lies_on_the_own_monster(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    scene = scenes("06c-first-throw")
    play(page, stage, scene)
    assert scene.update.view.game is not None
    seat = scene.update.view.game.seats[0]
    shown = page.locator(".own-number .own-value").all_inner_texts()
    assert shown == [*(str(one.value) for one in seat.numbers), str(len(seat.cards))]
    expect(page.locator(".own-number >> nth=3")).to_have_attribute(
        "aria-label", "0 cards: see them, Curse 1"
    )
    page.click(".own-number >> nth=2")
    expect(page.locator("[data-sheet=number]")).to_be_visible()
