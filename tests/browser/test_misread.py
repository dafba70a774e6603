"""The report of a misread roll on a phone: all of it is shown before anything leaves the phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from companion.vision.report import decode_report
from tests.browser.evening import misread
from tests.browser.phone import play, wiped
from tests.browser.scenes import SCENES, Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

LOADED = """
() => [...document.querySelectorAll(".misread-parts img")].map((one) =>
  [one.alt, one.complete && one.naturalWidth > 0])
"""


def test_everything_in_the_file_is_shown_before_it_is_saved(
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


def test_nothing_is_sent_and_closing_leads_back(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("04f-misread"))
    page.click(".screen-misread .square")
    expect(page.locator(".screen-proposal")).to_be_visible()
    assert stage.commands == []


def test_the_faces_as_put_right_on_the_phone_go_into_the_report(
    shared: Page, stage: Stage, tmp_path: Path
) -> None:
    page = wiped(shared, stage)
    scene = SCENES["05-fix-die"](tmp_path)
    play(page, stage, scene)
    stage.looked.clear()
    page.click(".act:has-text('Not a die')")
    page.click(".link.misread")
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


def test_the_last_misread_can_still_be_sent_from_more(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    play(page, stage, scenes("16-more"))
    expect(page.locator(".act:has-text('Send the last misread')")).to_have_count(0)
    update = scenes("16-more").update
    tray = replace(update.view.tray, misread="g1-7")
    stage.push(replace(update, view=replace(update.view, tray=tray)))
    page.click(".act:has-text('Send the last misread')")
    expect(page.locator(".misread-frame")).to_have_count(2)
    assert stage.looked[-1] == "/api/misread/g1-7.zip"
