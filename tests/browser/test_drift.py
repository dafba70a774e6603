"""What the camera notices between rolls: in the tray strip for all, with one tap for the host."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from companion.service import wire
from companion.vision.readings import Drift
from tests.browser.phone import play, wiped
from tests.browser.scenes import Scene
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser

NOTICE = "[data-notice=drift]"


def with_drift(update: wire.Update, drift: Drift | None, role: wire.Role) -> wire.Update:
    """The update for a phone of this role, with what the camera has noticed."""
    tray = replace(update.view.tray, drift=drift)
    view = replace(update.view, tray=tray)
    return replace(update, view=view, you=replace(update.you, role=role))


@pytest.mark.parametrize(
    ("drift", "act", "sent"),
    [
        (Drift.LIGHT, "Adjust again", "adjust"),
        (Drift.COLOUR, "Adjust again", "adjust"),
        (Drift.GLARE, "Adjust again", "adjust"),
        (Drift.MOVED, "It is fine", "accept"),
        (Drift.BOX, "It is fine", "accept"),
    ],
)
def test_the_host_answers_with_one_tap_until_it_is_gone(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene], drift: Drift, act: str, sent: str
) -> None:
    page = wiped(shared, stage)
    scene = scenes("03d-drift")
    play(page, stage, scene)
    stage.push(with_drift(scene.update, drift, wire.Role.HOST))
    page.click(f"{NOTICE} .act:has-text('{act}')")
    assert stage.sent(1) == [{"act": sent}]
    stage.push(with_drift(scene.update, None, wire.Role.HOST))
    expect(page.locator(NOTICE)).to_have_count(0)


def test_others_read_it_in_the_tray_strip_and_decide_nothing(
    shared: Page, stage: Stage, scenes: Callable[[str], Scene]
) -> None:
    page = wiped(shared, stage)
    scene = scenes("03d-drift")
    play(page, stage, scene)
    stage.push(with_drift(scene.update, Drift.GLARE, wire.Role.PLAYER))
    expect(page.locator(".tray-strip")).to_contain_text("A lamp shines into the picture")
    expect(page.locator(NOTICE)).to_have_count(0)
