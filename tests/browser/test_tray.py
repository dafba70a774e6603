"""The tray on phones: guided set-up, what the camera notices, the fuse, notices, misread rolls."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Page, expect

from companion.demo.dice import FLIGHT_S, Dice, Die, at_rest
from companion.demo.picture import TrayPicture
from companion.demo.source import pictures
from companion.engine import RULESETS, Face
from companion.resources import LANGUAGES
from companion.service import wire
from companion.service.settings import Settings
from companion.table.database import COPIES, FILE_NAME
from companion.vision.pictures import Image
from companion.vision.readings import Drift
from companion.vision.report import decode_report
from tests.browser.evening import misread, named
from tests.browser.phone import HOST, SIZES, box_of, measured, phone, play, viewport, wiped
from tests.browser.scenes import (
    REPORT,
    SCENES,
    Scene,
    with_view,
)
from tests.browser.seated import A_WHILE, Thumb, evening, sit_down, turn_passed
from tests.browser.stage import Stage
from tests.service.served import Served, serving
from tests.vision.showing import Directed, Posed, ShownBox, dimmed, with_glare

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
    camera.add("tilted", dataclasses.replace(box, tilt=55.0).show(box.faces[0], 1))
    camera.add("far", dataclasses.replace(box, die_px=22.0).show(box.faces[0], 1))
    camera.show("good")
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
        camera.show(name)
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


def test_the_guided_set_up_goes_on_by_itself_and_ends_in_a_box(
    browser: Browser, tmp_path: Path, box: ShownBox
) -> None:
    with posed(tmp_path, box) as (served, camera), phone(browser) as page:
        ana = begin(page, served)
        page.wait_for_selector("[data-check=light][data-verdict=good]")
        for pose, (key, act) in WRONG.items():
            camera.show(pose)
            page.wait_for_selector(f"[data-check={key}]:not([data-verdict=good])", timeout=A_WHILE)
            expect(page.locator("#headline")).to_have_text(act)
            doubt = page.locator(f"[data-check={key}] .check-verdict")
            expect(doubt).to_have_css("color", "rgb(247, 184, 1)")
            if pose == "glare":
                expect(page.locator(".glare-mark.top_left")).to_have_count(1)
        camera.show("good")
        for key in ("light", "glare", "size", "tilt", "sharp"):
            page.wait_for_selector(f"[data-check={key}][data-verdict=good]", timeout=A_WHILE)
        taps = ana.taps
        ana.tap(".primary")
        ana.wait_for("show-face")
        assert show_all(page, camera, box) <= 7 * PLACEMENTS
        ana.wait_for("dice-result")
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
        camera.show("rolled")
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
        assert served.app_state.tray.camera.setup_state is None


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
        assert served.app_state.tray.camera.setup.profile.tray is not None
        ana.tap(".act >> text=Find the tray again")
        page.wait_for_selector(".act >> text=Leave")
        assert served.app_state.tray.camera.setup.profile.tray is None


def test_place_and_faces_fit_in_every_language(
    browser: Browser, tmp_path: Path, box: ShownBox
) -> None:
    with posed(tmp_path, box) as (served, camera), phone(browser) as page:
        ana = begin(page, served)
        camera.show("glare")
        page.wait_for_selector("[data-check=glare]:not([data-verdict=good])", timeout=A_WHILE)
        in_every_language(page, tmp_path, "camera-place")
        ana.tap(".primary")
        ana.wait_for("show-face")
        camera.show("good")
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
    """Open the step in each language, on the sizes of phones by turns: it fits."""
    for size, language in zip(cycle(SIZES), LANGUAGES, strict=False):
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


NOTICE = "[data-notice=drift]"


def with_drift(scene: Scene, drift: Drift | None, role: wire.Role = wire.Role.HOST) -> wire.Update:
    """The update for a phone of this role, with what the camera has noticed."""
    update = with_view(scene, tray=replace(scene.update.view.tray, drift=drift)).update
    return replace(update, you=replace(update.you, role=role))


def test_the_host_answers_with_one_tap_until_it_is_gone_and_others_read_it(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    scene = scenes("03d-drift")
    play(page, stage, scene)
    answers = ((Drift.LIGHT, "Adjust again", "adjust"), (Drift.BOX, "It is fine", "accept"))
    for count, (drift, act, sent) in enumerate(answers, 1):
        stage.push(with_drift(scene, drift))
        page.click(f"{NOTICE} .act:has-text('{act}')")
        assert stage.sent(count)[-1] == {"act": sent}
        stage.push(with_drift(scene, None))
        expect(page.locator(NOTICE)).to_have_count(0)
    stage.push(with_drift(scene, Drift.GLARE, wire.Role.PLAYER))
    expect(page.locator(".tray-strip")).to_contain_text("A lamp shines into the picture")
    expect(page.locator(NOTICE)).to_have_count(0)


SPOTS = ((-5.0, 1.8), (-1.8, 2.0), (1.6, 1.7), (5.0, 1.9), (-3.6, -1.7), (3.4, -1.9))
"""Where demo dice lie well apart, in sides from the middle of the tray."""
FIRST = named("2 one 2 two heal energy")
KEPT = (0, 2, 4)


def lying(faces: tuple[Face, ...], places: Iterable[int]) -> Image:
    """Draw demo dice in the tray at these of the spots; one that is thrown again lies elsewhere."""
    order = RULESETS["tokyo"].faces
    dice = []
    for n in places:
        (x, y), moved = SPOTS[n], 0.0 if faces[n] is FIRST[n] else 0.7
        dice.append(Die("tokyo", order.index(faces[n]), False, x + moved, y, 0.2 + n + moved))
    return TrayPicture(pictures()).draw([at_rest(die) for die in dice])


def tumbling() -> list[Image]:
    """Draw six demo dice on their way."""
    dice = Dice(3)
    dice.throw("tokyo", 6)
    tray = TrayPicture(pictures())
    return [tray.draw(dice.poses((0.5 + 0.04 * n) * FLIGHT_S), finer=1) for n in range(8)]


@pytest.fixture
def directed(tmp_path: Path) -> Directed:
    """A camera over a throw, three dice of it, and the others thrown again."""
    camera = Directed(str(tmp_path / "scenes"))
    first = lying(FIRST, range(6))
    hand = first.copy()
    hand[:260, 300:460] = (150, 180, 220)
    second = lying(named("one heal two heal heal heal"), range(6))
    camera.add("first", first)
    camera.add("hand", hand, np.roll(hand, 9, axis=1))
    camera.add("kept", lying(FIRST, KEPT))
    camera.add("rolling", *tumbling())
    camera.add("second", second)
    camera.add("dark", dimmed(second, 0.02))
    camera.add("empty", lying(FIRST, ()))
    camera.show("empty")
    return camera


SAID = """
() => [document.body.innerText,
  ...[...document.querySelectorAll("[aria-label]")].map((one) => one.ariaLabel)].join(" ")
"""
SURE = ("Six dice. All sure.", "Apply")
STATES = (
    ("first", *SURE, "Roll 1 of 3 · 2 left", "Roll again, or"),
    ("hand", "Six dice", "Roll 1 stands: Apply", "A hand I wait until it is gone."),
    ("first", *SURE, "Roll 1 of 3 · 2 left"),
    ("kept", "Rolling…", "Roll 1 stands: Apply"),
    ("rolling", "Rolling…", "Roll 1 stands: Apply"),
    ("second", *SURE, "Roll 2 of 3 · 1 left", "Roll again, or"),
    ("dark", "Six dice", "Roll 2 stands: Apply", "It is too dark."),
    ("second", *SURE, "Roll 2 of 3 · 1 left"),
    ("", "Six dice", "Roll 2 stands: Apply", "Camera lost"),
    ("second", *SURE, "Roll 2 of 3 · 1 left"),
    ("empty", "Six dice", "Roll 2 stands: Apply", "Empty tray Roll, and I’ll read."),
    ("second", *SURE, "Roll 2 of 3 · 1 left"),
)
"""What the camera shows, one after the other; the headline, the button, and what else is said."""


def test_the_phone_says_what_the_tray_does_at_every_moment(
    browser: Browser, tmp_path: Path, directed: Directed
) -> None:
    evening(tmp_path / "data", "tokyo")
    settings = Settings(tmp_path / "data", host="127.0.0.1", port=0, game="tokyo", names=(HOST,))
    with serving(settings, directed) as served, phone(browser) as page:
        missing: list[str] = []
        tops: set[float] = set()
        page.on("response", lambda one: missing.append(one.url) if one.status == 404 else None)
        ana = sit_down(page, served, 0)
        strip = page.locator(".tray-strip")
        expect(strip).to_contain_text("Empty tray", timeout=A_WHILE)
        expect(strip.locator("img:not(.no-picture)")).to_have_count(1, timeout=A_WHILE)
        for n, (scene, headline, button, *others) in enumerate(STATES):
            directed.show(scene)
            expect(page.locator("#headline")).to_have_text(headline, timeout=A_WHILE)
            expect(page.locator(".primary .primary-words")).to_have_text(button)
            for words in others:
                expect(page.locator(".page")).to_contain_text(words, timeout=A_WHILE)
            if headline != SURE[0]:
                assert "sure" not in page.evaluate(SAID)
            expect(page.locator(".tray-map")).to_have_count(0 if scene == "empty" else 1)
            dim = 0 if scene in {"first", "second", "empty"} else 1
            expect(page.locator(".tray-map.dimmed")).to_have_count(dim)
            if scene != "empty":
                tops.add(box_of(page.locator(".tray-map"))["y"])
            page.screenshot(path=tmp_path / f"{n:02}-{scene or 'lost'}.png")
        assert len(tops) == 1, "Dice move under a finger."
        ana.tap(".primary")
        turn_passed(page)
        expect(strip).to_contain_text("These are the last roll’s dice")
        assert "Apply" not in page.evaluate(SAID)
        page.screenshot(path=tmp_path / "last-dice.png")
        ana.tap(".tray-strip .link")
        expect(page.locator("#headline")).to_have_text("Six dice. All sure.", timeout=A_WHILE)
        assert missing == []


INSIDE = """
() => {
  const map = document.querySelector(".tray-map").getBoundingClientRect();
  const boxes = [...document.querySelectorAll(".marker")].map((one) => one.getBoundingClientRect());
  return boxes.every((one) => one.left >= map.left - 1 && one.right <= map.right + 1)
    && Math.max(...boxes.map((one) => one.right)) > map.left + map.width * 0.6;
}
"""
"""Whether all markers are on the map, over its whole width."""


def test_the_tray_keeps_its_layout_when_the_window_changes(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("04c-proposal-sure"))
    for size in ("320x640", "768x1024", "844x390", "390x844"):
        page.set_viewport_size(viewport(size))
        page.wait_for_function(INSIDE)


def test_a_die_that_leans_is_pointed_out_and_applied(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("04m-leaning"))
    expect(page.locator(".marker.leaning")).to_have_count(1)
    expect(page.locator("#headline")).to_contain_text("All sure.")
    expect(page.locator("p.gold")).to_have_text("The third from the left leans: throw it again?")
    page.click(".dock .primary")
    (command,) = stage.sent(1)
    assert len(command["events"][-1]["faces"]) == 6


SPEAKS = "SpeechSynthesis.prototype.speak = (said) => (window.spoken = [said.lang, said.text])"


def test_the_phone_reads_the_dice_aloud_on_a_tap(
    browser: Browser, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    with phone(browser) as page:
        page.add_init_script(SPEAKS)
        play(page, stage, scenes("04-proposal"))
        page.click(".link:has-text('Read my dice')")
        language, text = page.evaluate("window.spoken")
        doubt = page.locator(".doubt-pair .muted").first.inner_text()
    dice, _, doubtful = text.partition(". ")
    assert language == "en"
    assert dice == "Attack, Energy, Destruction, Ouch!, Celebrity, Heal"
    assert re.match(r"The \w+ from the (left|right): I am 61\s% sure of ", doubtful)
    assert doubtful == doubt


LOADED = """
() => [...document.querySelectorAll(".misread-parts img")].map((one) =>
  [one.alt, one.complete && one.naturalWidth > 0])
"""


def test_everything_in_the_file_is_shown_before_it_is_saved_and_nothing_is_sent(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    scene = scenes("04f-misread")
    play(page, stage, scene)
    file = misread(scene.evening.game)
    report = decode_report(file, "shown")
    shown = dict(page.evaluate(LOADED))
    frames = [f"frames/{n:02}.jpg" for n in range(len(report.frames))]
    assert list(shown) == [*frames, "enrolled/heal-0.png"]
    assert set(shown.values()) == {True}
    text = page.locator(".misread-text").inner_text()
    assert '"networks": "abc1234"' in text
    width = page.locator(".misread-frame").first.evaluate("one => one.clientWidth")
    assert width > 340, "people in it can be seen"
    with page.expect_download() as saving:
        page.click(".screen-misread .primary")
    assert saving.value.suggested_filename == "misread.zip"
    assert Path(saving.value.path()).read_bytes() == file
    page.click(".screen-misread .square")
    expect(page.locator(".screen-misread")).to_have_count(0)
    assert stage.commands == []


def test_the_faces_as_put_right_on_the_phone_go_into_the_report(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    page = wiped(shared, stage)
    scene = SCENES["05-fix-die"](tmp_path)
    play(page, stage, scene)
    stage.looked.clear()
    page.click(".act:has-text('Not a die')")
    for tap in REPORT:
        page.click(tap)
    page.wait_for_selector(".misread-frame")
    proposal = scene.update.view.tray.proposal
    assert proposal is not None
    faces = [str(die.face) for die in proposal.dice]
    (looked,) = stage.looked
    path, _, query = looked.partition("?faces=")
    assert path == f"/api/misread/{proposal.id}.zip"
    said = query.split(",")
    assert len(said) == len(faces)
    assert [(n, face) for n, face in enumerate(said) if face != faces[n]] == [(3, "-")]


def test_the_last_misread_can_still_be_sent(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("16-more"))
    page.click(".camera-act")
    expect(page.locator(".act:has-text('Send the last misread')")).to_have_count(0)
    scene = scenes("16-more")
    stage.push(with_view(scene, tray=replace(scene.update.view.tray, misread="g1-7")).update)
    page.click(".act:has-text('Send the last misread')")
    expect(page.locator(".misread-frame")).to_have_count(2)
    assert stage.looked[-1] == "/api/misread/g1-7.zip"


def test_every_phone_sees_the_fuse_on_every_tab(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("04h-fuse-of-another"))
    for tab in range(4):
        page.click(f".tab >> nth={tab}")
        expect(page.locator(".fuse-strip")).to_be_visible()


LOG_NOTICE = '[data-notice="log"]'


def damaged(folder: Path, rows: int) -> None:
    """Change the last rows of the log in the file, of which there is no copy."""
    shutil.rmtree(folder / COPIES, ignore_errors=True)
    with closing(sqlite3.connect(folder / FILE_NAME)) as db, db:
        db.execute(f"UPDATE row SET who = 'other' WHERE seq > (SELECT max(seq) - {rows} FROM row)")


def test_a_loss_stands_on_every_phone_until_the_host_has_seen_it(
    browser: Browser, tmp_path: Path
) -> None:
    evening(tmp_path, "tokyo")
    damaged(tmp_path, 2)
    settings = Settings(tmp_path, host="127.0.0.1", port=0, game="tokyo", names=(HOST,))
    with (
        serving(settings) as served,
        phone(browser) as one,
        phone(browser) as two,
    ):
        ana, ben = sit_down(one, served, 0), sit_down(two, served, 1)
        for page in (one, two):
            expect(page.locator(LOG_NOTICE)).to_contain_text("2 steps of g1 are lost")
        expect(two.locator(f"{LOG_NOTICE} button")).to_have_count(0)
        ana.tap(f"{LOG_NOTICE} button")
        for page in (one, two):
            expect(page.locator(LOG_NOTICE)).to_have_count(0)
        assert (ana.taps, ben.taps) == (1, 0)
