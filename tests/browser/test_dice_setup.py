"""The guided set-up on the host's phone, from More to a test roll and the box in use.

The camera is scripted: good, too dark, glare, tilted, too far.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.engine import Face
from companion.resources import LANGUAGES
from companion.service.settings import Settings
from tests.browser.phone import HOST, SIZES, box_of, measured, phone, viewport
from tests.browser.seated import A_WHILE, Thumb, evening, sit_down
from tests.service.served import Served, serving
from tests.vision.showing import Posed, ShownBox, dimmed, with_glare

pytestmark = pytest.mark.browser

GAME = "new-york"
PLACEMENTS = 2
WRONG = {
    "dark": ("light", "Switch on a lamp"),
    "glare": ("glare", "Turn the lamp"),
    "tilted": ("tilt", "Look straight down"),
    "far": ("size", "Bring it nearer"),
}
"""What each bad picture fails, and what the phone then says."""


@pytest.fixture(scope="module")
def box() -> ShownBox:
    return ShownBox.of()


@contextmanager
def posed(folder: Path, box: ShownBox) -> Iterator[tuple[Served, Posed]]:
    """Serve an evening with a camera whose pictures a test chooses."""
    camera = Posed(str(folder / "poses"))
    good = box.show(box.faces[0], 1)
    camera.add("good", good)
    camera.add("dark", dimmed(good, 0.14))
    camera.add("glare", with_glare(good, 0.25, 0.25))
    camera.add("tilted", replace(box, tilt=55.0).show(box.faces[0], 1))
    camera.add("far", replace(box, die_px=22.0).show(box.faces[0], 1))
    camera.pose("good")
    evening(folder / "data", GAME)
    settings = Settings(folder / "data", host="127.0.0.1", port=0, game=GAME, names=(HOST,))
    with serving(settings, camera) as served:
        yield served, camera


def begin(page: Page, served: Served) -> Thumb:
    """Go from More to the camera's place."""
    ana = sit_down(page, served, 0)
    ana.tap(".tab >> nth=3")
    ana.tap(".camera-act")
    ana.wait_for("boxes")
    ana.tap(".primary:not([disabled])")
    ana.wait_for("camera-place")
    return ana


def shown_face(page: Page, box: ShownBox) -> Face:
    """The face that the phone asks for."""
    at = page.locator(".face-tile.chosen")
    index = page.locator(".face-tile").evaluate_all(
        "(tiles) => tiles.findIndex((tile) => tile.classList.contains('chosen'))"
    )
    expect(at).to_have_count(1)
    return box.faces[int(index)]


def show_all(page: Page, camera: Posed, box: ShownBox) -> int:
    """Show every face as the phone asks for it; return how often the dice were turned."""
    turns = 0
    while page.locator(".screen-show-face").count():
        face = shown_face(page, box)
        name = f"{face}-{turns}"
        camera.add(name, box.show(face, 100 + turns))
        before = page.locator(".face-tile.chosen").get_attribute("aria-label")
        camera.pose(name)
        turns += 1
        page.wait_for_function(
            """(before) => {
                const tile = document.querySelector(".face-tile.chosen");
                return tile === null || tile.getAttribute("aria-label") !== before;
            }""",
            arg=before,
            timeout=A_WHILE,
        )
        assert turns < 40
    return turns


def test_the_guided_set_up_takes_two_minutes_and_ends_in_a_box(
    browser: Browser, tmp_path: Path, box: ShownBox
) -> None:
    with posed(tmp_path, box) as (served, camera), phone(browser) as page:
        ana = begin(page, served)
        page.wait_for_selector("[data-check=light][data-verdict=good]")
        for pose, (key, act) in WRONG.items():
            camera.pose(pose)
            page.wait_for_selector(f"[data-check={key}]:not([data-verdict=good])", timeout=A_WHILE)
            expect(page.locator("#headline")).to_have_text(act)
            doubt = page.locator(f"[data-check={key}] .check-verdict")
            expect(doubt).to_have_css("color", "rgb(247, 184, 1)")
            if pose == "glare":
                expect(page.locator(".glare-mark.top_left")).to_have_count(1)
        camera.pose("good")
        for key in ("light", "glare", "size", "tilt", "sharp"):
            page.wait_for_selector(f"[data-check={key}][data-verdict=good]", timeout=A_WHILE)
        before_s = seconds(served)
        taps = ana.taps
        ana.tap(".primary")
        ana.wait_for("show-face")
        assert show_all(page, camera, box) <= 7 * PLACEMENTS
        ana.wait_for("dice-result")
        took_s = seconds(served) - before_s
        print(f"the guided part took {took_s:.0f} s by the camera's clock")
        assert took_s <= 120
        assert ana.taps - taps == 1, "it goes on by itself"
        expect(page.locator(".held-row")).to_have_count(6)
        in_every_language(page, tmp_path, "dice-result")
        page.set_viewport_size({"width": 390, "height": 844})
        reopened(page, "en")
        ana.wait_for("dice-result")
        ana.tap(".act >> text=Test roll")
        ana.wait_for("test-roll")
        rolled = (*box.faces[:5], box.faces[0])
        camera.add("rolled", box.roll(rolled, 999))
        camera.pose("rolled")
        expect(page.locator("#headline")).to_have_text("Read, and sure", timeout=A_WHILE)
        expect(page.locator(".mark.good")).to_have_count(6)
        ana.tap(".primary")
        ana.wait_for("dice-result")
        page.fill("input[type=text]", "Ana’s dice")
        ana.tap(".primary")
        ana.wait_for("boxes")
        expect(page.locator(".game-row.current")).to_contain_text("Ana’s dice")
        in_every_language(page, tmp_path, "boxes")
        assert served.app_state.update(None).view.tray.box == "Ana’s dice"
        assert served.app_state.tray.camera.calibrating is None


def seconds(served: Served) -> float:
    """The time since the set-up began, by the camera's clock."""
    state = served.app_state.tray.camera.calibrating
    assert state is not None
    assert state.seen is not None
    return state.seen.seconds


def test_the_tray_is_drawn_and_found_again(browser: Browser, tmp_path: Path, box: ShownBox) -> None:
    with posed(tmp_path, box) as (served, _), phone(browser) as page:
        ana = begin(page, served)
        ana.tap(".act >> text=Set the corners")
        handles = page.locator(".corner-handle")
        expect(handles).to_have_count(4)
        handles.nth(0).focus()
        for _ in range(10):
            page.keyboard.press("ArrowRight")
        left = box_of(handles.nth(2))
        page.mouse.move(left["x"] + 24, left["y"] + 24)
        page.mouse.down()
        page.mouse.move(left["x"] - 16, left["y"] + 4, steps=4)
        page.mouse.up()
        ana.tap(".primary")
        page.wait_for_selector("[data-check=tray][data-verdict=good]", timeout=A_WHILE)
        assert served.app_state.tray.camera.profile.sheet is not None
        ana.tap(".act >> text=Find the tray again")
        page.wait_for_selector(".act >> text=Leave")
        assert served.app_state.tray.camera.profile.sheet is None


def test_a_set_up_that_is_left_reads_rolls_again(
    browser: Browser, tmp_path: Path, box: ShownBox
) -> None:
    with posed(tmp_path, box) as (served, camera), phone(browser) as page:
        ana = begin(page, served)
        ana.tap(".act >> text=Leave")
        ana.wait_for("more")
        ana.tap(".tab >> nth=0")
        camera.add("rolled", box.roll((*box.faces[:5], box.faces[0]), 7))
        camera.pose("rolled")
        ana.wait_for("proposal")


def test_place_and_faces_fit_in_every_language(
    browser: Browser, tmp_path: Path, box: ShownBox
) -> None:
    with posed(tmp_path, box) as (served, camera), phone(browser) as page:
        ana = begin(page, served)
        camera.pose("glare")
        page.wait_for_selector("[data-check=glare]:not([data-verdict=good])", timeout=A_WHILE)
        in_every_language(page, tmp_path, "camera-place")
        ana.tap(".primary")
        ana.wait_for("show-face")
        camera.pose("good")
        page.wait_for_selector(".mark.good", timeout=A_WHILE)
        in_every_language(page, tmp_path, "show-face")


def reopened(page: Page, language: str) -> None:
    """Load the page in a language, and open the set-up that runs."""
    prefs = json.dumps({"theme": "night", "language": language})
    page.add_init_script(f"localStorage.setItem('monster-table.prefs', {prefs!r})")
    page.reload()
    page.click(".tab >> nth=3")
    page.click(".camera-act")


def in_every_language(page: Page, folder: Path, screen: str) -> None:
    """Open the step in each language on each size of phone: it fits, and is kept as a picture."""
    for size in SIZES:
        for language in LANGUAGES:
            page.set_viewport_size(viewport(size))
            reopened(page, language)
            page.wait_for_selector(f".screen-{screen}", timeout=A_WHILE)
            page.evaluate("() => document.fonts.ready.then(() => true)")
            page.wait_for_function("() => [...document.images].every((one) => one.complete)")
            page.screenshot(path=folder / f"{screen}-{language}-{size}.png")
            seen = measured(page)
            assert seen["overflow"] <= 0, (language, size)
            assert seen["wide"] == [], (language, size)
            assert seen["cut"] == [], (language, size)
            assert seen["keys"] == [], (language, size)
            small = [
                box["name"]
                for box in seen["boxes"]
                if box["bottom"] - box["top"] >= box["height"] - 0.5
                and min(box["height"], box["width"]) < 44
            ]
            assert small == [], (language, size)
