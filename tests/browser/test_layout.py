"""Every screen fits: reading above, touching below; large, apart, nothing cut, for everyone.

A page is opened once for all that is looked at in it. Of languages and of further sizes each
screen has one here, in turn; `make everyone` looks at all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, cycle, product
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.resources import LANGUAGES
from tests.browser.everyone import at_rest, misfits, opened, violations
from tests.browser.phone import SIZES, measured, phone, play, viewport, wiped
from tests.browser.scenes import SCENES, Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

FORMS = frozenset(
    {"01-new-game", "01a-first-page", "01d-seat", "01f-edition", "01g-known-names"}
    | {"01h-camera-found", "01i-new-game-camera", "08b-new-card"}
    | {"02b-stranger", "02c-join", "02l-stranger-window"}
)
"""Forms, and suggestions above the keyboard: thumbs reach up there."""
DICE = frozenset(
    {"04-proposal", "04b-proposal-tokyo", "04d-proposal-extra", "06-by-hand", "06a-by-hand-empty"}
    | {"06b-by-hand-tokyo", "06c-first-throw", "06d-roll-again", "06e-roll-again-by-hand"}
    | {"06k-by-hand-lethal", "14b-camera-lost"}
)
"""While dice are entered or proposed, the own numbers are in sight, even scrolled."""
TO_THE_END = "() => document.querySelector('.scroll').scrollTo(0, 10000)"
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


def in_turn(others: Sequence[str]) -> list[tuple[str, str]]:
    """Return each screen with one of these, by turns."""
    return list(zip(SCENES, cycle(others), strict=False))


def check_targets(seen: Any) -> None:
    """Check how large and how far apart everything is, and that nothing is cut."""
    boxes = seen["boxes"]
    assert seen["overflow"] <= 0
    assert seen["wide"] == []
    assert seen["cut"] == []
    assert seen["keys"] == []
    whole = [box for box in boxes if box["bottom"] - box["top"] >= box["height"] - 0.5]
    assert [box["name"] for box in whole if too_small(box)] == []
    near = [(a["name"], b["name"]) for a, b in combinations(boxes, 2) if too_near(a, b)]
    assert near == []


def check_layout(page: Page, name: str) -> None:
    """Check where everything is, too, and that the own numbers are in sight."""
    seen = measured(page)
    check_targets(seen)
    if name not in FORMS:
        high = [b["name"] for b in seen["boxes"] if b["top"] < FOLD * seen["height"] - 0.5]
        assert high == []
    assert misfits(at_rest(page)) == {}
    if name in DICE:
        assert page.evaluate(IN_SIGHT, ".own-number") == [True] * 4
        page.evaluate(TO_THE_END)
        assert page.evaluate(IN_SIGHT, ".own-number, .primary") == [True] * 5


@pytest.mark.parametrize("name", SCENES)
def test_a_screen_is_for_everyone(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes(name))
    assert violations(at_rest(page)) == []
    check_layout(page, name)


@pytest.mark.parametrize(("name", "language"), in_turn(LANGUAGES))
def test_a_small_screen_holds_every_language(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, language: str
) -> None:
    page = wiped(shared, stage, "320x640", language)
    play(page, stage, scenes(name))
    if language == "en":
        check_layout(page, name)
    else:
        check_targets(measured(page))


@pytest.mark.parametrize(("name", "fit"), in_turn(("text-200", "landscape", "tablet")))
def test_everything_fits(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, fit: str
) -> None:
    assert misfits(opened(shared, stage, scenes(name), fit)) == {}


COVERED = """
() => {
  const box = (one) => document.querySelector(one).getBoundingClientRect();
  return box(".corner").bottom > box(".box-card.chosen > b").top;
}
"""


@pytest.mark.parametrize("size", SIZES)
def test_the_mark_of_the_chosen_box_covers_no_word(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], size: str
) -> None:
    page = wiped(shared, stage, size)
    play(page, stage, scenes("01-new-game"))
    assert page.evaluate(COVERED) is False


IN_SIGHT = """
(selector) => [...document.querySelectorAll(selector)].map((one) => {
  const box = one.getBoundingClientRect();
  const found = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  return box.top >= 0 && box.bottom <= window.innerHeight && (found === one || one.contains(found));
})
"""


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


def test_at_200_percent_the_primary_button_stays_in_sight(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = opened(shared, stage, scenes("03-my-turn"), "text-200")
    assert page.evaluate(IN_SIGHT, ".primary, .tab") == [True] * 5
    page.evaluate("() => document.querySelector('.page').scrollTo(0, 10000)")
    assert page.evaluate(IN_SIGHT, ".primary, .tab") == [True] * 5


GROUND = "() => getComputedStyle(document.documentElement).getPropertyValue('--ground')"


def test_the_chosen_theme_else_that_of_the_phone_and_the_text_size_are_taken_at_once(
    browser: Browser, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    with phone(browser, theme="auto") as page:
        play(page, stage, scenes("16-more"))
        page.emulate_media(color_scheme="dark")
        night = page.evaluate(GROUND)
        page.emulate_media(color_scheme="light")
        paper = page.evaluate(GROUND)
        page.get_by_role("button", name="Black").click()
        black = page.evaluate(GROUND)
        assert [night, paper, black] == ["#14110f", "#efe3c8", "#000"]
        page.click("text='200 %'")
        size = "() => getComputedStyle(document.querySelector('#headline + *, body')).fontSize"
        assert page.evaluate(size) == "32px"
        expect(page.locator("html")).to_have_attribute("data-text", "large")
        page.click("text='100 %'")
        expect(page.locator("html")).to_have_attribute("data-text", "plain")


SCREENS = (
    "01-new-game",
    "01d-seat",
    "02-join-qr",
    "03-my-turn",
    "04-proposal",
    "05-fix-die",
    "06-by-hand",
    "07-order",
    "07b-destruction",
    "08-buy-with-move",
    "08b-new-card",
    "09-stay-or-flee",
    "10-table",
    "10c-player",
    "11-log",
    "12b-number-whole",
    "13-hands",
    "15-game-over",
    "16-more",
)
TEXT_SIZE = "(size) => { document.documentElement.style.fontSize = `${size}%`; }"
WAITING = [
    {
        "command": {"command_id": "0" * 32, "base_rev": 0, "events": [{"type": "PutOff"}]},
        "label": {"key": "act.put_off", "args": {}},
        "since": 0,
    }
]
"""A command that the phone kept: the table's answer to it is the note."""
COVERED_BY_NOTE = """
() => {
  const box = (one) => one.getBoundingClientRect();
  const toast = box(document.querySelector(".toast"));
  const parts = document.querySelectorAll(".sheet, .page:not([inert]) > :not(.strips), .dock > *");
  return [...parts].filter((one) => {
    const { left, right, top, bottom } = box(one);
    const across = Math.min(right, toast.right) - Math.max(left, toast.left);
    const down = Math.min(bottom, toast.bottom) - Math.max(top, toast.top);
    return across > 0.5 && down > 0.5;
  }).map((one) => one.className);
}
"""
"""Whatever of a screen or a sheet is under the note; it has a place of its own between them."""
OUT_OF_REACH = """
() => [...document.querySelectorAll(".toast .act")].filter((one) => {
  const { top, right, bottom, left, height, width } = one.getBoundingClientRect();
  const outside = top < 0 || left < 0 || right > innerWidth || bottom > innerHeight;
  return outside || height < 48 || width < 48;
}).length
"""


@pytest.fixture
def refusing(stage: Stage) -> Iterator[Stage]:
    stage.refusing = "error.stale"
    yield stage
    stage.refusing = None


def test_a_note_covers_nothing(
    shared: Page, refusing: Stage, scenes: Callable[[str], Scene]
) -> None:
    for name in SCREENS:
        page = wiped(shared, refusing)
        kept = json.dumps(WAITING)
        page.evaluate("(kept) => sessionStorage.setItem('monster-table.outbox', kept)", kept)
        play(page, refusing, scenes(name))
        page.wait_for_selector(".toast.refused")
        for size, text in (*((size, 100) for size in SIZES), *((size, 200) for size in SIZES)):
            page.set_viewport_size(viewport(size))
            page.evaluate(TEXT_SIZE, text)
            where = (name, size, text)
            assert (where, page.evaluate(COVERED_BY_NOTE)) == (where, [])
            assert (where, page.evaluate(OUT_OF_REACH)) == (where, 0)


PURSE = """
() => {
  const { left, right, top, bottom } = document.querySelector(".purse").getBoundingClientRect();
  const inside = (x, y) => document.elementFromPoint(x, y)?.closest(".purse") != null;
  return inside(left + 6, top + 6) && inside(right - 6, bottom - 6);
}
"""
SHOPS = ("08-buy-with-move", "08a-buy", "08c-demo-buy")


@pytest.mark.parametrize("size", SIZES)
def test_the_energy_to_spend_is_never_cut(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], size: str
) -> None:
    for name, language in product(SHOPS, LANGUAGES):
        page = wiped(shared, stage, size, language)
        play(page, stage, scenes(name))
        at_rest(page)
        assert (name, language, page.evaluate(PURSE)) == (name, language, True)


KEYS = ".key, .own-number, .primary"
TOGETHER = (
    ("06d-roll-again", "390x844", ".again-die, .dock .act, .dock .primary"),
    ("06e-roll-again-by-hand", "390x844", ".again-die, .key, .dock .act, .dock .primary"),
    ("09-stay-or-flee", "390x844", ".answer-card, .place-card"),
    ("09b-yield-tokyo", "390x844", ".answer-card"),
    ("09k-yield-known", "390x844", ".answer-card"),
    ("06-by-hand", "landscape", KEYS),
    ("06b-by-hand-tokyo", "landscape", KEYS),
    ("06e-roll-again-by-hand", "landscape", KEYS),
    ("14b-camera-lost", "landscape", KEYS),
)
"""What is all in sight at once: the answers to a question, keys and numbers of a phone on its
side."""


@pytest.mark.parametrize(("name", "fit", "parts"), TOGETHER)
def test_what_belongs_together_is_in_sight_at_once(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], name: str, fit: str, parts: str
) -> None:
    page = opened(shared, stage, scenes(name), fit)
    seen = page.evaluate(IN_SIGHT, parts)
    assert set(seen) == {True}
    assert parts != KEYS or len(seen) == 11
