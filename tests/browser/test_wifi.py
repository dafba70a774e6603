"""One tap replaces the table's QR code by that of the Wi-Fi, where the host shows it to all."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect

from companion.service.wire import WifiShown
from tests.browser.phone import box_of, phone, play
from tests.browser.scenes import Scene, join_qr, join_qr_guest
from tests.browser.stage import Stage

pytestmark = pytest.mark.browser


def with_wifi(scene: Scene, shown: WifiShown) -> Scene:
    join = scene.update.view.join
    assert join is not None
    view = replace(scene.update.view, join=replace(join, wifi=shown))
    return Scene(scene.evening, replace(scene.update, view=view), taps=scene.taps)


@pytest.mark.parametrize("size", ["320x640", "390x844"])
def test_the_host_turns_the_code_and_shows_it_to_all(
    browser: Browser, stage: Stage, tmp_path: Path, size: str
) -> None:
    with phone(browser, size=size) as page:
        scene = with_wifi(join_qr(tmp_path), WifiShown.HOST)
        play(page, stage, scene)
        table = page.locator("img.qr").get_attribute("src")
        page.get_by_role("button", name="Wi-Fi code").click()
        expect(page.locator("img.qr")).to_have_attribute("src", "/api/wifi.svg")
        expect(page.locator(".address")).to_have_count(0)
        expect(page.get_by_text("Only you see this code.")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= int(size.split("x")[0])
        page.get_by_role("button", name="Show it to all").click()
        assert stage.sent(1) == [{"to_all": True}]
        stage.push(with_wifi(scene, WifiShown.ALL).update)
        expect(page.get_by_role("button", name="Only to me")).to_be_visible()
        page.get_by_role("button", name="Table code").click()
        assert page.locator("img.qr").get_attribute("src") == table


def test_a_guest_has_it_only_while_the_host_shows_it(
    browser: Browser, stage: Stage, tmp_path: Path
) -> None:
    with phone(browser) as page:
        scene = join_qr_guest(tmp_path)
        play(page, stage, with_wifi(scene, WifiShown.HOST))
        expect(page.locator("img.qr")).to_be_visible()
        expect(page.get_by_role("button", name="Wi-Fi code")).to_have_count(0)
        done, body = page.locator(".dock button"), page.locator(".dock")
        expect(done).to_have_text("Done")
        assert box_of(done)["width"] > 0.9 * box_of(body)["width"]
        stage.push(with_wifi(scene, WifiShown.ALL).update)
        page.get_by_role("button", name="Wi-Fi code").click()
        expect(page.locator("img.qr")).to_have_attribute("src", "/api/wifi.svg")
        expect(page.get_by_role("button", name="Only to me")).to_have_count(0)
        stage.push(with_wifi(scene, WifiShown.HOST).update)
        expect(page.locator("img.qr")).not_to_have_attribute("src", "/api/wifi.svg")
